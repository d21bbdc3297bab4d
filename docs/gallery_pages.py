"""Pages of the gallery, of what gallery.py left: one of all studies, one of each."""
import html
import json
import re
from pathlib import PurePosixPath

from gallery import settings
from page_text import page_text
from reference import cells, tables

FOLDER = "gallery"
STUDIES = PurePosixPath("sweeps/README.md")


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


def study_page(name, about, question, links, root):
    page = f"{FOLDER}/{name}.md"
    parts = [f"# {about['title']}", ""]
    if question:
        parts += [page_text([question[0].upper() + question[1:]], links, STUDIES, page, 0), ""]
    parts += ["```sh", *about["commands"], "```", "",
              f"Took {duration(about['run_s'])} and {duration(about['analyze_s'])}.", ""]
    if about["verdict"]:
        parts += ["## Verdict", "", "```text", about["verdict"], "```", ""]
    parts += ["## Figures", ""]
    order = [about["chosen"], *(f for f in about["figures"] if f != about["chosen"])]
    for figure in order if about["chosen"] else []:
        parts += [f"### {figure}", "", f"![{figure}]({name}/{about['figures'][figure]})", ""]
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
    text = "# Gallery\n\nWhat the studies of `sweeps/` come to, with the commands that ran them." \
           f'\n\n<div class="cards">\n{cards}\n</div>\n'
    left_out = {name: row["left_out"] for name, row in settings().items() if "left_out" in row}
    missing = {name: left_out.get(name, "not run for this gallery")
               for name in questions if name not in studies}
    if missing:
        text += "\nNot here: " + "; ".join(f"`{n}`, {why}" for n, why in missing.items()) + ".\n"
    pages = [("Gallery", f"{FOLDER}/index.md", text)]
    pictures = []
    for name, about in studies.items():
        page, body = study_page(name, about, questions.get(name), links, root)
        pages.append((about["title"], page, body))
        files = [*about["figures"].values(), *(["thumbnail.png"] if about["chosen"] else [])]
        pictures += [(folder / name / file, f"{FOLDER}/{name}/{file}") for file in files]
    return pages, pictures
