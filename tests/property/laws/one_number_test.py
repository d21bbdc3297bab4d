"""One number for one point, whoever is asked, and one file however it is made: of drawn specs.

    one_number_test.py LAWS PROGRAM STAGED_FOLDER [--specs N] [--seed S]

LAWS writes the specs. PROGRAM runs each alone, in two shards, with a file that refers to its parts
and by two ranks; its exports, `explain` of the spec and of the file, and the Python package of
STAGED_FOLDER then tell of the same points. Titles are such as no document may take for its own.
"""
import argparse
import csv
import io
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SKIPPED = 77
try:
    import h5py
    import numpy
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(SKIPPED)

PARSER = argparse.ArgumentParser()
PARSER.add_argument("laws", type=Path)
PARSER.add_argument("program", type=Path)
PARSER.add_argument("staged", type=Path)
PARSER.add_argument("--specs", type=int, default=18)
PARSER.add_argument("--seed", type=int, default=1)
ARGUMENTS = PARSER.parse_args()
sys.path.insert(0, str(ARGUMENTS.staged))
import scalesweep  # noqa: E402

# In TOML: an escape and the title of a terminal, a tag, what ends a word of a shell, a cell, a list
# of YAML and a formula of TeX.
TITLE = r"\u001b]0;x\u0007\u001b[31m<script>alert(1)</script> ' \" $x_1$ & % \\ | - a: [b"
SMALL = 300  # points of a spec that two ranks and shards evaluate as well


def program(*arguments, before=(), code=0):
    ended = subprocess.run([*before, str(ARGUMENTS.program), *map(str, arguments)],
                           capture_output=True, text=True, check=False)
    if code is not None and ended.returncode != code:
        raise AssertionError(f"{arguments}: code {ended.returncode}\n{ended.stderr}")
    return ended.stdout


def datasets(path):
    """Of all but what tells how a file was made."""
    found = {}

    def take(name, item):
        if isinstance(item, h5py.Dataset) and not name.startswith(("provenance", "segments")):
            found[name] = item[()]
    with h5py.File(path) as file:
        file.visititems(take)
    return found


def same(one, other):
    one, other = numpy.asarray(one), numpy.asarray(other)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.kind == "f":
        return numpy.array_equal(one, other, equal_nan=True)
    return one.dtype.kind == "O" or numpy.array_equal(one, other)


def number(text):
    """Of an export: nothing and NaN are the same absence."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None if text in (None, "") else text
    return None if math.isnan(value) else value


class OneNumber(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="scalesweep-laws-"))
        subprocess.run([str(ARGUMENTS.laws), "--write", str(cls.folder), "--studies",
                        str(ARGUMENTS.specs), "--seed", str(ARGUMENTS.seed), "--title", TITLE],
                       check=True, stdout=subprocess.DEVNULL)
        cls.specs = sorted(cls.folder.glob("*.toml"))
        cls.files = {}
        for spec in cls.specs:
            cls.files[spec] = spec.with_suffix(".h5")
            program("run", spec, "-o", cls.files[spec], "--quiet", "--keep", "all", "--no-sync")
        assert len(cls.specs) > ARGUMENTS.specs // 2

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def expect_same_file(self, path, other):
        one, two = datasets(path), datasets(other)
        self.assertEqual(sorted(one), sorted(two))
        for name, values in one.items():
            self.assertTrue(same(values, two[name]), name)

    def test_shards_layouts_and_ranks_make_one_file(self):
        ranks = shutil.which("mpirun")
        for spec, path in self.files.items():
            with h5py.File(path) as file:
                if len(file["results/point_id"]) > SMALL:
                    continue
            all_rows = ("--keep", "all", "--quiet", "--no-sync")
            sharded = path.with_suffix(".sharded.h5")
            for shard in ("1/2", "2/2"):
                program("run", spec, "-o", sharded, "--shard", shard, *all_rows)
            program("merge", sharded)
            self.expect_same_file(path, sharded)
            virtual = path.with_suffix(".virtual.h5")
            program("run", spec, "-o", virtual, "--layout", "virtual", *all_rows)
            self.expect_same_file(path, virtual)
            if ranks:
                of_ranks = path.with_suffix(".ranks.h5")
                program("run", spec, "-o", of_ranks, *all_rows,
                        before=[ranks, "--oversubscribe", "-n", "2"])
                self.expect_same_file(path, of_ranks)

    def test_exports_tell_what_the_file_holds(self):
        for path in self.files.values():
            with h5py.File(path) as file:
                names = [name for name, item in file["results"].items()
                         if isinstance(item, h5py.Dataset) and item.dtype.kind == "f"]
                held = {name: file["results"][name][()] for name in names}
                held["point_id"] = file["results/point_id"][()]
            asked = ("query", path, "--limit", 0, "--select",
                     ",".join(["point_id", *names]))
            rows = list(csv.DictReader(io.StringIO(program(*asked, "--format", "csv"))))
            lines = [json.loads(line)
                     for line in program(*asked, "--format", "jsonl").splitlines()]
            self.assertEqual(len(rows), len(lines))
            place = {int(point): i for i, point in enumerate(held["point_id"])}
            for row, line in zip(rows, lines):
                at = place[int(row["point_id"])]
                for name in names:
                    told = number(held[name][at])
                    wanted = None if told is None else held[name].dtype.type(told)
                    for export in (row, line):
                        value = number(export[name])
                        self.assertEqual(value if value is None else held[name].dtype.type(value),
                                         wanted, f"{name} of point {row['point_id']}")

    def test_package_and_explain_tell_what_the_file_holds(self):
        for spec, path in self.files.items():
            with h5py.File(path) as file:
                results = {name: item[()] for name, item in file["results"].items()
                           if isinstance(item, h5py.Dataset)}
            study = scalesweep.Study(spec)
            arrays = study.arrays(results["point_id"])
            for name, values in arrays.items():
                if name in results and results[name].dtype.kind == "f":
                    numpy.testing.assert_array_equal(values, results[name], name)
            ok = numpy.flatnonzero(results["status"] == 0)
            for row in ok[:1]:
                self.expect_explained(spec, path, results, int(row))

    def expect_explained(self, spec, path, results, row):
        point = int(results["point_id"][row])
        told = []
        for study in (spec, path):
            explained = json.loads(program("explain", study, "--point", point, "--format", "json"))
            told.append({line["name"]: line["value"] for line in explained["result"]})
        self.assertEqual(told[0], told[1])
        for name, value in told[0].items():
            held = results.get(name)
            if held is not None and held.dtype.kind == "f" and isinstance(value, float):
                self.assertAlmostEqual(held[row] / value if value else held[row] + 1.0, 1.0,
                                       delta=1e-5, msg=name)

    def test_no_text_of_a_user_reaches_a_terminal_as_it_is(self):
        for path in list(self.files.values())[:2]:
            printed = program("status", path) + program("analyze", path)
            self.assertNotRegex(printed, "[\x00-\x08\x0b-\x1f\x7f]")

    def test_no_text_of_a_user_is_markup_of_a_document(self):
        path = next(iter(self.files.values()))
        published = self.folder / "published"
        program("publish", path, "-o", published, "--no-figures", "--csv")
        documents = list(published.rglob("*"))
        texts = {one: one.read_text() for one in documents if one.suffix in (".md", ".html")}
        self.assertTrue(texts)
        for document, text in texts.items():
            self.assertNotIn("<script>alert", text, document.name)
        for document in documents:
            if document.suffix in (".json", ".jsonld"):
                json.loads(document.read_text())


if __name__ == "__main__":
    os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
    os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    unittest.main(argv=sys.argv[:1])
