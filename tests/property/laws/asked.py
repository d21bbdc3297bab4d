"""What the laws in Python share: the program, drawn specs, files compared bit by bit.

Every one of them is called as

    NAME_test.py LAWS PROGRAM STAGED_FOLDER [--specs N] [--seed S]

LAWS draws the specs, PROGRAM answers, STAGED_FOLDER has the Python package. More specs find more.
"""
import argparse
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SKIPPED = 77
SOURCE = Path(__file__).resolve().parents[3]
try:
    import h5py
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(SKIPPED)

_PARSER = argparse.ArgumentParser()
_PARSER.add_argument("laws", type=Path)
_PARSER.add_argument("program", type=Path)
_PARSER.add_argument("staged", type=Path)
_PARSER.add_argument("--specs", type=int, default=18)
_PARSER.add_argument("--seed", type=int, default=1)
_PARSER.add_argument("--only", default="", help="tests whose name has this word")
ARGUMENTS = _PARSER.parse_args()
sys.path.insert(0, str(ARGUMENTS.staged))

# In TOML: an escape and the title of a terminal, a tag, what ends a word of a shell, a cell, a list
# of YAML and a formula of TeX.
TITLE = r"\u001b]0;x\u0007\u001b[31m<script>alert(1)</script> ' \" $x_1$ & % \\ | - a: [b"
ALL_ROWS = ("--keep", "all", "--quiet", "--no-sync")


def ended(*arguments, before=()):
    """The process that ended, with what it said."""
    return subprocess.run([*before, str(ARGUMENTS.program), *map(str, arguments)],
                          capture_output=True, text=True, check=False)


def program(*arguments, before=(), code=0):
    """Standard output of a command that ends with the code."""
    said = ended(*arguments, before=before)
    if said.returncode != code:
        raise AssertionError(f"{arguments}: code {said.returncode}\n{said.stderr}")
    return said.stdout


def draw_specs(folder, *options):
    """Files of as many drawn specs as are asked for, of all kinds of work in turn."""
    subprocess.run([str(ARGUMENTS.laws), "--write", str(folder), "--studies",
                    str(ARGUMENTS.specs), "--seed", str(ARGUMENTS.seed), *options],
                   check=True, stdout=subprocess.DEVNULL)
    specs = sorted(folder.glob("*.toml"))
    assert len(specs) > ARGUMENTS.specs // 2
    return specs


def datasets(path):
    """Of all but what tells how a file was made."""
    found = {}

    def take(name, item):
        if isinstance(item, h5py.Dataset) and not name.startswith(("provenance", "segments")):
            found[name] = item[()]
    with h5py.File(path) as file:
        file.visititems(take)
    return found


def attributes(path):
    """Of the same objects, but for when and how the file was made."""
    found = {}
    made = {"created", "date_created", "history", "layout"}

    def take(name, item):
        if not name.startswith(("provenance", "segments")):
            found.update({(name, key): value for key, value in item.attrs.items()
                          if key not in made and not key.endswith("_LIST")})
    with h5py.File(path) as file:
        take("", file)
        file.visititems(take)
    return found


def same(one, other):
    """To the bit; every NaN is nothing."""
    one, other = numpy.asarray(one), numpy.asarray(other)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.kind == "f":
        return numpy.array_equal(one, other, equal_nan=True)
    if one.dtype.kind == "O" and h5py.check_string_dtype(one.dtype) is None:
        return True  # references: to places in the file
    return numpy.array_equal(one, other)


def results_of(path):
    with h5py.File(path) as file:
        return {name: item[()] for name, item in file["results"].items()
                if isinstance(item, h5py.Dataset)}


def is_nothing(value):
    return value in (None, "") or isinstance(value, float) and math.isnan(value)


class Laws(unittest.TestCase):
    """With a folder that goes."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="scalesweep-laws-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)

    def expect_same_file(self, path, other, how):
        for read in (datasets, attributes):
            one, two = read(path), read(other)
            self.assertEqual(sorted(one), sorted(two), f"{how} of {path.stem}")
            for name, values in one.items():
                self.assertTrue(same(values, two[name]), f"{how} of {path.stem}: {name}")


def main():
    os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
    os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    words = ["-k", ARGUMENTS.only] if ARGUMENTS.only else []
    unittest.main(argv=[sys.argv[0], "-v", *words])
