#!/usr/bin/env python3
"""The calibration of libraries of attention: rows of an entry, and a fit that finds constants."""

import math
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "nodes" / "calibration"))

import calibrate_attention_libraries as attention  # noqa: E402
import calibrate_libraries as libraries  # noqa: E402
from calibration import Place, read_value  # noqa: E402

DEVICES = """[device.one]
vector_peak = "60 TFLOP/s"

[device.two]
vector_peak = "90 TFLOP/s"
"""
ENTRY = """
[library.fast-{device}]
library = {{ value = "fast 1.0", source = "paper", kind = "published" }}
kernels = "attention"
device = "{device}"

[library.fast-{device}.attention]
narrow_products = false
{constants}
"""
LIKE = """
[library.fast-three]
like = "fast-one"
device = "three"
"""
TRUE = (9.0, 3.0, 20.0, 8.0, 1.0, 4.0, 12.0, 1.5, 5.0, 8.0)


class Program:
    """Of a catalog in a folder, as the program would read it: a sum over its constants."""

    def __init__(self, catalog, rows):
        self.catalog, self.rows = catalog, rows

    def constants(self, device):
        return [read_value(self.catalog, Place(attention.FILE, f"library.fast-{device}.attention",
                                               key, unit))
                for key, unit, _, _ in attention.CONSTANTS]

    def shipped_rows(self):
        found = {device: self.constants(device) for device in ("one", "two")}
        return [{"predicted_time_s": sum(c * w for c, w in zip(found[row["device"]], row["work"]))}
                for row in self.rows]


class AttentionLibraries(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.catalog = pathlib.Path(self.folder.name)
        constants = "\n".join(f'{key} = "{start} {unit}"' if unit else f"{key} = {start}"
                              for key, unit, _, start in attention.CONSTANTS)
        text = "".join(ENTRY.format(device=device, constants=constants)
                       for device in ("one", "two"))
        (self.catalog / attention.FILE).write_text(text + LIKE, encoding="utf-8")
        (self.catalog / attention.DEVICES).write_text(DEVICES, encoding="utf-8")

    def tearDown(self):
        self.folder.cleanup()

    def test_entries_that_differ_in_the_device_are_one_library(self):
        [found] = attention.attention_of(self.catalog)
        self.assertEqual(found.name, "fast")
        self.assertEqual(found.entries, {"one": "fast-one", "two": "fast-two"})
        self.assertEqual(found.factor, {"one": 1.0, "two": 1.5})
        self.assertTrue(found.has({"library": "fast 1.0", "device": "two"}))
        self.assertFalse(found.has({"library": "fast 1.0", "device": "three"}))
        self.assertFalse(found.has({"library": "slow 1.0", "device": "two"}))

    def test_what_counts_vector_flop_scales_with_the_vector_rate(self):
        [found] = attention.attention_of(self.catalog)
        found.write(self.catalog, [math.log(value) for value in TRUE])
        one, two = (Program(self.catalog, []).constants(device) for device in ("one", "two"))
        for (key, _, _, _), first, second in zip(attention.CONSTANTS, one, two):
            self.assertAlmostEqual(second / first, 1.5 if key in attention.PER_FLOP else 1.0, 2)

    def test_constants_that_made_the_times_are_found_again(self):
        rows = []
        for i in range(120):
            work = [2.0 ** ((i * (k + 3)) % 7) if (i + k) % 3 else 0.01 for k in range(len(TRUE))]
            rows.append({"case": f"row {i}", "library": "fast 1.0", "device": ("one", "two")[i % 2],
                         "work": work})
        [found] = attention.attention_of(self.catalog)
        program = Program(self.catalog, rows)
        found.write(self.catalog, [math.log(value) for value in TRUE])
        for row, made in zip(rows, program.shipped_rows()):
            row["time_s"] = made["predicted_time_s"]
        libraries.Fitter(program, [found], rows, lambda row: True, attention.ITERATIONS).search()
        for value, true in zip(found.bounded(found.at), TRUE):
            self.assertLess(abs(math.log(value / true)), 0.05)


if __name__ == "__main__":
    unittest.main()
