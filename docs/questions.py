"""Pages by question: the headings of documents that answer it, in full or as their beginnings."""
import posixpath
import tomllib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from documents import pieces, plain, slug
from page_text import DeadLink, page_text

FOLDER = "questions"
WHOLE_LINES = 60  # a section with no more lines is shown in full


@dataclass
class Question:
    ask: str
    answers: list  # (path of the document, anchor)

    @property
    def page(self):
        return f"{FOLDER}/{slug(self.ask).strip('-')}.md"


def read_questions(file=Path(__file__).parent / "questions.toml"):
    rows = tomllib.loads(file.read_text(encoding="utf-8"))["question"]
    questions = []
    for row in rows:
        answers = [answer.partition("#") for answer in row["answers"]]
        questions.append(Question(row["ask"], [(PurePosixPath(p), a) for p, _, a in answers]))
    return questions


def problems(questions, documents):
    """One line for each answer whose document or heading is gone."""
    known = {d.path: d for d in documents}
    for question in questions:
        for path, anchor in question.answers:
            if path not in known:
                yield f"'{question.ask}': there is no document {path}"
            elif known[path].heading(anchor) is None:
                yield f"'{question.ask}': {path} has no heading with the anchor #{anchor}"


def beginning(lines, limit):
    """Whole paragraphs, tables and blocks of code from the beginning, and whether that is all."""
    blocks = []
    for code, piece in pieces(lines):
        if code:
            blocks.append(piece)
            continue
        paragraph = []
        for line in [*piece, ""]:
            if line.strip():
                paragraph.append(line)
            elif paragraph:
                blocks.append(paragraph)
                paragraph = []
    taken, count = [], 0
    for block in blocks:
        # A heading of the section is where it may end; the first block always stays.
        if taken and count + len(block) > limit:
            break
        taken.append(block)
        count += len(block) + 1
    while len(taken) > 1 and taken[-1][0].startswith("#"):
        taken.pop()
    text = [line for block in taken for line in [*block, ""]]
    return text, len(taken) == len(blocks)


def question_text(question, documents, links):
    known = {d.path: d for d in documents}
    parts = [f"# {question.ask}", ""]
    for path, anchor in question.answers:
        document = known[path]
        heading = document.heading(anchor)
        if heading is None:
            raise DeadLink(f"{path} has no heading with the anchor #{anchor}")
        first, end = document.section(heading)
        text, whole = beginning(document.lines[first:end], WHOLE_LINES)
        page, place = links.place(path, anchor)
        to = posixpath.relpath(page, FOLDER) + f"#{place}"
        # Sections of any level stand below the question as second-level headings.
        parts += [f"## {plain(heading.title)}", "",
                  page_text(text, links, path, question.page, heading.level - 2)]
        if whole:
            parts += [f'<p class="source" markdown="span">From [{path}]({to})</p>', ""]
        else:
            parts += [f'<p class="source" markdown="span">[Read on: {plain(heading.title)}]({to})'
                      f" in {path}</p>", ""]
    return "\n".join(parts)
