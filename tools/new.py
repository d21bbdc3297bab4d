#!/usr/bin/env python3
"""Stubs of what is added most: writes files that compile, and prints the lines to add by hand.

    tools/new.py kind NAME [--what TEXT]      a kind of work
    tools/new.py table NAME [--what TEXT]     a result table of `analyze`
    tools/new.py target NAME [--what TEXT]    a framework that `launch` writes options for
    tools/new.py cases NAME [--like FILE]     a file of measured cases, with the columns of another

NAME is in snake_case. --root FOLDER writes into another copy of the tree. Nothing is overwritten.
"""
import argparse
import csv
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
USAGE, EXISTS = 64, 73


class Refused(Exception):
    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


def filled(template, words):
    text = (HERE / "templates" / template).read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda match: words[match[1]], text)


def words_of(name, what):
    title = "".join(part.capitalize() for part in name.split("_"))
    return {"name": name, "Name": title, "entry": name.replace("_", "-"),
            "what": what or name.replace("_", " ").capitalize()}


def new_kind(_root, words, _options):
    name = words["name"]
    study, cases = f"src/study/kinds/{name}", f"src/validation/kinds/{name}_cases"
    explain = f"src/cli/explain/kinds/explain_{name}"
    files = {
        f"src/kinds/{name}.cmake": "sources.cmake",
        f"src/estimator/{name}/{name}.hpp": "estimator.hpp",
        f"src/estimator/{name}/{name}.cpp": "estimator.cpp",
        f"{study}/{name}.hpp": "study.hpp",
        f"{study}/{name}.cpp": "study.cpp",
        f"{study}/columns.cpp": "columns.cpp",
        f"{explain}.hpp": "explain.hpp",
        f"{explain}.cpp": "explain.cpp",
        f"{cases}.hpp": "cases.hpp",
        f"{cases}.cpp": "cases.cpp",
        f"tests/unit/estimator/{name}_test.cpp": "estimator_test.cpp",
        f"tests/unit/study/{name}_study_test.cpp": "study_test.cpp",
        f"tests/unit/validation/{name}_cases_test.cpp": "cases_test.cpp",
    }
    return {path: filled(f"kind/{template}.in", words) for path, template in files.items()}, [
        ("src/study/kinds/workload_kinds.cpp", f"&{name}_kind() in `kinds`"),
        ("src/cli/explain/explain_report.cpp",
         f"{{study::{name}_kind, add_{name}_sheets, {name}_terms}} in `sections`"),
        ("src/validation/cases/case_file.cpp", f"&{name}_cases() in `case_kinds`"),
        ("src/README.md", "Where to add: 'a kind of workload' has the rest"),
        ("FORMAT.md", "its columns, by SCALESWEEP_UPDATE_GOLDEN=1 ctest -R study_test"),
    ]


def new_table(_root, words, _options):
    name = words["name"]
    declared = "analysis/findings/tables/declared.cpp"
    return {
        f"analysis/findings/tables/{name}.cpp": filled("table.cpp.in", words),
        f"tests/unit/analysis/findings/{name}_table_test.cpp": filled("table_test.cpp.in", words),
    }, [
        ("analysis/findings/CMakeLists.txt", f"SOURCES: tables/{name}.cpp"),
        (declared, f"extern const TableSpec {name}_spec;"),
        (declared, f"{name}_spec in `specs`, in the order of files"),
        ("tests/unit/analysis/CMakeLists.txt", f"SOURCES: findings/{name}_table_test.cpp"),
        ("analysis/README.md", "What it writes: what the table is of"),
    ]


def new_target(_root, words, _options):
    name, entry = words["name"], words["entry"]
    return {
        f"src/deploy/targets/{name}.cpp": filled("target.cpp.in", words),
        f"tests/unit/deploy/{name}_test.cpp": filled("target_test.cpp.in", words),
    }, [
        ("src/deploy/CMakeLists.txt", f"SOURCES: targets/{name}.cpp, in APART as well"),
        ("src/deploy/target.hpp", f"const TrainingTarget& {name}();"),
        ("src/deploy/target.cpp", f"&{name}() in training_targets, and its size"),
        ("nodes/frameworks.toml", f"[framework.{entry}.runs], with the `version` of the stub"),
        ("tests/programs/programs.toml",
         f"the files of {entry} that parse its options; read_options.py makes the table"),
        ("tests/unit/deploy/CMakeLists.txt", f"SOURCES: {name}_test.cpp"),
        ("sweeps/tour.md", "What to run for a point: its name"),
    ]


def new_cases(root, words, options):
    like = root / "tests/validation" / Path(options.like).name
    if not like.exists():
        raise Refused(f"tests/validation has no {like.name}; --like names a file of it", USAGE)
    with like.open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
    row = ["NAME" if column == "case" else "SOURCE, TABLE OR PAGE" if column == "source" else ""
           for column in header]
    text = "\n".join([",".join(header), ",".join(f'"{cell}"' if "," in cell else cell
                                                 for cell in row), ""])
    file = f"{words['entry']}.csv"
    return {f"tests/validation/{file}": text}, [
        (f"tests/validation/{file}", "a line a measured case; `scalesweep validate` names what it "
                                     "cannot read with its place"),
        ("src/validation/cases/case_sources.cpp", "the framework of rows with this source"),
        ("tests/validation/measured_cases_test.cpp", "how near the estimates are, as a bound"),
        ("tests/validation/README.md", f"Files: | {file} | rows | source |"),
    ]


MAKERS = {"kind": new_kind, "table": new_table, "target": new_target, "cases": new_cases}


def write(root, files):
    there = [path for path in files if (root / path).exists()]
    if there:
        raise Refused(f"{', '.join(there)}: there already; nothing was written", EXISTS)
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    # Where lines break depends on the name; without the formatter they stay as they are.
    subprocess.run([root / "tests/lint/check_format.sh", "--fix", *files],
                   stdout=subprocess.DEVNULL, check=False)


def read_options(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("thing", choices=MAKERS)
    parser.add_argument("name")
    parser.add_argument("--what", default="", help="what it is, for the head of its files")
    parser.add_argument("--like", default="megatron-korthikanti-2022.csv")
    parser.add_argument("--root", type=Path, default=HERE.parent)
    return parser.parse_args(arguments)


def main(arguments):
    options = read_options(arguments)
    try:
        if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", options.name):
            raise Refused(f"'{options.name}' is not in snake_case; write for example "
                          "speech_recognition", USAGE)
        words = words_of(options.name, options.what)
        files, hints = MAKERS[options.thing](options.root, words, options)
        write(options.root, files)
    except Refused as refused:
        print(f"error: {refused}", file=sys.stderr)
        return refused.code
    for path in files:
        print(f"{path} written")
    print("\nTo add by hand:")
    for path, line in hints:
        print(f"  {path}\n      {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
