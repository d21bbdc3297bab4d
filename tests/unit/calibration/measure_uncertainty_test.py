#!/usr/bin/env python3
"""The error bars that nodes/calibration/measure_uncertainty.py writes from predictions."""
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "nodes/calibration/measure_uncertainty.py"
COLUMNS = "case,device,gpus,step_time_s,predicted_step_time_s\n"
INFERENCE = "case,source,framework,device,gpus,metric,value,predicted_value\n"


def run(rows, *frameworks, columns=COLUMNS):
    """The rows as out.csv, estimated with these."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "out.csv"
        path.write_text(columns + "".join(rows), encoding="utf-8")
        return subprocess.run(
            [sys.executable, str(SCRIPT), *(f"{path}={f}" for f in frameworks or ["stack"])],
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
        rows = [f"a{i},one/two of 2024,chip,8,1.0,1.1\n" for i in range(5)]
        rows += [f"b{i},three,chip,8,1.0,1.3\n" for i in range(6)]
        done = run(rows, "first:one/two", "second:three",
                   columns=COLUMNS.replace("case,", "case,source,"))
        entries = tomllib.loads(done.stdout)["uncertainty"]
        self.assertEqual(entries["chip/first/single_node"]["relative"], 0.1)
        self.assertEqual(entries["chip/first/single_node"]["rows"], 5)
        self.assertEqual(entries["chip/second/single_node"]["relative"], 0.3)
        self.assertIn("#     out.csv=first:one/two \\\n", done.stdout)

    def test_inference_has_entries_of_their_own(self):
        rows = [f"a{i},page,stack,chip,8,latency_s,2.0,2.4\n" for i in range(5)]
        done = run(rows, columns=INFERENCE)
        entries = tomllib.loads(done.stdout)["uncertainty"]
        self.assertEqual(set(entries), {"chip/stack/single_node/inference"})
        found = entries["chip/stack/single_node/inference"]
        self.assertEqual(found["work"], "inference")
        self.assertEqual((found["relative"], found["rows"]), (0.2, 5))
        self.assertIn('work = "inference"', done.stdout.split("schema = 1")[0])

    def test_steps_do_not_say_their_work_and_stand_first(self):
        columns = COLUMNS.replace("gpus,", "gpus,metric,value,predicted_value,")
        rows = [f"a{i},a-chip,8,tpot_s,1.0,1.2,,\n" for i in range(5)]
        rows += [f"b{i},b-chip,8,,,,1.0,1.1\n" for i in range(5)]
        entries = tomllib.loads(run(rows, columns=columns).stdout)["uncertainty"]
        self.assertEqual(list(entries),
                         ["b-chip/stack/single_node", "a-chip/stack/single_node/inference"])
        self.assertNotIn("work", entries["b-chip/stack/single_node"])

    def test_the_error_of_a_rate_is_that_of_its_time(self):
        # Half the rate is twice the time: off by 1, not by 0.5.
        rows = [f"a{i},page,stack,chip,16,tokens_per_s,100,50\n" for i in range(5)]
        entries = tomllib.loads(run(rows, columns=INFERENCE).stdout)["uncertainty"]
        self.assertEqual(entries["chip/stack/multi_node/inference"]["relative"], 1.0)

    def test_versions_are_told_by_the_source_and_stacks_by_their_column(self):
        rows = [f"a{i},docs of 2023,stack,chip,8,tpot_s,1.0,1.1\n" for i in range(5)]
        rows += [f"b{i},docs of 2023,other,chip,8,tpot_s,1.0,1.3\n" for i in range(6)]
        done = run(rows, "stack-2023:docs of", "other:other", columns=INFERENCE)
        entries = tomllib.loads(done.stdout)["uncertainty"]
        self.assertEqual(entries["chip/stack-2023/single_node/inference"]["rows"], 11)
        self.assertEqual(entries["chip/other/single_node/inference"]["rows"], 6)
        # As a shell reads it.
        self.assertIn("#     'out.csv=stack-2023:docs of' \\\n", done.stdout)

    def test_without_a_framework_it_says_how_it_is_called(self):
        done = subprocess.run([sys.executable, str(SCRIPT), "out.csv"], capture_output=True,
                              text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("OUT.csv=FRAMEWORK", done.stderr)


if __name__ == "__main__":
    unittest.main()
