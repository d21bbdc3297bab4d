"""Commands and documents in what `scalesweep launch` prints: shell text with files in it."""
import re
import shlex
from dataclasses import dataclass

HERE_DOCUMENT = re.compile(r"^\s*cat >\s*(\S+)\s*<<\s*'?(\w+)'?\s*$")
ENDS = {"&", ";", "|", "&&", "||", ">", ">>", "done", "fi"}


@dataclass
class Text:
    name: str     # of the file; "command" for what is typed
    lines: list   # (number, text)

    def text(self):
        return "\n".join(line for _, line in self.lines) + "\n"


@dataclass
class Word:
    text: str
    place: str


class Unclosed(Exception):
    """Quotes that are not closed, with their place."""


def texts(name, text):
    """The text itself without the files in it, and those files, files in them likewise."""
    own = Text(name, [])
    found = []
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        opened = HERE_DOCUMENT.match(lines[at])
        if not opened:
            own.lines.append((at + 1, lines[at]))
            at += 1
            continue
        inner, end = opened.groups()
        first = at + 1
        at = first
        while at < len(lines) and lines[at] != end:
            at += 1
        path = inner if name == "command" else f"{name}/{inner}"
        found += texts(path, "\n".join(lines[first:at]))
        at += 1
    return [own] + found


def commands(text, starts):
    """Words behind what starts a program, of each command of a text that does."""
    found, current, is_open = [], [], False
    for number, line in text.lines:
        bare = line.strip()
        if not is_open and bare.startswith("#"):
            continue
        goes_on = bare.endswith("\\")
        words = split(bare.removesuffix("\\"), f"{text.name}:{number}")
        current += words
        is_open = goes_on
        if not goes_on:
            found += started(current, starts)
            current = []
    return found + started(current, starts)


def split(line, place):
    try:
        return [Word(word, place) for word in shlex.split(line, comments=True)]
    except ValueError:
        if not any(mark in line for mark in ("--", "=")) or line.count("'") == 1:
            return []  # a sentence of a manifest, such as don't
        raise Unclosed(f"{place}: quotes are not closed in '{line.strip()}'; close them") from None


def started(words, starts):
    texts_of = [w.text for w in words]
    for start in starts:
        for at in range(len(words) - len(start) + 1):
            if texts_of[at:at + len(start)] == list(start):
                rest = words[at + len(start):]
                stop = next((i for i, w in enumerate(rest) if w.text in ENDS), len(rest))
                return [rest[:stop]]
    return []
