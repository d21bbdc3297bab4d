"""One trial: a study that is disturbed, then the same command until it finishes, then the question
whether the file is that of an undisturbed run and nothing is left over."""
import contextlib
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

from jobs import (LAUNCH_PATIENCE_S, MPIEXEC, OK, OURS, PROGRAM, Job, Wrong, expect_orderly,
                  handles_stops, is_running)
from studies import ALONE, SHAPES, STUDIES, expect_same

SEGMENT = re.compile(r"^(\d{12})-(\d{12})\.h5$")
BUSY = re.compile(r"another run is writing it now|ranks of an earlier run are still at work")
EARLIER = re.compile(r"([\d,]+) of them from an earlier run")
MOST_ATTEMPTS = 8
BUSY_S = 60


def safe_ids(folder):
    """How many ids are in whole segments, by their names; those in two of them count once."""
    ranges = []
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if match := SEGMENT.match(name):
                ranges.append((int(match.group(1)), int(match.group(2))))
    count, end = 0, 0
    for first, last in sorted(ranges):
        count += max(0, last - max(first, end))
        end = max(end, last)
    return count


class Trial:
    def __init__(self, folder, references, chance):
        self.folder = folder
        self.references = references
        self.chance = chance
        self.hits = 0
        self.refusals = []
        self.safe = 0
        self.trusts_segments = True  # until some are damaged on purpose
        self.allowed = set()         # names that a scenario put there itself
        self.stuck = 0               # launches that hung in MPI after a rank was killed
        self.mounted = False
        folder.mkdir(parents=True)
        self.home = folder / "home"
        self.home.mkdir()
        self.choose(chance.choice(STUDIES), chance.choice(SHAPES))

    def choose(self, study, shape):
        # What is linked stays in its segments, which shards would have to say to the merge.
        self.study = study
        self.shape = ALONE if study.is_virtual() and shape.shards else shape
        self.reference, self.seconds = self.references.of(study)
        self.spec = self.folder / "spec.toml"
        self.spec.write_text(study.spec)
        self.output = self.home / "a.h5"

    @property
    def parts(self):
        return Path(f"{self.output}.d")

    @property
    def partial(self):
        return Path(f"{self.output}.partial")

    def segments(self):
        return sorted(path for path in self.parts.glob("0*.h5") if SEGMENT.match(path.name))

    def run_words(self, *options):
        return [PROGRAM, "run", str(self.spec), "-o", str(self.output), "--segment-seconds", "0.02",
                *self.study.options, *options]

    def merge_words(self):
        return [PROGRAM, "merge", str(self.output)]

    def commands(self, *options):
        if self.shape.shards:
            return [self.run_words("--shard", f"{k}/{self.shape.shards}", "-q", *options)
                    for k in range(1, self.shape.shards + 1)]
        launcher = [MPIEXEC, "-n", str(self.shape.ranks)] if self.shape.ranks else []
        return [[*launcher, *self.run_words(*options)]]

    def start(self, *options, limits=(), prefix=(), commands=None):
        return Job(self.folder, commands or self.commands(*options), limits, prefix)

    def moment(self, share=1.1):
        """Somewhere in the time that the whole takes, ends included."""
        return self.chance.uniform(0.0, share * self.seconds + (0.4 if self.shape.ranks else 0.0))

    def refused(self, ended):
        """Notes why, unless it is only that the one before has not ended yet."""
        lines = [line for line in ended.err.splitlines() if "error:" in line]
        if ended.code != OK and lines and not BUSY.search(ended.err):
            self.refusals.append(lines[0])

    def end(self, job, launching=False, signals=OURS):
        """How the processes of a job that was hit ended, in an orderly way. `launching`: a rank was
        killed in the start of MPI, which Open MPI 4.1 now and then does not see."""
        if launching:
            deadline = time.monotonic() + LAUNCH_PATIENCE_S
            while not job.is_over() and time.monotonic() < deadline:
                time.sleep(0.02)
            if not job.is_over():
                self.stuck += 1
                job.signal(9)
        said = job.wait()
        for ended in said:
            expect_orderly(ended, signals)
        job.end_all()
        self.look()
        return said

    def look(self):
        """No point that was safe is gone."""
        if self.output.exists() or not self.trusts_segments:
            return
        now = safe_ids(self.parts)
        if now < self.safe:
            raise Wrong(f"points were lost: {self.safe} were safe, now {now}")
        self.safe = now

    def attempt(self):
        """The command once, undisturbed: whether it finished. Shards are merged after it."""
        job = self.start()
        said = self.end(job)
        for ended in said:
            self.refused(ended)
        if self.shape.shards and all(ended.code == OK for ended in said):
            if not self.output.exists():
                merged = self.end(self.start(commands=[self.merge_words()]))
                said += merged
                self.refused(merged[0])
        return said, all(ended.code == OK for ended in said)

    def finish(self):
        """The same command until it is done; then the comparison."""
        deadline = time.monotonic() + BUSY_S
        attempts = 0
        while True:
            before, there = self.safe, self.output.exists()
            said, done = self.attempt()
            if done:
                break
            busy = any(BUSY.search(ended.err) for ended in said)
            attempts += not busy
            if attempts >= MOST_ATTEMPTS or time.monotonic() > deadline:
                raise Wrong(f"it does not go on: {said[-1]}")
            if busy:
                time.sleep(0.05)
        if not there and not self.shape.shards and self.trusts_segments:
            found = EARLIER.search(said[0].out)
            taken = int(found.group(1).replace(",", "")) if found else 0
            if taken < before and "finished: nothing to do" not in said[0].out:
                raise Wrong(f"{before} points were safe, {taken} were taken up: {said[0]}")
        self.compare()

    def compare(self):
        expect_same(self.reference, self.output)
        left = {path.name for path in self.home.iterdir()} - self.allowed - {self.output.name}
        if self.study.is_virtual():
            left.discard(self.parts.name)
            inside = {path.name for path in self.parts.iterdir()
                      if not SEGMENT.match(path.name)} - self.allowed
            left |= inside - {"study.json", "study.h5"}
        if left:
            raise Wrong(f"left over: {', '.join(sorted(left))}")

    def interrupt(self):
        """Leaves unfinished work: killed once some segments are there."""
        for attempt in range(12):
            job = self.start()
            job.wait_until(self.segments, self.seconds + 20)
            time.sleep(self.chance.uniform(0.0, 0.5 * self.seconds / (1 + attempt)))
            launching = self.is_launching(job)
            self.hits += job.signal(9)
            self.end(job, launching)
            if self.segments() and not self.output.exists():
                return
            self.begin_anew()
        raise Wrong("it is always over before it can be interrupted")

    def begin_anew(self):
        self.output.unlink(missing_ok=True)
        shutil.rmtree(self.parts, ignore_errors=True)
        self.partial.unlink(missing_ok=True)
        self.safe = 0

    def leave(self):
        if self.mounted:
            subprocess.run(["umount", "-l", self.home], check=False)
        shutil.rmtree(self.folder)

    @staticmethod
    def is_launching(job):
        ranks = job.ranks()
        return any(is_running(pid) and not handles_stops(pid) for pid in ranks)
