#!/usr/bin/env python3
"""The figures that sweeps/README.md quotes of the studies of inference.

    python3 inference_figures.py inference-boundedness.h5
    python3 inference_figures.py dram-scaling.h5
    python3 inference_figures.py serving.h5

Tells by the axes which of the three it reads: what bounds the GEMMs of a layer, as device by
device one letter for each of query-key-value, attention projection, MLP up and down (c compute, d
DRAM, l latency, other resources by their name); the best latency for each memory, with the shares
of memory and latency; or the best point of each device under each pair of limits.
"""
import itertools
import sys

import h5py
import numpy as np

GEMMS = ["query_key_value", "attention_projection", "mlp_up", "mlp_down"]
LETTERS = {"tensor_compute": "c", "dram": "d", "latency": "l"}


class Study:
    """Columns by name, those of axes and enums as indices, and the labels of the axes."""

    def __init__(self, path):
        with h5py.File(path) as file:
            self.columns = {name: data[:] for name, data in file["results"].items()}
            self.words = {}
            for name, data in file["results"].items():
                enum = h5py.check_enum_dtype(data.dtype)
                if enum:
                    self.words[name] = {value: word for word, value in enum.items()}
            self.labels = {name: [label.decode() if isinstance(label, bytes) else label
                                  for label in group["labels"][:]]
                           for name, group in file["axes"].items()}
            for name, group in file["axes"].items():
                if name not in self.words:  # of numbers the values, here places as well
                    values = list(group["values"])
                    self.columns[name] = np.array(
                        [values.index(value) for value in self.columns[name]])
                    self.words[name] = dict(enumerate(self.labels[name]))

    def best(self, column, **indices):
        """Row of the smallest value among feasible points, or nothing."""
        rows = self.columns["status"] == 0
        for name, index in indices.items():
            rows &= self.columns[name] == index
        rows = np.flatnonzero(rows)
        return rows[np.argmin(self.columns[column][rows])] if len(rows) else None

    def combinations(self, axes):
        return itertools.product(*[range(len(self.labels[axis])) for axis in axes])

    def text(self, name, row):
        return self.words[name][self.columns[name][row]]


def gemms(study):
    axes = ["model", "batch", "accelerators", "attention"]
    for indices in study.combinations(axes):
        chosen = dict(zip(axes, indices))
        cells = []
        for device, label in enumerate(study.labels["device"]):
            row = study.best("latency", device=device, **chosen)
            if row is not None:
                bounds = [[study.text(f"{phase}_{gemm}_bound", row) for gemm in GEMMS]
                          for phase in ("prefill", "decode")]
                words = [" ".join(LETTERS.get(word, word) for word in phase) for phase in bounds]
                cells.append(f"{label}: {words[0]} | {words[1]}")
        if cells:
            print("  ".join(study.labels[axis][index] for axis, index in chosen.items()))
            print("".join(f"    {cell}\n" for cell in cells), end="")


def memories(study):
    axes = ["model", "accelerators", "scale_up"]
    print("latency in s, and the shares of memory and fixed times in %, for",
          ", ".join(study.labels["memory"]))
    for indices in study.combinations(axes):
        chosen = dict(zip(axes, indices))
        cells = []
        for memory in range(len(study.labels["memory"])):
            row = study.best("latency", memory=memory, **chosen)
            if row is None:
                cells.append("-".rjust(13))
                continue
            time = study.columns["latency"][row]
            share = 100 * (study.columns["charge_dram"] + study.columns["charge_l2"])[row] / time
            fixed = 100 * study.columns["charge_latency"][row] / time
            cells.append(f"{time:6.3f} {share:2.0f}/{fixed:2.0f} ")
        print("  ".join(study.labels[axis][index] for axis, index in chosen.items()).ljust(24),
              "  ".join(cells))


def services(study):
    axes = ["model", "precision", "time_to_first_token_limit", "time_per_output_token_limit"]
    for indices in study.combinations(axes):
        chosen = dict(zip(axes, indices))
        print("  ".join(study.labels[axis][index] for axis, index in chosen.items()))
        for device, label in enumerate(study.labels["device"]):
            row = study.best("device_seconds_per_token", device=device, **chosen)
            if row is None:
                print(f"    {label:14} no point meets the limits")
                continue
            value = {name: column[row] for name, column in study.columns.items()}
            print(f"    {label:14} {value['tokens_per_second_per_device']:5.0f} tokens/s a device, "
                  f"{value['cost_per_million_tokens']:5.2f} USD, "
                  f"{value['energy_per_token']:5.2f} J, "
                  f"{value['requests_in_flight']:4.0f} requests on "
                  f"{study.text('accelerators', row):>2}, "
                  f"TP {value['tensor_parallel']} PP {value['pipeline_parallel']} "
                  f"EP {value.get('expert_parallel', 1)}, {study.text('batching', row)}, "
                  f"bound by {study.text('bound', row)}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        study = Study(sys.argv[1])
    except (OSError, KeyError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
    if "time_per_output_token" not in study.columns:
        sys.exit(f"{sys.argv[1]}: this is no study of inference, as sweeps/serving.toml asks for")
    if "batching" in study.labels:
        services(study)
    elif "memory" in study.labels:
        memories(study)
    else:
        gemms(study)


if __name__ == "__main__":
    main()
