#!/usr/bin/env python3
"""The site of the documents: questions find their headings, links lead somewhere, and nothing is
asked of another machine.

    site_test.py PROGRAM SOURCE_FOLDER
"""
import html.parser
import importlib.util
import json
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

PROGRAM, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "docs"))
import build  # noqa: E402
import gallery  # noqa: E402
import gallery_pages  # noqa: E402
import questions  # noqa: E402
from documents import Document, headings_of, slug  # noqa: E402
from page_text import DeadLink, Links, loosened, page_text  # noqa: E402

HAS_MKDOCS = importlib.util.find_spec("mkdocs") is not None


def document(path, text):
    lines = text.split("\n")
    made = Document(PurePosixPath(path), lines, headings_of(lines))
    made.pages = [build.Page(f"made/{slug(path)}.md", path, made.path, 0, len(lines), 0)]
    return made


class Questions(unittest.TestCase):
    def setUp(self):
        self.documents = [d for _, _, some in build.read_parts()[1] for d in some]
        self.questions = questions.read_questions()

    def test_every_answer_is_a_heading(self):
        self.assertEqual(list(questions.problems(self.questions, self.documents)), [])
        self.assertGreaterEqual(len(self.questions), 10)

    def test_a_heading_that_is_gone_is_found(self):
        path, anchor = self.questions[0].answers[0]
        there = next(d for d in self.documents if d.path == path)
        there.headings.remove(there.heading(anchor))
        found = list(questions.problems(self.questions, self.documents))
        self.assertTrue(found)
        self.assertIn(f"no heading with the anchor #{anchor}", found[0])

    def test_a_document_that_is_gone_is_found(self):
        path = self.questions[0].answers[0][0]
        rest = [d for d in self.documents if d.path != path]
        found = next(questions.problems(self.questions, rest))
        self.assertIn(f"there is no document {path}", found)

    def test_every_document_of_the_tree_is_in_the_site(self):
        paths = {str(d.path) for d in self.documents}
        self.assertEqual(set(build.tracked_documents(ROOT, build.git)) - paths, set())

    def test_long_sections_end_between_their_paragraphs(self):
        lines = ["a", "", "```", "b", "", "c", "```", "", "# d", "", "e"]
        text, whole = questions.beginning(lines, 9)
        self.assertFalse(whole)
        self.assertEqual(text, ["a", "", "```", "b", "", "c", "```", ""])
        self.assertTrue(questions.beginning(["a", "", "b"], 9)[1])


class Text(unittest.TestCase):
    def setUp(self):
        self.one = document("a/README.md", "# A\n\n## Where is ...?\n\n## `[x.NAME]`\n\n## Twice"
                                           "\n\n## Twice")
        self.two = document("B.md", "# B")
        self.links = Links([self.one, self.two], ROOT, "")

    def rewritten(self, text, links=None):
        return (links or self.links).rewrite(text, PurePosixPath("a/README.md"), "made/x.md")

    def test_anchors_are_those_of_repositories(self):
        self.assertEqual([h.anchor for h in self.one.headings],
                         ["a", "where-is-", "xname", "twice", "twice-1"])

    def test_headings_in_code_are_none(self):
        self.assertEqual(headings_of(["```", "# no", "```"]), [])

    def test_links_between_documents_lead_to_pages(self):
        self.assertEqual(self.rewritten("[b](../B.md)"), "[b](bmd.md)")
        self.assertEqual(self.rewritten("[here](#where-is-)"), "[here](areadmemd.md#where-is-)")
        self.assertEqual(self.rewritten("[`c` [d]](../B.md)"), "[`c` [d]](bmd.md)")

    def test_links_elsewhere_and_code_stay(self):
        for text in ("[x](https://example.org/a.md)", "`[b](../B.md)`", "``a ` [b](../B.md)``"):
            self.assertEqual(self.rewritten(text), text)

    def test_links_to_files_lead_to_the_repository_or_nowhere(self):
        self.assertEqual(self.rewritten("[l](../LICENSE)"), "l")
        there = Links([self.one], ROOT, "https://example.org/r/")
        self.assertEqual(self.rewritten("[l](../LICENSE)", there),
                         "[l](https://example.org/r/blob/main/LICENSE)")
        self.assertEqual(self.rewritten("[l](../src)", there),
                         "[l](https://example.org/r/tree/main/src)")

    def test_dead_links_are_found(self):
        for text in ("[x](../gone.md)", "[x](#gone)", "[x](../B.md#gone)"):
            with self.assertRaises(DeadLink):
                self.rewritten(text)

    def test_lists_and_tables_begin_behind_a_blank_line(self):
        self.assertEqual(loosened(["a", "- b", "  c", "- d", "", "e"]),
                         ["a", "", "- b", "  c", "- d", "", "e"])
        self.assertEqual(loosened(["a", "| b |", "|---|"]), ["a", "", "| b |", "|---|"])
        self.assertEqual(loosened(["- a", "- b", "", "- c"]), ["- a", "- b", "", "- c"])

    def test_headings_rise_but_in_code(self):
        lines = ["## A", "### B", "```", "## c", "```"]
        text = page_text(lines, self.links, self.one.path, "made/x.md", 1)
        self.assertEqual(re.findall(r"^#+ \w", text, re.M), ["# A", "## B", "## c"])


class Gallery(unittest.TestCase):
    def test_of_a_figure_in_many_parts_a_page_shows_some(self):
        figures = [*(f"step-time-{n}" for n in range(5)), "frontier-a", "moves"]
        shown, left = gallery_pages.shown_figures(
            {"chosen": "moves", "figures": dict.fromkeys(figures, "")})
        self.assertEqual(shown, ["moves", "step-time-0", "step-time-1", "step-time-2",
                                 "frontier-a"])
        self.assertEqual(left, {"step-time": 2})

    def test_a_card_says_what_is_best(self):
        verdict = "Verdict: the least cost\n  a: N3\n    best       3 s +- 1 %\n    on  x"
        self.assertEqual(gallery_pages.first_answer(verdict), ("the least cost", "3 s +- 1 %"))

    def test_the_verdict_ends_where_findings_begin(self):
        parts = gallery.parts_of_verdict("T\nf\n\nVerdict: a\n  b\n\n  c\n\nWhat limits\n")
        self.assertEqual(parts, {"title": "T", "verdict": "Verdict: a\n  b\n\n  c"})

    def test_settings_name_studies_that_there_are(self):
        studies = {p.stem for p in (ROOT / "sweeps").glob("*.toml")}
        self.assertEqual(set(gallery.settings()) - studies, set())

    def test_what_stands_for_a_study_can_be_read_when_small(self):
        from PIL import Image

        with tempfile.TemporaryDirectory() as folder:
            names = {}
            for name, size in {"shares": (100, 300), "frontier-a": (100, 90),
                               "verdict": (100, 100)}.items():
                names[name] = f"{name}.png"
                Image.new("RGB", size).save(Path(folder) / names[name])
            self.assertEqual(gallery.thumbnail(Path(folder), names, None), "frontier-a")
            self.assertEqual(gallery.thumbnail(Path(folder), names, "frontier"), "frontier-a")
            self.assertEqual(gallery.thumbnail(Path(folder), names, "shares"), "shares")
            with Image.open(Path(folder) / "thumbnail.png") as image:
                self.assertLessEqual(image.height, gallery.THUMBNAIL_HEIGHT)
            self.assertIsNone(gallery.thumbnail(Path(folder), {}, None))


class References(html.parser.HTMLParser):
    """What a page links to, loads and offers as anchors."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[key] for key in ("id", "name") if values.get(key)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        elif tag == "link" and values.get("href") and values.get("rel") != "canonical":
            self.loads.append(values["href"])
        elif tag in ("script", "img", "iframe", "source") and values.get("src"):
            self.loads.append(values["src"])


@unittest.skipUnless(HAS_MKDOCS, "mkdocs is not installed (Debian: apt-get install mkdocs "
                                 "mkdocs-material)")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = Path(tempfile.mkdtemp(prefix="scalesweep-site-"))
        # A gallery of the study that is done first.
        study = cls.work / "gallery/memory-footprint"
        gallery.make_study(ROOT / "sweeps/memory-footprint.toml", study, PROGRAM, 1,
                           {"figures": "verdict"})
        done = subprocess.run([sys.executable, "-B", ROOT / "docs/build.py", "--program", PROGRAM,
                               "--output", cls.work / "site", "--gallery", cls.work / "gallery"],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0, done.stdout[-3000:]
        cls.site = cls.work / "site"
        cls.pages = {str(p.relative_to(cls.site)): References(p.read_text(encoding="utf-8"))
                     for p in cls.site.rglob("*.html")}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def targets(self, kind):
        """(page, reference, file it leads to, anchor) of all that stay in the site."""
        for name, page in self.pages.items():
            if name == "404.html":
                continue  # its links begin at the root of a server
            for reference in getattr(page, kind):
                if not re.match(r"[a-z]+:", reference):
                    path, _, anchor = reference.partition("#")
                    to = posixpath.join(posixpath.dirname(name), unquote(path))
                    yield name, reference, posixpath.normpath(to) if path else name, unquote(anchor)

    def test_there_are_pages_of_every_kind(self):
        for name in ("index.html", "questions/index.html", "questions/how-sure-is-it.html",
                     "reference/commands.html", "reference/spec.html", "reference/catalog.html",
                     "reference/columns.html", "reference/exit-codes.html", "gallery/index.html",
                     "gallery/memory-footprint.html", "project/changelog.html"):
            self.assertIn(name, self.pages)

    def test_links_lead_to_pages_and_anchors(self):
        dead = [f"{name}: {reference}" for name, reference, to, anchor in self.targets("links")
                if not (self.site / to).exists() or
                anchor and to in self.pages and anchor not in self.pages[to].anchors]
        self.assertEqual(dead, [])

    def test_nothing_is_loaded_from_elsewhere(self):
        found = [f"{name}: {load}" for name, page in self.pages.items() for load in page.loads
                 if re.match(r"([a-z]+:)?//", load)]
        self.assertEqual(found, [])
        for file in self.site.rglob("*.css"):
            self.assertEqual(re.findall(r"(?:url\(|@import )['\"]?(?:https?:)?//[^)]*",
                                        file.read_text(encoding="utf-8")), [], file.name)

    def test_what_is_loaded_is_there(self):
        gone = [f"{name}: {load}" for name, load, to, _ in self.targets("loads")
                if not (self.site / to.partition("?")[0]).exists()]
        self.assertEqual(gone, [])

    def test_every_command_and_key_has_its_place(self):
        commands = (self.site / "reference/commands.html").read_text(encoding="utf-8")
        for name in ("recommend", "run", "catalog", "completion"):
            self.assertIn(f'id="scalesweep-{name}"', commands)
        spec = (self.site / "reference/spec.html").read_text(encoding="utf-8")
        rows = (ROOT / "sweeps/README.md").read_text(encoding="utf-8").count("<!-- keys: ")
        self.assertEqual(spec.count("<table>"), rows)

    def test_licences_of_the_theme_and_its_packages_are_told(self):
        text = (self.site / "licences.html").read_text(encoding="utf-8")
        for words in ("Material for MkDocs", "lunr", "tslib", "Copyright"):
            self.assertIn(words, text)

    def test_columns_are_listed_by_kind(self):
        page = (self.site / "reference/columns.html").read_text(encoding="utf-8")
        for kind in ("training", "inference", "serving", "recommendation", "diffusion"):
            self.assertIn(f'id="{kind}"', page)

    def test_pictures_of_documents_and_gallery_are_there(self):
        self.assertTrue(any(load.endswith("shares.png") for load in self.pages["index.html"].loads))
        loads = self.pages["gallery/index.html"].loads
        self.assertIn("memory-footprint/thumbnail.png", loads)

    def test_search_finds_the_questions(self):
        index = json.loads((self.site / "search/search_index.json").read_text(encoding="utf-8"))
        self.assertIn("How sure is it?", {row["title"] for row in index["docs"]})


class Command(unittest.TestCase):
    def test_a_program_that_is_not_there_is_told(self):
        if not HAS_MKDOCS:
            self.skipTest("mkdocs is not installed")
        done = subprocess.run([sys.executable, "-B", ROOT / "docs/build.py", "--program", "gone"],
                              text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 66)
        self.assertIn("there is no program gone", done.stderr)

    def test_a_study_that_is_not_there_is_told(self):
        done = subprocess.run([sys.executable, "-B", ROOT / "docs/gallery.py", "gone"], text=True,
                              stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("there is no sweeps/gone.toml", done.stderr)


if __name__ == "__main__":
    if not HAS_MKDOCS:
        print("skipped: the site is not built: mkdocs is not installed "
              "(Debian: apt-get install mkdocs mkdocs-material); all else is tested")
    result = unittest.main(argv=sys.argv[:1], verbosity=1, exit=False).result
    sys.exit(1 if not result.wasSuccessful() else 0 if HAS_MKDOCS else 77)
