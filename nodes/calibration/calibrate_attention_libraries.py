#!/usr/bin/env python3
"""Fits the constants of libraries of attention to measured prefill and decode.

Entries of `library` in nodes/libraries-attention.toml whose names differ in the device alone are
one library on a generation of devices, which differ in what their data sheets say of the vector
units only. Three constants of prefill and seven of decode, two of them of caches of fewer bits.
Half of the rows, by a hash of their names, choose them first and the other half says what that is
worth; those that are written come from all rows.

    nodes/calibration/calibrate_attention_libraries.py --program build/bin/scalesweep \\
        --cases tests/validation
    nodes/calibration/calibrate_attention_libraries.py --apply \\
        --report nodes/calibration/attention-libraries.md
"""

import datetime
import math
import sys
import tomllib
from dataclasses import dataclass, field

from calibrate_libraries import (
    DEVICES, Search, constant_lines, fit, part_lines, plain, residual_lines, titles_of)
from calibration import Place, read_value, write_value

CASES = "kernels-attention-libraries.csv"
FILE = "libraries-attention.toml"
# Constants, their units, limits, and where the search begins.
CONSTANTS = (("softmax_flop", "", (0.5, 60.0), 12.0),
             ("block_latency", "us", (0.1, 30.0), 5.0),
             ("prefill_latency", "us", (1.0, 80.0), 10.0),
             ("decode_latency", "us", (1.0, 40.0), 6.0),
             ("merge_latency", "us", (0.1, 20.0), 2.0),
             ("decode_block_latency", "us", (0.1, 20.0), 2.0),
             ("cache_flop", "", (0.5, 60.0), 10.0),
             ("cache_passes", "", (0.2, 20.0), 2.0),
             ("narrow_latency", "us", (0.01, 20.0), 2.0),
             ("narrow_flop", "", (0.1, 200.0), 30.0))
PER_FLOP = ("softmax_flop", "cache_flop", "narrow_flop")
ITERATIONS = 14
LEFT = """

## What is left

A block of keys of a short context is multiplied whole: contexts below 256 tokens in batches of
hundreds take up to four times as long as predicted, and are left out. So are windows and the
Triton kernels of SGLang and vLLM. The entries speak of latent attention as well, whose rows
(kernels-latent.csv) did not choose them: of 32 groups of these 24 are nearer with them.

## Services

Time per token and rates of inference-servers-2026.csv, mean and median, where a stack names what
its source takes by default, nothing refitted; of the odd half of rows in brackets. Of sglang@0.5
decode workers go from 12.7 to 13.3 %.

| stack | before | after | |
|---|---|---|---|
| vllm@0.12 | 26.5, 18.4 % (29.9, 19.6) | 26.0, 17.3 % (29.4, 18.6) | named |
| vllm@0.14 | 10.2, 7.9 % (11.0, 8.4) | 10.2, 7.6 % (10.9, 8.0) | named |
| sglang@0.5 | 12.6, 6.5 % (12.4, 5.7) | 12.5, 7.0 % (12.3, 6.7) | not named |
| tensorrt-llm@1.1 | 14.4, 7.7 % (15.0, 8.0) | 14.6, 8.0 % (15.1, 8.6) | not named |
"""


@dataclass
class Attention(Search):
    """One library on a generation of devices."""

    limits: tuple = tuple(limits for _, _, limits, _ in CONSTANTS)
    name: str = ""  # of its entries, but for the device
    library: str = ""
    entries: dict = field(default_factory=dict)  # device -> entry
    factor: dict = field(default_factory=dict)  # device -> its vector rate over that of the first

    def has(self, row):
        return row["library"] == self.library and row["device"] in self.entries

    def write(self, catalog, logs):
        for device, entry in self.entries.items():
            for (key, unit, _, _), value in zip(CONSTANTS, self.bounded(logs)):
                factor = self.factor[device] if key in PER_FLOP else 1.0
                write_value(catalog, Place(FILE, f"library.{entry}.attention", key, unit),
                            value * factor)


def attention_of(catalog):
    found = {}
    data = tomllib.loads((catalog / FILE).read_text(encoding="utf-8"))["library"]
    for entry, table in data.items():
        if "attention" not in table:
            continue  # like another
        library, device = plain(table["library"]), plain(table["device"])
        name = entry.removesuffix(f"-{device}")
        known = found.setdefault(name, Attention(name=name, library=library))
        peak = read_value(catalog, Place(DEVICES, f"device.{device}", "vector_peak"))
        known.entries[device] = entry
        known.factor[device] = peak
        known.at = [math.log(start) for _, _, _, start in CONSTANTS]
    for known in found.values():
        first = next(iter(known.factor.values()))
        known.factor = {device: peak / first for device, peak in known.factor.items()}
    return list(found.values())


def main():
    return fit(__doc__.splitlines()[0], CASES, attention_of, report, ITERATIONS)


def kinds():
    """By kernel and by the bits of the cache."""
    for op in ("attention_prefill", "attention_decode"):
        for cache in ("bf16", "fp8"):
            yield (f"{op}, cache in {cache}", lambda row, kind=(op, cache):
                   (row["op"], row["kv_precision"]) == kind)


def report(libraries, rows, from_half, predictions):
    today = datetime.date.today().isoformat()
    lines = [
        "# Libraries of attention: what was fitted, on which rows, with which residuals", "",
        f"Written by `nodes/calibration/calibrate_attention_libraries.py` on {today}, from",
        f"{len(rows)} rows of {CASES}. The rows whose name has an even CRC-32",
        "choose ten constants of a library on a generation of devices; the others are held out.",
        "What ships is fitted to all.", "",
        *residual_lines(libraries, rows, predictions),
        *part_lines(rows, predictions, kinds()),
        *constant_lines(libraries, rows, from_half, titles_of(CONSTANTS))]
    return "\n".join(lines) + LEFT


if __name__ == "__main__":
    sys.exit(main())
