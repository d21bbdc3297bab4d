#!/usr/bin/env python3
"""On how few devices a model is fine-tuned, and what a million tokens then costs.

    python3 fine_tuning.py fine-tuning.h5 [FIGURE.png]

Reads the result of sweeps/fine-tuning.toml: of each model, device and way to tune it the fewest
devices that are enough, and the cheapest number of them, as a table; with a second file what a
million tokens costs by the number of devices, drawn.
"""
import sys

import h5py

from written_values import written_values

KEYS = ["model", "device", "accelerators", "adapter_rank", "frozen_weights", "optimizer"]
VALUES = ["step_time", "cost_per_million_tokens", "memory_total"]
WAYS = {("0", "as_trained"): "all weights", ("16", "as_trained"): "adapters",
        ("16", "nf4"): "adapters, 4-bit weights"}


def read_rows(path):
    with h5py.File(path) as file:
        results = file.get("results", {})
        if any(name not in results for name in KEYS + VALUES):
            sys.exit(f"{path}: this is no study of sweeps/fine-tuning.toml")
        keys = {key: written_values(file, key) for key in KEYS}
        columns = {name: results[name][:] for name in VALUES}
    rows = []
    for i in range(len(columns["step_time"])):
        row = {key: keys[key][i] for key in KEYS}
        row |= {name: float(columns[name][i]) for name in VALUES}
        row["devices"] = int(row["accelerators"])
        row["way"] = WAYS[row["adapter_rank"], row["frozen_weights"]]
        rows.append(row)
    return rows


def of(rows, **wanted):
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def unique(rows, key):
    return list(dict.fromkeys(row[key] for row in rows))


def table(rows):
    for model in unique(rows, "model"):
        print(model)
        print(f"{'device':16s} {'way':24s} {'optimizer':10s} {'fewest':>7s} {'USD/M':>7s} "
              f"{'cheapest':>9s} {'USD/M':>7s} {'step there':>11s}")
        for device in unique(rows, "device"):
            for way in WAYS.values():
                for optimizer in unique(rows, "optimizer"):
                    here = of(rows, model=model, device=device, way=way, optimizer=optimizer)
                    if not here or (way != "all weights" and optimizer != "adam"):
                        continue  # of adapters the optimizer moves little
                    few = min(here, key=lambda row: row["devices"])
                    cheap = min(here, key=lambda row: row["cost_per_million_tokens"])
                    print(f"{device:16s} {way:24s} {optimizer:10s} {few['devices']:7d} "
                          f"{few['cost_per_million_tokens']:7.3f} {cheap['devices']:9d} "
                          f"{cheap['cost_per_million_tokens']:7.3f} {cheap['step_time']:9.1f} s")


def draw(rows, path):
    import matplotlib  # only where a figure is asked for
    matplotlib.use("Agg")
    from matplotlib import pyplot
    models = unique(rows, "model")
    figure, axes = pyplot.subplots(1, len(models), figsize=(3.4 * len(models), 3.4),
                                   squeeze=False, layout="constrained")
    device = "h100-sxm"
    for axis, model in zip(axes[0], models):
        for way, colour in zip(WAYS.values(), ("#222222", "#1b6ca8", "#d1495b")):
            here = sorted(of(rows, model=model, device=device, way=way, optimizer="adam"),
                          key=lambda row: row["devices"])
            axis.plot([row["devices"] for row in here],
                      [row["cost_per_million_tokens"] for row in here],
                      marker="o", markersize=3, color=colour, label=way)
        muon = sorted(of(rows, model=model, device=device, way="all weights", optimizer="muon"),
                      key=lambda row: row["devices"])
        axis.plot([row["devices"] for row in muon],
                  [row["cost_per_million_tokens"] for row in muon], linestyle=":",
                  color="#222222", label="all weights, Muon")
        axis.set_xscale("log", base=2)
        axis.set_xticks([1, 2, 4, 8, 16, 32, 64, 128], [1, 2, 4, 8, 16, 32, 64, 128])
        axis.set_ylim(bottom=0.0)
        axis.set_title(model, fontsize=9)
        axis.set_xlabel(f"devices ({device})")
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel("USD per million tokens")
    axes[0][0].legend(fontsize=7)
    figure.savefig(path, dpi=150)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    try:
        rows = read_rows(sys.argv[1])
    except OSError as error:
        sys.exit(f"{sys.argv[1]}: {error}")
    table(rows)
    if len(sys.argv) == 3:
        draw(rows, sys.argv[2])


if __name__ == "__main__":
    main()
