#!/usr/bin/env python3
"""Writes nodes/uncertainties.toml from what 'scalesweep validate' predicted of measured cases.

    scalesweep validate CASES.csv --predictions OUT.csv
    python3 measure_uncertainty.py OUT.csv=FRAMEWORK[:TEXT] [OUT2.csv=...] > uncertainties.toml

FRAMEWORK is the entry of nodes/frameworks.toml that the file was estimated with; of a file with
several, TEXT is in the `source` of the rows that are meant, or is their `framework`. One entry for
each kind of work, device, framework and scale with at least FEWEST_ROWS rows: the 68th percentile
of |predicted / measured - 1|, so that two of three measured cases are within it. Rows with a
`metric` are inference, all others training steps; the error of a rate is that of the time
which it is one over.
"""
import collections
import csv
import datetime
import math
import os
import shlex
import sys

FEWEST_ROWS = 5
NODE_DEVICES = 8
RATES = ("tokens_per_s",)  # metrics of which more is better
HEAD = """\
# How far estimates of step times were from measured ones: the relative error that two of three
# measured steps were within (the 68th percentile of |estimate / measurement - 1|), one entry for
# each device, framework and scale that was measured. single_node: up to 8 devices; multi_node:
# more.
#
# Of inference they are entries with work = "inference" (training where it is not said):
# the same share of latencies, times to the first token, times per output token and one over rates.
#
# Written by nodes/calibration/measure_uncertainty.py from the predictions of 'scalesweep validate'
# for the measured cases:
#
#   {command}
#
# A device and framework without an entry take the largest value of their scale, and 'explain' says
# that they were not measured.
schema = 1

[sources]
residuals = "Estimates of this version against the measured cases, measure_uncertainty.py"
"""


def percentile(values, share):
    """The smallest value that at least this share of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def split(argument):
    """OUT.csv=FRAMEWORK:TEXT"""
    path, _, stack = argument.rpartition("=")
    if not path:
        sys.exit(__doc__)
    framework, _, text = stack.partition(":")
    return path, framework, text


def short(argument):
    """The same without the folder of the file, as a shell reads it."""
    path, framework, text = split(argument)
    return shlex.quote(f"{os.path.basename(path)}={framework}" + (f":{text}" if text else ""))


def error_of(row):
    """None where nothing was measured or predicted."""
    quantity = "value" if row.get("metric") else "step_time_s"
    measured, predicted = row.get(quantity), row.get(f"predicted_{quantity}")
    if not measured or not predicted:
        return None
    ratio = float(predicted) / float(measured)
    return abs((1.0 / ratio if row.get("metric") in RATES else ratio) - 1.0)


def read_errors(arguments):
    errors = collections.defaultdict(list)
    for argument in arguments:
        path, framework, text = split(argument)
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if text not in row.get("source", "") and text != row.get("framework"):
                    continue
                error = error_of(row)
                if error is None:
                    continue
                work = "inference" if row.get("metric") else "training"
                scale = "single_node" if float(row["gpus"]) <= NODE_DEVICES else "multi_node"
                errors[work, row["device"], framework, scale].append(error)
    return errors


def entry(work, device, framework, scale, values):
    inference = work == "inference"
    name = "/".join((device, framework, scale) + ((work,) if inference else ()))
    kind = f'work = "{work}"\n' if inference else ""
    return f"""
[uncertainty."{name}"]
source = "residuals"
kind = "calibrated"
device = "{device}"
framework = "{framework}"
{kind}scale = "{scale}"
relative = {percentile(values, 0.68):.3f}
rows = {len(values)}
date = "{datetime.date.today().isoformat()}\""""


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    lines = ["python3 nodes/calibration/measure_uncertainty.py", *(short(a) for a in sys.argv[1:])]
    print(HEAD.format(command=" \\\n#     ".join(lines)), end="")
    # Training first.
    measured = sorted(read_errors(sys.argv[1:]).items(), key=lambda e: (e[0][0] != "training", e))
    for key, values in measured:
        if len(values) >= FEWEST_ROWS:
            print(entry(*key, values))


if __name__ == "__main__":
    main()
