"""The reader and the figure that ship as examples, on the study of a small spec.

    examples_test.py PROGRAM SOURCE_FOLDER
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SKIPPED = 77
try:
    import h5py
    import numpy
    import matplotlib
    import pandas
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(SKIPPED)

PROGRAM, SOURCE = Path(sys.argv[1]), Path(sys.argv[2])
EXAMPLES = SOURCE / "analysis" / "examples"
sys.path.insert(0, str(EXAMPLES))
import scalesweep_reader as reader  # noqa: E402

SPEC = """
schema = 1
title = "a small study"
[workload]
kind = "training"
model = "gpt3-175b"
sequence = 2048
global_batch = 64
[system]
accelerators = 64
device = ["a100-sxm-80gb", "h100-sxm"]
[strategy]
tensor_parallel = [1, 2, 4, 8]
pipeline_parallel = [1, 2, 4, 8]
micro_batch = [1, 2]
recompute = ["none", "full"]
"""

SERVICE = """
schema = 1
title = "a small service"
[workload]
kind = "serving"
model = "llama-2-7b"
precision = "bf16"
prompt = 500
output = 250
batching = ["separate", "chunked"]
time_to_first_token = "2 s"
time_per_output_token = ["60 ms", "1 us"]
[system]
accelerators = 1
device = ["a100-sxm-80gb", "h100-sxm"]
"""


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.study = Path(cls.folder.name) / "small.h5"
        spec = Path(cls.folder.name) / "small.toml"
        spec.write_text(SPEC)
        subprocess.run([PROGRAM, "run", spec, "-o", cls.study, "--quiet"], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_reads_what_the_file_holds(self):
        frame = reader.read_study(self.study)
        with h5py.File(self.study) as file:
            results = file["results"]
            self.assertEqual(list(frame.columns), list(results.attrs["columns"].astype(str)))
            numpy.testing.assert_array_equal(frame["step_time"], results["step_time"][()])
            self.assertEqual(list(frame["device"].cat.codes), list(results["device"][()]))
        self.assertEqual(list(frame["device"].cat.categories), ["a100-sxm-80gb", "h100-sxm"])
        self.assertEqual(frame.attrs["title"], "a small study")
        self.assertEqual(reader.units(frame, "step_time"), "s")
        self.assertEqual(reader.units(frame, "device"), "")

    def test_reads_the_rows_and_columns_that_are_asked_for(self):
        whole = reader.read_study(self.study)
        some = reader.read_study(self.study, ["point_id", "step_time"],
                                 {"status": "ok", "device": "h100-sxm", "micro_batch": 2})
        wanted = whole[(whole.status == "ok") & (whole.device == "h100-sxm") &
                       (whole.micro_batch == 2)]
        self.assertGreater(len(some), 0)
        self.assertEqual(list(some.point_id), list(wanted.point_id))
        self.assertEqual(list(some.columns), ["point_id", "step_time"])

    def test_names_a_column_that_is_not_there(self):
        with self.assertRaisesRegex(KeyError, "no column 'step_tme'"):
            reader.read_study(self.study, ["step_tme"])

    def test_a_name_that_no_row_could_have_is_a_mistake(self):
        with self.assertRaisesRegex(ValueError, "device is never 'h100'; it is one of a100-sxm"):
            reader.read_study(self.study, where={"device": "h100"})

    def test_scripts_say_which_study_they_are_for(self):
        missing, text = Path(self.folder.name) / "missing.h5", Path(self.folder.name) / "small.toml"
        for script, expected in (("fine_tuning.py", "sweeps/fine-tuning.toml"),
                                 ("gpu_generations.py", "sweeps/gpu-generations.toml"),
                                 ("images.py", "sweeps/multimodal.toml"),
                                 ("inference_figures.py", "sweeps/serving.toml"),
                                 ("memory_footprint.py", "sweeps/memory-footprint.toml"),
                                 ("time_to_train.py", "sweeps/time-to-train.toml")):
            for study, words in ((self.study, expected), (missing, "missing.h5"),
                                 (text, "small.toml")):
                with self.subTest(script=script, study=study):
                    done = subprocess.run([sys.executable, "-B", EXAMPLES / script, study],
                                          capture_output=True, text=True)
                    self.assertEqual(done.returncode, 1)
                    self.assertEqual(done.stdout, "")
                    self.assertRegex(done.stderr, rf"\A[^\n]*{words}[^\n]*\n\Z")

    def test_prints_the_best_service_of_each_device_and_limit(self):
        spec, study = (Path(self.folder.name) / name for name in ("service.toml", "service.h5"))
        spec.write_text(SERVICE)
        subprocess.run([PROGRAM, "run", spec, "-o", study, "--quiet"], check=True)
        done = subprocess.run([sys.executable, "-B", EXAMPLES / "inference_figures.py", study],
                              check=True, capture_output=True, text=True)
        for device in ("a100-sxm-80gb", "h100-sxm"):
            self.assertRegex(done.stdout, rf"{device} +\d+ tokens/s a device.* on +1, TP 1")
            self.assertRegex(done.stdout, rf"{device} +no point meets the limits")

    def test_frontier_is_what_no_row_dominates(self):
        generator = numpy.random.default_rng(1)
        frame = pandas.DataFrame(generator.integers(0, 6, (60, 3)).astype(float),
                                 columns=list("abc"))
        frame.loc[3, "b"] = numpy.nan
        found = set(reader.frontier(frame, list("abc")).index)
        values = frame.to_numpy()
        expected = set()
        for i, row in enumerate(values):
            others = [other for j, other in enumerate(values)
                      if j != i and not numpy.isnan(other).any()]
            beaten = any((other <= row).all() and (other < row).any() for other in others)
            twin = any((values[j] == row).all() for j in range(i))
            if not (numpy.isnan(row).any() or beaten or twin):
                expected.add(i)
        self.assertEqual(found, expected)

    def test_the_figure_is_drawn_from_the_best_points(self):
        figure = Path(self.folder.name) / "small.svg"
        done = subprocess.run(
            [sys.executable, "-B", EXAMPLES / "frontier_and_bottlenecks.py", self.study, figure],
            check=True, capture_output=True, text=True)
        self.assertIn("<svg", figure.read_text()[:2000])
        whole = reader.read_study(self.study, where={"status": "ok"})
        best = whole.loc[whole.groupby("device", observed=True)["step_time"].idxmin()]
        for point in best.point_id:
            self.assertRegex(done.stdout, rf"\b{point}\b")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
