"""Reference pages, of what the program says of itself and of the tables of the documents that a
test holds equal to those of the program."""
import json
import posixpath
import re
import subprocess
import tempfile
from pathlib import Path, PurePosixPath

from documents import plain
from page_text import page_text

FOLDER = "reference"
KEYS = re.compile(r"^<!-- keys: [\w-]+ -->$")


def printed(program, *arguments):
    return subprocess.run([program, *arguments], check=True, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE).stdout


def commands_of(program):
    """Names of all commands: those that have a manual page."""
    with tempfile.TemporaryDirectory() as folder:
        printed(program, "help", "--man", folder)
        pages = {p.stem.removeprefix("scalesweep-") for p in Path(folder).iterdir()}
    first = printed(program, "help")
    # In the order of the first page.
    return sorted(pages - {"scalesweep"}, key=lambda name: first.find(f"\n  {name} "))


def fenced(text):
    return "```text\n" + text.strip("\n") + "\n```\n"


def commands_page(program):
    parts = ["# Commands", "", "As `scalesweep help` and `scalesweep COMMAND --help` print it.", "",
             fenced(printed(program, "help"))]
    for name in commands_of(program):
        parts += [f"## scalesweep {name}", "", fenced(printed(program, name, "--help"))]
    return "\n".join(parts)


def tables(document, is_header):
    """(heading, lines) of each table whose header line is wanted, with the heading before it."""
    lines = document.lines
    number = 0
    while number < len(lines):
        if not lines[number].startswith("|"):
            number += 1
            continue
        first = number
        while number < len(lines) and lines[number].startswith("|"):
            number += 1
        if is_header(lines, first):
            heading = [h for h in document.headings if h.line < first][-1]
            yield heading, lines[first:number]


def keys_page(title, schema, document, links, page):
    """All tables of keys of a document below one another, each with its heading."""
    to_schema = posixpath.relpath(schema, FOLDER)
    parts = [f"# {title}", "", f"For editors: [{posixpath.basename(schema)}]({to_schema}), a JSON "
             "schema.", ""]
    last = None
    for heading, table in tables(document, lambda lines, at: at > 0 and KEYS.match(lines[at - 1])):
        if heading is not last:
            there, anchor = links.place(document.path, heading.anchor)
            to = posixpath.relpath(there, FOLDER)
            parts += [f"## {heading.title}", "", f"[More of it]({to}#{anchor})", ""]
        parts += [page_text(table, links, document.path, page, 0), ""]
        last = heading
    return "\n".join(parts)


def cells(row):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def columns_page(document, links, page):
    """The columns of FORMAT.md by kind of study."""
    parts = ["# Columns by kind of study", ""]
    _, table = next(tables(document, lambda lines, at: cells(lines[at])[:2] == ["Column", "Kinds"]))
    head, rows = cells(table[0]), [cells(row) for row in table[2:]]
    kinds = []
    for row in rows:
        kinds += [kind for kind in re.split(r",\s*", row[1]) if kind not in (*kinds, "all")]
    there = posixpath.relpath(links.place(document.path, "columns")[0], FOLDER)
    parts += [f"Beside these: `point_id`, the axes, the strategy, `status` ([more]({there})).", ""]
    for kind in kinds:
        table = ["| " + " | ".join([head[0], *head[2:]]) + " |", "|---" * (len(head) - 1) + "|"]
        for row in rows:
            if kind in re.split(r",\s*", row[1]) or row[1] == "all":
                table.append("| " + " | ".join([row[0], *row[2:]]) + " |")
        parts += [f"## {plain(kind)}", "", page_text(table, links, document.path, page, 0), ""]
    return "\n".join(parts)


def exit_codes_page(document, links, page):
    _, table = next(tables(document, lambda lines, at: cells(lines[at])[0] == "exit code"))
    there = posixpath.relpath(links.place(document.path, "")[0], FOLDER)
    return "\n".join(["# Exit codes", "", page_text(table, links, document.path, page, 0), "",
                      f"From [{document.path}]({there})."])


def entries_page(program):
    """What `scalesweep catalog list` lists, by kind."""
    entries = json.loads(printed(program, "catalog", "list", "--format", "json"))["entries"]
    parts = ["# Entries of the catalog", "", "As `scalesweep catalog list` prints them: how many "
             "values of each are known how. `scalesweep catalog show NAME` prints an entry.", ""]
    by_kind = {}
    for entry in entries:
        by_kind.setdefault(entry["kind"], []).append(entry)
    for kind, rows in by_kind.items():
        parts += [f"## {kind}", "", "| name | values |", "|---|---|"]
        parts += [f"| `{row['name']}` | {row['values']} |" for row in rows]
        parts.append("")
    return "\n".join(parts)


def reference_pages(program, documents, links):
    """(title, path, text) of all reference pages."""
    known = {d.path: d for d in documents}
    sweeps, nodes = (known[PurePosixPath(f"{f}/README.md")] for f in ("sweeps", "nodes"))
    page = f"{FOLDER}/index.md"  # all stand in one folder
    return [
        ("Commands", f"{FOLDER}/commands.md", commands_page(program)),
        ("Keys of a spec", f"{FOLDER}/spec.md",
         keys_page("Keys of a spec", "schemas/spec.json", sweeps, links, page)),
        ("Keys of the catalog", f"{FOLDER}/catalog-keys.md",
         keys_page("Keys of the catalog", "schemas/catalog.json", nodes, links, page)),
        ("Entries of the catalog", f"{FOLDER}/catalog.md", entries_page(program)),
        ("Columns by kind of study", f"{FOLDER}/columns.md",
         columns_page(known[PurePosixPath("FORMAT.md")], links, page)),
        ("Exit codes", f"{FOLDER}/exit-codes.md",
         exit_codes_page(known[PurePosixPath("slurm/README.md")], links, page)),
    ]
