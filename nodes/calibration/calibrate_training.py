#!/usr/bin/env python3
"""Fits the numbers of the frameworks of the catalog to measured training steps.

    nodes/calibration/calibrate_training.py --program build/bin/scalesweep
    nodes/calibration/calibrate_training.py --framework nanotron --apply

The search moves one constant at a time and makes the mean of |ln(predicted / measured)| least, each
row counting 1 at most. A fit is tried before it is believed: shapes of models are split in two
halves by their hash, and each half is predicted with what was fitted to the other one. With --apply
the constants that are found from all rows are written to the catalog where there are ten rows for
each of them and they are better by more than 0.3 percentage points; otherwise the catalog keeps its
values.
"""

import csv
import datetime
import math
import re
import statistics
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from calibration import Place, Program, argument_parser, case_path, coordinate_search
from calibration import read_value, write_value

CATALOG_FILE = "frameworks.toml"
LARGEST = "100 billion and more"
WORTHWHILE = 0.003  # of the mean distance and of the mean error
ROWS_FOR_CONSTANT = 10  # fewer are met by chance
SHAPE = ("model", "hidden", "layers", "heads", "kv_heads", "ffn", "vocab")
LAYOUT = ("tp", "pp", "dp", "micro_batch")
# Known by their data sheets: what is measured there is to tell how good that is.
DATA_SHEET_DEVICES = ("h200-sxm", "b300", "gb300")
MEMORIES = ("states", "allocated", "reserved")
H100_PEAK = 989.4e12  # FLOP/s, dense 16-bit, NVIDIA's data sheet
LOWEST_UTILIZATION = 0.05  # below it networks that failed set the time


@dataclass
class Constant:
    """`key` of the framework; the fits to halves begin at `start`, not at what was found before."""

    key: str
    unit: str
    start: float
    lowest: float = 1e-3
    highest: float = 1e9


@dataclass
class TrainingFit:
    title: str
    framework: str
    file: str
    constants: list
    mark: str = ""  # in `source` of the rows
    excluded: tuple = ()  # devices
    quantity: str = "step_time_s"
    by: tuple = LAYOUT
    remark: str = ""  # on what remains, of the measurements alone
    table: str = ""  # of the framework that has the constants; "" for itself
    stack: str = ""  # in `framework` of the rows
    shape: tuple = SHAPE  # rows that agree in these are in one half
    catalog_file: str = CATALOG_FILE
    by_entry: bool = False  # rows that the program takes for this entry, whatever they name
    without: tuple = ()  # of (column, cell): rows that are left out


def share(key, start=0.9):
    return Constant(key, "", start, highest=1.0)


def host(*keys):
    return [Constant(key, "us", start) for key, start in keys]


HOST_REMARK = """\
Residuals go with hidden size, tensor parallelism and micro-batch together, whatever pp, dp and the
number of layers are. Where the host sets the time it was not the same host: measured steps over
layers and micro-batches (pp 1, 8 micro-batches and more) are, at tp 4 and hidden size 2048, 3.0 to
3.2 ms for two sequences and 3.2 to 3.3 ms for one; at tp 8, either size, 4.1 to 4.2 ms for two and
4.9 to 5.2 ms for one. No term that grows with work gives both.
"""

FITS = [
    TrainingFit(
        "megatron-lm-2022: step time", "megatron-lm-2022", "training-a100-single-node.csv",
        host(("issue_interval", 50.0), ("backward_issue_interval", 50.0),
             ("collective_issue_interval", 20.0), ("rank_issue_interval", 5.0))
        + [share("kernel_share"), Constant("issue_blend", "", 4.0, lowest=1.0, highest=32.0),
           Constant("step_overhead", "ms", 2.0)],
        by=("gpus", *LAYOUT, "parameters", "hidden x tp x micro_batch"), remark=HOST_REMARK),
    TrainingFit(
        "nanotron: step time", "nanotron", "training-h100-measured.csv",
        host(("issue_interval", 50.0), ("backward_issue_interval", 50.0),
             ("collective_issue_interval", 50.0), ("crossing_issue_interval", 20.0))
        + [Constant("sharded_layer_issue", "ms", 1.0), Constant("gradient_bucket", "MB", 500.0),
           share("kernel_share"), share("attention_share", 0.8)],
        by=("gpus", *LAYOUT, "zero", "parameters", "utilization")),
    TrainingFit(
        "nanotron: reserved memory", "nanotron", "training-h100-measured.csv",
        [Constant("allocator_slack", "", 0.2)], quantity="memory_reserved_gb",
        by=(*LAYOUT, "zero", "parameters")),
    TrainingFit(
        "megatron-lm: step time", "megatron-lm", "training-b200-8gpu.csv",
        [share("kernel_share")]
        + host(("issue_interval", 50.0), ("collective_issue_interval", 20.0))
        + [Constant("step_overhead", "ms", 5.0),
           Constant("issue_blend", "", 4.0, lowest=1.0, highest=32.0)],
        by=("model", "tp", "pp", "ep")),
    TrainingFit(
        "megatron-bridge: step time", "megatron-bridge", "training-published.csv",
        [share("kernel_share"), *host(("issue_interval", 100.0))], mark="NVIDIA",
        excluded=DATA_SHEET_DEVICES, by=("device", "precision", "model")),
    TrainingFit(
        "fsdp: step time", "fsdp", "training-published.csv",
        [share("kernel_share"), share("attention_share")], mark="mosaicml/",
        by=("device", "precision", "model", "seq")),
]


def places(fit):
    name = f'"{fit.framework}"' if "@" in fit.framework else fit.framework
    section = ".".join(["framework", name] + ([fit.table] if fit.table else []))
    return [[Place(fit.catalog_file, section, c.key, c.unit)] for c in fit.constants]


def number(row, key):
    return float(row.get(key) or 0)


def layer_weights(row):
    """Of an inline shape: two square and two narrower matrices of attention, and the MLP."""
    hidden, heads = number(row, "hidden"), number(row, "heads")
    grouped = (number(row, "kv_heads") or heads) / heads
    matrices = 3.0 if row.get("gated_ffn") == "true" else 2.0
    return hidden * (2.0 * hidden * (1.0 + grouped) + matrices * number(row, "ffn"))


def size_of(row):
    """The range that the billions of parameters are in."""
    tables = 1.0 if row.get("tied_embeddings") == "true" else 2.0
    total = number(row, "layers") * layer_weights(row)
    total += tables * number(row, "vocab") * number(row, "hidden")
    for limit in (1, 3, 10, 30, 100):
        if total < limit * 1e9:
            return f"below {limit} billion"
    return LARGEST


def utilization_of(row):
    """Model FLOP (Narayanan et al., arXiv:2104.04473, section 5.1) over the peak of an H100."""
    sequence = number(row, "seq")
    layer = 2.0 * layer_weights(row) + 4.0 * sequence * number(row, "hidden")
    head = 2.0 * number(row, "vocab") * number(row, "hidden")
    tokens = number(row, "global_batch") * sequence
    flop = 3.0 * tokens * (number(row, "layers") * layer + head)
    used = flop / (number(row, "step_time_s") * number(row, "gpus") * H100_PEAK)
    return "below 5 % of peak" if used < LOWEST_UTILIZATION else "5 % of peak and more"


def group_of(row, column):
    if " x " in column:
        return " x ".join(group_of(row, part) for part in column.split(" x "))
    if column == "parameters":
        return size_of(row)
    if column == "utilization":
        return utilization_of(row)
    return row.get(column) or ("named by its shape" if column == "model" else "1")


def shape_of(row, columns=SHAPE):
    return "/".join(row.get(key) or "" for key in columns)


def halves(rows, columns=SHAPE):
    """For each row whether it is of the second half: shapes by turns, in the order of hashes."""
    of_rows = [shape_of(row, columns) for row in rows]
    shapes = sorted(set(of_rows), key=lambda s: (zlib.crc32(s.encode()), s))
    second = set(shapes[1::2])
    return [shape in second for shape in of_rows]


def distance(measured, predicted):
    """|ln(predicted / measured)|, 1 at most; 1 as well where nothing was predicted."""
    if not predicted or float(predicted) <= 0.0:
        return 1.0
    return min(1.0, abs(math.log(float(predicted) / float(measured))))


def mean_distance(rows, quantity, chosen):
    values = [
        distance(row[quantity], row[f"predicted_{quantity}"])
        for row, take in zip(rows, chosen) if take
    ]
    return statistics.fmean(values)


def errors(rows, quantity, chosen):
    """Of the rows that are chosen and that have both values: predicted over measured, less one."""
    return [
        float(row[f"predicted_{quantity}"]) / float(row[quantity]) - 1.0
        for row, take in zip(rows, chosen)
        if take and row.get(quantity) and row.get(f"predicted_{quantity}")
    ]


def summary(name, values):
    if not values:
        return f"| {name} | 0 | | | | |"
    sizes = sorted(abs(e) for e in values)
    p90 = sizes[max(0, math.ceil(0.9 * len(sizes)) - 1)]
    return (f"| {name} | {len(values)} | {statistics.median(sizes):.1%} |"
            f" {statistics.fmean(sizes):.1%} | {p90:.1%} | {statistics.fmean(values):+.1%} |")


def table(name, lines):
    head = [f"| {name} | rows | median | mean | 90 % below | bias |", "|---|---|---|---|---|---|"]
    return ["", *head, *lines]


def order(cell):
    """Numbers by their size, sizes by their limits, the rest by name."""
    try:
        return (0, float(cell), "")
    except ValueError:
        limit = re.fullmatch(r"below (\d+) billion", cell)
        if limit or cell == LARGEST:
            return (1, float(limit.group(1)) if limit else math.inf, cell)
        return (2, 0.0, cell)


def tables_by(fit, rows):
    lines = []
    for column in fit.by:
        groups = sorted({group_of(row, column) for row in rows}, key=order)
        if len(groups) < 2:
            continue
        lines += table(column, [
            summary(group, errors(rows, fit.quantity,
                                  [group_of(row, column) == group for row in rows]))
            for group in groups
        ])
    return lines


def memory_table(rows):
    everything = [True] * len(rows)
    lines = []
    for kind in MEMORIES:
        values = errors(rows, f"memory_{kind}_gb", everything)
        if values:
            lines.append(summary(kind, values))
    return table("memory", lines) if lines else []


def rows_of(fit, all_rows):
    """Steps that were measured; every row as the program knows it, its columns untouched."""
    return [
        row for row in all_rows
        if row.get(fit.quantity) and fit.mark in row.get("source", "")
        and fit.stack in row.get("framework", "") and row["device"] not in fit.excluded
        and all(row.get(column) != cell for column, cell in fit.without)
    ]


def rows_of_entry(fit, options, rows):
    """Those that the program takes for the entry of the fit: by version, image, date and device."""
    with tempfile.TemporaryDirectory() as folder:
        told = Program(options.program, options.catalog, rows, folder).shipped_rows()
    return [row for row, one in zip(rows, told) if one["estimated_framework"] == fit.framework]


def calibrate(fit, program, before, second):
    """Constants from the first half, from the second one, and from all rows."""
    limits = [(c.lowest, c.highest) for c in fit.constants]

    def search(chosen, start):
        def function(constants):
            predicted = program.predicted_rows(program_fit, constants)
            return mean_distance(predicted, fit.quantity, chosen)

        return coordinate_search(function, start, limits)

    program_fit = FitPlaces(places(fit))
    neutral = [c.start for c in fit.constants]
    first, _ = search([not s for s in second], neutral)
    other, _ = search(second, neutral)
    everything = [True] * len(second)
    found = [search(everything, start) for start in (before, first, other)]
    return first, other, min(found, key=lambda result: result[1])[0]


@dataclass
class FitPlaces:
    places: list


def describe(fit, count, second, columns):
    shapes = f"{count} rows of {fit.file}"
    if fit.by_entry:
        shapes += f" that ran on {fit.framework} by their version, image, date and device"
    elif fit.stack:
        shapes += f" that ran on {fit.stack}"
    if fit.mark:
        shapes += f" whose source names {fit.mark}"
    if fit.excluded:
        shapes += f", without {', '.join(fit.excluded)}"
    if fit.without:
        shapes += f", without {', '.join(' '.join(one) for one in fit.without)}"
    lines = [f"## {fit.title}", "", f"{shapes}; {count - sum(second)} and {sum(second)} in halves.",
             "", "| constant | catalog | first half | second half | all rows |",
             "|---|---|---|---|---|"]
    for constant, values in zip(fit.constants, zip(*columns)):
        cells = " | ".join(f"{value:.3g} {constant.unit}".strip() for value in values)
        lines.append(f"| {constant.key} | {cells} |")
    return lines


def halves_table(fit, second, first_rows, other_rows):
    first = [not s for s in second]
    held = errors(first_rows, fit.quantity, second) + errors(other_rows, fit.quantity, first)
    return table("constants of one half", [
        summary("first half, fitted", errors(first_rows, fit.quantity, first)),
        summary("second half, held out", errors(first_rows, fit.quantity, second)),
        summary("second half, fitted", errors(other_rows, fit.quantity, second)),
        summary("first half, held out", errors(other_rows, fit.quantity, first)),
        summary("all rows, each held out", held),
    ])


def gain_of(fit, before, after):
    """How much better, by the measure of the search and by the error that is reported."""
    everything = [True] * len(before)
    distances = [mean_distance(rows, fit.quantity, everything) for rows in (before, after)]
    sizes = [
        statistics.fmean(abs(e) for e in errors(rows, fit.quantity, everything))
        for rows in (before, after)
    ]
    return min(distances[0] - distances[1], sizes[0] - sizes[1])


def verdict(gain, enough, taken):
    points = f"{abs(100 * gain):.2f} percentage points {'better' if gain >= 0.0 else 'worse'}"
    few = "" if enough else f", fitted to fewer than {ROWS_FOR_CONSTANT} rows each"
    choice = "takes them" if taken else "keeps its values"
    return f"The constants from all rows are {points}{few}: the catalog {choice}."


def run_fit(options, fit, all_rows):
    rows = rows_of(fit, all_rows)
    if fit.by_entry:
        rows = rows_of_entry(fit, options, rows)
    second = halves(rows, fit.shape)
    at = FitPlaces(places(fit))
    before = [read_value(options.catalog, place[0]) for place in at.places]
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options.program, options.catalog, rows, folder)
        as_shipped = program.predicted_rows(at, before)
        first, other, found = calibrate(fit, program, before, second)
        first_rows = program.predicted_rows(at, first)
        other_rows = program.predicted_rows(at, other)
        from_all = program.predicted_rows(at, found)
    gain = gain_of(fit, as_shipped, from_all)
    enough = len(rows) >= ROWS_FOR_CONSTANT * len(fit.constants)
    taken = options.apply and enough and gain > WORTHWHILE
    if taken:
        for place, value in zip(at.places, found):
            write_value(options.catalog, place[0], value)
    report = describe(fit, len(rows), second, (before, first, other, found))
    report += halves_table(fit, second, first_rows, other_rows)
    everything = [True] * len(rows)
    report += table("all rows", [
        summary("constants of the catalog", errors(as_shipped, fit.quantity, everything)),
        summary("constants from all rows", errors(from_all, fit.quantity, everything)),
    ])
    kept = from_all if taken else as_shipped
    report += ["", verdict(gain, enough, taken) + " With what it holds now:"]
    report += tables_by(fit, kept) + memory_table(kept)
    report += ["", fit.remark.rstrip()] if fit.remark else []
    return "\n".join(report) + "\n"


def chosen_fits(options, fits):
    wanted = options.framework or [fit.framework for fit in fits]
    for fit in fits:
        if fit.framework not in wanted:
            continue
        path = case_path(options.cases, fit.file)
        if path.is_file():
            yield fit, path
        else:
            print(f"{path}: no measured cases there, {fit.title} skipped;"
                  " name their folder in SCALESWEEP_CASES", flush=True)


def write_report(path, parts, title, script, in_halves):
    names = {fit.framework: None for fit, _ in parts}
    head = (
        f"# {title}\n\nFitted {datetime.date.today().isoformat()} by"
        f" `nodes/calibration/{script}`: {', '.join(names)}.\nWhat is made least is the mean of"
        " the distance |ln(predicted / measured)|, 1 at most for a row, along one\nconstant at a"
        f" time. Halves hold whole {in_halves}, and their fits begin at round numbers.\nTables"
        " show |predicted / measured - 1|, the bias with its sign; memory in 10⁹ bytes.\n"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([head, *(text for _, text in parts)]), encoding="utf-8")


def run(description, title, script, fits, cases, in_halves="shapes of models"):
    """The program of a script with these fits; `in_halves` says what they never divide."""
    parser = argument_parser(description, cases)
    parser.add_argument("--framework", action="append", help="of the catalog (default: all)",
                        choices=sorted({fit.framework for fit in fits}))
    options = parser.parse_args()
    parts = []
    for fit, path in chosen_fits(options, fits):
        with Path(path).open(newline="", encoding="utf-8") as cases_file:
            parts.append((fit, run_fit(options, fit, list(csv.DictReader(cases_file)))))
        print(parts[-1][1], flush=True)
    if options.report and parts:
        write_report(options.report, parts, title, script, in_halves)


def main():
    run(__doc__.splitlines()[0], "Training", "calibrate_training.py", FITS, "the training cases")


if __name__ == "__main__":
    main()
