#!/usr/bin/env python3
"""How many times as long as answered published runs took: `reached` of nodes/reliability.toml.

    python3 nodes/calibration/measure_runs.py build/release/bin/scalesweep \\
        tests/validation/training-runs.csv nodes/calibration/held-out-runs.csv

Each run with days is asked of 'scalesweep recommend' as somebody would who plans it: its model,
devices, batch and tokens, in the stack of today and the best of all layouts. The first file sets
the middle and its bar; each of its runs is left out once, and runs of the second file set nothing.
Why so: runs.md.
"""
import csv
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections import namedtuple

# `times`: days of the run over days that are answered if all goes well.
Run = namedtuple("Run", "name times")
Bar = namedtuple("Bar", "middle low high")

FEWEST_RUNS = 4
WITHIN_ONE = 0.68  # as of a normal distribution
# Precisions that recommend asks by name; 16 bits are 16 bits.
PRECISIONS = {"fp16": "bf16", "": "bf16"}
# Columns of a shape that are keys of an entry under the same name.
SHAPE = ("hidden", "layers", "heads", "kv_heads", "vocab")


def percentile(values, share):
    """Between the two values that are nearest."""
    values = sorted(values)
    place = share * (len(values) - 1)
    below = math.floor(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


def middle_of(times):
    """Of logarithms."""
    if len(times) < FEWEST_RUNS:
        raise ValueError(f"{len(times)} runs; at least {FEWEST_RUNS} make a bar")
    return statistics.median(math.log(one) for one in times)


def bar_of(times):
    """The median, and on each side the 68th percentile of what logarithms are off there."""
    middle = middle_of(times)

    def side(sign):
        off = [sign * (math.log(one) - middle) for one in times]
        return percentile([one for one in off if one > 0] or [0.0], WITHIN_ONE)

    return Bar(math.exp(middle), math.exp(middle - side(-1)), math.exp(middle + side(1)))


def squares_of(times):
    """The median, and on each side the root mean square, wider since few runs set both."""
    middle = middle_of(times)
    wider = math.sqrt((len(times) + 1) / (len(times) - 1))

    def side(sign):
        off = [sign * (math.log(one) - middle) for one in times]
        squares = [one * one for one in off if one > 0] or [0.0]
        return wider * math.sqrt(sum(squares) / len(squares))

    return Bar(math.exp(middle), math.exp(middle - side(-1)), math.exp(middle + side(1)))


def even_bar_of(times):
    """The median, and one percentile for both sides."""
    middle = middle_of(times)
    width = percentile([abs(math.log(one) - middle) for one in times], WITHIN_ONE)
    return Bar(math.exp(middle), math.exp(middle - width), math.exp(middle + width))


def bars_off(bar, times):
    """How many bars a run is off the middle, in logarithms."""
    off = math.log(times / bar.middle)
    width = math.log(bar.high / bar.middle) if off > 0 else math.log(bar.middle / bar.low)
    return 0.0 if off == 0 else abs(off) / width if width > 0 else math.inf


def left_out(runs, rule=bar_of):
    """Of each run, how many bars it is off by the bar of all others."""
    return [
        bars_off(rule([other.times for other in runs if other is not run]), run.times)
        for run in runs
    ]


def model_text(name, row):
    """A catalog entry of a model that a row says by its shape."""
    gated = row.get("gated_ffn") == "true"
    values = [f"{key} = {row[key]}" for key in SHAPE if row.get(key)]
    values.append(f"ffn = {row.get('ffn') or 4 * int(row['hidden'])}")
    return "\n".join(
        ["schema = 1", "", "[sources]", 'runs = "The case file of whole runs"', "",
         f"[model.{name}]", 'source = "runs"', 'kind = "published"',
         f'family = "{"llama" if gated else "plain"}"', *values,
         f"max_positions = {row['seq']}", ""])


def question(row, folder):
    """The words of a question for 'scalesweep recommend'."""
    model = row["model"]
    words = []
    if not model:
        model = f"run-{row['case']}"
        place = os.path.join(folder, f"{model}.toml")
        with open(place, "w", encoding="utf-8") as file:
            file.write(model_text(model, row))
        words = ["--catalog-add", place]
    precision = row.get("precision", "")
    return ["recommend", "--model", model, "--train", "--device", row["device"],
            "--devices", row["gpus"], "--sequence", row["seq"],
            "--global-batch", row["global_batch"],
            "--precision", PRECISIONS.get(precision, precision),
            "--run-tokens", f"{row['tokens_billion']} B", "--format", "json", *words]


def ask(program, row, folder):
    """Days that are answered if all goes well."""
    said = subprocess.run([program, *question(row, folder)], capture_output=True, text=True,
                          check=False)
    if said.returncode != 0:
        raise RuntimeError(f"{row['case']}: {said.stderr.strip()}")
    return json.loads(said.stdout)["layouts"][0]["days"]


def runs_of(program, place, folder):
    """Runs of a file that say how long they took, each with what is answered."""
    with open(place, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["time_to_train_days"]]
    runs = []
    for row in rows:
        answered = ask(program, row, folder)
        days = float(row["time_to_train_days"])
        runs.append(Run(row["case"], days / answered))
        print(f"{row['case']:22} {days:8.1f} days, answered {answered:8.1f}: "
              f"{runs[-1].times:.2f} times")
    return runs


def coverage(off):
    """"5 of 8 within one bar, 8 within two"."""
    return (f"{sum(one <= 1 for one in off)} of {len(off)} within one bar, "
            f"{sum(one <= 2 for one in off)} within two")


def main(program, own, held_out=None):
    with tempfile.TemporaryDirectory() as folder:
        runs = runs_of(program, own, folder)
        others = runs_of(program, held_out, folder) if held_out else []
    times = [run.times for run in runs]
    rules = (("68th percentile of each side", bar_of),
             ("root mean square of each side", squares_of),
             ("68th percentile of both", even_bar_of))
    for words, rule in rules:
        bar = rule(times)
        print(f"{words}: reached = {bar.middle:.2f}, reached_low = {bar.low:.2f}, "
              f"reached_high = {bar.high:.2f}")
        print(f"  themselves: {coverage([bars_off(bar, one) for one in times])}")
        print(f"  each left out: {coverage(left_out(runs, rule))}")
        if others:
            print(f"  held out: {coverage([bars_off(bar, run.times) for run in others])}")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
