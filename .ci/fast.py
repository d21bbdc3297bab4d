#!/usr/bin/env python3
"""The folders of tests that concern changed files: what `./test.sh fast` builds and runs.

    fast.py files [--since REVISION]    the files that differ from a revision, untracked ones too
    fast.py folders FILE...             the folders of tests that concern these files

Without a revision: what is not committed, and in a clean tree the last commit. Folders of tests
mirror those of the sources, so that no file is listed here: src/LAYER has tests/unit/LAYER and
tests/property/LAYER, those of them that have a CMakeLists.txt.
"""
import subprocess
import sys
from pathlib import Path, PurePosixPath

# What is tested elsewhere than in the folders of its name.
ELSEWHERE = {
    "src/citation": ("tests/unit/space",),
    "src/columns": ("tests/unit/analysis",),
    "src/cli": ("tests/cli",),
    "src/engine_mpi": ("tests/mpi",),
    "src/keys": ("tests/unit/keys", "tests/unit/space"),
    "src/library": ("tests/unit/library", "tests/python"),
    "src/prediction": ("tests/unit/engine", "tests/property/engine"),
    "src/publish": ("tests/published",),
    "analysis/report": ("tests/report",),
    "nodes/calibration": ("tests/unit/calibration", "tests/calibration"),
    "nodes": ("tests/unit/catalog",),
    "sweeps": ("tests/unit/space",),
    "python": ("tests/python",),
    "docs": ("tests/docs",),
    "slurm": ("tests/slurm",),
    "packaging": ("tests/install",),
    "tools": ("tests/lint",),
    "tests/unit/analysis": ("tests/unit/analysis",),
}
# Files that a test reads; documents are tested by ./test.sh --labels docs.
SOURCES = {".cpp", ".hpp", ".py", ".toml", ".js", ".mjs", ".sh", ".csv", ".sbatch", ".tsv", ".txt"}


def parents(path):
    """src/a/b.cpp: src/a, src."""
    return [str(parent) for parent in PurePosixPath(path).parents][:-1]


def folders_of(path, there):
    """Folders of tests, of those that are there, for one file; the deepest ones that fit."""
    if PurePosixPath(path).suffix not in SOURCES:
        return ()
    for folder in parents(path):
        if folder in there:
            return (folder,)
        if folder in ELSEWHERE:
            return tuple(name for name in ELSEWHERE[folder] if name in there)
        top, _, layer = folder.partition("/")
        if top in ("src", "analysis"):
            names = [f"tests/{kind}/{layer or top}" for kind in ("unit", "property")]
            found = tuple(name for name in names if name in there)
            if found:
                return found
    return ()


def concerned(paths, there):
    """(folders of tests in order, sources that have none)."""
    found, without = [], []
    for path in paths:
        folders = folders_of(path, there)
        found += folders
        if not folders and PurePosixPath(path).suffix in SOURCES:
            without.append(path)
    return list(dict.fromkeys(found)), without


def test_folders(root):
    return {str(path.parent.relative_to(root)) for path in (root / "tests").rglob("CMakeLists.txt")
            if path.parent != root / "tests"}


def git(root, *words):
    done = subprocess.run(["git", *words], cwd=root, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.splitlines()


def changed_files(root, since=None):
    untracked = git(root, "ls-files", "--others", "--exclude-standard")
    if since:
        return [*git(root, "diff", "--name-only", git(root, "merge-base", since, "HEAD")[0]),
                *untracked]
    return [*git(root, "diff", "--name-only", "HEAD"), *untracked] or \
        git(root, "diff", "--name-only", "HEAD~1", "HEAD")


def main(arguments):
    root = Path(__file__).resolve().parents[1]
    what, rest = (arguments or [""])[0], arguments[1:]
    if what == "files" and (not rest or len(rest) == 2 and rest[0] == "--since"):
        try:
            print("\n".join(changed_files(root, *rest[1:])))
        except subprocess.CalledProcessError as failed:
            print(f"error: git {' '.join(failed.cmd[1:])} failed: the changed files are those that "
                  "git knows of", file=sys.stderr)
            return 1
        return 0
    if what != "folders":
        print(__doc__, file=sys.stderr)
        return 64
    folders, without = concerned(rest, test_folders(root))
    for path in without:
        print(f"no folder of tests is that of {path} alone: ./test.sh dev has all", file=sys.stderr)
    print("\n".join(folders))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
