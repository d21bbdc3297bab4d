#!/usr/bin/env python3
"""Libraries that rows of kernels name: which entry they tell, and what is found of it. A law of
these tests stands for the program."""

import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "nodes" / "calibration"))

import calibrate  # noqa: E402
import entries  # noqa: E402
import own_libraries  # noqa: E402
from fast_library import ENTRIES  # noqa: E402

CATALOG = """schema = 1

[sources]
paper = "A paper"

""" + ENTRIES
TRUE = {"layer_latency": 25.0, "tensor_sustained": 0.6, "stream_share": 0.7, "token_passes": 5.0}


class Work:
    """Of calibrate.py, without a device."""

    def __init__(self, folder, device, like=""):
        self.catalog, self.program = pathlib.Path(folder), "none"
        self.device, self.like, self.names = device, like, {device}
        self.groups, self.remarks, self.also = [], [], []
        self.made, self.parents = set(), {}
        (self.catalog / "libraries.toml").write_text(CATALOG, encoding="utf-8")

    def library_devices(self):
        return {self.like or self.device}


def number(text):
    return float(text.split()[0])


def time_of(row, values):
    """Of a device without an entry a third of it is reached."""
    if values is None:
        values = {"layer_latency": 0.1, "tensor_sustained": 0.3, "stream_share": 0.3,
                  "token_passes": 0.01}
    return (values["layer_latency"] + float(row["flop"]) / values["tensor_sustained"]
            + float(row["weights"]) / values["stream_share"]
            + values["token_passes"] * float(row["tokens"]))


class Program:
    def __init__(self, program, catalog, rows, folder):
        self.catalog, self.rows = pathlib.Path(folder) / "nodes", rows
        self.catalog.mkdir()
        for path in catalog.glob("*.toml"):
            (self.catalog / path.name).write_text(path.read_text())

    def shipped_rows(self):
        known = own_libraries.libraries_of(self.catalog)

        def predicted(row):
            for values in known.values():
                told = tuple(values[f"experts.{key}"] for key in ("operands", "weights"))
                if (values["library"], values["device"]) == (row["library"], row["device"]) and (
                        told == own_libraries.formats_of(row)):
                    return time_of(row, {key: number(values[f"experts.{key}"]) for key in TRUE})
            return time_of(row, None)

        return [{"predicted_time_s": predicted(row)} for row in self.rows]


def cases(count, library, device, precision="nvfp4", values=None):
    rows = []
    for i in range(count):
        row = {"case": f"{library} {precision} {i}", "library": library, "device": device,
               "op": "experts", "precision": precision, "flop": 2.0 ** (i % 9),
               "weights": 3.0 ** (i % 5), "tokens": 2.0 ** (i % 4) - 1.0}
        rows.append(dict(row, time_s=time_of(row, values or TRUE)))
    return rows


class Experts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        patch = mock.patch.object(own_libraries, "Program", Program)
        patch.start()
        self.addCleanup(patch.stop)

    def calibrated(self, work, rows):
        own_libraries.calibrate_experts_of_libraries(work, rows)
        return {group.title: group for group in work.groups}

    def expect_found(self, group):
        for constant in group.constants:
            self.assertAlmostEqual(constant.after, TRUE[constant.place.key],
                                   delta=0.05 * TRUE[constant.place.key])
            self.assertFalse(constant.kept)

    def test_a_library_that_the_catalog_has_is_told_in_its_entry(self):
        work = Work(self.folder.name, "two")
        [group] = self.calibrated(work, cases(40, "fast 1.0", "two")).values()
        self.assertEqual(group.title, "experts of fast 1.0 in fp4")
        self.assertEqual(group.entry, ("library", "fast-two"))
        for constant, value in zip(group.constants, (10.0, 0.7, 0.8, 1.0)):
            self.assertAlmostEqual(constant.before, value)
        self.expect_found(group)
        self.assertFalse(work.made)

    def test_another_one_gets_an_entry(self):
        work = Work(self.folder.name, "two")
        rows = cases(40, 'new "kernels"', "two", "bf16") + cases(30, "fast 1.0", "two", "fp8")
        found = self.calibrated(work, rows)
        self.assertEqual(set(found), {'experts of new "kernels" in bf16',
                                      "experts of fast 1.0 in fp8"})
        for group in found.values():
            self.assertEqual({c.before for c in group.constants}, {None})
            self.expect_found(group)
        self.assertEqual(work.made, {("library", "experts-new-kernels-bf16-two"),
                                     ("library", "experts-fast-1-0-fp8-two")})
        text = (work.catalog / own_libraries.FILE).read_text()
        self.assertIn('[library.experts-new-kernels-bf16-two]\nsource = "calibration"\n'
                      'kind = "calibrated"\ndevice = "two"\nlibrary = "new \\"kernels\\""\n'
                      'kernels = "experts"\n', text)

    def test_a_new_device_has_what_its_parent_has(self):
        work = Work(self.folder.name, "mine", "two")
        rows = cases(40, "fast 1.0", "mine") + cases(11, "fast 1.0", "mine", "fp8")
        [group] = self.calibrated(work, rows).values()
        self.assertEqual(group.entry, ("library", "experts-fast-1-0-fp4-mine"))
        self.expect_found(group)
        self.assertEqual(work.parents["library", "experts-fast-1-0-fp4-mine"], "fast-two")
        self.assertEqual(work.remarks,
                         ["experts of fast 1.0 in fp8: 11 rows, 12 are needed"])

    def test_too_few_rows_of_a_new_device_leave_the_parents_constants(self):
        work = Work(self.folder.name, "mine", "two")
        self.assertEqual(self.calibrated(work, cases(5, "fast 1.0", "mine")), {})
        self.assertEqual(work.remarks, ["experts of fast 1.0 in fp4: 5 rows, 12 are needed"])
        self.assertEqual(work.also, [("library", "experts-fast-1-0-fp4-mine")])

    def test_a_fit_that_does_no_better_is_none(self):
        work = Work(self.folder.name, "one")
        exact = {"layer_latency": 10.0, "tensor_sustained": 0.7, "stream_share": 0.8,
                 "token_passes": 1.0}
        rows = cases(40, "fast 1.0", "one", values=exact)
        rows[0]["time_s"] *= 1.05
        for group in self.calibrated(work, rows).values():
            for constant in group.constants:
                self.assertTrue(constant.kept)
                self.assertEqual(constant.after, constant.before)
        [remark] = work.remarks
        self.assertRegex(remark, "experts of fast 1.0 in fp4: a fit takes the mean error of all "
                                 "rows from 0.1% to .*, that of the half held out from .*: "
                                 "constants stay; more rows tell")


class Attention(unittest.TestCase):
    def test_rows_tell_the_library_where_some_are_latent_or_it_is_known(self):
        with tempfile.TemporaryDirectory() as folder:
            work = Work(folder, "two")
            own_libraries.add_text(work, '[library.known]\nlibrary = "known 2"\n'
                                         'kernels = "attention"\ndevice = "two"')
            row = lambda op, library: {"op": op, "library": library}
            plain, own = row("attention_decode", "plain 1"), row("latent_decode", "")
            both = [row("attention_decode", "both 1"), row("latent_decode", "both 1")]
            known = row("attention_prefill", "known 2")
            named, rest = own_libraries.named_rows(work, [plain, own, *both, known])
        self.assertEqual(named, {"both 1": both, "known 2": [known]})
        # What the device does without a library is told by plain attention of all others.
        self.assertEqual(rest, [plain, own, both[0]])


class Head(unittest.TestCase):
    def said(self, wanted, made=(), like=""):
        work = types.SimpleNamespace(like=like, made=set(made))
        return calibrate.usage_text(work, wanted, False)

    def test_it_says_where_a_file_goes(self):
        device, library = ("device", "one"), ("library", "new")
        self.assertIn("they go into a copy of it, in their place.", self.said([device]))
        self.assertNotIn("libraries =", self.said([device]))
        new = self.said([library], [library])
        self.assertIn("# These entries are new: this file goes beside those of the catalog.", new)
        self.assertIn('libraries = ["NAME"]', new)
        mixed = self.said([device, library], [library])
        self.assertIn("in their place:\n# device.one\n# The others are new.", mixed)
        self.assertIn("What is not here is that of one.", self.said([library], [library], "one"))


class Text(unittest.TestCase):
    def test_a_key_is_set_where_it_is_and_where_it_is_not(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.toml"
            path.write_text('[library.a]\ndevice = "one"\n[library.b]\nfit = "old"\n')
            for name in "ab":
                entries.set_text(path, f"library.{name}", "fit", "new")
            self.assertEqual(path.read_text(), '[library.a]\nfit = "new"\ndevice = "one"\n'
                                               '[library.b]\nfit = "new"\n')


if __name__ == "__main__":
    unittest.main()
