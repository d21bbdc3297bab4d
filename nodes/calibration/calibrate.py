#!/usr/bin/env python3
"""Fits the entries of a device, of its links and of frameworks that ran on it to measured cases.

    scalesweep calibrate --device h100-sxm kernels.csv steps.csv -o calibrated.toml

This is what that command starts. It works on a copy of the catalog and fits by the functions of the
scripts beside it, which made the constants that ship: GEMMs, then attention, collectives, steps
and latencies, then the error bars of what is left. A half of the rows, by a hash of their names, is
held out first. A constant that the rows do not tell keeps its value, and the report says why.
"""

import argparse
import csv
import datetime
import math
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import calibrate_attention
import calibrate_collectives
import calibrate_inference
import calibrate_kernels
import calibrate_training
import entries
import measure_uncertainty
import own_libraries
from calibration import Fit, Place, Program, read_value, write_value
from fit_shared import calibrate_shared
from identify import Constant, Group, few_rows, fit_group, median_size, residual_line, untold

BAD_INPUT = 65
ROWS_OF_PRECISION = 5
ATTENTION = set.union(*calibrate_attention.OPERATORS.values())
HOST_TIMED = "host-timed"  # in names of rows: launch and synchronisation are part of the time


def refuse(message):
    print(message, file=sys.stderr)
    sys.exit(BAD_INPUT)


def tell(message):
    print(message, file=sys.stderr, flush=True)


# Kernels and collectives.

class Work:
    """The copy of the catalog, and what is calibrated in it."""

    def __init__(self, options, folder):
        self.program = options.program
        self.folder = Path(folder)
        self.catalog = self.folder / "nodes"
        shutil.copytree(options.catalog, self.catalog)
        for i, place in enumerate(options.add):
            for path in [place] if place.is_file() else sorted(place.glob("*.toml")):
                shutil.copy(path, self.catalog / f"added-{i}-{path.name}")
        self.device, self.like = options.device, options.like
        self.groups = []
        self.remarks = []
        self.parents = {}  # (kind, name) -> the entry that it is like
        if self.like:
            entries.copy_entry(self.catalog, "device", self.like, self.device)
            self.parents["device", self.device] = self.like
        self.file = entries.file_of(self.catalog, "device", self.device)
        if self.file is None:
            refuse(f"{options.catalog}: no [device.{self.device}] in its files")
        names = entries.list_of(self.file, "device", self.device, "aliases")
        self.names = {self.device, *names}
        self.parent_names = {self.like, *entries.list_of(self.file, "device", self.like, "aliases")}
        self.also = []  # entries that are written though nothing of theirs is calibrated
        self.made = set()  # entries that are neither the catalog's nor copies of such: kind, name

    def complete(self, path, kind, name, places):
        """The values of places as they are, after they were written out where inherited."""
        known = entries.resolved(self.program, self.catalog, name)
        if kind == "library":  # what it leaves out is the device's own
            known = {**entries.resolved(self.program, self.catalog, self.device), **known}
        usual = None
        for place in places:
            if not place.section.startswith(entries.section_of(kind, name)):
                continue  # of another entry, where it stands already
            key = f"{place.section}.{place.key}".removeprefix(f"{entries.section_of(kind, name)}.")
            value = known.get(key)
            if value is None and kind in ("device", "library"):
                # What is left out is Hopper's, as the head of its file says.
                usual = usual or entries.resolved(self.program, self.catalog, "h100-sxm")
                value = usual.get(key)
            entries.complete(path, place, value if value is not None else f"0 {place.unit}".strip())
        return [max(read_value(self.catalog, place), 1e-6) for place in places]

    def library_devices(self):
        """Whose libraries it has: with --like the parent's."""
        return self.parent_names if self.like else self.names

    def apply(self, group):
        for constant in group.constants:
            if constant.after is not None:
                write_value(self.catalog, constant.place, constant.after)

    def note_of(self, group):
        return (f"{group.rows} rows, residual {100 * group.median:.1f} % (median)"
                if group.median is not None else f"{group.rows} rows")


def calibrate_gemm(work, rows):
    kinds = {}
    for row in rows:
        precision = calibrate_kernels.NAMES.get(row["precision"], row["precision"]) or "bf16"
        kinds.setdefault(precision, []).append(row)
    told = sorted(p for p, own in kinds.items() if len(own) >= ROWS_OF_PRECISION)
    for precision in sorted(set(kinds) - set(told)):
        work.remarks.append(f"GEMM in {precision}: {len(kinds[precision])} rows, "
                            f"{ROWS_OF_PRECISION} are needed")
    rows = [row for precision in told for row in kinds[precision]]
    if not rows:
        return
    constants = calibrate_kernels.constants_of(told)
    if "bf16" not in told:
        constants = [c for c in constants
                     if (c.table, c.key) != ("matmul.quantize_latency", "fp16")]
    if all(row.get("operands") == "ready" or row.get("library") for row in rows):
        constants = [c for c in constants if c.table != "matmul.quantize_latency"
                     or any(not is_ready(row) for row in kinds[c.key])]
    places = [Place(work.file.name, c.section(work.device), c.key, c.unit) for c in constants]
    values = work.complete(work.file, "device", work.device, places)
    group = Group("GEMM", ("device", work.device),
                  [Constant(p, v) for p, v in zip(places, values)], len(rows))
    work.groups.append(group)
    if few_rows(group, rows):
        return
    whole = calibrate_kernels.Model(work.program, work.catalog, rows, work.file.name)

    def search(free, start, chosen):
        part = [row for row in rows if chosen(row)]
        model = calibrate_kernels.Model(work.program, work.catalog, part, work.file.name)
        found = calibrate_kernels.fit(model, work.device, [constants[i] for i in free],
                                      [start[i] for i in free])
        values = [c.before for c in group.constants]
        for i, value in zip(free, found):
            values[i] = value
        return values

    fit_group(group, rows, lambda row: not calibrate_kernels.in_first_half(row),
              lambda values: whole.deviations(work.device, constants, values), search)


def is_ready(row):
    """As validation reads the column `operands` of vendors' libraries."""
    return row.get("operands") == "ready" or row.get("operands") != "quantised" and bool(
        re.search("cublas|hipblas|rocblas|cutlass|onednn|deepgemm", row.get("library", ""), re.I))


def calibrate_attention_of(work, rows):
    shared = float(entries.resolved(work.program, work.catalog, work.device).get(
        "attention.shared_heads", "32")) > 1
    decode = calibrate_attention.DECODE + (calibrate_attention.SHARED if shared else [])
    for kind, keys in (("prefill", calibrate_attention.PREFILL), ("decode", decode)):
        operators = calibrate_attention.OPERATORS[kind]
        own = [row for row in rows if row["op"] in operators]
        if own:
            fit = calibrate_attention.group(work.catalog, kind, keys, operators, [work.device], {},
                                            work.file.name)
            calibrate_shared(work, f"attention, {kind}", ("device", work.device), work.file, fit,
                             own)


def calibrate_experts_of(work, rows):
    """Of the stacks that rows name, else of the library: the device has no constants of them."""
    plain = [row for row in rows if not row.get("framework")]
    named = [row for row in plain if row.get("library")]
    if len(named) < len(plain):
        work.remarks.append(f"{len(plain) - len(named)} rows of experts name neither framework nor "
                            "library: such kernels have the constants of GEMMs, and are left out")
    own_libraries.calibrate_experts_of_libraries(work, named)
    for framework in sorted({row["framework"] for row in rows if row.get("framework")}):
        name, path = own_framework(work, framework)
        own = [dict(row, framework=name) for row in rows if row.get("framework") == framework]
        fit = calibrate_training.TrainingFit(name, name, "", calibrate_inference.EXPERTS,
                                             table="serving", catalog_file=path.name)
        calibrate_shared(work, f"experts of {name}", ("framework", name), path,
                         Fit(name, calibrate_training.places(fit), set(), {"experts"}), own)


def calibrate_link(work, kernels):
    """Of all devices that the link joins: it is one entry. A link of its own where the device is
    like another one."""
    name = entries.text_of(work.file, "device", work.device, "scale_up")
    devices = {work.device} if work.like else devices_with(work.catalog, name)
    rows = [row for row in kernels if row["op"] in calibrate_collectives.OPERATORS
            and row["device"] in devices and calibrate_collectives.counts(row)]
    if not rows:
        return
    if work.like:
        parent, name = name, f"{name}-{work.device}"
        path = entries.derive_entry(work.catalog, "scale_up", parent, name)
        work.parents["scale_up", name] = parent
        place = Place(work.file.name, f"device.{work.device}", "scale_up")
        entries.complete_text(work.file, place, name)
    path = entries.file_of(work.catalog, "scale_up", name)
    known = entries.resolved(work.program, work.catalog, name)
    keys = calibrate_collectives.KEYS
    if float(known.get("in_network", "0")) > 0.0:
        keys = keys + calibrate_collectives.SWITCH_KEYS
    if not any("custom" in row.get("library", "") for row in rows):
        keys = [key for key in keys if not key[0].startswith("one_shot")]
    fit = calibrate_collectives.link(name, devices, keys, path.name)
    calibrate_shared(work, f"collectives, {name}", ("scale_up", name), path, fit, rows)


def devices_with(catalog, link):
    found = set()
    for path in catalog.glob("*.toml"):
        for name in re.findall(r"^\[device\.([^.\]]+)\]$", path.read_text("utf-8"), re.MULTILINE):
            if entries.text_of(path, "device", name, "scale_up") == link:
                found |= {name, *entries.list_of(path, "device", name, "aliases")}
    return found


# Frameworks.

FALLBACK = {
    "step_time_s": [calibrate_training.share("kernel_share"),
                    *calibrate_training.host(("issue_interval", 50.0))],
    "value": [calibrate_inference.gap(5.0), calibrate_training.Constant("request_overhead", "ms",
                                                                       1.0)],
}


def framework_fit(work, quantity, framework, rows):
    """The constants that are fitted of this framework where it ships, as many as rows tell."""
    shipped = calibrate_training.FITS + calibrate_inference.FITS
    names = [framework]  # and what it is like, which has the constants that it takes
    while names[-1]:
        file = entries.file_of(work.catalog, "framework", names[-1])
        names.append(entries.text_of(file, "framework", names[-1], "like") if file else "")
    known = [fit for name in names for fit in shipped
             if fit.framework == name and fit.quantity == quantity]
    constants = known[0].constants if known else FALLBACK[quantity]
    enough = len(rows) // calibrate_training.ROWS_FOR_CONSTANT
    return calibrate_training.TrainingFit(
        framework, framework, "", constants[:enough], quantity=quantity,
        table="serving" if quantity == "value" else "",
        shape=("model", "tp") if quantity == "value" else calibrate_training.SHAPE), constants


def own_framework(work, framework):
    """The entry that is calibrated, and its file: one of its own where the device is new."""
    name = framework
    path = entries.file_of(work.catalog, "framework", framework)
    if work.like:
        name = f"{framework}-{work.device}"
        if ("framework", name) not in work.parents:
            entries.derive_entry(work.catalog, "framework", framework, name)
            work.parents["framework", name] = framework
    return name, path


def calibrate_framework(work, quantity, framework, rows):
    name, path = own_framework(work, framework)
    fit, wanted = framework_fit(work, quantity, framework, rows)
    fit.framework, fit.catalog_file = name, path.name
    what = "steps" if quantity == "step_time_s" else "inference"
    everything = calibrate_training.TrainingFit(name, name, "", wanted, table=fit.table,
                                                catalog_file=path.name)
    places = [own[0] for own in calibrate_training.places(everything)]
    values = work.complete(path, "framework", name, places)
    group = Group(f"{what} of {name}", ("framework", name),
                  [Constant(p, v) for p, v in zip(places, values)], len(rows))
    work.groups.append(group)
    needed = calibrate_training.ROWS_FOR_CONSTANT
    for constant in group.constants[len(fit.constants):]:
        constant.after = constant.before
        constant.kept = f"too few rows: {len(rows)}, {needed} are needed for each constant"
    if fit.constants:
        fit_framework(work, fit, group, [dict(row, framework=name) for row in rows])


def fit_framework(work, fit, group, rows):
    second = calibrate_training.halves(rows, fit.shape)
    places = calibrate_training.FitPlaces(calibrate_training.places(fit))
    chosen = group.constants[:len(fit.constants)]
    before = [c.before for c in chosen]
    with tempfile.TemporaryDirectory() as folder:
        program = Program(work.program, work.catalog, rows, folder)

        def predicted(values):
            return program.predicted_rows(places, values)

        def deviations(values):
            return [math.log(float(row[f"predicted_{fit.quantity}"]) / float(row[fit.quantity]))
                    if row[f"predicted_{fit.quantity}"] else 0.0 for row in predicted(values)]

        old = predicted(before)
        if any(second) and not all(second):
            first, _, found = calibrate_training.calibrate(fit, program, before, second)
        else:
            work.remarks.append(f"{group.title}: one shape alone, so that nothing is held out")
            second, first = [False] * len(rows), None
            found = calibrate_training.calibrate(fit, program, before, second)[2]
        why = untold(deviations, found, chosen)
        gain = calibrate_training.gain_of(fit, old, predicted(found))
        for i, constant in enumerate(chosen):
            constant.kept = why.get(i, "")
            if not constant.kept and gain <= calibrate_training.WORTHWHILE:
                constant.kept = "a fit is no better"
            constant.half = first[i] if first and not constant.kept else None
            constant.after = constant.before if constant.kept else found[i]
        after = deviations([c.after for c in chosen])
        group.median = median_size(after)
        from_half = deviations(first) if first else after
        pick = lambda values, half: [v for v, s in zip(values, second) if s == half]
        group.lines = [residual_line("constants as they were", deviations(before)),
                       residual_line("fitted half", pick(from_half, False)),
                       residual_line("half held out", pick(from_half, True)),
                       residual_line("all rows", after)]


# Cases.

def predicted(work, path):
    """Rows of a file with what is predicted of them; its mistakes as the program tells them."""
    out = work.folder / "predicted.csv"
    out.unlink(missing_ok=True)
    command = [work.program, "validate", str(path), "--catalog", str(work.catalog),
               "--predictions", str(out), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        refuse(done.stderr.strip())
    with out.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_cases(work, paths):
    """Kernels, steps and inference that were measured, of the device; collectives of all."""
    kernels, works = [], []
    for path in paths:
        rows = predicted(work, path)
        measured = [row for row in rows if measured_of(row)]
        if not measured:
            refuse(f"{path}: no row has a measured time; fill in time_s, step_time_s or value")
        own = [row for row in measured
               if row["device"] in work.names or row.get("estimated_device") == work.device]
        collectives = [row for row in measured if row.get("op") in calibrate_collectives.OPERATORS]
        if not own and not collectives:
            others = sorted({row["device"] for row in measured})
            refuse(f"{path}: no row measures {work.device}; its rows are of {', '.join(others)}")
        for row in own + [row for row in collectives if row not in own]:
            (kernels if row.get("op") else works).append(row)
    return kernels, works


def measured_of(row):
    """Rows of other kinds of work are not calibrated."""
    if row.get("op"):
        return row.get("time_s") and row.get("predicted_time_s")
    quantity = "value" if row.get("metric") else "step_time_s"
    return row.get(quantity) and row.get(f"predicted_{quantity}")


def same_columns(rows):
    """Rows of several files as of one."""
    columns = dict.fromkeys(c for row in rows for c in row
                            if not c.startswith(("predicted_", "estimated_")))
    for dropped in ("bottleneck", "note", "relative_error"):
        columns.pop(dropped, None)
    return [{c: row.get(c) or "" for c in columns} for row in rows]


def calibrate_kernels_of(work, kernels):
    device = [row for row in kernels if row["device"] in work.names]
    timed = [row for row in device if HOST_TIMED in row["case"]]
    if timed:
        work.remarks.append(f"{len(timed)} kernels timed from the host are left out")
    rows = same_columns([row for row in device if HOST_TIMED not in row["case"]])
    calibrate_gemm(work, [row for row in rows if row["op"] == "matmul"])
    apply_last(work)
    layers = sum(1 for row in rows if row.get("part") == "layer")
    if layers:
        work.remarks.append(f"{layers} rows of latent attention hold the GEMMs around it and are "
                            "left out")
    attention = [row for row in rows if row["op"] in ATTENTION and row.get("part") != "layer"]
    named, rest = own_libraries.named_rows(work, attention)
    calibrate_attention_of(work, rest)
    own_libraries.calibrate_attention_of_libraries(work, named)
    calibrate_experts_of(work, [row for row in rows if row["op"] == "experts"])
    calibrate_link(work, same_columns(kernels))
    for group in work.groups:
        work.apply(group)


def apply_last(work):
    if work.groups:
        work.apply(work.groups[-1])


def calibrate_frameworks(work, rows):
    by = {}
    for row in rows:
        quantity = "value" if row.get("metric") else "step_time_s"
        by.setdefault((quantity, row["estimated_framework"]), []).append(row)
    for (quantity, framework), own in sorted(by.items()):
        tell(f"{len(own)} rows of {framework}")
        calibrate_framework(work, quantity, framework, same_columns(own))
        apply_last(work)


def error_bars(work, rows):
    """Entries of uncertainties by what remains; [] where too few rows are of one regime."""
    texts = []
    for has_metric in (False, True):
        own = [row for row in rows if bool(row.get("metric")) == has_metric]
        if not own:
            continue
        if work.like:
            own = [dict(row, framework=f"{row['estimated_framework']}-{work.device}")
                   for row in own]
        cases = work.folder / "rest.csv"
        plain = same_columns(own)
        with cases.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, plain[0].keys())
            writer.writeheader()
            writer.writerows(plain)
        out = work.folder / "rest-predicted.csv"
        predicted_rows = predicted(work, cases)
        with out.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, predicted_rows[0].keys())
            writer.writeheader()
            writer.writerows(predicted_rows)
        regimes = measure_uncertainty.by_regime(measure_uncertainty.read_rows([str(out)]))
        for key, errors in regimes.items():
            if len(errors) < measure_uncertainty.FEWEST_ROWS:
                work.remarks.append(f"error bar of {'/'.join(key)}: {len(errors)} rows, "
                                    f"{measure_uncertainty.FEWEST_ROWS} are needed")
        for key, errors in measure_uncertainty.enough(regimes):
            texts.append(measure_uncertainty.entry(*key, errors).replace(
                'source = "residuals"', f'source = "{entries.SOURCE}"').strip())
    return texts


# Report and output.

def report(work):
    lines = []
    for group in work.groups:
        lines += [f"## {group.title}: {group.rows} rows", "",
                  "| constant | catalog | calibrated | from one half | |", "|---|---|---|---|---|"]
        for c in group.constants:
            key = f"{c.place.section}.{c.place.key}".removeprefix(
                f"{entries.section_of(*group.entry)}.")
            key = key.split(".", 2)[2] if key.startswith("fit.") else key
            said = f"kept: {c.kept}" if c.kept else c.remark
            lines.append(f"| {key} | {c.shown(c.before)} | {c.shown(c.after)} | {c.shown(c.half)} |"
                         + (f" {said} |" if said else " |"))
        if group.lines:
            lines += ["", "| residual | rows | median | mean | bias |", "|---|---|---|---|---|"]
            lines += group.lines
        lines.append("")
    return lines + [textwrap.fill(f"note: {remark}", 80, subsequent_indent="  ",
                                  break_on_hyphens=False, break_long_words=False)
                    for remark in work.remarks]


HEAD = """\
# Calibrated {date} by 'scalesweep calibrate' for {device}, on
# {files}.
{use}
schema = 1

[sources]
{source} = "scalesweep calibrate on {files}, {date}"
"""


def usage_text(work, wanted, whole):
    lines = []
    replaced = [f"{kind}.{name}" for kind, name in wanted if (kind, name) not in work.made]
    if work.like and whole:
        lines = ["Complete entries: this file goes beside those of the catalog."]
    elif work.like:
        lines = ["This file goes beside those of the catalog. What is not here is that of "
                 f"{work.like}."]
    elif not wanted or len(replaced) == len(wanted):
        lines = ["These entries have the names of the catalog's own: they go into a copy of it, in "
                 "their place.", "An entry beside them is written with --like."]
    elif replaced:
        lines = ["Of these entries some have the names of the catalog's own, and go into a copy of "
                 "it, in their place:", *replaced, "The others are new. With --like all are."]
    else:
        lines = ["These entries are new: this file goes beside those of the catalog."]
    if any(kind == "library" for kind, _ in wanted):
        lines += ["A stack launches the kernels of a library where its entry names that: libraries "
                  "= [\"NAME\"].", "Rows of cases name it in the column library."]
    return "\n".join(f"# {line}" for line in lines)


def output(work, files, bars, whole):
    notes, wanted = {}, {}
    for group in work.groups:
        for c in group.constants:
            if not c.kept:
                notes[c.place.section, c.place.key] = "; ".join(
                    filter(None, [work.note_of(group), c.remark]))
                wanted[group.entry] = None
    if work.like:
        wanted = {("device", work.device): None, **wanted, **dict.fromkeys(work.also)}
    for kind, name in list(wanted):
        fit = ("fit", own_text(work, kind, name, "fit"))
        wanted |= {fit: None} if fit in work.made else {}
    parts, sources = [], {}
    for kind, name in wanted:
        parent = self_contained_parent(work, kind, name, whole)
        found, cited = entries.taken_out(entries.file_of(work.catalog, kind, name), kind, name,
                                         notes, parent)
        if kind == "device" and parent:
            link = entries.text_of(work.file, "device", work.device, "scale_up")
            if ("scale_up", link) in wanted:
                found[0][1].append(f'scale_up = "{link}"')
        if kind == "library" and parent:
            found[0][1].append(f'device = "{work.device}"')
            fit = own_text(work, kind, name, "fit")
            found[0][1].extend([f'fit = "{fit}"'] if ("fit", fit) in wanted else [])
        parts += found
        sources |= dict.fromkeys(cited)
    head = HEAD.format(date=datetime.date.today().isoformat(), device=work.device,
                       files=", ".join(files), use=usage_text(work, wanted, whole),
                       source=entries.SOURCE)
    return head + "".join(f"{line}\n" for line in sources) + "\n" + "\n\n".join(
        filter(None, [entries.joined(parts), *bars])) + "\n"


def own_text(work, kind, name, key):
    return entries.text_of(entries.file_of(work.catalog, kind, name), kind, name, key)


def self_contained_parent(work, kind, name, whole):
    """Links and frameworks are always like another; a device as a whole where that is asked."""
    parent = work.parents.get((kind, name), "")
    return "" if kind == "device" and whole else parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="scalesweep")
    parser.add_argument("--catalog", required=True, type=Path, help="folder of the catalog")
    parser.add_argument("--add", action="append", default=[], type=Path, metavar="PLACE",
                        help="a file or folder of entries beside it")
    parser.add_argument("--device", required=True, help="entry that is calibrated")
    parser.add_argument("--like", default="", help="entry that a new device is like")
    parser.add_argument("--whole", action="store_true",
                        help="all of a new device, not what differs")
    parser.add_argument("-o", "--output", help="a new file for the entries")
    parser.add_argument("cases", nargs="+", help="case files")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Work(options, folder)
        kernels, works = read_cases(work, options.cases)
        tell(f"{len(kernels)} rows of kernels and collectives, {len(works)} of steps and inference")
        calibrate_kernels_of(work, kernels)
        if not any(row["device"] in work.names for row in kernels
                   if row["op"] not in calibrate_collectives.OPERATORS):
            work.remarks.append(f"no row is of kernels of {work.device}: its constants stay")
        calibrate_frameworks(work, works)
        bars = error_bars(work, works)
        print("\n".join(report(work)))
        if not bars and all(c.kept for group in work.groups for c in group.constants):
            refuse(f"nothing of {work.device} could be calibrated from these rows; 'scalesweep "
                   f"measure --device {options.like or work.device}' lists what tells")
        if options.output:
            text = output(work, [Path(case).name for case in options.cases], bars, options.whole)
            Path(options.output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
