#!/usr/bin/env python3
"""Runs the fuzz targets for a while, and tells what they did and found.

    fuzz.py --program PROGRAM --minutes N [--jobs N] [--target NAME]... [--output FOLDER]

PROGRAM is scalesweep_fuzz (libFuzzer) or fuzz_replay, which draws inputs blindly. They begin with
the inputs beside this file and in FOLDER/corpus, where libFuzzer adds those that reach new code.
Inputs that are findings stand in FOLDER/findings, one folder a target, with what was said of each
in a file NAME.log. Exit code 1 if there is one.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CORPUS = Path(__file__).resolve().parent / "corpus"
SOURCES = CORPUS.parents[2]
MOST_FINDINGS = 10  # of a target: then it is left
HANGS_AFTER_S = 60


class Outcome:
    def __init__(self, target):
        self.target = target
        self.inputs = 0
        self.seconds = 0.0
        self.coverage = None
        self.longest_s = 0.0
        self.findings = []
        self.ends_at_once = False  # at a finding that was there before

    def add(self, text, seconds):
        executed = re.findall(r"stat::number_of_executed_units:\s*(\d+)", text)
        numbers = executed or re.findall(r"^#(\d+)\s", text, re.MULTILINE)
        self.inputs += int(numbers[-1]) if numbers else 0
        self.seconds += seconds
        for coverage in re.findall(r" cov: (\d+)", text)[-1:]:
            self.coverage = max(int(coverage), self.coverage or 0)
        for longest in re.findall(r"^longest input: ([\d.]+) s", text, re.MULTILINE):
            self.longest_s = max(float(longest), self.longest_s)

    def row(self):
        rate = self.inputs / self.seconds if self.seconds else 0.0
        coverage = "-" if self.coverage is None else f"{self.coverage:,}"
        return [self.target, f"{self.inputs:,}", f"{rate:,.0f}", coverage,
                str(len(self.findings)), f"{self.longest_s:.3f} s"]


class Fuzzer:
    def __init__(self, arguments, work):
        self.program = arguments.program.resolve()
        self.output = arguments.output.resolve()
        self.work = Path(work)
        self.environment = dict(os.environ, TMPDIR=work, SCALESWEEP_SOURCE_DIR=str(SOURCES))
        suppressions = SOURCES / "tests" / "support" / "lsan.supp"
        self.environment.setdefault("LSAN_OPTIONS",
                                    f"suppressions={suppressions}:print_suppressions=0")
        self.environment.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")

    def targets(self):
        """Names, with the bytes of the longest input."""
        listed = subprocess.run([self.program, "--list"], env=self.environment, check=True,
                                capture_output=True, text=True).stdout
        return {name: int(longest) for name, longest in map(str.split, listed.splitlines())}

    def run(self, target, longest, seconds):
        for folder in ("corpus", "findings"):
            (self.output / folder / target).mkdir(parents=True, exist_ok=True)
        outcome = Outcome(target)
        end = time.monotonic() + seconds
        while ((left := end - time.monotonic()) > 1 and not outcome.ends_at_once and
               len(outcome.findings) < MOST_FINDINGS):
            if self.program.name == "scalesweep_fuzz":
                self.run_libfuzzer(outcome, longest, max(1, round(left)))
            else:
                self.run_replay(outcome, left)
        return outcome

    def known_findings(self, target):
        folder = self.output / "findings" / target
        return {path for path in folder.iterdir() if path.suffix != ".log"}

    def told(self, outcome, command, environment):
        """Runs a command, and keeps what it said of an input that it left."""
        known = self.known_findings(outcome.target)
        begin = time.monotonic()
        done = subprocess.run(command, env=environment, cwd=self.work, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = done.stdout.decode(errors="replace")
        outcome.add(text, time.monotonic() - begin)
        found = sorted(self.known_findings(outcome.target) - known)
        if done.returncode != 0 and not found:
            # By name of its content, which is that of an earlier one.
            outcome.ends_at_once = True
            named = re.findall(r"Test unit written to (\S+)|the input is (\S+)", text)
            found = [Path(a or b) for a, b in named] or [
                self.output / "findings" / outcome.target / "no-input"]
            found = [path for path in found if path not in outcome.findings]
        for path in found:
            path.with_suffix(".log").write_text(text[-20000:])
        outcome.findings += found
        return text

    def run_libfuzzer(self, outcome, longest, seconds):
        target = outcome.target
        environment = dict(self.environment, SCALESWEEP_FUZZ_TARGET=target)
        words = self.work / f"{target}.words"
        subprocess.run([self.program], check=True,
                       env=dict(environment, SCALESWEEP_FUZZ_WORDS=str(words)))
        command = [self.program, f"-max_total_time={seconds}", f"-max_len={longest}",
                   f"-timeout={HANGS_AFTER_S}", f"-report_slow_units={HANGS_AFTER_S}",
                   "-rss_limit_mb=4096", "-print_final_stats=1", "-reload=0",
                   # Targets keep what they have loaded, which looks like a leak and takes 30 ms to
                   # look into; fuzz_replay looks for leaks.
                   "-detect_leaks=0", f"-artifact_prefix={self.output}/findings/{target}/"]
        if words.stat().st_size > 0:
            command.append(f"-dict={words}")
        command += [self.output / "corpus" / target, CORPUS / target]
        self.told(outcome, command, environment)

    def run_replay(self, outcome, seconds):
        target = outcome.target
        seed = time.time_ns() % 2**32
        command = [self.program, "--target", target, "--minutes", str(seconds / 60), "--seed",
                   str(seed), "--corpus", CORPUS, "--corpus", self.output / "corpus",
                   "--findings", self.output / "findings"]
        text = self.told(outcome, command, self.environment)
        for inputs, longest in re.findall(r" (\d+) inputs .* the longest ([\d.]+) s", text):
            outcome.inputs += int(inputs)
            outcome.longest_s = max(float(longest), outcome.longest_s)


def print_table(outcomes):
    rows = [["target", "inputs", "inputs/s", "coverage", "findings", "longest"]]
    rows += [outcome.row() for outcome in outcomes]
    rows.append(["all", f"{sum(o.inputs for o in outcomes):,}", "", "",
                 str(sum(len(o.findings) for o in outcomes)), ""])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  ".join(cells))
    for outcome in outcomes:
        for path in outcome.findings:
            print(f"finding: {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--output", type=Path, default=SOURCES / "build" / "fuzz")
    arguments = parser.parse_args()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as work:
        fuzzer = Fuzzer(arguments, work)
        known = fuzzer.targets()
        unknown = set(arguments.target) - set(known)
        if unknown:
            parser.error(f"no target {', '.join(sorted(unknown))}; there are {', '.join(known)}")
        chosen = [name for name in known if not arguments.target or name in arguments.target]
        jobs = min(arguments.jobs, len(chosen))
        seconds = 60 * arguments.minutes * jobs / len(chosen)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            outcomes = list(pool.map(lambda name: fuzzer.run(name, known[name], seconds), chosen))
    print_table(outcomes)
    return 1 if any(outcome.findings for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
