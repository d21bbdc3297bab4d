"""Fits constants of the catalog to measured cases, by the program itself.

A fit names constants (places in the TOML files of the catalog) and rows of a case file. The program
predicts the rows from a copy of the catalog; Gauss and Newton move the logarithms of the constants
until the logarithms of predicted over measured are small in the soft L1 norm. One half of the rows,
by a hash of their names, is held out first to tell what the fit is worth; the constants that are
written come from all rows.
"""

import argparse
import csv
import datetime
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path

SOFT = 0.05  # residuals above this count linearly, not squared
STEP = 0.02  # of a logarithm, for differences
ITERATIONS = 12
SEARCH_STEPS = (0.3, 0.1, 0.03, 0.01)  # of a constant, along one at a time
SEARCH_GAIN = 1e-4  # another round follows one that gained more
LIBRARY_SOURCE = "AIConfigurator operator database"  # of kernels, NVIDIA's


@dataclass
class Place:
    """One value of the catalog: `key` in the table `section` of `file`, in `unit`."""

    file: str
    section: str
    key: str
    unit: str = ""
    factor: float = 1.0  # of the constant that is fitted


@dataclass
class Fit:
    title: str
    places: list  # of lists: constants that move together
    devices: set
    operators: set
    sources: str = ""
    start: list = field(default_factory=list)

    def rows_of(self, rows):
        wanted = [row for row in rows if row["device"] in self.devices]
        return [row for row in wanted if row["op"] in self.operators]


def argument_parser(description, cases):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--program", default="build/bin/scalesweep", help="scalesweep")
    parser.add_argument("--catalog", default="nodes", type=Path, help="folder of the catalog")
    parser.add_argument("--cases", type=Path, help=f"folder of {cases}")
    parser.add_argument("--report", type=Path, help="write what was fitted to this file")
    parser.add_argument("--apply", action="store_true", help="write the constants to the catalog")
    return parser


def arguments(description, cases):
    return argument_parser(description, cases).parse_args()


def case_path(folder, name):
    """In the folder given, that of SCALESWEEP_CASES, or the one beside the checkout."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "validation"
    return Path(folder or os.environ.get("SCALESWEEP_CASES") or beside) / name


def case_file(folder, name):
    path = case_path(folder, name)
    if not path.is_file():
        sys.exit(f"{path}: no measured cases there; name their folder in SCALESWEEP_CASES")
    return path


def value_pattern(place):
    section = re.escape(place.section)
    key = re.escape(place.key)
    return re.compile(
        rf"(^\[{section}\]\n(?:(?!\[)[^\n]*\n)*?{key} = (?:\{{ value = )?)(\"[^\"]*\"|[0-9.e+-]+)",
        re.MULTILINE,
    )


def read_value(catalog, place):
    text = (catalog / place.file).read_text()
    match = value_pattern(place).search(text)
    if match is None:
        raise KeyError(f"{place.file}: no {place.key} in [{place.section}]")
    number, _, unit = match.group(2).strip('"').partition(" ")
    if place.unit and unit != place.unit:
        raise KeyError(f"{place.file}: {place.key} in [{place.section}] is not in '{place.unit}'")
    return float(number)


def write_value(catalog, place, value):
    path = catalog / place.file
    number = f"{value * place.factor:.3g}"
    literal = f'"{number} {place.unit}"' if place.unit else number
    text, count = value_pattern(place).subn(lambda m: m.group(1) + literal, path.read_text())
    if count != 1:
        raise KeyError(f"{place.file}: {count} times {place.key} in [{place.section}]")
    path.write_text(text)


class Program:
    """Predicts rows with the constants of a copy of the catalog."""

    def __init__(self, program, catalog, rows, folder):
        self.program = program
        self.catalog = Path(folder) / "nodes"
        shutil.copytree(catalog, self.catalog)
        self.cases = Path(folder) / "cases.csv"
        with self.cases.open("w", newline="") as out:
            writer = csv.DictWriter(out, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
        self.predictions = Path(folder) / "predictions.csv"

    def predict(self, fit, constants):
        return [float(row["predicted_time_s"]) for row in self.predicted_rows(fit, constants)]

    def predicted_rows(self, fit, constants):
        for places, value in zip(fit.places, constants):
            for place in places:
                write_value(self.catalog, place, value)
        return self.shipped_rows()

    def shipped_rows(self):
        """With the constants that the copy has now."""
        command = [self.program, "validate", str(self.cases), "--catalog", str(self.catalog)]
        command += ["--predictions", str(self.predictions), "--json"]
        self.predictions.unlink(missing_ok=True)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: {done.stderr}")
        with self.predictions.open(newline="") as rows:
            return list(csv.DictReader(rows))


def solve(matrix, right):
    """Gauss with pivots; the systems have a handful of unknowns."""
    n = len(right)
    rows = [list(matrix[i]) + [right[i]] for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda j: abs(rows[j][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for j in range(i + 1, n):
            ratio = rows[j][i] / rows[i][i]
            for k in range(i, n + 1):
                rows[j][k] -= ratio * rows[i][k]
    solution = [0.0] * n
    for i in reversed(range(n)):
        rest = sum(rows[i][k] * solution[k] for k in range(i + 1, n))
        solution[i] = (rows[i][n] - rest) / rows[i][i]
    return solution


def loss(residuals):
    return sum(math.sqrt(1.0 + (r / SOFT) ** 2) - 1.0 for r in residuals)


def newton_step(residuals, slopes, damping):
    """Of the logarithms of the constants, by weighted least squares (Levenberg, Marquardt)."""
    weights = [1.0 / math.sqrt(1.0 + (r / SOFT) ** 2) for r in residuals]
    n = len(slopes)
    matrix = [[0.0] * n for _ in range(n)]
    right = [0.0] * n
    for i in range(n):
        for j in range(i, n):
            total = sum(w * a * b for w, a, b in zip(weights, slopes[i], slopes[j]))
            matrix[i][j] = matrix[j][i] = total
        matrix[i][i] += damping * matrix[i][i] + 1e-6
        right[i] = -sum(w * a * r for w, a, r in zip(weights, slopes[i], residuals))
    return [max(-0.5, min(0.5, s)) for s in solve(matrix, right)]


def minimise(function, start):
    logs = [math.log(value) for value in start]
    evaluate = lambda at: function([math.exp(x) for x in at])
    residuals = evaluate(logs)
    damping = 1e-2
    for _ in range(ITERATIONS):
        slopes = []
        for i in range(len(logs)):
            moved = list(logs)
            moved[i] += STEP
            slopes.append([(b - a) / STEP for a, b in zip(residuals, evaluate(moved))])
        before = loss(residuals)
        for _ in range(5):
            step = newton_step(residuals, slopes, damping)
            candidate = [x + s for x, s in zip(logs, step)]
            found = evaluate(candidate)
            if loss(found) < before:
                logs, residuals, damping = candidate, found, damping / 4.0
                break
            damping *= 8.0
        if before - loss(residuals) < 1e-4 * before:
            break
    return [math.exp(x) for x in logs]


def coordinate_search(function, start, limits):
    """The least of `function` by turns along each constant: for what has kinks and plateaus.

    `limits` are the lowest and highest value of each constant.
    """
    at = list(start)
    best = function(at)
    for step in SEARCH_STEPS:
        before = math.inf
        while before - best > SEARCH_GAIN:
            before = best
            for i, (lowest, highest) in enumerate(limits):
                for factor in (1.0 + step, 1.0 / (1.0 + step)):
                    while True:
                        moved = list(at)
                        moved[i] = min(highest, max(lowest, at[i] * factor))
                        found = best if moved == at else function(moved)
                        if found >= best:
                            break
                        at, best = moved, found
    return at, best


def held_out(row):
    return zlib.crc32(row["case"].encode()) % 2 == 1


def errors(rows, predicted):
    return [abs(p / float(row["time_s"]) - 1.0) for row, p in zip(rows, predicted)]


def line(name, values):
    if not values:
        return f"| {name} | 0 | | | |"
    ordered = sorted(values)
    p90 = ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))]
    median = statistics.median(values)
    mean = statistics.fmean(values)
    return f"| {name} | {len(values)} | {median:.1%} | {mean:.1%} | {p90:.1%} |"


def run_fit(options, fit, all_rows, rows_apart):
    rows = fit.rows_of(all_rows)
    apart = fit.rows_of(rows_apart)
    start = [read_value(options.catalog, places[0]) / places[0].factor for places in fit.places]
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options.program, options.catalog, rows, folder)

        def residuals(chosen):
            def of(constants):
                predicted = program.predict(fit, constants)
                return [
                    math.log(p / float(row["time_s"]))
                    for row, p in zip(rows, predicted)
                    if chosen(row)
                ]

            return of

        half = minimise(residuals(lambda row: not held_out(row)), start)
        from_half = errors(rows, program.predict(fit, half))
        constants = minimise(residuals(lambda row: True), half)
        from_all = errors(rows, program.predict(fit, constants))
    from_apart = []
    if apart:
        with tempfile.TemporaryDirectory() as folder:
            program = Program(options.program, options.catalog, apart, folder)
            from_apart = errors(apart, program.predict(fit, constants))
    report = [f"## {fit.title}", "", f"{len(rows)} rows: {', '.join(sorted(fit.devices))}.", ""]
    report += ["| constant | before | from one half | from all rows |", "|---|---|---|---|"]
    for places, old, part, new in zip(fit.places, start, half, constants):
        name, unit = places[0].key, places[0].unit
        report.append(f"| {name} | {old:.3g} {unit} | {part:.3g} {unit} | {new:.3g} {unit} |")
    report += ["", "| residual | rows | median | mean | 90 % below |", "|---|---|---|---|---|"]
    out = [held_out(row) for row in rows]
    report.append(line("fitted half", [e for e, o in zip(from_half, out) if not o]))
    report.append(line("half held out", [e for e, o in zip(from_half, out) if o]))
    for op in sorted({row["op"] for row in rows}):
        chosen = [e for e, row in zip(from_all, rows) if row["op"] == op]
        report.append(line(f"all rows, {op}", chosen))
    report.append(line("all rows", from_all))
    if apart:
        report.append(line("rows never fitted", from_apart))
    if options.apply:
        for places, value in zip(fit.places, constants):
            for place in places:
                write_value(options.catalog, place, value)
    return "\n".join(report) + "\n"


def read_rows(path, columns=None):
    """Of a case file, with all its columns or those given."""
    with path.open(newline="") as cases:
        rows = list(csv.DictReader(cases))
    return [{key: row.get(key, "") for key in columns or row} for row in rows]


def run(options, title, name, fits, keep=lambda row: True, more=(), apart=lambda row: False):
    """`more`: names of further case files, of which the columns of the first are taken. `apart`:
    rows that are not kept and are predicted with the constants found."""
    rows = read_rows(case_file(options.cases, name))
    for other in more:
        rows += read_rows(case_file(options.cases, other), rows[0].keys())
    rows_apart = [row for row in rows if apart(row)]
    rows = [row for row in rows if keep(row)]
    today = datetime.date.today().isoformat()
    files = " and ".join([name, *more])
    parts = [f"# {title}\n\nFitted {today} to {files} ({len(rows)} rows used).\n"]
    for fit in fits:
        parts.append(run_fit(options, fit, rows, rows_apart))
        print(parts[-1], flush=True)
    if options.report:
        options.report.parent.mkdir(parents=True, exist_ok=True)
        options.report.write_text("\n".join(parts))
