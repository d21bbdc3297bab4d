#!/usr/bin/env python3
"""Where more devices stop helping, with failures and without.

    python3 time_to_train.py time-to-train.h5 [FIGURE.png]

Reads the result of sweeps/time-to-train.toml: of each model, number of devices and rate of failures
the best layout and policy, as a table of days and dollars; with a second file the same drawn, and
what the time goes into.
"""
import sys

import h5py

from written_values import written_values

KEYS = ["model", "accelerators", "reliability", "checkpoint", "recovery", "spares"]
PARTS = ["run_steps", "run_checkpoints", "run_lost_work", "run_restarts", "run_repairs"]
VALUES = ["time_to_train", "goodput", "run_cost", "time_between_failures"] + PARTS
DAY = 86400.0


def read_best(path):
    """model, reliability -> devices -> the row that is done first."""
    with h5py.File(path) as file:
        results = file.get("results", {})
        if any(name not in results for name in KEYS + VALUES):
            sys.exit(f"{path}: this is no study of sweeps/time-to-train.toml")
        keys = {key: written_values(file, key) for key in KEYS}
        columns = {name: results[name][:] for name in VALUES}
    best = {}
    for i in range(len(columns["time_to_train"])):
        row = {key: keys[key][i] for key in KEYS}
        row |= {name: float(columns[name][i]) for name in VALUES}
        rows = best.setdefault((row["model"], row["reliability"]), {})
        devices = int(row["accelerators"])
        if devices not in rows or row["time_to_train"] < rows[devices]["time_to_train"]:
            rows[devices] = row
    return best


def table(best):
    for (model, reliability), rows in best.items():
        print(f"{model}, failures {reliability}")
        print(f"{'devices':>9s} {'days':>7s} {'million USD':>11s} {'goodput':>8s} "
              f"{'a failure in':>12s}  policy")
        for devices, row in sorted(rows.items()):
            between = row["time_between_failures"] / 3600.0
            apart = f"{between:.3g} h" if between == between else "-"
            print(f"{devices:9,d} {row['time_to_train'] / DAY:7.1f} {row['run_cost'] / 1e6:11.1f} "
                  f"{100.0 * row['goodput']:6.1f} % {apart:>12s}  {row['checkpoint']}, "
                  f"{row['recovery']}, spares {row['spares']}")


def draw(best, path):
    """Days by devices above, what they go into with failures below."""
    import matplotlib  # only where a figure is asked for
    matplotlib.use("Agg")
    from matplotlib import pyplot
    models = list(dict.fromkeys(model for model, _ in best))
    figure, grid = pyplot.subplots(2, len(models), figsize=(3.6 * len(models), 5.0),
                                   squeeze=False, layout="constrained")
    colours = ["#0072B2", "#56B4E9", "#E69F00", "#D55E00", "#CC79A7"]
    for column, model in enumerate(models):
        above, below = grid[:, column]
        for (name, reliability), rows in best.items():
            if name == model:
                devices = sorted(rows)
                above.plot(devices, [rows[d]["time_to_train"] / DAY for d in devices], marker="o",
                           linestyle="--" if reliability == "none" else "-",
                           color="#777777" if reliability == "none" else "#0072B2",
                           label="nothing fails" if reliability == "none" else "failures")
        above.set(xscale="log", yscale="log", title=model, xlabel="devices")
        low, high = above.get_ylim()
        above.set_yticks([days for days in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
                          if low < days < high])
        above.yaxis.set_major_formatter("{x:g}")
        above.minorticks_off()
        above.legend(frameon=False)
        rows = best[model, next(r for m, r in best if m == model and r != "none")]
        devices, base = sorted(rows), [0.0] * len(rows)
        for part, colour in zip(PARTS, colours):
            shares = [rows[d][part] / rows[d]["time_to_train"] for d in devices]
            below.bar(range(len(devices)), shares, bottom=base, color=colour,
                      label=part.removeprefix("run_").replace("_", " "))
            base = [low + share for low, share in zip(base, shares)]
        below.set(ylim=(0.0, 1.0))
        below.set_xscale("linear")
        below.set_xticks(range(len(devices)), [f"{d // 1024} k" for d in devices],
                         fontsize=8)
        below.set_xlabel("devices (thousands of 1,024)")
    grid[0][0].set_ylabel("days to train")
    grid[1][0].set_ylabel("share of the time")
    handles, labels = grid[1][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(PARTS), frameon=False,
                  fontsize=8, bbox_to_anchor=(0.5, -0.06))
    figure.savefig(path, dpi=160, bbox_inches="tight", metadata={"Software": None})


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    try:
        best = read_best(sys.argv[1])
    except OSError as error:
        sys.exit(f"{sys.argv[1]}: {error}")
    table(best)
    if len(sys.argv) == 3:
        draw(best, sys.argv[2])


if __name__ == "__main__":
    main()
