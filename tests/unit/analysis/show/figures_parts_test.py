#!/usr/bin/python3
"""Ticks, colours and legends of figures.py by themselves.

    figures_parts_test.py ANALYSIS_FOLDER

Exits with 77 where matplotlib is missing: then there are no figures either.
"""

import sys
import unittest
from types import SimpleNamespace

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv.pop(1))
try:
    import figures_base as base
    import figures_frontier as frontier
except SystemExit:
    sys.exit(77)


class Parts(unittest.TestCase):
    def test_ticks_are_few_and_round(self):
        self.assertEqual(frontier.log_ticks(0.9, 25), [1, 2, 5, 10, 20])
        self.assertEqual(frontier.log_ticks(0.5e-6, 2e6), [10.0 ** i for i in range(-6, 7)])
        self.assertEqual(frontier.log_ticks(47, 88), [50, 60, 70, 80])

    def test_ticks_stay_within_the_limits(self):
        for low, high in ((0.0141, 0.0151), (3.0, 4.0), (7, 1.3e5), (1e-9, 1e9)):
            ticks = frontier.log_ticks(low, high)
            self.assertTrue(2 <= len(ticks) <= 19, ticks)
            self.assertTrue(all(low <= tick <= high for tick in ticks), ticks)

    def test_text_is_read_on_all_colours(self):
        self.assertEqual(base.text_colour_on(base.RESOURCE_COLOURS["tensor_compute"]), "white")
        self.assertEqual(base.text_colour_on(base.RESOURCE_COLOURS["latency"]), "black")
        self.assertEqual(base.text_colour_on(base.OTHER_COLOUR), "white")
        # A pale colour is nearly white, whatever it is.
        self.assertEqual(base.text_colour_on(base.OTHER_COLOUR, 0.2), "black")

    def test_a_quantity_stays_in_one_line(self):
        analysis = SimpleNamespace(axis_labels={"limit": ["500 ms"]}, words={"limit": "long limit"})
        self.assertEqual(base.broken(base.value_text(analysis, "limit", 0), 0.7),
                         "long limit\n500\u00a0ms")

    def test_the_first_objective_is_an_axis(self):
        values = {"cost": [1.0, 2.0], "step_time": [1.0, 2.0], "energy": [1.0, 2.0],
                  "power": [7.0, 7.0]}
        plane = lambda *objectives: frontier.plane(SimpleNamespace(
            objectives=list(objectives), better="step_time", cloud=None,
            quantities=lambda _, name: base.np.array(values[name])))
        self.assertEqual(plane("cost", "step_time"), ["step_time", "cost", None])
        self.assertEqual(plane("cost", "energy", "step_time"), ["step_time", "cost", "energy"])
        self.assertEqual(plane("power", "energy", "cost"), ["power", "energy", "cost"])
        self.assertEqual(plane("step_time", "power"), ["step_time", "power", None])
        self.assertEqual(plane("step_time"), ["step_time", None, None])

    def test_values_of_the_third_objective_are_told_apart(self):
        columns = SimpleNamespace(units={"cost": "USD"}, long_names={"cost": "cost per token"})
        analysis = SimpleNamespace(frontier=columns, words={})
        labels = lambda levels: [handle.get_label() for handle in frontier.level_handles(
            analysis, "cost", {level: "o" for level in levels})]
        self.assertEqual(labels([5.69017, 6.1402]), ["cost per token (USD):", "5.69", "6.14"])
        self.assertEqual(labels([5.69017, 5.69117])[1:], ["5.69", "5.691"])


if __name__ == "__main__":
    unittest.main()
