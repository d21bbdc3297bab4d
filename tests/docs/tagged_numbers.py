"""Numbers in sentences and tables of documents, and which command prints them.

A number that a command prints stands before a remark that readers do not see:

    12.6<!--n generations.total-->

numbers.toml says under `generations` what is run, and under `total` what of its output it is.
"""
import json
import re
from dataclasses import dataclass

NUMBER = r"-?\d+(?:,\d{3})*(?:\.\d+)?"
TAGGED = re.compile(rf"({NUMBER})<!--n ([\w-]+)\.([\w-]+)-->")
FACTOR = re.compile(r"^(.*?)(?: ([*/]) ([\d.e+-]+))?$")
# Neither measured nor computed: code, links, and what stands in remarks.
NOT_READ = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)|<!--(?!n ).*?-->", re.DOTALL)


@dataclass
class Tagged:
    start: int  # of the number in its document
    end: int
    text: str
    group: str
    name: str


def tagged_numbers(text):
    for match in TAGGED.finditer(text):
        yield Tagged(match.start(1), match.end(1), match[1], match[2], match[3])


def formatted(value, like):
    """A value as it would stand where `like` does: with as many decimals."""
    decimals = len(like.partition(".")[2])
    text = f"{value:,.{decimals}f}"
    grouped = "," in like or abs(value) >= 10000
    return text if grouped else text.replace(",", "")


def at_path(printed, path):
    """Of JSON: "rows.0.step_time"."""
    for part in path.split("."):
        printed = printed[int(part) if isinstance(printed, list) else part]
    return float(printed)


def value_in(printed, wanted, is_json):
    """What a row of numbers.toml asks for: a regular expression whose group is the number, or of
    JSON a path, and behind it "* 100" or "/ 1e9"."""
    path, sign, factor = FACTOR.match(wanted).groups()
    if is_json:
        value = at_path(json.loads(printed), path)
    else:
        found = re.search(path, printed, re.MULTILINE)
        if not found:
            raise ValueError(f"nothing is like {path} in:\n{printed[:2000]}")
        value = float(found[1].replace(",", ""))
    if sign:
        value = value * float(factor) if sign == "*" else value / float(factor)
    return value


def untagged_decimals(text):
    """Numbers with decimals that no command stands for."""
    kept = NOT_READ.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    tagged = {number.start for number in tagged_numbers(kept)}
    for match in re.finditer(r"(?<![\w.,-])\d[\d,]*\.\d+(?![\w.]*\d)", kept):
        if match.start() not in tagged:
            yield match.start(), match[0]


# Tables: numbers.toml says which row of a query each number of a cell is.

def table_lines(lines, header):
    """Numbers of the lines below a header, which begins so and has its line of dashes below it."""
    found = [n for n, line in enumerate(lines) if line.startswith(header)]
    if len(found) != 1:
        raise ValueError(f"{len(found)} tables begin with {header}")
    number = found[0] + 2
    while number < len(lines) and lines[number].startswith("|"):
        yield number
        number += 1


def row_with(rows, wanted):
    """The one row that has all these values."""
    found = [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]
    if len(found) != 1:
        raise ValueError(f"{len(found)} rows have {wanted}")
    return found[0]


def renewed_cell(cell, places, rows, row_is, value):
    """A cell with the numbers of its places, in their order; other words stay."""
    places = iter(places)

    def renewed(match):
        place = next(places, None)
        if place is None:
            return match[0]
        wanted = {**row_is, **place}
        column, factor = wanted.pop("value", value), wanted.pop("times", 1.0)
        per = wanted.pop("per", None)
        row = row_with(rows, wanted)
        return formatted(row[column] * factor / (row[per] if per else 1.0), match[0])

    return re.sub(NUMBER, renewed, cell)


def renewed_table(lines, row, rows):
    """(number of a line, the line as it should be) of a table of numbers.toml."""
    for number in table_lines(lines, row["header"]):
        cells = lines[number].strip("|").split("|")
        label = cells[0].strip()
        if label not in row["rows"]:
            continue
        fresh = [renewed_cell(cell, places, rows, row["rows"][label], row.get("value"))
                 for cell, places in zip(cells[1:], row["cells"])]
        yield number, "|" + "|".join([cells[0], *fresh, *cells[1 + len(fresh):]]) + "|"
