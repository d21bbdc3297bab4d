"""The feasible points, the frontier and the fastest point of each value of the axis."""

import math
from functools import partial

from figures_base import *


def plane(analysis):
    """The first objective and another that varies, for the axes, and a third for the shape of the
    marks. The time is the horizontal axis where it is one of the two."""
    varying = []
    for name in analysis.objectives:
        values = analysis.quantities(analysis.cloud, name)
        if len(values) and values.min() < values.max():
            varying.append(name)
    first = analysis.objectives[:1]
    others = [name for name in varying if name not in first]
    others.sort(key=lambda name: (name != analysis.better, not name.startswith("energy")))
    fixed = [name for name in analysis.objectives if name not in first + others]
    two = (first + others + fixed[:max(0, 1 - len(others))])[:2]
    two.sort(key=lambda name: name != analysis.better)
    return (two + [None])[:2] + (others[1:] + [None])[:1]


def unit_scale(units, values):
    """A prefix for axis labels: (divisor, unit)."""
    if units == "1" or not units:
        return 1.0, ""
    top = np.nanmax(values) if len(values) else 1.0
    if units == "s" and top >= 2 * 86400.0:
        return 86400.0, "days"
    for power, prefix in ((18, "E"), (15, "P"), (12, "T"), (9, "G"), (6, "M"), (3, "k")):
        if units in ("J", "W", "B") and top >= 10.0 ** power:
            return 10.0 ** power, prefix + units
    return 1.0, units


def axis_title(analysis, name, scale):
    return column_words(analysis, name) + (f" ({scale[1]})" if scale[1] else "")


def level_handles(analysis, name, shapes):
    """Marks of the third objective in the legend: its name once, then values in as few digits as
    tell them apart."""
    unit = unit_scale(analysis.frontier.units.get(name, ""), [])
    for digits in range(3, 18):
        numbers = [f"{level:.{digits}g}" for level in shapes]
        if len(set(numbers)) == len(shapes):
            break
    handles = [Line2D([], [], linestyle="", label=axis_title(analysis, name, unit) + ":")]
    for number, mark in zip(numbers, shapes.values()):
        handles.append(Line2D([], [], linestyle="", marker=mark, markersize=3, color="#555555",
                              label=number))
    return handles


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


def log_ticks(low, high):
    """Round numbers between two: few enough to read, and more than one where there are any."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for subs in ((1, 2, 5), (1, 3), (1,)):
        ticks = [sub * 10.0 ** decade for decade in decades for sub in subs]
        ticks = [tick for tick in ticks if low <= tick <= high]
        letters = sum(len(f"{tick:g}") + 2 for tick in ticks)  # with room between them
        if len(ticks) <= 11 and letters <= 50:
            break
    if len(ticks) < 3:
        ticks = matplotlib.ticker.MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    return [tick for tick in ticks if low <= tick <= high]


def set_log_ticks(axis, limits):
    """Few ticks at round numbers, written out."""
    axis.set_major_locator(matplotlib.ticker.FixedLocator(log_ticks(*limits)))
    axis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(matplotlib.ticker.NullFormatter())


LABEL_OFFSETS = [(4, 3), (-4, 3), (4, -9), (-4, -9), (4, 9), (-4, 9), (4, -15), (-4, -15), (13, 3),
                 (-13, 3), (13, 9), (-13, 9), (4, 18), (-4, 18), (13, -15), (-13, -15), (4, -24),
                 (-4, -24), (22, 14), (-22, 14), (22, -24), (4, -33), (-4, -33), (22, -33)]


def label_points(axes, points, obstacles):
    """Names beside points, where they touch neither each other nor the points, and as few of the
    obstacles as can be. `points` is (x, y, text), `obstacles` an array of x and y."""
    axes.figure.draw_without_rendering()  # settles the layout
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
            return 300 * hits + 400 * outside + 60 * ambiguous + 2 * covered + np.hypot(*offset)

        dx, dy = min(LABEL_OFFSETS, key=cost)
        taken.append(box_at(dx, dy))
        far = abs(dx) > 10 or abs(dy) > 10
        axes.annotate(text, (x_value, y_value), xytext=(dx, dy), textcoords="offset points",
                      ha="right" if dx < 0 else "left", va="bottom", fontsize=6.5, zorder=5,
                      arrowprops={"arrowstyle": "-", "linewidth": 0.4, "color": "#555555",
                                  "shrinkA": 0, "shrinkB": 2} if far else None)


def colour_axis(analysis):
    """The axis that colours members: of several that advance together, the first."""
    return analysis.along_axes[0]


def along_colours(analysis):
    count = len(analysis.axis_labels[colour_axis(analysis)])
    return [matplotlib.colormaps["viridis"](0.92 - 0.87 * i / max(count - 1, 1))
            for i in range(count)]


def pictured_rows(analysis, chosen):
    """Members that stand for the frontier, and points of the ranks behind it that do for theirs."""
    frontier = analysis.frontier
    rows = rows_where(frontier, chosen)
    if "shown" in frontier.columns:
        rows = rows[frontier["shown"][rows] == 1]
    if "rank" not in frontier.columns:
        return rows, rows[:0]
    return rows[frontier["rank"][rows] == 1], rows[frontier["rank"][rows] > 1]


def thinning_words(analysis, chosen):
    """How far the members that are drawn stand for all; empty where all are drawn."""
    groups = analysis.frontier_groups
    if "shown" not in groups.columns:
        return ""
    rows = rows_where(groups, {axis: i for axis, i in chosen.items() if axis in groups.columns})
    shown, members = groups["shown"][rows].sum(), groups["members"][rows].sum()
    if shown == members:
        return ""
    within = 100 * groups["shown_within"][rows].max()
    return (f"{shown:,} of {members:,} members: no other is worse than one of them\n"
            f"in any objective by more than {within:.2g} % of its logarithmic range")


def draw_behind(axes, analysis, rows, x_of, y_of):
    """The ranks behind the frontier, the fainter the further."""
    if len(rows) == 0:
        return
    ranks = analysis.frontier["rank"][rows].astype(float)
    strength = 0.75 - 0.55 * (ranks - 2) / max(ranks.max() - 2, 1)
    colours = np.column_stack([np.tile([0.2, 0.35, 0.6], (len(rows), 1)), strength])
    axes.scatter(x_of(analysis.frontier, rows), y_of(analysis.frontier, rows), s=4, c=colours,
                 linewidths=0, zorder=2)


def draw_frontier(analysis, chosen):
    x_name, y_name, z_name = plane(analysis)
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 2.9), layout="constrained")
    frontier, cloud, best = analysis.frontier, analysis.cloud, analysis.best
    cloud_rows = rows_where(cloud, chosen)
    rows, behind = pictured_rows(analysis, chosen)
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
    draw_behind(axes, analysis, behind, x_of, y_of)
    shapes = draw_members(axes, analysis, order, x_of, y_of, z_name, colours)
    draw_special(axes, frontier, order, x_of, y_of)
    fastest = fastest_by_value(analysis, chosen)
    axes.scatter([x_of(best, [row])[0] for row in fastest.values()],
                 [y_of(best, [row])[0] for row in fastest.values()], s=22, facecolors="none",
                 edgecolors="black", linewidths=0.6, zorder=4)
    title = axis_title(analysis, x_name, x_scale)
    axes.set_xlabel(titled(title, analysis, chosen, 0.8 * COLUMN_WIDTH))
    axes.set_ylabel(broken(axis_title(analysis, y_name, y_scale), 2.2))
    set_log_ticks(axes.xaxis, axes.get_xlim())
    set_log_ticks(axes.yaxis, axes.get_ylim())
    axes.set_title(thinning_words(analysis, chosen), fontsize=5.5, loc="left", pad=3)
    frontier_legend(figure, analysis, rows, behind, z_name, shapes, colours)
    label_points(axes, [(x_of(best, [row])[0], y_of(best, [row])[0],
                         analysis.axis_labels[analysis.along][value])
                        for value, row in fastest.items()],
                 np.concatenate([
                     np.column_stack([x_of(cloud, cloud_rows), y_of(cloud, cloud_rows)]),
                     np.repeat(np.column_stack([x_of(frontier, rows), y_of(frontier, rows)]), 10,
                               axis=0)]))
    return figure


def draw_special(axes, frontier, order, x_of, y_of):
    """Knees as rings, and members that the error bars leave in doubt crossed out lightly."""
    if "knee" in frontier.columns:
        knees = order[frontier["knee"][order].astype(int) == 1]
        axes.scatter(x_of(frontier, knees), y_of(frontier, knees), s=46, marker="D",
                     facecolors="none", edgecolors="#D55E00", linewidths=0.9, zorder=4)
    if "beyond_doubt" in frontier.columns:
        doubtful = order[frontier["beyond_doubt"][order].astype(int) == 0]
        axes.scatter(x_of(frontier, doubtful), y_of(frontier, doubtful), s=7, marker="x",
                     color="white", linewidths=0.5, zorder=4)


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
                     c=[colours[int(v)] for v in frontier[colour_axis(analysis)][some]],
                     edgecolors="black", linewidths=0.25, zorder=3)
    return shapes


def frontier_legend(figure, analysis, rows, behind, z_name, shapes, colours):
    along = words_of(analysis, analysis.along)
    used = sorted(set(analysis.frontier[colour_axis(analysis)][rows].astype(int).tolist()))
    handles = [Line2D([], [], linestyle="", marker="o", markersize=3, markeredgewidth=0.25,
                      markeredgecolor="black", markerfacecolor=colours[value],
                      label=("frontier, " if value == used[0] else "") +
                      value_text(analysis, colour_axis(analysis), value)) for value in used]
    if z_name and 1 < len(shapes) <= 8:
        handles += level_handles(analysis, z_name, shapes)
    handles.append(Line2D([], [], linestyle="", marker="o", markersize=4, color="black",
                          markerfacecolor="none", markeredgewidth=0.6,
                          label=f"fastest by {along}"))
    if "knee" in analysis.frontier.columns and analysis.frontier["knee"][rows].any():
        handles.append(Line2D([], [], linestyle="", marker="D", markersize=5, color="#D55E00",
                              markerfacecolor="none", label="knee"))
    if ("beyond_doubt" in analysis.frontier.columns and
            not analysis.frontier["beyond_doubt"][rows].all()):
        handles.append(Line2D([], [], linestyle="", marker="x", markersize=3, color="#777777",
                              label="within the error bars"))
    if len(behind):
        last = int(analysis.frontier["rank"][behind].max())
        handles.append(Line2D([], [], linestyle="", marker="o", markersize=2, color="#3359993f",
                              label="rank 2" if last == 2 else f"ranks 2 to {last}"))
    handles.append(Line2D([], [], linestyle="", marker=".", markersize=3, color="#c8c8c8",
                          label="feasible"))
    legend_above(figure, handles, 4)


def frontier_figures(analysis, notes):
    if len(analysis.frontier) == 0 or plane(analysis)[1] is None:
        notes.append("frontier: nothing to draw")
        return
    workloads = [axis for axis in analysis.panels + [analysis.along]
                 if axis in analysis.workloads and len(analysis.axis_labels[axis]) > 1]
    for chosen in limited(combinations(analysis, workloads), "frontier", notes):
        if len(rows_where(analysis.frontier, chosen)):
            draw = partial(draw_frontier, analysis, chosen)
            yield "frontier" + page_suffix(analysis, chosen), draw
