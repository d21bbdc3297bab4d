"""The calibration of inference: which rows a stack is fitted to, and which numbers it sets.

    calibrate_inference_test.py FOLDER_OF_THE_SCRIPTS NODES
"""

import contextlib
import csv
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

SCRIPTS = Path(sys.argv.pop(1))
NODES = Path(sys.argv.pop(1))
sys.path.insert(0, str(SCRIPTS))

import calibrate_inference as inference  # noqa: E402
import calibrate_training as training  # noqa: E402
import calibration  # noqa: E402

CATALOG = """schema = 1
[framework.vllm-2023]
kernel_gap = "7 us"

[framework.vllm-2023.serving]
decode_issue_interval = { value = "50 us", source = "fit", kind = "calibrated" }
iteration_overhead = "4 ms"

[framework.lmdeploy.serving]
sequence_overhead = "1 us"
"""
COLUMNS = ("case", "source", "framework", "device", "model", "tp", "pp", "batch", "metric", "value")


def fit_of(framework):
    return next(fit for fit in inference.FITS if fit.framework == framework)


def case(i, stack="vllm", interval=30.0, overhead=2.0):
    """`tp` and `batch` stand for the work of the host and of an iteration; ten pairs of shapes."""
    launches, iterations = 1.0 + i % 10, 1.0 + i // 10
    time = launches * interval + iterations * 10.0 * overhead
    return dict(zip(COLUMNS, (f"c{i}", "a page", stack, "chip", "m", launches, 1, iterations,
                              "tpot_s", time)))


class Stack:
    """Instead of the program."""

    def __init__(self, program, catalog, rows, folder):
        self.rows = rows

    def predicted_rows(self, fit, constants):
        interval, overhead = constants
        return [
            {**row, "predicted_value":
                str(float(row["tp"]) * interval + float(row["batch"]) * 10.0 * overhead)}
            for row in self.rows
        ]


class Calibrates(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)
        (self.folder / "nodes").mkdir()
        self.catalog = self.folder / "nodes" / "frameworks.toml"
        self.catalog.write_text(CATALOG, encoding="utf-8")

    def calibrate(self, rows, *options):
        """What the script prints about vllm-2023, with the stack above as its program."""
        with (self.folder / inference.FILE).open("w", newline="") as out:
            writer = csv.DictWriter(out, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)
        command = ["calibrate_inference.py", "--catalog", str(self.folder / "nodes"),
                   "--cases", str(self.folder), "--framework", "vllm-2023", *options]
        printed = io.StringIO()
        with mock.patch.object(training, "Program", Stack), \
                mock.patch.object(sys, "argv", command), contextlib.redirect_stdout(printed):
            inference.main()
        return printed.getvalue()

    def test_finds_the_constants_and_writes_only_their_values(self):
        rows = [case(i) for i in range(30)] + [case(i, stack="lmdeploy") for i in range(5)]
        report = self.folder / "notes" / "inference.md"
        printed = self.calibrate(rows, "--apply", "--report", str(report))
        self.assertIn("30 rows of inference-published.csv that ran on vllm;", printed)
        self.assertIn("the catalog takes them", printed)
        found = [calibration.read_value(self.folder / "nodes", place[0])
                 for place in training.places(fit_of("vllm-2023"))]
        self.assertAlmostEqual(found[0], 30.0, delta=0.5)
        self.assertAlmostEqual(found[1], 2.0, delta=0.05)
        expected = CATALOG.replace('value = "50 us"', f'value = "{found[0]:.3g} us"')
        expected = expected.replace('"4 ms"', f'"{found[1]:.3g} ms"')
        self.assertEqual(self.catalog.read_text(encoding="utf-8"), expected)
        text = report.read_text(encoding="utf-8")
        self.assertTrue(text.startswith("# Inference\n"))
        self.assertIn("by `nodes/calibration/calibrate_inference.py`: vllm-2023.", text)
        self.assertIn("Halves hold whole pairs of a model and a tensor-parallel size,", text)
        self.assertIn("| all rows, each held out | 30 |", text)

    def test_leaves_the_catalog_alone_unless_told(self):
        printed = self.calibrate([case(i) for i in range(30)])
        self.assertIn("the catalog keeps its values", printed)
        self.assertEqual(self.catalog.read_text(encoding="utf-8"), CATALOG)

    def test_does_not_write_what_few_rows_say(self):
        printed = self.calibrate([case(i) for i in range(11)], "--apply")
        self.assertIn("fitted to fewer than 10 rows each: the catalog keeps", printed)
        self.assertEqual(self.catalog.read_text(encoding="utf-8"), CATALOG)


class Rows(unittest.TestCase):
    def row(self, **cells):
        return {"source": "", "framework": "", "device": "h100-sxm", "value": "1", **cells}

    def test_versions_of_a_stack_are_told_by_the_source(self):
        rows = [self.row(framework="tensorrt-llm", source=source)
                for source in ("NVIDIA/TensorRT-LLM docs v0.5", "NVIDIA NIM page")]
        self.assertEqual(training.rows_of(fit_of("tensorrt-llm-2023"), rows), rows[:1])
        self.assertEqual(training.rows_of(fit_of("tensorrt-llm@1.0"), rows), rows[1:])

    def test_of_data_sheet_devices_set_nothing(self):
        rows = [self.row(framework="tensorrt-llm", source="TensorRT-LLM docs", device=device)
                for device in ("h200-sxm", "a100-sxm-80gb")]
        self.assertEqual(training.rows_of(fit_of("tensorrt-llm-2023"), rows), rows[1:])

    def test_of_one_model_and_tensor_parallel_size_are_in_one_half(self):
        fit = fit_of("fastertransformer")
        rows = [{"model": model, "tp": str(tp), "batch": str(batch)}
                for model in ("a", "b") for tp in (1, 2, 4) for batch in (1, 8)]
        second = training.halves(rows, fit.shape)
        self.assertEqual(second[0::2], second[1::2])
        self.assertEqual(sum(second), 6)


class Fits(unittest.TestCase):
    def test_name_numbers_that_the_catalog_has_in_their_units(self):
        for fit in inference.FITS:
            for constant, place in zip(fit.constants, training.places(fit)):
                value = calibration.read_value(NODES, place[0])
                self.assertTrue(constant.lowest <= value <= constant.highest,
                                f"{fit.framework} {constant.key} = {value}")

    def test_set_no_number_twice(self):
        names = [(place[0].section, place[0].key)
                 for fit in inference.FITS for place in training.places(fit)]
        self.assertEqual(len(names), len(set(names)))
        self.assertTrue(all(section.endswith(".serving") for section, _ in names))


if __name__ == "__main__":
    unittest.main()
