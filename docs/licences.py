"""Whose the programs and styles in the pages of the site are: a page made of what the theme says.

The theme comes with its scripts bundled; its source maps name the npm packages in them, and hold
the notices that stand in their sources.
"""
import json
import re
from pathlib import Path

PACKAGE = re.compile(r".*node_modules/((?:@[^/]+/)?[^/]+)/")
NOTICE = re.compile(r"/\*.*?\*/", re.DOTALL)
ABOUT = re.compile(r"copyright|licen[cs]e", re.IGNORECASE)


def packages(theme):
    """{name of a package: notices in its sources}, of all source maps in a folder."""
    found = {}
    for path in sorted(theme.rglob("*.map")):
        chart = json.loads(path.read_text(encoding="utf-8"))
        for source, text in zip(chart["sources"], chart.get("sourcesContent") or ()):
            if match := PACKAGE.match(source):
                notices = found.setdefault(match.group(1), [])
                notices += [comment for comment in NOTICE.findall(text or "")
                            if ABOUT.search(comment) and comment not in notices]
    return found


def of_the_theme(theme):
    """What a theme says of itself: beside it where it is a Python package, or as Debian has it."""
    places = [*theme.parent.glob("mkdocs_material-*/**/LICENSE*"),
              Path("/usr/share/doc/mkdocs-material/copyright")]
    texts = [place.read_text(encoding="utf-8") for place in places if place.is_file()]
    # Of Debian's file, what holds for scripts and styles: icons of others are not in our pages.
    return texts[0].partition("\nFiles: material/.icons")[0].strip() if texts else None


def block(text):
    return "```text\n" + "\n".join(line.rstrip() for line in text.splitlines()) + "\n```\n"


def licence_page(theme):
    """Markdown of the page."""
    parts = ["# Licences of this site\n",
             "Pages are made by MkDocs with the theme Material for MkDocs, whose scripts and "
             "styles stand in them.\n"]
    if text := of_the_theme(theme):
        parts += ["## The theme\n", block(text)]
    parts += ["## Packages in its scripts\n",
              "By its source maps; each with the notices in its sources.\n"]
    for name, notices in sorted(packages(theme).items()):
        parts.append(f"### {name}\n")
        parts.append("\n".join(map(block, notices)) if notices else
                     f"Its sources have no notice; [its package](https://www.npmjs.com/package/"
                     f"{name}) has its licence.\n")
    return "\n".join(parts)
