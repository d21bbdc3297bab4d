#!/usr/bin/env python3
"""The engine under a real mpirun: equal files, stops, kills, failures.

    TOY_RUN=.../toy_run MPIEXEC=mpirun mpi_test.py [Equal|Stop|Kill|Memory|Failure]
"""
import os
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from toy_job import (CANNOT_CREATE, IO, MPI_UNAVAILABLE, MPIEXEC, OK, RESUMABLE, TOY_RUN, Job,
                     MpiTest)

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from opencl_stand_in import environment_with_opencl  # noqa: E402


class Equal(MpiTest):
    def expect_equal(self, one, other):
        if shutil.which("h5diff"):
            for group in ("/results", "/summary", "/axes"):
                subprocess.run(["h5diff", str(one), str(other), group, group],
                               check=True, stdout=subprocess.DEVNULL)

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
        for other in files[1:]:
            self.expect_equal(files[0], other)

    def test_many_ranks_on_few_cores(self):
        # Sixty-four processes with sanitizers take minutes to start and end.
        ranks = 16 if os.environ.get("SCALESWEEP_SLOW_BUILD") else 64
        one = self.run_job(1, "--points", "20000")
        self.assert_code(one, OK)
        first = self.output
        self.output = self.folder / "many.h5"
        job = self.run_job(ranks, "--points", "20000")
        self.assert_code(job, OK)
        self.assertEqual((job.number("ranks"), job.number("lost")), (ranks, 0))
        self.assert_right("--points", "20000")
        self.expect_equal(first, self.output)

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

    def stopped_by(self, stop, environment=None):
        job = Job(4, self.output, *self.WORK, environment=environment)
        job.wait_for_segments(3)
        stop(job)
        job.wait()
        self.assertFalse(self.output.exists(), "it was too late to stop it")
        return job

    def assert_goes_on(self, ranks):
        kept = len(list(Path(f"{self.output}.d").glob("[0-9]*.h5")))
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

    def beside_an_opencl_driver(self):
        environment = environment_with_opencl(self.folder)
        if environment is None:
            self.skipTest("no cc, or no headers of hwloc (Debian: apt-get install libhwloc-dev)")
        return environment

    def test_usr1_to_all_ranks_beside_an_opencl_driver(self):
        # The environment of all tests, as .ci/common.sh and job.sh make it.
        environment = self.beside_an_opencl_driver()
        job = self.stopped_by(lambda job: job.process.send_signal(signal.SIGUSR1), environment)
        self.assert_code(job, RESUMABLE)

    def test_usr2_to_all_ranks_where_mpirun_keeps_usr1(self):
        environment = self.beside_an_opencl_driver() | {"HWLOC_COMPONENTS": ""}

        def stop(job):
            job.process.send_signal(signal.SIGUSR1)
            job.wait_for_segments(8)  # all of them go on
            job.process.send_signal(signal.SIGUSR2)

        job = self.stopped_by(stop, environment)
        self.assert_code(job, RESUMABLE)
        self.assertEqual(job.err.count("stopping: signal at rank"), 1, job.err)

    def test_term_to_mpirun(self):
        job = self.stopped_by(lambda job: job.process.terminate())
        self.assertNotEqual(job.code, OK)  # mpirun says what it likes
        self.assert_goes_on(1)


class Kill(MpiTest):
    def test_ranks_end_when_mpirun_is_killed(self):
        job = Job(4, self.output, "--points", "100000", "--cost", "0.0003")
        job.wait_for_segments(1)
        pids = job.pids()
        job.process.kill()
        job.wait()

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


class Memory(MpiTest):
    def test_four_ranks_under_valgrind(self):
        valgrind = shutil.which("valgrind")
        if not valgrind:
            self.skipTest("valgrind is not installed")
        own = Path(os.environ["SCALESWEEP_SOURCE_DIR"]) / "tests/support/valgrind.supp"
        shipped = Path("/usr/share/openmpi/openmpi-valgrind.supp")
        suppressions = [f"--suppressions={file}" for file in (own, shipped) if file.exists()]
        done = subprocess.run(
            [MPIEXEC, "-n", "4", valgrind, "-q", "--error-exitcode=99", "--leak-check=full",
             "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite", *suppressions,
             TOY_RUN, str(self.output), "--points", "2000", "--cost", "0"],
            capture_output=True, text=True, timeout=500, check=False)

        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertNotRegex(done.stderr, r"==\d+==.*(lost|nvalid|ninitialised)")
        self.assert_right("--points", "2000")


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
        environment = dict(os.environ, SLURM_STEP_NUM_TASKS="4")
        alone = subprocess.run([TOY_RUN, str(self.output)], env=environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

        self.assertEqual(alone.returncode, MPI_UNAVAILABLE)
        self.assertIn("srun started 4 tasks, but each sees itself alone; use 'srun --mpi=pmix'",
                      alone.stderr)


if __name__ == "__main__":
    unittest.main()
