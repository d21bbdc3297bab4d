#!/usr/bin/python3
"""Draws all figures of an analysis file in memory and says where a reader could not read a text:
beyond the edge of its figure, or upon another one.

    figures_texts.py FOLDER_OF_FIGURES_PY NAME.analysis.h5

Prints a line for each fault and exits with 1 if there is one.
"""

import itertools
import sys

sys.dont_write_bytecode = True


def hidden_ticks(figure):
    """Labels of places that an axis has but does not show."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks() + axis.get_minor_ticks():
                if not low <= tick.get_loc() <= high:
                    yield tick.label1
                    yield tick.label2


def visible_texts(figure):
    """All texts, whether they are level or upright, and their places."""
    from matplotlib.text import Text
    renderer = figure.canvas.get_renderer()
    hidden = set(hidden_ticks(figure))
    found = []
    for text in figure.findobj(lambda artist: isinstance(artist, Text)):
        if text not in hidden and text.get_visible() and text.get_text().strip():
            box = Text.get_window_extent(text, renderer)  # of an annotation without its arrow
            if box.width > 0 and box.height > 0:
                is_straight = text.get_rotation() % 90 == 0
                found.append((text.get_text().replace("\n", " "), is_straight, box))
    return found


def shared(first, second):
    """The part of the smaller of two boxes that the other one covers."""
    width = min(first.x1, second.x1) - max(first.x0, second.x0)
    height = min(first.y1, second.y1) - max(first.y0, second.y0)
    smaller = min(first.width * first.height, second.width * second.height)
    return max(0.0, width) * max(0.0, height) / smaller


def faults_of(figure):
    figure.draw_without_rendering()  # places legends
    texts = visible_texts(figure)
    edge = figure.bbox
    for text, _, box in texts:
        if box.x0 < -1 or box.y0 < -1 or box.x1 > edge.x1 + 1 or box.y1 > edge.y1 + 1:
            yield f"'{text}' leaves the figure"
    # What stands aslant is within its box, but does not fill it.
    straight = [(text, box) for text, is_straight, box in texts if is_straight]
    for (first, one), (second, other) in itertools.combinations(straight, 2):
        if shared(one, other) > 0.15:
            yield f"'{first}' and '{second}' are upon each other"


def main(arguments):
    sys.path.insert(0, arguments[1])
    import figures
    analysis = figures.Analysis(arguments[2])
    figures.plt.rcParams.update(figures.STYLE)
    faults = []
    for suffix, draw in figures.figures_of(figures.FIGURES, analysis, []):
        figure = draw()
        figures.lay_out(figure)
        faults += [f"{suffix}: {fault}" for fault in faults_of(figure)]
        figures.plt.close(figure)
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main(sys.argv)
