#!/usr/bin/python3
"""Draws the figures of an analysis file: PNG (300 dpi), SVG and PDF, sized for a paper.

    figures.py NAME.analysis.h5 FOLDER [PROCESSES]

writes FOLDER/NAME.<figure>.png, .svg and .pdf and prints their paths, one a line; a line that
begins with "note: " is for the reader. The same file gives the same bytes, on any number of
processes (if not given or 0: one for every core). Needs numpy, h5py and matplotlib: exits with 69
if one of them is missing.

  step-time    best time along the axis, stacked by resource, one panel per combination; named after
               the time: latency, time-per-output-token
  shares       the same as shares of the time: where the bottleneck moves
  frontier     the feasible points, the frontier and the fastest point of each value of the axis
  bottlenecks  what limits the best strategy, for every combination at a glance
  phases       what limits the best strategy over two axes, with boundaries
  sensitivity  what 10 % more of each resource saves, over all best points
  effects      which axes and fields of the strategy the best time depends on
"""

import concurrent.futures
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


def lay_out(figure):
    """Settles where everything goes, once for all formats: that takes longer than to draw it."""
    figure.set_dpi(plt.rcParams["savefig.dpi"])
    figure.get_layout_engine().execute(figure)
    figure.set_layout_engine(None)


def draw_and_save(draw, path_without_ending):
    """All formats, each complete or not at all; nothing in them depends on when or where."""
    plt.rcParams.update(STYLE)  # here, because processes need not share what another one set
    figure = draw()
    lay_out(figure)
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


def draw_all(figures, path, processes):
    """The paths of all figures, in their order. A process of its own pays for a few figures."""
    draws = [draw for _, draw in figures]
    paths = [f"{path}.{suffix}" for suffix, _ in figures]
    processes = min(processes or len(os.sched_getaffinity(0)), -(-len(figures) // 3))
    if processes < 2:
        return list(itertools.chain(*map(draw_and_save, draws, paths)))
    with concurrent.futures.ProcessPoolExecutor(processes) as pool:
        return list(itertools.chain(*pool.map(draw_and_save, draws, paths)))


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


def all_figures(analysis, notes):
    """What comes after the name of the study in the names of files, and what draws the figure."""
    return [*panel_figures(analysis, False, notes), *panel_figures(analysis, True, notes),
            *frontier_figures(analysis, notes), *map_figures(analysis, notes),
            *phase_figures(analysis, notes), *sensitivity_figures(analysis),
            *effect_figures(analysis)]


def main(arguments):
    if len(arguments) not in (3, 4):
        sys.exit("usage: figures.py NAME.analysis.h5 FOLDER [PROCESSES]")
    tables, folder = arguments[1:3]
    processes = int(arguments[3]) if len(arguments) == 4 else 0
    name = os.path.basename(tables).removesuffix(".h5").removesuffix(".analysis")
    analysis = Analysis(tables)
    notes, figures = [], []
    if len(analysis.best) == 0:
        notes.append("nothing is feasible: there is nothing to draw")
    else:
        figures = all_figures(analysis, notes)
    written = draw_all(figures, os.path.join(folder, name), processes)
    remove_stale(folder, name, written)
    for line in written + ["note: " + note for note in notes]:
        print(line)


if __name__ == "__main__":
    main(sys.argv)
