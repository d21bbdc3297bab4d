#!/usr/bin/env python3
"""The files that a public project has: one version everywhere, forms and workflows that parse,
a citation that says what the README says.

    project_test.py PROGRAM SOURCE_FOLDER
"""
import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is not installed (Debian: apt-get install python3-yaml)")
    sys.exit(77)

PROGRAM, ROOT = sys.argv[1], Path(sys.argv[2])


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def version():
    return re.search(r"^project\(scalesweep VERSION (\S+)", text("CMakeLists.txt"), re.M)[1]


def one_line(words):
    return " ".join(words.split())


def citation_problems(entry):
    """What the Citation File Format 1.2 asks for and is not so."""
    required = {"cff-version": "1.2.0", "message": str, "title": str, "authors": list}
    for key, kind in required.items():
        value = entry.get(key)
        if value is None or isinstance(kind, str) and value != kind or \
                isinstance(kind, type) and (not isinstance(value, kind) or not value):
            yield f"{key} is {value!r}"
    allowed = {*required, "type", "abstract", "version", "license", "keywords", "references",
               "date-released", "repository-code", "url", "doi", "identifiers", "contact", "commit",
               "preferred-citation", "repository", "repository-artifact", "license-url"}
    yield from (f"unknown key {key}" for key in entry if key not in allowed)
    person = {"family-names", "given-names", "orcid", "affiliation", "email", "name-particle",
              "name-suffix", "alias", "website"}
    references = entry.get("references", [])
    for author in [*entry.get("authors", []), *(a for r in references for a in r["authors"])]:
        if "name" not in author and not set(author) <= person:
            yield f"author {author}"
    for reference in references:
        yield from (f"a reference lacks {key}" for key in ("type", "title", "authors")
                    if not reference.get(key))
    released = entry.get("date-released")
    if released is not None and not re.fullmatch(r"\d{4}-\d\d-\d\d", str(released)):
        yield f"date-released is {released}"


def form_problems(form):
    """What GitHub asks of an issue form and is not so."""
    yield from (f"no {key}" for key in ("name", "description", "body") if not form.get(key))
    ids = []
    for part in form.get("body", []):
        kinds = {"markdown": "value", "textarea": "label", "input": "label", "dropdown": "label",
                 "checkboxes": "label"}
        if part.get("type") not in kinds:
            yield f"unknown type {part.get('type')}"
            continue
        if not part.get("attributes", {}).get(kinds[part["type"]]):
            yield f"a {part['type']} lacks {kinds[part['type']]}"
        if part["type"] == "dropdown" and not part["attributes"].get("options"):
            yield "a dropdown has no options"
        if part["type"] != "markdown":
            ids.append(part.get("id"))
    if len(set(ids)) != len(ids) or None in ids:
        yield f"ids are missing or twice: {ids}"


class Versions(unittest.TestCase):
    def test_the_program_has_the_version_of_the_build(self):
        shown = subprocess.run([PROGRAM, "--version"], text=True, stdout=subprocess.PIPE,
                               check=True).stdout
        self.assertIn(version(), shown)

    def test_citation_and_codemeta_have_it(self):
        self.assertEqual(yaml.safe_load(text("CITATION.cff"))["version"], version())
        self.assertEqual(json.loads(text("codemeta.json"))["version"], version())

    def test_the_newest_heading_of_the_changes_has_it(self):
        heading = re.search(r"^## (.*)$", text("CHANGELOG.md"), re.M)[1]
        self.assertIn(version(), heading.split())

    def test_a_version_that_is_not_unreleased_has_its_day(self):
        for heading in re.findall(r"^## (.*)$", text("CHANGELOG.md"), re.M):
            self.assertRegex(heading, r"^(Unreleased: \d+\.\d+\.\d+"
                                      r"|\d+\.\d+\.\d+, \d{4}-\d\d-\d\d)$")


class Citation(unittest.TestCase):
    def test_it_is_a_citation_file(self):
        self.assertEqual(list(citation_problems(yaml.safe_load(text("CITATION.cff")))), [])

    def test_what_is_wrong_is_found(self):
        entry = yaml.safe_load(text("CITATION.cff"))
        for key in ("cff-version", "message", "title", "authors"):
            self.assertTrue(list(citation_problems({k: v for k, v in entry.items() if k != key})))
        self.assertTrue(list(citation_problems(entry | {"autors": []})))
        self.assertTrue(list(citation_problems(entry | {"authors": [{"nome": "x"}]})))
        self.assertTrue(list(citation_problems(entry | {"date-released": "soon"})))
        self.assertTrue(list(citation_problems(entry | {"references": [{"authors": []}]})))

    def test_it_cites_the_paper_that_the_readme_and_files_cite(self):
        reference = yaml.safe_load(text("CITATION.cff"))["references"][0]
        paper = reference["identifiers"][0]["value"]
        self.assertIn(paper, text("README.md"))
        self.assertIn(one_line(reference["title"]), one_line(text("README.md")))
        self.assertIn(paper, text("src/study/study.cpp"))
        publication = json.loads(text("codemeta.json"))["referencePublication"]
        self.assertEqual((publication["name"], publication["url"]),
                         (one_line(reference["title"]), reference["url"]))

    def test_codemeta_says_what_it_says(self):
        citation, meta = yaml.safe_load(text("CITATION.cff")), json.loads(text("codemeta.json"))
        self.assertEqual(meta["description"], one_line(citation["abstract"]))
        self.assertEqual(meta["keywords"], citation["keywords"])
        self.assertEqual([a["name"] for a in meta["author"]],
                         [a["name"] for a in citation["authors"]])
        self.assertTrue(meta["license"].endswith("/" + citation["license"]))
        self.assertEqual(meta.get("codeRepository"), citation.get("repository-code"))
        self.assertEqual((meta["@type"], meta["@context"]),
                         ("SoftwareSourceCode", "https://w3id.org/codemeta/3.0"))


class Forms(unittest.TestCase):
    def test_every_yaml_file_parses(self):
        files = sorted((ROOT / ".github").rglob("*.yml"))
        self.assertGreaterEqual(len(files), 5)
        for file in files:
            with self.subTest(file.name):
                self.assertIsInstance(yaml.safe_load(file.read_text(encoding="utf-8")), dict)

    def test_issue_forms_are_forms(self):
        for file in sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")):
            if file.name != "config.yml":
                with self.subTest(file.name):
                    form = yaml.safe_load(file.read_text(encoding="utf-8"))
                    self.assertEqual(list(form_problems(form)), [])

    def test_what_is_wrong_in_a_form_is_found(self):
        part = {"type": "input", "id": "a", "attributes": {"label": "A"}}
        form = {"name": "n", "description": "d", "body": [part]}
        self.assertEqual(list(form_problems(form)), [])
        for body in ([], [part, part], [part | {"type": "text"}], [part | {"attributes": {}}],
                     [part | {"type": "dropdown"}]):
            self.assertTrue(list(form_problems(form | {"body": body})), body)


class Workflow(unittest.TestCase):
    def setUp(self):
        self.jobs = yaml.safe_load(text(".github/workflows/ci.yml"))["jobs"]
        self.commands = [step["run"] for job in self.jobs.values() for step in job["steps"]
                         if "run" in step]

    def test_jobs_run_where_the_project_is_tried(self):
        for name, job in self.jobs.items():
            self.assertEqual(job["container"], "debian:12", name)

    def test_both_halves_of_ci_run(self):
        halves = self.jobs["half"]["strategy"]["matrix"]["half"]
        self.assertIn("bash .ci/run ${{ matrix.half }}", self.commands)
        known = re.search(r"^  ([a-z |]+) \| both\)", text(".ci/run"), re.M)[1].split(" | ")
        self.assertEqual(halves, known)

    def test_the_scripts_that_it_names_are_there(self):
        for command in self.commands:
            for word in re.findall(r"(?:^|\s)((?:\./|\.ci/|docs/)[\w./-]+)", command):
                self.assertTrue((ROOT / word).exists(), word)


class Promises(unittest.TestCase):
    def test_the_table_of_exit_codes_is_that_of_the_program(self):
        page = subprocess.run([PROGRAM, "help"], text=True, stdout=subprocess.PIPE,
                              check=True).stdout
        told = set(re.findall(r"\b\d+\b", page[page.index("Exit codes:"):]))
        table = text("slurm/README.md").split("| exit code | meaning |")[1].split("\n\n")[0]
        self.assertEqual(set(re.findall(r"^\| (\d+) \|", table, re.M)), told)

    def test_the_licenses_agree(self):
        self.assertIn("Apache License", text("LICENSE"))
        self.assertIn("Apache-2.0", text("README.md"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
