"""Best times and shares along the axis, and every combination at a glance."""

import itertools
from functools import partial

from figures_base import *


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
        axes.text(place, 0.02, "none", transform=axes.get_xaxis_transform(), rotation=90,
                  ha="center", va="bottom", fontsize=5.5, color="#555555")


def set_along_ticks(axes, analysis, inches):
    labels = analysis.axis_labels[analysis.along]
    step = -(-len(labels) // 16)  # at most 16 labels
    set_tick_names(axes, range(0, len(labels), step), labels[::step], inches)
    axes.set_xlim(-0.6, len(labels) - 0.4)
    axes.tick_params(axis="x", length=0, pad=2)


def resource_legend(figure, analysis):
    handles = [Patch(facecolor=RESOURCE_COLOURS.get(name, OTHER_COLOUR), edgecolor="white",
                     linewidth=0.3, hatch=RESOURCE_HATCHES.get(name),
                     label=words_of(analysis, name))
               for name in resources_shown(analysis)]
    legend_above(figure, handles, len(handles))


def draw_panels(analysis, page, row_axis, column_axis, shares):
    fixed, row_values, column_values = page
    width = TEXT_WIDTH if len(column_values) > 1 else COLUMN_WIDTH
    panel_width = (width - 0.55) / len(column_values)
    panel_height = max(1.05, 1.5 / len(row_values))
    height = 0.75 + panel_height * len(row_values)
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
                title = value_text(analysis, column_axis, column_value)
                axes.set_title(broken(title, panel_width), pad=3)
            if j == len(column_values) - 1 and row_axis:
                title = value_text(analysis, row_axis, row_value)
                axes.annotate(broken(title, 0.85 * panel_height), (1.0, 0.5),
                              xytext=(4, 0), xycoords="axes fraction",
                              textcoords="offset points", rotation=270, va="center", ha="left",
                              multialignment="center")
    if shares:
        grid[0, 0].set_ylim(0, 1)
        grid[0, 0].yaxis.set_major_formatter(matplotlib.ticker.PercentFormatter(1.0))
    figure.supxlabel(along_title(analysis, analysis.along, fixed, width), fontsize=7)
    title = f"share of best {analysis.time}" if shares else f"best {analysis.time} (s)"
    figure.supylabel(broken(title, height - 0.5), fontsize=7)
    resource_legend(figure, analysis)
    return figure


def panel_figures(analysis, name, shares, notes):
    row_axis, column_axis, pages = panel_pages(analysis)
    for page in limited(pages, name, notes):
        yield name + page[3], partial(draw_panels, analysis, page[:3], row_axis, column_axis,
                                      shares)


def share_figures(analysis, notes):
    return panel_figures(analysis, "shares", True, notes)


def time_figures(name, analysis, notes):
    """Under the name of another time than that of the study there is nothing."""
    return panel_figures(analysis, name, False, notes) \
        if name == analysis.time.replace(" ", "-") else []


def leading_resource(analysis, row):
    """The dominant group of a point and the resource with the largest share in it."""
    best = analysis.best
    group = best.name_at("dominant_group", row)
    members = [name for name in analysis.resources if analysis.group_of[name] == group]
    return group, max(members, key=lambda name: best["share_" + name][row])


def draw_cell(axes, analysis, x, y, row):
    group, resource = leading_resource(analysis, row)
    colour = RESOURCE_COLOURS.get(resource, OTHER_COLOUR)
    axes.add_patch(plt.Rectangle((x - 0.5, y - 0.5), 1, 1, linewidth=0.8, edgecolor="white",
                                 facecolor=colour))
    axes.text(x, y, f"{100 * analysis.best['group_share_' + group][row]:.0f}%", ha="center",
              va="center", fontsize=6, color=text_colour_on(colour))
    return group, resource


def common_and_telling(panels):
    """What all panels share, and the axes that tell them apart; of a lone panel, all of them."""
    common = {axis: value for axis, value in panels[0].items()
              if len(panels) > 1 and all(panel[axis] == value for panel in panels)}
    return common, [axis for axis in panels[0] if axis not in common]


def draw_map(analysis, panels):
    """Colour: what limits most; number: the share of its group."""
    values = analysis.axis_labels[analysis.along]
    common, telling = common_and_telling(panels)
    names = [", ".join(analysis.axis_labels[axis][chosen[axis]] for axis in telling)
             for chosen in panels]
    wide = np.clip(0.3 + 0.06 * max(map(len, names)) + 0.45 * len(values), COLUMN_WIDTH, TEXT_WIDTH)
    height = 0.75 + 0.19 * len(panels)
    figure, axes = plt.subplots(figsize=(wide, height), layout="constrained")
    seen = set()
    for y, chosen in enumerate(panels):
        for x in range(len(values)):
            rows = rows_where(analysis.best, {**chosen, analysis.along: x})
            if len(rows):
                seen.add(draw_cell(axes, analysis, x, y, rows[0]))
            else:
                axes.text(x, y, "none", ha="center", va="center", fontsize=5.5,
                          color="#555555")
    axes.set(xlim=(-0.5, len(values) - 0.5), ylim=(len(panels) - 0.5, -0.5))
    set_tick_names(axes, range(len(values)), values, 0.45 * len(values))
    axes.set_yticks(range(len(panels)), names)
    axes.tick_params(length=0)
    axes.set_frame_on(False)
    figure.supxlabel(along_title(analysis, analysis.along, common, wide), fontsize=7)
    which = ", ".join(words_of(analysis, axis) for axis in telling)
    figure.supylabel(broken(which, height - 0.4), fontsize=7)
    handles = []
    for name in analysis.resources:
        group = analysis.group_of[name]
        if (group, name) in seen:
            words = words_of(analysis, name)
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
        yield "bottlenecks" + suffix, partial(draw_map, analysis, part)
