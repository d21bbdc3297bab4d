#!/usr/bin/env python3
"""Sums of measured kernels: how they are interpolated, added up, and set beside estimates."""
import csv
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "nodes" / "calibration"))

import compare_composed  # noqa: E402
from calibration import LIBRARY_SOURCE  # noqa: E402
from compare_composed import Answer, Database, Measured, Question  # noqa: E402

MODEL = {"hidden": 1024, "heads": 8, "kv_heads": 2, "ffn": 4096, "vocab": 32768, "layers": 3}
GEMM_S, ATTENTION_S, ONE_SHOT_S, NCCL_S = 1e-5, 3e-6, 2e-6, 5e-6
COLUMNS = ("source device gpus op m k n batch seq heads kv_heads head_dim kv_precision bytes "
           "precision library time_s").split()


def rows_of(device, decode_s=ATTENTION_S):
    """Kernels that all take the same, whatever their shape."""
    sizes = (256, 1024, 4096, 32768)
    shapes = [(m, k, n) for m in (1, 64) for k in sizes for n in sizes]
    rows = [dict(op="matmul", m=m, k=k, n=n, precision="bf16", time_s=GEMM_S)
            for m, k, n in shapes]
    rows += [dict(op="attention_decode", batch=batch, seq=seq, heads=heads, kv_heads=kv,
                  head_dim=128, kv_precision="bf16", time_s=decode_s)
             for batch in (1, 64) for seq in (256, 4096) for heads in (4, 8) for kv in (1, 2)]
    rows += [dict(op="all_reduce", gpus=2, bytes=size, library=library, time_s=time_s)
             for size in (256, 1024, 4096, 16384, 65536, 262144)
             for library, time_s in (("NCCL 2", NCCL_S), ("TRTLLM custom 1", ONE_SHOT_S))]
    return [dict(row, device=device, source=LIBRARY_SOURCE) for row in rows]


def database(rows):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("kernels-matmul.csv", "kernels-attention.csv", "kernels-collectives.csv"):
            with (pathlib.Path(folder) / name).open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, COLUMNS)
                writer.writeheader()
                writer.writerows(rows if name == "kernels-matmul.csv" else [])
        return Database(pathlib.Path(folder))


class Interpolation(unittest.TestCase):
    def test_a_power_of_the_shape_is_found_between_shapes_and_beyond(self):
        kind = Measured([((m, k, n), 1e-9 * m * k ** 0.5 * n) for m in (1, 8, 64)
                         for k in (256, 1024, 4096) for n in (256, 1024, 4096)])
        for m, k, n in ((4, 512, 2048), (64, 4096, 8192)):
            self.assertAlmostEqual(kind.time_s(m, k, n) / (1e-9 * m * k ** 0.5 * n), 1.0, places=4)

    def test_what_was_measured_is_taken_as_it_is(self):
        kind = Measured([((2 ** i,), 1.0 + i % 3) for i in range(8)])
        self.assertEqual(kind.time_s(8), 1.0)
        self.assertNotEqual(kind.deviations()[3], 0.0)

    def test_a_library_reaches_no_further_than_it_was_measured(self):
        kind = Measured([((2 ** i,), 1.0) for i in range(8, 12)])
        self.assertTrue(kind.reaches(4000))
        self.assertFalse(kind.reaches(8192))


class Sums(unittest.TestCase):
    def step(self, rows, device="h100-sxm", shared=False):
        return database(rows).step_s(MODEL, 2, device, "bf16", 4, 512, False, shared)

    def test_a_step_is_its_layers_with_the_faster_all_reduce_and_the_head(self):
        layer_s = 4 * GEMM_S + ATTENTION_S + 2 * ONE_SHOT_S
        self.assertAlmostEqual(self.step(rows_of("h100-sxm")) / (3 * layer_s + GEMM_S), 1.0,
                               places=4)

    def test_rows_of_other_sources_are_left_out(self):
        other = [dict(row, source="another", time_s=1.0) for row in rows_of("h100-sxm")]
        rows = rows_of("h100-sxm")
        self.assertEqual(self.step(other + rows), self.step(rows))

    def test_shared_reads_are_the_hopper_kernel_in_the_ratio_of_bandwidths(self):
        rows = rows_of("h100-sxm") + rows_of("b200-sxm", decode_s=1.0)
        layers_s = 3 * (1.0 - 3.35 / 8.0 * ATTENTION_S)
        saved_s = self.step(rows, "b200-sxm") - self.step(rows, "b200-sxm", shared=True)
        self.assertAlmostEqual(saved_s / layers_s, 1.0, places=4)


class Order(unittest.TestCase):
    def test_only_pairs_that_are_apart_are_counted(self):
        devices = [Answer("a", 1.00, 1.0, 3.0), Answer("b", 1.04, 1.0, 2.0),
                   Answer("c", 2.00, 1.0, 4.0), Answer("d", 9.00, 1.0, 3.5)]
        # a-c, a-d, b-c, b-d in order, c-d not; a-b too near to say.
        self.assertEqual(compare_composed.pairs(devices, "kernels_s"), (4, 5))

    def test_devices_are_told_from_the_fastest(self):
        devices = [Answer("slow", 0.002, 0.0, 0.0), Answer("fast", 0.001, 0.0, 0.0)]
        self.assertEqual(compare_composed.ranking(devices, "kernels_s"), "fast 1, slow 2")

    def test_a_case_says_what_is_asked_of_the_estimator(self):
        question = Question("llama-3-70b", 4, "decode", 16, 1024, "nvfp4")
        case = compare_composed.case_of(question, "gb200", 0.01)
        self.assertEqual((case["metric"], case["batch"], case["prompt_tokens"], case["tp"],
                          case["kv_precision"], case["value"]),
                         ("tpot_s", 16, 1024, 4, "fp8", "0.01"))


if __name__ == "__main__":
    unittest.main()
