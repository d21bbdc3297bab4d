"""The Python package: docstrings and README as they stand, and the same bits as a run's file.

    package_test.py STAGED_FOLDER PROGRAM SOURCE_FOLDER
"""
import concurrent.futures
import doctest
import importlib
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SKIPPED = 77
try:
    import h5py  # noqa: F401
    import numpy
    import pandas
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(SKIPPED)

STAGED, PROGRAM, SOURCE = (Path(argument) for argument in sys.argv[1:4])
sys.path[:0] = [str(STAGED), str(SOURCE / "python" / "examples")]
import dakota_study  # noqa: E402
import optuna_search  # noqa: E402
import scalesweep  # noqa: E402

SPEC = """schema = 1
title = "a small study"
[workload]
kind = "training"
model = "llama-3-8b"
sequence = 8192
global_batch = 64
[system]
accelerators = 8
device = ["a100-sxm-80gb", "h100-sxm"]
[strategy]
tensor_parallel = [1, 2, 4, 8]
micro_batch = [1, 2]
recompute = ["none", "full"]
"""


class StandIn:
    """Optuna's ask and tell: a study that gives trials, which suggest categories at random."""

    def __init__(self):
        self.random = random.Random(1)
        self.told = []

    def ask(self):
        return self

    def suggest_categorical(self, name, choices):
        return self.random.choice(choices)

    def tell(self, trial, value):
        self.told.append(value)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.spec = Path(cls.folder.name) / "small.toml"
        cls.spec.write_text(SPEC)
        cls.file = Path(cls.folder.name) / "small.h5"
        subprocess.run([PROGRAM, "run", cls.spec, "-o", cls.file, "--quiet"], check=True)
        cls.study = scalesweep.Study(cls.spec)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_docstrings_and_readme_are_transcripts(self):
        for name in ("scalesweep.study", "scalesweep.search"):
            found = doctest.testmod(importlib.import_module(name))
            self.assertEqual(found.failed, 0)
            self.assertGreater(found.attempted, 5)
        found = doctest.testfile(str(SOURCE / "python" / "README.md"), module_relative=False)
        self.assertEqual(found.failed, 0)
        self.assertGreater(found.attempted, 10)

    def test_estimates_are_those_of_a_run(self):
        stored = scalesweep.open(self.file)
        computed = self.study.evaluate()
        self.assertEqual(list(stored.columns), list(computed.columns))
        for name in stored.columns:
            one, other = stored[name], computed[name]
            if isinstance(one.dtype, pandas.CategoricalDtype):
                self.assertEqual(list(one.cat.codes), list(other.cat.codes), name)
            else:
                numpy.testing.assert_array_equal(one.astype(float), other.astype(float), name)
        self.assertEqual(stored.attrs["units"], computed.attrs["units"])
        self.assertEqual(stored.attrs["units"]["step_time"], "s")

    def test_opens_a_finished_study_as_it_does_a_spec(self):
        of_file = scalesweep.Study(self.file)
        self.assertEqual(len(of_file), len(self.study))
        self.assertEqual(dict(of_file.point(3)).keys(), dict(self.study.point(3)).keys())
        self.assertEqual(of_file.best()["step_time"], self.study.best()["step_time"])

    def test_a_union_of_studies_is_refused(self):
        other, union = self.spec.with_name("other.toml"), self.spec.with_name("union.h5")
        other.write_text(SPEC.replace("h100-sxm", "b200-sxm"))
        subprocess.run([PROGRAM, "run", other, "-o", other.with_suffix(".h5"), "--quiet"],
                       check=True)
        subprocess.run([PROGRAM, "merge", "--union", self.file, other.with_suffix(".h5"), "-o",
                        union], check=True, capture_output=True)
        with self.assertRaisesRegex(scalesweep.SpecError, "union.h5 is a union of studies; open"):
            scalesweep.Study(union)

    def test_the_best_is_that_of_all_rows(self):
        rows = self.study.evaluate(columns=["point_id", "status", "step_time"])
        feasible = rows[rows.status == "ok"]
        best = self.study.best()
        self.assertEqual(best.id, feasible.point_id[feasible.step_time.idxmin()])
        self.assertTrue(best.feasible)
        self.assertIn("step_time", repr(best))
        self.assertEqual(set(best), set(self.study.columns))
        with self.assertRaisesRegex(KeyError, "no column 'step_tme'; there are point_id,"):
            best["step_tme"]

    def test_a_rate_is_maximized(self):
        study = scalesweep.Study(SPEC + '[objectives]\nmaximize = ["model_flop_utilization"]\n')
        rows = study.evaluate(columns=["status", "model_flop_utilization"])
        most = rows.model_flop_utilization[rows.status == "ok"].max()
        self.assertEqual(study.best()["model_flop_utilization"], most)

    def test_keywords_find_their_tables(self):
        keys = dict(kind="training", model="llama-3-8b", sequence=8192, global_batch=64,
                    device="h100-sxm", tensor_parallel=2, micro_batch=1, recompute="full",
                    minimize=["energy_per_token"])
        best = scalesweep.estimate(devices=8, **keys)
        self.assertEqual((best["tensor_parallel"], best["recompute"]), (2, "full"))
        self.assertEqual(best.study.objectives[0].name, "energy_per_token")
        self.assertEqual(scalesweep.estimate(accelerators=8, **keys).id, best.id)
        with self.assertRaisesRegex(TypeError, "no key 'modle'; did you mean 'model'"):
            scalesweep.estimate(modle="llama-3-8b")
        with self.assertRaisesRegex(TypeError, "a spec or its keys, not both"):
            scalesweep.estimate(self.spec, model="llama-3-8b")
        with self.assertRaisesRegex(TypeError, "cannot stand in a spec"):
            scalesweep.estimate(devices=8, **{**keys, "model": object()})

    def test_nothing_feasible_says_why(self):
        with self.assertRaisesRegex(scalesweep.Infeasible, "none of .* is feasible: .* does_not_fit"
                                    ) as told:
            scalesweep.estimate(kind="training", model="llama-3.1-405b", device="h100", devices=2,
                                sequence=8192, global_batch=4)
        self.assertEqual(set(told.exception.counts), {"does_not_fit"})

    def test_mistakes_are_told_as_the_program_does(self):
        wrong = self.spec.with_name("wrong.toml")
        wrong.write_text(SPEC.replace("sequence", "sequnce").replace("h100-sxm", "h1000"))
        done = subprocess.run([PROGRAM, "check", wrong], capture_output=True, text=True)
        with self.assertRaises(scalesweep.SpecError) as told:
            scalesweep.Study(wrong)
        self.assertEqual(told.exception.code, 65)
        self.assertEqual(str(told.exception).splitlines(), done.stderr.splitlines()[:-1])
        self.assertIn("wrong.toml:6:1: error: unknown key 'sequnce'", done.stderr)
        with self.assertRaisesRegex(FileNotFoundError, "gone.toml"):
            scalesweep.Study(self.spec.with_name("gone.toml"))
        with self.assertRaisesRegex(FileNotFoundError, "the argument catalog /nowhere: no such"):
            scalesweep.Study(self.spec, catalog="/nowhere")
        with self.assertRaisesRegex(ValueError, "there is no point 999999; ids are 0 to"):
            self.study.evaluate([999999])

    def test_points_and_values_belong_to_each_other(self):
        for id in range(len(self.study)):
            self.assertEqual(self.study.id_of(self.study.choices(id)), id)
        values = {**self.study.choices(5), "device": "a100"}
        with self.assertRaisesRegex(ValueError, "device cannot be 'a100'; it is one of a100-sxm"):
            self.study.id_of(values)
        with self.assertRaisesRegex(ValueError, "there is no parameter 'divice'"):
            self.study.id_of({"divice": "h100-sxm"})
        with self.assertRaisesRegex(scalesweep.NoSuchPoint, "several layouts have device h100"):
            self.study.id_of({"device": "h100-sxm"})

    def test_several_threads_use_one_study(self):
        expected = self.study.arrays(columns=["step_time"])["step_time"]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: self.study.arrays(columns=["step_time"])["step_time"],
                                  range(8)))
        for values in found:
            numpy.testing.assert_array_equal(values, expected)

    def test_search_meets_every_point_once(self):
        search = scalesweep.Search(scalesweep.Space(self.study), seed=3)
        asked = []
        while (values := search.ask()) is not None:
            search.tell(values, search.space.loss(values))
            asked.append(tuple(values.items()))
        self.assertEqual(len(asked), len(self.study))
        self.assertEqual(len(set(asked)), len(self.study))
        self.assertEqual(search.best[0], self.study.best()["step_time"])

    def test_optuna_protocol(self):
        space, optimizer = scalesweep.Space(self.study), StandIn()
        loss, values = optuna_search.search(optimizer, space, 60)
        self.assertEqual(loss, min(optimizer.told))
        self.assertEqual(len(optimizer.told), 60)
        self.assertEqual(space.evaluate(values)["step_time"], loss)
        self.assertEqual(space.loss({**values, "tensor_parallel": 8, "micro_batch": 2,
                                     "pipeline_parallel": 8}), float("inf"))

    def dakota_parameters(self, values, results):
        file, out = (Path(self.folder.name) / name for name in ("params.in", results))
        lines = [f"{len(values):21} variables", *(f"{v:>21} {n}" for n, v in values.items()),
                 f"{1:21} functions", f"{1:21} ASV_1:step_time", f"{0:21} derivative_variables",
                 f"{0:21} analysis_components", f"{1:>21} eval_id"]
        file.write_text("\n".join(lines) + "\n")
        command = [sys.executable, "-B", SOURCE / "python" / "examples" / "dakota_study.py", "run",
                   self.spec, file, out]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(STAGED)})
        return out.read_text()

    def test_dakota_files(self):
        space = scalesweep.Space(self.spec)
        text = dakota_study.input_text(self.spec, space)
        self.assertIn("discrete_design_set string", text)
        self.assertIn("'device' 'recompute'", text)
        self.assertIn("'a100-sxm-80gb' 'h100-sxm' 'full' 'none'", text)
        values = space.values_at(self.study.best().id)
        told = self.dakota_parameters(values, "results.out").split()
        self.assertEqual(told[1], "step_time")
        self.assertEqual(float(told[0]), self.study.best()["step_time"])
        self.assertEqual(self.dakota_parameters({**values, "tensor_parallel": 8,
                                                 "pipeline_parallel": 8}, "none.out"), "fail\n")
        with self.assertRaisesRegex(ValueError, "no file of parameters as Dakota"):
            dakota_study.values_of("{ DAKOTA_VARS = 1 }", space)


class Missing(unittest.TestCase):
    def test_numpy_is_enough_for_estimates(self):
        code = """
import sys
sys.modules.update(pandas=None, h5py=None)
import scalesweep
best = scalesweep.estimate(kind="training", model="llama-3-8b", device="h100", devices=8,
                           sequence=8192, global_batch=64)
print(best.study.arrays([best.id], ["step_time"])["step_time"][0] == best["step_time"])
"""
        done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(STAGED)})
        self.assertEqual((done.stdout, done.stderr), ("True\n", ""))

    def test_a_library_that_cannot_be_loaded_says_what_to_do(self):
        done = subprocess.run(
            [sys.executable, "-B", "-c", "import scalesweep; scalesweep.Catalog()"],
            env={**os.environ, "PYTHONPATH": str(STAGED), "SCALESWEEP_LIBRARY": "/nowhere.so"},
            capture_output=True, text=True)
        self.assertIn("ImportError: libscalesweep cannot be loaded: /nowhere.so", done.stderr)
        self.assertIn("apt-get install libfmt9", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
