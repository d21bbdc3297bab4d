"""Where in the rows that a command prints a number is.

A place has the values of columns that the row has (a list: one of them), and
  value   the column of the number ("a.b": of a table in it), or several that are added up
  times   a factor; per: a column to divide by
  over    divided by the row that differs in these columns (and in no other of the source's `keys`)
  form    "%": in percent; "less %", "more %": by how much less or more than 1
  pick    "least", "most", "mean", "sum" or "count" of all rows that have these values
  sign    for numbers that have one written: what stands for minus
  whole   true: not a number of the cell but all of it, as it is printed
  of      what stands for {} in the command of a table
  text    in place of columns: a regular expression whose group is the number in what is printed
"""
import re

from tagged_numbers import NUMBER, at_path, formatted

OPTIONS = {"value", "times", "per", "over", "form", "pick", "sign", "keys", "text", "of",
           "whole"}
PICKED = {"least": min, "most": max, "sum": sum,
          "mean": lambda values: sum(values) / len(values)}
FORMS = {None: lambda ratio: ratio, "%": lambda ratio: 100 * ratio,
         "less %": lambda ratio: 100 * (1 - ratio), "more %": lambda ratio: 100 * (ratio - 1)}


def has(row, key, value):
    """`none`, as specs write it, is no value."""
    own = "none" if row.get(key) is None else row[key]
    return own in value if isinstance(value, list) else own == value


def rows_with(rows, wanted):
    return [row for row in rows if all(has(row, key, value) for key, value in wanted.items())]


def row_with(rows, wanted):
    """The one row that has all these values."""
    found = rows_with(rows, wanted)
    if len(found) != 1:
        raise ValueError(f"{len(found)} rows have {wanted}")
    return found[0]


def of_row(row, place):
    columns = place["value"] if isinstance(place["value"], list) else [place["value"]]
    value = sum(at_path(row, column) for column in columns)
    return value * place.get("times", 1.0) / (
        at_path(row, place["per"]) if "per" in place else 1.0)


def of_row_known(row, place):
    return isinstance(place["value"], list) or at_path(row, place["value"]) is not None


def against(rows, row, place, wanted):
    """Of a row, its number over that of the row that differs from it as `over` says; None where
    there is no such row."""
    if "over" not in place:
        return of_row(row, place)
    other = dict(place["over"])
    value = {key: other.pop(key) for key in list(other) if key in OPTIONS}
    alike = {key: row[key] for key in place["keys"]} if "keys" in place else dict(wanted)
    found = rows_with(rows, alike | other)
    return of_row(row, place) / of_row(found[0], place | value) if len(found) == 1 else None


def value_at(rows, place, default=None):
    place = {**(default or {}), **place}
    wanted = {key: value for key, value in place.items() if key not in OPTIONS}
    if place.get("whole"):
        return str(at_path(row_with(rows, wanted), place["value"]))
    place = {key: value for key, value in place.items() if key in OPTIONS}
    found = rows_with(rows, wanted) if "pick" in place else [row_with(rows, wanted)]
    if place.get("pick") == "count":
        return len(found)
    if "pick" in place:  # of those that have such a number
        found = [row for row in found if of_row_known(row, place)]
    values = [against(rows, row, place, wanted) for row in found]
    values = [FORMS[place.get("form")](value) for value in values if value is not None]
    if not values:
        raise ValueError(f"no row to compare with: {place}")
    return PICKED[place["pick"]](values) if "pick" in place else values[0]


# Tables: numbers/ says which row of a query each number of a cell is.

def table_lines(lines, header):
    """Numbers of the lines below a header, which begins so and has its line of dashes below it."""
    found = [n for n, line in enumerate(lines) if line.startswith(header)]
    if len(found) != 1:
        raise ValueError(f"{len(found)} tables begin with {header}")
    number = found[0] + 2
    while number < len(lines) and lines[number].startswith("|"):
        yield number
        number += 1


def renewed_cell(cell, places, number, all_of_them):
    """A cell with the numbers of its places, in their order; other words stay."""
    if places and places[0].get("whole"):
        return f" {number(places[0])} "
    places = iter(places)

    def renewed(match):
        place = next(places, None)
        if place is None:
            return match[0]
        return formatted(number(place), match[0], place.get("sign"))

    fresh = re.sub(rf"(?<![\w.]){NUMBER}", renewed, cell)
    left = next(places, None)
    if all_of_them and left is not None and any(char.isdigit() for char in cell):
        raise ValueError(f"'{cell.strip()}' has no number for {left}")
    return fresh


def places_of(row, label):
    """Of a row of a table, the places of each cell: those of the columns, for the row that the
    label stands for, or where that is a list, for each of it."""
    of, default = row["rows"][label], row.get("where", {})
    default = default | {key: row[key] for key in OPTIONS if key in row}
    if not isinstance(of, list):
        return [[{**default, **of, **place} for place in cell] for cell in row["cells"]]
    of = [{row["by"]: one} if isinstance(one, str) else one for one in of]
    return [[{**default, **one, **column} for one in of if column] for column in row["columns"]]


def renewed_table(lines, row, number):
    """(number of a line, the line as it should be) of a table of numbers/, whose rows are told by
    their first cell, or that of the column `label`. `number` finds what is at a place."""
    seen, first = set(), row.get("label", 0)
    for line in table_lines(lines, row["header"]):
        cells = lines[line].strip("|").split("|")
        label = cells[first].strip()
        if label not in row["rows"]:
            continue
        seen.add(label)
        fresh = [renewed_cell(cell, wanted, number, isinstance(row["rows"][label], list))
                 for cell, wanted in zip(cells[first + 1:], places_of(row, label))]
        cells[first + 1:first + 1 + len(fresh)] = fresh
        yield line, "|" + "|".join(cells) + "|"
    if seen != set(row["rows"]):
        raise ValueError(f"{row['header']} has no rows {set(row['rows']) - seen}")


def printed_table(lines, row, printed):
    """The same of a table that a command prints as it stands in the document."""
    fresh = [line for line in printed.split("\n") if line.startswith("|")][2:]
    numbers = list(table_lines(lines, row["header"]))
    if len(fresh) != len(numbers):
        raise ValueError(f"{row['header']}: {len(numbers)} rows, {len(fresh)} are printed")
    yield from zip(numbers, fresh)
