"""Specs out of Python values: dictionaries as TOML, and keywords to the tables they stand in."""
import difflib
import functools
import json
import re

from ._library import SpecError, spec_schema

ALIASES = {"devices": "accelerators"}  # beside the keys of a spec, as `scalesweep recommend` has it


def value_text(value):
    """A value as TOML writes it on one line."""
    if hasattr(value, "tolist"):  # of numpy
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError(f"{value!r} has a zero byte, which no text of a spec has; take it out")
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        return "{ " + ", ".join(lines_of(value)) + " }"
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(value_text(of) for of in value) + "]"
    raise TypeError(f"{value!r} cannot stand in a spec; write text, a number, True or False, a "
                    "list or a dictionary")


def is_tables(value):
    return isinstance(value, (list, tuple)) and bool(value) \
        and all(isinstance(of, dict) for of in value)


def key_text(name):
    return name if re.fullmatch(r"[\w-]+(\.[\w-]+)*", name, re.ASCII) else value_text(name)


def lines_of(values):
    return [f"{key_text(name)} = {value_text(value)}" for name, value in values.items()]


def spec_text(tables):
    """A spec as TOML: {"workload": {"kind": "training", ...}, "system": {...}, ...}."""
    plain = {"schema": 1, "title": "a study", **{name: value for name, value in tables.items()
                             if not isinstance(value, dict) and not is_tables(value)}}
    lines = lines_of(plain)
    for name, value in tables.items():
        if isinstance(value, dict):
            lines += [f"[{key_text(name)}]", *lines_of(value)]
        elif is_tables(value):
            for of in value:
                lines += [f"[[{key_text(name)}]]", *lines_of(of)]
    return "\n".join(lines) + "\n"


@functools.lru_cache(maxsize=None)
def places_of_keys():
    """The table of each key that stands in one of the spec's tables; of several the first one."""
    schema = json.loads(spec_schema())
    tables = list(schema["properties"])
    found = {}
    for part in [schema, *(case["then"] for case in schema["allOf"])]:
        for table, of in part.get("properties", {}).items():
            for key in of.get("properties", {}):
                found.setdefault(key, set()).add(table)
    return tables, {key: min(of, key=tables.index) for key, of in found.items()}


class Tables:
    """Of a spec, from keywords that each say something else."""

    def __init__(self):
        self.spec = {}
        self._given = {}  # by table and key, the keyword that said it

    def put(self, table, key, value, keyword):
        self._claim(table, key, keyword)
        self.spec.setdefault(table, {})[key] = value

    def put_whole(self, table, value):
        if isinstance(value, dict):
            self.spec.setdefault(table, {})
            for key, of in value.items():
                self.put(table, key, of, f"{table}[{key!r}]")
        else:
            self._claim(table, None, table)
            self.spec[table] = value

    def _claim(self, table, key, keyword):
        for (other_table, other), said in self._given.items():
            if other_table == table and (other == key or None in (other, key)):
                raise TypeError(f"{said} and {keyword} are the same, {key or table} of a spec; "
                                "give one of them")
        self._given[(table, key)] = keyword


def tables_of(keywords):
    """The tables of a spec that has these keys: model="x" stands in [workload]."""
    tables, places = places_of_keys()
    found = Tables()
    for name, value in keywords.items():
        key = ALIASES.get(name, name)
        if key in tables:
            found.put_whole(key, value)
        elif key in places:
            found.put(places[key], key, value, name)
        else:
            near = difflib.get_close_matches(key, [*places, *tables, *ALIASES], 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise TypeError(f"a spec has no key '{key}'{hint}")
    return found.spec


def with_lines(error, text):
    """The same mistakes, each with the line of a text that the user did not write."""
    lines = text.splitlines()
    told = []
    for line in str(error).splitlines():
        told.append(line)
        parts = line.split(":", 3)
        if len(parts) == 4 and parts[1].isdigit() and 0 < int(parts[1]) <= len(lines):
            told.append(f"    {lines[int(parts[1]) - 1]}")
    return SpecError("\n".join(told), error.code)
