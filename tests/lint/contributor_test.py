#!/usr/bin/env python3
"""What who takes part is given: the choice of fast tests, hooks, editor settings, a container.

Exit 77 (skipped) without python3-yaml.
"""
import configparser
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is not installed (Debian: apt-get install python3-yaml)")
    sys.exit(77)

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / ".ci"), str(Path(__file__).resolve().parent)]
import check_sources  # noqa: E402
import fast  # noqa: E402

THERE = {"tests/unit/estimator", "tests/property/estimator", "tests/unit/space",
         "tests/unit/catalog", "tests/unit/analysis", "tests/property/analysis", "tests/cli",
         "tests/report", "tests/unit/calibration", "tests/calibration"}


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


class Fast(unittest.TestCase):
    """Which folders of tests concern which files."""

    def expect(self, paths, folders, without=()):
        self.assertEqual(fast.concerned(paths, THERE), (list(folders), list(without)), paths)

    def test_a_layer_has_its_unit_and_property_tests(self):
        self.expect(["src/estimator/training/step.cpp"],
                    ["tests/unit/estimator", "tests/property/estimator"])
        self.expect(["src/space/axes/draws.hpp"], ["tests/unit/space"])
        self.expect(["src/estimator/CMakeLists.txt"],
                    ["tests/unit/estimator", "tests/property/estimator"])
        self.expect(["analysis/verdict/standing.cpp"],
                    ["tests/unit/analysis", "tests/property/analysis"])

    def test_a_test_is_its_own(self):
        self.expect(["tests/property/estimator/variants_test.cpp"], ["tests/property/estimator"])
        self.expect(["tests/unit/analysis/verdict/drawn_test.cpp"], ["tests/unit/analysis"])

    def test_what_is_tested_elsewhere_is_found_there(self):
        self.expect(["src/cli/recommend/answer.cpp"], ["tests/cli"])
        self.expect(["analysis/report/src/views/main.js"], ["tests/report"])
        self.expect(["nodes/links.toml"], ["tests/unit/catalog"])
        self.expect(["nodes/calibration/calibrate.py"],
                    ["tests/unit/calibration", "tests/calibration"])

    def test_folders_come_once_and_in_order(self):
        self.expect(["src/space/space.cpp", "src/estimator/a.cpp", "src/space/filter.cpp"],
                    ["tests/unit/space", "tests/unit/estimator", "tests/property/estimator"])

    def test_documents_have_none_and_other_sources_are_named(self):
        self.expect(["README.md", "src/estimator/README.md"], [])
        self.expect(["tests/support/folders.hpp"], [], ["tests/support/folders.hpp"])

    def test_every_source_of_a_layer_has_a_folder(self):
        there = fast.test_folders(ROOT)
        self.assertIn("tests/unit/estimator", there)
        for top in ("src", "analysis"):
            for path in (ROOT / top).rglob("*.cpp"):
                here = str(path.relative_to(ROOT))
                self.assertNotEqual(fast.folders_of(here, there), (), here)
        for folder, tests in fast.ELSEWHERE.items():
            self.assertTrue((ROOT / folder).is_dir(), folder)
            for name in tests:
                self.assertIn(name, there, folder)


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class Changed(unittest.TestCase):
    """What git says has changed, in a small tree of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.git("init", "-q", "-b", "main")
        for name in ("a", "b"):
            self.commit(name)

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@y", *words], cwd=self.root,
                       check=True, stdout=subprocess.DEVNULL)

    def commit(self, name):
        (self.root / name).write_text(name, encoding="utf-8")
        self.git("add", name)
        self.git("commit", "-q", "-m", name)

    def test_a_clean_tree_has_its_last_commit(self):
        self.assertEqual(fast.changed_files(self.root), ["b"])

    def test_what_is_not_committed_comes_first(self):
        (self.root / "a").write_text("other", encoding="utf-8")
        (self.root / "c").write_text("new", encoding="utf-8")
        self.assertEqual(fast.changed_files(self.root), ["a", "c"])

    def test_a_revision_is_that_of_where_a_branch_began(self):
        self.git("checkout", "-q", "-b", "mine")
        self.commit("c")
        self.git("checkout", "-q", "main")
        self.commit("d")
        self.git("checkout", "-q", "mine")
        self.assertEqual(fast.changed_files(self.root, "main"), ["c"])


class Hooks(unittest.TestCase):
    def setUp(self):
        config = yaml.safe_load(text(".pre-commit-config.yaml"))
        self.assertEqual([repo["repo"] for repo in config["repos"]], ["local"])
        self.hooks = {hook["id"]: hook for hook in config["repos"][0]["hooks"]}

    def command(self, hook, files=()):
        return subprocess.run([*shlex.split(self.hooks[hook]["entry"]), *files], cwd=self.tree,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def copy(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name)
        (self.tree / "src").mkdir()
        shutil.copytree(ROOT / "tests/lint", self.tree / "tests/lint")
        shutil.copy(ROOT / ".clang-format", self.tree)

    def test_they_use_what_is_there(self):
        for name, hook in self.hooks.items():
            self.assertEqual(hook["language"], "system", name)
            first = shlex.split(hook["entry"])[0]
            self.assertTrue((ROOT / first).exists() or shutil.which(first), first)
            self.assertEqual("files" in hook, hook.get("pass_filenames", True), name)

    def test_their_patterns_fit_files_of_the_tree(self):
        for hook in self.hooks.values():
            if "files" in hook:
                wanted = ("src/core/text.cpp", "test.sh", ".ci/run")
                self.assertTrue(any(re.search(hook["files"], name) for name in wanted), hook)

    def test_they_pass(self):
        self.tree = ROOT
        files = {"format": ["src/core/text.cpp"], "shell": ["test.sh", ".ci/run"]}
        for name in self.hooks:
            if name == "blanks":
                continue  # asks git's index, which a copy of the tree may lack
            done = self.command(name, files.get(name, ()))
            self.assertIn(done.returncode, (0, 77), done.stdout)

    def test_they_find_faults_in_the_files_that_are_named(self):
        self.copy()
        faults = {"format": ("src/bad.cpp", "int  x ;\n"), "shell": ("bad.sh", "echo $1\n")}
        for name, (path, fault) in faults.items():
            (self.tree / path).write_text(fault, encoding="utf-8")
            done = self.command(name, [path])
            self.assertIn(done.returncode, (1, 123, 77), done.stdout)


class Settings(unittest.TestCase):
    def test_editors_have_the_widths_of_the_checks(self):
        parser = configparser.ConfigParser()
        parser.read_string("[top]\n" + text(".editorconfig"))
        style = yaml.safe_load(text(".clang-format"))
        self.assertEqual(int(parser["*"]["max_line_length"]), style["ColumnLimit"])
        self.assertEqual(style["ColumnLimit"], check_sources.COLUMNS)
        self.assertEqual((style["BasedOnStyle"], parser["*"]["indent_size"]), ("Google", "2"))
        self.assertEqual(parser["*.py"]["indent_size"], "4")
        for section in parser.sections()[2:]:
            folder = section.split("/**")[0].rsplit("/", 1)[0]
            if not section.startswith("*"):
                self.assertTrue((ROOT / folder).is_dir(), section)

    def test_the_container_has_what_the_tests_need(self):
        made = json.loads(text(".devcontainer/devcontainer.json"))["build"]
        dockerfile = text(f".devcontainer/{made['dockerfile']}")
        base = re.search(r"^FROM (debian:\d+)\.\d+$", dockerfile, re.MULTILINE)
        self.assertIsNotNone(base, "the image is not pinned")
        self.assertIn(f"FROM {base[1]}\n", text("packaging/Dockerfile"))
        for source in re.findall(r"^COPY (\S+) ", dockerfile, re.MULTILINE):
            self.assertTrue((ROOT / ".devcontainer" / made["context"] / source).exists(), source)
        groups = re.findall(r"package_names debian (\w+)", dockerfile)
        self.assertEqual(sorted(groups), ["docs", "report", "test"])
        for group in groups:
            done = subprocess.run(
                ["bash", "-c", f"source .ci/common.sh; package_names debian {group}"], cwd=ROOT,
                stdout=subprocess.PIPE, text=True, check=True)
            self.assertTrue(done.stdout.split(), group)


class Bench(unittest.TestCase):
    """What a change costs: tests/bench/compare_programs.py and .ci/bench."""

    def compare(self, folder, after, *words):
        programs = []
        for name, body in (("before", "exit 0"), ("after", after)):
            program = Path(folder) / name
            program.write_text(f'#!/bin/sh\necho "$@" >>{folder}/asked\n{body}\n')
            program.chmod(0o755)
            programs.append(program)
        return subprocess.run([sys.executable, ROOT / "tests/bench/compare_programs.py", *programs,
                               *words], capture_output=True, text=True, check=False)

    def test_ratios_of_two_programs_on_the_specs_of_one(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.compare(folder, "exit 0", "--runs", "2", "--sweeps", folder,
                                "--command", "run services", "--command", "status")
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = done.stdout.splitlines()
            self.assertEqual([row.split(" | ")[0] for row in rows],
                             ["| command", "|---|---|---|---|---|", "| run services", "| status"])
            asked = (Path(folder) / "asked").read_text().splitlines()
            spec = Path(folder).resolve() / "serving.toml"
            self.assertEqual(asked.count(f"run {spec} -o made.h5 -q"), 4)

    def test_a_command_that_fails_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.compare(folder, "exit 65", "--runs", "1")
            self.assertEqual(done.returncode, 1)
            self.assertIn("after run ", done.stderr)
            self.assertIn("exit code 65", done.stderr)

    def test_mistakes_of_bench_are_told(self):
        for words, message in ((["--runs", "x"], "--runs needs a number, for example --runs 11"),
                               (["--fast"], "unknown option '--fast'; there is --runs N"),
                               (["v99.9"], "there is no revision 'v99.9' here")):
            done = subprocess.run(["bash", ROOT / ".ci/bench", *words], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 64, words)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
