#!/usr/bin/env python3
"""Fits the constants of libraries of routed experts to measured layers.

An entry of `library` with a table `experts` is fitted to the rows of its own device and of those
whose entries are like it. Four constants: what launches beside the two products take, the shares
of the peak of the matrix units and of the rate of DRAM that these reach, and passes over all tokens
that a device is given. Half of the rows, by a hash of their names, choose them first and the other
half says what that is worth; those that are written come from all rows.

    nodes/calibration/calibrate_experts.py --program build/bin/scalesweep --cases tests/validation
    nodes/calibration/calibrate_experts.py --apply --report nodes/calibration/experts.md
"""

import datetime
import math
import sys
from dataclasses import dataclass

from calibrate_libraries import (
    PRECISIONS, Search, constant_lines, fit, part_lines, plain, residual_lines, titles_of)
from calibration import Place, write_value

CASES = "kernels-experts.csv"
FILE = "libraries-experts.toml"
# Constants, their units, limits, and where the search begins.
CONSTANTS = (("layer_latency", "us", (0.1, 200.0), 15.0),
             ("tensor_sustained", "", (0.03, 1.0), 0.5),
             ("stream_share", "", (0.05, 1.0), 0.8),
             ("token_passes", "", (0.01, 100.0), 3.0))
ITERATIONS = 14
LEFT = """

## What is left

Tokens that the tables call dealt out evenly are not where a model chooses experts by groups
(DeepSeek-V3 by SGLang, by vLLM and by the kernels of TensorRT-LLM for few tokens): each token is
given an expert of every group, half of the groups are then left out, and ties go to the first
experts, those of the rank that is timed. Its time hardly falls with the number of ranks. Those rows
are left out, and so are models without a gate but by TensorRT-LLM, whose rows say so. Experts of
SGLang's Triton kernels on Blackwell, of FP8 with one scale a tensor by vLLM and of models without a
gate have no entry.

Constants that end at 1 are open upwards: where weights bind, nothing tells of the matrix units.

## Services

tensorrt-llm@1.1 names DeepGEMM's, the one backend that it has for FP8 checkpoints on Blackwell:
decode workers 20.0 % before, 16.4 % after (median 16.5 and 13.8; of the odd half of rows 17.1 and
11.5 %), time per token as before, formats in the measured order in 47 of 55 pairs, before 44. No
other stack names these libraries yet; `narrow_expert_share` and `kernel_gap` of each absorb what
they say. Mean error of time per token of inference-servers-2026.csv where a stack names what its
source takes by default, nothing refitted: vllm@0.14 10.2 % before, 9.5 % after (median 7.9 and
7.1 %; first tokens 48.0 and 44.4 %), vllm@0.12 33.8 and 37.7 %, sglang@0.5 11.8 and 12.0 %
(decode workers 12.7 and 17.7 %), tensorrt-llm@1.1 13.4 and 19.5 %, or 16.3 % with the kernels for
few tokens (decode workers 20.0 and 22.9 or 23.5 %). The order of precisions stays. Models with
experts come out 20 % too slow by TensorRT-LLM's, whose gap of 0.15 us leaves nothing to take
away: servers launch other kernels than those that the tables time, or faster ones.
"""


@dataclass
class Experts(Search):
    """One library in a pair of formats, on a generation of devices."""

    limits: tuple = tuple(limits for _, _, limits, _ in CONSTANTS)
    name: str = ""  # the entry that others are like
    library: str = ""
    formats: tuple = ()  # operands and weights
    devices: tuple = ()
    file: str = FILE

    def has(self, row):
        operands = PRECISIONS.get(row["precision"], row["precision"])
        weights = row["weight_precision"] or operands
        return (row["library"] == self.library and row["device"] in self.devices
                and (operands, weights) == self.formats)

    def places(self):
        return [Place(self.file, f"library.{self.name}.experts", key, unit)
                for key, unit, _, _ in CONSTANTS]

    def write(self, catalog, logs):
        for place, value in zip(self.places(), self.bounded(logs)):
            write_value(catalog, place, value)


def experts_of(catalog):
    import tomllib  # here alone: `scalesweep calibrate` does without it
    data = tomllib.loads((catalog / FILE).read_text(encoding="utf-8"))["library"]
    found = []
    for name, table in data.items():
        if "experts" not in table:
            continue  # like another
        devices = [plain(other["device"]) for entry, other in data.items()
                   if entry == name or other.get("like") == name]
        formats = tuple(plain(table["experts"][key]) for key in ("operands", "weights"))
        experts = Experts(name=name, library=plain(table["library"]), formats=formats,
                          devices=tuple(devices))
        experts.at = [math.log(start) for _, _, _, start in CONSTANTS]
        found.append(experts)
    return found


def main():
    return fit(__doc__.splitlines()[0], CASES, experts_of, report, ITERATIONS)


def spreads():
    """By how many devices the experts of a layer are spread over."""
    for title, least, most in (("one device", 1, 1), ("2 to 8", 2, 8), ("more than 8", 9, 10**6)):
        yield (f"experts over {title}",
               lambda row, least=least, most=most: least <= int(row["ep"] or 1) <= most)


def report(libraries, rows, from_half, predictions):
    today = datetime.date.today().isoformat()
    lines = [
        "# Libraries of experts: what was fitted, on which rows, with which residuals", "",
        f"Written by `nodes/calibration/calibrate_experts.py` on {today}, from {len(rows)} rows",
        f"of {CASES}. The rows whose name has an even CRC-32 choose four constants of a library",
        "in a pair of formats on a generation of devices; the others are held out. What ships is",
        "fitted to all.", "",
        *residual_lines(libraries, rows, predictions),
        *part_lines(rows, predictions, spreads()),
        *constant_lines(libraries, rows, from_half, titles_of(CONSTANTS))]
    return "\n".join(lines) + LEFT


if __name__ == "__main__":
    sys.exit(main())
