#!/usr/bin/env python3
"""The table of nodes/calibration/measure_efficiency.py."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "nodes/calibration"))
import measure_efficiency  # noqa: E402  (from the folder above)

RATES = {"chip": {"bf16": 100e12, "dram.bandwidth": 1e12}}


def gemm(m, n, k, time_s, predicted_s, precision="bf16"):
    return {"device": "chip", "precision": precision, "m": m, "n": n, "k": k, "time_s": time_s,
            "predicted_time_s": predicted_s}


class MeasureEfficiency(unittest.TestCase):
    def test_large_shapes_are_measured_by_the_peak(self):
        # 2 x 5000^3 FLOP at 100 TFLOP/s: 2.5 ms.
        rows = [gemm(5000, 5000, 5000, 5e-3, 2.5e-3)] * 8
        self.assertEqual(measure_efficiency.table(rows, RATES)[2:],
                         ["| chip | bf16 | all sides 4096 and more | 8 | 50 % | 100 % |"])

    def test_few_rows_are_measured_by_the_bandwidth(self):
        # 2 (8 x 1000 + 1000 x 1000 + 8 x 1000) B at 1 TB/s: 2.032 us.
        rows = [gemm(8, 1000, 1000, 4.064e-6, 2.54e-6)] * 8
        self.assertEqual(measure_efficiency.table(rows, RATES)[2:],
                         ["| chip | bf16 | rows up to 16 | 8 | 50 % | 80 % |"])

    def test_few_cases_and_precisions_without_a_peak_are_left_out(self):
        rows = [gemm(64, 64, 64, 1.0, 1.0)] * 7 + [gemm(64, 64, 64, 1.0, 1.0, "fp8")] * 8
        self.assertEqual(len(measure_efficiency.table(rows, RATES)), 2)


if __name__ == "__main__":
    unittest.main()
