#!/usr/bin/env python3
"""Sizes and small habits of the source files.

    check_sources.py [ROOT]

Prints one line per violation and exits 1 if there is one. What is checked:
- no source file longer than 600 lines, no function longer than 60 (of scripts of the report: by the
  test lint_javascript);
- lines of code at most 100 columns wide; no tabs, no trailing blanks, a line break at the end;
- nothing marked as left to do;
- one escape for each language: what makes texts of others stand in it is in `src/core/documents`;
- the first pages of the project and of its sources stay short;
- paths that documents of the sources name exist;
- relative links of Markdown files lead to something.
"""
import ast
import re
import sys
from pathlib import Path

FILE_LINES = 600
FUNCTION_LINES = 60
COLUMNS = 100
DOCUMENT_LINES = {"README.md": 120, "src/README.md": 250}

FOLDERS = ("src", "analysis", "tests", "sweeps", "nodes", "slurm", "python", "packaging", "docs",
           "findings", ".ci", ".devcontainer", ".github", "tools")
CPP = {".hpp", ".cpp"}
CODE = CPP | {".py", ".sh", ".js", ".mjs", ".css", ".cmake", ".sbatch", ".in"}
TEXT = CODE | {".md", ".toml", ".txt", ".csv", ".json", ".yml", ".cff", ".supp"}
SHELL_NAMES = {"start.sh", "test.sh", "run"}
# Spelled in halves, so that this file does not find itself.
LEFT_OPEN = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")) + r")\b")

# What only the escape of a language writes, in sources of C++: XML, a shell, CSV.
ESCAPES = {"&lt;": "escapes.cpp", "&quot;": "escapes.cpp", r"'\\''": "shell.hpp",
           r'std::string("\"\"")': "csv.hpp"}
ESCAPES_FOLDER = "src/core/documents"

BLANKED = re.compile(
    r'R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"'  # raw string
    r'|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
    re.DOTALL)
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)[^)]*\)")
# What is like a path in documents of src/: from the root or from src/, an ending may be missing.
NAMED_PATH = re.compile(r"`([a-z_]+/[\w./*-]*)`")
DIGIT_SEPARATOR = re.compile(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])")


def files(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path
    for path in sorted(root.iterdir()):
        if path.is_file() and (path.suffix in TEXT or path.name in SHELL_NAMES):
            yield path


def is_code(path):
    return path.suffix in CODE or path.name == "CMakeLists.txt" or path.name in SHELL_NAMES


def is_text(path):
    if path.suffix == ".txt" and path.parent.name == "golden":
        return False  # what a program printed, blanks included
    return path.suffix in TEXT or path.name in SHELL_NAMES


def blank(text):
    """The text with comments and literals as spaces: same lines, only code."""
    text = DIGIT_SEPARATOR.sub(" ", text)
    text = BLANKED.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)
    # Preprocessor lines, continued ones included, may hold unbalanced braces.
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group(0)),
                  text, flags=re.MULTILINE)


def opens_function(head):
    """Whether the code before a brace is the head of a function (or of a lambda at file level)."""
    head = re.sub(r"template\s*<[^{;]*?>\s*(?=[\w\[:])", "", head).strip()
    if not head or re.match(r"(inline\s+)?(namespace|extern)\b", head):
        return False
    if head[-1] in "=,(" or "(" not in head:
        return False
    return not re.match(r"(class|struct|union|enum)\b[^(]*$", head)


def cpp_functions(text):
    """(first line, number of lines) of every function body, with its head."""
    code = blank(text)
    stack = []  # first line of the function, or None for another brace
    head_start, line = 0, 1
    for at, char in enumerate(code):
        if char == "\n":
            line += 1
        elif char == "{":
            head = code[head_start:at]
            inside = any(first is not None for first in stack)
            first = None
            if not inside and opens_function(head):
                first = line - head.lstrip().count("\n")
            stack.append(first)
            head_start = at + 1
        elif char == "}":
            first = stack.pop() if stack else None
            if first is not None:
                yield first, line - first + 1
            head_start = at + 1
        elif char == ";":
            head_start = at + 1


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno + 1


def check_functions(path, text):
    if path.suffix in CPP:
        found = cpp_functions(text)
    elif path.suffix == ".py":
        found = python_functions(text)
    else:
        return
    for first, length in found:
        if length > FUNCTION_LINES:
            yield first, f"function of {length} lines; at most {FUNCTION_LINES}"


def check_lines(path, text):
    lines = text.split("\n")
    if is_code(path) and len(lines) - 1 > FILE_LINES:
        yield 1, f"file of {len(lines) - 1} lines; at most {FILE_LINES}"
    if text and not text.endswith("\n"):
        yield len(lines), "no line break at the end of the file"
    if text.endswith("\n\n"):
        yield len(lines) - 1, "empty line at the end of the file"
    for number, line in enumerate(lines, start=1):
        if is_code(path) and len(line) > COLUMNS and "://" not in line:
            yield number, f"{len(line)} columns; at most {COLUMNS}"
        if line != line.rstrip():
            yield number, "blanks at the end of the line"
        if is_code(path) and "\t" in line:
            yield number, "tab"
        if LEFT_OPEN.search(line):
            yield number, "something left to do"


def check_escapes(here, text):
    if here.suffix not in CPP or here.parts[0] not in ("src", "analysis"):
        return
    for number, line in enumerate(text.split("\n"), start=1):
        for mark, owner in ESCAPES.items():
            if mark in line and here.as_posix() != f"{ESCAPES_FOLDER}/{owner}":
                yield number, f"an escape of its own; {ESCAPES_FOLDER}/{owner} has one"


def check_document(here, text):
    most, lines = DOCUMENT_LINES.get(here.as_posix()), text.count("\n")
    if most and lines > most:
        yield most + 1, f"document of {lines} lines; at most {most}: move what speaks of a part " \
                        "to the README of that part"


def check_links(path, text):
    if path.suffix != ".md":
        return
    for number, line in enumerate(text.split("\n"), start=1):
        for target in LINK.findall(line):
            if not (path.parent / target).exists():
                yield number, f"link to {target}, which does not exist"


def check_named_paths(root, here, text):
    if here.parts[0] != "src" or here.suffix != ".md":
        return
    for number, line in enumerate(text.split("\n"), start=1):
        for name in NAMED_PATH.findall(line):
            top = name.split("/")[0]
            starts = [base for base in (root, root / "src") if (base / top).is_dir()]
            if starts and not any(True for base in starts for end in ("", ".*")
                                  for _ in base.glob(name.rstrip("/") + end)):
                yield number, f"names {name}, which does not exist"


def violations(root):
    for path in files(root):
        if not is_text(path):
            continue
        text = path.read_text(encoding="utf-8")
        here = path.relative_to(root)
        found = [*check_lines(path, text), *check_functions(path, text), *check_links(path, text),
                 *check_escapes(here, text), *check_document(here, text),
                 *check_named_paths(root, here, text)]
        for number, problem in found:
            yield f"{here}:{number}: {problem}"


def main(arguments):
    root = Path(arguments[1]) if len(arguments) > 1 else Path(__file__).resolve().parents[2]
    found = list(violations(root))
    for line in found:
        print(line)
    print(f"{len(found)} violations" if found else "sources keep to their sizes")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
