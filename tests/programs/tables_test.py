#!/usr/bin/env python3
"""The tables of the tree are well-formed, sorted, and of the versions that programs.toml has."""
import re
import sys
import tomllib
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import replay
from reading import rows

HERE = Path(__file__).resolve().parent
KIND = re.compile(r"^(switch|value|optional|list|repeated|key|[1-9] values)( required)?$")
PLACE = re.compile(r"^([1-9]\d*):[1-9]\d*$")
NAME = re.compile(r"^(--?[A-Za-z]|[A-Za-z_])[\w.-]*$")


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tables = {path.stem: rows.read(path) for path in (HERE / "tables").glob("*.tsv")}
        cls.plans = tomllib.loads((HERE / "programs.toml").read_text(encoding="utf-8"))

    def each(self):
        for name, table in sorted(self.tables.items()):
            with self.subTest(name):
                yield name, table

    def test_each_version_of_the_plans_has_one_and_no_other(self):
        planned = {f"{program}@{version}" for program, plan in self.plans.items()
                   for version in plan["versions"]}
        self.assertEqual(planned, set(self.tables))
        self.assertEqual(set(self.plans), set(replay.FORMS))

    def test_headers_say_where_it_is_from(self):
        for name, table in self.each():
            self.assertEqual(name, f"{table.program}@{table.version}")
            self.assertEqual(len(table.header["repository"]), len(table.header["commit"]))
            for commit in table.header["commit"]:
                self.assertRegex(commit, r"^[0-9a-f]{40}$")
            self.assertEqual(table.header["source"], sorted(set(table.header["source"])))

    def test_rows_are_sorted_and_each_name_stands_once(self):
        for _, table in self.each():
            first = [row.names[0] for row in table.rows]
            self.assertEqual(first, sorted(set(first)))
            names = [name for row in table.rows for name in set(row.names)]
            self.assertEqual(sorted(names), sorted(set(names)))

    def test_cells_are_well_formed(self):
        for _, table in self.each():
            sources = len(table.header["source"])
            for row in table.rows:
                for name in row.names:
                    self.assertRegex(name, NAME)
                self.assertRegex(row.kind, KIND)
                self.assertLessEqual(len(row.default), 60)
                if row.kind.startswith("switch"):
                    self.assertEqual((row.type, row.choices), ("", None), row.names)
                if row.choices is not None:
                    self.assertEqual(len(row.choices), len(set(row.choices)), row.names)
                if row.place:
                    self.assertRegex(row.place, PLACE)
                    self.assertLessEqual(int(row.place.partition(":")[0]), sources)
                else:
                    self.assertEqual(row.type, "table", row.names)

    def test_the_readme_has_all_versions_and_their_sizes(self):
        text = (HERE / "README.md").read_text(encoding="utf-8")
        there = set(re.findall(r"^\| ([a-z-]+) \| (\S+) \| ([0-9a-f]{8}) \| (\d+) \|", text, re.M))
        made = {(table.program, table.version, table.header["commit"][0][:8],
                 str(len(table.rows))) for table in self.tables.values()}
        self.assertEqual(there, made)

    def test_no_table_is_a_part_of_what_it_was(self):
        for name, table in self.each():
            self.assertGreater(len(table.rows), 100, name)


if __name__ == "__main__":
    unittest.main()
