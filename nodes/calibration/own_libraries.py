"""Libraries that measured kernels of a device name, for `scalesweep calibrate`.

Rows of experts, and of attention where some are of latent attention, tell an entry of their
library on the device: the one that the catalog has, or a new one. With --like it is like that of
the parent. Experts are fitted by the search of calibrate_experts.py, attention as the device's own
is; what kernels for latent attention reach of the matrix units stands in an entry of `fit` beside
that of the library, which names it.
"""

import json
import math
import re
import tempfile

import calibrate_attention
import calibrate_experts
import entries
from calibrate_libraries import PRECISIONS, Fitter
from calibration import Fit, Place, Program, held_out, read_value
from fit_shared import calibrate_shared
from identify import ROWS_FOR_CONSTANT, Constant, Group, told_by, untold

FILE = "own-libraries.toml"  # of the copy of the catalog: new entries
KEY = re.compile(r'^([a-z_0-9]+) = (?:\{ value = )?("(?:[^"\\]|\\.)*"|[^,}\s]+)')
HEADER = re.compile(r"^\[library\.([^.\]]+)\.?([^\]]*)\]$")
NO_GAIN = "a fit does no better"
LATENT = {"latent_prefill", "latent_decode"}


def libraries_of(catalog):
    """Entry -> its values by key with what it inherits; `file`: where it stands."""
    own = {}
    for path in sorted(catalog.glob("*.toml")):
        where = None
        for line in path.read_text("utf-8").splitlines():
            key = KEY.match(line)
            if line.startswith("["):
                where = HEADER.match(line)
            elif where and key:
                table = f"{where.group(2)}." if where.group(2) else ""
                text = key.group(2)
                own.setdefault(where.group(1), {})[table + key.group(1)] = (
                    json.loads(text) if text.startswith('"') else text)
        for name in own:
            own[name].setdefault("file", path.name)
    return {name: inherited(own, name) for name in own}


def inherited(own, name):
    parent = own[name].get("like")
    return {**(inherited(own, parent) if parent in own else {}), **own[name]}


def formats_of(row):
    """Operands and weights, as the catalog names them."""
    operands = row.get("precision") or "bf16"
    return tuple(PRECISIONS.get(word, word)
                 for word in (operands, row.get("weight_precision") or operands))


def known_entry(work, known, kernels, library, formats=()):
    """That of the library on the device, or on the one that it is like; "" where there is none."""
    for name, values in known.items():
        told = tuple(values.get(f"experts.{key}") for key in ("operands", "weights"))
        if (values.get("library") == library and values.get("kernels", "gemm") == kernels
                and values.get("device") in work.library_devices()
                and (not formats or told == formats)):
            return name
    return ""


def new_name(work, kernels, library, formats=()):
    words = re.sub("[^a-z0-9]+", "-", library.lower()).strip("-")
    return "-".join([kernels, words, *dict.fromkeys(formats), work.device])


def add_text(work, text):
    path = work.catalog / FILE
    if not path.exists():
        path.write_text(f'schema = 1\n\n[sources]\n{entries.SOURCE} = "-"\n', "utf-8")
    entries.append(path, text)


def make_entry(work, name, lines, parent=""):
    """An entry of its own, or like its parent on the device."""
    head = [f"[library.{name}]", f'like = "{parent}"' if parent else "",
            f'source = "{entries.SOURCE}"', 'kind = "calibrated"', f'device = "{work.device}"']
    add_text(work, "\n".join(filter(None, head)) + "\n" + "\n".join(lines))
    work.made.add(("library", name))
    if parent:
        work.parents["library", name] = parent
        work.also.append(("library", name))  # whose constants are better than those of the device


def library_line(library):
    return f"library = {json.dumps(library, ensure_ascii=False)}"


# Experts.

def experts_entry(work, known, library, formats):
    """The name and the file of the entry, after it was made where there was none; what it has."""
    found = known_entry(work, known, "experts", library, formats)
    if found and not work.like:
        return found, known[found]["file"], known[found]
    name = new_name(work, "experts", library, formats)
    if found:
        make_entry(work, name, [], found)
        return name, FILE, known[found]
    starts = [f'{key} = "{start} {unit}"' if unit else f"{key} = {start}"
              for key, unit, _, start in calibrate_experts.CONSTANTS]
    make_entry(work, name, [
        library_line(library), 'kernels = "experts"', "", f"[library.{name}.experts]",
        f'operands = "{formats[0]}"', f'weights = "{formats[1]}"', *starts])
    return name, FILE, {}


class OwnExperts(calibrate_experts.Experts):
    """One library in a pair of formats, whose rows are known."""

    def prepare(self, work, values):
        """Its constants are written out, and the search begins with them."""
        self.is_new = not values
        for place, (key, unit, limits, start) in zip(self.places(), calibrate_experts.CONSTANTS):
            text = values.get(f"experts.{key}", f"{start} {unit}".strip())
            entries.complete(work.catalog / self.file, place, text)
            value = read_value(work.catalog, place)
            self.at.append(math.log(min(max(value, limits[0]), limits[1])))
        self.before = self.bounded(self.at)

    def keep(self, index):
        """The search leaves this constant as it was."""
        self.limits = tuple((value, value) if i in index else limits for i, (value, limits)
                            in enumerate(zip(self.before, self.limits)))
        self.at = [math.log(value) for value in self.before]


def calibrate_experts_of_libraries(work, rows):
    rows = [dict(row, precision=row["precision"] or "bf16",
                 weight_precision=row.get("weight_precision", "")) for row in rows]
    kinds = {}
    for row in rows:
        kinds.setdefault((row["library"], *formats_of(row)), []).append(row)
    needed = ROWS_FOR_CONSTANT * len(calibrate_experts.CONSTANTS)
    libraries, known = [], libraries_of(work.catalog)
    for (library, *formats), own in sorted(kinds.items()):
        if len(own) < needed:
            work.remarks.append(f"experts of {library} in {' and '.join(dict.fromkeys(formats))}: "
                                f"{len(own)} rows, {needed} are needed")
            if work.like and known_entry(work, known, "experts", library, tuple(formats)):
                experts_entry(work, known, library, tuple(formats))
            continue
        libraries.append((library, tuple(formats)))
    rows = [row for row in rows if (row["library"], formats_of(row)) in libraries]
    if rows:
        fit_experts(work, known, libraries, rows)


def fit_experts(work, known, libraries, rows):
    before = predictions(work, rows)
    made = []
    for library, formats in libraries:
        name, file, values = experts_entry(work, known, library, formats)
        made.append(OwnExperts(name=name, file=file, library=library, formats=formats,
                               devices=tuple({row["device"] for row in rows})))
        made[-1].prepare(work, values)
    with tempfile.TemporaryDirectory() as folder:
        program = Program(work.program, work.catalog, rows, folder)
        as_it_was = deviations_of(program, rows)
        search = lambda chosen: Fitter(program, made, rows, chosen,
                                       calibrate_experts.ITERATIONS).search()
        half, found = both_fits(program, made, rows, search)
        why = {lib.name: untold_of(program, lib, rows, found[lib.name]) for lib in made}
        kept = [lib for lib in made if why[lib.name] and not lib.is_new]
        for lib in kept:
            lib.keep(why[lib.name])
        if kept:
            half, found = both_fits(program, made, rows, search)
        from_half, after = ((write_all(program, made, values), deviations_of(program, rows))[1]
                            for values in (half, found))
    for lib in made:
        own = [i for i, row in enumerate(rows) if lib.has(row)]
        pick = lambda deviations: [deviations[i] for i in own]
        group = group_of(lib, half[lib.name], found[lib.name], why[lib.name], len(own))
        told_by(group, [rows[i] for i in own], held_out,
                pick(before if lib.is_new else as_it_was), pick(from_half), pick(after))
        keep_without_gain(work, group)
        work.groups.append(group)


def predictions(work, rows):
    with tempfile.TemporaryDirectory() as folder:
        return deviations_of(Program(work.program, work.catalog, rows, folder), rows)


def deviations_of(program, rows):
    return [math.log(float(p["predicted_time_s"]) / float(row["time_s"]))
            for row, p in zip(rows, program.shipped_rows())]


def write_all(program, libraries, values):
    for lib in libraries:
        lib.write(program.catalog, [math.log(v) for v in values[lib.name]])


def both_fits(program, libraries, rows, search):
    """What the rows that are not held out say of each library, and what all say."""
    search(lambda row: not held_out(row))
    half = {lib.name: lib.bounded(lib.at) for lib in libraries}
    search(lambda row: True)
    return half, {lib.name: lib.bounded(lib.at) for lib in libraries}


def untold_of(program, lib, rows, found):
    own = [i for i, row in enumerate(rows) if lib.has(row)]

    def deviations(values):
        lib.write(program.catalog, [math.log(v) for v in values])
        everything = deviations_of(program, rows)
        return [everything[i] for i in own]

    constants = [Constant(place, value) for place, value in zip(lib.places(), found)]
    return untold(deviations, found, constants)


def group_of(lib, half, found, why, rows):
    """Of a new entry a loose constant is written, too: there is no other value of it."""
    group = Group(f"experts of {lib.library} in {' and '.join(dict.fromkeys(lib.formats))}",
                  ("library", lib.name), [], rows)
    for i, place in enumerate(lib.places()):
        constant = Constant(place, None if lib.is_new else lib.before[i], half[i], found[i])
        if i in why and lib.is_new:
            constant.remark = f"loose: {why[i]}"
        elif i in why:
            constant.kept, constant.half = why[i], None
        group.constants.append(constant)
    return group


def keep_without_gain(work, group):
    """A fit that does no better, on rows that it has not seen or on all, is none."""
    if not group.means or all(c.kept for c in group.constants):
        return
    before, after, held_before, held_after = group.means
    if after < before and held_after < held_before:
        return
    for constant in group.constants:
        constant.kept = constant.kept or NO_GAIN
        constant.after, constant.half, constant.remark = constant.before, None, ""
    group.lines[-1] = group.lines[-1].replace("all rows", "all rows, if fitted")
    work.remarks.append(
        f"{group.title}: a fit takes the mean error of all rows from {before:.1%} to {after:.1%}, "
        f"that of the half held out from {held_before:.1%} to {held_after:.1%}: constants stay; "
        "more rows tell")


# Attention.

def attention_entry(work, known, library):
    """As experts_entry, with all that the device's own table has, and with a fit of its own."""
    found = known_entry(work, known, "attention", library)
    if found and not work.like:
        name, file = found, known[found]["file"]
    else:
        name, file = new_name(work, "attention", library), FILE
        if found:
            make_entry(work, name, [], found)
        else:
            lines = [f'{key} = {{ value = {value}, source = "{entries.SOURCE}", '
                     f'kind = "assumed", note = "that of {work.device}" }}'
                     for key, value in attention_of_device(work).items()]
            make_entry(work, name, [library_line(library), 'kernels = "attention"', "",
                                    f"[library.{name}.attention]", *lines])
    return name, file, known[found] if found else {}


def attention_of_device(work):
    known = entries.resolved(work.program, work.catalog, work.device)
    if not any(key.startswith("attention.") for key in known):
        known = entries.resolved(work.program, work.catalog, "h100-sxm")  # as what is left out is
    values = {key.removeprefix("attention."): value for key, value in known.items()
              if key.startswith("attention.")}
    return {key: f'"{value}"' if " " in value else value for key, value in values.items()}


def own_fit(work, name, file, parent):
    """The place of the share of the matrix units in a fit that this entry alone names."""
    fit = f"{name}-fit"
    if ("fit", fit) not in work.made:
        path = entries.derive_entry(work.catalog, "fit", parent, fit)
        share = entries.resolved(work.program, work.catalog, fit)["attention.latent_share"]
        place = Place(path.name, f"fit.{fit}.attention", "latent_share")
        entries.complete(path, place, share)
        work.parents["fit", fit] = parent
        work.made.add(("fit", fit))
        entries.set_text(work.catalog / file, f"library.{name}", "fit", fit)
    path = entries.file_of(work.catalog, "fit", fit)
    return Place(path.name, f"fit.{fit}.attention", "latent_share")


def named_rows(work, rows):
    """Library -> its rows of attention, where they tell an entry of it: the catalog has one, or
    some are of latent attention. Other rows are of the device's own constants, and so are plain
    ones of libraries that have no entry yet."""
    known, by = libraries_of(work.catalog), {}
    for row in rows:
        if row.get("library"):
            by.setdefault(row["library"], []).append(row)
    has = {library: bool(known_entry(work, known, "attention", library)) for library in by}
    named = {library: own for library, own in by.items()
             if has[library] or any(row["op"] in LATENT for row in own)}
    rest = [row for row in rows if row.get("library") not in named
            or not has[row["library"]] and row["op"] not in LATENT]
    return named, rest


def calibrate_attention_of_libraries(work, named):
    for library, rows in sorted(named.items()):
        known = libraries_of(work.catalog)
        name, file, values = attention_entry(work, known, library)
        entry = ("library", name)
        for kind in ("prefill", "decode"):
            own = [row for row in rows if row["op"] in calibrate_attention.OPERATORS[kind]]
            if own:
                places = attention_places(work, kind, own, name, file,
                                          values.get("fit", "default"))
                fit = Fit(name, [[place] for place in places], set(), set())
                group = calibrate_shared(work, f"attention of {library}, {kind}", entry,
                                         work.catalog / file, fit, own)
                keep_without_gain(work, group)
                work.apply(group)


def attention_places(work, kind, rows, name, file, fit):
    """Over latents the three latencies of decode are one, and nothing is done a head."""
    is_latent = any(row["op"] in LATENT for row in rows)
    if kind == "prefill":
        keys = calibrate_attention.PREFILL
    elif all(row["op"] in LATENT for row in rows):
        keys = calibrate_attention.DECODE[:1]
    else:
        keys = calibrate_attention.DECODE
    places = [Place(file, f"library.{name}.attention", key, unit) for key, unit in keys]
    if kind == "decode" and is_latent:
        places.append(own_fit(work, name, file, fit))
    return places
