#!/usr/bin/env python3
"""CPU of commands by two builds of scalesweep, run in turn: what a change costs.

    compare_programs.py BEFORE AFTER [--sweeps FOLDER] [--runs N] [--command NAME]...

BEFORE and AFTER are programs, each with the nodes that came with it ($SCALESWEEP_NODES: those for
both); each makes a study of quick.toml of its own first. Prints, for each command, the least CPU of
both, and the median over the ratios of neighbouring runs, which does not mind a machine that
changes its clock. --sweeps: specs that both can read, for example those of the older one.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]
COMMANDS = {
    "run": ["run", "quick.toml", "-o", "made.h5", "-q"],
    "run services": ["run", "serving.toml", "-o", "made.h5", "-q"],
    "query rows": ["query", "a.h5", "--format", "csv"],
    "query --best": ["query", "a.h5", "--best", "step_time", "--per", "logic"],
    "analyze": ["analyze", "a.h5", "-o", "out", "--no-figures"],
    "status": ["status", "a.h5"],
}


def cpu_s(program, words, folder, sweeps):
    """User and system time; ends this program where the command fails."""
    (folder / "made.h5").unlink(missing_ok=True)
    words = [sweeps / word if str(word).endswith(".toml") else word for word in words]
    process = subprocess.Popen([program, *map(str, words)], cwd=folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{program} {' '.join(map(str, words))}: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def compare(programs, words, folders, sweeps, runs):
    times = {program: [] for program in programs}
    for run in range(runs):
        for program in programs if run % 2 else reversed(programs):
            times[program].append(cpu_s(program, words, folders[program], sweeps))
    before, after = (times[program] for program in programs)
    ratio = statistics.median(b / a for a, b in zip(before, after))
    return min(before), min(after), ratio


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--sweeps", type=Path, default=SOURCES / "sweeps")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--command", action="append", choices=COMMANDS)
    arguments = parser.parse_args()
    programs = [arguments.before.resolve(), arguments.after.resolve()]
    sweeps = arguments.sweeps.resolve()
    with tempfile.TemporaryDirectory(prefix="scalesweep-compare-") as work:
        folders = {program: Path(work) / name for program, name in zip(programs, "ab")}
        for program, folder in folders.items():
            folder.mkdir()
            cpu_s(program, ["run", "quick.toml", "-o", "a.h5", "-q"], folder, sweeps)
        print("| command | before, least | after, least | least | median of ratios |")
        print("|---|---|---|---|---|")
        for name in arguments.command or COMMANDS:
            before, after, ratio = compare(programs, COMMANDS[name], folders, sweeps,
                                           arguments.runs)
            print(f"| {name} | {before * 1e3:.1f} ms | {after * 1e3:.1f} ms | "
                  f"{100 * (after / before - 1):+.1f} % | {100 * (ratio - 1):+.1f} % |", flush=True)


if __name__ == "__main__":
    main()
