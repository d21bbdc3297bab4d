#!/usr/bin/env python3
"""The calibration of libraries of experts: rows of an entry, and a fit that finds constants."""

import math
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "nodes" / "calibration"))

import calibrate_experts as experts  # noqa: E402
import calibrate_libraries as libraries  # noqa: E402
from fast_library import ENTRIES  # noqa: E402

TRUE = (25.0, 0.6, 0.7, 5.0)


def times(constants, rows):
    latency, sustained, share, passes = constants
    return [latency + float(row["flop"]) / sustained + float(row["weights"]) / share
            + passes * float(row["tokens"]) for row in rows]


class Program:
    """Of a catalog in a folder, as the program would read it."""

    def __init__(self, catalog, rows):
        self.catalog, self.rows = catalog, rows

    def shipped_rows(self):
        [found] = experts.experts_of(self.catalog)
        constants = [libraries.read_value(self.catalog, place) for place in found.places()]
        return [{"predicted_time_s": time} for time in times(constants, self.rows)]


def cases():
    rows = []
    for i in range(40):
        rows.append({"case": f"row {i}", "library": "fast 1.0", "device": ("one", "two")[i % 2],
                     "precision": "nvfp4", "weight_precision": "", "flop": 2.0 ** (i % 9),
                     "weights": 3.0 ** (i % 5), "tokens": 2.0 ** (i % 4) - 1.0})
    for row, time in zip(rows, times(TRUE, rows)):
        row["time_s"] = time
    return rows


class Experts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.catalog = pathlib.Path(self.folder.name)
        (self.catalog / experts.FILE).write_text(ENTRIES, encoding="utf-8")

    def tearDown(self):
        self.folder.cleanup()

    def test_an_entry_has_rows_of_its_formats_on_devices_that_are_like_its_own(self):
        [found] = experts.experts_of(self.catalog)
        self.assertEqual(found.devices, ("one", "two"))
        row = cases()[1]
        self.assertTrue(found.has(row))
        self.assertFalse(found.has(dict(row, device="three")))
        self.assertFalse(found.has(dict(row, precision="fp8")))
        self.assertFalse(found.has(dict(row, weight_precision="mxfp4")))
        self.assertFalse(found.has(dict(row, library="slow 1.0")))

    def test_constants_that_made_the_times_are_found_again(self):
        rows = cases()
        found = experts.experts_of(self.catalog)
        program = Program(self.catalog, rows)
        libraries.Fitter(program, found, rows, lambda row: True, experts.ITERATIONS).search()
        for value, true in zip(found[0].bounded(found[0].at), TRUE):
            self.assertLess(abs(math.log(value / true)), 0.05)

    def test_constants_stay_inside_their_limits(self):
        [found] = experts.experts_of(self.catalog)
        found.write(self.catalog, [20.0] * 4)
        text = (self.catalog / experts.FILE).read_text(encoding="utf-8")
        self.assertIn("tensor_sustained = 1\n", text)
        self.assertIn('layer_latency = "200 us"', text)


if __name__ == "__main__":
    unittest.main()
