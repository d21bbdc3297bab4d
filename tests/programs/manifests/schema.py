"""Documents held against tables of schemas, as a cluster that takes no unknown fields does."""
import json
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
TYPES = {"string": str, "boolean": bool, "integer": int, "number": (int, float)}


class Schema:
    def __init__(self, path):
        self.header = {}
        self.shapes = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("# "):
                key, value = line[2:].split("\t")
                self.header[key] = value
            elif not line.startswith("shape\t"):
                shape, field, *rest = line.split("\t")
                self.shapes.setdefault(shape, {})[field] = rest

    def problems(self, value, kind=None, where=""):
        """What of a value is not as its type says: (place, what)."""
        kind = kind or self.header["root"]
        outer, _, inner = kind.removesuffix(")").partition("(")
        if kind == "any":
            return []
        if outer == "list":
            if not isinstance(value, list):
                return [(where, f"{value!r} is no list")]
            return [p for number, item in enumerate(value)
                    for p in self.problems(item, inner, f"{where}[{number}]")]
        if outer == "map":
            if not isinstance(value, dict):
                return [(where, f"{value!r} is no map")]
            return [p for key, item in value.items()
                    for p in self.problems(item, inner, f"{where}.{key}")]
        if kind.startswith("object "):
            return self.object_problems(value, self.shapes[kind.split()[1]], where)
        return [] if self.is_of(value, kind) else [(where, f"{value!r} is no {kind}")]

    @staticmethod
    def is_of(value, kind):
        if kind == "int-or-string":
            return isinstance(value, (int, str)) and not isinstance(value, bool)
        return any(isinstance(value, TYPES[one]) and (one == "boolean") == isinstance(value, bool)
                   for one in kind.split("|"))

    def object_problems(self, value, shape, where):
        if not isinstance(value, dict):
            return [(where, f"{value!r} is no object")]
        found = [(f"{where}.{name}", "is missing") for name, row in shape.items()
                 if row[1] and name not in value]
        for name, item in value.items():
            place = f"{where}.{name}"
            if name not in shape:
                found += [] if "*" in shape else [(place, "is no field")]
                continue
            kind, _, choices, limits = shape[name]
            wrong = self.problems(item, kind, place)
            found += wrong
            if wrong:
                continue
            if choices and str(item) not in choices.split("|"):
                found.append((place, f"{item!r} is none of {choices}"))
            found += [(place, f"{item!r}: {text}") for text in beyond(item, limits)]
        return found


def beyond(value, limits):
    """The limits that a value does not keep."""
    if not limits:
        return []
    limit = json.loads(limits)
    size = len(value) if isinstance(value, (str, list, dict)) else 0
    is_text = isinstance(value, str)
    keeps = {"minimum": lambda v: value >= v, "maximum": lambda v: value <= v,
             "minLength": lambda v: size >= v, "maxLength": lambda v: size <= v,
             "minItems": lambda v: size >= v, "maxItems": lambda v: size <= v,
             "maxProperties": lambda v: size <= v,
             "pattern": lambda v: not is_text or re.search(v, value)}
    return [f"{key} {bound}" for key, bound in limit.items() if not keeps[key](bound)]


def schemas():
    """Those of the tree, by name."""
    return {path.stem: Schema(path) for path in sorted((HERE / "schemas").glob("*.tsv"))}
