#!/usr/bin/env python3
"""Runs that are disturbed in every way that is known, for as long as one likes: the file at the end
is that of an undisturbed run, or it was refused with a reason and then went on.

    SCALESWEEP=.../scalesweep MPIEXEC=mpirun soak.py [--hours N | --trials N] [--seed S]
             [--only REGEX] [--draw SEED/NUMBER/SCENARIO] [--report FOLDER]

Writes trials.jsonl, a line for each trial, and report.md to FOLDER, and keeps there what trials
left that went wrong. Every trial draws from its own seed, which is in its line: --draw with it does
the same again, as far as the times of processes are the same.
"""
import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

SKIPPED = 77
KEPT = 20  # folders of trials that went wrong


def enter_namespace():
    """Becomes this program where it may mount small disks, if that is allowed here."""
    if os.environ.get("SCALESWEEP_OWN_MOUNTS") or os.geteuid() != 0:
        return
    trial = ["unshare", "--mount", "sh", "-c", "mount -t tmpfs -o size=1M none /mnt"]
    try:
        if subprocess.run(trial, capture_output=True, check=False).returncode == 0:
            environment = dict(os.environ, SCALESWEEP_OWN_MOUNTS="1")
            os.execvpe("unshare", ["unshare", "--mount", sys.executable, "-B", *sys.argv],
                       environment)
    except FileNotFoundError:
        pass


def options():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--trials", type=int, help="so many, instead of a time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="scenarios whose name has this expression")
    parser.add_argument("--draw", help="one trial again, as its line names it")
    parser.add_argument("--report", type=Path, help="folder; else it is printed only")
    return parser.parse_args()


class Soak:
    def __init__(self, asked, work):
        from studies import References
        self.asked = asked
        self.work = work
        self.references = References(work / "references")
        self.records = []
        self.stopping = False
        self.began = time.monotonic()

    def stop(self, *_):
        self.stopping = True

    def draws(self):
        """What to do, forever: seeds and scenarios in random order."""
        from scenarios import SCENARIOS, round_of
        if self.asked.draw:
            name = self.asked.draw.rpartition("/")[2]
            yield self.asked.draw, next(one for one in SCENARIOS if one.name == name)
            return
        number = rounds = 0
        while True:
            chosen = [one for one in round_of(rounds, random.Random(f"{self.asked.seed}/{rounds}"))
                      if re.search(self.asked.only, one.name)]
            for scenario in chosen:
                number += 1
                yield f"{self.asked.seed}/{number}/{scenario.name}", scenario
            rounds += 1
            if rounds > 1000 and number == 0:
                sys.exit(f"no scenario has '{self.asked.only}' in its name")

    def is_over(self):
        if self.asked.trials is not None and not self.asked.draw:
            return self.stopping or len(self.records) >= self.asked.trials
        return self.stopping or time.monotonic() - self.began > 3600 * self.asked.hours

    def run(self):
        for draw, scenario in self.draws():
            if self.is_over():
                break
            self.records.append(self.one(draw, scenario))
            self.write(self.records[-1])

    def one(self, draw, scenario):
        from jobs import Skipped, Wrong
        from trials import Trial
        folder = self.work / "trial"
        began = time.monotonic()
        trial = Trial(folder, self.references, random.Random(draw))
        outcome, detail = "equal", ""
        try:
            scenario.disturb(trial)
            trial.finish()
            if trial.refusals:
                outcome, detail = "refused", trial.refusals[-1]
        except Skipped as reason:
            outcome, detail = "skipped", str(reason)
        except Wrong as reason:
            outcome, detail = "wrong", str(reason)
        except subprocess.TimeoutExpired as reason:
            outcome, detail = "wrong", f"it hung: {reason}"
        if outcome == "wrong":
            self.keep(draw, folder, detail)
        record = {"draw": draw, "scenario": scenario.name, "study": trial.study.name,
                  "shape": str(trial.shape), "hits": int(trial.hits), "outcome": outcome,
                  "stuck_launches": trial.stuck,
                  "seconds": round(time.monotonic() - began, 2), "detail": detail[:4000]}
        trial.leave()
        return record

    def keep(self, draw, folder, detail):
        kept = [one for one in self.records if one["outcome"] == "wrong"]
        if self.asked.report and len(kept) < KEPT:
            target = self.asked.report / "wrong" / draw.replace("/", "-")
            shutil.copytree(folder, target, symlinks=True, dirs_exist_ok=True)
            (target / "what.txt").write_text(detail + "\n")

    def write(self, record):
        if self.asked.report:
            with (self.asked.report / "trials.jsonl").open("a") as file:
                file.write(json.dumps(record) + "\n")
        if record["outcome"] == "wrong" or not self.asked.report:
            print(f"{record['draw']}: {record['outcome']}, {record['seconds']} s, "
                  f"{record['study']}, {record['shape']}: {record['detail']}", flush=True)


def table(records):
    """Lines of Markdown: a row for each scenario, and the sum."""
    lines = ["| scenario | trials | hits | equal | refused, then went on | wrong | skipped "
             "| longest |", "|---|---:|---:|---:|---:|---:|---:|---:|"]
    names = sorted({one["scenario"] for one in records})
    for name in [*names, "all"]:
        rows = [one for one in records if name in ("all", one["scenario"])]
        counts = Counter(one["outcome"] for one in rows)
        lines.append(
            f"| {name} | {len(rows)} | {sum(one['hits'] for one in rows)} | {counts['equal']} | "
            f"{counts['refused']} | {counts['wrong']} | {counts['skipped']} | "
            f"{max((one['seconds'] for one in rows), default=0):.1f} s |")
    return lines


def report(soak, seed):
    records = soak.records
    minutes = (time.monotonic() - soak.began) / 60
    lines = [f"# Soak: {len(records)} trials in {minutes:.1f} min, seed {seed}", "",
             *table(records), ""]
    reasons = Counter((one["scenario"], re.sub(r"\d[\d,]*|/\S+", "#", one["detail"]))
                      for one in records if one["outcome"] in ("refused", "skipped"))
    lines += ["## Reasons", "", *(f"- {name}, {count}: {text.strip()[:300]}" for (name, text), count
                                  in sorted(reasons.items())), ""] if reasons else []
    stuck = sum(one["stuck_launches"] for one in records)
    if stuck:
        lines += [f"{stuck} launches hung in the start of MPI after a rank was killed there, and "
                  "were ended.", ""]
    wrong = [one for one in records if one["outcome"] == "wrong"]
    lines += ["## Wrong", "", *(f"- `--draw {one['draw']}`: {one['detail'][:1000]}"
                                for one in wrong), ""] if wrong else []
    return lines, wrong


def main():
    asked = options()
    enter_namespace()
    if asked.report:
        asked.report.mkdir(parents=True, exist_ok=True)
        (asked.report / "trials.jsonl").unlink(missing_ok=True)
        shutil.rmtree(asked.report / "wrong", ignore_errors=True)
    if not shutil.which("h5diff"):
        print("skipped: h5diff is not installed")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="scalesweep-soak-") as name:
        soak = Soak(asked, Path(name))
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, soak.stop)
        soak.run()
    lines, wrong = report(soak, asked.seed)
    if asked.report:
        (asked.report / "report.md").write_text("\n".join(lines))
    print("\n".join(lines))
    sys.exit(1 if wrong or not soak.records else 0)


if __name__ == "__main__":
    main()
