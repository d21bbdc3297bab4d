#!/usr/bin/env python3
"""Ranks devices by measured kernels added up, and by the estimator, beside each other.

Adds up a model's decode step and prefill as NVIDIA AIConfigurator does: each GEMM, attention and
all-reduce of a layer from its operator database (the measured kernels of kernels-matmul.csv,
-attention.csv and -collectives.csv), interpolated, times the layers. What it adds for pointwise
kernels, and what a server takes between kernels, is not in these files and left out, so that sums
are below what runs. `scalesweep validate` predicts the same steps.

    nodes/calibration/compare_composed.py --program build/bin/scalesweep
    nodes/calibration/compare_composed.py --program build/bin/scalesweep \
        --report nodes/calibration/composed.md

Times between measured shapes are of a plane through the nearest ones in logarithms of time and
shape. How far that is off is said first: each measured kernel from all others.
"""
import collections
import csv
import itertools
import math
import statistics
import tempfile
import tomllib
from pathlib import Path

from calibration import LIBRARY_SOURCE, Program, argument_parser, case_file, solve

MODELS = {"qwen3-32b": 2, "llama-3-70b": 4}  # tensor-parallel devices: GB200 was measured on 2, 4
DEVICES = ("a100-sxm-80gb", "h100-sxm", "b200-sxm", "gb200")
PRECISIONS = ("bf16", "fp8", "nvfp4")
KV_PRECISION = {"bf16": "bf16", "fp8": "fp8", "nvfp4": "fp8"}
PROMPT = 4096
DECODES = tuple(itertools.product((1, 16, 64), (1024, 8192)))  # requests, tokens of each so far
NEAREST = {1: 4, 3: 16, 4: 16}  # measured shapes that a plane goes through, by its dimensions
# Decode attention of the database reads the cache once for every query head on these devices. As
# one that reads it once for all heads that share it: H100's in the ratio of memory bandwidths.
SHARED_READS = {"b200-sxm": 3.35 / 8.0, "gb200": 3.35 / 8.0}
CLOSE = 0.05  # of two devices' times: what kernels so near each other say of their order is noise
ELEMENT_BYTES = 2  # of what is reduced


class Measured:
    """Measured times of a kind of kernel by shape."""

    def __init__(self, rows):
        self.points = {tuple(math.log(x) for x in shape): math.log(time) for shape, time in rows}

    def time_s(self, *shape, but=None):
        """Of a plane through the nearest shapes; the nearer, the more they weigh."""
        at = tuple(math.log(x) for x in shape)
        nearest = sorted((math.dist(at, point), point) for point in self.points if point != but)
        near = nearest[:NEAREST[len(at)]]
        if near[0][0] < 1e-9:
            return math.exp(self.points[near[0][1]])
        reach = near[-1][0]
        width = len(at) + 1
        matrix = [[0.0] * width for _ in range(width)]
        right = [0.0] * width
        for distance, point in near:
            weight = math.exp(-3.0 * (distance / reach) ** 2)
            terms = [1.0] + [p - a for p, a in zip(point, at)]
            for i in range(width):
                right[i] += weight * terms[i] * self.points[point]
                for j in range(width):
                    matrix[i][j] += weight * terms[i] * terms[j]
        for i in range(width):  # shapes that all lie in one plane leave a direction open
            matrix[i][i] += 1e-6 if i else 0.0
        return math.exp(solve(matrix, right)[0])

    def reaches(self, size):
        """Whether a size lies within those measured, or not twice as far."""
        sizes = [point[0] for point in self.points]
        return min(sizes) - 0.7 <= math.log(size) <= max(sizes) + 0.7

    def deviations(self):
        return [abs(self.time_s(*(math.exp(x) for x in point), but=point) / math.exp(time) - 1.0)
                for point, time in self.points.items()]


class Database:
    """Measured kernels by device and precision."""

    def __init__(self, folder):
        kinds = collections.defaultdict(dict)
        for name in ("kernels-matmul.csv", "kernels-attention.csv", "kernels-collectives.csv"):
            with case_file(folder, name).open(newline="") as rows:
                for row in csv.DictReader(rows):
                    if row["source"] == LIBRARY_SOURCE:
                        key, shape = self.place(row)
                        kinds[key][shape] = float(row["time_s"])
        self.kinds = {key: Measured(shapes.items()) for key, shapes in kinds.items()}

    @staticmethod
    def place(row):
        device, op = row["device"], row["op"]
        number = lambda name: int(row[name])
        if op == "matmul":
            return (op, device, row["precision"]), (number("m"), number("k"), number("n"))
        if op.startswith("attention"):
            shape = (number("batch"), number("seq"), number("heads"), number("kv_heads"))
            return (op, device, row["kv_precision"], number("head_dim")), shape
        return (op, device, number("gpus"), row["library"].split()[0]), (number("bytes"),)

    def holds(self, device, precision):
        return ("matmul", device, precision) in self.kinds

    def all_reduce_s(self, device, ways, size):
        """The faster library, as a server takes it, of those measured near this size."""
        times = [kind.time_s(size) for key, kind in self.kinds.items()
                 if key[:3] == ("all_reduce", device, ways) and kind.reaches(size)]
        return min(times)

    def attention_s(self, device, precision, head, prefill, shared_reads, *shape):
        op = "attention_prefill" if prefill else "attention_decode"
        if shared_reads and not prefill and device in SHARED_READS:
            own_s = self.kinds[op, "h100-sxm", precision, head].time_s(*shape)
            return SHARED_READS[device] * own_s
        return self.kinds[op, device, precision, head].time_s(*shape)

    def step_s(self, model, ways, device, precision, requests, tokens, prefill, shared_reads):
        """A pass through all layers and the head."""
        rows = requests * (tokens if prefill else 1)
        head = model.get("head_dim", model["hidden"] // model["heads"])
        heads, kv_heads = model["heads"] // ways, model["kv_heads"] // ways
        hidden, ffn = model["hidden"], model["ffn"] // ways
        gemms = self.kinds["matmul", device, precision]
        attention_s = self.attention_s(device, KV_PRECISION[precision], head, prefill,
                                       shared_reads, requests, tokens, heads, kv_heads)
        reduce_s = self.all_reduce_s(device, ways, rows * hidden * ELEMENT_BYTES)
        layer_s = (gemms.time_s(rows, hidden, (heads + 2 * kv_heads) * head)
                   + gemms.time_s(rows, heads * head, hidden)
                   + gemms.time_s(rows, hidden, 2 * ffn)
                   + gemms.time_s(rows, ffn, hidden)
                   + attention_s + 2 * reduce_s)
        vocabulary = self.kinds["matmul", device, "bf16"]
        return (model["layers"] * layer_s
                + vocabulary.time_s(requests, hidden, model["vocab"] // ways))


def read_models(catalog):
    models = {}
    for path in sorted(Path(catalog).glob("models-*.toml")):
        with path.open("rb") as file:
            models.update(tomllib.load(file)["model"])
    return models


Question = collections.namedtuple("Question", "model tp phase requests tokens precision")


def questions():
    for name, precision in itertools.product(MODELS, PRECISIONS):
        yield Question(name, MODELS[name], "prefill", 1, PROMPT, precision)
        for requests, tokens in DECODES:
            yield Question(name, MODELS[name], "decode", requests, tokens, precision)


def case_of(question, device, time_s):
    """A row of a case file, `value` what kernels add up to."""
    prefill = question.phase == "prefill"
    return {"case": " ".join([device] + [str(part) for part in question]),
            "source": "kernels of AIConfigurator added up", "framework": "tensorrt-llm",
            "device": device, "gpus": question.tp, "model": question.model, "tp": question.tp,
            "pp": 1, "batch": question.requests, "prompt_tokens": question.tokens,
            "output_tokens": 1 if prefill else 2, "precision": question.precision,
            "kv_precision": KV_PRECISION[question.precision],
            "metric": "ttft_s" if prefill else "tpot_s", "value": f"{time_s:.6g}"}


def predicted(options, rows):
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options.program, options.catalog, rows, folder)
        return [float(row["predicted_value"]) for row in program.shipped_rows()]


Answer = collections.namedtuple("Answer", "device kernels_s shared_s estimate_s")


def answers(database, options):
    """Of each question, what each measured device takes."""
    models = read_models(options.catalog)
    asked, rows = [], []
    for question, device in itertools.product(questions(), DEVICES):
        if database.holds(device, question.precision):
            kernels_s, shared_s = (
                database.step_s(models[question.model], question.tp, device, question.precision,
                                question.requests, question.tokens,
                                question.phase == "prefill", shared) for shared in (False, True))
            asked.append((question, device, kernels_s, shared_s))
            rows.append(case_of(question, device, kernels_s))
    found = collections.defaultdict(list)
    estimates = predicted(options, rows)
    for (question, *times), estimate_s in zip(asked, estimates):
        found[question].append(Answer(*times, estimate_s))
    return found


def pairs(devices, measured):
    """How many pairs of devices stand in the order of the estimate; of those that are apart."""
    agree = total = 0
    for a, b in itertools.combinations(devices, 2):
        times = (getattr(a, measured), getattr(b, measured))
        if max(times) / min(times) - 1.0 > CLOSE:
            total += 1
            agree += (times[0] < times[1]) == (a.estimate_s < b.estimate_s)
    return agree, total


def ranking(devices, column):
    times = sorted((getattr(answer, column), answer.device) for answer in devices)
    return ", ".join(f"{device} {time_s * 1e3:.3g}" for time_s, device in times)


def ranking_lines(found):
    yield ("| model | tp | pass | requests | tokens | precision | kernels added up, ms "
           "| with shared reads, ms | estimate, ms |")
    yield "|---|---|---|---|---|---|---|---|---|"
    for question, devices in found.items():
        shared = ranking(devices, "shared_s") if question.phase == "decode" else "the same"
        yield ("| " + " | ".join(str(part) for part in question)
               + f" | {ranking(devices, 'kernels_s')} | {shared} "
               + f"| {ranking(devices, 'estimate_s')} |")


def agreement_lines(found):
    yield "| pass | beside | pairs apart | in the order of the estimate |"
    yield "|---|---|---|---|"
    for phase, column, name in (("prefill", "kernels_s", "kernels added up"),
                                ("decode", "kernels_s", "kernels added up"),
                                ("decode", "shared_s", "the same with shared reads")):
        counts = [pairs(devices, column) for question, devices in found.items()
                  if question.phase == phase]
        agree, total = (sum(count) for count in zip(*counts))
        yield f"| {phase} | {name} | {total} | {agree} |"


def ratio_lines(found):
    ratios = collections.defaultdict(list)
    for question, devices in found.items():
        for answer in devices:
            key = (question.phase, answer.device, question.precision)
            ratios[key].append(answer.estimate_s / answer.shared_s)
    yield "| pass | device | precision | rows | estimate / kernels, mean | least | most |"
    yield "|---|---|---|---|---|---|---|"
    for key, values in sorted(ratios.items()):
        yield (f"| {key[0]} | {key[1]} | {key[2]} | {len(values)} | {statistics.mean(values):.2f} "
               f"| {min(values):.2f} | {max(values):.2f} |")


def interpolation_lines(database):
    yield "| kernels | device | precision or devices | measured | median | 90 % below |"
    yield "|---|---|---|---|---|---|"
    used = ("matmul", "attention_prefill", "attention_decode", "all_reduce")
    for key, kind in sorted(database.kinds.items(), key=str):
        dimensions = len(next(iter(kind.points)))
        if key[0] in used and len(kind.points) > 2 * NEAREST[dimensions]:
            errors = sorted(kind.deviations())
            of = f"{key[2]} {key[3]}" if key[0] == "all_reduce" else key[2]
            yield (f"| {key[0]} | {key[1]} | {of} | {len(errors)} "
                   f"| {statistics.median(errors):.1%} | {errors[int(0.9 * len(errors))]:.1%} |")


def main():
    parser = argument_parser(__doc__.splitlines()[0], "kernels-*.csv")
    options = parser.parse_args()
    database = Database(options.cases)
    found = answers(database, options)
    lines = [
        "# Devices ranked by measured kernels", "",
        "Written by `nodes/calibration/compare_composed.py`: a pass through a model as the sum of",
        "kernels that NVIDIA AIConfigurator measured, which is how AIConfigurator predicts, beside",
        "what the estimator says of the framework tensorrt-llm. Sums hold no pointwise kernels and",
        "no time between kernels; GEMMs of fp8 hold a pass of their own that quantizes.", "",
        "Decode attention of the database on B200 and GB200 is of a kernel that reads the cache",
        "once for every query head, so that long decodes on H100 would be faster than on B200.",
        "Servers share reads, and so does the estimator. `with shared reads` takes H100's measured",
        "attention there, in the ratio of memory bandwidths.", "",
        "## How often both put two devices in one order", "",
        f"Pairs of devices at one precision that the sums put more than {CLOSE:.0%} apart.", "",
        *agreement_lines(found), "", "## Order of devices", "", *ranking_lines(found), "",
        "## Estimates over sums of kernels with shared reads", "", *ratio_lines(found), "",
        "## How far the interpolation of kernels is off", "",
        "Each measured kernel from its nearest neighbours, itself left out.", "",
        *interpolation_lines(database)]
    text = "\n".join(lines) + "\n"
    if options.report:
        options.report.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
