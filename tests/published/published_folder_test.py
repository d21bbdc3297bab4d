"""Published folders and copies of rows, read by programs that know nothing of scalesweep.

    published_folder_test.py SCALESWEEP SOURCE NODE MODULES PROBLEM

MODULES has hyparquet, unless PROBLEM says why not. Needs h5py and numpy; pandas, xarray, PyYAML,
pyarrow and duckdb are used where there are any.
"""

import csv
import importlib.util
import json
import math
import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import h5py
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

PROGRAM, SOURCE, NODE, MODULES, PROBLEM = sys.argv[1:6]
USER = "ada-lovelace-of-tests"
FOLDER = "folder-of-nobody-else"
DATASET = """
[dataset]
license = "CC-BY-4.0"
summary = "Step times of a small sweep, for tests of what is published of it."
keywords = ["tests", "training"]
institution = "University of Example"
publisher = "Zenodo"
doi = "10.5281/zenodo.1234567"
version = "1.0.0"
contact = { name = "Office", email = "data@example.org" }

[[dataset.creators]]
name = "Lovelace, Ada"
orcid = "0000-0002-1825-0097"
affiliation = "University of Example"

[[dataset.creators]]
name = "CERN"

[[dataset.related]]
identifier = "arXiv:2407.14645"
relation = "IsDerivedFrom"

[[dataset.funding]]
funder = "Example Science Foundation"
award = "ESF-1"
"""
SPEC = """
# kept in /home/%s/%s/spec.toml
schema = 1
title = "A small sweep"
[workload]
kind = "training"
model = "llama-2-7b"
sequence = 2048
global_batch = [64, 128]
[system]
accelerators = 16
device = ["a100-sxm-80gb", "h100-sxm"]
[strategy]
tensor_parallel = [1, 2, 4]
micro_batch = [1, 2]
""" % (USER, FOLDER)


def has(module):
    return importlib.util.find_spec(module) is not None


def texts_of(study):
    with h5py.File(study) as file:
        texts = [str(text) for text in file.attrs.values()]
        texts += [file["provenance"][name][()].decode() for name in file["provenance"]
                  if name != "identity"]
    return "\n".join(texts).encode()


class Published(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name) / USER / FOLDER
        cls.folder.mkdir(parents=True)
        cls.spec = cls.folder / "spec.toml"
        cls.spec.write_text(SPEC + DATASET, encoding="utf-8")
        cls.study = cls.folder / "small.h5"
        cls.call("run", cls.spec, "-o", cls.study, "--quiet")
        cls.data = cls.folder / "data"
        cls.call("publish", cls.study, "-o", cls.data, "--parquet", "--csv")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def call(cls, *arguments):
        environment = dict(os.environ, USER=USER, SLURM_JOB_ID="987654321",
                           SLURM_JOB_NODELIST="node-of-the-tests")
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                              env=environment, cwd=cls.folder, check=False)
        assert done.returncode == 0, done.stderr
        return done

    def files(self, folder=None):
        root = folder or self.data
        return sorted(path for path in root.rglob("*") if path.is_file())

    def expect_no_names(self, paths):
        names = [USER, FOLDER, self.temporary.name, "987654321", "node-of-the-tests"]
        own = re.escape(socket.gethostname().encode())
        host = re.compile(rb"(?<![\w+.-])" + own + rb"(?![\w-])")
        for path in paths:
            content = path.read_bytes()
            for name in names:
                self.assertFalse(name.encode() in content, f"{name} in {path.name}")
            # The name of a host may be short: in HDF5 it is looked for in the texts.
            texts = texts_of(path) if path.suffix == ".h5" else content
            if path.suffix not in (".png", ".parquet"):
                self.assertFalse(host.search(texts), f"the host in {path.name}")

    def test_input_has_names_and_the_folder_has_none(self):
        self.assertTrue(USER.encode() in self.study.read_bytes())
        self.assertTrue(b"987654321" in self.study.read_bytes())
        self.expect_no_names(self.files())

    def test_anonymous_runs_have_no_names(self):
        self.call("run", self.spec, "-o", self.folder / "own.h5", "--quiet", "--anonymous")
        self.expect_no_names([self.folder / "own.h5"])
        self.call("run", self.spec, "-o", self.folder / "parts.h5", "--shard", "1/1", "--quiet")
        self.call("merge", self.folder / "parts.h5", "--anonymous")
        self.expect_no_names([self.folder / "parts.h5"])
        self.call("merge", "--union", self.study, self.folder / "parts.h5", "--anonymous", "-o",
                  self.folder / "both.h5")
        self.expect_no_names([self.folder / "both.h5"])
        done = self.call("publish", self.folder / "both.h5", "-o", self.folder / "both-data",
                         "--no-figures")
        self.expect_no_names(self.files(self.folder / "both-data"))
        self.assertTrue((self.folder / "both-data" / "spec-small.toml").exists(), done.stderr)
        self.call("verify", self.folder / "both-data")

    def test_rows_are_those_of_the_study(self):
        with h5py.File(self.study) as one, h5py.File(self.data / "small.h5") as other:
            self.assertEqual(one.attrs["identity"], other.attrs["identity"])
            self.assertEqual(one.attrs["date_created"], other.attrs["date_created"])
            for name in one["results"].attrs["columns"]:
                mine, theirs = one["results"][name], other["results"][name]
                self.assertEqual(mine.dtype, theirs.dtype)
                numpy.testing.assert_array_equal(mine[:], theirs[:])
            self.assertEqual(other.attrs["creator_name"], "Lovelace, Ada; CERN")
            self.assertEqual(other.attrs["creator_url"],
                             "https://orcid.org/0000-0002-1825-0097; ")
            self.assertEqual(other.attrs["id"], "10.5281/zenodo.1234567")

    def test_an_anonymous_study_is_copied_byte_for_byte(self):
        own = self.folder / "mine.h5"
        self.call("run", self.spec, "-o", own, "--quiet", "--anonymous")
        said = self.call("publish", own, "-o", self.folder / "mine-data", "--no-figures").stdout
        self.assertIn("byte for byte", said)
        self.assertTrue(own.read_bytes() == (self.folder / "mine-data" / "mine.h5").read_bytes())

    def test_sha256sum_knows_the_manifest(self):
        done = subprocess.run(["sha256sum", "--strict", "-c", "manifest-sha256.txt"],
                              cwd=self.data, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = (self.data / "manifest-sha256.txt").read_text().splitlines()
        self.assertEqual(len(lines), len(self.files()) - 1)
        self.assertIn("small.h5: OK", done.stdout)

    def test_the_card_opens_the_study(self):
        card = (self.data / "README.md").read_text(encoding="utf-8")
        for part in ("# A small sweep", "Verdict", "CC-BY-4.0", "`step_time` | s |",
                     "Lovelace, Ada; CERN (", "10.5281/zenodo.1234567", "manifest-sha256.txt"):
            self.assertIn(part, card)
        for target in re.findall(r"\]\((?!https?:)([^)]+)\)", card):
            self.assertTrue((self.data / target).exists(), target)
        blocks = re.findall(r"```python\n(.*?)```", card, re.S)
        self.assertEqual(len(blocks), 4)
        for block in blocks:
            needed = re.findall(r"\w+", re.search(r"^import (.+)", block)[1])
            missing = [name for name in needed if not has(name)]
            if missing:
                print(f"left out: a block of the card, no {', '.join(missing)}")
                continue
            done = subprocess.run([sys.executable, "-c", block], cwd=self.data,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotEqual(done.stdout, "")

    def test_datacite(self):
        record = json.loads((self.data / "datacite.json").read_text())
        for needed in ("identifiers", "creators", "titles", "publisher", "publicationYear",
                       "types", "schemaVersion"):
            self.assertTrue(record[needed], needed)
        self.assertEqual(record["creators"][0]["familyName"], "Lovelace")
        self.assertEqual(record["creators"][0]["givenName"], "Ada")
        self.assertEqual(record["creators"][0]["nameType"], "Personal")
        self.assertEqual(record["creators"][1]["nameType"], "Organizational")
        self.assertEqual(record["rightsList"][0]["rightsIdentifier"], "CC-BY-4.0")
        self.assertEqual(record["relatedIdentifiers"][0]["relatedIdentifierType"], "arXiv")
        self.assertEqual(record["fundingReferences"][0]["awardNumber"], "ESF-1")

    def test_schema_org(self):
        record = json.loads((self.data / "schema-org.jsonld").read_text())
        with h5py.File(self.data / "small.h5") as study:
            columns = list(study["results"].attrs["columns"])
        self.assertEqual([v["name"] for v in record["variableMeasured"]], columns)
        units = {v["name"]: v.get("unitText") for v in record["variableMeasured"]}
        self.assertEqual(units["step_time"], "s")
        self.assertEqual(record["license"], "https://spdx.org/licenses/CC-BY-4.0.html")
        for part in record["distribution"]:
            size = (self.data / part["contentUrl"]).stat().st_size
            self.assertEqual(part["contentSize"], str(size))

    def test_ro_crate_is_flat_and_whole(self):
        crate = json.loads((self.data / "ro-crate-metadata.json").read_text())
        entities = {entity["@id"]: entity for entity in crate["@graph"]}
        self.assertEqual(len(entities), len(crate["@graph"]))
        descriptor = entities["ro-crate-metadata.json"]
        self.assertEqual(descriptor["conformsTo"]["@id"], "https://w3id.org/ro/crate/1.1")
        self.assertEqual(descriptor["about"]["@id"], "./")
        root = entities["./"]
        for needed in ("name", "description", "datePublished", "license"):
            self.assertTrue(root[needed], needed)
        own = {"ro-crate-metadata.json", "manifest-sha256.txt"}
        there = {str(path.relative_to(self.data)) for path in self.files()}
        self.assertEqual({part["@id"] for part in root["hasPart"]}, there - own)
        for entity in crate["@graph"]:
            for key, value in entity.items():
                for one in value if isinstance(value, list) else [value]:
                    if isinstance(one, dict):
                        self.assertEqual(list(one), ["@id"], f"{entity['@id']} {key}")
                        outside = one["@id"].startswith("https://w3id.org/")
                        self.assertTrue(outside or one["@id"] in entities, one)

    def test_citation(self):
        text = (self.data / "CITATION.cff").read_text(encoding="utf-8")
        if not has("yaml"):
            print("left out: CITATION.cff as YAML, no yaml")
            return
        import yaml
        record = yaml.safe_load(text)
        self.assertEqual(record["cff-version"], "1.2.0")
        self.assertEqual(record["authors"][0]["family-names"], "Lovelace")
        self.assertEqual(record["authors"][1], {"name": "CERN"})
        self.assertEqual(record["doi"], "10.5281/zenodo.1234567")
        self.assertEqual(record["license"], "CC-BY-4.0")

    def expected(self):
        """Rows of the study as the copies should have them, by HDF5 alone."""
        with h5py.File(self.data / "small.h5") as study:
            names = list(study["results"].attrs["columns"])
            times = study["results/step_time"][:]
            words = h5py.check_enum_dtype(study["results/status"].dtype)
            status = [{n: w for w, n in words.items()}[v] for v in study["results/status"][:]]
            described = {n: dict(study["results"][n].attrs) for n in names}
        return names, times, status, described

    def expect_same(self, rows, number):
        names, times, status, _ = self.expected()
        self.assertEqual(list(rows[0]), names)
        self.assertEqual(len(rows), len(times))
        for row, time, word in zip(rows, times, status):
            self.assertEqual(row["status"], word)
            read = number(row["step_time"])
            self.assertTrue(read == time or (math.isnan(read) and math.isnan(time)))
        self.assertIn(rows[0]["device"], ("a100-sxm-80gb", "h100-sxm"))
        self.assertEqual(number(rows[-1]["global_batch"]), 128)

    def test_parquet_by_another_reader(self):
        if PROBLEM:
            print(f"left out: Parquet by hyparquet: {PROBLEM}")
            return
        script = Path(__file__).parent / "read_parquet.mjs"
        done = subprocess.run([NODE, script, MODULES, self.data / "small.parquet"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        read = json.loads(done.stdout)
        self.expect_same(read["rows"], lambda v: math.nan if v is None else float(v))
        self.expect_texts(json.loads(read["texts"]["scalesweep"]))
        self.assertEqual(read["columns"]["step_time"]["units"], "s")
        self.assertIn("long_name", read["columns"]["step_time"])

    def expect_texts(self, texts):
        names, _, _, described = self.expected()
        self.assertEqual(texts["license"], "CC-BY-4.0")
        self.assertEqual([column["name"] for column in texts["columns"]], names)
        by_name = {column["name"]: column for column in texts["columns"]}
        self.assertEqual(by_name["step_time"]["units"], described["step_time"]["units"])
        self.assertEqual(by_name["step_time"]["long_name"], described["step_time"]["long_name"])

    def test_parquet_by_libraries_of_python(self):
        file = self.data / "small.parquet"
        for module in ("pyarrow", "duckdb"):
            if not has(module):
                print(f"left out: Parquet by {module}")
        if has("pyarrow"):
            import pyarrow.parquet
            table = pyarrow.parquet.read_table(file)
            self.expect_same(table.to_pylist(), float)
            self.expect_texts(json.loads(table.schema.metadata[b"scalesweep"]))
        if has("duckdb"):
            import duckdb
            answer = duckdb.sql(f"select count(*) from '{file}'").fetchone()
            self.assertEqual(answer[0], len(self.expected()[1]))

    def test_csv_on_the_web(self):
        with open(self.data / "small.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.expect_same(rows, lambda v: float(v) if v else math.nan)
        metadata = json.loads((self.data / "small.csv-metadata.json").read_text())
        self.assertEqual(metadata["url"], "small.csv")
        columns = metadata["tableSchema"]["columns"]
        self.assertEqual([column["name"] for column in columns], list(rows[0]))
        types = {column["name"]: column["datatype"] for column in columns}
        self.assertEqual((types["point_id"], types["device"], types["step_time"]),
                         ("long", "string", "double"))
        for column in columns:
            self.assertEqual(column["titles"][0], column["name"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
