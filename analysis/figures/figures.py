#!/usr/bin/python3
"""Draws the figures of an analysis file: PNG (300 dpi), SVG and PDF, sized for a paper.

    figures.py NAME.analysis.h5 FOLDER [PROCESSES [FIGURE,...|all]]
    figures.py --list

writes FOLDER/NAME.<figure>.png, .svg and .pdf and prints their paths, one a line; a line that
begins with "note: " is for the reader. Without names it draws those that --list calls default; it
prints every figure with "default" or "by name" and what it shows. The same file gives the same
bytes, on any number of processes (if not given or 0: one for every core). Needs numpy, h5py and
matplotlib: exits with 69 if one of them is missing.
"""

import concurrent.futures
import itertools
import os
import re
import sys
from functools import partial

sys.dont_write_bytecode = True  # the folder may not be ours

from typing import Callable, NamedTuple

from figures_base import STYLE, Analysis, plt
from figures_frontier import frontier_figures
from figures_levers import effect_figures, phase_figures, sensitivity_figures
from figures_panels import map_figures, share_figures, time_figures
from figures_verdict import move_figures, verdict_figures


class Figure(NamedTuple):
    name: str
    is_default: bool
    draws: Callable  # of an analysis and a list for notes: names of files and what draws them
    shows: str


FIGURES = (
    Figure("verdict", True, verdict_figures,
           "the answer to each question with its error bar, beside those of the next choices"),
    Figure("frontier", True, frontier_figures,
           "the feasible points, the frontier and the fastest point of each value of the axis"),
    Figure("shares", True, share_figures,
           "what the best time is due to along the axis, as shares: where the bottleneck moves"),
    Figure("moves", True, move_figures,
           "how much moves along each axis: the bottleneck, and the best choice of the others"),
    Figure("step-time", False, partial(time_figures, "step-time"),
           "best step time along the axis, stacked by resource, one panel per combination"),
    Figure("latency", False, partial(time_figures, "latency"), "the same of a latency"),
    Figure("time-per-output-token", False, partial(time_figures, "time-per-output-token"),
           "the same of a time per output token"),
    Figure("bottlenecks", False, map_figures,
           "what limits the best strategy, for every combination at a glance"),
    Figure("phases", False, phase_figures,
           "what limits the best strategy over two axes, with boundaries"),
    Figure("sensitivity", False, sensitivity_figures,
           "what 10 % more of each resource saves, over all best points"),
    Figure("effects", False, effect_figures,
           "which axes and fields of the strategy the best time depends on"),
)


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
    names = "|".join(figure.name for figure in FIGURES)
    pattern = re.compile(re.escape(name) + r"\.(" + names + r")(-.*)?\.(png|svg|pdf)")
    for entry in sorted(os.listdir(folder)):
        path = os.path.join(folder, entry)
        if pattern.fullmatch(entry) and path not in written:
            with open(path, "rb") as file:
                ours = b"scalesweep" in file.read(1 << 24)
            if ours:
                os.remove(path)


def wanted_figures(names):
    """Those of the table that are asked for: by their names, "all", or "" for the default ones."""
    if names == "all":
        return FIGURES
    known = {figure.name: figure for figure in FIGURES}
    wanted = [name for name in names.split(",") if name]
    unknown = [name for name in wanted if name not in known]
    if unknown:
        sys.exit(f"there is no figure {unknown[0]}; known are {', '.join(known)}, or all")
    return [figure for figure in FIGURES if figure.name in wanted or
            not wanted and figure.is_default]


def figures_of(wanted, analysis, notes):
    """What comes after the name of the study in the names of files, and what draws the figure."""
    return list(itertools.chain(*(figure.draws(analysis, notes) for figure in wanted)))


def list_figures():
    for figure in FIGURES:
        print(figure.name, "default" if figure.is_default else "by name", figure.shows, sep="\t")


def main(arguments):
    if arguments[1:] == ["--list"]:
        return list_figures()
    if len(arguments) not in (3, 4, 5):
        sys.exit("usage: figures.py NAME.analysis.h5 FOLDER [PROCESSES [FIGURE,...|all]]")
    tables, folder = arguments[1:3]
    processes = int(arguments[3]) if len(arguments) > 3 else 0
    wanted = wanted_figures(arguments[4] if len(arguments) > 4 else "")
    name = os.path.basename(tables).removesuffix(".h5").removesuffix(".analysis")
    analysis = Analysis(tables)
    notes, figures = [], []
    if len(analysis.best) == 0:
        notes.append("no feasible point was found: there is nothing to draw")
    else:
        figures = figures_of(wanted, analysis, notes)
    written = draw_all(figures, os.path.join(folder, name), processes)
    remove_stale(folder, name, written)
    for line in written + ["note: " + note for note in notes]:
        print(line)


if __name__ == "__main__":
    main(sys.argv)
