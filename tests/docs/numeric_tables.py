"""Tables of documents that have columns of numbers."""
import re

DASHES = re.compile(r"^\|[-:| ]+\|$")
A_NUMBER = re.compile(r"[~<>]?[-+−]?\d[\d,.]*(?![\w,.-])")
MADE = re.compile(r"<!-- (?!end)[^>]*-->.*?<!-- end[^>]*-->", re.DOTALL)


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def is_numeric(cells):
    """Of a column, whether half of the cells that are not empty begin with a number."""
    filled = [cell for cell in cells if cell]
    numbers = [cell for cell in filled if A_NUMBER.match(cell)]
    return len(numbers) >= max(2, len(filled) / 2)


def numeric_tables(text):
    """(number of the line, header, whether every number is tagged) of each; not those that a test
    makes as a whole, between remarks."""
    text = MADE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not DASHES.match(line):
            continue
        end = number + 1
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        rows = [cells_of(row) for row in lines[number + 1:end]]
        width = max((len(row) for row in rows), default=0)
        columns = [[row[n] for row in rows if n < len(row)] for n in range(1, width)]
        numeric = [column for column in columns if is_numeric(column)]
        if numeric:
            tagged = all("<!--n " in cell for column in numeric for cell in column
                         if A_NUMBER.match(cell))
            yield number, lines[number - 1], tagged
