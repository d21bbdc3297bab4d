#!/usr/bin/env python3
"""Constants are found again: a device with other constants than the catalog's is 'measured' by the
model itself, and calibrated from the catalog's values. What rows do not tell is said, and stays.

    SCALESWEEP=.../scalesweep SCALESWEEP_SOURCE_DIR=... calibrate_test.py
"""
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["SCALESWEEP"]
SOURCE = Path(os.environ["SCALESWEEP_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "nodes" / "calibration"))
import measure_kernels  # noqa: E402
from calibration import Place, write_value  # noqa: E402

DEVICE = "device.h100-sxm"
FILE = "devices-nvidia.toml"
# Of the measured device: (section, key, unit, value).
TRUTH = [
    (DEVICE, "kernel_latency", "us", 3.4),
    (f"{DEVICE}.dram", "sustained", "", 0.93),
    (f"{DEVICE}.tensor_sustained", "bf16", "", 0.79),
    (f"{DEVICE}.attention", "softmax_flop", "", 13.0),
    (f"{DEVICE}.attention", "prefill_latency", "us", 5.2),
    (f"{DEVICE}.attention", "decode_latency", "us", 6.6),
]
NVLINK = "scale_up.NVLink4"
STACK = "vllm@0.12"
EXPERTS = [(f'framework."{STACK}".serving', "narrow_expert_share", "", 0.5)]
KNOWN = "SGLang 0.5.14 sglang_fused_moe_triton"  # of the catalog, on this device
LIBRARIES = """schema = 1

[sources]
own = "Nobody"

[library.mine-experts]
source = "own"
kind = "assumed"
library = "Mine 1.0"
kernels = "experts"
device = "h100-sxm"

[library.mine-experts.experts]
operands = "fp8"
weights = "fp8"
layer_latency = "33 us"
tensor_sustained = 0.5
stream_share = 0.7
token_passes = 6

[library.mine-attention]
source = "own"
kind = "assumed"
library = "Mine 1.0"
kernels = "attention"
device = "h100-sxm"
fit = "mine"

[library.mine-attention.attention]
softmax_flop = 15
block_latency = "4 us"
prefill_latency = "6 us"
shared_heads = 32
decode_latency = "4.37 us"
merge_latency = "4.15 us"
decode_block_latency = "2.68 us"
cache_flop = 20.3
cache_passes = 4.43

[fit.mine]
like = "default"
source = "own"
kind = "assumed"

[fit.mine.attention]
latent_share = 0.45
"""
LINK = [(NVLINK, "sustained", "", 0.71), (NVLINK, "call_latency", "us", 9.0)]


def scalesweep(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          timeout=600)


class CalibrateTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="scalesweep-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.nodes = cls.folder / "true-nodes"
        shutil.copytree(SOURCE / "nodes", cls.nodes)
        for file, truth in ((FILE, TRUTH), ("links.toml", LINK)):
            for section, key, unit, value in truth:
                write_value(cls.nodes, Place(file, section, key, unit), value)
        cls.kernels = cls.measured(cls.folder / "kernels.csv", lambda row: row["gpus"] == "1")
        cls.links = cls.measured(cls.folder / "links.csv", lambda row: row["gpus"] != "1")

    @classmethod
    def measured(cls, path, wanted, device="h100-sxm", model="llama-3-8b", precision="bf16",
                 framework="", nodes=None, library=""):
        """A list of kernels with the times that the true device takes."""
        listed, predicted = path.with_suffix(".list"), path.with_suffix(".predicted")
        done = scalesweep("measure", "--device", "h100-sxm", "--models", model, "--precisions",
                          precision, "-o", listed)
        assert done.returncode == 0, done.stderr
        if framework or library:
            columns, rows = measure_kernels.read_list(listed)
            measure_kernels.write_list(
                listed, [*columns, "framework"],
                [dict(row, framework=framework, library=library) for row in rows])
        done = scalesweep("validate", listed, "--catalog", nodes or cls.nodes, "--predictions",
                          predicted)
        assert done.returncode == 0, done.stderr
        columns, rows = measure_kernels.read_list(listed)
        with predicted.open(newline="") as file:
            times = [row["predicted_time_s"] for row in csv.DictReader(file)]
        for row, time_s in zip(rows, times):
            row["time_s"], row["device"] = time_s, device
            row["library"] = "cuBLAS" if row["op"] == "matmul" else library
        measure_kernels.write_list(path, columns, [row for row in rows if wanted(row)])
        return path

    def path(self, name):
        self.addCleanup((self.folder / name).unlink, missing_ok=True)
        return self.folder / name

    def calibrated(self, report, key):
        found = re.search(rf"^\| {re.escape(key)} \| [^|]* \| ([^ |]+)", report, re.MULTILINE)
        self.assertTrue(found, f"{key} in\n{report}")
        return float(found.group(1))

    def test_constants_are_found_again(self):
        out = self.path("entry.toml")
        done = scalesweep("calibrate", "--device", "h100", self.kernels, "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        for section, key, _, value in TRUTH:
            name = f"{section}.{key}".removeprefix(f"{DEVICE}.")
            self.assertAlmostEqual(self.calibrated(done.stdout, name), value, delta=0.05 * value,
                                   msg=done.stdout)
        self.assertIn("half held out", done.stdout)
        text = out.read_text()
        self.assertIn("[device.h100-sxm]\n", text)
        self.assertRegex(
            text, r'kernel_latency = \{ value = "3\.[34]\d* us", source = "calibration", '
                  r'kind = "calibrated", note = "\d+ rows, residual 0\.\d % \(median\)"')
        # In the place of the entry of the same name the file is a catalog that meets the rows.
        self.assertLess(self.mean_error(out, "h100-sxm", self.kernels), 0.01)

    def mean_error(self, entry, replaced, cases):
        """Of predictions with the entry in a copy of the catalog."""
        copy = self.folder / "copy"
        shutil.copytree(SOURCE / "nodes", copy)
        self.addCleanup(shutil.rmtree, copy, ignore_errors=True)
        if replaced:
            path, keep = copy / FILE, True
            lines = []
            for line in path.read_text().splitlines():
                if line.startswith("["):
                    keep = not re.match(rf"\[device\.{replaced}[.\]]", line)
                lines += [line] if keep else []
            path.write_text("\n".join(lines) + "\n")
        shutil.copy(entry, copy / "mine.toml")
        out = self.folder / "copy.csv"
        done = scalesweep("validate", cases, "--catalog", copy, "--predictions", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.error_of(out)

    def error_of(self, predictions):
        with predictions.open(newline="") as file:
            errors = [abs(float(row["predicted_time_s"]) / float(row["time_s"]) - 1.0)
                      for row in csv.DictReader(file)]
        return sum(errors) / len(errors)

    def test_a_new_device_is_like_its_parent(self):
        cases = self.measured(self.path("mine.csv"), lambda row: row["op"] == "matmul", "mine")
        whole, part = self.path("whole.toml"), self.path("part.toml")
        done = scalesweep("calibrate", "--device", "mine", "--like", "h100", "--whole", cases, "-o",
                          whole)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(self.mean_error(whole, "", cases), 0.01)
        done = scalesweep("calibrate", "--device", "mine", "--like", "h100", cases, "-o", part)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = part.read_text()
        self.assertIn('[device.mine]\nlike = "h100-sxm"\n', text)
        self.assertIn("kernel_latency = ", text)
        self.assertNotIn("title", text)
        self.assertNotIn("softmax_flop", text)

    def test_links_are_calibrated_by_collectives(self):
        out = self.path("link.toml")
        done = scalesweep("calibrate", "--device", "h100", self.links, "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        for _, key, _, value in LINK:
            self.assertAlmostEqual(self.calibrated(done.stdout, key), value, delta=0.08 * value,
                                   msg=done.stdout)
        # No row is of a kernel that reads the peers, so that nothing is said of it.
        self.assertNotIn("one_shot", done.stdout)
        self.assertIn("note: no row is of kernels of h100-sxm: its constants stay", done.stdout)
        self.assertIn("[scale_up.NVLink4]\n", out.read_text())

    def test_experts_and_latent_attention_tell_their_constants(self):
        # GEMMs are as the catalog has them.
        nodes = self.folder / "served-nodes"
        shutil.copytree(SOURCE / "nodes", nodes)
        self.addCleanup(shutil.rmtree, nodes, ignore_errors=True)
        own = [truth for truth in TRUTH if truth[1] in ("softmax_flop", "prefill_latency")]
        for file, truth in ((FILE, own), ("frameworks-serving.toml", EXPERTS)):
            for section, key, unit, value in truth:
                write_value(nodes, Place(file, section, key, unit), value)
        experts = self.measured(self.path("experts.csv"), lambda row: row["op"] == "experts",
                                model="deepseek-v3", precision="fp8", framework=STACK, nodes=nodes)
        latent = self.measured(
            self.path("latent.csv"), lambda row: row["op"] in ("latent_prefill", "experts"),
            model="deepseek-v3", nodes=nodes)
        out = self.path("stack.toml")
        done = scalesweep("calibrate", "--device", "h100", experts, latent, "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"## experts of {STACK}: 27 rows", done.stdout)
        self.assertIn("half held out", done.stdout)
        for section, key, _, value in [*own, *EXPERTS]:
            name = f"{section}.{key}".removeprefix(f"{DEVICE}.").removeprefix(
                f'framework."{STACK}".')
            self.assertAlmostEqual(self.calibrated(done.stdout, name), value, delta=0.05 * value,
                                   msg=done.stdout)
        self.assertIn("note: 27 rows of experts name neither framework nor library: such kernels "
                      "have\n  the constants of GEMMs, and are left out\n", done.stdout)
        self.assertIn(f'[framework."{STACK}".serving]\n', out.read_text())

    def test_libraries_of_experts_and_of_latent_attention_get_entries(self):
        nodes = self.folder / "library-nodes"
        shutil.copytree(SOURCE / "nodes", nodes)
        self.addCleanup(shutil.rmtree, nodes, ignore_errors=True)
        (nodes / "mine.toml").write_text(LIBRARIES)
        own = dict(model="deepseek-v3", nodes=nodes, library="Mine 1.0")
        experts = self.measured(self.path("own-experts.csv"), lambda row: row["op"] == "experts",
                                device="mine", precision="fp8", **own)
        latent = self.measured(
            self.path("own-latent.csv"), lambda row: row["op"] == "latent_decode", device="mine",
            **own)
        few = self.path("few-experts.csv")
        columns, rows = measure_kernels.read_list(experts)
        measure_kernels.write_list(few, columns, [
            dict(row, case=f"{row['case']}-known", library=KNOWN) for row in rows[:9]])
        out = self.path("libraries.toml")
        done = scalesweep("calibrate", "--device", "mine", "--like", "h100", experts, latent, few,
                          "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("## experts of Mine 1.0 in fp8: 27 rows", done.stdout)
        self.assertIn("half held out, as it was", done.stdout)
        for key, value in (("experts.layer_latency", 33.0), ("experts.stream_share", 0.7),
                           ("attention.latent_share", 0.45)):
            self.assertAlmostEqual(self.calibrated(done.stdout, key), value, delta=0.06 * value,
                                   msg=done.stdout)
        self.assertIn(f"experts of {KNOWN} in fp8: 9 rows, 12 are needed",
                      " ".join(done.stdout.split()))
        text = out.read_text()
        for part in ('[library.experts-mine-1-0-fp8-mine]\nsource = "calibration"\n',
                     'fit = "attention-mine-1-0-mine-fit"\n',
                     '[fit.attention-mine-1-0-mine-fit]\nlike = "default"\n',
                     'like = "experts-triton-sglang-fp8-h100-sxm"\nsource = "calibration"\n'
                     'kind = "calibrated"\ndevice = "mine"\n'):
            self.assertIn(part, text)
        # As a project's file it meets the rows.
        for cases in (experts, latent):
            predicted = self.path("project.csv")
            done = scalesweep("validate", cases, "--catalog-add", out, "--predictions", predicted)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertLess(self.error_of(predicted), 0.02)

    def test_what_rows_do_not_tell_stays(self):
        short = self.path("short.csv")
        columns, rows = measure_kernels.read_list(self.kernels)
        # Long products alone, of which none splits its sum over cores.
        long = [row for row in rows if row["op"] == "matmul" and
                min(float(row[side]) for side in "mnk") >= 2048]
        measure_kernels.write_list(short, columns, long)
        done = scalesweep("calibrate", "--device", "h100", short)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| matmul.split_latency | 1.97 us | 1.97 us |  | kept: felt by 0 rows |",
                      done.stdout)
        self.assertAlmostEqual(self.calibrated(done.stdout, "tensor_sustained.bf16"), 0.79,
                               delta=0.04)

    def test_too_few_rows_are_refused(self):
        few = self.path("few.csv")
        columns, rows = measure_kernels.read_list(self.kernels)
        measure_kernels.write_list(few, columns, rows[:6])
        out = self.path("never.toml")
        done = scalesweep("calibrate", "--device", "h100", few, "-o", out)
        self.assertEqual(done.returncode, 65)
        self.assertIn("kept: too few rows: 6, 15 are needed", done.stdout)
        self.assertIn("nothing of h100-sxm could be calibrated from these rows; 'scalesweep "
                      "measure --device h100-sxm' lists what tells", done.stderr)
        self.assertFalse(out.exists())

    def test_rows_of_other_devices_or_without_times_are_refused(self):
        done = scalesweep("calibrate", "--device", "a100", self.kernels)
        self.assertEqual(done.returncode, 65)
        self.assertIn("kernels.csv: no row measures a100-sxm-80gb; its rows are of h100-sxm",
                      done.stderr)
        empty = self.path("empty.csv")
        columns, rows = measure_kernels.read_list(self.kernels)
        measure_kernels.write_list(empty, columns, [dict(row, time_s="") for row in rows])
        done = scalesweep("calibrate", "--device", "h100", empty)
        self.assertEqual(done.returncode, 65)
        self.assertIn("empty.csv: no row has a measured time; fill in time_s, step_time_s or value",
                      done.stderr)

    def test_mistakes_of_cases_have_their_place(self):
        bad = self.path("bad.csv")
        bad.write_text("case,op,m,k,n,time_s\na,matmul,1,1,1,1e-5\n")
        done = scalesweep("calibrate", "--device", "h100", bad)
        self.assertEqual(done.returncode, 65)
        self.assertIn("bad.csv:1:1: error: the column 'device' is missing", done.stderr)

    def test_lists_are_checked_before_they_are_measured(self):
        steps = self.path("steps.csv")
        steps.write_text("case,step_time_s\na,1\n")
        script = SOURCE / "nodes" / "calibration" / "measure_kernels.py"
        done = subprocess.run([sys.executable, "-B", script, steps, "-o", self.path("x.csv")],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no columns op, precision, time_s; 'scalesweep measure --device NAME' writes "
                      "such a list", done.stderr)


if __name__ == "__main__":
    unittest.main()
