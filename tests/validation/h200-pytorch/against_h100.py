#!/usr/bin/env python3
"""By kind of kernel: the time on an H200 over that on an H100, measured and predicted.

    scalesweep validate h100-pytorch-kernels.csv --predictions h100.csv
    scalesweep validate h200-pytorch-kernels.csv --predictions h200.csv
    python3 h200-pytorch/against_h100.py h100.csv h200.csv
"""
import csv
import statistics
import sys


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return {row["case"].replace(row["device"], ""): row for row in csv.DictReader(file)}


def kind_of(row):
    if row["op"] == "matmul":
        m = int(row["m"])
        size = "m up to 128" if m <= 128 else "m of 129 to 512" if m <= 512 else "m above 512"
        return f"GEMM {row['precision']}, {size}"
    if row["op"] == "attention_decode":
        cache = 4.0 * float(row["batch"]) * float(row["seq"]) * float(row["kv_heads"]) * float(
            row["head_dim"])
        return "decode attention, cache " + ("of 100 MB and more" if cache >= 1e8 else "below")
    return "prefill attention"


def main():
    old, new = (read(path) for path in sys.argv[1:3])
    kinds = {}
    for case in sorted(old.keys() & new.keys()):
        measured, predicted = (float(new[case][column]) / float(old[case][column])
                               for column in ("time_s", "predicted_time_s"))
        kinds.setdefault(kind_of(old[case]), []).append(
            (measured, predicted, abs(predicted / measured - 1.0)))
    print("| kernels | cases | measured | predicted | error, median | error, mean |")
    print("|---|---|---|---|---|---|")
    for kind, rows in sorted(kinds.items()):
        measured, predicted, errors = zip(*rows)
        print(f"| {kind} | {len(rows)} | {statistics.median(measured):.3f} "
              f"| {statistics.median(predicted):.3f} | {100 * statistics.median(errors):.1f} % "
              f"| {100 * statistics.mean(errors):.1f} % |")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()
