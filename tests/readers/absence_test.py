"""What a study does not know is absent, in the file and in everything that is made of it, whatever
the kind of work, the status of a point and the column.

absence_test.py PROGRAM
"""
import csv
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv[1]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
try:
    import exported_rows
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

HEAD = 'schema = 1\ntitle = "What is absent"\n[workload]\nkind = "{kind}"\n'

# Small studies of all kinds of work, together with every status that their points may end in.
STUDIES = {
    "training": HEAD + """
model = "llama-2-7b"
sequence = 2048
global_batch = 64
precision = ["bf16", "fp8"]
tokens = "1 T"
[run]
checkpoint_interval = ["2 s", "30 min"]
[system]
accelerators = [1, 16]
device = ["a100-sxm-80gb", "h100-sxm"]
[strategy]
tensor_parallel = [1, 2]
micro_batch = [1, 8]
recompute = ["none", "full"]
[[filter]]
where = "tensor_parallel * micro_batch < 16"
[[require]]
where = "step_time <= 2"
name = "pace"
""",
    "derived": HEAD.replace("{kind}", "training") + """
model = "llama-2-7b"
sequence = 2048
global_batch = 64
[system]
accelerators = 16
logic = "N5"
memory = "HBM3"
scale_up = { link = "NVLink3", domain = [8, 64] }
scale_out = "NDRx8"
[system.device]
template = "tensor-core-gpu"
die_area = "826 mm2"
power = ["100 W", "700 W"]
stacks = [2, 40]
[strategy]
tensor_parallel = 2
pipeline_parallel = 1
micro_batch = 1
recompute = "none"
zero = [0, 1]
""",
    "inference": HEAD + """
model = "llama-3-70b"
prompt = 2000
output = 200
batch = [8, 4096]
precision = ["bf16", "fp8"]
[system]
accelerators = [1, 8]
device = ["a100-sxm-80gb", "h100-sxm"]
[strategy]
tensor_parallel = [1, 8]
[keep]
operators = true
""",
    "serving": HEAD + """
model = "llama-3-70b"
prompt = 2000
output = 200
precision = ["bf16", "fp8"]
batching = ["chunked", "disaggregated"]
time_to_first_token = ["none", "500 ms"]
time_per_output_token = ["5 ms", "50 ms"]
load_curve = [0.3, 1.0]
[system]
accelerators = [1, 8, 16]
device = ["a100-sxm-80gb", "h100-sxm"]
[strategy]
tensor_parallel = [1, 8]
pipeline_parallel = 1
""",
    "pools": HEAD.replace("{kind}", "serving") + """
model = "llama-3-70b"
prompt = 2000
output = 200
precision = "bf16"
framework = "vllm"
time_per_output_token = "50 ms"
[strategy]
tensor_parallel = [1, 8]
pipeline_parallel = 1
[prefill]
device = "h100-sxm"
tensor_parallel = [1, 8]
pipeline_parallel = 1
accelerators = [1, 8]
[decode]
device = "h100-sxm"
accelerators = [1, 8]
""",
    "recommendation": HEAD + """
recommender = "dlrm-dcnv2"
batch = 65536
table_growth = [1, 16]
precision = ["bf16", "fp8"]
[system]
accelerators = [1, 16]
device = ["a100-sxm-80gb", "h100-sxm"]
""",
    "diffusion": HEAD + """
diffusion_model = "flux-1-dev"
batch = [4, 4096]
width = 1024
height = 1024
precision = ["bf16", "fp8"]
[system]
accelerators = [1, 4]
device = ["a100-sxm-80gb", "h100-sxm"]
""",
    "reinforcement_learning": HEAD + """
model = ["llama-3-8b", "llama-3-70b"]
prompts = 64
samples = 4
prompt = 512
output = 1024
placement = ["colocated", "separate"]
staleness = [0, 1]
[system]
accelerators = [2, 32]
device = "h100-sxm"
[strategy]
tensor_parallel = [1, 2]
pipeline_parallel = 1
micro_batch = 1
zero = [0, 3]
recompute = "full"
sequence_parallel = false
""",
}

# What there is of a layout that has no time: what it takes of a device, and the devices.
OF_LAYOUT = ("memory_", "largest_batch", "tensor_peak", "dram_bandwidth", "scale_up_bandwidth",
             "scale_out_bandwidth", "share_", "training_devices", "rollout_devices")
# Statuses whose points have a time; of those of SOMETIMES some do, as their description says.
WITH_TIME = {"ok", "misses_limits", "misses_pace", "checkpoint_too_slow"}
SOMETIMES = {"does_not_fit"}
# Every status that a point may end in here, so that none goes untried.
TRIED = {"ok", "does_not_fit", "filtered", "unsupported_precision", "domain_exceeds_link",
         "checkpoint_too_slow", "misses_pace", "misses_limits", "too_few_replicas",
         "not_separate"}


def ran(*arguments):
    run = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    if run.returncode != 0:
        raise AssertionError(f"{arguments}: {run.returncode}\n{run.stderr}")
    return run.stdout


class Absence(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.files, cls.studies = {}, {}
        for name, text in STUDIES.items():
            spec = pathlib.Path(cls.folder.name) / f"{name}.toml"
            spec.write_text(text.replace("{kind}", name))
            cls.files[name] = spec.with_suffix(".h5")
            ran("run", spec, "-o", cls.files[name], "--no-sync", "--quiet")
            cls.studies[name] = exported_rows.Rows(cls.files[name])

    def rows(self):
        for name, study in self.studies.items():
            for row, status in enumerate(study.columns["status"]):
                yield name, study, row, study.names["status"][status]

    def test_all_statuses_are_tried(self):
        met = {status for *_, status in self.rows()}
        self.assertLessEqual(TRIED, met)
        self.assertTrue(any(status.startswith(("stacks_", "die_", "power_")) or "exceed" in status
                            for status in met - {"domain_exceeds_link"}))

    def test_a_row_has_a_time_by_its_status(self):
        for name, study, row, status in self.rows():
            time = study.value(study.time(), row)
            where = f"{name}, row {row}, {status}"
            if status in WITH_TIME:
                self.assertIsNotNone(time, where)
                self.assertGreater(time, 0.0, where)
            elif status not in SOMETIMES:
                self.assertIsNone(time, where)

    def test_no_number_is_infinite(self):
        for name, study in self.studies.items():
            for column in filter(study.is_real, study.order):
                if any(map(math.isinf, study.columns[column])):
                    self.assertIn("infinite: none", study.about[column]["description"],
                                  f"{name}, {column}")

    # Without a time nothing is left but the layout; what no point of the study has but this one is
    # not there either.
    def test_without_a_time_there_is_no_estimate(self):
        for name, study, row, status in self.rows():
            if study.value(study.time(), row) is not None:
                continue
            of_layout = OF_LAYOUT if status in SOMETIMES else ()
            for column in study.order[study.order.index("status") + 1:]:
                if not column.startswith(tuple(of_layout)):
                    self.assertIsNone(study.value(column, row),
                                      f"{name}, row {row}, {status}, {column}")
            if status in SOMETIMES and name != "pools":
                self.assertGreater(study.value("memory_total", row), 0.0)

    # A feasible point has a value in each column that does not say why it may not.
    def test_a_feasible_point_has_all(self):
        for name, study, row, status in self.rows():
            if status != "ok":
                continue
            for column in study.order:
                about = study.about[column]["description"]
                may_lack = ("NaN" in about or "none:" in about or column in study.axes
                            or column.endswith("_bound"))
                if not may_lack:
                    self.assertIsNotNone(study.value(column, row), f"{name}, row {row}, {column}")

    def test_every_export_says_the_same(self):
        for name, study in self.studies.items():
            for export, rows in exported_rows.exported(ran, self.files[name]).items():
                self.assertEqual(len(rows), len(study))
                for row, values in enumerate(rows):
                    for column in study.order:
                        told = exported_rows.difference(study, column, row, values[column])
                        self.assertEqual(told, "", f"{name}.{export}, row {row}, {column}")

    # A reader that goes by the first rows takes "0" for an integer, and fails at the first "0.5".
    def test_csv_says_which_columns_are_no_integers(self):
        for name, study in self.studies.items():
            rows = ran("query", self.files[name], "--select", "all", "--all-statuses", "--format",
                       "csv")
            for values in csv.DictReader(rows.splitlines()):
                for column in filter(study.is_real, study.order):
                    if column not in study.axes and values[column] != "":
                        self.assertRegex(values[column], r"[.e]", f"{name}, {column}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
