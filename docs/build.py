#!/usr/bin/python3
"""Builds the site: pages of the documents, by question, and of what the program says of itself.

    docs/build.py [--program PROGRAM] [--output FOLDER] [--gallery FOLDER] [--repository URL]

Needs mkdocs and mkdocs-material (Debian: apt-get install mkdocs mkdocs-material) and a program that
is built. README.md beside this file says how the site is made.
"""
import argparse
import importlib.util
import json
import os
import posixpath
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import gallery_pages
import licences
import questions as by_question
import reference
from documents import Page, page_name, plain, read_document, slug, tracked_documents
from page_text import DeadLink, Links, page_text

ROOT = Path(__file__).resolve().parent.parent
MISSING = 69  # exit code where mkdocs is


def git(*arguments):
    """Lines that git prints, or None where there is no git or no repository."""
    try:
        done = subprocess.run(["git", "-C", ROOT, *arguments], text=True, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.splitlines()


def read_parts():
    """(title, documents) of the parts of the site; documents that no part names come last."""
    site = tomllib.loads((ROOT / "docs/site.toml").read_text(encoding="utf-8"))
    parts, named = [], set()
    for part in site["part"]:
        documents = []
        for row in part["document"]:
            documents.append(read_document(ROOT, row["path"], part["folder"],
                                           row.get("divided", False)))
            named.add(row["path"])
        parts.append((part["title"], part["folder"], documents))
    for path in tracked_documents(ROOT, git):
        if path not in named:
            title, folder, documents = next(p for p in parts if p[0] == site["others"])
            documents.append(read_document(ROOT, path, folder, False))
    return site["title"], parts


def make_front(document):
    """The front page is the beginning of a document and its first section."""
    front, first = document.pages[0], document.pages.pop(1)
    document.pages[0] = Page("index.md", front.title, front.document, 0, first.end, 0)


def repository_url(options):
    if options.repository:
        return options.repository
    return json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8")).get("codeRepository")


def question_list(questions, folder):
    rows = []
    for question in questions:
        to = posixpath.relpath(question.page, folder or ".").removesuffix(".md") + ".html"
        rows.append(f'<a class="question" href="{to}">{question.ask}</a>')
    return '<div class="questions">\n' + "\n".join(rows) + "\n</div>\n"


class Site:
    """Pages with their texts, pictures, and the navigation."""

    def __init__(self):
        self.texts = {}
        self.files = []  # (source, path in the site)
        self.navigation = []

    def add(self, path, text):
        assert path not in self.texts, f"two pages would be {path}"
        self.texts[path] = text


def add_documents(site, parts, links):
    for title, _, documents in parts:
        below = []
        for document in documents:
            rows = []
            for page in document.pages:
                lines = document.lines[page.first:page.end]
                site.add(page.path, page_text(lines, links, document.path, page.path,
                                              page.promoted))
                rows.append({plain(page.title): page.path})
            if len(rows) > 1 and len(documents) > 1:
                below.append({plain(document.pages[0].title): rows})
            else:
                below += [row for row in rows if "index.md" not in row.values()]
        site.navigation.append({title: below})


def collect(options):
    title, parts = read_parts()
    make_front(parts[0][2][0])
    documents = [document for _, _, some in parts for document in some]
    links = Links(documents, ROOT, repository_url(options))
    site = Site()
    add_documents(site, parts, links)
    questions = by_question.read_questions()
    for problem in by_question.problems(questions, documents):
        raise DeadLink(f"docs/questions.toml: {problem}")
    site.texts["index.md"] += "\n## Questions\n\n" + question_list(questions, "")
    site.add(f"{by_question.FOLDER}/index.md",
             "# Questions\n\n" + question_list(questions, by_question.FOLDER))
    for question in questions:
        site.add(question.page, by_question.question_text(question, documents, links))
    rows = [{q.ask: q.page} for q in questions]
    front = [{"Home": "index.md"}, {"Questions": [f"{by_question.FOLDER}/index.md", *rows]}]
    pages, pictures = gallery_pages.gallery_pages(options.gallery, documents, links, ROOT)
    site.files += pictures
    for _, path, text in pages:
        site.add(path, text)
    if pages:
        front.append({"Gallery": [{name: path} for name, path, _ in pages]})
    pages = reference.reference_pages(options.program, documents, links)
    for _, path, text in pages:
        site.add(path, text)
    made = {"Reference": [{name: path} for name, path, _ in pages]}
    site.navigation = [*front, *site.navigation[:-2], made, *site.navigation[-2:]]
    site.files += [(ROOT / image, f"images/{image}") for image in links.images]
    site.files += [(ROOT / "sweeps/schema.json", "schemas/spec.json"),
                   (ROOT / "nodes/schema.json", "schemas/catalog.json"),
                   *((file, f"theme/{file.name}") for file in (ROOT / "docs/theme").iterdir())]
    return title, site


def configuration(title, site, work, output, repository):
    anchor = {"permalink": True, "slugify": lambda text, _: slug(text), "toc_depth": 3}
    palette = [{"scheme": scheme, "primary": "white" if scheme == "default" else "black",
                "accent": "indigo", "media": f"(prefers-color-scheme: {word})",
                "toggle": {"icon": f"material/{icon}", "name": name}}
               for scheme, word, icon, name in (
                   ("default", "light", "weather-night", "Dark"),
                   ("slate", "dark", "weather-sunny", "Light"))]
    return {
        "site_name": title, "site_url": "", "docs_dir": str(work / "pages"),
        "site_dir": str(output), "use_directory_urls": False, "nav": site.navigation,
        "theme": {"name": "material", "font": False, "palette": palette, "language": "en",
                  "icon": {"logo": "material/chart-bell-curve-cumulative"},
                  "features": ["navigation.tabs", "navigation.top", "navigation.indexes",
                               "search.highlight"]},
        "extra": {"generator": False}, "extra_css": ["theme/style.css"],
        **({"repo_url": repository} if repository else {}),
        "plugins": ["search"],
        "markdown_extensions": ["tables", "md_in_html", "pymdownx.superfences",
                                "pymdownx.magiclink", "pymdownx.highlight", {"toc": anchor}],
    }


def build(options):
    import mkdocs.commands.build
    import mkdocs.config
    import mkdocs.theme

    title, site = collect(options)
    theme = Path(mkdocs.theme.Theme(name="material").dirs[0])
    site.add("licences.md", licences.licence_page(theme))
    next(iter(site.navigation[-1].values())).append({"Licences of this site": "licences.md"})
    work = options.output.parent / (options.output.name + "-pages")
    shutil.rmtree(work, ignore_errors=True)
    for path, text in site.texts.items():
        target = work / "pages" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    for source, path in site.files:
        target = work / "pages" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    settings = configuration(title, site, work, options.output, repository_url(options))
    # The rest comes as values, which a file could not hold: the anchors are made by a function.
    (work / "mkdocs.yml").write_text(f"site_name: {title}\n", encoding="utf-8")
    config = mkdocs.config.load_config(str(work / "mkdocs.yml"), strict=True, **settings)
    mkdocs.commands.build.build(config)
    return len(site.texts)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=ROOT / "build/release/bin/scalesweep", type=Path)
    parser.add_argument("--output", default=ROOT / "build/docs", type=Path)
    parser.add_argument("--gallery", default=ROOT / "build/gallery", type=Path)
    parser.add_argument("--repository", metavar="URL",
                        help="where links to sources lead (default: codeRepository of "
                             "codemeta.json; without one they are no links)")
    options = parser.parse_args(arguments)
    options.output = options.output.resolve()
    if importlib.util.find_spec("mkdocs") is None:
        print("error: mkdocs is missing (Debian: apt-get install mkdocs mkdocs-material)",
              file=sys.stderr)
        return MISSING
    if not os.access(options.program, os.X_OK):
        print(f"error: there is no program {options.program}: build it, or name it with --program",
              file=sys.stderr)
        return 66
    try:
        pages = build(options)
    except DeadLink as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 65
    print(f"{pages} pages in {options.output}: open {options.output}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
