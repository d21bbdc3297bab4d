#!/usr/bin/python3
"""Draws the figures of an analysis file: PNG (300 dpi), SVG and PDF, sized for a paper.

    figures.py NAME.analysis.h5 FOLDER

writes FOLDER/NAME.<figure>.png, .svg and .pdf and prints their paths, one a line; a line that
begins with "note: " is for the reader. The same file gives the same bytes. Needs numpy, h5py and
matplotlib: exits with 69 if one of them is missing.

  step-time    best time along the axis, stacked by resource, one panel per combination; named after
               the time: latency, time-per-output-token
  shares       the same as shares of the time: where the bottleneck moves
  frontier     the feasible points, the frontier and the fastest point of each value of the axis
  bottlenecks  what limits the best strategy, for every combination at a glance
  phases       what limits the best strategy over two axes, with boundaries
  sensitivity  what 10 % more of each resource saves, over all best points
  effects      which axes and fields of the strategy the best time depends on
"""

import itertools
import os
import re
import sys

sys.dont_write_bytecode = True  # the folder may not be ours

from figures_base import STYLE, Analysis, plt
from figures_frontier import frontier_figures
from figures_levers import effect_figures, phase_figures, sensitivity_figures
from figures_panels import map_figures, panel_figures

FIGURES = ("step-time", "latency", "time-per-output-token", "shares", "frontier", "bottlenecks",
           "phases", "sensitivity", "effects")


def save(figure, path_without_ending):
    """All formats, each complete or not at all; nothing in them depends on when or where."""
    paths = []
    for ending, metadata in (("png", {"Software": "scalesweep"}),
                             ("svg", {"Date": None, "Creator": "scalesweep"}),
                             ("pdf", {"CreationDate": None, "Creator": "scalesweep"})):
        path = f"{path_without_ending}.{ending}"
        partial = f"{path_without_ending}.partial.{ending}"
        figure.savefig(partial, format=ending, metadata=metadata)
        os.replace(partial, path)
        paths.append(path)
    plt.close(figure)
    return paths


def remove_stale(folder, name, written):
    """Figures of an earlier run that this one did not draw again."""
    pattern = re.compile(re.escape(name) + r"\.(" + "|".join(FIGURES) + r")(-.*)?\.(png|svg|pdf)")
    for entry in sorted(os.listdir(folder)):
        path = os.path.join(folder, entry)
        if pattern.fullmatch(entry) and path not in written:
            with open(path, "rb") as file:
                ours = b"scalesweep" in file.read(1 << 24)
            if ours:
                os.remove(path)


def main(arguments):
    if len(arguments) != 3:
        sys.exit("usage: figures.py NAME.analysis.h5 FOLDER")
    tables, folder = arguments[1:]
    name = os.path.basename(tables).removesuffix(".h5").removesuffix(".analysis")
    plt.rcParams.update(STYLE)
    analysis = Analysis(tables)
    notes, written = [], []
    figures = itertools.chain(panel_figures(analysis, False, notes),
                              panel_figures(analysis, True, notes),
                              frontier_figures(analysis, notes), map_figures(analysis, notes),
                              phase_figures(analysis, notes), sensitivity_figures(analysis),
                              effect_figures(analysis))
    if len(analysis.best) == 0:
        figures, notes = [], ["nothing is feasible: there is nothing to draw"]
    for suffix, figure in figures:
        written += save(figure, os.path.join(folder, f"{name}.{suffix}"))
    remove_stale(folder, name, written)
    for line in written + ["note: " + note for note in notes]:
        print(line)


if __name__ == "__main__":
    main(sys.argv)
