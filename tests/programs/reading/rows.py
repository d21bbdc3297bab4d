"""Rows of a table of options: how they are written, read and merged."""
from dataclasses import dataclass, field

COLUMNS = ("names", "kind", "type", "choices", "default", "place")
HEADER = ("program", "version", "repository", "commit", "source", "unread")


@dataclass
class Row:
    names: list          # as they are given, the first is the one of documents
    kind: str            # switch, value, optional, list, N values, repeated, key; "required" behind
    type: str            # words with | between; "" where nothing converts it
    choices: list = None  # None: no list, or not told by the text
    default: str = ""
    place: str = ""      # file and line

    def cells(self):
        choices = "" if self.choices is None else "|".join(cell(c) for c in self.choices)
        return [" ".join(self.names), self.kind, self.type, choices, self.default, self.place]

    def is_required(self):
        return self.kind.endswith(" required")


@dataclass
class Table:
    program: str = ""
    version: str = ""
    rows: list = field(default_factory=list)
    header: dict = field(default_factory=dict)

    def by_name(self):
        return {name: row for row in self.rows for name in row.names}


def cell(value):
    return str(value).replace("\t", " ").replace("\n", " ")


def default_text(value):
    """A default in a cell: short, on one line; "" where there is none."""
    if value is None:
        return ""
    text = cell(value)
    return text if len(text) <= 60 else ""


def sorted_rows(rows):
    """By name; rows of one name become one, which takes what any of them takes."""
    found = {}
    for row in rows:
        known = found.get(row.names[0])
        found[row.names[0]] = row if known is None else both(known, row)
    return [found[name] for name in sorted(found)]


def both(a, b):
    words = [w for w in a.type.split("|") if w]
    words += [w for w in b.type.split("|") if w and w not in words]
    choices = None
    if a.choices is not None and b.choices is not None:
        choices = a.choices + [c for c in b.choices if c not in a.choices]
    names = a.names + [n for n in b.names if n not in a.names]
    kind = a.kind if a.kind == b.kind else a.kind.removesuffix(" required")
    return Row(names, kind, "|".join(words), choices, a.default or b.default, a.place)


def write(path, header, rows):
    """header: (name, value) of HEADER, in its order; sources in the order of their numbers."""
    lines = [f"# {name}\t{value}" for name, value in header]
    lines.append("\t".join(COLUMNS))
    lines += ["\t".join(row.cells()).rstrip("\t") for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


class BadTable(Exception):
    pass


def read(path):
    table = Table()
    is_heading = True
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("# "):
            name, _, value = line[2:].partition("\t")
            if name not in HEADER:
                raise BadTable(f"{path}:{number}: unknown header '{name}'; known are "
                               + ", ".join(HEADER))
            table.header.setdefault(name, []).append(value)
        elif is_heading:
            is_heading = False
            if tuple(line.split("\t")) != COLUMNS:
                raise BadTable(f"{path}:{number}: the columns must be {' '.join(COLUMNS)}; write "
                               "the table again with read_options.py")
        else:
            table.rows.append(row_of(path, number, line))
    if is_heading:
        raise BadTable(f"{path}:1: no line of columns; write the table again with read_options.py")
    table.program = table.header.get("program", [""])[0]
    table.version = table.header.get("version", [""])[0]
    return table


def row_of(path, number, line):
    cells = line.split("\t")
    if len(cells) > len(COLUMNS) or not cells[0]:
        raise BadTable(f"{path}:{number}: {len(cells)} cells, where {len(COLUMNS)} columns are; "
                       "write the table again with read_options.py")
    cells += [""] * (len(COLUMNS) - len(cells))
    choices = cells[3].split("|") if cells[3] else None
    return Row(cells[0].split(" "), cells[1], cells[2], choices, cells[4], cells[5])
