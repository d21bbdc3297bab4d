#!/usr/bin/env python3
"""Many damaged files given to all commands, as a table: what came of each kind of damage.

    SCALESWEEP=.../scalesweep damage_table.py [--files N] [--seed S] [--jobs J] [-o REPORT.md]

An answer is right if it is the one of the whole file, or an error that names the file. All else
is listed, with the damage, and makes the exit status 1: another answer without a word (silent), the
end by a signal (crash), and more than ten times the computing of the whole file, at least a second
(slow).
Files are damaged in one way each: what is damaged (descriptions, chunks, a segment, ...) times how.
"""
import argparse
import collections
import concurrent.futures
import itertools
import math
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from byte_damages import BYTE_DAMAGES, swap_blocks  # noqa: E402
from second_of_work import SPEC as SECOND_OF_WORK  # noqa: E402
from second_of_work import fewer_chunks  # noqa: E402

PROGRAM = os.path.abspath(os.environ["SCALESWEEP"])
DIFFERENCES = 1
USAGE = 64
LEAST_LIMIT_S = 1.0
SLOWER = 10.0

# Small, since each file is given to many commands.
SPEC = fewer_chunks(SECOND_OF_WORK).replace('chunks = "divisors"\n', "").replace(', "XDRx8"', "")


# How, besides BYTE_DAMAGES: what a file of ours makes possible.

def swap_chunks(data, first, last, chance):
    """Two of a length: each still holds by its own checksum."""
    pairs = [(one, other) for one, other in itertools.combinations(sealed(data).chunks, 2)
             if one[1] - one[0] == other[1] - other[0]]
    if not pairs:
        swap_blocks(data, first, last, chance)
        return
    (at, end), (to, to_end) = chance.choice(pairs)
    data[at:end], data[to:to_end] = data[to:to_end], data[at:end]


def ones_for_zeros(data, first, last, chance):
    """A word, which is the same to fletcher32."""
    words = [at for at in range(first, last - 1) if data[at:at + 2] == bytes(2)]
    at = chance.choice(words or range(first, last))
    data[at:at + 2] = b"\xff\xff"


DAMAGES = (*BYTE_DAMAGES, swap_chunks, ones_for_zeros)


# What: a file of the study, and a part of it.

def whole(data):
    return [(0, len(data))]


def texts(data):
    """The heaps that HDF5 keeps texts in."""
    found = []
    for match in re.finditer(b"GCOL\x01", data):
        size = int.from_bytes(data[match.start() + 8:match.start() + 16], "little")
        found.append((match.start(), min(match.start() + size, len(data))))
    return found


Sealed = collections.namedtuple("Sealed", "extents chunks")


def sealed(data):
    """What a seal says (FORMAT.md, "The seal")."""
    foot = bytes(data[-96:])
    if foot[:8] != b"SCSWsea2":
        return Sealed([], [])
    extents, count, end = (int.from_bytes(foot[at:at + 8], "little") for at in (8, 16, 24))
    words = [int.from_bytes(data[at:at + 8], "little")
             for at in range(end, end + 16 * (extents + count), 8)]
    places = [(first, first + size % 2**32) for first, size in zip(words[::2], words[1::2])]
    return Sealed(places[:extents], places[extents:])


def chunks(data):
    """Of a file without a seal the region of a merge."""
    return sealed(data).extents or [(4096, max(4097, len(data) * 2 // 3))]


def descriptions(data):
    """All but chunks."""
    found, at = [], 0
    for first, last in chunks(data):
        if first > at:
            found.append((at, first))
        at = last
    return found + [(at, len(data))]


Target = collections.namedtuple("Target", "name study file part")
TARGETS = (
    Target("descriptions of a study", "merged", "a.h5", descriptions),
    Target("texts of a study", "merged", "a.h5", texts),
    Target("chunks of a study", "merged", "a.h5", chunks),
    Target("anywhere in a study", "merged", "a.h5", whole),
    Target("file of a virtual study", "virtual", "a.h5", whole),
    Target("segment of a virtual study", "virtual", "a.h5.d/0*.h5", whole),
    Target("descriptions of its segment", "virtual", "a.h5.d/0*.h5", descriptions),
    Target("segment of an unfinished study", "unfinished", "a.h5.d/0*.h5", whole),
    Target("study.h5 of it", "unfinished", "a.h5.d/study.h5", whole),
    Target("study.json of it", "unfinished", "a.h5.d/study.json", whole),
)


def finished_commands(study):
    return {
        "status": ["status", "a.h5"],
        "status --verify": ["status", "--verify", "a.h5"],
        "query": ["query", "a.h5", "--where", "tp <= 8", "--best", "step_time", "--per", "logic"],
        "query rows": ["query", "a.h5", "--format", "csv"],
        "analyze": ["analyze", "a.h5", "-o", "out", "--no-figures"],
        "report": ["report", "a.h5", "-o", "out.html"],
        "diff": ["diff", "a.h5", f"../{study}/whole.h5"],
        "explain": ["explain", "a.h5", "--point", "7"],
        "merge": ["merge", "a.h5"],
    }


def unfinished_commands(study):
    return {
        "status": ["status", "a.h5"],
        "status --verify": ["status", "--verify", "a.h5"],
        "query": ["query", "a.h5", "--where", "tp <= 8", "--best", "step_time", "--per", "logic"],
        "run": ["run", "../spec.toml", "-o", "a.h5", "-q"],
        "merge": ["merge", "a.h5"],
        "diff": ["diff", "a.h5", f"../{study}/whole.h5"],
    }


COMMANDS = {"merged": finished_commands, "virtual": finished_commands,
            "unfinished": unfinished_commands}


class Bench:
    """Studies to damage, and what commands say of them when they are whole."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "spec.toml").write_text(SPEC)
        for study in COMMANDS:
            (folder / study).mkdir()
        run = ["run", "../spec.toml", "-q", "--segment-seconds", "0.01"]
        self.make("merged", [[*run, "-o", "a.h5"]])
        self.make("virtual", [[*run, "-o", "a.h5", "--layout", "virtual"]])
        # All computed and not merged: two shards, each of which leaves its segments.
        self.make("unfinished", [[*run, "-o", "a.h5", "--shard", "1/2"],
                                 [*run, "-o", "a.h5", "--shard", "2/2"]])
        for study in COMMANDS:
            shutil.copy(folder / "merged/a.h5", folder / study / "whole.h5")
        self.right = {study: self.answers(study) for study in COMMANDS}

    def make(self, study, commands):
        for words in commands:
            subprocess.run([PROGRAM, *words], cwd=self.folder / study, check=True,
                           capture_output=True)

    def answers(self, study):
        """Of each command, so that its time is the longer of two."""
        right = {}
        for name, words in COMMANDS[study](study).items():
            once, again = (self.on_copy(study, words) for _ in range(2))
            assert once[:2] == again[:2], f"{name} of {study} does not answer alike twice:\n" + \
                f"{once}\n{again}"
            if once[0] == USAGE:
                print(f"left out: this program knows no '{name}'", file=sys.stderr)
                continue
            assert once[0] in (0, DIFFERENCES), f"{name} of {study}: {once}"
            right[name] = (*once[:2], max(once[3], again[3]))
        return right

    def on_copy(self, study, words):
        with tempfile.TemporaryDirectory(dir=self.folder) as work:
            copy_study(self.folder / study, Path(work))
            return answer(words, Path(work), LEAST_LIMIT_S * 60)


def copy_study(source, to):
    for name in ("a.h5", "a.h5.d"):
        if (source / name).is_dir():
            shutil.copytree(source / name, to / name, dirs_exist_ok=True)
        elif (source / name).exists():
            shutil.copy(source / name, to / name)


def run_limited(words, work, limit_s):
    """Exit status (negative: the signal that ended it) and seconds of computing."""
    with open(work / "out.txt", "wb") as out, open(work / "err.txt", "wb") as err:
        process = subprocess.Popen([PROGRAM, *words], cwd=work, stdout=out, stderr=err)
        seconds = math.ceil(limit_s)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (seconds, seconds))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


def answer(words, work, limit_s):
    """Exit status (None: by a signal), what it answered, what it said, and seconds."""
    code, seconds = run_limited(words, work, limit_s)
    said = (work / "err.txt").read_text(errors="replace")
    if code < 0:
        never_ended = -code in (signal.SIGXCPU, signal.SIGKILL)
        return None, b"", "did not end" if never_ended else f"signal {-code}", seconds
    printed = (work / "out.txt").read_bytes()
    made = work / "out.html"
    answered = made.read_bytes() if made.exists() else printed
    made_one = words[0] in ("run", "merge") and b"nothing to do" not in printed
    if made_one and code == 0:
        # What it made is what counts.
        same = subprocess.run([PROGRAM, "diff", "a.h5", "../merged/whole.h5"], cwd=work,
                              capture_output=True, check=False)
        answered = same.stdout
    # Speeds and times, how large the file is, and the digest of the file in its report.
    passing = rb"(?m)^ *(rate|last saved|size) .*\n|\"sha256\":\"[0-9a-f]*\""
    answered = re.sub(passing, b"", answered)
    return code, answered, said, seconds


def judge(right, came):
    """One word for what came of a command: as before, refused, silent, crash, slow."""
    code, answered, said, seconds = came
    right_code, right_answer, right_s = right
    if code is None and said != "did not end":
        return "crash"
    if code is None or seconds > max(SLOWER * right_s, LEAST_LIMIT_S):
        return "slow"
    if code == right_code and answered == right_answer:
        return "as before"
    if code not in (0, DIFFERENCES) and "error" in said and "a.h5" in said:
        return "refused"
    said += "" if b"</html>" in answered else answered.decode(errors="replace")
    if re.search(r"(damaged|left out|not count).*(\.h5|\.json)|no seal", said, re.DOTALL):
        return "told"  # goes on without what is damaged, and says so
    return "silent"


def one_file(bench, number, seed):
    chance = random.Random(f"{seed} {number}")
    target = TARGETS[number % len(TARGETS)]
    how = DAMAGES[number // len(TARGETS) % len(DAMAGES)]
    outcomes = []
    study = bench.folder / target.study
    names = sorted(study.glob(target.file))
    victim = chance.choice(names).relative_to(study)
    data = bytearray((study / victim).read_bytes())
    parts = [part for part in target.part(data) if part[1] > part[0]] or [(0, len(data))]
    first, last = chance.choices(parts, [part[1] - part[0] for part in parts])[0]
    how(data, first, last, chance)
    for name, words in COMMANDS[target.study](target.study).items():
        if name not in bench.right[target.study]:
            continue
        with tempfile.TemporaryDirectory(dir=bench.folder) as work:
            copy_study(study, Path(work))
            (Path(work) / victim).write_bytes(data)
            right = bench.right[target.study][name]
            came = answer(words, Path(work), max(SLOWER * right[2], LEAST_LIMIT_S) + 5)
            word = judge(right, came)
            outcomes.append((name, word, came))
    return target, how, victim, outcomes


def table(counts, rows, title):
    words = ("as before", "refused", "told", "silent", "crash", "slow")
    lines = [f"| {title} | runs | " + " | ".join(words) + " |", "|---|" + "---|" * 7]
    for row in rows:
        found = counts[row]
        lines.append(f"| {row} | {sum(found.values())} | " +
                     " | ".join(str(found[word]) for word in words) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=80)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    by_damage, by_command, by_target = (collections.defaultdict(collections.Counter)
                                        for _ in range(3))
    bad = []
    with tempfile.TemporaryDirectory(prefix="scalesweep-damages-") as folder:
        bench = Bench(Path(folder))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            numbers = range(options.first, options.first + options.files)
            for number, (target, how, victim, outcomes) in zip(
                    numbers, pool.map(lambda n: one_file(bench, n, options.seed), numbers)):
                for command, word, came in outcomes:
                    by_damage[how.__name__][word] += 1
                    by_command[command][word] += 1
                    by_target[target.name][word] += 1
                    if word in ("silent", "crash", "slow"):
                        bad.append(f"{word}: {command}, file {number}: {how.__name__} in "
                                   f"{target.name} ({victim}): status {came[0]}, {came[3]:.2f} s, "
                                   f"{came[2][:300]!r}")
    lines = [f"{options.files} damaged files, seed {options.seed}, by runs of commands on them", ""]
    lines += table(by_damage, [how.__name__ for how in DAMAGES], "damage") + [""]
    lines += table(by_target, [target.name for target in TARGETS], "what") + [""]
    lines += table(by_command, sorted(by_command), "command") + [""] + bad
    text = "\n".join(lines) + "\n"
    print(text)
    if options.output:
        options.output.write_text(text)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
