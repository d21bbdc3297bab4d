#!/usr/bin/env python3
"""Which lines of a document are commands, and what counts as what it shows of their output.

    documented_test.py PROGRAM SOURCE_FOLDER
"""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import commands_test  # noqa: E402
from documented import (commands_of, difference, first_word, mentions_of,  # noqa: E402
                        without_comment)

PROGRAM, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()


def found(text):
    return [(c.text, c.shown) for c in commands_of("d.md", text)]


class Commands(unittest.TestCase):
    def test_lines_with_a_prompt_have_output(self):
        text = "```\n$ scalesweep a \\\n    --b\nout\n$ tail x\n```"
        self.assertEqual(found(text), [("scalesweep a --b", ["out"]), ("tail x", [])])

    def test_blocks_without_a_prompt_are_commands(self):
        self.assertEqual(found("```\nscalesweep a  # why\n\nmpirun b\n```"),
                         [("scalesweep a  # why", []), ("mpirun b", [])])
        self.assertEqual(found("text\n\n    scalesweep a\n    scalesweep b\n\ntext"),
                         [("scalesweep a", []), ("scalesweep b", [])])
        self.assertEqual(found("```sh\nls\n```"), [("ls", [])])

    def test_loops_are_one_command(self):
        self.assertEqual(found("    for f in *; do\n      ls $f\n    done\n    ls"),
                         [("for f in *; do\nls $f\ndone", []), ("ls", [])])

    def test_output_and_other_languages_are_none(self):
        text = "```\nVerdict: b\n  scalesweep a\n```\n```toml\nscalesweep = 1\n```"
        self.assertEqual(found(text), [])
        self.assertEqual(found("- text\n    scalesweep a, a sentence"), [])

    def test_lines_are_counted_from_the_top(self):
        command, = commands_of("d.md", "# A\n\n```\n$ scalesweep a\nout\n```")
        self.assertEqual((command.line, command.end), (4, 5))

    def test_remarks_are_no_part_of_a_command(self):
        self.assertEqual(without_comment("scalesweep a 'b #c'  # why"), "scalesweep a 'b #c'")
        self.assertEqual(first_word("mpirun a # it's"), "mpirun")


class Shown(unittest.TestCase):
    def test_what_is_printed_is_no_difference(self):
        self.assertIsNone(difference(["a b", "c"], "a\nb c\n"))
        self.assertIsNone(difference(["a", "...", "d"], "a\nb\nc\nd\n"))
        self.assertIsNone(difference(["a", "..."], "a\nb\n"))
        self.assertIsNone(difference(["done in 1.5 ms"], "done in 2 s\n"))

    def test_what_is_not_printed_is_found(self):
        self.assertEqual(difference(["a", "c"], "a\nb\n"), "a c")
        self.assertEqual(difference(["a", "...", "e"], "a\nb\n"), "e")
        self.assertEqual(difference(["a"], "a\nb\n"), "the end")
        self.assertEqual(difference(["b"], "a\nb\n"), "b")


class Mentions(unittest.TestCase):
    def test_commands_in_sentences_are_found(self):
        text = "`scalesweep run A -o B && scalesweep query C --best x`"
        self.assertEqual(list(mentions_of(text)),
                         [(1, "run", ["-o"]), (1, "query", ["--best"])])
        self.assertEqual(list(mentions_of("`scalesweep query a --where '--x y' --best -rate`")),
                         [(1, "query", ["--where", "--best"])])

    def test_those_that_the_program_lacks_are_told(self):
        text = "`scalesweep frobnicate`, `scalesweep run --fast`, `scalesweep run -o X`"
        self.assertEqual(list(commands_test.check_mentions("d.md", text, PROGRAM)),
                         ["d.md:1: there is no command 'scalesweep frobnicate'",
                          "d.md:1: scalesweep run has no option --fast"])

    def test_specs_with_mistakes_are_told(self):
        text = "```toml\nschema = 1\n\n[workload]\nkind = \"trianing\"\n```"
        self.assertIn("trianing", next(commands_test.check_specs("d.md", text, PROGRAM)))


class Running(unittest.TestCase):
    """Documents that are wrong, in a tree of their own."""

    def checked(self, text):
        table = commands_test.Table()
        return commands_test.check_document("d.md", text, PROGRAM, ROOT, table), table

    def test_a_command_that_fails_is_told(self):
        (count, wrong), _ = self.checked("```\n$ scalesweep status gone.h5\n```")
        self.assertEqual(count, 1)
        self.assertIn("d.md:2: scalesweep status gone.h5: ends with 66", wrong[0])

    def test_other_output_than_shown_is_told(self):
        (_, wrong), _ = self.checked("```\n$ scalesweep --version\nscalesweep 99.9\n```")
        self.assertIn("does not print what is shown: 'scalesweep 99.9'", wrong[0])

    def test_output_is_renewed_where_that_is_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "d.md"
            file.write_text("```\n$ a\nold\n...\n$ b\nx\n$ c\n...\nbest 1\n```\n",
                            encoding="utf-8")
            for command, printed in reversed(list(zip(
                    commands_of("d.md", file.read_text(encoding="utf-8")),
                    (["new", "rest"], ["y", "z"], ["progress", "best 2", "end"])))):
                commands_test.update(Path(folder), command, printed)
            self.assertEqual(file.read_text(encoding="utf-8"), "```\n$ a\nnew\n...\n$ b\ny\nz\n"
                             "$ c\n...\nbest 2\nend\n```\n")

    def test_entries_that_nothing_needs_are_told(self):
        table = commands_test.Table()
        idle = list(table.idle({"slurm/README.md"}))
        self.assertTrue(any("no command of slurm/README.md is like" in line for line in idle))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
