#!/usr/bin/python3
"""Draws the figures of an analysis file: PNG (300 dpi) and SVG, sized for a paper.

    figures.py NAME.analysis.h5 FOLDER

writes FOLDER/NAME.<figure>.png and .svg and prints their paths, one a line; a line that begins with
"note: " is for the reader. The same file gives the same bytes. Needs numpy, h5py and matplotlib:
exits with 69 if one of them is missing.

  step-time    best time along the axis, stacked by resource, one panel per combination
  shares       the same as shares of the time: where the bottleneck moves
  frontier     the feasible points, the frontier and the fastest point of each value of the axis
  bottlenecks  what limits the best strategy, for every combination at a glance
"""

import itertools
import os
import re
import sys

MODULES_MISSING = 69  # exit status, EX_UNAVAILABLE of sysexits

try:
    import h5py
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(MODULES_MISSING)

FIGURES = ("step-time", "shares", "frontier", "bottlenecks")
WORKLOAD_AXES = ("model", "sequence", "global_batch", "prompt", "output", "batch", "arrival_rate",
                 "time_to_first_token_limit", "time_per_output_token_limit")
TEXT_WIDTH = 7.16  # inches: two columns of a journal page
COLUMN_WIDTH = 3.5
MOST_PAGES = 12
MOST_PANEL_ROWS = 8
MOST_PANEL_COLUMNS = 6

# Okabe and Ito, "Color Universal Design": told apart with any colour vision. Compute is blue,
# memory warm, network green and purple.
RESOURCE_COLOURS = {
    "tensor_compute": "#0072B2", "vector_compute": "#56B4E9",
    "dram": "#D55E00", "l2": "#E69F00", "shared_memory": "#F0E442",
    "scale_up": "#009E73", "scale_out": "#CC79A7", "latency": "#999999",
}
RESOURCE_HATCHES = {"vector_compute": "////", "l2": "////", "scale_out": "////"}
DARK_TEXT_ON = {"vector_compute", "l2", "shared_memory"}
OTHER_COLOUR = "#000000"
RESOURCE_WORDS = {"tensor_compute": "tensor", "vector_compute": "vector", "dram": "DRAM",
                  "l2": "L2", "shared_memory": "shared memory", "scale_up": "scale-up",
                  "scale_out": "scale-out", "latency": "latency"}
AXIS_WORDS = {"logic": "logic node", "scale_up": "scale-up network",
              "scale_out": "scale-out network", "power": "power per accelerator"}
STYLE = {
    "font.family": "DejaVu Sans", "font.size": 7, "axes.labelsize": 7, "axes.titlesize": 7,
    "xtick.labelsize": 6.5, "ytick.labelsize": 6.5, "legend.fontsize": 6.5,
    "axes.linewidth": 0.6, "xtick.major.width": 0.6, "ytick.major.width": 0.6,
    "xtick.major.size": 2.5, "ytick.major.size": 2.5, "hatch.linewidth": 0.35,
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "savefig.dpi": 300, "text.parse_math": False, "svg.hashsalt": "scalesweep",
    "svg.fonttype": "path",
}


class Table:
    """A table of the analysis file: columns by name, labels of enums by column."""

    def __init__(self, group):
        self.columns, self.labels, self.units, self.long_names = {}, {}, {}, {}
        for name, dataset in group.items():
            if not isinstance(dataset, h5py.Dataset):
                continue
            self.columns[name] = dataset[()]
            enum = h5py.check_enum_dtype(dataset.dtype)
            if enum:
                self.labels[name] = {value: label for label, value in enum.items()}
            self.units[name] = text_of(dataset.attrs.get("units", ""))
            self.long_names[name] = text_of(dataset.attrs.get("long_name", name))

    def __len__(self):
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def __getitem__(self, name):
        return self.columns[name]

    def name_at(self, column, row):
        return self.labels[column][int(self.columns[column][row])]


def text_of(value):
    return value.decode() if isinstance(value, bytes) else str(value)


class Analysis:
    """What the figures need of NAME.analysis.h5."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            words = lambda name: [w for w in text_of(file.attrs.get(name, "")).split(",") if w]
            self.along = text_of(file.attrs["along"])
            self.panels = words("panels")
            self.objectives = words("objectives")
            self.time = text_of(file.attrs.get("time", "step time"))
            self.better = text_of(file.attrs.get("better", "step_time"))
            self.resources = words("resources")
            self.group_of = dict(pair.split("=") for pair in words("groups"))
            self.best = Table(file["best"])
            self.frontier = Table(file["frontier"])
            self.cloud = Table(file["cloud"])
            self.axis_labels = {
                name: text_of(dataset[()]).split("\n") for name, dataset in file["labels"].items()}
            self.axis_units = {
                name: text_of(group.attrs.get("units", "")) for name, group in file["axes"].items()}
            self.axis_values = {name: group["value"][()] for name, group in file["axes"].items()}

    def values(self, axis):
        return range(len(self.axis_labels[axis]))

    def quantities(self, table, name):
        """A column as numbers; of an axis, the values that its indices stand for."""
        if name in self.axis_values:
            return self.axis_values[name][table[name].astype(int)]
        return table[name].astype(float)


def rows_where(table, chosen):
    """Rows of a table at the given axis indices."""
    keep = np.ones(len(table), dtype=bool)
    for axis, index in chosen.items():
        keep &= table[axis].astype(int) == index
    return np.flatnonzero(keep)


def words_of(name):
    return name.replace("_", " ")


def axis_words(analysis, name):
    """An axis as a reader would call it, with its unit."""
    unit = analysis.axis_units.get(name, "")
    return AXIS_WORDS.get(name, words_of(name)) + (f" ({unit})" if unit not in ("", "1") else "")


def combinations(analysis, axes):
    """Every choice of one value per axis, in order, as a dictionary."""
    return [dict(zip(axes, indices))
            for indices in itertools.product(*(analysis.values(axis) for axis in axes))]


def label_text(analysis, chosen):
    return ", ".join(analysis.axis_labels[axis][index] for axis, index in chosen.items())


def page_suffix(analysis, chosen):
    parts = [re.sub(r"[^A-Za-z0-9.]+", "_", analysis.axis_labels[axis][index])
             for axis, index in chosen.items()]
    return "".join("-" + part for part in parts)


def limited(pages, figure, notes):
    if len(pages) > MOST_PAGES:
        notes.append(f"{figure}: drew the first {MOST_PAGES} of {len(pages)} figures")
    return pages[:MOST_PAGES]


def legend_above(figure, handles, columns):
    """One legend above everything, in as many columns as fit, with room made for it."""
    for count in range(min(columns, len(handles)), 0, -1):
        legend = figure.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 1.0),
                               ncols=count, frameon=False, handlelength=1.2, handletextpad=0.4,
                               columnspacing=1.3, borderaxespad=0.2, borderpad=0.2,
                               labelspacing=0.3)
        extent = legend.get_window_extent(figure.canvas.get_renderer())
        if extent.width <= figure.bbox.width or count == 1:
            room = (extent.height / figure.dpi + 0.04) / figure.get_figheight()
            figure.get_layout_engine().set(rect=(0.0, 0.0, 1.0, 1.0 - room))
            return
        legend.remove()


# --- Panels: step time and shares -----------------------------------------------------------------


def grid_axes(analysis):
    """The two panel axes that make rows and columns, and those that make separate figures."""
    axes = list(analysis.panels)
    preferred = [axis for axis in ("memory", "scale_out", "scale_up", "logic") if axis in axes]
    others = [axis for axis in axes if axis not in preferred]
    chosen = (preferred + others[::-1])[:2]
    rows = chosen[0] if chosen else None
    columns = chosen[1] if len(chosen) > 1 else None
    return rows, columns, [axis for axis in axes if axis not in chosen]


def panel_pages(analysis):
    """Figures of panels: fixed values, row indices and column indices of each."""
    rows, columns, others = grid_axes(analysis)
    row_values = list(analysis.values(rows)) if rows else [None]
    column_values = list(analysis.values(columns)) if columns else [None]
    pieces = lambda values, most: [values[i:i + most] for i in range(0, len(values), most)]
    pages = []
    for fixed in combinations(analysis, others):
        parts = list(itertools.product(pieces(row_values, MOST_PANEL_ROWS),
                                       pieces(column_values, MOST_PANEL_COLUMNS)))
        for number, (row_part, column_part) in enumerate(parts):
            suffix = page_suffix(analysis, fixed) + (f"-{number + 1}" if len(parts) > 1 else "")
            pages.append((fixed, row_part, column_part, suffix))
    return rows, columns, pages


def resources_shown(analysis):
    """Resources that matter somewhere: the others would only fill the legend."""
    if len(analysis.best) == 0:
        return []
    return [name for name in analysis.resources
            if np.nanmax(analysis.best["share_" + name]) >= 0.005]


def draw_stack(axes, analysis, chosen, shares):
    """Stacked bars of one panel; a cross where no strategy fits."""
    best = analysis.best
    rows = rows_where(best, chosen)
    places = best[analysis.along][rows].astype(int)
    bottom = np.zeros(len(rows))
    scale = np.ones(len(rows)) if shares else best[analysis.time.replace(" ", "_")][rows]
    for name in resources_shown(analysis):
        height = best["share_" + name][rows] * scale
        axes.bar(places, height, 0.78, bottom=bottom, linewidth=0.3, edgecolor="white",
                 color=RESOURCE_COLOURS.get(name, OTHER_COLOUR),
                 hatch=RESOURCE_HATCHES.get(name))
        bottom += height
    for place in sorted(set(analysis.values(analysis.along)) - set(places.tolist())):
        axes.text(place, 0.02, "none fits", transform=axes.get_xaxis_transform(), rotation=90,
                  ha="center", va="bottom", fontsize=5.5, color="#555555")


def set_along_ticks(axes, analysis, inches):
    labels = analysis.axis_labels[analysis.along]
    step = -(-len(labels) // 16)  # at most 16 labels
    axes.set_xticks(range(0, len(labels), step))
    crowded = sum(len(label) + 1 for label in labels[::step]) > 10.5 * inches
    axes.set_xticklabels(labels[::step], rotation=90 if crowded else 0)
    axes.set_xlim(-0.6, len(labels) - 0.4)
    axes.tick_params(axis="x", length=0, pad=2)


def resource_legend(figure, analysis):
    handles = [Patch(facecolor=RESOURCE_COLOURS.get(name, OTHER_COLOUR), edgecolor="white",
                     linewidth=0.3, hatch=RESOURCE_HATCHES.get(name),
                     label=RESOURCE_WORDS.get(name, words_of(name)))
               for name in resources_shown(analysis)]
    legend_above(figure, handles, len(handles))


def draw_panels(analysis, page, row_axis, column_axis, shares):
    fixed, row_values, column_values, _ = page
    width = TEXT_WIDTH if len(column_values) > 1 else COLUMN_WIDTH
    height = 0.75 + max(1.05 * len(row_values), 1.5)
    figure, grid = plt.subplots(len(row_values), len(column_values), sharex=True, sharey=True,
                                squeeze=False, figsize=(width, height), layout="constrained")
    for i, row_value in enumerate(row_values):
        for j, column_value in enumerate(column_values):
            chosen = dict(fixed)
            if row_axis:
                chosen[row_axis] = row_value
            if column_axis:
                chosen[column_axis] = column_value
            axes = grid[i, j]
            axes.grid(axis="y", linewidth=0.3, color="#dddddd")
            draw_stack(axes, analysis, chosen, shares)
            set_along_ticks(axes, analysis, (width - 0.25) / len(column_values))
            if i == 0 and column_axis:
                axes.set_title(analysis.axis_labels[column_axis][column_value], pad=3)
            if j == len(column_values) - 1 and row_axis:
                axes.annotate(analysis.axis_labels[row_axis][row_value], (1.0, 0.5),
                              xytext=(4, 0), xycoords="axes fraction",
                              textcoords="offset points", rotation=270, va="center", ha="left")
    if shares:
        grid[0, 0].set_ylim(0, 1)
        grid[0, 0].yaxis.set_major_formatter(matplotlib.ticker.PercentFormatter(1.0))
    figure.supxlabel(axis_words(analysis, analysis.along), fontsize=7)
    title = f"share of best {analysis.time}" if shares else f"best {analysis.time} (s)"
    figure.supylabel(title, fontsize=7)
    resource_legend(figure, analysis)
    return figure


def panel_figures(analysis, shares, notes):
    name = "shares" if shares else "step-time"
    row_axis, column_axis, pages = panel_pages(analysis)
    for page in limited(pages, name, notes):
        yield name + page[3], draw_panels(analysis, page, row_axis, column_axis, shares)


# --- Frontier -------------------------------------------------------------------------------------


def plane(analysis):
    """Two objectives that vary, for the axes, and a third for the shape of the marks."""
    varying = []
    for name in analysis.objectives:
        values = analysis.quantities(analysis.cloud, name)
        if len(values) and values.min() < values.max():
            varying.append(name)
    for name in analysis.objectives:
        if len(varying) < 2 and name not in varying:
            varying.append(name)
    first = [analysis.better] if analysis.better in varying else varying[:1]
    rest = [name for name in varying if name not in first]
    rest.sort(key=lambda name: not name.startswith("energy"))
    return (first + rest + [None, None])[:3]


def unit_scale(units, values):
    """A prefix for axis labels: (divisor, unit)."""
    if units == "1" or not units:
        return 1.0, ""
    top = np.nanmax(values) if len(values) else 1.0
    for power, prefix in ((18, "E"), (15, "P"), (12, "T"), (9, "G"), (6, "M"), (3, "k")):
        if units in ("J", "W", "B") and top >= 10.0 ** power:
            return 10.0 ** power, prefix + units
    return 1.0, units


def axis_title(analysis, name, scale):
    long_name = words_of(analysis.frontier.long_names.get(name, name))
    return long_name + (f" ({scale[1]})" if scale[1] else "")


def fastest_by_value(analysis, chosen):
    """Row of the best table with the least time for each value of the axis."""
    best = analysis.best
    time = best[analysis.better]
    fastest = {}
    for row in rows_where(best, chosen):
        value = int(best[analysis.along][row])
        if value not in fastest or time[row] < time[fastest[value]]:
            fastest[value] = row
    return dict(sorted(fastest.items()))


def set_log_ticks(axis):
    """Few ticks at round numbers, written out."""
    axis.set_major_locator(matplotlib.ticker.LogLocator(subs=(1.0, 2.0, 5.0), numticks=20))
    axis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(matplotlib.ticker.NullFormatter())


LABEL_OFFSETS = [(4, 3), (-4, 3), (4, -9), (-4, -9), (4, 9), (-4, 9), (4, -15), (-4, -15), (13, 3),
                 (-13, 3), (13, 9), (-13, 9), (4, 18), (-4, 18), (13, -15), (-13, -15), (4, -24),
                 (-4, -24), (22, 14), (-22, 14)]


def label_points(axes, points, obstacles):
    """Names beside points, where they touch neither each other nor the points, and as few of the
    obstacles as can be. `points` is (x, y, text), `obstacles` an array of x and y."""
    axes.figure.canvas.draw()  # settles the layout
    pixel = axes.figure.dpi / 72.0
    marks = [axes.transData.transform(point[:2]) for point in points]
    taken = [(x - 3 * pixel, y - 3 * pixel, x + 3 * pixel, y + 3 * pixel) for x, y in marks]
    clutter = axes.transData.transform(obstacles)
    for (x, y), (x_value, y_value, text) in zip(marks, points):
        width, height = 4.6 * len(text) * pixel, 7.0 * pixel

        def box_at(dx, dy):
            left = x + dx * pixel - (width if dx < 0 else 0)
            return left, y + dy * pixel, left + width, y + dy * pixel + height

        def cost(offset):
            box = box_at(*offset)
            hits = sum(box[0] < t[2] and t[0] < box[2] and box[1] < t[3] and t[1] < box[3]
                       for t in taken)
            edge = 2 * pixel
            outside = box[0] < axes.bbox.x0 + edge or box[2] > axes.bbox.x1 - edge or \
                box[1] < axes.bbox.y0 + edge or box[3] > axes.bbox.y1 - edge
            covered = np.count_nonzero((clutter[:, 0] > box[0]) & (clutter[:, 0] < box[2]) &
                                       (clutter[:, 1] > box[1]) & (clutter[:, 1] < box[3]))
            centre = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
            distances = [np.hypot(centre[0] - mark[0], centre[1] - mark[1]) for mark in marks]
            ambiguous = min(distances) < np.hypot(centre[0] - x, centre[1] - y)
            return 100 * (hits + outside) + 60 * ambiguous + 2 * covered + np.hypot(*offset)

        dx, dy = min(LABEL_OFFSETS, key=cost)
        taken.append(box_at(dx, dy))
        far = abs(dx) > 10 or abs(dy) > 10
        axes.annotate(text, (x_value, y_value), xytext=(dx, dy), textcoords="offset points",
                      ha="right" if dx < 0 else "left", va="bottom", fontsize=6.5, zorder=5,
                      arrowprops={"arrowstyle": "-", "linewidth": 0.4, "color": "#555555",
                                  "shrinkA": 0, "shrinkB": 2} if far else None)


def along_colours(analysis):
    count = len(analysis.axis_labels[analysis.along])
    return [matplotlib.colormaps["viridis"](0.92 - 0.87 * i / max(count - 1, 1))
            for i in range(count)]


def draw_frontier(analysis, chosen):
    x_name, y_name, z_name = plane(analysis)
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 2.9), layout="constrained")
    frontier, cloud, best = analysis.frontier, analysis.cloud, analysis.best
    cloud_rows, rows = rows_where(cloud, chosen), rows_where(frontier, chosen)
    x_of = lambda table, some: analysis.quantities(table, x_name)[some] / x_scale[0]
    y_of = lambda table, some: analysis.quantities(table, y_name)[some] / y_scale[0]
    x_scale = unit_scale(frontier.units.get(x_name, ""), analysis.quantities(cloud, x_name))
    y_scale = unit_scale(frontier.units.get(y_name, ""), analysis.quantities(cloud, y_name))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.margins(x=0.12, y=0.07)  # room for labels
    axes.scatter(x_of(cloud, cloud_rows), y_of(cloud, cloud_rows), s=1.2, color="#c8c8c8",
                 linewidths=0, rasterized=True, zorder=1)
    colours = along_colours(analysis)
    order = rows[np.argsort(x_of(frontier, rows), kind="stable")]
    if z_name is None:
        axes.step(x_of(frontier, order), y_of(frontier, order), where="post", color="black",
                  linewidth=0.7, zorder=2)
    shapes = draw_members(axes, analysis, order, x_of, y_of, z_name, colours)
    fastest = fastest_by_value(analysis, chosen)
    axes.scatter([x_of(best, [row])[0] for row in fastest.values()],
                 [y_of(best, [row])[0] for row in fastest.values()], s=22, facecolors="none",
                 edgecolors="black", linewidths=0.6, zorder=4)
    axes.set_xlabel(axis_title(analysis, x_name, x_scale))
    axes.set_ylabel(axis_title(analysis, y_name, y_scale))
    set_log_ticks(axes.xaxis)
    set_log_ticks(axes.yaxis)
    frontier_legend(figure, analysis, rows, z_name, shapes, colours)
    label_points(axes, [(x_of(best, [row])[0], y_of(best, [row])[0],
                         analysis.axis_labels[analysis.along][value])
                        for value, row in fastest.items()],
                 np.concatenate([
                     np.column_stack([x_of(cloud, cloud_rows), y_of(cloud, cloud_rows)]),
                     np.repeat(np.column_stack([x_of(frontier, rows), y_of(frontier, rows)]), 10,
                               axis=0)]))
    return figure


def draw_members(axes, analysis, order, x_of, y_of, z_name, colours):
    """Frontier marks coloured by the axis, shaped by the third objective; returns the shapes."""
    frontier = analysis.frontier
    marks = "osD^vP*X"
    third = analysis.quantities(frontier, z_name) if z_name else np.zeros(len(frontier))
    levels = sorted(set(third[order].tolist()))
    shapes = {}
    for i, level in enumerate(levels):
        mark = marks[min(i * len(marks) // max(len(levels), len(marks)), len(marks) - 1)]
        some = order[third[order] == level]
        shapes[level] = mark
        axes.scatter(x_of(frontier, some), y_of(frontier, some), s=9, marker=mark,
                     c=[colours[int(v)] for v in frontier[analysis.along][some]],
                     edgecolors="black", linewidths=0.25, zorder=3)
    return shapes


def frontier_legend(figure, analysis, rows, z_name, shapes, colours):
    along = AXIS_WORDS.get(analysis.along, words_of(analysis.along))
    used = sorted(set(analysis.frontier[analysis.along][rows].astype(int).tolist()))
    handles = [Line2D([], [], linestyle="", marker="o", markersize=3, markeredgewidth=0.25,
                      markeredgecolor="black", markerfacecolor=colours[value],
                      label=("frontier, " if value == used[0] else "") +
                      analysis.axis_labels[analysis.along][value]) for value in used]
    if z_name and 1 < len(shapes) <= 8:
        handles += [Line2D([], [], linestyle="", marker=mark, markersize=3, color="#555555",
                           label=f"{level:g} {words_of(z_name)}")
                    for level, mark in shapes.items()]
    handles.append(Line2D([], [], linestyle="", marker="o", markersize=4, color="black",
                          markerfacecolor="none", markeredgewidth=0.6,
                          label=f"fastest by {along}"))
    handles.append(Line2D([], [], linestyle="", marker=".", markersize=3, color="#c8c8c8",
                          label="feasible"))
    legend_above(figure, handles, 4)


def frontier_figures(analysis, notes):
    if len(analysis.frontier) == 0 or plane(analysis)[1] is None:
        notes.append("frontier: nothing to draw")
        return
    workloads = [axis for axis in analysis.panels + [analysis.along]
                 if axis in WORKLOAD_AXES and len(analysis.axis_labels[axis]) > 1]
    for chosen in limited(combinations(analysis, workloads), "frontier", notes):
        if len(rows_where(analysis.frontier, chosen)):
            yield "frontier" + page_suffix(analysis, chosen), draw_frontier(analysis, chosen)


# --- Bottleneck map -------------------------------------------------------------------------------


def leading_resource(analysis, row):
    """The dominant group of a point and the resource with the largest share in it."""
    best = analysis.best
    group = best.name_at("dominant_group", row)
    members = [name for name in analysis.resources if analysis.group_of[name] == group]
    return group, max(members, key=lambda name: best["share_" + name][row])


def draw_cell(axes, analysis, x, y, row):
    group, resource = leading_resource(analysis, row)
    axes.add_patch(plt.Rectangle((x - 0.5, y - 0.5), 1, 1, linewidth=0.8, edgecolor="white",
                                 facecolor=RESOURCE_COLOURS.get(resource, OTHER_COLOUR)))
    axes.text(x, y, f"{100 * analysis.best['group_share_' + group][row]:.0f}%", ha="center",
              va="center", fontsize=6, color="black" if resource in DARK_TEXT_ON else "white")
    return group, resource


def draw_map(analysis, panels):
    """Colour: what limits most; number: the share of its group."""
    values = analysis.axis_labels[analysis.along]
    names = [label_text(analysis, chosen) for chosen in panels]
    wide = np.clip(0.3 + 0.06 * max(map(len, names)) + 0.45 * len(values), COLUMN_WIDTH, TEXT_WIDTH)
    figure, axes = plt.subplots(figsize=(wide, 0.75 + 0.19 * len(panels)), layout="constrained")
    seen = set()
    for y, chosen in enumerate(panels):
        for x in range(len(values)):
            rows = rows_where(analysis.best, {**chosen, analysis.along: x})
            if len(rows):
                seen.add(draw_cell(axes, analysis, x, y, rows[0]))
            else:
                axes.text(x, y, "none fits", ha="center", va="center", fontsize=5.5,
                          color="#555555")
    axes.set(xlim=(-0.5, len(values) - 0.5), ylim=(len(panels) - 0.5, -0.5))
    axes.set_xticks(range(len(values)), values, rotation=90 if max(map(len, values)) > 6 else 0)
    axes.set_yticks(range(len(panels)), names)
    axes.tick_params(length=0)
    axes.set_frame_on(False)
    axes.set_xlabel(axis_words(analysis, analysis.along))
    handles = []
    for name in analysis.resources:
        group = analysis.group_of[name]
        if (group, name) in seen:
            words = RESOURCE_WORDS.get(name, words_of(name))
            label = words if group == name else f"{group} ({words})"
            handles.append(Patch(facecolor=RESOURCE_COLOURS.get(name, OTHER_COLOUR), label=label))
    legend_above(figure, handles, 3)
    return figure


def map_figures(analysis, notes):
    most = 36
    panels = combinations(analysis, analysis.panels)
    parts = [panels[i:i + most] for i in range(0, len(panels), most)]
    for number, part in enumerate(limited(parts, "bottlenecks", notes)):
        suffix = f"-{number + 1}" if len(parts) > 1 else ""
        yield "bottlenecks" + suffix, draw_map(analysis, part)


# --- Files ----------------------------------------------------------------------------------------


def save(figure, path_without_ending):
    """Both formats, each complete or not at all; nothing in them depends on when or where."""
    paths = []
    for ending, metadata in (("png", {"Software": "scalesweep"}),
                             ("svg", {"Date": None, "Creator": "scalesweep"})):
        path = f"{path_without_ending}.{ending}"
        partial = f"{path_without_ending}.partial.{ending}"
        figure.savefig(partial, format=ending, metadata=metadata)
        os.replace(partial, path)
        paths.append(path)
    plt.close(figure)
    return paths


def remove_stale(folder, name, written):
    """Figures of an earlier run that this one did not draw again."""
    pattern = re.compile(re.escape(name) + r"\.(" + "|".join(FIGURES) + r")(-.*)?\.(png|svg)")
    for entry in sorted(os.listdir(folder)):
        path = os.path.join(folder, entry)
        if pattern.fullmatch(entry) and path not in written:
            with open(path, "rb") as file:
                ours = b"scalesweep" in file.read(4096)
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
                              frontier_figures(analysis, notes), map_figures(analysis, notes))
    if len(analysis.best) == 0:
        figures, notes = [], ["nothing is feasible: there is nothing to draw"]
    for suffix, figure in figures:
        written += save(figure, os.path.join(folder, f"{name}.{suffix}"))
    remove_stale(folder, name, written)
    for line in written + ["note: " + note for note in notes]:
        print(line)


if __name__ == "__main__":
    main(sys.argv)
