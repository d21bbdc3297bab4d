"""A toy study under mpirun, and what tests of the engine do with it."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

TOY_RUN = os.environ["TOY_RUN"]
MPIEXEC = os.environ["MPIEXEC"]
OK, MPI_UNAVAILABLE, INTERNAL, CANNOT_CREATE, IO, RESUMABLE = 0, 69, 70, 73, 74, 75
LIMIT_S = 100


def children_of(pid):
    try:
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []


def environment_of(pid):
    try:
        entries = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return {}
    return dict(e.decode().split("=", 1) for e in entries if b"=" in e)


def is_running(pid):
    """Neither gone nor only waiting to be collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Job:
    """One mpirun of toy_run."""

    def __init__(self, ranks, output, *arguments, mpirun=(), environment=None):
        command = [MPIEXEC, *mpirun, "-n", str(ranks), TOY_RUN, str(output), *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, start_new_session=True,
                                        env=os.environ | (environment or {}))
        self.ranks = ranks
        self.found = {}
        self.folder = Path(f"{output}.d")

    def wait(self):
        try:
            self.out, self.err = self.process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise
        self.code = self.process.returncode
        return self

    def pids(self):
        """Process ids by rank; waits until all are there."""
        deadline = time.monotonic() + 20
        while len(self.found) < self.ranks and self.process.poll() is None:
            if time.monotonic() > deadline:
                raise AssertionError("ranks did not start")
            for pid in children_of(self.process.pid):
                rank = environment_of(pid).get("OMPI_COMM_WORLD_RANK")
                if rank is not None:
                    self.found[int(rank)] = int(pid)
            time.sleep(0.002)
        return self.found

    def wait_for_segments(self, count=1):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            if len(list(self.folder.glob("0*.h5"))) >= count:
                return
            time.sleep(0.005)

    def number(self, name):
        return int(re.search(rf"\b{name}=(\d+)", self.out).group(1))


class MpiTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="scalesweep-mpi-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.folder = Path(folder)
        self.output = self.folder / "a.h5"

    def run_job(self, ranks, *arguments, mpirun=()):
        return Job(ranks, self.output, *arguments, mpirun=mpirun).wait()

    def assert_code(self, job, code):
        self.assertEqual(job.code, code, f"\nstdout: {job.out}\nstderr: {job.err}")

    def assert_right(self, *arguments):
        check = subprocess.run([TOY_RUN, str(self.output), "--check", *arguments],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               check=False)
        self.assertEqual(check.stdout, "equal\n")
        self.assertFalse(Path(f"{self.output}.d").exists())

    def assert_gone(self, pids, seconds=10.0):
        deadline = time.monotonic() + seconds
        while any(is_running(pid) for pid in pids):
            self.assertLess(time.monotonic(), deadline, "ranks outlived their launcher")
            time.sleep(0.02)
