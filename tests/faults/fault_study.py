"""A study that takes a second or two, and what tests of faults do with it."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from second_of_work import SPEC  # noqa: E402

PROGRAM = os.environ["SCALESWEEP"]
MPIEXEC = os.environ.get("MPIEXEC", "")
LIMIT_S = 300
OK, BAD_INPUT, NO_INPUT, INTERNAL, CANNOT_CREATE, IO, RESUMABLE = 0, 65, 66, 70, 73, 74, 75


def command(*words, ranks=0):
    launcher = [MPIEXEC, "-n", str(ranks)] if ranks else []
    return [*launcher, PROGRAM, *map(str, words)]


def call(*words, ranks=0):
    return subprocess.run(command(*words, ranks=ranks), capture_output=True, text=True,
                          errors="replace", timeout=LIMIT_S, check=False)


class FaultTest(unittest.TestCase):
    def setUp(self):
        # A mount that a test made is gone before its folder is removed: clean-ups run backwards.
        self.temporary = tempfile.TemporaryDirectory(prefix="scalesweep-faults-")
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)
        self.spec = self.folder / "spec.toml"
        self.spec.write_text(SPEC)

    def undisturbed(self):
        whole = self.folder / "whole.h5"
        if not whole.exists():
            self.expect(call("run", self.spec, "-o", whole, "-q"), OK)
        return whole

    def expect(self, done, code):
        self.assertEqual(done.returncode, code, f"{done.args}\n{done.stdout}\n{done.stderr}")
        return done

    def compute_as_shards(self):
        """All of the study, not merged: in self.parts, with a copy in self.intact."""
        self.output = self.folder / "a.h5"
        self.parts = Path(f"{self.output}.d")
        self.intact = self.folder / "intact"
        for shard in ("1/2", "2/2"):
            self.expect(call("run", self.spec, "-o", self.output, "--shard", shard,
                             "--segment-seconds", "0.02", "-q"), OK)
        shutil.copytree(self.parts, self.intact)

    def restore_shards(self):
        """What compute_as_shards left."""
        shutil.rmtree(self.parts, ignore_errors=True)
        for made in (self.output, Path(f"{self.output}.partial")):
            made.unlink(missing_ok=True)
        shutil.copytree(self.intact, self.parts)

    def expect_equal(self, output):
        """Finished, nothing left over, and the same data as an undisturbed run."""
        self.assertFalse(Path(f"{output}.d").exists())
        self.assertFalse(Path(f"{output}.partial").exists())
        for group in ("/results", "/axes", "/summary"):
            same = subprocess.run(["h5diff", self.undisturbed(), output, group, group],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(same.returncode, 0, f"{group}: {same.stdout}{same.stderr}")
