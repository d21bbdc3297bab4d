"""The documents that the site is made of: their headings, and their parts as pages.

A document is a Markdown file of the tree. It becomes one page, or one page for what stands before
its first second-level heading and one for each of those. Nothing is written by hand but
`site.toml`: which document stands in which part of the site, and which are divided.
"""
import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

FENCE = re.compile(r"^\s*(```|~~~)")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
INLINE_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


def slug(title):
    """The anchor that repositories on the web give a heading."""
    text = INLINE_LINK.sub(r"\1", title).lower()
    return re.sub(r"[^\w\- ]", "", text).strip("\n").replace(" ", "-")


def plain(title):
    """A heading without its marks, for navigation."""
    return re.sub(r"[`*]", "", INLINE_LINK.sub(r"\1", title))


@dataclass
class Heading:
    level: int
    title: str
    anchor: str  # in its document
    line: int


@dataclass
class Page:
    path: str  # in the site, ending in .md
    title: str
    document: PurePosixPath  # whose text it is
    first: int  # lines of the document
    end: int
    promoted: int  # by how many levels its headings are raised


@dataclass
class Document:
    path: PurePosixPath
    lines: list
    headings: list = field(default_factory=list)
    pages: list = field(default_factory=list)

    def heading(self, anchor):
        """The heading of an anchor, or None."""
        return next((h for h in self.headings if h.anchor == anchor), None)

    def section(self, heading):
        """Lines of a heading's text, without the heading, down to the next of its level."""
        end = next((h.line for h in self.headings
                    if h.line > heading.line and h.level <= heading.level), len(self.lines))
        return heading.line + 1, end

    def page_of(self, line):
        return next(p for p in reversed(self.pages) if p.first <= line)


def pieces(lines):
    """(whether code, lines) of fenced blocks and what stands between them."""
    piece, fence = [], None
    for line in lines:
        match = FENCE.match(line)
        if fence is None and match:
            if piece:
                yield False, piece
            piece, fence = [line], match.group(1)
        elif fence is not None and match and match.group(1) == fence:
            yield True, [*piece, line]
            piece, fence = [], None
        else:
            piece.append(line)
    if piece:
        yield fence is not None, piece


def outside_fences(lines):
    """(number, line) of all lines that are no code between fences."""
    number = 0
    for code, piece in pieces(lines):
        if not code:
            yield from enumerate(piece, number)
        number += len(piece)


def headings_of(lines):
    counts, found = {}, []
    for number, line in outside_fences(lines):
        match = HEADING.match(line)
        if not match:
            continue
        anchor = slug(match.group(2))
        seen = counts.get(anchor, 0)
        counts[anchor] = seen + 1
        found.append(Heading(len(match.group(1)), match.group(2),
                             f"{anchor}-{seen}" if seen else anchor, number))
    return found


def read_document(root, path, folder, divided):
    """A document with its pages below `folder` of the site."""
    lines = (root / path).read_text(encoding="utf-8").split("\n")
    document = Document(PurePosixPath(path), lines, headings_of(lines))
    title = document.headings[0].title if document.headings else document.path.stem
    starts = [h for h in document.headings if h.level == 2] if divided else []
    ends = [h.line for h in starts[1:]] + [len(lines)]
    name = "index" if divided else page_name(document.path)
    document.pages = [Page(f"{folder}/{name}.md", title, document.path, 0,
                           starts[0].line if starts else len(lines), 0)]
    for heading, end in zip(starts, ends):
        document.pages.append(Page(f"{folder}/{heading.anchor.strip('-') or 'part'}.md",
                                   heading.title, document.path, heading.line, end, 1))
    return document


def page_name(path):
    """A README is named after its folder, other files after themselves; of all folders the last
    three parts, so that names stay apart."""
    parts = list(path.parts[:-1]) if path.stem == "README" else [*path.parts[:-1], path.stem]
    return "-".join(part.strip(".").lower().replace("_", "-") for part in parts[-3:]) or "readme"


def tracked_documents(root, git):
    """Every Markdown file of the tree, as git knows it or, of a copy without git, as it lies."""
    listed = git("ls-files", "--cached", "--others", "--exclude-standard", "*.md")
    if listed is None:
        listed = [str(p.relative_to(root)) for p in root.rglob("*.md")
                  if not {"build", "results", "node_modules"} & set(p.relative_to(root).parts)]
    return sorted(path for path in listed if (root / path).is_file())
