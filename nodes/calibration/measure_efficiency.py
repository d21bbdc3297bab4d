#!/usr/bin/env python3
"""How near to the roofline GEMMs come, measured and predicted, by device, precision and shape.

    scalesweep validate kernels-matmul.csv --predictions OUT.csv
    python3 measure_efficiency.py --program scalesweep --catalog nodes OUT.csv

Prints Markdown. Efficiency: the longer of 2 m n k over the dense peak and of the operands and the
result over the bandwidth of DRAM, over the time; medians.
"""
import argparse
import collections
import csv
import json
import statistics
import subprocess

UNITS = {"TFLOP/s": 1e12, "GB/s": 1e9, "TB/s": 1e12}
# Bytes of an operand; nvfp4 has a scale of one byte for 16 elements.
BYTES = {"bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "nvfp4": 0.5 + 1.0 / 16.0}
FEWEST_ROWS = 8


def rates_of(program, catalog, device):
    """FLOP/s by precision and B/s of DRAM, as the catalog has them."""
    shown = subprocess.run([program, "catalog", "show", device, "--format", "json",
                            "--catalog", catalog], capture_output=True, text=True, check=True)
    rates = {}
    for entry in json.loads(shown.stdout)["values"]:
        if entry["key"].startswith("tensor_peak.") or entry["key"] == "dram.bandwidth":
            value, unit = entry["value"].split()
            rates[entry["key"].removeprefix("tensor_peak.")] = float(value) * UNITS[unit]
    if "fp4" in rates:
        rates["nvfp4"] = rates["fp4"]
    return rates


def shape_of(m, n, k):
    if m <= 16:
        return "rows up to 16"
    if m <= 512:
        return "rows 17 to 512"
    return "all sides 4096 and more" if min(m, n, k) >= 4096 else "between"


def least_time_s(m, n, k, precision, rates):
    moved = BYTES[precision] * (m * k + k * n) + 2.0 * m * n
    return max(2.0 * m * n * k / rates[precision], moved / rates["dram.bandwidth"])


def table(rows, rates):
    """Lines of Markdown; `rates` by device."""
    found = collections.defaultdict(list)
    for row in rows:
        device, precision = row["device"], row["precision"]
        if not row["predicted_time_s"] or precision not in rates[device]:
            continue
        m, n, k = (float(row[side]) for side in "mnk")
        least = least_time_s(m, n, k, precision, rates[device])
        found[device, precision, shape_of(m, n, k)].append(
            (least / float(row["time_s"]), least / float(row["predicted_time_s"])))
    lines = ["| device | precision | shape | rows | measured | predicted |",
             "|---|---|---|---|---|---|"]
    for (device, precision, shape), pairs in sorted(found.items()):
        if len(pairs) >= FEWEST_ROWS:
            measured, predicted = (statistics.median(side) for side in zip(*pairs))
            lines.append(f"| {device} | {precision} | {shape} | {len(pairs)} | "
                         f"{100 * measured:.0f} % | {100 * predicted:.0f} % |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/bin/scalesweep", help="scalesweep")
    parser.add_argument("--catalog", default="nodes", help="folder of the catalog")
    parser.add_argument("predictions", help="of kernels-matmul.csv")
    options = parser.parse_args()
    with open(options.predictions, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["op"] == "matmul"]
    devices = {row["device"] for row in rows}
    rates = {device: rates_of(options.program, options.catalog, device) for device in devices}
    print("\n".join(table(rows, rates)))


if __name__ == "__main__":
    main()
