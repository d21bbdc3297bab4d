#!/usr/bin/env python3
"""The calibration of all-reduces of libraries: rows of a kernel, and a fit that finds constants."""

import math
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "nodes" / "calibration"))

import calibrate_all_reduce as all_reduce  # noqa: E402
import calibrate_libraries as libraries  # noqa: E402

CATALOG = """[library.fast-one]
library = { value = "fast 1.0", source = "paper", kind = "published" }
kernels = "collectives"
device = "one"

[library.fast-one.all_reduce.one_shot]
latency = "3 us"
peer_latency = "0.2 us"
share = 0.5

[library.fast-one.all_reduce.one_shot.up_to]
2 = "1000000 B"
8 = { value = "100000 B", source = "paper", kind = "published" }

[library.fast-one.all_reduce.two_shot]
latency = "3 us"
peer_latency = "0.2 us"
share = 0.5

[library.fast-one.all_reduce.two_shot.up_to]
8 = "1000000 B"

[library.fast-two]
like = "fast-one"
device = "two"

[library.fast-two.all_reduce.one_shot.up_to]
8 = "200000 B"
"""
TRUE = {"one_shot": (2.5, 0.15, 0.7), "two_shot": (9.0, 0.4, 0.6)}


def time_of(kernel, constants, row):
    latency, peer_latency, share = constants
    peers = int(row["gpus"]) - 1
    sent = peers if kernel == "one_shot" else 2.0 * peers / (peers + 1)
    return latency + peers * peer_latency + sent * float(row["bytes"]) / share / 1e6


class Program:
    """Of a catalog in a folder, as the program would read it."""

    def __init__(self, catalog, rows):
        self.catalog, self.rows = catalog, rows

    def shipped_rows(self):
        found = all_reduce.kernels_of(self.catalog)
        times = []
        for row in self.rows:
            [lib] = [lib for lib in found if lib.has(row)]
            section = f"library.{lib.entry}.all_reduce.{lib.kernel}"
            constants = [libraries.read_value(self.catalog,
                                              libraries.Place(all_reduce.FILE, section, key, unit))
                         for key, unit, _, _ in all_reduce.CONSTANTS]
            times.append({"predicted_time_s": time_of(lib.kernel, constants, row)})
        return times


def row_of(device, gpus, size, library="fast 1.0"):
    return {"case": f"{device} {gpus} {size}", "library": library, "device": device,
            "gpus": str(gpus), "bytes": str(size)}


class AllReduce(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.catalog = pathlib.Path(self.folder.name)
        (self.catalog / all_reduce.FILE).write_text(CATALOG, encoding="utf-8")

    def kernels(self, row):
        return [lib.kernel for lib in all_reduce.kernels_of(self.catalog) if lib.has(row)]

    def test_rows_are_of_the_kernel_that_is_launched(self):
        self.assertEqual(self.kernels(row_of("one", 8, 100000)), ["one_shot"])
        self.assertEqual(self.kernels(row_of("one", 8, 100001)), ["two_shot"])
        self.assertEqual(self.kernels(row_of("one", 5, 100001)), ["two_shot"])
        self.assertEqual(self.kernels(row_of("two", 8, 150000)), ["one_shot"])
        self.assertEqual(self.kernels(row_of("two", 2, 1000000)), ["one_shot"])
        self.assertEqual(self.kernels(row_of("one", 4, 10)), [])
        self.assertEqual(self.kernels(row_of("one", 8, 2000000)), [])
        self.assertEqual(self.kernels(row_of("three", 8, 10)), [])
        self.assertEqual(self.kernels(row_of("one", 8, 10, "fast 1.1")), [])

    def test_the_search_finds_what_made_the_rows(self):
        rows = [row_of(device, gpus, 2 ** i) for device in ("one", "two") for gpus in (2, 8)
                for i in range(8, 20)]
        found = all_reduce.kernels_of(self.catalog)
        for row in rows:
            [kernel] = self.kernels(row)
            row["time_s"] = time_of(kernel, TRUE[kernel], row)
        libraries.Fitter(Program(self.catalog, rows), found, rows, lambda row: True, 40).search()
        for lib in found:
            fitted = lib.bounded(lib.at)
            if lib.kernel == "one_shot":
                for value, expected in zip(fitted, TRUE[lib.kernel]):
                    self.assertAlmostEqual(math.log(value / expected), 0.0, delta=0.05)
            else:  # eight devices alone: two fixed times are one
                fixed = fitted[0] + 7.0 * fitted[1]
                self.assertAlmostEqual(fixed, 9.0 + 7.0 * 0.4, delta=0.4)
                self.assertAlmostEqual(fitted[2], 0.6, delta=0.03)


if __name__ == "__main__":
    unittest.main()
