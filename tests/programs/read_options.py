#!/usr/bin/env python3
"""Tables of the options that programs take, read from their source files without running them.

    read_options.py MIRRORS PROGRAM [VERSION[=REVISION] ...]
    read_options.py MIRRORS --all

MIRRORS is a folder of bare copies of repositories (OWNER+NAME/repo). A version that stands in
programs.toml needs no revision; another is read with the plan of its program. Written is
tables/PROGRAM@VERSION.tsv: names, kind, type, choices, default, file and line; no texts.
"""
import argparse
import subprocess
import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from reading import fields, parsers, rows  # noqa: E402
from reading.mirrors import Mirror, NotThere  # noqa: E402
from reading.values import Sources, Unknown  # noqa: E402

HERE = Path(__file__).resolve().parent


class Reading:
    """One program at one commit: its sources and what was made of them."""

    def __init__(self, plan, sources):
        self.plan = plan
        self.sources = sources
        self.rows = []
        self.unread = []

    def read(self):
        for part in self.plan["part"]:
            getattr(self, "read_" + part["reader"])(part)
        return self

    def files_of(self, part):
        found = [f for f in self.sources.trees if any(f.endswith(end) for end in part["files"])]
        if not found and not part.get("may_be_absent"):
            raise NotThere(f"no file {' or '.join(part['files'])} at this commit; correct the plan "
                           "of the program in programs.toml")
        return found

    def take(self, reader):
        self.rows += reader.rows
        self.unread += reader.unread

    def read_argparse(self, part):
        for file in self.files_of(part):
            self.take(parsers.ArgumentCalls(self.sources, file, part.get("skip", ())).read())

    def read_click(self, part):
        for file in self.files_of(part):
            self.take(parsers.ClickOptions(self.sources, file, part.get("functions", ())).read())

    def read_keys(self, part):
        reader = fields.Keys(self.sources, part.get("enums", "names"), part.get("overrides", False),
                             part.get("leaves", ()))
        for prefix, names in part["roots"].items():
            found = [n for n in names if self.sources.find_class(n)]
            if not found:
                if not part.get("may_be_absent"):
                    raise NotThere(f"no class {' or '.join(names)} in the files that were read; "
                                   "correct the plan of the program in programs.toml")
                continue
            if prefix and not prefix.startswith("-"):
                reader.rows.append(rows.Row([prefix], "key", "table"))
            for name in found if part.get("every") else found[:1]:
                reader.read(prefix + "." if prefix else "", name)
        self.rows += reader.rows

    def read_compared(self, part):
        for file in self.files_of(part):
            self.take(parsers.ComparedOptions(self.sources, file).read())

    def read_dictionary(self, part):
        """A key whose choices are the keys of a dictionary of the program."""
        owner = self.sources.find_class(part["inside"])
        words, line = parsers.keys_of_dictionary(self.sources, owner, part["name"])
        place = f"{self.sources.classes[owner][0]}:{line}"
        self.rows.append(rows.Row([part["key"]], "key", "str", words, "", place))

    def read_frontend(self, part):
        """Options that vLLM makes of all fields of classes."""
        for name in part["classes"]:
            found = self.sources.find_class(name)
            if found is None:
                raise NotThere(f"no class {name} in the files that were read; correct the plan of "
                               "the program in programs.toml")
            made = {}
            for field in fields.fields(self.sources, found).values():
                option = "--" + field.name.replace("_", "-")
                both = fields.vllm_row(self.sources, [option], field)
                made[field.name] = both[0]
                self.rows += both
            for owner in dict.fromkeys(self.sources.classes[c][0]
                                       for c in fields.ancestry(self.sources, found)):
                parsers.patched(self.sources.trees[owner], made)

    def read_constants(self, part):
        """Keys that stand as constants X = "key" beside X_DEFAULT."""
        for file in self.files_of(part):
            names = {}
            for node in self.sources.trees[file].body:
                for target in getattr(node, "targets", ()):
                    names[getattr(target, "id", "")] = node
            for prefix, wanted in part["roots"].items():
                self.read_constants_of(part, file, names, prefix, wanted)

    def read_constants_of(self, part, file, names, prefix, wanted):
        for name, node in names.items():
            if not any(name == w or (w.endswith("*") and name.startswith(w[:-1])) for w in wanted) \
                    or any(name.startswith(s) for s in part.get("skip", ())) \
                    or name.endswith("_DEFAULT"):
                continue
            try:
                key = self.sources.value(node.value)
            except Unknown:
                continue
            if isinstance(key, str) and (f"{name}_DEFAULT" in names or name in wanted):
                default = names.get(f"{name}_DEFAULT")
                text = parsers_default(self.sources, default)
                self.rows.append(rows.Row([prefix + key], "key", "any", None, text,
                                          f"{file}:{node.lineno}"))


def parsers_default(sources, node):
    try:
        return "" if node is None else rows.default_text(sources.value(node.value))
    except Unknown:
        return ""


def collect(mirrors, plan, revision):
    """The sources of a program, and the repositories and commits that they came from."""
    sources = Sources()
    own = Mirror(mirrors, plan.get("copy", plan["repository"]), revision)
    origins = [(own, "")]
    for path, repository in plan.get("submodules", {}).items():
        origins.append((Mirror(mirrors, repository, own.submodule(path)), path + "/"))
    for pattern in plan["files"]:
        add_matching(sources, own, "", pattern)
        for mirror, prefix in origins[1:]:
            if pattern.startswith(prefix):
                add_matching(sources, mirror, prefix, pattern[len(prefix):])
    for also in plan.get("also", ()):
        mirror = Mirror(mirrors, also["repository"], also["revision"])
        origins.append((mirror, ""))
        for pattern in also["files"]:
            add_matching(sources, mirror, "", pattern)
    return sources, [mirror for mirror, _ in origins]


def add_matching(sources, mirror, prefix, pattern):
    for file in mirror.matching(pattern):
        if prefix + file not in sources.trees:
            sources.add(prefix + file, mirror.text(file))


def table_of(mirrors, program, plan, version, revision):
    sources, origins = collect(mirrors, plan, revision)
    reading = Reading(plan, sources).read()
    if not reading.rows:
        raise NotThere(f"{program} {version}: no option was found; correct the plan of the program "
                       "in programs.toml")
    found = rows.sorted_rows(reading.rows)
    used = sorted({row.place.rpartition(":")[0] for row in found if row.place})
    number = {file: str(at) for at, file in enumerate(used, 1)}
    for row in found:
        file, _, line = row.place.rpartition(":")
        row.place = f"{number[file]}:{line}" if file else ""
    header = [("program", program), ("version", version)]
    for mirror in origins:
        header += [("repository", mirror.repository), ("commit", mirror.commit)]
    header += [("source", file) for file in used]
    header += [("unread", f"{u.place} {rows.cell(u.text)}") for u in reading.unread]
    return header, found


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("program", nargs="?")
    parser.add_argument("versions", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--plans", type=Path, default=HERE / "programs.toml")
    parser.add_argument("--tables", type=Path, default=HERE / "tables")
    return parser.parse_args(arguments)


def wanted(given, plans):
    if given.all:
        return [(p, v, r) for p, plan in plans.items() for v, r in plan["versions"].items()]
    if given.program not in plans:
        raise NotThere(f"no program '{given.program}' in {given.plans.name}; known are "
                       + ", ".join(plans))
    known = plans[given.program]["versions"]
    found = []
    for version in given.versions or known:
        name, _, revision = version.partition("=")
        if not revision and name not in known:
            raise NotThere(f"no version '{name}' of {given.program} in {given.plans.name}; known "
                           f"are {', '.join(known)}; another is {name}=REVISION")
        found.append((given.program, name, revision or known[name]))
    return found


def main(arguments):
    given = parse(arguments)
    plans = tomllib.loads(given.plans.read_text(encoding="utf-8"))
    try:
        for program, version, revision in wanted(given, plans):
            header, found = table_of(given.mirrors, program, plans[program], version, revision)
            given.tables.mkdir(exist_ok=True)
            rows.write(given.tables / f"{program}@{version}.tsv", header, found)
            unread = sum(name == "unread" for name, _ in header)
            print(f"{program} {version}: {len(found)} options"
                  + (f", {unread} calls not read" if unread else ""))
    except (NotThere, Unknown, SyntaxError, subprocess.CalledProcessError) as problem:
        print(f"read_options.py: error: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
