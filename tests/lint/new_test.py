#!/usr/bin/env python3
"""What tools/new.py writes compiles, is formatted, and says where it is registered.

    new_test.py COMPILER
"""
import csv
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(Path(__file__).resolve().parent)]
import check_sources  # noqa: E402
import new  # noqa: E402

COMPILER = sys.argv[1] if len(sys.argv) > 1 else "c++"
CASES = "tests/validation/megatron-korthikanti-2022.csv"


class Stubs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for path in (CASES, ".clang-format", "tests/lint/check_format.sh"):
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, self.root / path)

    def run_new(self, *arguments):
        return subprocess.run(
            [sys.executable, "-B", ROOT / "tools/new.py", *arguments, "--root", self.root],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def made(self, *arguments):
        done = self.run_new(*arguments)
        self.assertEqual(done.returncode, 0, done.stdout)
        return [line.removesuffix(" written") for line in done.stdout.splitlines()
                if line.endswith(" written")]

    def compile(self, path):
        includes = [f"-I{folder}" for folder in
                    (self.root, self.root / "src", ROOT / "src", ROOT, ROOT / "tests",
                     ROOT / "tests/unit/deploy")]
        done = subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra",
                               "-Wshadow", "-Wconversion", "-Werror", *includes,
                               self.root / path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stdout[:3000])

    def expect_clean(self):
        self.assertEqual(list(check_sources.violations(self.root)), [])
        (self.root / "src").mkdir(exist_ok=True)
        (self.root / "analysis").mkdir(exist_ok=True)
        done = subprocess.run([self.root / "tests/lint/check_format.sh"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.assertIn(done.returncode, (0, 77), done.stdout[:3000])

    def test_a_kind_of_work(self):
        files = self.made("kind", "speech", "--what", "Speech as text")
        manifest, sources = files[0], [file for file in files if file.endswith(".cpp")]
        for source in sources:
            self.compile(source)
        named = (self.root / manifest).read_text(encoding="utf-8")
        for source in sources:
            self.assertIn(source.split("/")[-1], named)
        self.assertIn("const WorkloadKind& speech_kind()",
                      (self.root / "src/study/kinds/speech/speech.cpp").read_text(encoding="utf-8"))
        self.expect_clean()

    def test_a_result_table(self):
        source, test = self.made("table", "carbon_split")
        self.compile(source)
        self.assertIn("TEST(CarbonSplitTable,", (self.root / test).read_text(encoding="utf-8"))
        self.expect_clean()

    def test_a_launch_target(self):
        source, test = self.made("target", "long_run")
        self.compile(source)
        self.compile(test)
        self.assertIn('"long-run"', (self.root / source).read_text(encoding="utf-8"))
        self.expect_clean()

    def test_a_case_file(self):
        file, = self.made("cases", "speech_2026")
        with (self.root / file).open(encoding="utf-8", newline="") as lines:
            header, row = csv.reader(lines)
        with (ROOT / CASES).open(encoding="utf-8", newline="") as lines:
            self.assertEqual(header, next(csv.reader(lines)))
        self.assertEqual(len(row), len(header))
        self.assertEqual(row[header.index("source")], "SOURCE, TABLE OR PAGE")

    def test_hints_name_files_of_the_tree(self):
        options = new.read_options(["cases", "x"])
        for thing, maker in new.MAKERS.items():
            files, hints = maker(ROOT, new.words_of("speech", ""), options)
            self.assertGreater(len(hints), 3, thing)
            for path, line in hints:
                self.assertTrue(path in files or (ROOT / path).exists(), path)
                self.assertTrue(line, path)

    def test_nothing_is_overwritten(self):
        path, _ = self.made("target", "long_run")
        (self.root / path).write_text("mine", encoding="utf-8")
        done = self.run_new("target", "long_run")
        self.assertEqual(done.returncode, new.EXISTS)
        self.assertIn(f"{path}, tests/unit/deploy/long_run_test.cpp: there already", done.stdout)
        self.assertEqual((self.root / path).read_text(encoding="utf-8"), "mine")

    def test_what_is_wrong_is_said(self):
        for arguments, words in ((("kind", "Speech"), "'Speech' is not in snake_case"),
                                 (("kind", "../x"), "'../x' is not in snake_case"),
                                 (("cases", "x", "--like", "gone.csv"), "has no gone.csv")):
            done = self.run_new(*arguments)
            self.assertEqual(done.returncode, new.USAGE, arguments)
            self.assertIn(words, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
