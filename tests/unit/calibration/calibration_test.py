"""The calibration that ships finds constants, edits only their values, and says what is missing.

    calibration_test.py FOLDER_OF_THE_SCRIPTS
"""

import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(sys.argv.pop(1))
sys.path.insert(0, str(SCRIPTS))

import calibration  # noqa: E402

CATALOG = """schema = 1
[scale_up.A]
# sustained = 9
sustained = { value = 0.5, source = "x", note = "2 rows" }
latency = "2 us"
[scale_up.B]
sustained = 0.6
"""


class Minimise(unittest.TestCase):
    def test_finds_the_constants_of_a_law_among_outliers(self):
        sizes = [2.0**i for i in range(20)]
        measured = [3.0 + size / 700.0 for size in sizes]
        measured[3] *= 4.0

        def residuals(constants):
            latency, rate = constants
            return [math.log((latency + s / rate) / m) for s, m in zip(sizes, measured)]

        latency, rate = calibration.minimise(residuals, [1.0, 100.0])
        self.assertAlmostEqual(latency, 3.0, delta=0.05)
        self.assertAlmostEqual(rate, 700.0, delta=10.0)

    def test_solves_with_pivots(self):
        solution = calibration.solve([[0.0, 2.0], [1.0, 1.0]], [4.0, 5.0])
        self.assertEqual(solution, [3.0, 2.0])


class Values(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.catalog = Path(self.folder.name)
        (self.catalog / "links.toml").write_text(CATALOG)

    def tearDown(self):
        self.folder.cleanup()

    def test_are_read_and_written_where_they_stand(self):
        place = calibration.Place("links.toml", "scale_up.A", "sustained")
        latency = calibration.Place("links.toml", "scale_up.A", "latency", "us", factor=2.0)
        self.assertEqual(calibration.read_value(self.catalog, place), 0.5)
        self.assertEqual(calibration.read_value(self.catalog, latency), 2.0)
        calibration.write_value(self.catalog, place, 0.71234)
        calibration.write_value(self.catalog, latency, 3.0)
        expected = CATALOG.replace("value = 0.5,", "value = 0.712,").replace('"2 us"', '"6 us"')
        self.assertEqual((self.catalog / "links.toml").read_text(), expected)

    def test_that_are_missing_are_named(self):
        place = calibration.Place("links.toml", "scale_up.B", "latency", "us")
        with self.assertRaisesRegex(KeyError, "no latency in .scale_up.B."):
            calibration.read_value(self.catalog, place)


class Cases(unittest.TestCase):
    def test_that_are_missing_end_with_the_way_out(self):
        for script in ("calibrate_collectives.py", "calibrate_attention.py"):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    [sys.executable, "-B", str(SCRIPTS / script), "--catalog",
                     str(SCRIPTS.parent)],
                    env={**os.environ, "SCALESWEEP_CASES": folder},
                    capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("name their folder in SCALESWEEP_CASES", done.stderr)


if __name__ == "__main__":
    unittest.main()
