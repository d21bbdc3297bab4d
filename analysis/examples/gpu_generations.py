#!/usr/bin/env python3
"""Dissects the speed-up between GPU generations into its factors.

    python3 gpu_generations.py gpu-generations.h5

Reads the result of sweeps/gpu-generations.toml. The first table is each generation as it is sold,
with its own memory, links and network; the second shares the whole factor from A100 to the rack of
B200 among compute, precision, memory, network and batch: the mean of log speed-up over all orders
in which the five can be exchanged (Shapley's value), precision after the compute that supports it.
"""
import itertools
import math
import sys

import h5py

from written_values import written_values

SYSTEMS = [  # name, device, precision, link, domain, network, batch
    ("A100, bf16", "a100-sxm-80gb", "bf16", "NVLink3", "8", "HDRx8", "1024"),
    ("H100, bf16", "h100-sxm", "bf16", "NVLink4", "8", "NDRx8", "1024"),
    ("H100, fp8", "h100-sxm", "fp8", "NVLink4", "8", "NDRx8", "1024"),
    ("H200, fp8", "h200-sxm", "fp8", "NVLink4", "8", "NDRx8", "1024"),
    ("B200, fp8", "b200-sxm", "fp8", "NVLink5", "8", "NDRx8", "1024"),
    ("B200, fp4", "b200-sxm", "fp4", "NVLink5", "8", "NDRx8", "1024"),
    ("B200 rack, fp4", "b200-sxm", "fp4", "NVLink5", "64", "XDRx8", "1024"),
    ("B200 rack, fp4, larger batch", "b200-sxm", "fp4", "NVLink5", "64", "XDRx8", "4096"),
]
FACTORS = {  # what each changes, from A100 to the rack of B200
    "compute": {"device": "b200-sxm"},
    "precision": {"precision": "fp4"},
    "memory": {"memory_of": "b200-sxm"},
    "network": {"scale_up": "NVLink5", "scale_up_domain": "64", "scale_out": "XDRx8"},
    "batch": {"global_batch": "4096"},
}
KEYS = ["device", "precision", "memory_of", "scale_up", "scale_up_domain", "scale_out",
        "global_batch"]


def read_rows(path):
    """tokens per second and shares of the step time, by the values of all axes."""
    with h5py.File(path) as file:
        results = file.get("results", {})
        if any(key not in results for key in KEYS):
            sys.exit(f"{path}: this is no study of sweeps/gpu-generations.toml")
        keys = {key: written_values(file, key) for key in KEYS}
        rate = results["tokens_per_second"][:]
        step = results["step_time"][:]
        charges = {name[7:]: results[name][:] / step for name in results.attrs["columns"]
                   if name.startswith("charge_")}
    rows = {}
    for i in range(len(rate)):
        point = tuple(keys[key][i] for key in KEYS)
        shares = {name: values[i] for name, values in charges.items()}
        rows[point] = (rate[i], shares)
    return rows


def find(rows, point):
    key = tuple(point[name] for name in KEYS)
    if key not in rows:
        sys.exit(f"the file has no feasible row for {point}; is it of sweeps/gpu-generations.toml?")
    return rows[key]


def generations(rows):
    print(f"{'system':30s} {'tokens/s':>12s} {'factor':>7s}  largest shares of the step time")
    first = None
    for name, device, precision, link, domain, network, batch in SYSTEMS:
        rate, shares = find(rows, {"device": device, "precision": precision, "memory_of": device,
                                   "scale_up": link, "scale_up_domain": domain,
                                   "scale_out": network, "global_batch": batch})
        first = first or rate
        largest = sorted(shares.items(), key=lambda item: -item[1])[:3]
        text = ", ".join(f"{what} {100 * share:.0f} %" for what, share in largest)
        print(f"{name:30s} {rate:12.0f} {rate / first:7.2f}  {text}")


def dissection(rows):
    base = {"device": "a100-sxm-80gb", "precision": "bf16", "memory_of": "a100-sxm-80gb",
            "scale_up": "NVLink3", "scale_up_domain": "8", "scale_out": "HDRx8",
            "global_batch": "1024"}
    gains = {name: [] for name in FACTORS}
    for order in itertools.permutations(FACTORS):
        if order.index("precision") < order.index("compute"):
            continue
        point = dict(base)
        rate = find(rows, point)[0]
        for name in order:
            point.update(FACTORS[name])
            after = find(rows, point)[0]
            gains[name].append(math.log(after / rate))
            rate = after
    print(f"\n{'factor':12s} {'mean':>7s}  {'least':>6s} to {'most':>6s} over the orders")
    product = 1.0
    for name, logs in gains.items():
        mean = math.exp(sum(logs) / len(logs))
        product *= mean
        least, most = math.exp(min(logs)), math.exp(max(logs))
        print(f"{name:12s} {mean:6.2f}x  {least:5.2f}x to {most:5.2f}x")
    print(f"{'all':12s} {product:6.2f}x")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        rows = read_rows(sys.argv[1])
    except OSError as error:
        sys.exit(f"{sys.argv[1]}: {error}")
    generations(rows)
    dissection(rows)


if __name__ == "__main__":
    main()
