#!/usr/bin/env python3
"""Fits the constants of GEMMs to measured kernels, one set per device.

Runs `scalesweep validate` on the measured GEMMs with changed catalogs, so that what is fitted is
the model that ships and no copy of it. The fit is a Levenberg-Marquardt search over the logarithm
of predicted / measured, with deviations much above 5 % counted linearly, so that a kernel of a
library that chose badly does not bend the constants of all others.

For each device the constants are fitted on half of the rows and tried on the other half, which is
what the report states; the constants that ship are then fitted on all rows. Devices that were not
measured take their constants from the nearest one that was, by the rules in RELATIVES.

    nodes/calibration/calibrate_kernels.py --program build/bin/scalesweep
    nodes/calibration/calibrate_kernels.py --program build/bin/scalesweep --write

The measured cases are looked for in the folder that SCALESWEEP_CASES names, else in
../shared/validation beside the checkout. --write changes the catalog and its report
(nodes/calibration/kernels.md).
"""

import argparse
import csv
import datetime
import math
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import zlib

from calibration import LIBRARY_SOURCE, case_path, solve

CASES = "kernels-matmul.csv"
CATALOG_FILE = "devices-nvidia.toml"
NAMES = {"nvfp4": "fp4"}  # of precisions in the cases that the catalog names otherwise
LINEAR_ABOVE = 0.05  # of the logarithm: where deviations start to count linearly
NO_INPUT = 66


class Constant:
    """One value of the catalog: [device.NAME.table] key, its bounds and its unit."""

    def __init__(self, table, key, low, high, unit=""):
        self.table, self.key, self.low, self.high, self.unit = table, key, low, high, unit

    def section(self, device):
        return f"device.{device}" + (f".{self.table}" if self.table else "")

    def text(self, value):
        return f'"{value:.2f} {self.unit}"' if self.unit else f"{value:.3f}"

    def name(self):
        return f"{self.table}.{self.key}" if self.table else self.key


def constants_of(precisions):
    result = [
        Constant("", "kernel_latency", 0.5, 10.0, "us"),
        Constant("matmul", "split_latency", 0.0, 10.0, "us"),
        Constant("dram", "sustained", 0.5, 1.0),
    ]
    for precision in precisions:
        result.append(Constant("tensor_sustained", precision, 0.2, 1.0))
        result.append(Constant("matmul.long_gemm_clock", precision, 0.2, 1.0))
        if precision != "bf16":
            result.append(Constant("matmul.quantize_latency", precision, 0.0, 30.0, "us"))
    return result


# Not measured: the nearest device that was. Same cores at the same clock lose the same.
RELATIVES = {
    "a100-sxm-40gb": "a100-sxm-80gb",
    "h200-sxm": "h100-sxm",
    "b300-sxm": "b200-sxm",
    "gb300": "gb200",
}
# Precisions that no case measures: those whose kernels are alike.
ALIKE = {"fp16": "bf16", "tf32": "bf16", "int8": "fp8"}
# Of the template whose devices are derived: where its constants come from.
TEMPLATE = "template.tensor-core-gpu"
TEMPLATE_SOURCES = {"bf16": "a100-sxm-80gb", "fp8": "h100-sxm", "fp4": "b200-sxm"}


def read_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [r for r in rows if r["op"] == "matmul" and r["source"] == LIBRARY_SOURCE]


def in_first_half(row):
    return zlib.crc32(row["case"].encode()) % 2 == 0


def value_pattern(section, key):
    return re.compile(
        r"(^\[" + re.escape(section) + r"\]\n(?:(?!\[).*\n)*?" + re.escape(key)
        + r" = (?:\{ value = )?)(\"[^\"]*\"|[-+0-9.e]+)", re.MULTILINE)


def get_value(text, section, key):
    match = value_pattern(section, key).search(text)
    if not match:
        raise SystemExit(f"the catalog has no {key} in [{section}]")
    return match.group(2)


def set_value(text, section, key, value):
    get_value(text, section, key)
    return value_pattern(section, key).sub(lambda m: m.group(1) + value, text, count=1)


def set_note(text, section, key, note):
    pattern = re.compile(
        r"(^\[" + re.escape(section) + r"\]\n(?:(?!\[).*\n)*?" + re.escape(key)
        + r" = \{[^}\n]*note = )\"[^\"\n]*\"", re.MULTILINE)
    return pattern.sub(lambda m: m.group(1) + f'"{note}"', text, count=1)


def number(text):
    return float(text.strip('"').split()[0])


def peak(text, device, precision):
    value, unit = get_value(text, f"device.{device}.tensor_peak", precision).strip('"').split()
    return float(value) * {"TFLOP/s": 1.0, "PFLOP/s": 1e3}[unit]


class Model:
    """Predicts rows with a catalog in which some constants are changed."""

    def __init__(self, program, catalog, rows, file=CATALOG_FILE):
        self.program, self.rows, self.file = program, rows, file
        self.folder = tempfile.TemporaryDirectory()
        self.nodes = pathlib.Path(self.folder.name) / "nodes"
        shutil.copytree(catalog, self.nodes)
        self.text = (self.nodes / file).read_text(encoding="utf-8")
        self.cases = pathlib.Path(self.folder.name) / CASES
        with open(self.cases, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)

    def predict(self, device, constants, values):
        text = self.text
        for constant, value in zip(constants, values):
            text = set_value(text, constant.section(device), constant.key,
                             f'"{value!r} {constant.unit}"' if constant.unit else repr(value))
        (self.nodes / self.file).write_text(text, encoding="utf-8")
        out = self.cases.with_suffix(".predicted.csv")
        out.unlink(missing_ok=True)
        done = subprocess.run(
            [self.program, "validate", str(self.cases), "--json", "--catalog", str(self.nodes),
             "--predictions", str(out)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        with open(out, newline="", encoding="utf-8") as file:
            return [float(r["predicted_time_s"]) for r in csv.DictReader(file)]

    def deviations(self, device, constants, values):
        predicted = self.predict(device, constants, values)
        return [math.log(p / float(r["time_s"])) for p, r in zip(predicted, self.rows)]


def cost_of(deviations):
    return sum(math.sqrt(1.0 + (d / LINEAR_ABOVE) ** 2) - 1.0 for d in deviations)


def jacobian(deviations_of, values, constants, now):
    columns = []
    for i, constant in enumerate(constants):
        span = constant.high - constant.low
        step = 4e-3 * span * (-1.0 if values[i] > 0.5 * (constant.low + constant.high) else 1.0)
        moved = list(values)
        moved[i] += step
        columns.append([(d - n) / (step / span) for d, n in zip(deviations_of(moved), now)])
    return columns


def improve(values, constants, columns, now, damping):
    weights = [1.0 / math.sqrt(1.0 + (d / LINEAR_ABOVE) ** 2) for d in now]
    weighted = [[w * c for w, c in zip(weights, column)] for column in columns]
    matrix = [[sum(a * b for a, b in zip(wi, cj)) for cj in columns] for wi in weighted]
    for i, row in enumerate(matrix):
        row[i] += damping * (row[i] + 1e-3 * len(now) / len(constants))
    step = solve(matrix, [-sum(a * d for a, d in zip(wi, now)) for wi in weighted])
    return [min(max(v + s * (c.high - c.low), c.low), c.high)
            for v, s, c in zip(values, step, constants)]


def fit(model, device, constants, start, rounds=12):
    def deviations_of(values):
        return model.deviations(device, constants, values)

    values, now = list(start), deviations_of(start)
    damping = 0.03
    for _ in range(rounds):
        columns = jacobian(deviations_of, values, constants, now)
        before = cost_of(now)
        for _ in range(5):
            tried = improve(values, constants, columns, now, damping)
            then = deviations_of(tried)
            if cost_of(then) < before:
                values, now, damping = tried, then, damping / 4.0
                break
            damping *= 4.0
        if before - cost_of(now) < 1e-4 * before:
            break
    return values


def errors(deviations):
    relative = [math.expm1(d) for d in deviations]
    size = [abs(e) for e in relative]
    return (f"{len(size)} | {100 * statistics.median(size):.1f} % | "
            f"{100 * sum(size) / len(size):.1f} % | {100 * statistics.median(relative):+.1f} %")


def by_precision(rows, deviations):
    groups = {}
    for row, deviation in zip(rows, deviations):
        groups.setdefault(row["precision"], []).append(deviation)
    return groups


def calibrate(program, catalog, device, rows, rounds):
    """The fitted values, and lines of the report."""
    precisions = sorted({NAMES.get(r["precision"], r["precision"]) for r in rows})
    constants = constants_of(precisions)
    halves = [[r for r in rows if in_first_half(r) == first] for first in (True, False)]
    whole = Model(program, catalog, rows)
    start = [number(get_value(whole.text, c.section(device), c.key)) for c in constants]
    lines = []
    half = fit(Model(program, catalog, halves[0]), device, constants, start, rounds)
    for name, part in (("fitted half", halves[0]), ("other half", halves[1])):
        deviations = Model(program, catalog, part).deviations(device, constants, half)
        for precision, group in by_precision(part, deviations).items():
            lines.append(f"| {device} | {precision} | {name} | {errors(group)} |")
    values = fit(whole, device, constants, half, rounds)
    for precision, group in by_precision(rows, whole.deviations(device, constants, values)).items():
        lines.append(f"| {device} | {precision} | all rows | {errors(group)} |")
    return constants, values, lines


def write_constants(text, device, constants, values, counts):
    for constant, value in zip(constants, values):
        section = constant.section(device)
        text = set_value(text, section, constant.key, constant.text(value))
        if constant.table == "tensor_sustained":
            text = set_note(text, section, constant.key, f"{counts[constant.key]} rows")
    return copy_alike(text, device)


def copy_alike(text, device):
    for precision, like in ALIKE.items():
        section = f"device.{device}.tensor_sustained"
        if value_pattern(section, precision).search(text):
            known = like if value_pattern(section, like).search(text) else "bf16"
            text = set_value(text, section, precision, get_value(text, section, known))
    return text


def rate_with_equal_losses(share, faster):
    """What a unit with a peak `faster` times as high sustains of it: a GEMM loses as much time
    beside its multiply-adds (loading scales, waiting for operands) as on the slower unit."""
    return 1.0 / (1.0 + (1.0 / share - 1.0) * faster)


def copy_relative(text, device, measured, constants):
    for constant in constants:
        if not value_pattern(constant.section(device), constant.key).search(text):
            continue
        value = get_value(text, constant.section(measured), constant.key)
        if constant.table == "tensor_sustained":
            faster = peak(text, device, constant.key) / peak(text, measured, constant.key)
            value = f"{rate_with_equal_losses(number(value), faster):.3f}"
        text = set_value(text, constant.section(device), constant.key, value)
    return copy_alike(text, device)


def write_template(devices_text, text):
    for precision, device in TEMPLATE_SOURCES.items():
        for table in ("tensor_sustained", "matmul.long_gemm_clock"):
            value = get_value(devices_text, f"device.{device}.{table}", precision)
            text = set_value(text, f"{TEMPLATE}.{table}", precision, value)
    first = TEMPLATE_SOURCES["bf16"]
    for table, key in (("", "kernel_latency"), (".matmul", "split_latency")):
        value = get_value(devices_text, f"device.{first}{table}", key)
        text = set_value(text, TEMPLATE + table, key, value)
    for precision, like in ALIKE.items():
        for table in ("tensor_sustained", "matmul.long_gemm_clock"):
            section = f"{TEMPLATE}.{table}"
            if value_pattern(section, precision).search(text):
                text = set_value(text, section, precision, get_value(text, section, like))
    return text


REPORT_HEAD = """# GEMM: what was fitted, on which rows, with which residuals

Written by `nodes/calibration/calibrate_kernels.py` on {date}, from {count} rows of
{source} ({libraries}).
The fitted half are the rows whose name has an even CRC-32; the constants that ship are fitted on
all rows. Errors are of predicted / measured - 1: median and mean of their size, and the median
with its sign.

| device | precision | rows | number | median | mean | bias |
|---|---|---|---|---|---|---|
"""


def report(rows, lines, fitted, cross):
    libraries = ", ".join(sorted({r["library"] for r in rows}))
    text = REPORT_HEAD.format(date=datetime.date.today(), count=len(rows), source=LIBRARY_SOURCE,
                              libraries=libraries)
    text += "\n".join(lines) + "\n\n## Constants\n\n| device | constant | value |\n|---|---|---|\n"
    for device, (constants, values) in fitted.items():
        for constant, value in zip(constants, values):
            shown = constant.text(value).strip('"')
            text += f"| {device} | {constant.name()} | {shown} |\n"
    if cross:
        text += ("\n## Without its own rows\n\nEach device with the constants of its relative, by "
                 "the rule that devices without measurements take theirs.\n\n"
                 "| device | precision | constants of | number | median | mean | bias |\n"
                 "|---|---|---|---|---|---|---|\n" + "\n".join(cross) + "\n")
    return text


def cross_check(program, catalog, rows, fitted):
    """Devices of one architecture, each with the constants of the other."""
    lines = []
    for device, other in (("b200-sxm", "gb200"), ("gb200", "b200-sxm")):
        if device not in fitted or other not in fitted:
            continue
        part = [r for r in rows if r["device"] == device]
        model = Model(program, catalog, part)
        constants, values = fitted[other]
        values = [rate_with_equal_losses(v, peak(model.text, device, c.key)
                                         / peak(model.text, other, c.key))
                  if c.table == "tensor_sustained" else v for c, v in zip(constants, values)]
        deviations = model.deviations(device, constants, values)
        for precision, group in by_precision(part, deviations).items():
            lines.append(f"| {device} | {precision} | {other} | {errors(group)} |")
    return lines


def write_catalog(catalog, rows, fitted, text_of_report):
    path = catalog / CATALOG_FILE
    text = path.read_text(encoding="utf-8")
    for device, (constants, values) in fitted.items():
        counts = {c.key: sum(1 for r in rows if r["device"] == device
                             and NAMES.get(r["precision"], r["precision"]) == c.key)
                  for c in constants}
        text = write_constants(text, device, constants, values, counts)
    for device, measured in RELATIVES.items():
        if measured in fitted:
            text = copy_relative(text, device, measured, fitted[measured][0])
    path.write_text(text, encoding="utf-8")
    if set(TEMPLATE_SOURCES.values()) <= set(fitted):
        template = catalog / "templates.toml"
        template.write_text(write_template(text, template.read_text(encoding="utf-8")),
                            encoding="utf-8")
    (catalog / "calibration").mkdir(exist_ok=True)
    (catalog / "calibration" / "kernels.md").write_text(text_of_report, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--program", required=True, help="scalesweep, as built")
    parser.add_argument("--catalog", type=pathlib.Path, default=root / "nodes")
    parser.add_argument("--device", action="append", help="only this one (more than once: these)")
    parser.add_argument("--rounds", type=int, default=12, help="of the search, at most")
    parser.add_argument("--write", action="store_true", help="change the catalog and its report")
    arguments = parser.parse_args()
    path = case_path(None, CASES)
    if not path.exists():
        print(f"no measured cases at {path}; name their folder in SCALESWEEP_CASES",
              file=sys.stderr)
        return NO_INPUT
    rows = read_rows(path)
    fitted, lines = {}, []
    for device in arguments.device or sorted({r["device"] for r in rows}):
        own = [r for r in rows if r["device"] == device]
        if not own:
            parser.error(f"no case measures {device}")
        constants, values, found = calibrate(arguments.program, arguments.catalog, device, own,
                                             arguments.rounds)
        fitted[device] = (constants, values)
        lines += found
        print("\n".join(found), flush=True)
    cross = cross_check(arguments.program, arguments.catalog, rows, fitted)
    used = [r for r in rows if r["device"] in fitted]
    text = report(used, lines, fitted, cross)
    print(text)
    if arguments.write:
        write_catalog(arguments.catalog, used, fitted, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
