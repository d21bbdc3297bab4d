#!/usr/bin/env python3
"""Launches of `scalesweep launch` over many specs, held against the tables of each version.

    launches.py PROGRAM [--catalog FOLDER] [--keep FOLDER] [--count N]
    launches.py --kept FOLDER

PROGRAM is scalesweep. Prints a table of Markdown: target, version, launches, passes, and the
options that are refused most. --keep writes the specs and the launches, --kept holds such launches
once more, without the program; --count stops after N specs.
"""
import argparse
import collections
import functools
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import launched  # noqa: E402
import replay  # noqa: E402
import specs  # noqa: E402

HERE = Path(__file__).resolve().parent
KEPT_BACK = "# kept back: "
PROGRAMS = {"deepspeed": ("megatron-deepspeed", "deepspeed")}  # of a target, others are their own


def printed(program, catalog, target, text, folder):
    """What launch prints; or None and why it is kept back."""
    path = folder / "spec.toml"
    path.write_text(text, encoding="utf-8")
    command = [program, "launch", str(path), "--point", "0", "--for", target]
    if catalog:
        command += ["--catalog", catalog]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return (ran.stdout, "") if ran.returncode == 0 else (None, ran.stderr.strip())


@functools.cache
def tables_of(target):
    """Versions of a target: those of its programs, each with each where it has two."""
    found = []
    names = PROGRAMS.get(target, (target,))
    for name in names:
        versions = [replay.rows.read(path)
                    for path in sorted((HERE / "tables").glob(f"{name}@*.tsv"))]
        found = [a + [b] for a in found for b in versions] if found else [[v] for v in versions]
    return found


class Counts:
    def __init__(self):
        self.asked = collections.Counter()
        self.kept_back = collections.defaultdict(collections.Counter)
        self.launches = collections.Counter()
        self.passes = collections.Counter()
        self.refused = collections.defaultdict(collections.Counter)

    def hold(self, target, text):
        for tables in tables_of(target):
            version = " + ".join(f"{t.program} {t.version}" for t in tables)
            found = [replay.replay(table, text) for table in tables]
            if not all(each.held for each in found):
                raise launched.Unclosed(f"{target}: nothing to hold against {version}")
            refusals = sorted({(r.kind, r.name) for each in found for r in each.refusals})
            self.launches[target, version] += 1
            self.passes[target, version] += not refusals
            for refusal in refusals:
                self.refused[target, version][refusal] += 1

    def print(self):
        print("| target | version | launches | pass | refused in launches, the most frequent |\n"
              "|---|---|---|---|---|")
        for (target, version), launches in self.launches.items():
            refused = sorted(self.refused[target, version].items(), key=lambda r: (-r[1], r[0]))
            texts = [f"`{name}` {kind} {count}" for (kind, name), count in refused[:8]]
            print(f"| {target} | {version.removeprefix(target + ' ')} | {launches} | "
                  f"{self.passes[target, version]} | {', '.join(texts)} |")


def run(given):
    counts = Counts()
    with tempfile.TemporaryDirectory() as scratch:
        for number, (target, name, text) in enumerate(specs.all_specs()):
            if given.count and number >= given.count:
                break
            found, why = printed(given.program, given.catalog, target, text, Path(scratch))
            counts.asked[target] += 1
            if given.keep:
                stem = f"{number:04}-{target}"
                (given.keep / f"{stem}.toml").write_text(f"# {name}\n{text}", encoding="utf-8")
                (given.keep / f"{stem}.txt").write_text(found or f"{KEPT_BACK}{why}\n",
                                                      encoding="utf-8")
            if found is None:
                counts.kept_back[target][why.splitlines()[-1] if why else ""] += 1
            else:
                counts.hold(target, found)
    return counts


def kept(folder):
    """The same of launches that --keep wrote."""
    counts = Counts()
    for path in sorted(folder.glob("*.txt")):
        target = path.stem.partition("-")[2]
        text = path.read_text(encoding="utf-8")
        counts.asked[target] += 1
        if text.startswith(KEPT_BACK):
            counts.kept_back[target][text.splitlines()[-1]] += 1
        else:
            counts.hold(target, text)
    if not counts.asked:
        raise OSError(f"{folder}: no launches there; write some with --keep {folder}")
    return counts


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--catalog")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--count", type=int, default=0)
    given = parser.parse_args(arguments)
    if bool(given.program) == bool(given.kept):
        parser.error("give PROGRAM, or launches of before with --kept FOLDER")
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
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
