#!/usr/bin/env python3
"""Every number of a document that a command stands for is what that command prints.

    numbers_test.py PROGRAM SOURCE_FOLDER [GROUP...]

numbers.toml has the commands. With SCALESWEEP_UPDATE_GOLDEN set, what is printed now replaces the
numbers in the documents. In the sections that numbers.toml names under `audited`, no number with
decimals stands without a command.
"""
import json
import os
import sys
import tomllib
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
from commands_test import Sandbox  # noqa: E402
from tagged_numbers import (formatted, renewed_table, tagged_numbers,  # noqa: E402
                            untagged_decimals, value_in)

PROGRAM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
CHOSEN = sys.argv[3:]
TABLE = tomllib.loads((FOLDER / "numbers.toml").read_text(encoding="utf-8"))
UPDATE = bool(os.environ.get("SCALESWEEP_UPDATE_GOLDEN"))


class Printed:
    """What the commands print, each run once."""

    def __init__(self):
        self.sandbox = Sandbox(PROGRAM, SOURCE)
        path = self.sandbox.environment["PATH"]  # for python3, that which this is run by
        self.sandbox.environment["PATH"] = f"{Path(sys.executable).parent}:{path}"
        self.done = {}

    def run(self, command):
        if command not in self.done:
            code, text = self.sandbox.run(command)
            assert code == 0, f"{command}: {code}\n{text[-2000:]}"
            self.done[command] = text
        return self.done[command]

    def query(self, words):
        """Rows of a query that may be of several lines."""
        command = " ".join(words.split("\n")) + " --format json 2>/dev/null"
        return json.loads(self.run(command))["rows"]

    def value(self, group, name):
        row = TABLE["values"][group]
        for command in row.get("before", []):
            self.run(command)
        return value_in(self.run(row["command"]), row["found"][name], row.get("json", False))


def documents():
    return sorted({name for row in TABLE["values"].values() for name in row["documents"]})


def section_of(text, begin):
    """From the line that begins so to the next of its kind: a heading, or a paragraph in bold."""
    start = text.index(f"\n{begin}") + 1
    kind = "\n**" if begin.startswith("**") else "\n#"
    end = text.find(kind, start + 1)
    heading = text.find("\n#", start + 1)
    ends = [place for place in (end, heading) if place >= 0]
    return start, min(ends, default=len(text))


class Numbers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.printed = Printed()

    @classmethod
    def tearDownClass(cls):
        cls.printed.sandbox.remove()

    def test_are_what_commands_print(self):
        used = set()
        for name in documents():
            path = SOURCE / name
            text, wrong = path.read_text(encoding="utf-8"), []
            for number in reversed(list(tagged_numbers(text))):
                self.assertIn(number.group, TABLE["values"], name)
                self.assertIn(name, TABLE["values"][number.group]["documents"])
                used.add((number.group, number.name))
                if CHOSEN and number.group not in CHOSEN:
                    continue
                now = formatted(self.printed.value(number.group, number.name), number.text)
                if now != number.text:
                    wrong.append(f"{name}: {number.text}, now {now}: {number.group}.{number.name}")
                    text = text[:number.start] + now + text[number.end:]
            if wrong and UPDATE:
                path.write_text(text, encoding="utf-8")
            elif wrong:
                self.fail("SCALESWEEP_UPDATE_GOLDEN=1 renews them:\n" + "\n".join(wrong))
        idle = {(group, name) for group, row in TABLE["values"].items() for name in row["found"]}
        self.assertEqual(idle - used, set(), "no document shows these")

    def test_in_tables_are_those_of_queries(self):
        for row in TABLE["table"]:
            path = SOURCE / row["document"]
            lines, wrong = path.read_text(encoding="utf-8").split("\n"), []
            if CHOSEN and row["name"] not in CHOSEN:
                continue
            for command in row.get("before", []):
                self.printed.run(command)
            rows = self.printed.query(row["query"])
            for number, fresh in renewed_table(lines, row, rows):
                if fresh != lines[number]:
                    wrong.append(f"{row['document']}:{number + 1}: {lines[number]}\nnow: {fresh}")
                    lines[number] = fresh
            if wrong and UPDATE:
                path.write_text("\n".join(lines), encoding="utf-8")
            elif wrong:
                self.fail("SCALESWEEP_UPDATE_GOLDEN=1 renews them:\n" + "\n".join(wrong))

    def test_of_audited_sections_have_a_command(self):
        for row in TABLE.get("audited", []):
            text = (SOURCE / row["document"]).read_text(encoding="utf-8")
            start, end = section_of(text, row["section"])
            stated = set(row.get("stated", []))
            found = [f"{row['document']}:{text.count(chr(10), 0, start + place) + 1}: {number}"
                     for place, number in untagged_decimals(text[start:end])
                     if number not in stated]
            self.assertEqual(found, [], "these have no command")


class Rules(unittest.TestCase):
    def test_numbers_with_a_remark_are_found(self):
        found = list(tagged_numbers("a 1,234.5<!--n g.x-->, 7 and -0.5<!--n g.y-->"))
        self.assertEqual([(n.text, n.group, n.name) for n in found],
                         [("1,234.5", "g", "x"), ("-0.5", "g", "y")])

    def test_a_value_is_written_as_the_one_that_stands_there(self):
        self.assertEqual(formatted(11.919, "12.6"), "11.9")
        self.assertEqual(formatted(12345.6, "9,999"), "12,346")
        self.assertEqual(formatted(1234.0, "1234"), "1234")

    def test_values_are_found_in_text_and_json(self):
        self.assertEqual(value_in("total  1,250 s\n", r"^total +([\d,.]+)", False), 1250.0)
        self.assertEqual(value_in('{"rows": [{"a": 0.5}]}', "rows.0.a * 100", True), 50.0)
        with self.assertRaises(ValueError):
            value_in("nothing", "a([0-9])", False)

    def test_decimals_without_a_command_are_found(self):
        text = "1.5 and 2.5<!--n g.x-->, `3.5`, [a](b4.5.md), GB200, N1.5, 10 %\n```\n6.5\n```\n"
        self.assertEqual([number for _, number in untagged_decimals(text)], ["1.5"])

    def test_cells_of_a_table_are_renewed(self):
        lines = ["| devices | A, B | C | D |", "|---|---|---|---|",
                 "| 8 | 1.5, 2.5 s | 30 % | 2.00 |", "| x | 1 | 2 | 3 |"]
        row = {"header": "| devices |", "rows": {"8": {"n": 8}}, "value": "t",
               "cells": [[{"d": "a"}, {"d": "b"}], [{"d": "a", "value": "p", "times": 100.0}],
                         [{"d": "b", "per": "p"}]]}
        rows = [{"n": 8, "d": "a", "t": 1.25, "p": 0.4}, {"n": 8, "d": "b", "t": 9.96, "p": 0.5}]
        self.assertEqual(list(renewed_table(lines, row, rows)),
                         [(2, "| 8 | 1.2, 10.0 s | 40 % | 19.92 |")])
        with self.assertRaisesRegex(ValueError, "0 rows have"):
            list(renewed_table(lines, row, rows[1:]))

    def test_a_section_ends_where_the_next_begins(self):
        text = "x\n**a** 1\n\ny\n\n**b** 2\n## C\n"
        self.assertEqual(text[slice(*section_of(text, "**a**"))].strip(), "**a** 1\n\ny")
        self.assertEqual(text[slice(*section_of(text, "**b**"))].strip(), "**b** 2")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
