#!/usr/bin/env python3
"""What nodes/calibration/left_out.py says of a device, framework and scale without cases, how much
it widens their bars, and how leave_one_out.py writes a catalog without them."""
import collections
import math
import pathlib
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "nodes/calibration"))
import left_out  # noqa: E402
import leave_one_out  # noqa: E402

Row = collections.namedtuple("Row", "work device framework scale error traits")
KIN = {"old": ("arch", "maker"), "new": ("arch", "maker"), "next": ("later", "maker"),
       "other": ("", "stranger")}
BARS = {("training", "old", "stack@1", "single_node"): 0.3,
        ("training", "old", "second", "single_node"): 0.1}
RMS = math.sqrt((0.09 + 0.01) / 2.0)


def key(device, framework, scale="single_node"):
    return "training", device, framework, scale


class Lacks(unittest.TestCase):
    def lacks(self, *of):
        return left_out.lacks_of(BARS, KIN, key(*of))

    def test_are_nothing_of_what_was_measured(self):
        self.assertEqual(self.lacks("old", "stack@1"), ())

    def test_are_the_nearest_that_holds(self):
        self.assertEqual(self.lacks("old", "stack@1", "multi_node"), (left_out.SCALE,))
        self.assertEqual(self.lacks("new", "stack@1"), (left_out.DEVICE,))
        self.assertEqual(self.lacks("next", "stack@1"), (left_out.ARCHITECTURE,))
        self.assertEqual(self.lacks("other", "stack@1"), (left_out.MAKER,))
        self.assertEqual(self.lacks("nowhere", "stack@1"), (left_out.MAKER,))
        self.assertEqual(self.lacks("old", "stack@2"), (left_out.VERSION,))
        self.assertEqual(self.lacks("old", "third"), (left_out.STACK,))
        self.assertEqual(self.lacks("new", "third"), (left_out.DEVICE, left_out.STACK))

    def test_may_be_both_together_alone(self):
        bars = {**BARS, ("training", "new", "second", "single_node"): 0.2}
        self.assertEqual(left_out.lacks_of(bars, KIN, key("new", "stack@1")), (left_out.PAIR,))


class Bases(unittest.TestCase):
    def base(self, *of):
        return left_out.base_of(BARS, KIN, key(*of))

    def test_are_those_of_the_other_scale_or_of_all_and_never_below_a_relative(self):
        self.assertEqual(self.base("old", "second", "multi_node"), 0.1)
        self.assertAlmostEqual(self.base("other", "second"), RMS)
        self.assertEqual(self.base("new", "stack@2"), 0.3)
        # All that is known of a maker is worse than the mean.
        bars = {**BARS, ("training", "other", "second", "single_node"): 0.9}
        far = left_out.base_of(bars, {**KIN, "another": ("", "stranger")}, key("another", "third"))
        self.assertEqual(far, 0.9)
        nothing = "inference", "old", "second", "single_node"
        self.assertIsNone(left_out.base_of(BARS, KIN, nothing))

    def test_are_widened_by_each_class(self):
        added = {("training", left_out.DEVICE): 0.3, ("training", left_out.STACK): 0.4}
        self.assertAlmostEqual(left_out.bar_of(BARS, added, KIN, key("new", "third")),
                               math.hypot(RMS, 0.3, 0.4))


class Widening(unittest.TestCase):
    def test_has_two_of_three_within_one_bar(self):
        # Errors of 1 to 100 %, a bar of 10 %: 68 % is the 68th error.
        found = [(0.01 * i, 0.1, 1.0) for i in range(1, 101)]
        self.assertAlmostEqual(left_out.widening(found), math.sqrt(0.68**2 - 0.1**2))
        self.assertEqual(left_out.widening([(0.05, 0.1, 1.0)] * 10), 0.0)

    def test_of_groups_counts_each_once_and_not_the_rows(self):
        rows = [Row("training", "next", "second", "single_node", 0.0, ())] * 1000
        far = [Row("training", "other", "second", "single_node", 0.5, ())] * 10
        widenings = left_out.Widenings(KIN)
        widenings.fit(left_out.MAKER, [(BARS, far)], lambda row, bar: bar)
        alone = widenings.added["training", left_out.MAKER]
        self.assertAlmostEqual(alone, math.sqrt(0.25 - RMS**2))
        both = [(BARS, [row._replace(device="x") for row in rows]), (BARS, far)]
        widenings.fit(left_out.MAKER, both, lambda row, bar: bar)
        self.assertAlmostEqual(widenings.added["training", left_out.MAKER], alone)

    def test_is_never_below_that_of_a_class_inside(self):
        widenings = left_out.Widenings(KIN)
        widenings.added["training", left_out.DEVICE] = 0.2
        exact = [Row("training", "next", "second", "single_node", 0.0, ())] * 10
        widenings.fit(left_out.ARCHITECTURE, [(BARS, exact)], lambda row, bar: bar)
        self.assertEqual(widenings.added["training", left_out.ARCHITECTURE], 0.2)


class CatalogWithout(unittest.TestCase):
    def copied(self, name):
        group = next(one for one in leave_one_out.GROUPS if one.name == name)
        with tempfile.TemporaryDirectory() as folder:
            leave_one_out.copy_without(ROOT / "nodes", group, pathlib.Path(folder))
            return leave_one_out.Catalog(folder)

    def test_has_the_constants_of_a_relative_for_a_generation(self):
        shipped = leave_one_out.Catalog(ROOT / "nodes").table("device")
        catalog = self.copied("hopper")
        device = catalog.table("device")["h100-sxm"]
        relative = shipped["a100-sxm-80gb"]
        self.assertEqual(device["tensor_sustained"]["bf16"]["value"],
                         relative["tensor_sustained"]["bf16"]["value"])
        self.assertEqual(device["kernel_latency"]["value"], relative["kernel_latency"]["value"])
        self.assertEqual(device["tensor_peak"], shipped["h100-sxm"]["tensor_peak"])
        self.assertNotIn("h100-sxm", {leave_one_out.value_of(entry["device"]) for entry in
                                      catalog.table("library").values() if "device" in entry})

    def test_has_a_stack_as_another_one(self):
        catalog = self.copied("vllm@0.12")
        serving = catalog.table("framework")["vllm@0.12"]["serving"]
        other = leave_one_out.Catalog(ROOT / "nodes").table("framework")["vllm@0.11"]["serving"]
        self.assertEqual(serving["kernel_gap"]["value"],
                         leave_one_out.value_of(other["kernel_gap"]))

    def test_is_toml(self):
        text = leave_one_out.written({"sources": {"a": "b"}, "device": {
            "x": {"title": "a \"b\"", "n": 1.5, "on": True, "t": {"k": {"value": [1, 2]}}}}})
        self.assertEqual(tomllib.loads(text)["device"]["x"],
                         {"title": "a \"b\"", "n": 1.5, "on": True, "t": {"k": {"value": [1, 2]}}})


if __name__ == "__main__":
    unittest.main()
