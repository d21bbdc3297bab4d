#!/usr/bin/env python3
"""What images add to training steps: the encoder's part of the step time.

    python3 images.py multimodal.h5 [FIGURE.png]

Reads the result of sweeps/multimodal.toml: of each model and device the step time by number and
size of the images, with the encoder trained and as it is, as a table; with a second file drawn.
"""
import sys

import h5py

from written_values import written_values

KEYS = ["model", "device", "images", "image_width", "trained"]
VALUES = ["step_time", "phase_encoder"]
PARTS = {"all": "all trained", "language_model": "encoder as it is"}


def read_rows(path):
    with h5py.File(path) as file:
        results = file.get("results", {})
        if any(name not in results for name in KEYS + VALUES):
            sys.exit(f"{path}: this is no study of sweeps/multimodal.toml")
        keys = {key: written_values(file, key) for key in KEYS}
        columns = {name: results[name][:] for name in VALUES}
    rows = []
    for i in range(len(columns["step_time"])):
        row = {key: keys[key][i] for key in KEYS}
        row |= {name: float(columns[name][i]) for name in VALUES}
        row["of"] = ("no images" if row["images"] == "0"
                     else f"{row['images']} of {row['image_width']}")
        rows.append(row)
    return rows


def of(rows, **wanted):
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def unique(rows, key):
    return list(dict.fromkeys(row[key] for row in rows))


def table(rows):
    for model in unique(rows, "model"):
        print(model)
        print(f"{'device':16s} {'images':10s} "
              + " ".join(f"{part:>26s}" for part in PARTS.values()))
        for device in unique(rows, "device"):
            for images in unique(rows, "of"):
                cells = []
                for part in PARTS:
                    row, = of(rows, model=model, device=device, of=images, trained=part)
                    share = 100.0 * row["phase_encoder"] / row["step_time"]
                    cells.append(f"{row['step_time']:9.2f} s, encoder {share:3.0f} %")
                print(f"{device:16s} {images:10s} " + " ".join(f"{cell:>26s}" for cell in cells))


def draw(rows, path):
    import matplotlib  # only where a figure is asked for
    matplotlib.use("Agg")
    from matplotlib import pyplot
    models = unique(rows, "model")
    figure, axes = pyplot.subplots(1, len(models), figsize=(4.6 * len(models), 3.4),
                                   squeeze=False, layout="constrained")
    device = "h100-sxm"
    for axis, model in zip(axes[0], models):
        sizes = unique(rows, "of")
        for offset, (part, colour) in zip((-0.2, 0.2), zip(PARTS, ("#1b6ca8", "#d1495b"))):
            here = [of(rows, model=model, device=device, of=size, trained=part)[0]
                    for size in sizes]
            places = [i + offset for i in range(len(sizes))]
            rest = [row["step_time"] - row["phase_encoder"] for row in here]
            axis.bar(places, rest, width=0.38, color="#bbbbbb")
            axis.bar(places, [row["phase_encoder"] for row in here], width=0.38, bottom=rest,
                     color=colour, label=f"encoder, {PARTS[part]}")
        axis.set_xticks(range(len(sizes)), sizes, rotation=30, fontsize=8)
        axis.set_title(f"{model}, 256 {device}", fontsize=9)
        axis.grid(alpha=0.3, axis="y")
    axes[0][0].set_ylabel("step time, s")
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
