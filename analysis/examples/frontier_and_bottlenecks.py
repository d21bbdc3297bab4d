#!/usr/bin/env python3
"""A frontier and stacked bottlenecks of any study, with h5py, pandas and matplotlib alone.

    python3 frontier_and_bottlenecks.py quick.h5 quick.svg

Left: time against energy of the feasible points, and the frontier of the two. Right: the best time
at each value of the first axis that varies, stacked by the resource that each second is charged to.
A start for figures of your own; `scalesweep analyze` draws the ones that it is sure of.
"""
import sys

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt

from scalesweep_reader import frontier, read_study, units

# Okabe and Ito: told apart with any colour vision.
COLOURS = {"tensor_compute": "#0072B2", "vector_compute": "#56B4E9", "dram": "#D55E00",
           "l2": "#E69F00", "shared_memory": "#F0E442", "scale_up": "#009E73",
           "scale_out": "#CC79A7", "latency": "#999999", "host": "#6b5b4b",
           "storage": "#332288"}
TIMES = ("step_time", "latency", "time_per_output_token")


def first_of(names, study):
    return next(name for name in names if name in study.columns)


def varying_axis(study):
    axes = [name for name in study.attrs["axes"]
            if name in study.columns and study[name].nunique() > 1]
    return "logic" if "logic" in axes else axes[0] if axes else next(iter(study.attrs["axes"]))


def draw_frontier(axes, study, time, energy):
    members = frontier(study, [time, energy]).sort_values(time)
    axes.loglog(study[time], study[energy], ".", markersize=1, color="#bbbbbb", rasterized=True,
                label="feasible")
    axes.step(members[time], members[energy], where="post", marker="o", markersize=3,
              color="#0072B2", label="frontier")
    axes.set_xlabel(f"{time.replace('_', ' ')} ({units(study, time)})")
    axes.set_ylabel(f"{energy.replace('_', ' ')} ({units(study, energy)})")
    axes.legend(frameon=False)
    return members


def draw_bottlenecks(axes, study, time, along):
    best = study.loc[study.groupby(along, observed=True)[time].idxmin()]
    bottom = 0.0
    for column in [name for name in study.columns if name.startswith("charge_")]:
        if best[column].max() <= 0.0:
            continue
        resource = column.removeprefix("charge_")
        axes.bar(best[along].astype(str), best[column], bottom=bottom,
                 label=resource.replace("_", " "), color=COLOURS.get(resource, "#000000"),
                 edgecolor="white", linewidth=0.4)
        bottom = bottom + best[column].to_numpy()
    axes.set_xlabel(along.replace("_", " "))
    axes.set_ylabel(f"best {time.replace('_', ' ')} ({units(study, time)})")
    axes.legend(frameon=False, fontsize=7)
    return best


def main(arguments):
    if len(arguments) != 3:
        sys.exit("usage: frontier_and_bottlenecks.py STUDY.h5 FIGURE")
    try:
        study = read_study(arguments[1], where={"status": "ok"})
    except (OSError, ValueError) as error:
        sys.exit(f"{arguments[1]}: {error}")
    if study.empty:
        sys.exit(f"{arguments[1]}: no point is feasible")
    time = first_of(TIMES, study)
    energy = first_of(["energy_per_token", "energy_per_step"], study)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    members = draw_frontier(left, study, time, energy)
    along = varying_axis(study)
    best = draw_bottlenecks(right, study, time, along)
    figure.savefig(arguments[2])
    print(members[["point_id", time, energy]].to_string(index=False))
    print(best[[along, "point_id", time]].to_string(index=False))


if __name__ == "__main__":
    main(sys.argv)
