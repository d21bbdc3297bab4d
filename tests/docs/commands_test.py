#!/usr/bin/env python3
"""Every command that a document shows is run, and prints what is shown below it.

    commands_test.py PROGRAM SOURCE_FOLDER [DOCUMENT...]

commands.toml says what is made before, and which are not run, each with the reason. With
SCALESWEEP_UPDATE_GOLDEN set, what is printed now replaces what a document shows. Commands within
sentences are not run, but must be ones that the program has, with options that it has.
"""
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1] / "docs"))
sys.path.insert(0, str(FOLDER))
import documented  # noqa: E402
from build import git  # noqa: E402
from documents import tracked_documents  # noqa: E402

LIMIT_S = 120
# Programs that a machine may lack: then what needs them is not run, and told.
OPTIONAL = {"mpirun"}


class Sandbox:
    """A folder that looks like the tree, in which commands may write."""

    def __init__(self, program, source):
        self.folder = Path(tempfile.mkdtemp(prefix="scalesweep-docs-"))
        for path in source.iterdir():
            if path.name not in ("build", "results", ".git"):
                (self.folder / path.name).symlink_to(path)
        (self.folder / "build/release").mkdir(parents=True)
        (self.folder / "build/release/bin").symlink_to(program.parent)
        self.environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"}

    def run(self, text, limit_s=LIMIT_S):
        """(exit code, what was printed) of a command, as typed into a shell."""
        done = subprocess.run(["bash", "-c", text], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=limit_s)
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def remove(self):
        shutil.rmtree(self.folder)


class Table:
    """commands.toml, and which of its entries were needed."""

    def __init__(self):
        table = tomllib.loads((FOLDER / "commands.toml").read_text(encoding="utf-8"))
        self.prepared = {row["document"]: row["run"] for row in table["prepared"]}
        self.skipped = table["skipped"]
        self.codes = {(row["document"], row["command"]): row["code"]
                      for row in table.get("ends_with", [])}
        self.used = set()
        self.updates = []  # (command, lines that it prints now)

    def reason(self, command):
        for number, row in enumerate(self.skipped):
            if row["document"] == command.document and re.search(row["commands"], command.text):
                self.used.add(number)
                return row["reason"]
        return None

    def expected_code(self, command):
        return self.codes.get((command.document, command.text), 0)

    def idle(self, documents):
        for number, row in enumerate(self.skipped):
            if row["document"] in documents and number not in self.used:
                yield f"tests/docs/commands.toml: no command of {row['document']} is like " \
                      f"{row['commands']}"
        for name in {*self.prepared, *(row["document"] for row in self.skipped)}:
            if not (FOLDER.parents[1] / name).exists():
                yield f"tests/docs/commands.toml: there is no document {name}"


def update(source, command, printed):
    """Writes into the document what a command prints now, as much of it as was shown."""
    path = source / command.document
    lines = path.read_text(encoding="utf-8").split("\n")
    shown, indent = command.shown, "    " if lines[command.line - 1].startswith("    ") else ""
    if shown[0] == "...":
        first = next(n for n, line in enumerate(printed) if line[:5] == shown[1][:5])
        fresh = ["...", *printed[first:]]
    else:
        fresh = [*printed[:shown.index("...")], "..."] if "..." in shown else printed
    first = command.end - len(shown)
    lines[first:command.end] = [(indent + line).rstrip() for line in fresh]
    path.write_text("\n".join(lines), encoding="utf-8")


def check_command(command, sandbox, table):
    """A line on what is wrong, or None."""
    typed = documented.without_comment(command.text)
    word = documented.first_word(typed)
    if word in OPTIONAL and not shutil.which(word):
        print(f"not run, as there is no {word}: {command.place}")
        return None
    began = time.monotonic()
    try:
        code, text = sandbox.run(typed)
    except subprocess.TimeoutExpired:
        return f"{command.place}: still runs after {LIMIT_S} s"
    taken = time.monotonic() - began
    if taken > 5:
        print(f"{taken:.1f} s: {command.place}")
    if code != table.expected_code(command):
        return f"{command.place}: ends with {code}:\n{text[-1500:]}"
    printed = text.rstrip("\n").split("\n")
    while command.shown and not command.shown[-1].strip():
        command.shown.pop()
        command.end -= 1
    missing = documented.difference(command.shown, text)
    if not command.shown or missing is None:
        return None
    if os.environ.get("SCALESWEEP_UPDATE_GOLDEN"):
        table.updates.append((command, printed))
        return None
    return f"{command.place}: does not print what is shown: {missing!r}\n{text[:3000]}"


def check_document(name, text, program, source, table):
    """(number of commands run, lines on what is wrong)."""
    wanted, count, wrong = [], 0, []
    for command in documented.commands_of(name, text):
        if table.reason(command) is None:
            wanted.append(command)
    if not wanted:
        return 0, []
    sandbox = Sandbox(program, source)
    try:
        for text in table.prepared.get(name, []):
            code, printed = sandbox.run(text)
            assert code == 0, f"{name}: prepared by {text}: {code}\n{printed}"
        for command in wanted:
            problem = check_command(command, sandbox, table)
            wrong += [problem] if problem else []
            count += 1
    finally:
        sandbox.remove()
    return count, wrong


@functools.cache
def options_of(program, name):
    """Options that the page of a command lists, or None where there is no such command."""
    done = subprocess.run([program, name, "--help"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", done.stdout)) \
        if done.returncode == 0 else None


def check_mentions(name, text, program):
    for line, command, options in documented.mentions_of(text):
        known = options_of(program, command)
        if known is None:
            yield f"{name}:{line}: there is no command 'scalesweep {command}'"
            continue
        for option in options:
            if option not in known:
                yield f"{name}:{line}: scalesweep {command} has no option {option}"


def check_specs(name, text, program):
    """Whole specs that a document shows have no mistake."""
    for block in re.findall(r"^```toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if not all(word in block for word in ("\n[workload]\n", "schema = 1")):
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(block)
            file.flush()
            done = subprocess.run([program, "check", file.name], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            yield f"{name}: a spec that it shows has mistakes:\n{done.stdout}"


def main(arguments):
    program, source = Path(arguments[1]).resolve(), Path(arguments[2]).resolve()
    chosen = arguments[3:] or tracked_documents(source, git)
    table, total, wrong = Table(), 0, []
    for name in chosen:
        text = (source / name).read_text(encoding="utf-8")
        count, problems = check_document(name, text, program, source, table)
        total += count
        wrong += [*problems, *check_mentions(name, text, program),
                  *check_specs(name, text, program)]
    wrong += table.idle(chosen)
    # From the end of a document, so that lines that are rewritten do not move the others.
    for command, printed in reversed(table.updates):
        update(source, command, printed)
    for problem in wrong:
        print(problem)
    print(f"{total} commands of {len(chosen)} documents run, {len(wrong)} are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
