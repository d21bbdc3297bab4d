#!/usr/bin/env python3
"""Fits the constants of all-reduces of libraries to measured ones.

Entries of `library` with a table `all_reduce` say which kernel is launched for a message of a size.
Each kernel is fitted alone to the rows that it takes, on the device of its entry and on those whose
entries are like it. Three constants: the fixed time of a call, more of it for each of the other
devices, and the share of the rate of the port. Half of the rows, by a hash of their names, choose
them first and the other half says what that is worth; those that are written come from all rows.
Sizes are those of the sources of a library; no row chooses them but where the entry says so.

    nodes/calibration/calibrate_all_reduce.py --program build/bin/scalesweep \\
        --cases tests/validation
    nodes/calibration/calibrate_all_reduce.py --apply --report nodes/calibration/all-reduce.md
"""

import datetime
import math
import sys
import tomllib
from dataclasses import dataclass, field

from calibrate_libraries import (
    Search, constant_lines, fit, part_lines, plain, residual_lines, titles_of)
from calibration import Place, write_value

CASES = "kernels-all-reduce-libraries.csv"
FILE = "libraries-collectives.toml"
KERNELS = ("one_shot", "two_shot", "multicast")  # in the order in which they are looked for
# Constants, their units, limits, and where the search begins.
CONSTANTS = (("latency", "us", (0.5, 60.0), 5.0),
             ("peer_latency", "us", (0.01, 10.0), 0.3),
             ("share", "", (0.05, 1.0), 0.6))
ITERATIONS = 14
LINK = "custom"  # a library whose kernels are those that the links speak of
LEFT = """

## What is left

Messages that no kernel takes go to the general library, whose constants are those of
[collectives.md](collectives.md). vLLM on GB200 was timed where the switch could not multicast, and
its NCCL there takes up to 2.6 times what it takes elsewhere; with multicast its limits would be
those of B200. TensorRT-LLM leaves large messages on Blackwell to NCCL on symmetric buffers, whose
time its two-shot kernel stands for up to 32 MiB. The tables time kernels one after the other: what
waiting for the slowest device adds is in the constants of a stack.

## Services

No stack names these libraries yet. Mean error of time per token of inference-servers-2026.csv where
a stack names its own, nothing refitted, on the rows of even and of odd CRC-32: vllm@0.14 9.5 %
before and 10.1 % after, 11.0 and 11.3 %; vllm@0.12 22.8 and 23.2 %, 29.9 and 30.1 % (better on
Hopper, two to three points worse on B200); sglang@0.5 12.8 and 12.9 %, 12.4 and 12.4 %;
tensorrt-llm@1.1 13.8 and 13.9 %, 15.0 and 15.0 % (decode workers 22.4 and 22.3 %, 17.1 and 17.2 %);
tensorrt-llm@1.0 10.1 and 10.1 %, 11.5 and 10.6 %, but of inference-published.csv 5.9 and 6.1 %, 6.8
and 7.0 %. First tokens change by 0.7 points at most. The gaps between kernels of each stack were
fitted with the kernels of the links, and the versions that are timed are half a year to a year
younger: SGLang v0.5.9 launches a kernel that changes at vLLM's sizes.
"""


def size(value):
    """Of a quantity in the catalog, in bytes."""
    number, unit = plain(value).split()
    assert unit == "B", value
    return float(number)


def merged(first, then):
    """A table, and what an entry that is like its own says otherwise."""
    both = dict(first)
    for key, value in then.items():
        table = isinstance(value, dict) and "value" not in value
        both[key] = merged(first.get(key, {}), value) if table else value
    return both


def kernel_of(all_reduce, devices, size_bytes):
    """The kernel that takes a message, or None."""
    among = "2" if devices <= 2 else "4" if devices <= 4 else "8"
    for name in KERNELS:
        kernel = all_reduce.get(name, {})
        least, most = (size(kernel.get(key, {}).get(among, "0 B")) for key in ("from", "up_to"))
        if least <= size_bytes <= most:
            return name
    return None


@dataclass
class Kernel(Search):
    """One kernel of a library on a generation of devices."""

    limits: tuple = tuple(limits for _, _, limits, _ in CONSTANTS)
    name: str = ""  # entry and kernel
    entry: str = ""  # that others are like
    kernel: str = ""
    library: str = ""
    launched: dict = field(default_factory=dict)  # device -> its table `all_reduce`

    def has(self, row):
        return (row["library"] == self.library and row["device"] in self.launched
                and kernel_of(self.launched[row["device"]], int(row["gpus"]),
                              float(row["bytes"])) == self.kernel)

    def write(self, catalog, logs):
        section = f"library.{self.entry}.all_reduce.{self.kernel}"
        for (key, unit, _, _), value in zip(CONSTANTS, self.bounded(logs)):
            write_value(catalog, Place(FILE, section, key, unit), value)


def kernels_of(catalog):
    data = tomllib.loads((catalog / FILE).read_text(encoding="utf-8"))["library"]
    found = []
    for entry, table in data.items():
        if "library" not in table:
            continue  # like another
        launched = {plain(other["device"]): merged(table, other)["all_reduce"]
                    for name, other in data.items()
                    if entry in (name, other.get("like"))}
        for kernel in table["all_reduce"]:
            found.append(Kernel(
                name=f"{entry} {kernel}", entry=entry, kernel=kernel,
                library=plain(table["library"]), launched=launched,
                at=[math.log(start) for _, _, _, start in CONSTANTS]))
    return found


def main():
    return fit(__doc__.splitlines()[0], CASES, kernels_of, report, ITERATIONS, LINK)


def sizes():
    """By the size of the message."""
    for title, least, most in (("up to 64 KiB", 0, 2**16), ("to 1 MiB", 2**16 + 1, 2**20),
                               ("more", 2**20 + 1, 2**60)):
        yield title, lambda row, least=least, most=most: least <= float(row["bytes"]) <= most


def report(libraries, rows, from_half, predictions):
    today = datetime.date.today().isoformat()
    lines = [
        "# All-reduce of libraries: what was fitted, on which rows, with which residuals", "",
        f"Written by `nodes/calibration/calibrate_all_reduce.py` on {today}, from {len(rows)}",
        f"rows of {CASES}: those that a kernel of the library takes. The",
        "rows whose name has an even CRC-32 choose three constants of a kernel on a generation of",
        "devices; the others are held out. What ships is fitted to all. The device's own constants",
        "are those of its link, whose kernels are launched where they are the fastest.", "",
        *residual_lines(libraries, rows, predictions),
        *part_lines(rows, predictions, sizes()),
        *constant_lines(libraries, rows, from_half, titles_of(CONSTANTS))]
    return "\n".join(lines) + LEFT


if __name__ == "__main__":
    sys.exit(main())
