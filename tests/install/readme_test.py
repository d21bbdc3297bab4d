#!/usr/bin/env python3
"""The spec of the README works, and so does the tour's way to read a file in Python.

    readme_test.py PROGRAM SOURCE_FOLDER
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def blocks(document, language):
    """Code blocks of a Markdown file in one language."""
    text = document.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def main(arguments):
    program, source = arguments[1], Path(arguments[2])
    specs = [block for block in blocks(source / "README.md", "toml") if "schema" in block]
    snippets = blocks(source / "sweeps" / "tour.md", "python")
    assert len(specs) == 1, f"the README shows {len(specs)} specs, not one"
    assert len(snippets) == 1, f"the tour shows {len(snippets)} pieces of Python, not one"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "results").mkdir()
        spec = Path(folder) / "readme.toml"
        spec.write_text(specs[0], encoding="utf-8")

        def call(*command):
            return subprocess.run(command, cwd=folder, check=True, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, text=True).stdout

        call(program, "check", str(spec))
        call(program, "run", str(spec), "-o", "results/quick.h5", "--quiet")
        shown = snippets[0] + "print(len(table), table['step_time'].min() > 0)\n"
        rows, positive = call(sys.executable, "-c", shown).split()
        assert int(rows) > 0 and positive == "True", (rows, positive)
        assert "step_time" in call("h5dump", "-H", "results/quick.h5")
    print(f"the README's study has {rows} rows and reads as the tour shows")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
