"""What all figures share: the tables of an analysis file, colours, words, legends."""

import itertools
import re
import sys
import textwrap

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
    "host": "#6b5b4b", "storage": "#332288",
}
RESOURCE_HATCHES = {"vector_compute": "////", "l2": "////", "scale_out": "////"}
OTHER_COLOUR = "#000000"
STYLE = {
    "font.family": "DejaVu Sans", "font.size": 7, "axes.labelsize": 7, "axes.titlesize": 7,
    "xtick.labelsize": 6.5, "ytick.labelsize": 6.5, "legend.fontsize": 6.5,
    "axes.linewidth": 0.6, "xtick.major.width": 0.6, "ytick.major.width": 0.6,
    "xtick.major.size": 2.5, "ytick.major.size": 2.5, "hatch.linewidth": 0.35,
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "savefig.dpi": 300, "text.parse_math": False, "svg.hashsalt": "scalesweep",
    "svg.fonttype": "path", "pdf.fonttype": 42,
}


class Table:
    """A table of the analysis file: columns by name, labels of enums by column."""

    def __init__(self, group):
        self.columns, self.labels, self.units, self.long_names = {}, {}, {}, {}
        self.order = [text_of(name) for name in group.attrs.get("columns", [])]
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
            self.workloads = words("workloads")
            self.objectives = words("objectives")
            self.time = text_of(file.attrs.get("time", "step time"))
            self.better = text_of(file.attrs.get("better", "step_time"))
            self.resources = words("resources")
            self.group_of = dict(pair.split("=") for pair in words("groups"))
            self.best = Table(file["best"])
            self.frontier = Table(file["frontier"])
            self.frontier_groups = Table(file["frontier_groups"])
            self.cloud = Table(file["cloud"])
            self.maximized = words("maximized")
            self.along_axes = words("along_axes") or [self.along]
            self.phase_axes = words("phase_axes")
            table = lambda name: Table(file[name]) if name in file else None
            self.phases = table("phases")
            self.improvements = table("improvements")
            self.sensitivity = table("sensitivity")
            self.effects = table("effects")
            self.verdicts = table("verdicts")
            self.runners_up = table("runners_up")
            self.moves = table("moves")
            self.interactions = table("interactions")
            self.axis_labels = {
                name: text_of(dataset[()]).split("\n") for name, dataset in file["labels"].items()}
            self.axis_units = {
                name: text_of(group.attrs.get("units", "")) for name, group in file["axes"].items()}
            lines = text_of(file["words"][()]).split("\n") if "words" in file else []
            self.words = dict(line.split("=", 1) for line in lines if line)
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


def text_colour_on(colour, strength=1.0):
    """Black or white, whichever has the greater contrast to a colour over white (WCAG 2)."""
    shown = 1.0 - strength * (1.0 - np.array(matplotlib.colors.to_rgb(colour)))
    linear = np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
    luminance = np.dot([0.2126, 0.7152, 0.0722], linear)
    return "white" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "black"


LETTERS_PER_INCH = 16  # of words at 7 points


def broken(text, inches):
    """A text in lines that fit the room there is for them."""
    return textwrap.fill(text, max(8, int(LETTERS_PER_INCH * inches)))


def words_of(analysis, name):
    """What people read in place of a name."""
    return analysis.words.get(name, name.replace("_", " "))


def column_words(analysis, name):
    """The long name of a column of the study, or what the name of an axis is read as."""
    return words_of(analysis, analysis.frontier.long_names.get(name, name))


def axis_words(analysis, name):
    """An axis as a reader would call it, with its unit."""
    unit = analysis.axis_units.get(name, "")
    return words_of(analysis, name) + (f" ({unit})" if unit not in ("", "1") else "")


def combinations(analysis, axes):
    """Every choice of one value per axis, in order, as a dictionary."""
    return [dict(zip(axes, indices))
            for indices in itertools.product(*(analysis.values(axis) for axis in axes))]


def value_text(analysis, axis, index):
    """A value of an axis as a title: "8" says little without the axis, and so does the name of a
    device after which only something of the system is called (memory_of)."""
    label = analysis.axis_labels[axis][index].replace(" ", "\u00a0")  # "500 ms" stays in a line
    needs_axis = label[:1].isdigit() or axis.endswith("_of")
    return f"{words_of(analysis, axis)} {label}" if needs_axis else label


def label_text(analysis, chosen):
    return ", ".join(value_text(analysis, axis, index) for axis, index in chosen.items())


def along_title(analysis, axis, fixed, inches):
    """What is below the horizontal axis: its name, and the values that a whole figure is for."""
    return titled(axis_words(analysis, axis), analysis, fixed, inches)


def titled(title, analysis, fixed, inches):
    lines = [broken(title, inches)]
    return "\n".join(lines + ([broken(label_text(analysis, fixed), inches)] if fixed else []))


def set_tick_names(axes, places, names, inches):
    """Level where there is room for them, aslant where they are few, upright else."""
    longest = max(map(len, names), default=0)
    if sum(len(name) + 1 for name in names) <= 10.5 * inches:
        axes.set_xticks(places, names)
    elif longest > 4 and 0.16 * len(names) < inches / 2:
        axes.set_xticks(places, names, rotation=35, ha="right", rotation_mode="anchor")
    else:
        axes.set_xticks(places, names, rotation=90)


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
