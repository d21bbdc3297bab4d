#!/usr/bin/env python3
"""Launches of `scalesweep launch` over many specs, held against the tables of each version.

    launches.py PROGRAM [--catalog FOLDER] [--keep FOLDER] [--every N] [--target NAME]...
    launches.py --kept FOLDER

PROGRAM is scalesweep. Prints a table of Markdown: target, version, launches, passes, and the
options that are refused most. --keep writes the specs and the launches, --kept holds such launches
once more, without the program; --every takes one of N launches, --target those of these
targets alone.
The exit code is 1 where something is refused.
"""
import argparse
import collections
import concurrent.futures
import functools
import os
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "manifests"))
import check_manifests  # noqa: E402
import launched  # noqa: E402
import replay  # noqa: E402
import schema  # noqa: E402
import specs  # noqa: E402

HERE = Path(__file__).resolve().parent
KEPT_BACK = "# kept back: "
SCHEMAS = schema.schemas()
PROGRAMS = {"deepspeed": ("megatron-deepspeed", "deepspeed")}  # of a target, others are their own


class Asked(NamedTuple):
    """A launch: NAME is that of its spec."""
    stem: str
    target: str
    version: str
    name: str
    text: str


def asked_for(given):
    for at, (target, name, text) in enumerate(specs.all_specs()):
        if given.target and target not in given.target:
            continue
        for version in versions_of(target):
            stem = f"{at:04}-{target}@{version}"
            if zlib.crc32(stem.encode()) % given.every == 0:
                yield Asked(stem, target, version, name, text)


def printed(given, scratch, asked):
    """What launch prints; or None and why it is kept back."""
    path = scratch / f"{asked.stem}.toml"
    path.write_text(asked.text, encoding="utf-8")
    command = [given.program, "launch", str(path), "--point", "0", "--for",
               f"{asked.target}@{asked.version}"]
    if given.catalog:
        command += ["--catalog", given.catalog]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return (ran.stdout, "") if ran.returncode == 0 else (None, ran.stderr.strip())


@functools.cache
def versions_of(target):
    """Names of those whose tables there are."""
    return [path.stem.partition("@")[2]
            for path in sorted((HERE / "tables").glob(f"{target}@*.tsv"))]


@functools.cache
def tables_of(target, version):
    """Those of a version: of the target, and of the programs beside it, which have one each."""
    names = [name for name in PROGRAMS.get(target, (target,)) if name != target]
    beside = [sorted((HERE / "tables").glob(f"{name}@*.tsv"))[-1] for name in names]
    own = HERE / "tables" / f"{target}@{version}.tsv"
    return [replay.rows.read(path) for path in [*beside, own]]


class Counts:
    def __init__(self):
        self.asked = collections.Counter()
        self.kept_back = collections.defaultdict(collections.Counter)
        self.launches = collections.Counter()
        self.passes = collections.Counter()
        self.refused = collections.defaultdict(collections.Counter)

    def hold(self, target, version, text):
        tables = tables_of(target, version)
        found = [replay.replay(table, text) for table in tables]
        if not all(each.held for each in found):
            raise launched.Unclosed(f"{target}: nothing to hold against {version}")
        refusals = {(r.kind, r.name) for each in found for r in each.refusals}
        refusals |= {(f"in {file}", what) for file, what in
                     check_manifests.problems(text, SCHEMAS)[0]}
        self.launches[target, version] += 1
        self.passes[target, version] += not refusals
        for refusal in sorted(refusals):
            self.refused[target, version][refusal] += 1

    def all_pass(self):
        return self.passes == self.launches

    def print(self):
        print("| target | version | launches | pass | refused in launches, the most frequent |\n"
              "|---|---|---|---|---|")
        for (target, version), launches in self.launches.items():
            refused = sorted(self.refused[target, version].items(), key=lambda r: (-r[1], r[0]))
            texts = [f"`{name}` {kind} {count}" for (kind, name), count in refused[:8]]
            print(f"| {target} | {version} | {launches} | "
                  f"{self.passes[target, version]} | {', '.join(texts)} |")


def run(given):
    counts = Counts()
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        asked = list(asked_for(given))
        for one, (found, why) in zip(
                asked, pool.map(functools.partial(printed, given, Path(scratch)), asked)):
            counts.asked[one.target] += 1
            if given.keep:
                (given.keep / f"{one.stem}.toml").write_text(f"# {one.name}\n{one.text}",
                                                             encoding="utf-8")
                (given.keep / f"{one.stem}.txt").write_text(found or f"{KEPT_BACK}{why}\n",
                                                            encoding="utf-8")
            if found is None:
                counts.kept_back[one.target][why.splitlines()[-1] if why else ""] += 1
            else:
                counts.hold(one.target, one.version, found)
    return counts


def kept(folder):
    """The same of launches that --keep wrote."""
    counts = Counts()
    for path in sorted(folder.glob("*.txt")):
        target, _, version = path.name.removesuffix(".txt").partition("-")[2].partition("@")
        text = path.read_text(encoding="utf-8")
        counts.asked[target] += 1
        if text.startswith(KEPT_BACK):
            counts.kept_back[target][text.splitlines()[-1]] += 1
        else:
            counts.hold(target, version, text)
    if not counts.asked:
        raise OSError(f"{folder}: no launches there; write some with --keep {folder}")
    return counts


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--catalog")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--target", action="append", default=[])
    given = parser.parse_args(arguments)
    if bool(given.program) == bool(given.kept):
        parser.error("give PROGRAM, or launches of before with --kept FOLDER")
    if given.every < 1:
        parser.error("--every takes 1 or more")
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    try:
        counts = kept(given.kept) if given.kept else run(given)
    except (OSError, launched.Unclosed, replay.rows.BadTable) as problem:
        print(f"launches.py: error: {problem}", file=sys.stderr)
        return 1
    counts.print()
    kept_back = {target: sum(found.values()) for target, found in counts.kept_back.items()}
    print(f"\n{sum(counts.asked.values())} asked, {sum(kept_back.values())} kept back: {kept_back}")
    return 0 if counts.all_pass() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
