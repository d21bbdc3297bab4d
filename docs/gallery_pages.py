"""Pages of the gallery, of what gallery.py left: one of all studies, one of each."""
import html
import json
import re
import struct
from pathlib import PurePosixPath

from gallery import settings
from page_text import page_text
from reference import cells, tables

FOLDER = "gallery"
STUDIES = PurePosixPath("sweeps/README.md")
FRONT = "---\nhide:\n  - navigation\n  - toc\n---\n"  # room for cards
MOST_PARTS = 3  # of a figure that is drawn once for each of many combinations
DRAWN_DPI, SHOWN_DPI = 300, 125  # figures are drawn for print: as large as their words are readable


def asked(documents):
    """What each study of sweeps/ asks, by the table of its README."""
    document = next(d for d in documents if d.path == STUDIES)
    _, table = next(tables(document, lambda lines, at: cells(lines[at])[:2] == ["file", "study"]))
    return {cells(row)[0].strip("`").removesuffix(".toml"): cells(row)[1] for row in table[2:]}


def first_answer(verdict):
    """What is asked and found first, as a line for a card."""
    heading = verdict.split("\n", 1)[0].removeprefix("Verdict: ")
    best = re.search(r"^    best +(.*)$", verdict, re.MULTILINE)
    return heading, best[1] if best else ""


def card(name, about):
    heading, best = first_answer(about["verdict"])
    image = f'<img src="{name}/thumbnail.png" alt="{html.escape(about["chosen"] or "")}" ' \
            'loading="lazy">' if about["chosen"] else ""
    return (f'<a class="card" href="{name}.html">{image}<strong>{html.escape(about["title"])}'
            f'</strong><span>{html.escape(heading)}</span><em>{html.escape(best)}</em></a>')


def duration(seconds):
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def picture(file, source, figure):
    """A figure in the size of its words, whatever its width."""
    with file.open("rb") as png:
        width = struct.unpack(">I", png.read(24)[16:20])[0]
    return f'<img src="{source}" alt="{figure}" width="{width * SHOWN_DPI // DRAWN_DPI}">'


def family(figure):
    """What parts of one figure have in common: frontier of frontier-1 and frontier-2."""
    known = ("step-time", "time-per-output-token")
    return next((k for k in known if figure.startswith(k)), figure.partition("-")[0])


def shown_figures(about):
    """(figures that a page shows, how many parts of which it leaves out)."""
    shown, left = [], {}
    order = [about["chosen"], *(f for f in about["figures"] if f != about["chosen"])]
    for figure in order if about["chosen"] else []:
        of = family(figure)
        if sum(family(f) == of for f in shown) < MOST_PARTS:
            shown.append(figure)
        else:
            left[of] = left.get(of, 0) + 1
    return shown, left


def study_page(name, about, question, links, root, folder):
    page = f"{FOLDER}/{name}.md"
    parts = [f"# {about['title']}", ""]
    if question:
        parts += [page_text([question[0].upper() + question[1:]], links, STUDIES, page, 0), ""]
    parts += ["```sh", *about["commands"], "```", "",
              f"Took {duration(about['run_s'])} to run on {about['ranks']} ranks, and "
              f"{duration(about['analyze_s'])} to analyze.", ""]
    if about["verdict"]:
        parts += ["## Verdict", "", "```text", about["verdict"], "```", ""]
    parts += ["## Figures", ""]
    shown, left = shown_figures(about)
    for figure in shown:
        file = about["figures"][figure]
        parts += [f"### {figure}", "", picture(folder / name / file, f"{name}/{file}", figure), ""]
    if left:
        parts += ["Drawn as well, for other combinations: " +
                  ", ".join(f"{count} of {of}" for of, count in left.items()) + ".", ""]
    spec = (root / about["spec"]).read_text(encoding="utf-8").rstrip("\n")
    parts += ["## Spec", "", "```toml", spec, "```", ""]
    return page, "\n".join(parts)


def gallery_pages(folder, documents, links, root):
    """(title, path, text) of the gallery's pages, and (source, path) of its pictures."""
    studies = {p.parent.name: json.loads(p.read_text(encoding="utf-8"))
               for p in sorted(folder.glob("*/study.json"))}
    if not studies:
        return [], []
    questions = asked(documents)
    cards = "\n".join(card(name, about) for name, about in studies.items())
    text = FRONT + "# Gallery\n\nWhat the studies of `sweeps/` come to, and by which commands." \
           f'\n\n<div class="cards">\n{cards}\n</div>\n'
    left_out = {name: row["left_out"] for name, row in settings().items() if "left_out" in row}
    missing = {name: left_out.get(name, "not run for this gallery")
               for name in questions if name not in studies}
    if missing:
        text += "\nNot here: " + "; ".join(f"`{n}`, {why}" for n, why in missing.items()) + ".\n"
    pages = [("Gallery", f"{FOLDER}/index.md", text)]
    pictures = []
    for name, about in studies.items():
        page, body = study_page(name, about, questions.get(name), links, root, folder)
        pages.append((about["title"], page, body))
        files = [about["figures"][figure] for figure in shown_figures(about)[0]]
        files += ["thumbnail.png"] if about["chosen"] else []
        pictures += [(folder / name / file, f"{FOLDER}/{name}/{file}") for file in files]
    return pages, pictures
