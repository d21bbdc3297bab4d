"""The border of Python and the library: what cannot cross it, signals, and studies that travel.

    boundary_test.py STAGED_FOLDER PROGRAM
"""
import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

SKIPPED = 77
try:
    import numpy
    import pandas
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(SKIPPED)

STAGED, PROGRAM = (Path(argument) for argument in sys.argv[1:3])
sys.path.insert(0, str(STAGED))
import scalesweep  # noqa: E402

SPEC = """schema = 1
title = "a small study"
[workload]
kind = "training"
model = "llama-3-8b"
sequence = 8192
global_batch = 64
[system]
accelerators = [8, 16]
device = ["a100-sxm-80gb", "h100-sxm"]
[strategy]
tensor_parallel = [1, 2, 4, 8]
micro_batch = [1, 2]
recompute = ["none", "full"]
"""
# Each point takes long: the largest load within limits is sought, and there are many points.
SLOW = f"""schema = 1
title = "a slow study"
[workload]
kind = "serving"
model = "llama-3-70b"
prompt = {list(range(500, 4000, 70))}
output = {list(range(100, 2100, 40))}
framework = ["vllm", "sglang"]
time_per_output_token_p99 = "50 ms"
[system]
accelerators = [8, 16, 32]
device = ["h100", "h200", "b200"]
"""


def bests(study, ids):
    """In another process."""
    return [study.point(id)["step_time"] for id in ids]


class Ids(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.study = scalesweep.Study(SPEC)
        cls.table = cls.study.evaluate(columns=["point_id", "status", "step_time"])

    def ids_of(self, ids):
        return list(self.study.arrays(ids, ["point_id"])["point_id"])

    def test_a_mask_filters(self):
        mask = self.table.status == "ok"
        wanted = list(self.table.point_id[mask])
        self.assertTrue(0 < len(wanted) < len(self.study))
        for given in (mask, mask.to_numpy(), list(mask), mask.astype("boolean")):
            self.assertEqual(self.ids_of(given), wanted)
        self.assertEqual(self.ids_of(~mask & mask), [])

    def test_a_mask_of_other_rows_is_refused(self):
        mask = self.table.status == "ok"
        with self.assertRaisesRegex(ValueError, "a mask of 3 values, and there are .* points: take "
                                    r"it from a table of all points .* table.point_id\[mask\]"):
            self.ids_of(mask[:3])
        by_time = self.table.sort_values("step_time")
        with self.assertRaisesRegex(ValueError, "not all points in their order; give ids"):
            self.ids_of(by_time.status == "ok")
        self.assertEqual(self.ids_of(by_time.point_id[by_time.status == "ok"]),
                         list(by_time.point_id[by_time.status == "ok"]))

    def test_whole_numbers_in_any_form(self):
        for given in ([3, 1], (3, 1), numpy.array([3, 1], dtype=numpy.uint8),
                      pandas.Series([3, 1], index=[7, 9]), pandas.array([3, 1], dtype="Int64"),
                      numpy.array([3, 1], dtype=object)):
            self.assertEqual(self.ids_of(given), [3, 1])
        for given in (2, numpy.int32(2), range(2, 3), numpy.array(2)):
            self.assertEqual(self.ids_of(given), [2])
        self.assertEqual(self.ids_of([]), [])
        self.assertEqual(len(self.ids_of(None)), len(self.study))

    def test_what_is_no_whole_number_is_refused(self):
        for given in ([1.7], [1.0], numpy.array([1.0]), ["1"], "1", 1.0, True, [None], [1, True],
                      pandas.array([1, None], dtype="Int64"), {1: 2}, b"1", [1 + 0j]):
            with self.subTest(given=given), self.assertRaisesRegex(TypeError, "whole number"):
                self.ids_of(given)
        with self.assertRaisesRegex(TypeError, r"not an array of 2 dimensions; give array.ravel\("):
            self.ids_of([[0, 1], [2, 3]])
        for id in (1.0, "1", True, None, [1]):
            for ask in (self.study.point, self.study.choices):
                with self.subTest(id=id), self.assertRaisesRegex(TypeError, "whole number"):
                    ask(id)
        with self.assertRaisesRegex(TypeError, r"columns is a list of names; write \['status'\]"):
            self.study.arrays(columns="status")

    def test_numbers_beyond_64_bits_do_not_wrap(self):
        for id in (2**64 + 3, 2**63, -2**64 + 3, -1, len(self.study)):
            for given in (id, [id], [0, id]):
                with self.subTest(given=given), \
                        self.assertRaisesRegex(ValueError, f"there is no point {id}; ids are 0 to"):
                    self.ids_of(given)
            with self.assertRaisesRegex(scalesweep.NoSuchPoint, f"there is no point {id}; ids"):
                self.study.choices(id)
            with self.assertRaisesRegex(ValueError, f"there is no point {id}; ids"):
                self.study.point(id)
        for threads in (2**40 + 1, 2**32, -1):
            problem = f"threads must be 0 .* 2147483647, not {threads}"
            with self.assertRaisesRegex(ValueError, problem):
                self.study.evaluate(threads=threads)
        for threads in (1.5, "2", True):
            with self.assertRaisesRegex(TypeError, "threads is a whole number"):
                self.study.evaluate(threads=threads)


class Texts(unittest.TestCase):
    def test_a_zero_byte_does_not_cut_a_text(self):
        with self.assertRaisesRegex(ValueError, "the spec has a zero byte in line 15; take it out"):
            scalesweep.Study(SPEC + "\0[economics]\n")
        tables = {"title": "a\0b", "workload": {"kind": "training"}}
        with self.assertRaisesRegex(ValueError, r"'a\\x00b' has a zero byte"):
            scalesweep.Study(tables)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "study.toml").write_text(SPEC)
            for open in (scalesweep.Study, scalesweep.Catalog):
                with self.assertRaisesRegex(ValueError, "the name of a .* has a zero byte"):
                    open(f"{folder}/study.toml\0.bak")
        with self.assertRaisesRegex(ValueError, "the name of a spec has a zero byte"):
            scalesweep.Study(SPEC, name="a\0b")

    def test_keys_and_texts_stay_what_they_are(self):
        tables = {"title": 'a "b"\x7f\n[c]', "workload": {"kind": "training", "x\n[system]\ny": 1}}
        with self.assertRaisesRegex(scalesweep.SpecError, r"unknown key 'x"):
            scalesweep.Study(tables)
        study = scalesweep.Study({"title": 'a "b"\x7f\n[c]', "workload": {
            "kind": "training", "model": "llama-3-8b", "sequence": 8192, "global_batch": 64},
            "system": {"accelerators": 8, "device": "h100"}})
        self.assertEqual(study.title, 'a "b"\x7f\n[c]')


class Keywords(unittest.TestCase):
    KEYS = dict(kind="training", model="llama-3-8b", sequence=8192, global_batch=64, device="h100")

    def test_what_is_said_twice_is_refused(self):
        for twice in (dict(devices=8, accelerators=16), dict(devices=8, system={"accelerators": 8}),
                      dict(system={"accelerators": 8}, accelerators=8)):
            with self.subTest(twice=twice), self.assertRaisesRegex(
                    TypeError, "are the same, accelerators of a spec; give one of them"):
                scalesweep.estimate(**self.KEYS, **twice)
        with self.assertRaisesRegex(TypeError, "model and workload are the same"):
            scalesweep.estimate(model="llama-3-8b", workload="training")
        beside = scalesweep.estimate(**self.KEYS, devices=8, system={"scale_out": "NDRx8"})
        self.assertEqual(beside["accelerators"], 8)

    def test_counts_are_whole_numbers(self):
        best = scalesweep.estimate(**self.KEYS, devices=8, micro_batch=[1, 2])
        for name in ("accelerators", "sequence", "global_batch", "tensor_parallel", "point_id"):
            self.assertIs(type(best[name]), int, name)
        for name in ("step_time", "energy_per_step"):
            self.assertIs(type(best[name]), float, name)
        counts = best.study.arrays([0], ["accelerators"])["accelerators"]
        self.assertEqual(counts.dtype, numpy.int64)


class Signals(unittest.TestCase):
    def test_an_interrupt_ends_an_evaluation(self):
        study = scalesweep.Study(SLOW)
        self.assertGreater(len(study), 100_000)  # all of them take many minutes
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs may ignore it
        try:
            for threads in (1, 0):
                timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
                timer.start()
                with self.assertRaises(KeyboardInterrupt):
                    study.arrays(columns=["status"], threads=threads)
                for other in threading.enumerate():
                    if other.name == "scalesweep":
                        other.join()
                self.assertEqual(study.point(0).id, 0)  # the study goes on
        finally:
            signal.signal(signal.SIGINT, before)

    def test_another_thread_may_evaluate(self):
        study = scalesweep.Study(SPEC)
        expected = study.arrays(columns=["step_time"])["step_time"]
        found = []
        thread = threading.Thread(target=lambda: found.append(study.arrays(columns=["step_time"])))
        thread.start()
        thread.join()
        numpy.testing.assert_array_equal(found[0]["step_time"], expected)


class Travelling(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.spec = Path(cls.folder.name) / "small.toml"
        cls.spec.write_text(SPEC)
        (cls.spec.parent / "nodes").mkdir()
        (cls.spec.parent / "nodes" / "mine.toml").write_text(
            "schema = 1\n[device.mine]\nlike = \"h100-sxm\"\n")
        cls.study = scalesweep.Study(SPEC)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check(self, study, same):
        self.assertEqual(len(same), len(study))
        self.assertEqual((same.title, same.columns, same.parameters, same.objectives),
                         (study.title, study.columns, study.parameters, study.objectives))
        numpy.testing.assert_array_equal(same.arrays([3], ["step_time"])["step_time"],
                                         study.arrays([3], ["step_time"])["step_time"])

    def test_studies_of_texts_dictionaries_and_files(self):
        tables = {"workload": {"kind": "training", "model": "llama-3-8b", "sequence": 8192,
                               "global_batch": 64}, "system": {"accelerators": 8, "device": "h100"}}
        file = self.spec.with_suffix(".h5")
        subprocess.run([PROGRAM, "run", self.spec, "-o", file, "--quiet"], check=True)
        here = os.getcwd()
        try:
            os.chdir(self.spec.parent)
            studies = [scalesweep.Study(of) for of in (SPEC, tables, self.spec, "small.toml", file)]
            blobs = [pickle.dumps(study) for study in studies]
        finally:
            os.chdir(here)
        for study, blob in zip(studies, blobs):
            self.check(study, pickle.loads(blob))

    def test_a_study_whose_spec_changed_is_refused(self):
        spec = self.spec.with_name("changing.toml")
        spec.write_text(SPEC)
        blob = pickle.dumps(scalesweep.Study(spec))
        self.check(self.study, pickle.loads(blob))
        spec.write_text(SPEC.replace("8192", "4096"))
        with self.assertRaisesRegex(scalesweep.Error, "changing.toml is not the study any more "
                                    "that was pickled: .* open it anew"):
            pickle.loads(blob)

    def test_estimates_have_their_values(self):
        best = self.study.best()
        same = pickle.loads(pickle.dumps(best))
        self.assertEqual(same["step_time"], best["step_time"])
        self.assertEqual((list(same), same.units, same.id, same.status, same.feasible, repr(same)),
                         (list(best), best.units, best.id, best.status, best.feasible, repr(best)))
        with self.assertRaisesRegex(KeyError, "no column 'step_tme'; there are point_id,"):
            same["step_tme"]
        self.check(self.study, same.study)
        again = pickle.loads(pickle.dumps(same))
        self.assertEqual(again["step_time"], best["step_time"])
        self.assertIs(again.study, same.study)
        spec = self.spec.with_name("gone.toml")  # values do not need it
        spec.write_text(SPEC)
        blob = pickle.dumps(scalesweep.Study(spec).point(3))
        spec.unlink()
        self.assertEqual(pickle.loads(blob)["step_time"], self.study.point(3)["step_time"])
        with self.assertRaises(FileNotFoundError):
            pickle.loads(blob).study

    def test_copies(self):
        best = self.study.best()
        catalog = scalesweep.Catalog()
        for one in (self.study, best, catalog):
            self.assertIs(copy.deepcopy(one), one)
            self.assertIs(copy.copy(one), one)
        self.assertEqual(pickle.loads(pickle.dumps(catalog)).folder, None)
        search = scalesweep.Search(scalesweep.Space(self.study), seed=5)
        twin = copy.deepcopy(search)
        same = pickle.loads(pickle.dumps(search))
        asked = [search.ask() for _ in range(5)]
        self.assertEqual([twin.ask() for _ in range(5)], asked)
        self.assertEqual([same.ask() for _ in range(5)], asked)

    def test_errors_come_back_as_they_are(self):
        for error in (scalesweep.Error("a", 70), scalesweep.SpecError("b", 65),
                      scalesweep.NoSuchPoint("c", 1), scalesweep.Infeasible("d", {"ok": 0})):
            same = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(same), str(same), vars(same)),
                             (type(error), str(error), vars(error)))

    def test_another_process_gets_them(self):
        ids = [0, 3, 5]
        expected = bests(self.study, ids)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            self.assertEqual(pool.apply(bests, (self.study, ids)), expected)
            estimate, *_ = pool.map(self.study.point, ids)
            self.assertEqual(estimate["step_time"], expected[0])
            with self.assertRaises(scalesweep.NoSuchPoint):
                pool.apply(self.study.choices, (10**9,))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
