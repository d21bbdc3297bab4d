#!/usr/bin/env python3
"""Shards of one study beside each other on one output, some of them killed: merged, they are what
an undisturbed run gives.

    SCALESWEEP=.../scalesweep MPIEXEC=mpirun shards_test.py

SCALESWEEP_KILLS sets how many shards are killed (default 3), SCALESWEEP_SEED which and when.
"""
import os
import random
import signal
import subprocess
import time
import unittest
from pathlib import Path

from fault_study import CANNOT_CREATE, LIMIT_S, OK, RESUMABLE, FaultTest, call, command

SHARDS = 3


class Shards(FaultTest):
    def setUp(self):
        super().setUp()
        self.output = self.folder / "a.h5"
        self.chance = random.Random(int(os.environ.get("SCALESWEEP_SEED", "1")))

    def words(self, shard):
        return ("run", self.spec, "-o", self.output, "--shard", f"{shard}/{SHARDS}",
                "--segment-seconds", "0.02", "-q")

    def start(self, shard):
        process = subprocess.Popen(command(*self.words(shard)), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def segments(self):
        return len(list(Path(f"{self.output}.d").glob("0*.h5")))

    def end(self, process):
        _, error = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, OK, error)

    def test_beside_each_other_and_killed(self):
        wanted = int(os.environ.get("SCALESWEEP_KILLS", "3"))
        killed = 0
        while killed < wanted:
            running = {shard: self.start(shard) for shard in range(1, SHARDS + 1)}
            victim = self.chance.randrange(1, SHARDS + 1)
            time.sleep(self.chance.uniform(0.0, 0.3))
            running[victim].kill()
            running[victim].communicate(timeout=LIMIT_S)
            killed += running[victim].returncode == -signal.SIGKILL
            for shard, process in running.items():
                if shard != victim:
                    self.end(process)
            missing = call("merge", self.output, "--shards", SHARDS)
            if missing.returncode != OK:
                self.expect(missing, RESUMABLE)
                self.assertIn(f"{victim}/{SHARDS}", missing.stderr)
                self.expect(call(*self.words(victim)), OK)
                self.expect(call("merge", self.output), OK)
            self.expect_equal(self.output)
            self.output.unlink()

    def test_in_progress_is_refused_and_others_are_not(self):
        held = self.start(2)
        deadline = time.monotonic() + LIMIT_S
        while not self.segments() and held.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        held.send_signal(signal.SIGSTOP)  # at work for as long as this test wants
        self.assertIsNone(held.poll(), "it was over before it could be held")

        refused = self.expect(call(*self.words(2)), CANNOT_CREATE)
        self.assertIn("another run is writing it now", refused.stderr)
        self.expect(call("run", self.spec, "-o", self.output, "-q"), CANNOT_CREATE)
        self.expect(call(*self.words(1)), OK)
        self.expect(call(*self.words(3)), OK)
        self.assertNotEqual(call("merge", self.output).returncode, OK)
        self.assertFalse(self.output.exists())

        held.send_signal(signal.SIGCONT)
        self.end(held)
        self.expect(call("merge", self.output), OK)
        self.expect_equal(self.output)


if __name__ == "__main__":
    unittest.main()
