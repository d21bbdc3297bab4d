#!/usr/bin/env python3
"""Kills and stop signals at random moments, of any rank and of mpirun: nothing is lost, and the
file at the end is right.

    TOY_RUN=.../toy_run MPIEXEC=mpirun moments_test.py [Killed|Stopped]

One small study is run over and over: each attempt is hit while it starts, computes, joins segments
or merges, the next one goes on, and what is finished is compared and begun anew. So there is always
work left to disturb, however many hits are asked for. SCALESWEEP_KILLS (default 12) and
SCALESWEEP_STOPS (default 6) say how many, SCALESWEEP_SEED when.
"""
import collections
import os
import random
import re
import signal
import sys
import time
import unittest
from pathlib import Path

from toy_job import CANNOT_CREATE, OK, RESUMABLE, Job, MpiTest, is_running

RANKS = 3
MPIRUN = RANKS  # the number of a victim
# Two studies: one long to compute, with segments to join, and one long to merge.
COMPUTED = ("--points", "20000", "--cost", "0.0002", "--segment-seconds", "0.02")
MERGED = ("--points", "1000000", "--cost", "0", "--chunk-rows", "32",
          "--segment-seconds", "0.02")
SEGMENT = re.compile(r"^(\d{12})-(\d{12})\.h5")
PATIENCE_S = 60
LAUNCH_PATIENCE_S = 30  # for mpirun to notice that a rank died before MPI had started in it


def name_of(victim):
    return "mpirun" if victim == MPIRUN else "rank 0" if victim == 0 else "another rank"


def handles_stops(pid):
    """Whether the process has set up its handlers: before that, a signal simply ends it."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    caught = int(re.search(r"^SigCgt:\s*(\w+)$", status, re.M).group(1), 16)
    return bool(caught >> (signal.SIGUSR1 - 1) & 1)


class Folder:
    """What stands in NAME.h5.d, by the names of files alone."""

    def __init__(self, output):
        self.partial = Path(f"{output}.partial").exists()
        try:
            names = os.listdir(f"{output}.d")
        except OSError:
            names = []
        self.ranges, self.half_written = [], []
        for name in names:
            if match := SEGMENT.match(name):
                ids = (int(match.group(1)), int(match.group(2)))
                (self.ranges if name.endswith(".h5") else self.half_written).append(ids)
        self.ranges.sort()

    def safe(self):
        """How many ids are in whole segments; segments that are joined count once."""
        count, end = 0, 0
        for first, last in self.ranges:
            count += max(0, last - max(first, end))
            end = max(end, last)
        return count

    def joins(self):
        """A segment in the making, or just made, that covers others."""
        return any(a[0] <= b[0] and b[1] <= a[1] and a != b
                   for a in self.half_written + self.ranges for b in self.ranges)


class Moment:
    """When a job is hit: in which phase, and how long after that began."""

    def __init__(self, phase, chance):
        self.phase = phase
        self.delay_s = {"start": chance.uniform(0.0, 0.3), "computing": chance.uniform(0.0, 0.4),
                        "joining": 0.0, "merging": chance.uniform(0.0, 0.25)}[phase]

    def wait(self, job, output):
        """Until it has come, or the job is over, or there will be none such."""
        before = Folder(output)
        deadline = time.monotonic() + (3.0 if self.phase == "joining" else PATIENCE_S)
        while time.monotonic() < deadline and job.process.poll() is None:
            now = Folder(output)
            began = {"start": True, "computing": now.ranges != before.ranges,
                     "joining": now.joins() and now.ranges != before.ranges,
                     "merging": now.partial}[self.phase]
            if began or now.partial:
                break
            time.sleep(0.001)
        time.sleep(self.delay_s)

    @staticmethod
    def reached(before, now):
        if now.partial:
            return "merging"
        if now.joins():
            return "joining"
        return "start" if now.ranges == before.ranges else "computing"


class RandomMoments(MpiTest):
    def setUp(self):
        super().setUp()
        self.chance = random.Random(int(os.environ.get("SCALESWEEP_SEED", "1")))
        self.hits = collections.Counter()
        self.finished = 0  # studies that were completed and compared
        self.safe = 0      # points of the present one that are on disk
        self.leftovers = []
        self.launching = False  # the last victim had not come out of MPI_Init
        self.stuck = 0          # launches that hung after that
        self.start_s = time.monotonic()

    def start(self, work):
        """The next run begins at once, beside what is left of the one that was hit."""
        while True:
            before = Folder(self.output)
            self.assertGreaterEqual(before.safe(), self.safe, "points were lost")
            self.safe = before.safe()
            job = Job(RANKS, self.output, *work)
            # Where ranks have outlived their mpirun, it is said that they are still there.
            while job.process.poll() is None and Folder(self.output).ranges == before.ranges \
                    and self.some_left_over():
                time.sleep(0.01)
            if job.process.poll() != CANNOT_CREATE:
                return job
            job.wait()
            self.assertIn("another run is writing it now", job.err)

    def some_left_over(self):
        self.leftovers = [pid for pid in self.leftovers if is_running(pid)]
        return bool(self.leftovers)

    def hit(self, job, victim, number):
        """Sends the signal; whether anybody was there to get it."""
        pids = job.pids()
        self.leftovers = list(pids.values())
        self.launching = victim in pids and not handles_stops(pids[victim])
        try:
            os.kill(job.process.pid if victim == MPIRUN else pids[victim], number)
        except (KeyError, ProcessLookupError):
            return False
        return True

    def end_stuck_launch(self, job):
        """Open MPI 4.1 now and then misses the death of a rank that is still in MPI_Init, and waits
        for it with all others, where no line of ours runs yet. A batch system ends such a job at
        its limit; here it is ended sooner, and what it left must do for the next one."""
        deadline = time.monotonic() + LAUNCH_PATIENCE_S
        while time.monotonic() < deadline:
            if job.process.poll() is not None:
                return
            time.sleep(0.02)
        self.stuck += 1
        for pid in [*self.leftovers, job.process.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def disturb(self, work, victim, phase, number, ready=lambda job: None):
        """One attempt: the job, whether it was hit before it was over, whether it finished."""
        job = self.start(work)
        before = Folder(self.output)
        moment = Moment(phase, self.chance)
        if phase != "start":  # all that takes time comes before the moment
            job.pids()
        ready(job)
        moment.wait(job, self.output)
        reached = Moment.reached(before, Folder(self.output))
        there = not self.output.exists() and self.hit(job, victim, number)
        if there and self.launching and number == signal.SIGKILL:
            self.end_stuck_launch(job)
        job.wait()
        if there:
            self.hits[signal.Signals(number).name, name_of(victim), reached] += 1
        if self.output.exists():  # too late, or not worth stopping any more
            self.assert_gone(self.leftovers, PATIENCE_S)
            # Ranks that outlive their mpirun while they merge may finish it, beside the next run.
            if not there and "another run is writing it now" not in job.err:
                self.assert_code(job, OK)
            self.assert_finished(work)
            return job, there, True
        self.assertTrue(there, f"it ended before it was hit: {job.out}\n{job.err}")
        return job, there, False

    def assert_finished(self, work):
        """The file that stands there is right; the next attempt begins anew."""
        if Path(f"{self.output}.d").exists():  # hit between the last rename and tidying up
            self.assert_code(self.run_job(RANKS, *work), OK)
        self.assert_right(*work)
        self.output.unlink()
        self.finished += 1
        self.safe = 0

    def finish(self, work):
        """Undisturbed to the end, from what the last hit left."""
        before = Folder(self.output).safe()
        self.assertGreaterEqual(before, self.safe, "points were lost")
        self.assert_gone(self.leftovers, PATIENCE_S)
        merged = self.output.exists()  # by ranks that outlived their mpirun
        job = self.run_job(2, *work)
        self.assert_code(job, OK)
        if not merged:
            self.assertEqual(job.number("resumed") + job.number("points"), int(work[1]))
            self.assertGreaterEqual(job.number("resumed"), before)
        self.assert_finished(work)

    def report(self):
        print(f"\n{sum(self.hits.values())} hits in {time.monotonic() - self.start_s:.0f} s, "
              f"{self.finished} studies finished and compared, no points lost", file=sys.stderr)
        for (name, victim, phase), count in sorted(self.hits.items()):
            print(f"  {name:8} {victim:13} {phase:10} {count:4}", file=sys.stderr)
        if self.stuck:
            print(f"  {self.stuck} of them hung in MPI_Init and were ended", file=sys.stderr)

    def hit_often(self, work, phases, wanted, number_of, **options):
        """Victims and phases take turns; a hit that came too late is tried again."""
        done, attempts = 0, 0
        while done < wanted:
            self.assertLess(attempts, 5 * wanted + 20, "hardly any attempt is in time")
            victim, phase = done % (RANKS + 1), phases[done // (RANKS + 1) % len(phases)]
            number = number_of(done)
            attempts += 1
            with self.subTest(hit=done, victim=name_of(victim), phase=phase, signal=number):
                job, hit, finished = self.disturb(work, victim, phase, number, **options)
                done += hit
                if hit and not finished:
                    self.check(job, victim, number)
        # Rare, or it is something else.
        self.assertLessEqual(self.stuck, 1 + wanted // 6, "launches hang")
        self.finish(work)

    def check(self, job, victim, number):
        """The exit code of a job that was hit and has not finished."""


class Killed(RandomMoments):
    WANTED = int(os.environ.get("SCALESWEEP_KILLS", "12"))

    def test_at_random_moments(self):
        self.hit_often(COMPUTED, ("start", "computing", "joining"), self.WANTED,
                       lambda _: signal.SIGKILL)
        self.report()

    def test_while_merging(self):
        self.hit_often(MERGED, ("merging",), max(4, self.WANTED // 4), lambda _: signal.SIGKILL)
        self.report()


class Stopped(RandomMoments):
    WANTED = int(os.environ.get("SCALESWEEP_STOPS", "6"))
    SIGNALS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)

    def ready(self, job):
        deadline = time.monotonic() + PATIENCE_S
        while job.process.poll() is None and time.monotonic() < deadline and \
                not all(handles_stops(pid) for pid in job.pids().values()):
            time.sleep(0.005)

    def check(self, job, victim, number):
        if victim == MPIRUN and number != signal.SIGUSR1:
            self.assertNotEqual(job.code, OK)  # mpirun ends its ranks within a second, its own way
        else:
            self.assert_code(job, RESUMABLE)

    def test_at_random_moments(self):
        self.hit_often(COMPUTED, ("computing", "start", "joining"), self.WANTED,
                       lambda hit: self.SIGNALS[hit % 3], ready=self.ready)
        self.report()

    def test_while_merging(self):
        self.hit_often(MERGED, ("merging",), max(3, self.WANTED // 3),
                       lambda hit: self.SIGNALS[hit % 3], ready=self.ready)
        self.report()


if __name__ == "__main__":
    unittest.main()
