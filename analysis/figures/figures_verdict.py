"""The answer to each question beside what comes next, and how much moves along each axis."""

from functools import partial

from figures_base import *

STANDING_COLOURS = {"best": "#000000", "tie": "#0072B2", "within_error_bars": "#56B4E9",
                    "beyond_doubt": "#999999", "unknown": "#56B4E9", "not_measured": "#56B4E9"}
STANDING_WORDS = {"best": "best", "tie": "a tie: within 1 %",
                  "within_error_bars": "within the error bars", "beyond_doubt": "beyond doubt",
                  "unknown": "next", "not_measured": "worse, but not measured"}
MOST_QUESTIONS = 6  # in one figure


def names_between(table, first, last):
    """Columns behind one and before another, in their order."""
    order = table.order
    return order[order.index(first) + 1:order.index(last)]


def asked_and_chosen(analysis):
    """Columns that tell questions apart, and those of what is chosen."""
    if analysis.runners_up is None:
        return [], names_between(analysis.verdicts, "question", "point_id")
    return (names_between(analysis.runners_up, "question", "rank"),
            names_between(analysis.runners_up, "rank", "point_id"))


def values_text(analysis, table, row, names):
    texts = []
    for name in names:
        index = int(table[name][row])
        if name in analysis.axis_labels and 0 <= index < len(analysis.axis_labels[name]):
            texts.append(value_text(analysis, name, index))
        else:
            texts.append(f"{words_of(analysis, name)} {table.name_at(name, row)}"
                         if name in table.labels else f"{words_of(analysis, name)} {index}")
    short = 24  # letters that had better stay in a line
    return ", ".join(text.replace(" ", "\u00a0") if len(text) <= short else text
                     for text in texts)


def contenders(analysis, row):
    """(text, value, relative error bar, gap, standing) of the best layout of a question's best
    choice, or of what is proposed as better known, and of the next choices."""
    verdicts, runners = analysis.verdicts, analysis.runners_up
    _, chosen = asked_and_chosen(analysis)
    value = "value" if verdicts["better_known"][row] else "best_value"
    found = [(values_text(analysis, verdicts, row, chosen), float(verdicts[value][row]),
              float(verdicts["error_bar"][row]), 0.0, "best")]
    if runners is not None:
        for other in np.flatnonzero(runners["question"] == verdicts["question"][row]):
            found.append((values_text(analysis, runners, other, chosen),
                          float(runners["value"][other]), float(runners["error_bar"][other]),
                          float(runners["gap"][other]), runners.name_at("standing", other)))
    return found


def choice_text(text, inches):
    """A choice in lines that leave the bars room."""
    return broken(text, 0.42 * inches)


def draw_question(axes, analysis, row, inches):
    """One question: a line for each choice, the best above; returns the standings there are."""
    found = contenders(analysis, row)
    axes.grid(axis="x", linewidth=0.3, color="#dddddd")
    reaches = [value * bar if np.isfinite(bar) else 0.0 for _, value, bar, *_ in found]
    for place, ((_, value, _, gap, standing), reach) in enumerate(zip(found, reaches)):
        colour = STANDING_COLOURS[standing]
        axes.errorbar(value, place, xerr=reach, fmt="o", markersize=4, color=colour, capsize=2.5,
                      linewidth=1.0, capthick=1.0, zorder=3)
        if place > 0:
            way = "more" if value > found[0][1] else "less"
            axes.annotate(f"{100 * abs(gap):.2g} % {way}" if abs(gap) >= 0.0005 else "the same",
                          (value + reach, place), xytext=(4, 0), textcoords="offset points",
                          va="center", fontsize=6, color="#444444")
    axes.set_yticks(range(len(found)), [choice_text(text, inches) for text, *_ in found])
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(5))
    low = min(value - reach for (_, value, *_), reach in zip(found, reaches))
    high = max(value + reach for (_, value, *_), reach in zip(found, reaches))
    span = (high - low) or abs(high) or 1.0
    axes.set_xlim(low - 0.05 * span, high + 0.3 * span)  # room for what stands behind the bars
    asked, _ = asked_and_chosen(analysis)
    verdicts = analysis.verdicts
    title = values_text(analysis, verdicts, row, asked)
    limit = words_of(analysis, verdicts.name_at("dominant_group", row))
    axes.set_title(broken((title + ": " if title else "") + limit + "-bound", 0.55 * inches),
                   loc="left", pad=3)
    return {standing for *_, standing in found}


def draw_verdict(analysis, rows):
    width = 0.65 * TEXT_WIDTH
    found = [contenders(analysis, row) for row in rows]
    counts = [len(choices) for choices in found]
    lines = max(choice_text(text, width).count("\n") + 1
                for choices in found for text, *_ in choices)
    line = 0.13 + 0.12 * lines  # inches for a choice
    figure, grid = plt.subplots(len(rows), 1, squeeze=False, layout="constrained",
                                height_ratios=[count + 1 for count in counts],
                                figsize=(width, 0.65 + sum(line * count + 0.3
                                                           for count in counts)))
    seen = set()
    for axes, row in zip(grid.flat, rows):
        seen |= draw_question(axes, analysis, row, width)
    verdicts = analysis.verdicts
    unit = verdicts.units["value"]
    figure.supxlabel(broken(verdicts.long_names["value"] +
                            (f" ({unit})" if unit not in ("", "1") else ""), width), fontsize=7)
    handles = [Line2D([], [], marker="o", markersize=4, linewidth=1.0, color=colour,
                      label=STANDING_WORDS[standing])
               for standing, colour in STANDING_COLOURS.items() if standing in seen]
    legend_above(figure, handles, 5)
    return figure


def verdict_figures(analysis, notes):
    verdicts = analysis.verdicts
    rows = [] if verdicts is None else \
        [row for row in range(len(verdicts)) if np.isfinite(verdicts["value"][row])]
    if not rows:
        notes.append("verdict: nothing to draw")
        return
    pages = [rows[i:i + MOST_QUESTIONS] for i in range(0, len(rows), MOST_QUESTIONS)]
    for number, page in enumerate(limited(pages, "verdict", notes)):
        suffix = f"-{number + 1}" if len(pages) > 1 else ""
        yield "verdict" + suffix, partial(draw_verdict, analysis, page)


def draw_moves(analysis):
    """Two bars an axis: along how many combinations the bottleneck moves, and how many of the
    other choices change."""
    table = analysis.moves
    kinds = (("bottleneck moves", "moved", "combinations", "#0072B2"),
             ("best choice changes", "changed", "choices", "#E69F00"))
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.75 + 0.36 * len(table)),
                                layout="constrained")
    axes.grid(axis="x", linewidth=0.3, color="#dddddd")
    for row in range(len(table)):
        for offset, (_, part, whole, colour) in zip((-0.19, 0.19), kinds):
            some, all_of_them = int(table[part][row]), int(table[whole][row])
            share = some / all_of_them if all_of_them else 0.0
            axes.barh(row + offset, share, 0.34, color=colour, zorder=2)
            axes.annotate(f"{some} of {all_of_them}", (share, row + offset), xytext=(3, 0),
                          textcoords="offset points", va="center", fontsize=5.5, color="#444444")
    axes.set_yticks(range(len(table)), [broken(words_of(analysis, table.name_at("axis", row)), 1.1)
                                        for row in range(len(table))])
    axes.set_ylim(len(table) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 1.15)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1.0])
    axes.xaxis.set_major_formatter(matplotlib.ticker.PercentFormatter(1.0))
    axes.set_xlabel("bottleneck: share of the combinations of other axes;\n"
                    "best choice: share of the other axes")
    legend_above(figure, [Patch(facecolor=colour, label=label) for label, _, _, colour in kinds], 2)
    return figure


def move_figures(analysis, notes):
    if analysis.moves is None or len(analysis.moves) == 0:
        notes.append("moves: nothing to draw")
    else:
        yield "moves", partial(draw_moves, analysis)
