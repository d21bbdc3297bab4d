#!/usr/bin/env python3
"""Fits the constants of GEMM libraries of the catalog to measured kernels.

Entries of `library` in nodes/libraries.toml that name the same entry of `fit` are one library on a
generation of devices. Three constants are fitted to the rows of all its devices together: launches
of the kernels that quantise activations, the share of the rate of DRAM that these reach, and what
the inner loop sustains over what the device's own kernels do. Half of the rows, by a hash of their
names, choose them first and the other half says what that is worth; those that are written come
from all rows. Devices of which there is no row take the same ones. The search goes a few steps from
the constants that the catalog has.

    nodes/calibration/calibrate_libraries.py --program build/bin/scalesweep
    nodes/calibration/calibrate_libraries.py --apply --report nodes/calibration/libraries.md
"""

import datetime
import math
import sys
import tempfile
from dataclasses import dataclass, field

from calibration import (
    Place, Program, argument_parser, case_file, errors, held_out, line, loss, newton_step,
    read_rows, read_value, write_value)

CASES = "kernels-gemm-libraries.csv"
FILE = "libraries.toml"
DEVICES = "devices-nvidia.toml"
PRECISIONS = {"nvfp4": "fp4"}  # of cases, as the catalog names them
ITERATIONS = 6
STEP = 0.02  # of a logarithm
LEFT = """

## What is left

TensorRT-LLM's GEMM with scales of blocks on Hopper has no entry: its case rows have the name of its
other GEMMs. B300 and GB300 take the constants of B200 and GB200.
"""
NAMES = ("quantize_latency", "quantize_stream_share", "sustained, of the device's own")
LIMITS = ((0.1, 40.0), (0.05, 1.0), (0.3, 1.15))


@dataclass
class Search:
    """Where the search for the constants of a library is."""

    limits: tuple
    at: list = field(default_factory=list)  # logarithms
    now: list = field(default_factory=list)
    damping: float = 1e-2
    done: bool = False

    def bounded(self, logs):
        return [min(max(math.exp(x), low), high) for x, (low, high) in zip(logs, self.limits)]


@dataclass
class Library(Search):
    """One library on a generation of devices."""

    limits: tuple = LIMITS
    name: str = ""  # the entry of `fit`
    library: str = ""
    precision: str = ""
    entries: dict = field(default_factory=dict)  # device -> entry
    own: dict = field(default_factory=dict)  # device -> what its own kernels sustain

    def has(self, row):
        precision = PRECISIONS.get(row["precision"], row["precision"])
        return (row["library"] == self.library and row["device"] in self.entries
                and precision == self.precision)

    def write(self, catalog, logs):
        latency, stream, share = self.bounded(logs)
        fit = Place(FILE, f"fit.{self.name}.matmul", "quantize_stream_share")
        write_value(catalog, fit, stream)
        for device, entry in self.entries.items():
            table = f"library.{entry}"
            write_value(catalog, Place(FILE, f"{table}.tensor_sustained", self.precision),
                        min(1.0, share * self.own[device]))
            write_value(catalog, Place(FILE, f"{table}.matmul.quantize_latency", self.precision,
                                       "us"), latency)


def plain(value):
    return value["value"] if isinstance(value, dict) else value


def libraries_of(catalog):
    import tomllib  # here alone: `scalesweep calibrate` does without it
    data = tomllib.loads((catalog / FILE).read_text(encoding="utf-8"))
    found = {}
    for entry, table in data["library"].items():
        if "tensor_sustained" not in table:
            continue  # nothing of it is fitted
        device, name = plain(table["device"]), plain(table["fit"])
        [precision] = table["tensor_sustained"]
        own = read_value(catalog, Place(DEVICES, f"device.{device}.tensor_sustained", precision))
        known = found.setdefault(name, Library(
            name=name, library=plain(table["library"]), precision=precision))
        known.entries[device], known.own[device] = entry, own
        if not known.at:
            latency = read_value(catalog, Place(
                FILE, f"library.{entry}.matmul.quantize_latency", precision, "us"))
            stream = read_value(catalog, Place(FILE, f"fit.{name}.matmul", "quantize_stream_share"))
            sustained = read_value(
                catalog, Place(FILE, f"library.{entry}.tensor_sustained", precision))
            known.at = [math.log(v) for v in (latency, stream, sustained / own)]
    return list(found.values())


class Fitter:
    """All libraries at a time: one run of the program predicts the rows of all of them."""

    def __init__(self, program, libraries, rows, chosen, iterations=ITERATIONS):
        self.iterations = iterations
        self.program, self.libraries, self.chosen = program, libraries, chosen
        self.rows = {lib.name: [i for i, row in enumerate(rows) if lib.has(row)]
                     for lib in libraries}
        self.measured = [float(row["time_s"]) for row in rows]
        self.is_chosen = [chosen(row) for row in rows]

    def residuals(self, logs):
        for lib in self.libraries:
            lib.write(self.program.catalog, logs[lib.name])
        predicted = [float(row["predicted_time_s"]) for row in self.program.shipped_rows()]
        return {lib.name: [math.log(predicted[i] / self.measured[i])
                           for i in self.rows[lib.name] if self.is_chosen[i]]
                for lib in self.libraries}

    def search(self):
        for lib in self.libraries:
            lib.damping, lib.done = 1e-2, False
        self.keep(self.residuals({lib.name: lib.at for lib in self.libraries}))
        for _ in range(self.iterations):
            slopes = self.slopes()
            before = {lib.name: loss(lib.now) for lib in self.libraries}
            open_ = {lib.name for lib in self.libraries if not lib.done}
            for _ in range(3 if self.iterations > ITERATIONS else 2):
                open_ -= self.try_step(slopes, open_)
            for lib in self.libraries:
                lib.done = lib.done or before[lib.name] - loss(lib.now) < 1e-4 * before[lib.name]
            if all(lib.done for lib in self.libraries):
                break

    def keep(self, now):
        for lib in self.libraries:
            lib.now = now[lib.name]

    def slopes(self):
        found = {lib.name: [] for lib in self.libraries}
        for i in range(len(self.libraries[0].limits)):
            moved = {}
            for lib in self.libraries:
                moved[lib.name] = list(lib.at)
                at_limit = lib.bounded(lib.at)[i] >= lib.limits[i][1] * math.exp(-STEP)
                moved[lib.name][i] += -STEP if at_limit else STEP
            then = self.residuals(moved)
            for lib in self.libraries:
                by = moved[lib.name][i] - lib.at[i]
                found[lib.name].append([(b - a) / by for a, b in zip(lib.now, then[lib.name])])
        return found

    def try_step(self, slopes, names):
        """The libraries that were better a step on."""
        tried = {}
        for lib in self.libraries:
            tried[lib.name] = lib.at
            if lib.name in names:
                step = newton_step(lib.now, slopes[lib.name], lib.damping)
                tried[lib.name] = [math.log(v) for v in lib.bounded(
                    [x + s for x, s in zip(lib.at, step)])]
        then = self.residuals(tried)
        better = set()
        for lib in self.libraries:
            if lib.name in names and loss(then[lib.name]) < loss(lib.now):
                lib.at, lib.now = tried[lib.name], then[lib.name]
                lib.damping /= 4.0
                better.add(lib.name)
            elif lib.name in names:
                lib.damping *= 8.0
        return better


def predicted(program, rows):
    return [float(row["predicted_time_s"]) for row in program.shipped_rows()]


def table_of(libraries, rows, columns):
    """Lines of residuals of the half held out, and of all rows at the end."""
    lines = []
    for lib in libraries:
        own = [i for i, row in enumerate(rows) if lib.has(row)]
        for title, prediction, which in columns:
            chosen = [i for i in own if which is None or held_out(rows[i]) == which]
            part = errors([rows[i] for i in chosen], [prediction[i] for i in chosen])
            lines.append(line(f"{lib.name} | {title}", part))
    return lines


def residual_lines(libraries, rows, predictions):
    """A table of them by library, of the half held out and of all."""
    before, half, final = predictions
    lines = [
        "| library | rows | number | median | mean | 90 % below |", "|---|---|---|---|---|---|"]
    lines += table_of(libraries, rows, [
        ("held out, the device's own constants", before, True), ("fitted half", half, False),
        ("held out", half, True), ("all rows, as shipped", final, None)])
    for title, prediction in (("held out, the device's own constants", before), ("held out", half)):
        chosen = [i for i, row in enumerate(rows) if held_out(row)]
        part = errors([rows[i] for i in chosen], [prediction[i] for i in chosen])
        lines.append(line(f"all of them | {title}", part))
    return lines


def part_lines(rows, predictions, parts):
    """Of the half held out, by parts of the rows: their titles, and whether a row is of one."""
    before, half, _ = predictions
    lines = []
    for title, has in parts:
        chosen = [i for i, row in enumerate(rows) if held_out(row) and has(row)]
        for name, prediction in (("the device's own constants", before), ("held out", half)):
            part = errors([rows[i] for i in chosen], [prediction[i] for i in chosen])
            lines.append(line(f"{title} | {name}", part))
    return lines


def constant_lines(libraries, rows, from_half, names):
    lines = ["", "## Constants", "", "| library | constant | from one half | shipped | rows |",
             "|---|---|---|---|---|"]
    for lib in libraries:
        count = sum(1 for row in rows if lib.has(row))
        for name, part, all_ in zip(names, from_half[lib.name], lib.bounded(lib.at)):
            lines.append(f"| {lib.name} | {name} | {part:.3g} | {all_:.3g} | {count} |")
    return lines


def titles_of(constants):
    """Of constants with units, limits and where the search begins."""
    return [f"{name}, {unit}" if unit else name for name, unit, _, _ in constants]


def fit(description, cases, libraries_in, report_of, iterations=ITERATIONS, own="the device's own"):
    """The command of a script: both fits, a report of them, and what is asked for is written.

    `own` is a library that the catalog has no entry of: what there is without one.
    """
    options = argument_parser(description, cases).parse_args()
    rows = read_rows(case_file(options.cases, cases))
    libraries = libraries_in(options.catalog)
    rows = [row for row in rows if any(lib.has(row) for lib in libraries)]
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options.program, options.catalog, rows, folder)
        own_rows = [dict(row, library=own) for row in rows]
        with tempfile.TemporaryDirectory() as other:
            before = predicted(Program(options.program, options.catalog, own_rows, other), rows)
        Fitter(program, libraries, rows, lambda row: not held_out(row), iterations).search()
        for lib in libraries:
            lib.write(program.catalog, lib.at)
        half = predicted(program, rows)
        from_half = {lib.name: lib.bounded(lib.at) for lib in libraries}
        Fitter(program, libraries, rows, lambda row: True, iterations).search()
        for lib in libraries:
            lib.write(program.catalog, lib.at)
        final = predicted(program, rows)
    text = report_of(libraries, rows, from_half, (before, half, final))
    print(text)
    if options.report:
        options.report.write_text(text, encoding="utf-8")
    if options.apply:
        for lib in libraries:
            lib.write(options.catalog, lib.at)
    return 0


def main():
    return fit(__doc__.splitlines()[0], CASES, libraries_of, report)


def report(libraries, rows, from_half, predictions):
    today = datetime.date.today().isoformat()
    lines = [
        "# Libraries of GEMM: what was fitted, on which rows, with which residuals", "",
        f"Written by `nodes/calibration/calibrate_libraries.py` on {today}, from {len(rows)} rows",
        f"of {CASES}. The rows whose name has an even CRC-32 choose three constants of a",
        "library on a generation of devices; the others are held out. What ships is fitted to all.",
        "",
        *residual_lines(libraries, rows, predictions),
        *constant_lines(libraries, rows, from_half, NAMES)]
    return "\n".join(lines) + LEFT


if __name__ == "__main__":
    sys.exit(main())
