#!/usr/bin/env python3
"""The groups and rules of nodes/calibration/choose_under_doubt.py."""
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "nodes/calibration"
sys.path.insert(0, str(FOLDER))
import choose_under_doubt as choose  # noqa: E402

COLUMNS = ("case,source,device,gpus,model,seq,global_batch,precision,tp,pp,step_time_s,"
           "predicted_step_time_s,estimated_device,estimated_framework,estimated_traits,"
           "measured_all_reduce_gb_per_s\n")


def case(name, layout="1,1", measured=1.0, error=0.1, device="chip", gpus=8, model="m",
         stack="stack", traits="", rate=""):
    return (f"{name},page,{device},{gpus},{model},4096,64,bf16,{layout},{measured},"
            f"{measured * (1.0 + error)},{device},{stack},{traits},{rate}\n")


def with_file(rows, use):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "out.csv"
        path.write_text(COLUMNS + "".join(rows), encoding="utf-8")
        return use(path)


def groups_of(rows):
    return with_file(rows, lambda path: choose.groups_of(choose.read_cases([path])))


def candidate(estimated, bar, kind="a"):
    return choose.Candidate(estimated, bar, kind)


class Groups(unittest.TestCase):
    def test_three_layouts_of_one_question_are_a_group(self):
        rows = [case("a", "1,1"), case("b", "2,1"), case("c", "1,2"), case("d", "4,1", model="n")]
        (group,) = groups_of(rows)
        self.assertEqual((group.kind, len(group.candidates)), ("layouts", 3))
        self.assertEqual(groups_of(rows[:2] + rows[3:]), [])

    def test_repetitions_are_one_candidate_with_the_median(self):
        rows = [case("a", "1,1"), case("b", "2,1"), case("c", "1,2", 3.0), case("d", "1,2", 1.0),
                case("e", "1,2", 2.0)]
        (group,) = groups_of(rows)
        self.assertEqual(sorted(c.measured for c in group.candidates), [1.0, 1.0, 2.0])

    def test_three_devices_are_a_group_whatever_the_version_of_their_framework(self):
        rows = [case("a", device="x", stack="vllm@0.11"), case("b", device="y", stack="vllm"),
                case("c", device="z", stack="vllm-rocm"), case("d", device="w", stack="other")]
        (group,) = groups_of(rows)
        self.assertEqual((group.kind, len(group.candidates)), ("devices", 3))

    def test_jobs_of_unlike_networks_answer_other_questions(self):
        rows = [case("a", "1,1", rate=100), case("b", "2,1", rate=110), case("c", "1,2", rate=12)]
        self.assertEqual(groups_of(rows), [])
        rows[2] = case("c", "1,2", rate=120)
        self.assertEqual(len(groups_of(rows)), 1)

    def test_bars_are_those_of_the_rows_that_are_not_in_the_group(self):
        def bars(path):
            cases = choose.read_cases([path])
            (group,) = choose.groups_of(cases)
            return [c.bar for c in choose.candidates_of(group, cases)]
        own = [case(f"a{i}", f"1,{i}", error=0.5) for i in range(1, 7)]
        others = [case(f"b{i}", model=f"n{i}", error=0.1) for i in range(10)]
        for bar in with_file(own + others, bars):
            self.assertAlmostEqual(bar, 0.1)


class Rules(unittest.TestCase):
    def test_what_is_better_known_and_as_near_is_chosen(self):
        wide, narrow = candidate(10.0, 0.42), candidate(14.2, 0.07)
        self.assertEqual(choose.better_known([wide, narrow], 0.65), 1)
        self.assertEqual(choose.better_known([wide, candidate(14.3, 0.07)], 0.65), 0)
        self.assertEqual(choose.better_known([wide, narrow, candidate(11.0, 0.4)], 0.65), 1)
        self.assertEqual(choose.better_known([wide, candidate(10.1, 0.36)], 0.65), 0)

    def test_the_expected_time_is_larger_by_half_the_square_of_the_bar(self):
        wide = candidate(10.0, 0.42)
        near = candidate(10.0 * math.exp(0.42 ** 2 / 2) * 0.999, 0.0)
        far = candidate(10.0 * math.exp(0.42 ** 2 / 2) * 1.001, 0.0)
        self.assertEqual(choose.by_expected_time([wide, near], 0.0), 1)
        self.assertEqual(choose.by_expected_time([wide, far], 0.0), 0)
        self.assertEqual(choose.by_expected_time([wide, near], 0.9), 0)  # most of it cancels

    def test_of_two_the_expected_loss_heeds_the_estimates_alone(self):
        # The ratio of two truths and its inverse are off alike.
        self.assertEqual(choose.by_expected_loss([candidate(10.0, 0.4, "a"),
                                                  candidate(11.0, 0.05, "b")], 0.0), 0)
        self.assertEqual(choose.by_expected_loss([candidate(11.0, 0.4, "a"),
                                                  candidate(10.0, 0.05, "b")], 0.0), 1)

    def test_the_share_is_chosen_on_the_groups_that_are_named(self):
        rows = [case("a", "1,1", measured=12.0, error=-0.16), case("b", "2,1", 10.0, error=0.05),
                case("c", "1,2", 30.0)]
        groups = groups_of(rows)
        given = [[candidate(10.08, 0.3), candidate(10.5, 0.05), candidate(33.0, 0.05)]]
        # sqrt(2 (1 - share)) 0.3 is at least ln(10.5 / 10.08) up to a share of 0.99.
        self.assertEqual(choose.chosen_share(groups, given, [0]), 0.95)
        self.assertEqual(choose.losses_of(groups, given, choose.better_known, 0.95), [0.0])
        self.assertAlmostEqual(choose.losses_of(groups, given, choose.by_value, 0.95)[0], 0.2)


class Drawn(unittest.TestCase):
    def test_of_many_layouts_the_rule_loses_less(self):
        by_value, by_rule = choose.drawn_losses(20, 0.3, choose.SHARED, 400)
        self.assertLess(by_rule, 0.9 * by_value)

    def test_of_few_that_are_far_apart_it_loses_more(self):
        by_value, by_rule = choose.drawn_losses(4, 0.5, 0.9, 2000)
        self.assertGreater(by_rule, by_value)


class Program(unittest.TestCase):
    def run_on(self, rows):
        return with_file(rows, lambda path: subprocess.run(
            [sys.executable, str(FOLDER / "choose_under_doubt.py"), str(path)],
            capture_output=True, text=True, check=False))

    def test_tables(self):
        rows = [case(f"{m}{i}", f"1,{i}", 1.0 + 0.1 * i, 0.1 * (i - 2), model=m)
                for m in "abcd" for i in range(1, 5)]
        done = self.run_on(rows)
        self.assertEqual(done.stderr, "")
        self.assertIn("| layouts | page, training | 4 | 4.0 | 0.0 % | 0 |", done.stdout)
        self.assertIn("**better known**", done.stdout)

    def test_files_without_groups_are_told(self):
        done = self.run_on([case("a")])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no question has 3 layouts or devices", done.stderr)


if __name__ == "__main__":
    unittest.main()
