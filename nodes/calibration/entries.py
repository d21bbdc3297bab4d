"""Entries of a copy of the catalog as text: found, copied under another name, completed by keys
that they inherit, and taken out again with a source for what was calibrated."""

import json
import re
import subprocess
import sys

from calibration import value_pattern

SCALES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9,
          "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30}
SOURCE = "calibration"  # key of what calibrated values cite


def section_of(kind, name):
    """The name of its first table: versions of a stack ("vllm@0.12") stand in quotes."""
    return f"{kind}.{name}" if re.fullmatch(r"[A-Za-z0-9_-]+", name) else f'{kind}."{name}"'


def is_header(line, kind, name):
    section = section_of(kind, name)
    return line == f"[{section}]" or line.startswith(f"[{section}.")


def blocks(text, kind, name):
    """(header, lines) of each table of an entry, without comments that belong to what follows."""
    found = []
    for line in text.splitlines():
        if line.startswith("["):
            found.append((line, []))
        elif found:
            found[-1][1].append(line)
    own = []
    for header, lines in found:
        if is_header(header, kind, name):
            while lines and (not lines[-1].strip() or lines[-1].startswith("#")):
                lines.pop()
            own.append((header, lines))
    return own


def file_of(catalog, kind, name):
    """The file where the entry stands, None where there is none."""
    for path in sorted(catalog.glob("*.toml")):
        if any(is_header(line, kind, name) for line in path.read_text("utf-8").splitlines()):
            return path
    return None


def joined(parts):
    return "\n\n".join("\n".join([header, *lines]) for header, lines in parts)


def copy_entry(catalog, kind, parent, name):
    """The entry once more under another name, in the file of the first, whose sources it cites."""
    path = file_of(catalog, kind, parent)
    parts = []
    for header, lines in blocks(path.read_text("utf-8"), kind, parent):
        kept = [line for line in lines if not line.startswith("aliases =")]
        parts.append((header.replace(f"[{section_of(kind, parent)}",
                                     f"[{section_of(kind, name)}", 1), kept))
    append(path, joined(parts))
    return path


def derive_entry(catalog, kind, parent, name):
    """An entry that takes all from its parent by `like`, beside it."""
    path = file_of(catalog, kind, parent)
    append(path, f'[{section_of(kind, name)}]\nlike = "{parent}"\nsource = "{SOURCE}"\n'
                 'kind = "calibrated"')
    text = path.read_text("utf-8")
    if f"\n{SOURCE} = " not in text:
        path.write_text(text.replace("[sources]\n", f'[sources]\n{SOURCE} = "-"\n', 1), "utf-8")
    return path


def append(path, text):
    with path.open("a", encoding="utf-8") as out:
        out.write(f"\n{text}\n")


def list_of(path, kind, name, key):
    """Texts in a list of the first table of an entry, as of `aliases`."""
    for header, lines in blocks(path.read_text("utf-8"), kind, name):
        for line in lines:
            if header == f"[{section_of(kind, name)}]" and line.startswith(f"{key} ="):
                return re.findall(r'"([^"]*)"', line)
    return []


def text_of(path, kind, name, key):
    match = value_pattern_of(path, section_of(kind, name), key)
    return match.group(2).strip('"') if match else ""


def value_pattern_of(path, section, key):
    return value_pattern(PlaceOf(section, key)).search(path.read_text("utf-8"))


class PlaceOf:
    """What value_pattern reads of a place."""

    def __init__(self, section, key):
        self.section, self.key = section, key


def resolved(program, catalog, name):
    """Values of an entry with what it inherits, by key, as the program shows them."""
    command = [program, "catalog", "show", name, "--format", "json", "--catalog", str(catalog)]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    if shown.returncode != 0:
        sys.exit(shown.stderr)
    return {value["key"]: value["value"] for value in json.loads(shown.stdout)["values"]}


def in_unit(text, unit):
    """A quantity or number as text, as a number in this unit."""
    number, _, own = text.strip('"').partition(" ")
    if own == unit:
        return float(number)
    return float(number) * SCALES[own] / SCALES[unit]


def complete(path, place, text):
    """Makes the place hold this value, in its unit, where it is inherited or in another unit."""
    value = in_unit(text, place.unit)
    literal = f'"{value:.6g} {place.unit}"' if place.unit else f"{value:.6g}"
    body = path.read_text("utf-8")
    if value_pattern(place).search(body):
        body = value_pattern(place).sub(lambda m: m.group(1) + literal, body, count=1)
    elif f"[{place.section}]\n" in body:
        head = f"[{place.section}]\n"
        body = body.replace(head, f"{head}{place.key} = {literal}\n", 1)
    else:
        body = body.rstrip("\n") + f"\n\n[{place.section}]\n{place.key} = {literal}\n"
    path.write_text(body, "utf-8")


def cited(lines, note, key):
    """The line of a calibrated key with its source and its note."""
    result = []
    for line in lines:
        match = re.match(rf'^{re.escape(key)} = (?:\{{ value = )?("[^"]*"|[0-9.e+-]+)', line)
        if match:
            line = (f'{key} = {{ value = {match.group(1)}, source = "{SOURCE}", '
                    f'kind = "calibrated", note = "{note}" }}')
        result.append(line)
    return result


def sources_of(text, parts):
    """The lines of [sources] that the parts cite."""
    keys = set(re.findall(r'source = "([^"]+)"', joined(parts)))
    table = text.partition("[sources]\n")[2].partition("\n[")[0]
    return [line for line in table.splitlines()
            if line.partition(" = ")[0] in keys and not line.startswith(f"{SOURCE} =")]


def taken_out(path, kind, name, notes, like):
    """The tables of an entry, and the sources that they cite. `notes`: (section, key) -> note of
    what was calibrated. With `like`, the name of another entry, only that and what was
    calibrated."""
    text = path.read_text("utf-8")
    parts = []
    for header, lines in blocks(text, kind, name):
        section = header.strip("[]")
        keys = [key for place, key in notes if place == section]
        for key in keys:
            lines = cited(lines, notes[section, key], key)
        if like:
            lines = [line for line in lines if line.partition(" = ")[0] in keys]
            if header == f"[{section_of(kind, name)}]":
                lines = [f'like = "{like}"', f'source = "{SOURCE}"', 'kind = "calibrated"', *lines]
        if lines:
            parts.append((header, lines))
    return parts, sources_of(text, parts)


def complete_text(path, place, text):
    """Makes the place hold this text."""
    body = path.read_text("utf-8")
    pattern = value_pattern(place)
    path.write_text(pattern.sub(lambda m: f'{m.group(1)}"{text}"', body, count=1), "utf-8")


def set_text(path, section, key, text):
    """Makes the key of a table hold this text, where it had one and where not."""
    place = PlaceOf(section, key)
    if value_pattern(place).search(path.read_text("utf-8")):
        complete_text(path, place, text)
        return
    head = f"[{section}]\n"
    body = path.read_text("utf-8")
    path.write_text(body.replace(head, f'{head}{key} = "{text}"\n', 1), "utf-8")
