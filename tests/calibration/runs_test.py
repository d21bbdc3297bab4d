#!/usr/bin/env python3
"""Bars of whole runs: both sides, runs that are left out, and the question that is asked of each.

    SCALESWEEP=.../scalesweep SCALESWEEP_SOURCE_DIR=... runs_test.py
"""
import math
import os
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

PROGRAM = os.environ["SCALESWEEP"]
SOURCE = Path(os.environ["SCALESWEEP_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "nodes" / "calibration"))
import measure_runs  # noqa: E402
from measure_runs import Run, bar_of, bars_off, left_out  # noqa: E402


class RunsTest(unittest.TestCase):
    def test_both_sides_have_their_own_width(self):
        times = [math.exp(x) for x in (-0.2, -0.1, 0.1, 0.3, 0.5)]
        bar = bar_of(times)
        self.assertAlmostEqual(math.log(bar.middle), 0.1)
        self.assertAlmostEqual(math.log(bar.middle / bar.low), 0.2 + 0.68 * 0.1)
        self.assertAlmostEqual(math.log(bar.high / bar.middle), 0.2 + 0.68 * 0.2)
        even = measure_runs.even_bar_of(times)
        self.assertAlmostEqual(math.log(even.high / even.middle),
                               math.log(even.middle / even.low))
        squares = measure_runs.squares_of(times)
        self.assertAlmostEqual(math.log(squares.middle / squares.low),
                               math.sqrt(6 / 4) * math.sqrt((0.09 + 0.04) / 2))

    def test_a_factor_scales_the_bar(self):
        times = [0.7, 1.0, 1.2, 1.5, 2.5]
        once, thrice = bar_of(times), bar_of([3 * one for one in times])
        for a, b in zip(once, thrice):
            self.assertAlmostEqual(3 * a, b)

    def test_bars_are_told_by_the_side(self):
        bar = measure_runs.Bar(1.5, 1.2, 3.0)
        self.assertAlmostEqual(bars_off(bar, 3.0), 1.0)
        self.assertAlmostEqual(bars_off(bar, 1.2), 1.0)
        self.assertAlmostEqual(bars_off(bar, 6.0), 2.0)
        self.assertEqual(bars_off(bar, 1.5), 0.0)
        self.assertEqual(bars_off(measure_runs.Bar(1.5, 1.5, 3.0), 1.4), math.inf)

    def test_a_run_that_is_left_out_sets_no_bar(self):
        runs = [Run(str(i), times) for i, times in enumerate((1.0, 1.1, 1.2, 1.3, 9.0))]
        off = left_out(runs)
        self.assertGreater(off[-1], 10.0)
        self.assertLess(bars_off(bar_of([run.times for run in runs]), 9.0), 2.0)
        self.assertEqual(len(off), len(runs))

    def test_few_runs_make_no_bar(self):
        with self.assertRaisesRegex(ValueError, "3 runs; at least 4"):
            bar_of([1.0, 1.1, 1.2])

    def test_asks_by_name_or_by_shape(self):
        row = {"case": "mine", "model": "llama-3-8b", "device": "h100-sxm", "gpus": "64",
               "seq": "8192", "global_batch": "512", "precision": "fp16",
               "tokens_billion": "15000"}
        with tempfile.TemporaryDirectory() as folder:
            words = measure_runs.question(row, folder)
            self.assertEqual(words[words.index("--run-tokens") + 1], "15000 B")
            self.assertEqual(words[words.index("--precision") + 1], "bf16")
            self.assertNotIn("--catalog-add", words)
            shape = dict(row, model="", hidden="4096", layers="32", heads="32", ffn="",
                         vocab="50432", gated_ffn="")
            words = measure_runs.question(shape, folder)
            place = Path(words[words.index("--catalog-add") + 1])
            self.assertIn("[model.run-mine]", place.read_text(encoding="utf-8"))
            self.assertIn("\nffn = 16384\n", place.read_text(encoding="utf-8"))

    def test_the_catalog_has_what_the_runs_say(self):
        with tempfile.TemporaryDirectory() as folder:
            runs = measure_runs.runs_of(PROGRAM, SOURCE / "tests/validation/training-runs.csv",
                                        folder)
        self.assertEqual(len(runs), 8)
        said = bar_of([run.times for run in runs])
        entry = tomllib.loads((SOURCE / "nodes/reliability.toml").read_text(encoding="utf-8"))
        entry = entry["reliability"]["default"]
        for key, value in (("reached", said.middle), ("reached_low", said.low),
                           ("reached_high", said.high)):
            self.assertLess(abs(math.log(entry[key]["value"] / value)), 0.03,
                            f"{key} is {value:.2f} now: write it by measure_runs.py")


if __name__ == "__main__":
    unittest.main()
