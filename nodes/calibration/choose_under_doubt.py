#!/usr/bin/env python3
"""What choosing a layout or a device by estimates loses, by value and under doubt.

    scalesweep validate CASES.csv --predictions OUT.csv
    python3 choose_under_doubt.py OUT.csv [OUT2.csv ...]
    python3 choose_under_doubt.py --drawn

Groups measured cases that answer one question: the same model, workload, precision, framework,
device and number of devices in three or more layouts; or all of that but the device, on three or
more devices. A rule chooses one of a group by estimates and their error bars; its loss is what the
chosen one takes, measured, over the least of the group, less one. Error bars are those of the rows
that are not in the group, by the rule of measure_uncertainty.py. Prints, in Markdown, the groups by
source and the losses by rule; SHARED is chosen on every other group of each source and tried on the
rest (choices.md). The rule that is used: src/reduce/choice.cpp. With --drawn, losses of layouts
whose times are drawn and estimated with errors that are drawn.
"""
import collections
import csv
import math
import random
import re
import statistics
import sys

from cross_validate_uncertainty import as_catalog, bars
from measure_uncertainty import (RATES, devices_of, error_bar, name_of, regime, row_of,
                                 wider_by)

FEWEST = 3  # layouts or devices of a group
AS_WIDE = 1.2
SHARED = 0.65
SHARES = [share / 20.0 for share in range(20)]  # that are tried
DRAWS = 400
BARS = (0.42, 0.07)  # of layouts that were measured nowhere, and of others, where they are drawn
LAYOUT = ("micro_batch tp pp virtual_pp cp ep dp zero sequence_parallel recompute").split()
MODEL = "model hidden layers heads kv_heads ffn gated_ffn vocab tied_embeddings".split()
TRAINING = MODEL + ("seq global_batch precision recipe grad_precision multi_token_prediction "
                    "token_drop").split()
INFERENCE = ("model batch concurrency prompt_tokens output_tokens precision kv_precision "
             "weight_precision metric").split()
OF_A_DEVICE = ("version", "flash_attention", "scale_out_gbps_per_node")

# Of a case: what was measured and estimated is a time, or one over a rate.
Case = collections.namedtuple("Case", "row question system layout measured estimated")
# Cases of one question, and of each layout or device its median one.
Group = collections.namedtuple("Group", "kind source cases candidates")
# What a rule is given.
Candidate = collections.namedtuple("Candidate", "estimated bar kind")


def family(framework):
    """Of a framework its name without versions and builds for some vendor."""
    return re.sub(r"(-rocm|-cdna2)+$", "", framework.partition("@")[0])


def network(cells):
    """What a job measured of its network, to a factor of two: jobs of unlike networks answer
    other questions."""
    rate = float(cells.get("measured_all_reduce_gb_per_s") or 0)
    return round(math.log2(rate)) if rate > 0 else None


def case_of(cells, path):
    row = row_of(cells, path)
    if row is None:
        return None
    of_inference = bool(cells.get("metric"))
    quantity = "value" if of_inference else "step_time_s"
    measured = float(cells[quantity])
    if cells.get("metric") in RATES:
        measured = 1.0 / measured
    names = INFERENCE if of_inference else TRAINING
    question = (row.work, devices_of(cells)) + tuple(cells.get(name) or "" for name in names)
    system = (row.device, row.framework, network(cells)) + tuple(cells.get(name) or ""
                                                                 for name in OF_A_DEVICE)
    layout = tuple(cells.get(name) or "1" for name in LAYOUT)
    return Case(row, question, system, layout, measured, measured * (1.0 + row.error))


def read_cases(paths):
    cases, known = [], set()
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            for cells in csv.DictReader(file):
                case, name = case_of(cells, path), name_of(cells)
                if case is not None and name not in known:
                    known.add(name)
                    cases.append(case)
    return cases


def median_cases(cases, key_of):
    """Of cases that are the same but for when they ran."""
    same = collections.defaultdict(list)
    for case in cases:
        same[key_of(case)].append(case)
    return [sorted(found, key=lambda case: case.measured)[len(found) // 2]
            for found in same.values()]


def groups_of(cases):
    layouts, devices = collections.defaultdict(list), collections.defaultdict(list)
    for case in cases:
        layouts[case.question, case.system].append(case)
        devices[case.question, family(case.row.framework)].append(case)
    groups = []
    for found in layouts.values():
        if len({case.layout for case in found}) >= FEWEST:
            groups.append(Group("layouts", found[0].row.source, found,
                                median_cases(found, lambda case: case.layout)))
    for found in devices.values():
        if len({case.row.device for case in found}) >= FEWEST:
            groups.append(Group("devices", found[0].row.source, found,
                                median_cases(found, lambda case: (case.row.device, case.layout))))
    return groups


def candidates_of(group, cases):
    """With error bars of the cases that are not in the group."""
    own = {id(case) for case in group.cases}
    known = [case.row for case in cases if id(case) not in own]
    bar, wider = bars(known, error_bar, as_catalog()), wider_by(known)
    found = []
    for case in group.candidates:
        limit = bar(regime(case.row))
        found.append(Candidate(case.estimated, wider(case.row, limit) if limit else 0.0,
                               (regime(case.row), case.row.traits)))
    return found


def by_value(candidates, _share):
    return min(range(len(candidates)), key=lambda i: candidates[i].estimated)


def by_expected_time(candidates, share):
    """The mean of truths whose median is the estimate; what all have in common cancels."""
    return min(range(len(candidates)), key=lambda i: math.log(candidates[i].estimated) +
               (1.0 - share) * candidates[i].bar ** 2 / 2.0)


def by_expected_loss(candidates, share):
    """Truths drawn: of the variance of an error `share` is common to those of one device,
    framework, scale and set of traits, the rest is of each layout."""
    chance = random.Random(1)
    losses = [0.0] * len(candidates)
    for _ in range(DRAWS):
        common = collections.defaultdict(lambda: chance.gauss(0.0, 1.0))
        truths = [c.estimated * math.exp(c.bar * (math.sqrt(share) * common[c.kind] +
                                                  math.sqrt(1.0 - share) * chance.gauss(0.0, 1.0)))
                  for c in candidates]
        least = min(truths)
        losses = [loss + truth / least for loss, truth in zip(losses, truths)]
    return losses.index(min(losses))


def better_known(candidates, share):
    """As src/reduce/choice.cpp."""
    width = math.sqrt(2.0 * (1.0 - share))

    def alike(a, b):
        return abs(math.log(a.estimated / b.estimated)) <= width * max(a.bar, b.bar)

    best = chosen = by_value(candidates, share)
    while True:
        known = [i for i, c in enumerate(candidates)
                 if AS_WIDE * c.bar < candidates[chosen].bar and
                 alike(c, candidates[chosen]) and alike(c, candidates[best])]
        if not known:
            return chosen
        chosen = min(known, key=lambda i: candidates[i].estimated)


RULES = (("by value", by_value), ("by expected time", by_expected_time),
         ("by expected loss, drawn", by_expected_loss), ("**better known**", better_known))


def losses_of(groups, candidates, rule, share):
    found = []
    for group, given in zip(groups, candidates):
        measured = [case.measured for case in group.candidates]
        found.append(measured[rule(given, share)] / min(measured) - 1.0)
    return found


def halves(groups):
    """Every other group of each kind and source, and the others."""
    counts, sides = collections.Counter(), ([], [])
    for i, group in enumerate(groups):
        key = (group.kind, group.source)
        sides[counts[key] % 2].append(i)
        counts[key] += 1
    return sides


def mean_of(losses, places):
    return statistics.fmean(losses[i] for i in places) if places else 0.0


def chosen_share(groups, candidates, places):
    """The share with the least loss of these groups; of equal ones the largest, which departs least
    from the choice by value."""
    means = {share: round(mean_of(losses_of(groups, candidates, better_known, share), places), 6)
             for share in SHARES}
    least = min(means.values())
    return max(share for share, mean in means.items() if mean == least)


def print_groups(groups, by_value_losses):
    print("| groups of | source | groups | candidates | lost by value | wrong |")
    print("|---|---|---|---|---|---|")
    places = collections.defaultdict(list)
    for i, group in enumerate(groups):
        places[group.kind, group.cases[0].row.work, group.source].append(i)
    for (kind, work, source), found in sorted(places.items()):
        losses = [by_value_losses[i] for i in found]
        print(f"| {kind} | {source}, {work} | {len(found)} | "
              f"{statistics.fmean(len(groups[i].candidates) for i in found):.1f} | "
              f"{100 * statistics.fmean(losses):.1f} % | {sum(loss > 0 for loss in losses)} |")


def print_rules(groups, candidates, by_value_losses):
    even, odd = halves(groups)
    kinds = {kind: [i for i, group in enumerate(groups) if group.kind == kind]
             for kind in ("layouts", "devices")}

    def share_of(losses, places):
        whole = mean_of(by_value_losses, places)
        return f"{mean_of(losses, places) / whole:.3f}" if whole > 0.0 else "-"

    print("| rule | in common | lost | over by value | even | odd | layouts | devices | at most | "
          "more than by value, at most | by more than a tenth |")
    print("|---" * 11 + "|")
    for name, rule in RULES:
        for share in ([0.0] if rule is by_value else [0.0, 0.5, SHARED, 0.8]):
            losses = losses_of(groups, candidates, rule, share)
            more = [a - b for a, b in zip(losses, by_value_losses)]
            cells = [share_of(losses, places)
                     for places in (range(len(groups)), even, odd, kinds["layouts"],
                                    kinds["devices"])]
            print(f"| {name} | {share:g} | {100 * statistics.fmean(losses):.2f} % | "
                  f"{' | '.join(cells)} | {100 * max(losses):.0f} % | {100 * max(more):.1f} % | "
                  f"{sum(one > 0.1 for one in more)} |")
    print(f"\nOn the even groups the least is lost with {chosen_share(groups, candidates, even):g} "
          f"in common; {SHARED:g} is used.")


def drawn_losses(count, spread, common, studies):
    """By value and by the rule, in the mean of studies of `count` layouts: the logarithms of their
    times have this standard deviation, every other one has a wide error bar, and of the variance of
    an error `common` is common to the layouts with the same bar."""
    chance, own = random.Random(1), math.sqrt(1.0 - common)
    sums = [0.0, 0.0]
    for _ in range(studies):
        shifts = [math.sqrt(common) * chance.gauss(0.0, 1.0) for _ in BARS]
        truths = [spread * chance.gauss(0.0, 1.0) for _ in range(count)]
        estimates = [Candidate(math.exp(truth - BARS[i % 2] * (shifts[i % 2] +
                                                               own * chance.gauss(0.0, 1.0))),
                               BARS[i % 2], None) for i, truth in enumerate(truths)]
        for place, rule in enumerate((by_value, better_known)):
            sums[place] += math.expm1(truths[rule(estimates, SHARED)] - min(truths))
    return [loss / studies for loss in sums]


def print_drawn():
    print("| layouts | spread of logarithms | in common | lost by value | by the rule |")
    print("|---|---|---|---|---|")
    for count, studies in ((4, 4000), (20, 2000), (200, 500)):
        for spread in (0.1, 0.3, 0.5):
            for common in (0.0, SHARED, 0.9):
                by_value_loss, by_rule = drawn_losses(count, spread, common, studies)
                print(f"| {count} | {spread} | {common:g} | {100 * by_value_loss:.1f} % | "
                      f"{100 * by_rule:.1f} % |")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1:] == ["--drawn"]:
        print_drawn()
        return
    cases = read_cases(sys.argv[1:])
    groups = groups_of(cases)
    if not groups:
        sys.exit(f"no question has {FEWEST} layouts or devices in these files; 'scalesweep "
                 "validate CASES.csv --predictions OUT.csv' writes them")
    candidates = [candidates_of(group, cases) for group in groups]
    by_value_losses = losses_of(groups, candidates, by_value, 0.0)
    print_groups(groups, by_value_losses)
    print()
    print_rules(groups, candidates, by_value_losses)


if __name__ == "__main__":
    main()
