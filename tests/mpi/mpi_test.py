#!/usr/bin/env python3
"""The engine under a real mpirun: equal files, stops, kills, failures.

    TOY_RUN=.../toy_run MPIEXEC=mpirun mpi_test.py [Equal|Stop|Kill|Failure]

SCALESWEEP_KILLS sets how many times a run is killed (default 6), SCALESWEEP_SEED when.
"""
import os
import random
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


def parent_of(pid):
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


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

    def __init__(self, ranks, output, *arguments, mpirun=()):
        command = [MPIEXEC, *mpirun, "-n", str(ranks), TOY_RUN, str(output), *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, start_new_session=True)
        self.ranks = ranks
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
        while time.monotonic() < deadline:
            found = {}
            for entry in Path("/proc").iterdir():
                if entry.name.isdigit() and parent_of(entry.name) == self.process.pid:
                    rank = environment_of(entry.name).get("OMPI_COMM_WORLD_RANK")
                    if rank is not None:
                        found[int(rank)] = int(entry.name)
            if len(found) == self.ranks:
                return found
            if self.process.poll() is not None:
                return found
            time.sleep(0.02)
        raise AssertionError("ranks did not start")

    def wait_for_segments(self, count=1):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            if len(list(self.folder.glob("*.h5"))) >= count:
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


class Equal(MpiTest):
    def test_same_file_on_1_2_and_4_ranks(self):
        files = []
        for ranks in (1, 2, 4):
            self.output = self.folder / f"{ranks}.h5"
            job = self.run_job(ranks, "--points", "20000")
            self.assert_code(job, OK)
            self.assertEqual(job.number("points"), 20000)
            self.assertEqual(job.number("ranks"), ranks)
            self.assertEqual(job.number("lost"), 0)
            self.assertIn("20,000 points in ", job.err)
            self.assert_right("--points", "20000")
            files.append(self.output)
        if shutil.which("h5diff"):
            for other in files[1:]:
                for group in ("/results", "/summary", "/axes"):
                    subprocess.run(["h5diff", str(files[0]), str(other), group, group],
                                   check=True, stdout=subprocess.DEVNULL)

    def test_all_ranks_take_part(self):
        job = self.run_job(4, "--points", "20000", "--cost", "0.0001")

        self.assert_code(job, OK)
        self.assertGreaterEqual(job.number("segments"), 8)

    def test_finished_is_left_alone(self):
        self.run_job(2, "--points", "1000")
        before = self.output.read_bytes()

        job = self.run_job(2, "--points", "1000")

        self.assert_code(job, OK)
        self.assertEqual(job.err, f"{self.output}: already finished\n")
        self.assertEqual(self.output.read_bytes(), before)


class Stop(MpiTest):
    # 8 s of work over all ranks: never done before it is stopped, however fast the machine.
    WORK = ("--points", "40000", "--cost", "0.0002")

    def stopped_by(self, stop):
        job = Job(4, self.output, *self.WORK)
        job.wait_for_segments(3)
        stop(job)
        job.wait()
        self.assertFalse(self.output.exists(), "it was too late to stop it")
        return job

    def assert_goes_on(self, ranks):
        kept = len(list(Path(f"{self.output}.d").glob("*.h5")))
        self.assertGreater(kept, 0)
        job = self.run_job(ranks, *self.WORK)
        self.assert_code(job, OK)
        self.assertGreater(job.number("resumed"), 0)
        self.assertEqual(job.number("resumed") + job.number("points"), 40000)
        self.assert_right(*self.WORK)

    def test_usr1_to_all_ranks(self):
        job = self.stopped_by(lambda job: job.process.send_signal(signal.SIGUSR1))
        self.assert_code(job, RESUMABLE)
        self.assertEqual(job.number("resumed"), 0)
        self.assertEqual(job.number("points") % 256, 0)
        self.assert_goes_on(2)

    def test_usr1_to_one_rank(self):
        job = self.stopped_by(lambda job: os.kill(job.pids()[3], signal.SIGUSR1))
        self.assert_code(job, RESUMABLE)
        self.assert_goes_on(4)

    def test_term_to_mpirun(self):
        job = self.stopped_by(lambda job: job.process.terminate())
        self.assertNotEqual(job.code, OK)  # mpirun says what it likes
        self.assert_goes_on(1)


class Kill(MpiTest):
    # 30 s of work over all ranks: what survives six kills never adds up to all of it.
    LONG = ("--points", "100000", "--cost", "0.0003")

    def kill_once(self, ranks, victim, delay_s):
        """Kills a rank or mpirun (victim = ranks) some time after the ranks started."""
        job = Job(ranks, self.output, *self.LONG)
        pids = job.pids()
        time.sleep(delay_s)
        if victim == ranks:
            job.process.kill()
        elif victim in pids and job.process.poll() is None:
            os.kill(pids[victim], signal.SIGKILL)
        job.process.wait(LIMIT_S)
        job.process.stdout.close()
        job.process.stderr.close()
        return pids

    def test_killed_at_random_moments(self):
        seed = int(os.environ.get("SCALESWEEP_SEED", "1"))
        kills = int(os.environ.get("SCALESWEEP_KILLS", "6"))
        chance = random.Random(seed)
        ranks = 3
        for number in range(kills):
            # Every rank and mpirun have their turn; the next run begins at once, beside what is
            # left of the killed one.
            victim, delay_s = number % (ranks + 1), chance.uniform(0.1, 0.8)
            with self.subTest(seed=seed, kill=number, victim=victim, delay_s=delay_s):
                self.kill_once(ranks, victim, delay_s)
                self.assertFalse(self.output.exists(), "it was too late to kill it")

        job = self.run_job(2, *self.LONG)

        self.assert_code(job, OK)
        self.assertEqual(job.number("resumed") + job.number("points"), 100000)
        self.assert_right(*self.LONG)

    def test_ranks_end_when_mpirun_is_killed(self):
        pids = self.kill_once(4, 4, 0.3)

        self.assert_gone(pids.values())

    def test_others_do_the_work_of_a_dead_rank(self):
        job = Job(4, self.output, "--rank-timeout", "3", mpirun=["--enable-recovery"])
        job.wait_for_segments(2)
        os.kill(job.pids()[2], signal.SIGKILL)
        job.wait()

        self.assertEqual(job.number("lost"), 1)
        self.assertIn("1 of 4 ranks silent for 3 s: taken for dead, others do their work", job.err)
        self.assertEqual(job.number("points"), 40000)
        self.assert_right()

    def test_ranks_end_when_their_master_is_dead(self):
        job = Job(3, self.output, "--rank-timeout", "3", mpirun=["--enable-recovery"])
        job.wait_for_segments(2)
        pids = job.pids()
        os.kill(pids[0], signal.SIGKILL)

        job.wait()

        self.assert_gone(pids.values(), 0.1)
        self.assertIn("no word from rank 0 for 3 s; it is taken for dead", job.err)
        self.assertFalse(self.output.exists())
        self.assert_code(self.run_job(2), OK)
        self.assert_right()


class Failure(MpiTest):
    def test_of_a_rank_ends_all_with_one_message(self):
        job = self.run_job(4, "--failing-rank", "2")

        self.assert_code(job, IO)
        self.assertEqual(job.err.count("No space left on device"), 1)
        self.assertIn("toy_run: error: rank 2: /data/x: No space left on device", job.err)
        self.assertFalse(self.output.exists())
        self.assert_code(self.run_job(2), OK)
        self.assert_right()

    def test_before_the_run_ends_all(self):
        job = self.run_job(3, "--throwing-rank", "1")

        self.assert_code(job, 66)
        self.assertIn("scalesweep: rank 1: error: spec.toml: No such file or directory", job.err)

    def test_foreign_output_is_refused_once(self):
        self.output.write_text("precious")

        job = self.run_job(4)

        self.assert_code(job, CANNOT_CREATE)
        self.assertEqual(job.err.count("is no study of scalesweep"), 1)
        self.assertEqual(self.output.read_text(), "precious")
        self.assertEqual(list(self.folder.iterdir()), [self.output])

    def test_another_study_is_refused(self):
        self.run_job(1, "--points", "1000")
        before = self.output.read_bytes()

        job = self.run_job(2, "--points", "2000")

        self.assert_code(job, CANNOT_CREATE)
        self.assertIn("is another study", job.err)
        self.assertEqual(self.output.read_bytes(), before)

    def test_ranks_with_another_spec_are_refused(self):
        job = self.run_job(2, "--differing-rank", "1")

        self.assert_code(job, 65)
        self.assertIn("rank 1: sees another study than rank 0", job.err)

    def test_second_run_on_the_same_output_is_refused(self):
        first = Job(2, self.output)
        first.wait_for_segments(1)

        second = self.run_job(2)

        self.assert_code(second, CANNOT_CREATE)
        self.assertIn("another run is writing it now", second.err)
        self.assert_code(first.wait(), OK)
        self.assert_right()

    def test_srun_without_pmix_is_noticed(self):
        # The leak checker crashes in a process that ends right after MPI_Init and MPI_Finalize.
        environment = dict(os.environ, SLURM_STEP_NUM_TASKS="4", LSAN_OPTIONS="detect_leaks=0")
        alone = subprocess.run([TOY_RUN, str(self.output)], env=environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

        self.assertEqual(alone.returncode, MPI_UNAVAILABLE)
        self.assertIn("srun started 4 tasks, but each sees itself alone; use 'srun --mpi=pmix'",
                      alone.stderr)


if __name__ == "__main__":
    unittest.main()
