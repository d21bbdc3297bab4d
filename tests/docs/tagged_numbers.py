"""Numbers in sentences of documents, and which command prints them.

A number that a command prints stands before a remark that readers do not see:

    12.6<!--n generations.total-->

The tables of numbers/ say under `generations` what is run, and under `total` what of its output it
is.
"""
import json
import re
from dataclasses import dataclass

NUMBER = r"[-+−]?\d+(?:,\d{3})*(?:\.\d+)?"
TAGGED = re.compile(rf"(?<![\w.,])({NUMBER})<!--n ([\w-]+)\.([\w.-]+)-->")
FACTOR = re.compile(r"^(.*?)(?: ([*/]) ([\d.e+-]+))?$")
# Neither measured nor computed: code, links, tables (numeric_tables.py) and what stands in remarks.
NOT_READ = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)|<!--(?!n ).*?-->|^(?: {4,}|\|).*?$",
                      re.DOTALL | re.MULTILINE)


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


def formatted(value, like, minus=None):
    """A value as it would stand where `like` does: with as many decimals, and where a sign for
    `minus` is named, with a plus as well."""
    decimals = len(like.partition(".")[2])
    text = f"{value:,.{decimals}f}"
    grouped = "," in like or abs(value) >= 10000
    text = text if grouped else text.replace(",", "")
    if not any(digit in text for digit in "123456789"):
        return text.lstrip("-")
    if minus:
        return minus + text[1:] if text.startswith("-") else "+" + text
    return text


def at_path(printed, path):
    """Of JSON: "rows.0.step_time"."""
    if isinstance(printed, dict) and path in printed:
        return printed[path]
    for part in path.split("."):
        printed = printed[int(part) if isinstance(printed, list) else part]
    return printed


def value_in(printed, wanted, is_json):
    """What a row of numbers/ asks for: a regular expression whose group is the number, or of
    JSON a path, and behind it "* 100" or "/ 1e9"."""
    path, sign, factor = FACTOR.match(wanted).groups()
    if is_json:
        value = float(at_path(json.loads(printed), path))
    else:
        found = re.search(path, printed, re.MULTILINE)
        if not found:
            raise ValueError(f"nothing is like {path} in:\n{printed[:2000]}")
        value = float(found[1].replace(",", ""))
    if sign:
        value = value * float(factor) if sign == "*" else value / float(factor)
    return value


def untagged_results(text):
    """Numbers with decimals, percentages and ratios that no command stands for."""
    kept = NOT_READ.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    tagged = {number.start for number in tagged_numbers(kept)}
    for match in re.finditer(r"(?<![\w.,:-])[-+−]?\d[\d,]*(?:\.\d+(?![\w.]*\d)|(?=\s[%×]))", kept):
        if match.start() not in tagged:
            yield match.start(), match[0]
