"""Text of a document as the text of a page: links lead to pages, and what Python-Markdown reads
otherwise than repositories on the web is written so that both read it alike."""
import posixpath
import re
from pathlib import PurePosixPath

from documents import HEADING, pieces

CODE_OR_LINK = re.compile(
    r"(?P<ticks>`+)(?!`)(?:(?!\n\n).)+?(?<!`)(?P=ticks)(?!`)"
    r"|(?P<bang>!?)\[(?P<text>(?:`[^`\n]*`|\[[^\[\]`\n]*\]|[^\[\]`])*)\]\((?P<target>[^)\s]+)\)",
    re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
ITEM = re.compile(r"^(?:[-*+]|\d+\.)\s")
IMAGES = {".png", ".svg", ".jpg", ".gif"}


class DeadLink(Exception):
    pass


class Links:
    """Where the links of documents lead, in the site."""

    def __init__(self, documents, root, repository):
        self.documents = {d.path: d for d in documents}
        self.root = root
        self.repository = repository.rstrip("/") if repository else None
        self.images = set()  # of the tree, that pages show

    def place(self, path, anchor):
        """(page, anchor there) of an anchor of a document; the page alone where there is none."""
        document = self.documents[path]
        if not anchor:
            return document.pages[0].path, ""
        heading = document.heading(anchor)
        if heading is None:
            raise DeadLink(f"{path} has no heading with the anchor #{anchor}")
        page = document.page_of(heading.line)
        return page.path, anchor

    def rewritten(self, match, document, page):
        """A link of `document`, on `page` of the site."""
        text, target = match["text"], match["target"]
        if re.match(r"[a-z]+:", target):
            return match[0]
        file, _, anchor = target.partition("#")
        path = document
        if file:
            path = PurePosixPath(posixpath.normpath(posixpath.join(document.parent, file)))
        if path in self.documents:
            to, anchor = self.place(path, anchor)
            to = posixpath.relpath(to, posixpath.dirname(page))
            return f"{match['bang']}[{text}]({to}{'#' + anchor if anchor else ''})"
        if not (self.root / path).exists():
            raise DeadLink(f"{document}: link to {target}, which does not exist")
        if path.suffix in IMAGES:
            self.images.add(path)
            to = posixpath.relpath(f"images/{path}", posixpath.dirname(page))
            return f"{match['bang']}[{text}]({to})"
        if self.repository:
            kind = "tree" if (self.root / path).is_dir() else "blob"
            return f"[{text}]({self.repository}/{kind}/main/{path})"
        return text

    def rewrite(self, text, document, page):
        return CODE_OR_LINK.sub(
            lambda m: m[0] if m["ticks"] else self.rewritten(m, document, page), text)


def loosened(lines):
    """Blank lines where a list or a table begins or a heading ends, which Python-Markdown needs."""
    result, in_list = [], False
    for line in lines:
        before = result[-1] if result else ""
        item, row = bool(ITEM.match(line)), line.startswith("|")
        if not line.strip() or not line[0].isspace() and not before.strip():
            in_list = item
        if before.strip() and (HEADING.match(before) or item and not in_list
                               or row and not before.startswith("|")):
            result.append("")
        in_list = in_list or item
        result.append(line)
    return result


def page_text(lines, links, document, page, promoted):
    """Lines of a document as the text of `page`, with headings raised by `promoted` levels."""
    result = []
    for code, piece in pieces(lines):
        if code:
            result += ["", *piece, ""] if not piece[0][0].isspace() else piece
            continue
        raised = []
        for line in piece:
            heading = HEADING.match(line)
            if heading and promoted:
                level = min(6, max(1, len(heading.group(1)) - promoted))
                line = "#" * level + " " + heading.group(2)
            raised.append(line)
        text = COMMENT.sub("", "\n".join(raised))
        result += loosened(links.rewrite(text, document, page).split("\n"))
    return "\n".join(result).strip("\n") + "\n"
