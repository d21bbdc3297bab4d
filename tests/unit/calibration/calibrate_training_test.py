"""The calibration of frameworks: what is least, which rows, and what is written to the catalog.

    calibrate_training_test.py FOLDER_OF_THE_SCRIPTS
"""

import contextlib
import csv
import io
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

SCRIPTS = Path(sys.argv.pop(1))
sys.path.insert(0, str(SCRIPTS))

import calibrate_training as training  # noqa: E402
import calibration  # noqa: E402

CATALOG = """schema = 1
[framework.other]
kernel_share = 0.5

[framework.fsdp]
kernel_share = { value = 0.5, source = "fit", kind = "calibrated" }
attention_share = 0.5
"""

# Answers to `program validate CASES --catalog FOLDER --predictions OUT --json`.
PROGRAM = """#!{python}
import csv, sys
rows = list(csv.DictReader(open(sys.argv[2])))
for row in rows:
    row["predicted_step_time_s"] = str(2.0 * float(row["step_time_s"]))
writer = csv.DictWriter(open(sys.argv[6], "w"), rows[0].keys())
writer.writeheader()
writer.writerows(rows)
"""
COLUMNS = ("case", "source", "device", "gpus", "precision", "hidden", "seq", "step_time_s")


def case(i, share=0.8, source="mosaicml/llm-foundry", measured=True):
    work, attention = 100.0 + 40.0 * (i % 5), 20.0 + 30.0 * (i // 5)
    time = work / share + attention / 0.6 if measured else ""
    return dict(zip(COLUMNS, (f"c{i}", source, "chip", 8, "bf16", work, attention, time)))


class Stack:
    """Instead of the program: `hidden` and `seq` stand for the work of kernels and attention."""

    def __init__(self, program, catalog, rows, folder):
        self.rows = rows

    def predicted_rows(self, fit, constants):
        kernels, attention = constants
        return [
            {**row, "predicted_step_time_s":
                str(float(row["hidden"]) / kernels + float(row["seq"]) / attention)}
            for row in self.rows
        ]


class Folder(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)
        self.write_catalog(CATALOG)

    def write_catalog(self, text):
        (self.folder / "nodes").mkdir(exist_ok=True)
        (self.folder / "nodes" / "frameworks.toml").write_text(text, encoding="utf-8")

    def catalog(self):
        return (self.folder / "nodes" / "frameworks.toml").read_text(encoding="utf-8")

    def write_cases(self, rows):
        with (self.folder / "training-published.csv").open("w", newline="") as out:
            writer = csv.DictWriter(out, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)

    def calibrate(self, rows, *options):
        """What the script prints about fsdp, with the stack above as its program."""
        self.write_cases(rows)
        command = ["calibrate_training.py", "--catalog", str(self.folder / "nodes"),
                   "--cases", str(self.folder), "--framework", "fsdp", *options]
        printed = io.StringIO()
        with mock.patch.object(training, "Program", Stack), \
                mock.patch.object(sys, "argv", command), contextlib.redirect_stdout(printed):
            training.main()
        return printed.getvalue()

    def run_script(self, *options):
        command = [sys.executable, "-B", str(SCRIPTS / "calibrate_training.py"), "--catalog",
                   str(self.folder / "nodes"), *options]
        return subprocess.run(command, env={**os.environ, "SCALESWEEP_CASES": str(self.folder)},
                              capture_output=True, text=True, check=False)


class Calibrates(Folder):
    def test_finds_the_constants_and_writes_only_their_values(self):
        rows = [case(i) for i in range(20)]
        rows += [case(20, source="another"), case(21, measured=False)]
        report = self.folder / "notes" / "training.md"
        printed = self.calibrate(rows, "--apply", "--report", str(report))
        self.assertIn("20 rows of training-published.csv", printed)
        self.assertIn("the catalog takes them", printed)
        found = [calibration.read_value(self.folder / "nodes", place[0])
                 for place in training.places(training.FITS[-1])]
        self.assertAlmostEqual(found[0], 0.8, delta=0.02)
        self.assertAlmostEqual(found[1], 0.6, delta=0.02)
        expected = CATALOG.replace("value = 0.5,", f"value = {found[0]:.3g},")
        expected = expected.replace("attention_share = 0.5", f"attention_share = {found[1]:.3g}")
        self.assertEqual(self.catalog(), expected)
        text = report.read_text(encoding="utf-8")
        self.assertTrue(text.startswith("# Training\n"))
        self.assertIn("Halves hold whole shapes of models,", text)
        self.assertIn("| all rows, each held out | 20 |", text)

    def test_leaves_the_catalog_alone_unless_told(self):
        printed = self.calibrate([case(i) for i in range(20)])
        self.assertIn("the catalog keeps its values", printed)
        self.assertEqual(self.catalog(), CATALOG)

    def test_does_not_write_what_few_rows_say(self):
        printed = self.calibrate([case(i) for i in range(19)], "--apply")
        self.assertIn("fitted to fewer than 10 rows each: the catalog keeps", printed)
        self.assertEqual(self.catalog(), CATALOG)

    def test_does_not_write_what_is_hardly_better(self):
        text = CATALOG.replace("value = 0.5,", "value = 0.801,")
        text = text.replace("attention_share = 0.5", "attention_share = 0.6")
        self.write_catalog(text)
        self.calibrate([case(i) for i in range(20)], "--apply")
        self.assertEqual(self.catalog(), text)

    def test_reads_what_the_program_predicts(self):
        program = self.folder / "program"
        program.write_text(PROGRAM.format(python=sys.executable), encoding="utf-8")
        program.chmod(0o755)
        fit = training.FitPlaces(training.places(training.FITS[-1]))
        rows = [case(1), case(2)]
        made = calibration.Program(str(program), self.folder / "nodes", rows, self.folder / "copy")
        predicted = made.predicted_rows(fit, [0.7, 0.9])
        self.assertEqual([float(row["predicted_step_time_s"]) for row in predicted],
                         [2.0 * row["step_time_s"] for row in rows])
        values = [calibration.read_value(self.folder / "copy" / "nodes", p[0]) for p in fit.places]
        self.assertEqual(values, [0.7, 0.9])
        self.assertEqual(self.catalog(), CATALOG)

    def test_skips_what_has_no_measured_cases_and_says_so(self):
        report = self.folder / "training.md"
        done = self.run_script("--apply", "--report", str(report))
        self.assertEqual(done.returncode, 0, done.stderr)
        for fit in training.FITS:
            self.assertIn(f"{fit.title} skipped; name their folder in SCALESWEEP_CASES",
                          done.stdout)
        self.assertFalse(report.exists())
        self.assertEqual(self.catalog(), CATALOG)

    def test_knows_its_frameworks(self):
        done = self.run_script("--framework", "no-such")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'megatron-lm-2022'", done.stderr)


class Rows(unittest.TestCase):
    def test_of_one_shape_are_in_one_half(self):
        rows = [{"hidden": str(h), "gpus": str(g)} for h in range(10) for g in (1, 8)]
        second = training.halves(rows)
        self.assertEqual(second[0::2], second[1::2])
        self.assertEqual(sum(second), 10)
        self.assertEqual(training.halves(rows[::-1]), second[::-1])

    def test_of_data_sheet_devices_set_nothing(self):
        fit = next(f for f in training.FITS if f.framework == "megatron-bridge")
        rows = [{"device": d, "source": "NVIDIA docs", "step_time_s": "1"}
                for d in ("h100-sxm", "h200-sxm", "b300", "gb300")]
        self.assertEqual([row["device"] for row in training.rows_of(fit, rows)], ["h100-sxm"])

    def test_are_grouped_by_their_parameters(self):
        # GPT-3: 96 layers of 12 h², and a table of 51200 x 12288.
        row = {"hidden": "12288", "layers": "96", "heads": "96", "ffn": "49152", "vocab": "51200",
               "tied_embeddings": "true"}
        self.assertEqual(training.size_of(row), "100 billion and more")
        self.assertEqual(training.size_of({**row, "layers": "48"}), "below 100 billion")
        self.assertEqual(training.layer_weights(row), 12.0 * 12288.0**2)

    def test_are_grouped_by_columns_together(self):
        row = {"tp": "2", "micro_batch": "", "hidden": "1024"}
        self.assertEqual(training.group_of(row, "hidden x tp x micro_batch"), "1024 x 2 x 1")

    def test_are_grouped_by_their_share_of_the_peak(self):
        # One layer without vocabulary: 3 x 1000 tokens x (2 x 12 h² + 4 x 1000 h) FLOP.
        row = {"hidden": "1000", "layers": "1", "heads": "8", "ffn": "4000", "vocab": "0",
               "seq": "1000", "global_batch": "1", "gpus": "1"}
        flop = 3e3 * (24e6 + 4e6)
        at = {True: flop / 0.051 / 989.4e12, False: flop / 0.049 / 989.4e12}
        self.assertEqual(training.utilization_of({**row, "step_time_s": str(at[True])}),
                         "5 % of peak and more")
        self.assertEqual(training.utilization_of({**row, "step_time_s": str(at[False])}),
                         "below 5 % of peak")


class Measures(unittest.TestCase):
    def test_distance_is_even_on_both_sides_and_one_at_most(self):
        self.assertAlmostEqual(training.distance("2", "2.2"), math.log(1.1))
        self.assertAlmostEqual(training.distance("2.2", "2"), math.log(1.1))
        self.assertEqual(training.distance("1", "100"), 1.0)
        self.assertEqual(training.distance("1", ""), 1.0)

    def test_gain_is_the_smaller_of_two(self):
        fit = training.FITS[-1]

        def rows(*predicted):
            return [{"step_time_s": "1", "predicted_step_time_s": str(p)} for p in predicted]

        self.assertAlmostEqual(training.gain_of(fit, rows(1.2), rows(1.1)), math.log(1.2 / 1.1))
        # Nearer by the logarithm, farther in per cent.
        self.assertLess(training.gain_of(fit, rows(0.8), rows(1.22)), 0.0)

    def test_groups_are_in_the_order_of_numbers(self):
        cells = ["100 billion and more", "16", "below 3 billion", "2", "below 10 billion"]
        self.assertEqual(sorted(cells, key=training.order),
                         ["2", "16", "below 3 billion", "below 10 billion",
                          "100 billion and more"])


class Search(unittest.TestCase):
    def test_finds_a_kink_within_limits(self):
        def function(at):
            return abs(math.log(at[0] / 7.0)) + abs(math.log(at[1] / 3.0))

        at, best = calibration.coordinate_search(function, [1.0, 1.0], [(0.1, 100.0), (0.1, 2.0)])
        self.assertAlmostEqual(at[0], 7.0, delta=0.2)
        self.assertEqual(at[1], 2.0)
        self.assertEqual(best, function(at))


if __name__ == "__main__":
    unittest.main()
