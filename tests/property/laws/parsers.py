"""Readers of what documents show, as their targets read them and not as we write them."""
import html.parser
import re

# Not to be heard by a terminal: controls but line breaks and tabs, C1 controls, marks that turn the
# direction of a text, separators of lines.
HEARD = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text):
    """What a terminal is shown of a text."""
    return HEARD.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def plain(text):
    """Without controls and with one blank for many, as HTML and Markdown show it."""
    return " ".join(re.sub("[\x00-\x1f\x7f]", " ", text).split())


class Html(html.parser.HTMLParser):
    """Tags in their order, with the names of their attributes, and the texts by tag."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.texts, self._open = [], {}, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        self._open.append(tag)

    def handle_endtag(self, tag):
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data):
        if self._open:
            self.texts.setdefault(self._open[-1], []).append(data)


# Signs of Markdown in a line (CommonMark 0.31, tables, strikethrough and formulas of GitHub).
SIGNS = "*_`[]<>&|~$"
PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def shown_line(text):
    """What a line of prose shows, and which signs of it are markup."""
    shown, markup, at = "", [], 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text) and text[at + 1] in PUNCTUATION:
            shown += text[at + 1]
            at += 2
            continue
        if text[at] in SIGNS:
            markup.append(text[at])
        shown += text[at]
        at += 1
    return plain(shown), markup


def cells(row):
    """Of a row of a table of GitHub's: only a sign behind a backslash does not split."""
    found = [""]
    at = 0
    while at < len(row):
        if row[at] == "\\" and at + 1 < len(row):
            found[-1] += row[at:at + 2]
            at += 2
        elif row[at] == "|":
            found.append("")
            at += 1
        else:
            found[-1] += row[at]
            at += 1
    return [one.strip() for one in found[1:-1]]


def outside_of_fences(document):
    """Lines that are no block of code."""
    fence = ""
    for line in document.split("\n"):
        mark = re.match("`{3,}", line)
        if fence:
            fence = "" if line.startswith(fence) and not line.strip("`") else fence
        elif mark:
            fence = mark[0]
        else:
            yield line


def tables(document):
    """Rows of every table, without the line below the header."""
    table = []
    for line in outside_of_fences(document):
        if line.startswith("|"):
            table.append(cells(line))
        elif table:
            yield table[:1] + table[2:]
            table = []
