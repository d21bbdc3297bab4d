#!/usr/bin/env python3
"""A study as an array of shards: any order, one stopped, one missing.

    SCALESWEEP=.../scalesweep SCALESWEEP_SOURCE_DIR=... array_test.py
"""
import random
import re
import subprocess
import unittest

from cluster import (LONG, OK, OUTPUT, PIECES, PROGRAM, RESUMABLE, SOURCE, SlurmTest, prepare,
                     wait_until)

SHARDS = 4
MISSING = 3


def setUpModule():
    prepare()


class Array(SlurmTest):
    def submit_array(self, *options):
        """Numbers of the jobs of the shards, the merge and the analysis."""
        said = self.cluster.call(
            SOURCE / "slurm/submit-array.sh", *options, "--ntasks=2", "spec.toml", OUTPUT,
            SHARDS, *PIECES, cwd=self.folder, environment=self.environment())
        return re.fullmatch(rf"shards (\d+) \(1 to {SHARDS}\), merge (\d+), analysis (\d+)\n",
                            said).groups()

    def log(self, job):
        """Logs of arrays and of what follows them have the names that the scripts give."""
        for name in (f"scalesweep-shard-{job}.out", f"scalesweep-merge-{job}.out",
                     f"scalesweep-analyze-{job}.out", f"{job}.log"):
            if (self.folder / name).exists():
                return (self.folder / name).read_text()
        return ""

    def status(self):
        return subprocess.run([PROGRAM, "status", self.output, "--exit-code"], check=False,
                              stdout=subprocess.DEVNULL).returncode

    @LONG
    def test_shards_in_any_order(self):
        shards, merge, analysis = self.submit_array("--hold")
        order = list(range(1, SHARDS + 1))
        random.shuffle(order)

        for shard in order:
            self.cluster.call("scontrol", "release", f"{shards}_{shard}")
            self.wait_for_end(f"{shards}_{shard}")
            self.assertFalse(self.output.exists(), "nothing is merged before all are there")
        self.wait_for_end(merge)
        self.wait_for_end(analysis)
        self.assertIn("Frontier", self.log(analysis))
        self.assert_same_as_undisturbed()

    def test_shards_at_once_and_one_stopped(self):
        shards, merge, analysis = self.submit_array()
        stopped = f"{shards}_2"

        wait_until(lambda: "ranks, restart 0" in self.log(stopped), "the second shard")
        self.wait_for_segments(stopped, 2)
        self.signal_batch(stopped)
        self.wait_for_end(merge)
        self.wait_for_end(analysis)
        self.assert_same_as_undisturbed()

    def test_one_shard_missing(self):
        shards, merge, analysis = self.submit_array("--hold")
        there = [shard for shard in range(1, SHARDS + 1) if shard != MISSING]
        random.shuffle(there)
        for shard in there:
            self.cluster.call("scontrol", "release", f"{shards}_{shard}")
        self.cluster.call("scancel", f"{shards}_{MISSING}")

        self.wait_for_end(merge, "FAILED", RESUMABLE)
        self.assertRegex(self.log(merge), rf"\b{MISSING}/{SHARDS}\b")
        for shard in there:
            self.assertNotRegex(self.log(merge), rf"\b{shard}/{SHARDS}\b")
        self.wait_for_end(analysis, "CANCELLED")
        self.assertEqual(self.status(), RESUMABLE)
        self.assertFalse(self.output.exists())

        again = self.submit("array.sbatch", "spec.toml", OUTPUT, SHARDS, *PIECES,
                            options=[f"--array={MISSING}", "--ntasks=2", "--output=%A_%a.log"])
        self.wait_for_end(f"{again}_{MISSING}")
        merge_again = self.submit("merge.sbatch", OUTPUT, "--shards", SHARDS)
        self.wait_for_end(merge_again)
        self.assertEqual(self.status(), OK)
        self.assert_same_as_undisturbed()


if __name__ == "__main__":
    unittest.main()
