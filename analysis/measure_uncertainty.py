#!/usr/bin/env python3
"""Writes nodes/uncertainties.toml from what 'scalesweep validate' predicted of measured steps.

    scalesweep validate CASES.csv --predictions OUT.csv
    python3 measure_uncertainty.py OUT.csv=FRAMEWORK[:TEXT] [OUT2.csv=...] > uncertainties.toml

FRAMEWORK is the entry of nodes/frameworks.toml that the file was estimated with; of a file with
several, TEXT is in the `source` of the rows that are meant. One entry for each device, framework
and scale with at least FEWEST_ROWS rows: the 68th percentile of |predicted / measured - 1|, so that
two of three measured steps are within it.
"""
import collections
import csv
import datetime
import math
import os
import sys

FEWEST_ROWS = 5
NODE_DEVICES = 8
HEAD = """\
# How far estimates of step times were from measured ones: the relative error that two of three
# measured steps were within (the 68th percentile of |estimate / measurement - 1|), one entry for
# each device, framework and scale that was measured. single_node: up to 8 devices; multi_node:
# more.
#
# Written by analysis/measure_uncertainty.py from the predictions of 'scalesweep validate' for the
# measured cases:
#
#   {command}
#
# A device and framework without an entry take the largest value of their scale, and 'explain' says
# that they were not measured.
schema = 1

[sources]
residuals = "Estimates of this version against the measured cases, analysis/measure_uncertainty.py"
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
    """The same without the folder of the file."""
    path, framework, text = split(argument)
    return f"{os.path.basename(path)}={framework}" + (f":{text}" if text else "")


def read_errors(arguments):
    errors = collections.defaultdict(list)
    for argument in arguments:
        path, framework, text = split(argument)
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if text not in row.get("source", ""):
                    continue
                measured = row.get("step_time_s")
                predicted = row.get("predicted_step_time_s")
                if not measured or not predicted:
                    continue
                scale = "single_node" if float(row["gpus"]) <= NODE_DEVICES else "multi_node"
                error = abs(float(predicted) / float(measured) - 1.0)
                errors[row["device"], framework, scale].append(error)
    return errors


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    lines = ["python3 analysis/measure_uncertainty.py", *(short(a) for a in sys.argv[1:])]
    print(HEAD.format(command=" \\\n#     ".join(lines)), end="")
    for (device, framework, scale), values in sorted(read_errors(sys.argv[1:]).items()):
        if len(values) < FEWEST_ROWS:
            continue
        print(f"""
[uncertainty."{device}/{framework}/{scale}"]
source = "residuals"
kind = "calibrated"
device = "{device}"
framework = "{framework}"
scale = "{scale}"
relative = {percentile(values, 0.68):.3f}
rows = {len(values)}
date = "{datetime.date.today().isoformat()}\"""")


if __name__ == "__main__":
    main()
