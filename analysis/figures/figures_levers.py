"""Which resources and axes matter: phase diagrams, sensitivity, effects."""

from functools import partial

from figures_base import *

GROUP_COLOURS = {"compute": "#0072B2", "memory": "#D55E00", "network": "#009E73",
                 "latency": "#999999", "l2": "#E69F00", "shared_memory": "#F0E442",
                 "host": "#6b5b4b", "storage": "#332288", "none": "#ffffff"}
GROUP_HATCHES = {"memory": "////", "network": "\\\\\\\\"}


def phase_pages(analysis):
    """The other axes of the table of phases; two of them make panels, the rest further figures."""
    others = [name for name in analysis.phases.columns
              if name in analysis.axis_labels and name not in analysis.phase_axes]
    others = [name for name in others if len(analysis.axis_labels[name]) > 1]
    return others[-1:], others[:-1]


def draw_phase(axes, analysis, rows, inches):
    """Cells coloured by their group, paler where it leads by less; framed where that is firm."""
    phases, (x_axis, y_axis) = analysis.phases, analysis.phase_axes
    seen = set()
    for row in rows:
        x, y = int(phases[x_axis][row]), int(phases[y_axis][row])
        group = phases.name_at("dominant_group", row)
        if group == "none":
            axes.text(x, y, "none", ha="center", va="center", fontsize=5.5, color="#555555")
            continue
        seen.add(group)
        strength = 0.4 + 0.6 * min(1, 2 * float(phases["group_margin"][row]))
        colour = GROUP_COLOURS.get(group, OTHER_COLOUR)
        axes.add_patch(plt.Rectangle((x - 0.5, y - 0.5), 1, 1, linewidth=0.5, edgecolor="white",
                                     facecolor=colour, alpha=strength))
        firm = phases.name_at("firm", row)
        share = f"{100 * phases['dominant_group_share'][row]:.0f}"
        axes.text(x, y, share + ("?" if firm == "no" else ""), ha="center", va="center", fontsize=6,
                  color=text_colour_on(colour, strength))
    draw_boundaries(axes, analysis, rows)
    x_labels, y_labels = analysis.axis_labels[x_axis], analysis.axis_labels[y_axis]
    axes.set(xlim=(-0.5, len(x_labels) - 0.5), ylim=(-0.5, len(y_labels) - 0.5))
    set_tick_names(axes, range(len(x_labels)), x_labels, inches)
    axes.set_yticks(range(len(y_labels)), y_labels)
    axes.tick_params(length=0)
    axes.set_frame_on(False)
    return seen


def draw_boundaries(axes, analysis, rows):
    """Where another group takes over between two cells: a line at the interpolated place."""
    phases, (x_axis, y_axis) = analysis.phases, analysis.phase_axes
    for row in rows:
        x, y = int(phases[x_axis][row]), int(phases[y_axis][row])
        across = float(phases["crossing_" + x_axis][row])
        up = float(phases["crossing_" + y_axis][row])
        if np.isfinite(across):
            axes.plot([across, across], [y - 0.5, y + 0.5], color="black", linewidth=1.0)
        if np.isfinite(up):
            axes.plot([x - 0.5, x + 0.5], [up, up], color="black", linewidth=1.0)


def draw_phases(analysis, fixed, columns):
    panels = combinations(analysis, columns)
    values = len(analysis.axis_labels[analysis.phase_axes[0]])
    rows = len(analysis.axis_labels[analysis.phase_axes[1]])
    width = TEXT_WIDTH if len(panels) > 1 else COLUMN_WIDTH
    across = min(len(panels), max(1, int(width / (0.5 + 0.27 * values))))
    down = -(-len(panels) // across)
    height = 0.8 + down * (0.35 + 0.24 * rows)
    figure, grid = plt.subplots(down, across, sharex=True, sharey=True, squeeze=False,
                                figsize=(width, height), layout="constrained")
    seen = set()
    for number, axes in enumerate(grid.flat):
        if number >= len(panels):
            axes.set_visible(False)
            continue
        chosen = {**fixed, **panels[number]}
        seen |= draw_phase(axes, analysis, rows_where(analysis.phases, chosen),
                           (width - 0.5) / across)
        if panels[number]:
            title = label_text(analysis, panels[number])
            axes.set_title(broken(title, (width - 0.5) / across), pad=3)
    figure.supxlabel(along_title(analysis, analysis.phase_axes[0], fixed, width), fontsize=7)
    figure.supylabel(broken(axis_words(analysis, analysis.phase_axes[1]), height - 0.4), fontsize=7)
    handles = [Patch(facecolor=GROUP_COLOURS.get(group, OTHER_COLOUR),
                     label=words_of(analysis, group))
               for group in [*GROUP_COLOURS, *sorted(seen - set(GROUP_COLOURS))] if group in seen]
    if any(axes.lines for axes in grid.flat):
        handles.append(Line2D([], [], color="black", linewidth=1.0, label="boundary"))
    handles.append(Patch(facecolor="none", label="number: share in %; ?: within the error bar"))
    legend_above(figure, handles, 6)
    return figure


def phase_figures(analysis, notes):
    if analysis.phases is None or len(analysis.phase_axes) != 2:
        return
    columns, others = phase_pages(analysis)
    for fixed in limited(combinations(analysis, others), "phases", notes):
        draw = partial(draw_phases, analysis, fixed, columns)
        yield "phases" + page_suffix(analysis, fixed), draw


def draw_sensitivity(analysis):
    """A tornado: the mean gain of every resource, and how far it goes over the best points."""
    table, points = analysis.improvements, analysis.sensitivity
    names = [table.name_at("resource", row) for row in range(len(table))]
    rows = [row for row in np.argsort(table["mean_gain"], kind="stable")
            if table["largest_gain"][row] >= 0.0005]
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.9 + 0.22 * len(rows)),
                                layout="constrained")
    axes.grid(axis="x", linewidth=0.3, color="#dddddd")
    for place, row in enumerate(rows):
        gains = 100 * points["gain_10"][points["resource"] == table["resource"][row]]
        axes.barh(place, 100 * table["mean_gain"][row], 0.7,
                  color=RESOURCE_COLOURS.get(names[row], OTHER_COLOUR), zorder=2)
        axes.plot([gains.min(), gains.max()], [place, place], color="black", linewidth=0.8,
                  marker="|", markersize=5, zorder=3)
        axes.annotate(f"first at {table['next_at'][row]} of {table['points'][row]}",
                      (gains.max(), place), xytext=(4, 0), textcoords="offset points",
                      va="center", fontsize=5.5, color="#444444")
    axes.set_yticks(range(len(rows)),
                    [words_of(analysis, names[row]) for row in rows])
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 1.3 * 100 * float(table["largest_gain"].max()))
    axes.set_xlabel(f"{analysis.time} saved by 10 % more of it (%)\n"
                    "bar: mean of the best points; line: least to most;\n"
                    "first at: best points that it saves most for")
    return figure


def sensitivity_figures(analysis, _):
    if analysis.improvements is not None and len(analysis.improvements) > 0:
        yield "sensitivity", partial(draw_sensitivity, analysis)


def draw_effects(analysis):
    """Total indices as bars, the part that a factor explains by itself filled."""
    table = analysis.effects
    known = np.flatnonzero(np.isfinite(table["total"]))
    rows = sorted(known, key=lambda row: (table["kind"][row] == 0, table["total"][row]))
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.9 + 0.2 * len(rows)),
                                layout="constrained")
    axes.grid(axis="x", linewidth=0.3, color="#dddddd")
    colours = {"axis": "#0072B2", "strategy": "#E69F00"}
    for place, row in enumerate(rows):
        colour = colours[table.name_at("kind", row)]
        axes.barh(place, table["total"][row], 0.7, facecolor="white", edgecolor=colour,
                  hatch="////", linewidth=0.6, zorder=2)
        axes.barh(place, table["first_order"][row], 0.7, color=colour, zorder=3)
    axes.set_yticks(range(len(rows)), [words_of(analysis, table.name_at("factor", row))
                                       for row in rows])
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 1.02 * max(1.0, float(np.nanmax(table["total"]))))
    axes.xaxis.set_major_formatter(matplotlib.ticker.PercentFormatter(1.0))
    better = column_words(analysis, analysis.better)
    axes.set_xlabel(broken(f"variance of log {better} explained", 2.2) + "\n(Sobol index)")
    handles = [Patch(facecolor=colours["axis"], label="axis, by itself"),
               Patch(facecolor="white", edgecolor="#555555", hatch="////",
                     label="with others")]
    if any(table.name_at("kind", row) == "strategy" for row in rows):
        handles.insert(1, Patch(facecolor=colours["strategy"], label="field of the strategy"))
    legend_above(figure, handles, 3)
    return figure


def effect_figures(analysis, _):
    if analysis.effects is not None and np.isfinite(analysis.effects["total"]).any():
        yield "effects", partial(draw_effects, analysis)
