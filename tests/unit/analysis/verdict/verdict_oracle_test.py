"""What a verdict says, computed again from the study file alone with pandas.

    verdict_oracle_test.py SCALESWEEP SOURCES

Runs sweeps/quick.toml and a study of two models on several devices, and compares every statement of
`analyze --format json` with the rows of the file.
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import h5py
    import numpy
    import pandas
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

PROGRAM, SOURCES = sys.argv[1], Path(sys.argv[2])

TWO_MODELS = """
schema = 1
title = "Two models on three devices"
[workload]
kind = "training"
model = ["llama-2-7b", "llama-2-70b"]
sequence = 4096
global_batch = 256
[system]
accelerators = [8, 16, 64]
device = ["a100-sxm-80gb", "h100-sxm", "h200-sxm"]
[strategy]
tensor_parallel = [1, 2, 4, 8]
pipeline_parallel = [1, 2, 4]
micro_batch = [1, 2]
recompute = ["none", "selective"]
zero = [0, 1, 3]
[objectives]
minimize = ["step_time", "energy_per_token"]
"""

EXPERTS = """
schema = 1
title = "Experts that are spread or not, on two devices"
[workload]
kind = "training"
model = "qwen3-30b-a3b"
sequence = 4096
global_batch = 512
framework = "megatron-bridge"
precision = "mxfp8"
[system]
accelerators = 8
device = ["b200-sxm", "gb300"]
[strategy]
tensor_parallel = [1, 2]
pipeline_parallel = [1, 2, 4]
expert_parallel = [1, 4, 8]
micro_batch = [1, 2, 4, 8]
recompute = ["none", "full"]
zero = 1
[objectives]
minimize = ["step_time", "energy_per_token"]
"""

ONE_LAYOUT = """
schema = 1
title = "One layout on devices that differ in one rate"
[workload]
kind = "training"
model = "llama-2-7b"
sequence = 4096
global_batch = 256
[system]
accelerators = 16
device = ["h100-sxm", "dram-faster", "l2-faster"]
[strategy]
tensor_parallel = 2
pipeline_parallel = 1
micro_batch = 1
recompute = "none"
zero = 1
sequence_parallel = true
[objectives]
minimize = ["step_time"]
"""

# The cheapest of three devices, with little to choose from: it is run with many assumptions.
PRICED = """
schema = 1
title = "What trains Llama-2 70B at the least cost?"
[workload]
kind = "training"
model = "llama-2-70b"
sequence = 4096
global_batch = 256
[system]
accelerators = [32, 64]
device = ["h100-sxm", "h200-sxm", "b200-sxm", "mi300x"]
[strategy]
tensor_parallel = [2, 4, 8]
pipeline_parallel = [1, 2, 4]
micro_batch = [1, 2]
recompute = ["none", "selective"]
zero = 1
[objectives]
minimize = ["cost_per_million_tokens", "step_time"]
"""
# Under which it is run, unless another one is tried; where a yield is given, no defects decide it.
ASSUMED = {"interest": "0.08"}
WITH_YIELD = ASSUMED | {"die_yield": "0.6"}
# Keys of [economics], as a spec has them; other assumptions are prices of parts of the cost.
# Wafers and memory have a key and a part.
KEYS = {"network_markup": "{}", "server_cost": '"{} USD"', "server_power": '"{} W"',
        "facility_cost": '"{} USD/W"', "facility_lifetime": '"{} a"', "delivery_cost": '"{} USD/W"',
        "lifetime": '"{} a"', "utilization": "{}", "interest": "{}", "die_yield": "{}",
        "rental_markup": "{}", "power_usage_effectiveness": "{}", "energy_price": '"{} USD/kWh"'}
PARTS = {"silicon_price": ["cost_silicon"], "wafer_price": ["cost_of_wafers"],
         "defect_density": ["cost_of_wafers"],
         "memory_price": ["cost_memory", "cost_of_lost_memory"],
         "package_price": ["cost_package"]}
# Of these a study can assume one for all devices: what it comes to for one of them.
PRICES = {"wafer_price": '"{} USD"', "defect_density": '"{} 1/cm2"',
          "memory_price": '"{} USD/GB"', "package_price": '"{} USD"'}

TIE = 0.01
SHARED = 0.65  # of the variance of an error, in common
AS_WIDE = 1.2
PLAIN = {"tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1, "expert_parallel": 1}
OPTIONS = ["chunks", "recompute", "zero", "sequence_parallel"]  # in the order of a layout


def complexity(row):
    sizes = [row[name] for name in PLAIN if name in row]
    kinds = sum(size != 1 for size in sizes)
    return (kinds, int(numpy.prod(sizes)), *(int(row[name]) for name in OPTIONS if name in row))


def apart(rows, row, objective):
    """Of each row whether it can be told apart from one row."""
    bars = numpy.sqrt(2 * (1 - SHARED)) * numpy.maximum(rows["relative_uncertainty"],
                                                        row["relative_uncertainty"])
    return ~(numpy.abs(numpy.log(rows[objective] / row[objective])) <= bars)


def proposed(ordered, objective):
    """Of rows of which less is better, the best first."""
    best = row = ordered.iloc[0]
    while True:
        known = ordered[(AS_WIDE * ordered["relative_uncertainty"] < row["relative_uncertainty"]) &
                        ~apart(ordered, row, objective) & ~apart(ordered, best, objective)]
        if known.empty:
            return row
        row = known.iloc[0]


class Study:
    def __init__(self, folder, spec):
        self.file = folder / "study.h5"
        self.said = run("run", spec, "-o", self.file, "--no-sync").stdout
        with h5py.File(self.file) as file:
            self.objective = next(iter(json.loads(file.attrs["objectives"])[0].values()))
            results = file["results"]
            self.rows = pandas.DataFrame(
                {name: results[name][()] for name in results.attrs["columns"]})
            self.enums = {name: {value: key for key, value in h5py.check_enum_dtype(
                results[name].dtype).items()} for name in results
                if h5py.check_enum_dtype(results[name].dtype)}
            for name, axis in file["axes"].items():  # of numbers, as the spec wrote them
                self.enums.setdefault(name, dict(zip(axis["values"][()],
                                                     axis["labels"].asstr()[()])))
        self.feasible = self.rows[self.rows["status"] == 0]
        self.analysis = json.loads(
            run("analyze", self.file, "-o", folder / "analysis", "--no-figures", "--format",
                "json").stdout)

    def named(self, name, row):
        return self.enums[name][row[name]]


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True,
                          text=True)


class Verdict(unittest.TestCase):
    proposals = 0  # that are not the best by value

    def check(self, study, questions, choices):
        verdicts = study.analysis["verdicts"]
        varying = [name for name in questions if study.feasible[name].nunique() > 1]
        asked = len(study.rows[varying].drop_duplicates()) if varying else 1
        self.assertEqual(len(verdicts), asked)
        for verdict in verdicts:
            rows = study.feasible
            for name in varying:
                rows = rows[[study.named(name, row) == verdict[name]
                             for _, row in rows.iterrows()]]
            self.check_question(study, verdict, rows, choices)

    def check_question(self, study, verdict, rows, choices):
        ordered = rows.sort_values([study.objective, "point_id"])
        best = ordered.iloc[0]
        self.assertEqual(verdict["best_point_id"], best["point_id"])
        self.assertEqual(verdict["best_value"], best[study.objective])
        taken = proposed(ordered, study.objective)
        if taken["point_id"] == best["point_id"]:
            self.check_layout(study, verdict, rows, best, choices)
        else:
            self.proposals += 1
            self.assertEqual(verdict["point_id"], taken["point_id"])
        self.check_shares(study, verdict, rows)
        self.check_runners_up(study, verdict, ordered, best, taken, choices)

    def check_layout(self, study, verdict, rows, best, choices):
        same = rows
        for name in choices:
            self.assertEqual(verdict[name], study.named(name, best))
            same = same[same[name] == best[name]]
        near = same[(same[study.objective] / best[study.objective] - 1 <= TIE) &
                    ~(same["relative_uncertainty"] > AS_WIDE * best["relative_uncertainty"])]
        self.assertEqual(verdict["layouts"], len(near))
        simplest = min((complexity(row), row[study.objective], row["point_id"])
                       for _, row in near.iterrows())
        self.assertEqual(verdict["point_id"], simplest[2])
        self.assertEqual(verdict["choices"], rows[choices].drop_duplicates().shape[0])

    def check_shares(self, study, verdict, rows):
        taken = rows[rows["point_id"] == verdict["point_id"]].iloc[0]
        self.assertEqual(verdict["value"], taken[study.objective])
        charges = {name[len("charge_"):]: taken[name] for name in rows if
                   name.startswith("charge_")}
        for resource, charge in charges.items():
            share = charge / taken["step_time"]
            self.assertAlmostEqual(verdict["share_" + resource], share, places=9)
            self.check_gain(verdict, resource, share)
        self.assertEqual(verdict["dominant_resource"], max(charges, key=charges.get))
        groups = {"compute": charges["tensor_compute"] + charges["vector_compute"],
                  "memory": charges["dram"],
                  "network": charges["scale_up"] + charges["scale_out"]}
        groups |= {name: charge for name, charge in charges.items() if name not in (
            "tensor_compute", "vector_compute", "dram", "scale_up", "scale_out")}
        self.assertEqual(verdict["dominant_group"], max(groups, key=groups.get))
        self.assertAlmostEqual(verdict["throughput"] / taken["tokens_per_second"], 1, places=6)
        self.assertAlmostEqual(
            verdict["device_flop_rate"] / (taken["model_flop_utilization"] * taken["tensor_peak"]),
            1, places=6)
        if numpy.isnan(taken["cost_per_million_tokens"]):
            self.assertIsNone(verdict["unit_cost"])
        else:
            self.assertAlmostEqual(verdict["unit_cost"] / taken["cost_per_million_tokens"], 1,
                                   places=6)

    def check_gain(self, verdict, resource, share):
        """Computed anew (Savings below), or by the share where it is not."""
        gain, unlimited = verdict["gain_10_" + resource], verdict["gain_unlimited_" + resource]
        if unlimited is None:
            self.assertAlmostEqual(gain, share * (1 - 1 / 1.1), places=9)
        else:
            self.assertLessEqual(gain, unlimited + 1e-6)
            self.assertLess(unlimited, 1)

    def check_runners_up(self, study, verdict, ordered, best, taken, choices):
        others = ordered.drop_duplicates(choices)
        told = [tuple(row[name] for name in choices) for row in (best, taken)]
        others = others[[tuple(row[name] for name in choices) not in told
                         for _, row in others.iterrows()]].head(4)
        best = taken
        said = [row for row in study.analysis["runners_up"]
                if row["question"] == verdict["question"]]
        self.assertEqual([row["point_id"] for row in said], list(others["point_id"]))
        for row, (_, other) in zip(said, others.iterrows()):
            mine, its = best[study.objective], other[study.objective]
            gap = its / mine - 1
            self.assertAlmostEqual(row["gap"], gap, places=9)
            apart = (mine * (1 + best["relative_uncertainty"]) <
                     its * (1 - other["relative_uncertainty"]))
            unknown = numpy.isnan(best["relative_uncertainty"] + other["relative_uncertainty"])
            measured = all(study.named("least_known", one) == "none" for one in (best, other))
            self.assertEqual(row["standing"],
                             "tie" if abs(gap) <= TIE else "unknown" if unknown else
                             "within_error_bars" if not apart else
                             "beyond_doubt" if measured else "not_measured")
            for name in choices:
                self.assertEqual(row[name], study.named(name, other))

    def test_quick(self):
        with tempfile.TemporaryDirectory() as folder:
            study = Study(Path(folder), SOURCES / "sweeps" / "quick.toml")
            self.check(study, [], ["logic", "memory", "scale_out"])

    def test_two_models(self):
        with tempfile.TemporaryDirectory() as folder:
            spec = Path(folder) / "two-models.toml"
            spec.write_text(TWO_MODELS, encoding="utf-8")
            study = Study(Path(folder), spec)
            self.check(study, ["model"], ["accelerators", "device"])
            largest = [verdict for verdict in study.analysis["verdicts"]
                       if verdict["accelerators"] == "64"]
            self.assertEqual(len(largest), 2)
            self.assertEqual(study.said.count("accelerators 64 is the largest"), 2)


    def test_experts(self):
        """Layouts without expert parallelism were measured nowhere: some give way."""
        with tempfile.TemporaryDirectory() as folder:
            spec = Path(folder) / "experts.toml"
            spec.write_text(EXPERTS, encoding="utf-8")
            self.check(Study(Path(folder), spec), [], ["device"])
            self.assertEqual(self.proposals, 1)


class Savings(unittest.TestCase):
    """What 10 % more of a resource saves, against a device that has so much of it."""

    def test_of_faster_devices(self):
        faster = {"dram": 3350, "l2": 8985}  # GB/s of an H100
        entries = "".join(
            f'[device.{name}-faster]\nlike = "h100-sxm"\nsource = "test"\nkind = "assumed"\n'
            f'{name} = {{ bandwidth = "{1.1 * bandwidth} GB/s" }}\n'
            for name, bandwidth in faster.items())
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "nodes.toml").write_text(
                'schema = 1\n[sources]\ntest = "of a test"\n' + entries, encoding="utf-8")
            (folder / "one.toml").write_text(ONE_LAYOUT, encoding="utf-8")
            file = folder / "one.h5"
            run("run", folder / "one.toml", "-o", file, "--no-sync", "--catalog-add",
                folder / "nodes.toml")
            said = json.loads(run("analyze", file, "--no-figures", "-o", folder / "said",
                                  "--format", "json", "--where", "device == 'h100-sxm'").stdout)
            verdict = said["verdicts"][0]
            with h5py.File(file) as study:
                times = list(study["results"]["step_time"][()])
        self.assertEqual(len(times), 1 + len(faster))
        for resource, time in zip(faster, times[1:]):
            self.assertGreater(verdict["gain_10_" + resource], 0.001)
            self.assertAlmostEqual(verdict["gain_10_" + resource], 1 - time / times[0], places=6)


def economics(keys):
    return "[economics]\n" + "".join(f"{name} = {text}\n" for name, text in keys.items())


class Flips(unittest.TestCase):
    """Re-priced rows against studies that assume it, each estimated anew."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def assume(self, keys):
        self.keys = keys
        spec = Path(self.folder.name) / "priced.toml"
        spec.write_text(PRICED + economics(keys), encoding="utf-8")
        self.study = Study(Path(self.folder.name), spec)

    def rows_with(self, assumption, value):
        """Feasible rows of the same study with another value of a key of [economics]."""
        value /= 100 if assumption == "interest" else 1  # said in % a year
        keys = self.keys | {assumption: (KEYS | PRICES)[assumption].format(repr(value))}
        spec = Path(self.folder.name) / "changed.toml"
        file = Path(self.folder.name) / "changed.h5"
        spec.write_text(PRICED + economics(keys), encoding="utf-8")
        file.unlink(missing_ok=True)
        run("run", spec, "-o", file, "--no-sync")
        with h5py.File(file) as changed:
            results = changed["results"]
            rows = pandas.DataFrame({name: results[name][()] for name in (
                "point_id", "status", "accelerators", "device", "cost_per_million_tokens")})
        return rows[rows["status"] == 0]

    def rows_at(self, assumption, factor, value):
        if assumption not in PARTS:
            return self.rows_with(assumption, value)
        rows = self.study.feasible.copy()
        if assumption == "defect_density":
            alpha = rows["clustering_of_defects"]
            defects = rows["yield_of_dies"]**(-1 / alpha) - 1
            factor = ((1 + factor * defects) / (1 + defects))**alpha
        rows["cost_per_million_tokens"] += (factor - 1) * rows[PARTS[assumption]].sum(axis=1)
        return rows

    def check_tornado(self, not_among):
        verdict = self.study.analysis["verdicts"][0]
        bars = self.study.analysis["tornado"]
        self.assertEqual({bar["assumption"] for bar in bars},
                         (set(KEYS) | set(PARTS)) - {not_among})
        swings = [abs(bar["cost_high"] - bar["cost_low"]) for bar in bars]
        self.assertEqual(swings, sorted(swings, reverse=True))
        for bar in bars:
            self.assertAlmostEqual(bar["cost"] / verdict["unit_cost"], 1, places=6)
            for side in ("low", "high"):
                name = bar["assumption"]
                rows = (self.rows_with(name, bar[side]) if name in PRICES else
                        self.rows_at(name, bar[side] / bar["value"], bar[side]))
                row = rows[rows["point_id"] == verdict["point_id"]].iloc[0]
                self.assertAlmostEqual(bar["cost_" + side] / row["cost_per_million_tokens"], 1,
                                       places=5, msg=f"{bar['assumption']} {side}")

    def check_break_evens(self):
        choices = ["accelerators", "device"]
        found = self.study.analysis["break_even"]
        self.assertGreater(len(found), 3)
        now = self.study.feasible.sort_values(["cost_per_million_tokens", "point_id"]).iloc[0]
        ratios = [abs(numpy.log(row["break_even"] / row["value"])) for row in found]
        # Prices that are as far away are equal here but for rounding.
        for near, far in zip(ratios, ratios[1:]):
            self.assertLessEqual(near, far * (1 + 1e-12))
        for row in found:
            for nudge in (1.002, 1 / 1.002):
                value = row["break_even"] * nudge
                rows = self.rows_at(row["assumption"], value / row["value"], value)
                best = rows.sort_values(["cost_per_million_tokens", "point_id"]).iloc[0]
                beyond = (value > row["break_even"]) == (row["break_even"] > row["value"])
                is_other = any(best[name] != now[name] for name in choices)
                self.assertEqual(is_other, beyond, row)
                if beyond:
                    self.assertEqual([self.study.named(name, best) for name in choices],
                                     [row[name] for name in choices])
                    self.assertAlmostEqual(best["cost_per_million_tokens"] / row["cost"], 1,
                                           places=2)
        return found

    def test_tornado(self):
        self.assume(ASSUMED)
        self.check_tornado("die_yield")

    def test_tornado_of_a_given_yield(self):
        self.assume(WITH_YIELD)
        self.check_tornado("defect_density")

    def test_break_even(self):
        self.assume(ASSUMED)
        found = self.check_break_evens()
        self.assertIn("flips to", self.study.said)
        said = " ".join(self.study.said.split())
        near = [row for row in found
                if row["assumption"] not in ("silicon_price", "wafer_price") and
                0.5 <= row["break_even"] / row["value"] <= 2]
        self.assertEqual(said.count(" is taken to be "), min(len(near), 1))
        if near:
            words = near[0]["assumption"].replace("_price", "").replace("_", " ").split()[0]
            self.assertRegex(said, rf"{words}\S* is taken to be \S+")

    def test_break_even_of_a_given_yield(self):
        self.assume(WITH_YIELD)
        self.check_break_evens()

    def test_axis_flips(self):
        """Of each number of devices the best device, and where two are equal."""
        self.assume({})
        rows = self.study.feasible
        best = rows.groupby(["accelerators", "device"])["cost_per_million_tokens"].min()
        sizes = sorted({size for size, _ in best.index})
        expected = []
        for low, high in zip(sizes, sizes[1:]):
            before, after = best[low].idxmin(), best[high].idxmin()
            if before != after:
                ahead = best[low][before] / best[low][after]
                behind = best[high][before] / best[high][after]
                place = numpy.log(ahead) / numpy.log(ahead / behind)
                values = [float(self.study.enums["accelerators"][size]) for size in (low, high)]
                expected.append((before, after, values[0] * (values[1] / values[0])**place))
        said = self.study.analysis.get("axis_flips", [])
        self.assertEqual(len(said), len(expected))
        for row, (before, after, crossing) in zip(said, expected):
            self.assertEqual(row["before"], self.study.enums["device"][before])
            self.assertEqual(row["after"], self.study.enums["device"][after])
            self.assertAlmostEqual(row["crossing"] / crossing, 1, places=6)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
