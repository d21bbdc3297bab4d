#!/usr/bin/env python3
"""By which rule error bars hold on rows that did not set them.

    scalesweep validate CASES.csv --predictions OUT.csv
    python3 cross_validate_uncertainty.py OUT.csv [OUT2.csv ...]

Prints, for each rule and way of holding rows back, the share of these within one and within two
error bars, in Markdown (uncertainty.md). Bars are set by the other rows. What is held back: each
half of the rows, split SPLITS times; each source; each device, framework and scale; all rows with
a trait. In the first number of a cell each row counts the same, in the second each source (of the
last two ways each device, framework and scale). Constants of the model are not fitted again: of
those that were fitted to rows that are held back here, errors are smaller than they would be. What
adds to bars of what was not measured is that of the catalog.
"""
import collections
import functools
import pathlib
import random
import sys
import tomllib

import left_out
from left_out import FEWEST_ROWS, rms
from measure_uncertainty import (WORKS, by_regime, error_bar, quantile, read_rows, regime,
                                 wider_by)

SPLITS = 6


def percentile_68(errors):
    return quantile([abs(error) for error in errors], 0.68)


def larger_of_both(errors):
    """68 % within one bar, and 95 % within two."""
    return max(percentile_68(errors), quantile([abs(error) for error in errors], 0.95) / 2.0)


def without_traits(_rows):
    return lambda row, bar: bar


CATALOG = pathlib.Path(__file__).resolve().parents[1]


def by_mean(others):
    """Of a regime without rows from the bars of all others."""
    def look_up(entries, key):
        same_work = [value for other, value in entries.items() if other[0] == key[0]]
        return entries.get(key) or (others(same_work) if same_work else None)
    return look_up


@functools.cache
def as_catalog():
    """As src/catalog/error_bars.cpp."""
    kin = left_out.kin_of(CATALOG)
    traits = tomllib.loads((CATALOG / "uncertainties.toml").read_text("utf-8"))["trait"]
    added = {(entry["work"], entry["trait"]): entry["relative"] for entry in traits.values()
             if entry.get("trait") in left_out.CLASSES}
    return lambda entries, key: left_out.bar_of(entries, added, kin, key)


RULES = (
    # Of a regime with rows; of one without; what traits do to it.
    ("68th percentile; else the largest", percentile_68, by_mean(max), without_traits),
    ("68th percentile; else root mean square", percentile_68, by_mean(rms), without_traits),
    ("larger of 68th and half of 95th percentile; else root mean square", larger_of_both,
     by_mean(rms), without_traits),
    ("root mean square of errors; else root mean square", rms, by_mean(rms), without_traits),
    ("the same larger one, at most the 76th percentile; else root mean square", error_bar,
     by_mean(rms), without_traits),
    ("the same, with traits", error_bar, by_mean(rms), wider_by),
    ("**the same, with what was not measured**", error_bar, as_catalog(), wider_by),
    ("the same without traits; else the largest", error_bar, by_mean(max), without_traits),
)


def halves(rows):
    chance = random.Random(1)
    for _ in range(SPLITS):
        shuffled = list(rows)
        chance.shuffle(shuffled)
        middle = len(shuffled) // 2
        yield shuffled[:middle], shuffled[middle:]
        yield shuffled[middle:], shuffled[:middle]


def without_each(key_of):
    def split(rows):
        for key in sorted({key_of(row) for row in rows}):
            yield ([row for row in rows if key_of(row) != key],
                   [row for row in rows if key_of(row) == key])
    return split


def source(row):
    return row.source


def each_trait(rows):
    for key in sorted({(row.work, trait) for row in rows for trait in row.traits}):
        has = [row.work == key[0] and key[1] in row.traits for row in rows]
        if sum(has) >= FEWEST_ROWS:
            yield ([row for row, held in zip(rows, has) if not held],
                   [row for row, held in zip(rows, has) if held])


WAYS = (("halves", halves, source), ("each source", without_each(source), source),
        ("each device, framework, scale", without_each(regime), regime),
        ("each trait", each_trait, regime))


def bars(rows, own, look_up):
    """The bar of a regime, by the rule."""
    entries = {key: own(errors) for key, errors in by_regime(rows).items()
               if len(errors) >= FEWEST_ROWS}
    return lambda key: look_up(entries, key)


def coverage(rows, work, way, rule):
    """Shares within one and two bars: by row, then by source or regime."""
    _, split, unit = way
    _, own, look_up, traits = rule
    found = collections.defaultdict(list)
    for known, held_back in split(rows):
        bar, wider = bars(known, own, look_up), traits(known)
        for row in held_back:
            limit = bar(regime(row))
            if row.work == work and limit:
                found[unit(row)].append(abs(row.error) / wider(row, limit))
    every = [ratio for ratios in found.values() for ratio in ratios]
    if not every:
        return ""  # nothing is left that would set their bars
    shares = []
    for most in (1.0, 2.0):
        by_row = sum(ratio <= most for ratio in every) / len(every)
        by_unit = sum(sum(r <= most for r in rs) / len(rs) for rs in found.values()) / len(found)
        shares.append(f"{100 * by_row:.0f}, {100 * by_unit:.0f}")
    return " / ".join(shares)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    rows = read_rows(sys.argv[1:])
    columns = [(way, work) for way in WAYS for work in WORKS]
    print("| rule | " + " | ".join(f"{way[0]}: {work}" for way, work in columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for rule in RULES:
        cells = [coverage(rows, work, way, rule) for way, work in columns]
        print(f"| {rule[0]} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
