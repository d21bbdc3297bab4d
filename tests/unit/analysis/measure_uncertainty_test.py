#!/usr/bin/env python3
"""The error bars that analysis/measure_uncertainty.py writes from predictions."""
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "analysis" / "measure_uncertainty.py"
COLUMNS = "case,device,gpus,step_time_s,predicted_step_time_s\n"


def run(rows, framework="stack"):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "out.csv"
        path.write_text(COLUMNS + "".join(rows), encoding="utf-8")
        return subprocess.run([sys.executable, str(SCRIPT), f"{path}={framework}"],
                              capture_output=True, text=True, check=False)


class MeasureUncertainty(unittest.TestCase):
    def test_one_entry_for_each_scale_with_the_error_of_two_of_three(self):
        # Errors of 1 % to 10 % in one node; of 20 % in several.
        rows = [f"a{i},chip,8,1.0,{1.0 + 0.01 * i}\n" for i in range(1, 11)]
        rows += [f"b{i},chip,16,2.0,1.6\n" for i in range(5)]
        entries = tomllib.loads(run(rows).stdout)["uncertainty"]
        self.assertEqual(set(entries), {"chip/stack/single_node", "chip/stack/multi_node"})
        single = entries["chip/stack/single_node"]
        self.assertEqual(single["relative"], 0.07)
        self.assertEqual(single["rows"], 10)
        self.assertEqual(single["device"], "chip")
        self.assertEqual(single["framework"], "stack")
        self.assertEqual(entries["chip/stack/multi_node"]["relative"], 0.2)

    def test_rows_without_a_measurement_and_regimes_of_few_rows_are_left_out(self):
        rows = [f"a{i},chip,8,1.0,1.1\n" for i in range(4)]
        rows += ["a5,chip,8,,1.1\n", "a6,chip,8,1.0,\n"]
        self.assertNotIn("uncertainty", tomllib.loads(run(rows).stdout))

    def test_rows_of_a_source_are_told_by_its_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "out.csv"
            rows = "".join(f"a{i},one/two of 2024,chip,8,1.0,1.1\n" for i in range(5))
            rows += "".join(f"b{i},three,chip,8,1.0,1.3\n" for i in range(6))
            path.write_text(COLUMNS.replace("case,", "case,source,") + rows, encoding="utf-8")
            done = subprocess.run(
                [sys.executable, str(SCRIPT), f"{path}=first:one/two", f"{path}=second:three"],
                capture_output=True, text=True, check=False)
        entries = tomllib.loads(done.stdout)["uncertainty"]
        self.assertEqual(entries["chip/first/single_node"]["relative"], 0.1)
        self.assertEqual(entries["chip/first/single_node"]["rows"], 5)
        self.assertEqual(entries["chip/second/single_node"]["relative"], 0.3)
        self.assertIn("#     out.csv=first:one/two \\\n", done.stdout)

    def test_without_a_framework_it_says_how_it_is_called(self):
        done = subprocess.run([sys.executable, str(SCRIPT), "out.csv"], capture_output=True,
                              text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("OUT.csv=FRAMEWORK", done.stderr)


if __name__ == "__main__":
    unittest.main()
