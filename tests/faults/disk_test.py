#!/usr/bin/env python3
"""Disks that are full, too small or read-only: what was computed stays, the same command goes on.

Needs to mount file systems of its own: runs itself again in a mount namespace, as root or as a user
who may map itself to root; skipped, saying so, where neither is possible.

    SCALESWEEP=.../scalesweep MPIEXEC=mpirun disk_test.py
"""
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

SKIPPED = 77


def enter_namespace():
    """Becomes this test in a mount namespace."""
    if os.environ.get("SCALESWEEP_OWN_MOUNTS"):
        return
    ways = [["unshare", "--mount"]] if os.geteuid() == 0 else [
        ["unshare", "--map-root-user", "--mount"]]
    for way in ways:
        trial = [*way, "sh", "-c", "mount -t tmpfs -o size=1M none /mnt"]
        try:
            done = subprocess.run(trial, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            continue
        if done.returncode == 0:
            environment = dict(os.environ, SCALESWEEP_OWN_MOUNTS="1")
            os.execvpe(way[0], [*way, sys.executable, "-B", *sys.argv], environment)
    print("skipped: file systems cannot be mounted here, not even in a namespace")
    sys.exit(SKIPPED)


enter_namespace()

from fault_study import (CANNOT_CREATE, IO, MPIEXEC, OK, RESUMABLE,  # noqa: E402
                         FaultTest, call)


class DiskTest(FaultTest):
    def setUp(self):
        super().setUp()
        self.undisturbed()  # outside of the small disk
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        self.mount("-t", "tmpfs", "-o", "size=64M", "none")
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=False)
        self.output = self.disk / "a.h5"

    def mount(self, *options):
        subprocess.run(["mount", *options, str(self.disk)], check=True)

    def resize(self, kilobytes):
        self.mount("-o", f"remount,size={kilobytes}k")

    def run_study(self, *options, ranks=0):
        return call("run", self.spec, "-o", self.output, "--segment-seconds", "0.02", *options,
                    ranks=ranks)

    def segments(self):
        return sorted(Path(f"{self.output}.d").glob("0*.h5"))


class FullDisk(DiskTest):
    def fill_and_go_on(self, ranks):
        self.resize(8 * 1024)  # of the 19 MB that the segments need
        full = self.expect(self.run_study("--no-space-check", ranks=ranks), IO)
        self.assertIn("No space left on device", full.stderr)
        self.assertIn("the same command goes on", full.stderr)
        self.assertEqual(full.stderr.count("scalesweep: error:"), 1, full.stderr)
        self.assertFalse(self.output.exists())
        self.assertEqual(list(Path(f"{self.output}.d").glob("*.tmp")), [])
        kept = self.segments()
        self.assertGreater(len(kept), 0, "nothing was computed before the disk was full")

        self.resize(64 * 1024)
        done = self.expect(self.run_study(ranks=ranks), OK)

        self.assertRegex(done.stdout, r"[\d,]+ of them from an earlier run")
        self.expect_equal(self.output)

    def test_during_the_run_on_one_rank(self):
        self.fill_and_go_on(0)

    def test_during_the_run_on_three_ranks(self):
        if not MPIEXEC:
            self.skipTest("built without MPI")
        self.fill_and_go_on(3)

    def test_during_the_merge(self):
        self.expect(self.run_study("--shard", "1/1"), OK)
        used = sum(path.stat().st_size for path in Path(f"{self.output}.d").iterdir())
        self.resize(int(used / 1024 * 1.4))
        before = self.segments()

        full = self.expect(call("merge", self.output), IO)

        self.assertRegex(full.stderr, r"free|No space left")
        self.assertIn("goes on", full.stderr)
        self.assertFalse(self.output.exists())
        self.assertEqual(self.segments(), before, "segments are not touched")

        self.resize(64 * 1024)
        self.expect(call("merge", self.output), OK)
        self.expect_equal(self.output)

    def test_too_small_a_disk_is_refused_before_anything_is_done(self):
        # Far below what all points need; segments are written by the clock, so that a slow machine
        # writes more of them.
        self.resize(4096)
        refused = self.expect(self.run_study(), CANNOT_CREATE)
        for word in ("free", "--keep", "--layout virtual", "--no-space-check"):
            self.assertIn(word, refused.stderr)
        self.assertFalse(Path(f"{self.output}.d").exists())

        # As it says: what is kept of another policy fits.
        self.expect(call("run", self.spec, "-o", self.output, "--keep", "best=1"), OK)


class ReadOnly(DiskTest):
    def test_folder_is_refused_with_its_name(self):
        self.mount("-o", "remount,ro")
        refused = self.expect(self.run_study(), CANNOT_CREATE)
        self.assertIn(f"{self.output}.d", refused.stderr)
        self.assertIn("Read-only file system", refused.stderr)

    def test_unfinished_study_stays_and_goes_on(self):
        self.expect(self.run_study("--shard", "1/2"), OK)
        kept = self.segments()
        self.mount("-o", "remount,ro")
        refused = self.run_study()
        self.assertIn(refused.returncode, (CANNOT_CREATE, IO), refused.stderr)
        self.assertIn("Read-only file system", refused.stderr)
        self.assertEqual(self.segments(), kept)
        self.assertEqual(call("status", "--exit-code", self.output).returncode, RESUMABLE)

        self.mount("-o", "remount,rw")
        self.expect(self.run_study(), OK)
        self.expect_equal(self.output)

    def test_finished_study_can_be_read(self):
        self.expect(self.run_study(), OK)
        self.mount("-o", "remount,ro")
        self.expect(call("status", self.output), OK)
        again = self.expect(self.run_study(), OK)
        self.assertTrue(re.search("finished: nothing to do", again.stdout), again.stdout)


if __name__ == "__main__":
    unittest.main()
