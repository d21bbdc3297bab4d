#!/usr/bin/env python3
"""The error bars that nodes/calibration/measure_uncertainty.py writes from predictions, and the
table of cross_validate_uncertainty.py."""
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "nodes/calibration/measure_uncertainty.py"
CROSS_VALIDATE = ROOT / "nodes/calibration/cross_validate_uncertainty.py"
COLUMNS = ("case,source,gpus,step_time_s,predicted_step_time_s,estimated_device,"
           "estimated_framework,estimated_traits\n")
INFERENCE = ("case,source,gpus,tp,metric,value,predicted_value,estimated_device,"
             "estimated_framework,estimated_traits\n")


def run(*tables, columns=COLUMNS, script=SCRIPT):
    """Each table of rows as a file of its own: out0.csv, out1.csv."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / f"out{i}.csv" for i in range(len(tables))]
        for path, rows in zip(paths, tables):
            path.write_text(columns + "".join(rows), encoding="utf-8")
        return subprocess.run([sys.executable, str(script), *map(str, paths)],
                              capture_output=True, text=True, check=False)


def entries_of(*tables, columns=COLUMNS):
    return tomllib.loads(run(*tables, columns=columns).stdout).get("uncertainty", {})


def traits_of(*tables):
    return tomllib.loads(run(*tables).stdout)["trait"]


def steps(errors, gpus=8, source="page", name="a", stack="stack", traits=""):
    return [f"{name}{i},{source},{gpus},1.0,{1.0 + e},chip,{stack},{traits}\n"
            for i, e in enumerate(errors)]


class MeasureUncertainty(unittest.TestCase):
    def test_one_entry_for_each_scale_with_the_error_of_two_of_three(self):
        # Errors of 1 % to 10 % in one node; of 20 % in several, too short.
        found = entries_of(steps([0.01 * i for i in range(1, 11)]) +
                           steps([-0.2] * 5, gpus=16, name="b"))
        self.assertEqual(set(found), {"chip/stack/single_node", "chip/stack/multi_node"})
        single = found["chip/stack/single_node"]
        self.assertEqual(single["relative"], 0.07)
        self.assertEqual(single["rows"], 10)
        self.assertEqual(single["device"], "chip")
        self.assertEqual(single["framework"], "stack")
        self.assertEqual(found["chip/stack/multi_node"]["relative"], 0.2)

    def test_where_some_are_far_off_more_are_within_one_bar_but_not_too_many(self):
        # A half of the 95th percentile is 15 %, more than the 68th of 9 % and less than the 76th.
        errors = [0.01] * 60 + [0.09] * 15 + [0.16] * 5 + [0.30] * 20
        found = entries_of(steps(errors))["chip/stack/single_node"]
        self.assertEqual(found["relative"], 0.15)
        # Of the 95th it would be 50 %: no more than the 76th percentile.
        found = entries_of(steps([0.01] * 75 + [0.04] * 5 + [1.0] * 20))["chip/stack/single_node"]
        self.assertEqual(found["relative"], 0.04)

    def test_rows_without_a_measurement_and_regimes_of_few_rows_are_left_out(self):
        rows = steps([0.1] * 4) + ["b,page,8,,1.1,chip,stack,\n", "c,page,8,1.0,,chip,stack,\n"]
        self.assertEqual(entries_of(rows), {})

    def test_a_row_of_two_files_counts_once(self):
        rows = steps([0.1] * 5)
        self.assertEqual(entries_of(rows, rows)["chip/stack/single_node"]["rows"], 5)

    def test_the_head_says_how_it_was_made(self):
        done = run(steps([0.1] * 5), steps([0.1] * 5, name="b"))
        self.assertIn("#     out0.csv \\\n#     out1.csv\n", done.stdout)

    def test_what_was_left_out_says_what_a_stack_without_cases_adds(self):
        def of(stack, error):
            return [f"{stack}{i},page,8,1.0,{1.0 + error},h100-sxm,{stack},\n" for i in range(5)]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for part, rows in (("all", of("fsdp", 0.05) + of("nanotron", 0.3)),
                               ("stack-fsdp", of("fsdp", 0.5)), ("stack-nanotron", [])):
                (folder / part).mkdir()
                (folder / part / "cases.csv").write_text(COLUMNS + "".join(rows), encoding="utf-8")
            done = subprocess.run([sys.executable, str(SCRIPT), "--left-out", name],
                                  capture_output=True, text=True, check=True)
        found = tomllib.loads(done.stdout)
        self.assertEqual(found["uncertainty"]["h100-sxm/fsdp/single_node"]["relative"], 0.05)
        lacks = found["trait"]["training/stack not measured"]
        self.assertEqual(lacks["trait"], "stack not measured")
        self.assertEqual(lacks["rows"], 5)
        # The root mean square of what is left is 30 %: 40 % more make 50 %.
        self.assertEqual(lacks["relative"], 0.4)
        self.assertNotIn("training/device not measured", found["trait"])
        self.assertEqual(found["trait"]["training/claimed peak"]["kind"], "assumed")

    def test_inference_has_entries_of_their_own(self):
        rows = [f"a{i},page,8,,latency_s,2.0,2.4,chip,stack,\n" for i in range(5)]
        found = entries_of(rows, columns=INFERENCE)
        self.assertEqual(set(found), {"chip/stack/single_node/inference"})
        entry = found["chip/stack/single_node/inference"]
        self.assertEqual(entry["work"], "inference")
        self.assertEqual((entry["relative"], entry["rows"]), (0.2, 5))

    def test_steps_do_not_say_their_work_and_stand_first(self):
        columns = COLUMNS.replace("gpus,", "gpus,metric,value,predicted_value,")
        rows = [f"a{i},page,8,tpot_s,1.0,1.2,,,a-chip,stack,\n" for i in range(5)]
        rows += [f"b{i},page,8,,,,1.0,1.1,b-chip,stack,\n" for i in range(5)]
        found = entries_of(rows, columns=columns)
        self.assertEqual(list(found),
                         ["b-chip/stack/single_node", "a-chip/stack/single_node/inference"])
        self.assertNotIn("work", found["b-chip/stack/single_node"])

    def test_the_error_of_a_rate_is_that_of_its_time(self):
        # Half the rate is twice the time: off by 1, not by 0.5. Devices are tp where gpus is empty.
        rows = [f"a{i},page,,16,tokens_per_s,100,50,chip,stack,\n" for i in range(5)]
        found = entries_of(rows, columns=INFERENCE)
        self.assertEqual(found["chip/stack/multi_node/inference"]["relative"], 1.0)

    def test_files_without_predictions_are_told(self):
        done = run(["a,1.0\n"], columns="case,step_time_s\n")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no predictions of training or inference", done.stderr)
        done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True,
                              check=False)
        self.assertIn("OUT.csv", done.stderr)


    def test_a_trait_says_how_much_further_off_its_cases_are(self):
        # Half of the rows have both traits and are twice as far off as the 68th percentile of all.
        found = traits_of(steps([0.1] * 70) +
                          steps([0.2] * 30, name="b", traits="long way; bent way"))
        entry = found["training/stack/long way"]
        self.assertEqual((entry["trait"], entry["framework"]), ("long way", "stack"))
        self.assertEqual((entry["factor"], entry["rows"]), (2.0, 30))
        self.assertEqual(found["training/bent way"]["factor"], 2.0)
        self.assertNotIn("framework", found["training/bent way"])

    def test_traits_of_few_rows_have_entries_of_all_frameworks_alone(self):
        found = traits_of(steps([0.1] * 10) + steps([0.1] * 10, name="b", stack="other") +
                          steps([0.1] * 3, name="c", traits="bent") +
                          steps([0.1] * 3, name="d", stack="other", traits="bent"))
        self.assertEqual(set(found), {"training/bent", "training/unmeasured",
                                      "inference/unmeasured", "first_token/unmeasured"})
        self.assertEqual(found["training/bent"]["rows"], 6)
        self.assertNotIn("factor", found["training/unmeasured"])


class CrossValidation(unittest.TestCase):
    def test_bars_are_set_by_the_rows_that_are_not_held_back(self):
        # Two sources measured the same: one is off by 10 %, the other by 30 %. Bars of 10 % leave
        # all of the second one out, and those of 30 % hold all of the first one.
        rows = steps([0.1] * 50, source="one a") + steps([0.3] * 50, source="two b", name="b")
        inference = [f"c{i},x,8,tpot_s,1.0,1.2,,,chip,stack,\n" for i in range(20)]
        columns = COLUMNS.replace("gpus,", "gpus,metric,value,predicted_value,")
        wide = [row.replace(",8,", ",8,,,,", 1) for row in rows]
        done = run(wide + inference, columns=columns, script=CROSS_VALIDATE)
        self.assertEqual(done.stderr, "")
        lines = [line.split(" | ") for line in done.stdout.splitlines()]
        by_source = lines[0].index("each source: training")
        self.assertEqual({line[by_source] for line in lines[2:]}, {"50, 50 / 50, 50"})


if __name__ == "__main__":
    unittest.main()
