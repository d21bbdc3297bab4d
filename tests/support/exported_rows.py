"""Rows of a study as its file has them and as every export has them."""
import csv
import importlib.util
import json
import math
import pathlib

import h5py

EXPORTS = ("csv", "json", "jsonl", "parquet", "h5")
_READER = pathlib.Path(__file__).resolve().parents[1] / "unit/analysis/writers/read_parquet.py"


def _read_parquet(path):
    spec = importlib.util.spec_from_file_location(_READER.stem, _READER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.read(path)


class Rows:
    """Columns of a group of an HDF5 file, with their names for values."""

    def __init__(self, file, group="results"):
        self.columns, self.names, self.about, self.absent, self.types = {}, {}, {}, {}, {}
        with h5py.File(file) as opened:
            held = opened[group]
            self.order = list(held.attrs["columns"]) if "columns" in held.attrs else [
                name for name in held if isinstance(held[name], h5py.Dataset)]
            self.axes = set(opened["axes"].attrs["axes"]) if "axes" in opened else set()
            for name in self.order:
                enum = h5py.check_enum_dtype(held[name].dtype)
                self.names[name] = enum and {value: word for word, value in enum.items()}
                self.types[name] = held[name].dtype.type
                self.columns[name] = held[name][:].tolist()
                self.about[name] = dict(held[name].attrs)
                self.absent[name] = held[name].attrs.get("absent")

    def __len__(self):
        return len(self.columns[self.order[0]])

    def is_real(self, name):
        return self.names[name] is None and isinstance(self.columns[name][0], float)

    def time(self):
        return next(name for name in self.order
                    if "time" in self.about[name].get("role", "").split())

    def value(self, name, row):
        """What every export must have there; None for nothing."""
        stored = self.columns[name][row]
        if self.names[name] is not None:
            word = self.names[name][stored]
            return None if word == self.absent[name] else word
        return stored if math.isfinite(stored) else None


def exported(ask, file):
    """Of all columns and statuses, {ending: rows}, a dictionary each; ask runs the program."""
    made = {}
    for ending in EXPORTS:
        made[ending] = file.with_name(f"{file.stem}-all.{ending}")
        ask("query", file, "--select", "all", "--all-statuses", "-o", made[ending])
    rows = {"json": json.loads(made["json"].read_text())["rows"],
            "jsonl": list(map(json.loads, made["jsonl"].read_text().splitlines()))}
    with open(made["csv"], newline="", encoding="utf-8") as opened:
        rows["csv"] = list(csv.DictReader(opened))
    table = _read_parquet(made["parquet"])["table"]
    rows["parquet"] = [dict(zip(table, values)) for values in zip(*table.values())]
    copy = Rows(made["h5"], "rows")
    rows["h5"] = [{name: copy.value(name, row) for name in copy.order} for row in range(len(copy))]
    return rows


def difference(study, column, row, told):
    """Between a value of the study and what an export tells of it, in words; "" for none. Numbers
    are the same to the bit, in the type of the file."""
    value = study.value(column, row)
    if value is None or told in (None, ""):
        is_same = value is None and told in (None, "")
    elif isinstance(value, str):  # of a number of a layout the name is the number
        is_same = str(told) == value
    else:
        is_same = study.types[column](told) == value
    return "" if is_same else f"{value!r} is told as {told!r}"
