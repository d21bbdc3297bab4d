#!/usr/bin/env python3
"""Writes nodes/uncertainties.toml from what 'scalesweep validate' predicted of measured cases.

    scalesweep validate CASES.csv --predictions OUT.csv
    python3 measure_uncertainty.py OUT.csv [OUT2.csv ...] > uncertainties.toml
    python3 measure_uncertainty.py --left-out FOLDER > uncertainties.toml

One entry for each kind of work, device, framework and scale with at least FEWEST_ROWS rows: the bar
that |predicted / measured - 1| is within, by the rule of error_bar. For each kind of work, trait
(what only some models, layouts and workloads have) and framework, and of all frameworks, the same
of errors over these bars: a factor. What a trait adds that no case has is UNMEASURED_TRAIT. What a
device, stack or scale adds that no case has: left_out.py, of predictions of leave_one_out.py.
Times to the first token of services, rows of `ttft_s` with `concurrency`, are a kind of their own.
Devices and frameworks are those that a row was estimated with, which predictions say. Rows with a
`metric` are inference, all others training steps; the error of a rate is that of the time which it
is one over. A row that two files hold counts once. Why this rule: uncertainty.md, by
cross_validate_uncertainty.py.
"""
import collections
import csv
import datetime
import math
import os
import pathlib
import shlex
import sys

import left_out
import leave_one_out
from left_out import FEWEST_ROWS, regime, rms

NODE_DEVICES = 8
WORKS = ("training", "inference", "first_token")
RATES = ("tokens_per_s",)  # metrics of which more is better
HEAD = """\
# How far estimates of times were from measured ones, as |estimate / measurement - 1|, one entry for
# each device, framework and scale that was measured: two of three measured cases are within it, and
# where the others are far off up to 76 of 100, so that 95 of 100 are within twice as much
# (calibration/uncertainty.md). single_node: up to 8 devices; multi_node: more.
#
# Of inference they are entries with work = "inference" (training where it is not said):
# of latencies, times per output token, one over rates, and times to the first token of a batch.
# Those of services, which wait for other requests, have entries with work = "first_token".
#
# Written by nodes/calibration/measure_uncertainty.py from the predictions of 'scalesweep validate'
# for the measured cases:
#
#   {command}
#
# A device and framework without an entry take that of the other scale, else the root mean square of
# all entries of their kind of work, and what entries of [trait] add for what was not measured of
# them (calibration/left_out.py). Cases with a trait were further off by its factor.
schema = 1

[sources]
residuals = "Estimates of this version against the measured cases, measure_uncertainty.py"
encounters = "What estimates of traits were off when they were first measured, uncertainty.md"
left-out = "Estimates of cases as if their device or stack had never been measured, left_out.py"
"""
# The root mean square of such errors, which uncertainty.md lists, over the usual error bar.
UNMEASURED_TRAIT = 0.41

# `source` is who measured: the first word of the cell without a revision, else the file.
Row = collections.namedtuple("Row", "work device framework scale source error traits")


def work_of(cells):
    metric = cells.get("metric")
    if metric == "ttft_s" and cells.get("concurrency"):
        return "first_token"
    return "inference" if metric else "training"


def error_of(cells):
    """None where nothing was measured or predicted."""
    quantity = "value" if cells.get("metric") else "step_time_s"
    measured, predicted = cells.get(quantity), cells.get(f"predicted_{quantity}")
    if not measured or not predicted:
        return None
    ratio = float(predicted) / float(measured)
    return (1.0 / ratio if cells.get("metric") in RATES else ratio) - 1.0


def source_of(cells, path):
    words = cells.get("source", "").split()
    return words[0].partition("@")[0] if words else os.path.basename(path)


def name_of(cells):
    """By which a row that two files hold is known."""
    return tuple(cells.get(c, "") for c in ("case", "source", "metric", "value", "step_time_s"))


def row_of(cells, path):
    """None where nothing was measured or predicted."""
    error = error_of(cells)
    if error is None:
        return None
    scale = "single_node" if devices_of(cells) <= NODE_DEVICES else "multi_node"
    return Row(work_of(cells), cells["estimated_device"], cells["estimated_framework"], scale,
               source_of(cells, path), error,
               tuple(filter(None, cells["estimated_traits"].split("; "))))


def read_rows(paths):
    rows, known = [], set()
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            table = csv.DictReader(file)
            if "estimated_traits" not in (table.fieldnames or ()):
                sys.exit(f"{path}: no predictions of training or inference; "
                         "'scalesweep validate CASES.csv --predictions OUT.csv' writes them")
            for cells in table:
                row, name = row_of(cells, path), name_of(cells)
                if row is not None and name not in known:
                    known.add(name)
                    rows.append(row)
    return rows


def devices_of(cells):
    """Of inference `gpus` may be left out."""
    sizes = (cells.get(column) or "1" for column in ("tp", "pp", "dp"))
    return float(cells.get("gpus") or math.prod(int(size) for size in sizes))


def by_regime(rows):
    errors = collections.defaultdict(list)
    for row in rows:
        errors[regime(row)].append(row.error)
    return errors


def by_trait(rows):
    """Errors over the bars of their regimes."""
    bars = bars_of(rows)
    others = {work: rms([bar for key, bar in bars.items() if key[0] == work])
              for work in {key[0] for key in bars}}
    errors = collections.defaultdict(list)
    for row in rows:
        for trait in row.traits:
            error = row.error / bars.get(regime(row), others[row.work])
            errors[row.work, row.framework, trait].append(error)
            errors[row.work, "", trait].append(error)  # of all frameworks
    return errors


def quantile(values, share):
    """The smallest value that at least this share of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered) - 1e-9) - 1)]


def error_bar(errors):
    """68 % within one bar and 95 % within two, as of a normal distribution. Where some errors are
    far larger than the rest no bar does both: then more are within one, at most 76 %."""
    sizes = [abs(error) for error in errors]
    return min(max(quantile(sizes, 0.68), quantile(sizes, 0.95) / 2.0), quantile(sizes, 0.76))


def entry(kin, work, device, framework, scale, errors):
    said = work != WORKS[0]  # training where it is not
    name = "/".join((device, framework, scale) + ((work,) if said else ()))
    kind = f'work = "{work}"\n' if said else ""
    architecture, maker = kin.get(device, ("", ""))
    kind += f'architecture = "{architecture}"\n' if architecture else ""
    kind += f'maker = "{maker}"\n' if maker else ""
    return f"""
[uncertainty."{name}"]
source = "residuals"
kind = "calibrated"
device = "{device}"
framework = "{framework}"
{kind}scale = "{scale}"
relative = {error_bar(errors):.3f}
rows = {len(errors)}
date = "{datetime.date.today().isoformat()}\""""


def trait_entry(work, framework, trait, errors):
    by = f'framework = "{framework}"\n' if framework else ""
    return f"""
[trait."{"/".join(filter(None, (work, framework, trait)))}"]
source = "residuals"
kind = "calibrated"
trait = "{trait}"
{by}work = "{work}"
factor = {error_bar(errors):.3f}
rows = {len(errors)}"""


def unmeasured_entry(work):
    return f"""
[trait."{work}/unmeasured"]
source = "encounters"
kind = "derived"
work = "{work}"
relative = {UNMEASURED_TRAIT}"""


def lack_entry(work, lack, relative, rows):
    counted = f"\nrows = {rows}" if rows else ""
    assumed = lack == left_out.CLAIMED
    return f"""
[trait."{work}/{lack}"]
source = "left-out"
kind = "{'assumed' if assumed else 'derived'}"
trait = "{lack}"
work = "{work}"
relative = {relative:.3f}{counted}"""


def wider_by(rows):
    """A bar times the largest factor of a row's traits, and what each adds that no row has: as
    technology/uncertainty.cpp."""
    factors = {key: error_bar(errors) for key, errors in by_trait(rows).items()
               if len(errors) >= FEWEST_ROWS}

    def wider(row, bar):
        found = [factors.get((row.work, row.framework, trait), factors.get((row.work, "", trait)))
                 for trait in row.traits]
        times = max([1.0] + [factor for factor in found if factor is not None])
        return math.hypot(times * bar, UNMEASURED_TRAIT * math.sqrt(found.count(None)))
    return wider


def bars_of(rows):
    return {key: error_bar(errors) for key, errors in by_regime(rows).items()
            if len(errors) >= FEWEST_ROWS}


def files_in(folder):
    return sorted(map(str, pathlib.Path(folder).glob("*.csv")))


def lacks(rows, folder, kin):
    """What was not measured adds."""
    bars = bars_of(rows)

    def left_of(kind):
        found = []
        for group in leave_one_out.GROUPS:
            if group.kind == kind:
                devices, stacks = leave_one_out.members_of(group)
                known = {key: bar for key, bar in bars.items()
                         if key[1] not in devices and key[2] not in stacks}
                of_group = read_rows(files_in(pathlib.Path(folder) / f"{kind}-{group.name}"))
                found.append((known, [row for row in of_group
                                      if row.device in devices or row.framework in stacks]))
        return found
    return left_out.fitted(kin, bars, rows, left_of, wider_by(rows))


def enough(errors):
    """Of groups of rows those that say something, training first."""
    return sorted(((key, found) for key, found in errors.items() if len(found) >= FEWEST_ROWS),
                  key=lambda e: (WORKS.index(e[0][0]), e[0]))


def main():
    folder = sys.argv[2] if len(sys.argv) == 3 and sys.argv[1] == "--left-out" else None
    paths = files_in(pathlib.Path(folder) / "all") if folder else sys.argv[1:]
    if not paths:
        sys.exit(__doc__)
    names = [shlex.quote(os.path.basename(path)) for path in paths]
    lines = ["python3 nodes/calibration/measure_uncertainty.py", *names]
    print(HEAD.format(command=" \\\n#     ".join(lines)), end="")
    rows = read_rows(paths)
    kin = left_out.kin_of(pathlib.Path(__file__).resolve().parents[1])
    for key, errors in enough(by_regime(rows)):
        print(entry(kin, *key, errors))
    for key, errors in enough(by_trait(rows)):
        print(trait_entry(*key, errors))
    if folder:
        for (work, lack), (relative, count) in lacks(rows, folder, kin).items():
            print(lack_entry(work, lack, relative, count))
    for work in WORKS:
        print(unmeasured_entry(work))


if __name__ == "__main__":
    main()
