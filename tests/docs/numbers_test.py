#!/usr/bin/env python3
"""Every number of a document that a command stands for is what that command prints.

    numbers_test.py PROGRAM SOURCE_FOLDER [GROUP...]

The tables of numbers/ have the commands. With SCALESWEEP_UPDATE_GOLDEN set, what is printed now
replaces the numbers in the documents. Every table of a document that has columns of numbers is held
or exempt with a reason, and in the sections that are named under `audited` no result stands in a
sentence without a command. What needs measured cases that do not ship (`cases`) is told where they
lack, and what runs for minutes (`long`) where SCALESWEEP_LONG is not set.
"""
import fnmatch
import json
import os
import re
import sys
import tomllib
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1] / "docs"))
sys.path.insert(0, str(FOLDER))
from build import git  # noqa: E402
from commands_test import Sandbox  # noqa: E402
from documents import tracked_documents  # noqa: E402
from number_places import printed_table, renewed_table, value_at  # noqa: E402
from numeric_tables import numeric_tables  # noqa: E402
from tagged_numbers import (at_path, formatted, tagged_numbers, untagged_results,  # noqa: E402
                            value_in)

PROGRAM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
CHOSEN = sys.argv[3:]
UPDATE = bool(os.environ.get("SCALESWEEP_UPDATE_GOLDEN"))
LONG = bool(os.environ.get("SCALESWEEP_LONG"))
RENEWS = "SCALESWEEP_UPDATE_GOLDEN=1 renews them:\n"


def read_tables():
    """All files of numbers/ as one table."""
    whole = {"source": {}, "values": {}, "table": [], "audited": [], "exempt": []}
    for path in sorted((FOLDER / "numbers").glob("*.toml")):
        for kind, content in tomllib.loads(path.read_text(encoding="utf-8")).items():
            if isinstance(content, list):
                whole[kind] += content
            else:
                twice = whole[kind].keys() & content.keys()
                assert not twice, f"{path}: {twice} stands twice"
                whole[kind] |= content
    return whole


TABLE = read_tables()


class Printed:
    """What the commands print, each run once."""

    def __init__(self):
        self.sandbox = Sandbox(PROGRAM, SOURCE)
        environment = self.sandbox.environment  # for python3, that which this is run by
        environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
        environment.setdefault("SCALESWEEP_CASES", str(SOURCE.parent / "shared/validation"))
        self.has_cases = any(Path(environment["SCALESWEEP_CASES"]).glob("*.csv"))
        self.done, self.parsed, self.told = {}, {}, set()

    def run(self, command):
        command = re.sub(r"\s*\n\s*", " ", command.strip())
        if command not in self.done:
            code, text = self.sandbox.run(command, 1800 if LONG else 120)
            assert code == 0, f"{command}: {code}\n{text[-2000:]}"
            self.done[command] = text
        return self.done[command]

    def why_not(self, name, row):
        """Why a row of numbers/ is not checked here, or None; it is told once."""
        source, why = source_of(row), None
        if source.get("cases") and not self.has_cases:
            why = f"no measured cases in {self.sandbox.environment['SCALESWEEP_CASES']}"
        if source.get("long") and not LONG:
            why = "runs for minutes: SCALESWEEP_LONG=1"
        if why and (name, why) not in self.told:
            self.told.add((name, why))
            print(f"{name}: not checked: {why}")
        return why

    def text(self, source):
        for command in source.get("before", []):
            self.run(command)
        return self.run(source["command"])

    def rows(self, source):
        """Rows of a query, or of a command that prints JSON those at a path."""
        if "query" in source:
            source = source | {"command": source["query"] + " --format json", "at": "rows"}
        command = source["command"] + " 2>/dev/null"
        if command not in self.parsed:
            self.parsed[command] = json.loads(self.text(source | {"command": command}))
        found = at_path(self.parsed[command], source["at"])
        return found if isinstance(found, list) else [found]

    def value(self, row, found):
        source = source_of(row)
        if isinstance(found, dict):
            return value_at(self.rows(source), found, defaults(row))
        return value_in(self.text(source), found, source.get("json", False))


def source_of(row):
    return TABLE["source"][row["source"]] | row if "source" in row else row


def defaults(row):
    row = source_of(row)
    kept = ("value", "sign", "keys", "times", "form", "per")
    return {**row.get("where", {}), **{key: row[key] for key in kept if key in row}}


def read(name):
    return (SOURCE / name).read_text(encoding="utf-8")


def kept_records(row):
    """Numbers of a document that is the record of what was measured once, by name."""
    numbers = tagged_numbers(read(row["kept"]))
    return {f"{number.group}.{number.name}": number.text for number in reversed(list(numbers))}


def section_of(text, begin):
    """From the line that begins so to the next of its kind: a heading of its level or above, or a
    paragraph in bold."""
    start = text.index(f"\n{begin}") + 1
    if begin.startswith("**"):
        ends = [text.find(kind, start + 1) for kind in ("\n**", "\n#")]
    else:
        level = len(begin) - len(begin.lstrip("#"))
        ends = [text.find("\n" + "#" * (n + 1) + " ", start + 1) for n in range(level)]
    return start, min([place for place in ends if place >= 0], default=len(text))


class Numbers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.printed = Printed()

    @classmethod
    def tearDownClass(cls):
        cls.printed.sandbox.remove()

    def fresh(self, number):
        """A number of a document as it should be; None where that is not known here."""
        row = TABLE["values"][number.group]
        if CHOSEN and number.group not in CHOSEN:
            return None
        if "kept" in row:
            records = kept_records(row)
            self.assertIn(f"{number.group}.{number.name}", records, row["kept"])
            return records[f"{number.group}.{number.name}"]
        if self.printed.why_not(number.group, row):
            return None
        found = row["found"][number.name]
        sign = found.get("sign", row.get("sign")) if isinstance(found, dict) else None
        return formatted(self.printed.value(row, found), number.text, sign)

    def test_are_what_commands_print(self):
        used, wrong = set(), []
        for name in tracked_documents(SOURCE, git):
            text, before = read(name), len(wrong)
            for number in reversed(list(tagged_numbers(text))):
                self.assertIn(number.group, TABLE["values"], name)
                used.add((number.group, number.name))
                now = self.fresh(number)
                if now not in (None, number.text):
                    wrong.append(f"{name}: {number.text}, now {now}: {number.group}.{number.name}")
                    text = text[:number.start] + now + text[number.end:]
            if UPDATE and len(wrong) > before:
                (SOURCE / name).write_text(text, encoding="utf-8")
        self.assertTrue(UPDATE or not wrong, RENEWS + "\n".join(wrong))
        idle = {(group, name) for group, row in TABLE["values"].items()
                for name in row.get("found", [])}
        self.assertEqual(idle - used, set(), "no document shows these")

    def number_of(self, row):
        """What finds the number of a place in what the commands of a table print."""
        source = source_of(row)

        def of_place(place):
            command = source["command"].replace("{}", place["of"])
            there = {**source, "command": command}
            return value_in(self.printed.text(there), place["text"], False) if "text" in place \
                else value_at(self.printed.rows(there), place)

        if "{}" in source.get("command", ""):
            return of_place
        rows = self.printed.rows(source)
        return lambda place: value_at(rows, place)

    def fresh_lines(self, lines, row):
        if row.get("printed"):
            yield from printed_table(lines, row, self.printed.text(row))
        else:
            yield from renewed_table(lines, defaults(row) | row, self.number_of(row))

    def test_in_tables_are_those_of_queries(self):
        wrong = []
        for row in TABLE["table"]:
            path = SOURCE / row["document"]
            lines, before = read(row["document"]).split("\n"), len(wrong)
            if CHOSEN and row["name"] not in CHOSEN:
                continue
            if self.printed.why_not(row["name"], row):
                continue
            for number, fresh in self.fresh_lines(lines, row):
                if fresh != lines[number]:
                    wrong.append(f"{row['document']}:{number + 1}: {lines[number]}\nnow: {fresh}")
                    lines[number] = fresh
            if UPDATE and len(wrong) > before:
                path.write_text("\n".join(lines), encoding="utf-8")
        self.assertTrue(UPDATE or not wrong, RENEWS + "\n".join(wrong))

    def test_of_audited_sections_have_a_command(self):
        wrong = []
        for row in TABLE["audited"]:
            text = read(row["document"])
            start, end = section_of(text, row["section"]) if "section" in row else (0, len(text))
            stated = set(row.get("stated", []))
            found = list(untagged_results(text[start:end]))
            wrong += [f"{row['document']}:{text.count(chr(10), 0, start + place) + 1}: {number}"
                      for place, number in found if number not in stated]
            idle = stated - {number for _, number in found}
            self.assertEqual(idle, set(), f"{row['document']} does not state these")
        if wrong:
            self.fail("these have no command:\n" + "\n".join(wrong))

    def test_in_tables_are_held_or_exempt(self):
        held = {(row["document"], row["header"]) for row in TABLE["table"]}
        free, used, wrong = TABLE["exempt"], set(), []
        for name in tracked_documents(SOURCE, git):
            for line, header, tagged in numeric_tables(read(name)):
                if tagged or any(name == document and header.startswith(begin)
                                 for document, begin in held):
                    continue
                fit = [n for n, row in enumerate(free) if fnmatch.fnmatch(name, row["document"])
                       and header.startswith(row.get("header", "|"))]
                used |= set(fit)
                if not fit:
                    wrong.append(f"{name}:{line}: {header}")
        if wrong:
            self.fail("neither a command nor a reason in tests/docs/numbers:\n" + "\n".join(wrong))
        idle = [row for n, row in enumerate(free) if n not in used]
        self.assertEqual(idle, [], "no table needs these")


class Rules(unittest.TestCase):
    def test_numbers_with_a_remark_are_found(self):
        found = list(tagged_numbers("a 1,234.5<!--n g.x-->, 7 and -0.5<!--n g.y.z-->"))
        self.assertEqual([(n.text, n.group, n.name) for n in found],
                         [("1,234.5", "g", "x"), ("-0.5", "g", "y.z")])

    def test_a_value_is_written_as_the_one_that_stands_there(self):
        self.assertEqual(formatted(11.919, "12.6"), "11.9")
        self.assertEqual(formatted(12345.6, "9,999"), "12,346")
        self.assertEqual(formatted(1234.0, "1234"), "1234")
        self.assertEqual([formatted(value, "+1.0", "−") for value in (2, -3.06, -0.04)],
                         ["+2.0", "−3.1", "0.0"])

    def test_values_are_found_in_text_and_json(self):
        self.assertEqual(value_in("total  1,250 s\n", r"^total +([\d,.]+)", False), 1250.0)
        self.assertEqual(value_in('{"rows": [{"a": 0.5}]}', "rows.0.a * 100", True), 50.0)
        with self.assertRaises(ValueError):
            value_in("nothing", "a([0-9])", False)

    def test_values_are_found_in_rows(self):
        rows = [{"d": d, "n": n, "t": t} for d, n, t in
                (("a", 1, 8.0), ("a", 2, 4.0), ("b", 1, 6.0), ("b", 2, 2.0), ("c", 3, 1.0))]
        self.assertEqual(value_at(rows, {"d": "a", "n": 2, "value": "t", "times": 3}), 12)
        self.assertEqual(value_at(rows, {"d": "b", "n": 1, "value": "t", "over": {"d": "a"},
                                         "form": "less %"}), 25)
        faster = {"d": ["b", "c"], "value": "t", "over": {"d": "a"}, "keys": ["d", "n"]}
        self.assertEqual([value_at(rows, {**faster, "pick": pick}) for pick in ("least", "most")],
                         [0.5, 0.75])
        self.assertEqual(value_at(rows, {"n": 1, "value": "t", "pick": "mean"}), 7)
        self.assertEqual(value_at(rows, {"n": 1, "pick": "count"}), 2)
        with self.assertRaisesRegex(ValueError, "2 rows have"):
            value_at(rows, {"n": 1, "value": "t"})
        with self.assertRaisesRegex(ValueError, "no row to compare"):
            value_at(rows, {"d": "c", "value": "t", "over": {"d": "a"}, "keys": ["d", "n"]})

    def test_results_without_a_command_are_found(self):
        text = "1.5 and 2.5<!--n g.x-->, `3.5`, [a](b4.5.md), GB200, N1.5, 10 %, 3 x\n" \
            "```\n6.5\n```\n| 7.5 |\n"
        self.assertEqual([number for _, number in untagged_results(text)], ["1.5", "10"])

    def test_cells_of_a_table_are_renewed(self):
        lines = ["| devices | A, B | C | D |", "|---|---|---|---|",
                 "| 8 | 1.5, 2.5 s | 30 % | 2.00 |", "| x | 1 | 2 | 3 |"]
        row = {"header": "| devices |", "rows": {"8": {"n": 8}}, "value": "t",
               "cells": [[{"d": "a"}, {"d": "b"}], [{"d": "a", "value": "p", "times": 100.0}],
                         [{"d": "b", "per": "p"}]]}
        rows = [{"n": 8, "d": "a", "t": 1.25, "p": 0.4}, {"n": 8, "d": "b", "t": 9.96, "p": 0.5}]

        def renewed(row, rows=tuple(rows)):
            return list(renewed_table(lines, row, lambda place: value_at(rows, place)))

        self.assertEqual(renewed(row), [(2, "| 8 | 1.2, 10.0 s | 40 % | 19.92 |")])
        with self.assertRaisesRegex(ValueError, "0 rows have"):
            renewed(row, rows[1:])
        listed = {"header": "| devices |", "rows": {"8": [{"d": "a"}, {"d": "b"}]},
                  "columns": [{"value": "t"}]}
        self.assertEqual(renewed(listed), [(2, "| 8 | 1.2, 10.0 s | 30 % | 2.00 |")])
        whole = listed | {"rows": {"8": [{"d": "a"}]}, "columns": [{"value": "d", "whole": True}]}
        self.assertEqual(renewed(whole), [(2, "| 8 | a | 30 % | 2.00 |")])
        second = row | {"label": 1, "rows": {"1.5, 2.5 s": {"n": 8}}, "cells": [[{"d": "b"}]]}
        self.assertEqual(renewed(second), [(2, "| 8 | 1.5, 2.5 s | 10 % | 2.00 |")])
        with self.assertRaisesRegex(ValueError, "no rows"):
            renewed(row | {"rows": {"9": {}}})
        with self.assertRaisesRegex(ValueError, "has no number for"):
            renewed(listed | {"rows": {"8": [{"d": "a"}] * 3}})

    def test_tables_that_are_printed_take_their_place(self):
        lines, row = ["| a | b |", "|---|---|", "| x | 1 |"], {"header": "| a |"}
        self.assertEqual(list(printed_table(lines, row, "| a | b |\n|---|---|\n| x | 2 |\n")),
                         [(2, "| x | 2 |")])
        with self.assertRaisesRegex(ValueError, "1 rows, 0 are printed"):
            list(printed_table(lines, row, "| a | b |\n|---|---|\n"))

    def test_tables_of_numbers_are_found(self):
        table = "| a | b | c |\n|---|---|---|\n| 1 | {} | x |\n| 2 | 4 s | y |\n"
        text = table.format("3 %") + "\n" + table.format("z") + "\n<!-- keys -->\n" \
            + table.format("3") + "<!-- end -->\n"
        self.assertEqual([(line, tagged) for line, _, tagged in numeric_tables(text)], [(1, False)])
        tagged = table.format("3<!--n g.x-->").replace("4", "4<!--n g.y-->")
        self.assertEqual([tagged for _, _, tagged in numeric_tables(tagged)], [True])

    def test_a_section_ends_where_the_next_begins(self):
        text = "x\n**a** 1\n\ny\n\n**b** 2\n## C\n### D\nd\n## E\n"
        self.assertEqual(text[slice(*section_of(text, "**a**"))].strip(), "**a** 1\n\ny")
        self.assertEqual(text[slice(*section_of(text, "**b**"))].strip(), "**b** 2")
        self.assertEqual(text[slice(*section_of(text, "## C"))].strip(), "## C\n### D\nd")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
