#!/usr/bin/env python3
"""What recomputation and sequence parallelism leave of the activations, and what then fits.

    python3 memory_footprint.py memory-footprint.h5 [FIGURE.png]

Reads the result of sweeps/memory-footprint.toml. The first table has the layouts of Korthikanti et
al., arXiv:2205.05198, table 3: activations of the fullest device relative to tensor parallelism
alone, as in their figure 7, and whether all of it fits into 80 GB. The second has, for every model
and technique, the fewest devices a replica needs. The figure shows the layouts' memory.
"""
import sys

import h5py

LAYOUTS = [  # model, tensor parallel, pipeline parallel, chunks, micro-batch
    ("megatron-22b", 8, 1, 1, 4),
    ("gpt3-175b", 8, 8, 3, 1),
    ("megatron-530b", 8, 35, 3, 1),
    ("megatron-1t", 8, 64, 1, 1),
]
TECHNIQUES = [  # name, recompute, sequence parallelism
    ("tensor parallelism alone", "none", "off"),
    ("+ sequence parallelism", "none", "on"),
    ("+ selective recomputation", "selective", "off"),
    ("+ both", "selective", "on"),
    ("full recomputation", "full", "off"),
]
KEYS = ["model", "tensor_parallel", "pipeline_parallel", "chunks", "micro_batch", "recompute",
        "sequence_parallel", "status"]
OTHER_STUDY = "this is no study of sweeps/memory-footprint.toml, or not all of it"
FIGURES = ["memory_activations", "memory_reserved", "memory_capacity", "step_time"]


def read_rows(path):
    """Figures of the points with an estimate, by model, layout and technique."""
    with h5py.File(path) as file:
        results = file.get("results", {})
        if any(key not in results for key in [*KEYS, *FIGURES]):
            sys.exit(f"{path}: {OTHER_STUDY}")
        columns = {}
        for key in KEYS:
            names = h5py.check_enum_dtype(results[key].dtype)
            values = results[key][:]
            if names:
                words = {number: name for name, number in names.items()}
                columns[key] = [words[value] for value in values]
            else:
                columns[key] = [int(value) for value in values]
        figures = {name: results[name][:] for name in FIGURES}
    rows = {}
    for i, status in enumerate(columns["status"]):
        if status in ("ok", "does_not_fit"):
            point = tuple(columns[key][i] for key in KEYS[:-1])
            rows[point] = {name: float(figures[name][i]) for name in FIGURES}
            rows[point]["fits"] = status == "ok"
    wanted = [(*layout, *technique[1:]) for layout in LAYOUTS for technique in TECHNIQUES]
    if any(point not in rows for point in wanted):
        sys.exit(f"{path}: {OTHER_STUDY}")
    return rows


def techniques(rows):
    print(f"{'model':15s} {'technique':27s} {'activations':>12s} {'share':>6s} {'reserved':>10s} "
          f"{'step':>9s}  80 GB")
    for model, tp, pp, chunks, micro_batch in LAYOUTS:
        whole = None
        for name, recompute, sequence_parallel in TECHNIQUES:
            row = rows[(model, tp, pp, chunks, micro_batch, recompute, sequence_parallel)]
            whole = whole or row["memory_activations"]
            print(f"{model:15s} {name:27s} {row['memory_activations'] / 1e9:9.1f} GB "
                  f"{100 * row['memory_activations'] / whole:4.0f} % "
                  f"{row['memory_reserved'] / 1e9:7.1f} GB {row['step_time']:7.1f} s  "
                  f"{'fits' if row['fits'] else 'does not fit'}")


def smallest(rows):
    print(f"\nFewest devices of a replica (TP x PP), micro-batch 1\n{'model':15s} "
          + " ".join(f"{name:>26s}" for name, _, _ in TECHNIQUES))
    for model in [layout[0] for layout in LAYOUTS]:
        words = []
        for _, recompute, sequence_parallel in TECHNIQUES:
            fitting = [(tp * pp, -tp, row["step_time"], pp) for
                       (name, tp, pp, _, micro_batch, policy, sharded), row in rows.items()
                       if name == model and policy == recompute and micro_batch == 1 and row["fits"]
                       and sharded == (sequence_parallel if tp > 1 else "off")]
            devices, minus_tp, _, pp = min(fitting, default=(0, 0, 0.0, 0))
            words.append(f"{devices} = {-minus_tp} x {pp}" if devices else "none")
        print(f"{model:15s} " + " ".join(f"{word:>26s}" for word in words))


def draw(rows, path):
    """Memory of each layout and technique, activations on top of all else."""
    import matplotlib  # only where a figure is asked for
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(7.2, 3.6), layout="constrained")
    place, places, names = 0.0, [], []
    for model, tp, pp, chunks, micro_batch in LAYOUTS:
        axes.text(place + 2.0, 187, model, ha="center")
        for name, recompute, sequence_parallel in TECHNIQUES:
            row = rows[model, tp, pp, chunks, micro_batch, recompute, sequence_parallel]
            activations = row["memory_activations"] / 1e9
            others = row["memory_reserved"] / 1e9 - activations
            axes.bar(place, others, color="#0072B2", label="all else" if place == 0 else None)
            axes.bar(place, activations, bottom=others, color="#E69F00", hatch="//",
                     edgecolor="white", label="activations" if place == 0 else None)
            places.append(place)
            names.append(name)
            place += 1.0
        place += 0.8
    capacity = next(iter(rows.values()))["memory_capacity"] / 1e9
    axes.axhline(capacity, color="black", linewidth=0.8, label="what the device has")
    axes.set_xticks(places, names, rotation=90, fontsize=6)
    axes.set(ylabel="memory of a device (GB)", ylim=(0, 200))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncol=3, frameon=False)
    figure.savefig(path, dpi=160, metadata={"Software": None})


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    try:
        rows = read_rows(sys.argv[1])
    except OSError as error:
        sys.exit(f"{sys.argv[1]}: {error}")
    techniques(rows)
    smallest(rows)
    if len(sys.argv) == 3:
        draw(rows, sys.argv[2])


if __name__ == "__main__":
    main()
