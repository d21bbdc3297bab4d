#!/usr/bin/env python3
"""The calibration of GEMMs: where constants stand, and that a fit finds them again."""

import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPTS = ROOT / "nodes" / "calibration"
sys.path.insert(0, str(SCRIPTS))

import calibrate_kernels as kernels  # noqa: E402

CATALOG = """[device.chip]
kernel_latency = { value = "4.0 us", source = "kernels", kind = "calibrated", note = "same fit" }

[device.chip.tensor_peak]
bf16 = "100 TFLOP/s"

[device.chip.tensor_sustained]
bf16 = { value = 0.5, source = "kernels", kind = "calibrated", note = "2 rows" }

[device.other.tensor_sustained]
bf16 = 0.25
"""

# Predicts latency and GEMMs alone; the catalog is where --catalog says.
PROGRAM = """#!/usr/bin/env python3
import csv, sys
sys.path.insert(0, {scripts!r})
import calibrate_kernels as kernels
arguments = dict(zip(sys.argv[4::2], sys.argv[5::2]))
text = open(arguments["--catalog"] + "/" + kernels.CATALOG_FILE).read()
latency = kernels.number(kernels.get_value(text, "device.chip", "kernel_latency")) * 1e-6
share = kernels.number(kernels.get_value(text, "device.chip.tensor_sustained", "bf16"))
rows = list(csv.DictReader(open(sys.argv[2])))
with open(arguments["--predictions"], "w") as file:
    writer = csv.DictWriter(file, ["predicted_time_s"])
    writer.writeheader()
    for row in rows:
        flop = 2.0 * float(row["m"]) * float(row["n"]) * float(row["k"])
        writer.writerow({{"predicted_time_s": latency + flop / (100e12 * share)}})
"""


def cases():
    rows = []
    for size in (64, 128, 256, 512, 768, 1024, 1280, 1536, 2048, 3072, 4096, 8192):
        time_s = 2.5e-6 + 2.0 * size**3 / (100e12 * 0.8)
        rows.append({"case": f"square-{size}", "m": size, "n": size, "k": size, "time_s": time_s,
                     "precision": "bf16", "device": "chip"})
    rows[3]["time_s"] *= 3.0  # one that the library did badly
    return rows


class Places(unittest.TestCase):
    def test_values_change_where_they_stand_and_nowhere_else(self):
        text = kernels.set_value(CATALOG, "device.chip.tensor_sustained", "bf16", "0.75")
        self.assertEqual(kernels.get_value(text, "device.chip.tensor_sustained", "bf16"), "0.75")
        self.assertEqual(kernels.get_value(text, "device.other.tensor_sustained", "bf16"), "0.25")
        self.assertEqual(text.replace("0.75", "0.5"), CATALOG)

    def test_what_is_not_there_is_named(self):
        with self.assertRaisesRegex(SystemExit, r"no fp8 in \[device.chip.tensor_sustained\]"):
            kernels.get_value(CATALOG, "device.chip.tensor_sustained", "fp8")

    def test_notes_change_alone(self):
        text = kernels.set_note(CATALOG, "device.chip.tensor_sustained", "bf16", "9 rows")
        self.assertEqual(text, CATALOG.replace("2 rows", "9 rows"))


class Relatives(unittest.TestCase):
    def test_equal_peaks_sustain_the_same_share(self):
        self.assertAlmostEqual(kernels.rate_with_equal_losses(0.6, 1.0), 0.6)

    def test_of_a_faster_peak_less_is_left(self):
        # Half of the time are losses: twice the peak takes 1/4 + 1/2 of what it took.
        self.assertAlmostEqual(2.0 * kernels.rate_with_equal_losses(0.5, 2.0), 0.5 / 0.75)


class Fit(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        root = pathlib.Path(self.folder.name)
        self.nodes = root / "nodes"
        self.nodes.mkdir()
        (self.nodes / kernels.CATALOG_FILE).write_text(CATALOG, encoding="utf-8")
        self.program = root / "program"
        self.program.write_text(PROGRAM.format(scripts=str(SCRIPTS)), encoding="utf-8")
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)

    def test_finds_the_constants_in_spite_of_one_bad_row(self):
        model = kernels.Model(str(self.program), self.nodes, cases())
        self.addCleanup(model.folder.cleanup)
        constants = [kernels.Constant("", "kernel_latency", 0.5, 10.0, "us"),
                     kernels.Constant("tensor_sustained", "bf16", 0.2, 1.0)]
        latency, share = kernels.fit(model, "chip", constants, [4.0, 0.5])
        self.assertAlmostEqual(latency, 2.5, delta=0.05)
        self.assertAlmostEqual(share, 0.8, delta=0.02)

    def test_equations_are_solved_with_pivots(self):
        self.assertEqual(kernels.solve([[0.0, 2.0], [4.0, 0.0]], [2.0, 8.0]), [2.0, 1.0])


class Command(unittest.TestCase):
    def test_says_where_it_looked_for_cases(self):
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run(
                [sys.executable, str(SCRIPTS / "calibrate_kernels.py"), "--program", "x"],
                env={"SCALESWEEP_CASES": empty, "PATH": "/usr/bin:/bin"}, capture_output=True,
                text=True, check=False)
        self.assertEqual(done.returncode, kernels.NO_INPUT)
        self.assertIn(f"no measured cases at {empty}", done.stderr)


if __name__ == "__main__":
    unittest.main()
