#!/usr/bin/env python3
"""Too little memory for a merge: it says memory, calls nothing damaged and keeps the segments.

    SCALESWEEP=.../scalesweep memory_test.py

HDF5 1.10 itself ends by a signal where some of its own requests fail: nothing is said then, but the
segments are there all the same.
"""
import resource
import subprocess
import unittest

from fault_study import IO, LIMIT_S, OK, RESUMABLE, FaultTest, call, command
from second_of_work import fewer_chunks

MIB = 1 << 20
STEP = MIB
STEPS = 36
NOT_BEGUN = 127  # its libraries do not find room


class Memory(FaultTest):
    def setUp(self):
        super().setUp()
        self.spec.write_text(fewer_chunks(self.spec.read_text()))
        self.compute_as_shards()

    def merge(self, most_bytes):
        """Of what was computed, by a program that is given so much address space."""
        self.restore_shards()
        return subprocess.run(
            command("merge", self.output), capture_output=True, text=True, errors="replace",
            timeout=LIMIT_S, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes)))

    def least_that_does(self):
        too_little, enough = 8 * MIB, 4096 * MIB
        self.expect(self.merge(enough), OK)
        while enough - too_little > MIB:
            middle = (too_little + enough) // 2
            if self.merge(middle).returncode == OK:
                enough = middle
            else:
                too_little = middle
        return enough

    def test_a_merge_says_memory_and_keeps_the_segments(self):
        least = self.least_that_does()
        told = 0
        for step in range(1, STEPS + 1):
            with self.subTest(least_bytes=least, less=step * STEP):
                done = self.merge(least - step * STEP)
                self.assertNotIn("it is damaged", done.stderr)
                if done.returncode == OK:
                    self.expect_equal(self.output)
                    continue
                if done.returncode == NOT_BEGUN:
                    break
                if done.returncode > 0:
                    self.assertIn(done.returncode, (IO, RESUMABLE), done.stderr)
                    self.assertIn("memory", done.stderr)
                    told += 1
                for segment in self.intact.iterdir():
                    self.assertEqual((self.parts / segment.name).read_bytes(),
                                     segment.read_bytes())
                self.expect(call("merge", self.output), OK)
                self.expect_equal(self.output)
        self.assertGreater(told, 0, "no limit was told")


if __name__ == "__main__":
    unittest.main()
