#!/usr/bin/env python3
"""The program itself under mpirun: equal files for any number of ranks, kills, exit codes.

    SCALESWEEP=.../scalesweep MPIEXEC=mpirun SCALESWEEP_SOURCE_DIR=... ranks_test.py
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from second_of_work import SPEC  # noqa: E402

PROGRAM = os.environ["SCALESWEEP"]
MPIEXEC = os.environ.get("MPIEXEC", "")
SOURCE = Path(os.environ["SCALESWEEP_SOURCE_DIR"])
LIMIT_S = 100


def command(spec, output, *options, ranks=0):
    launcher = [MPIEXEC, "-n", str(ranks)] if ranks else []
    return [*launcher, PROGRAM, "run", str(spec), "-o", str(output), *options]


def run(arguments, cwd=None):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=LIMIT_S, cwd=cwd)


class RanksTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="scalesweep-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.spec = self.folder / "spec.toml"
        self.spec.write_text(SPEC)

    def study(self, name, *options, ranks=0):
        output = self.folder / name
        done = run(command(self.spec, output, *options, ranks=ranks))
        self.assertEqual(done.returncode, 0, done.stderr)
        return output

    def expect_equal(self, a, b):
        for group in ("/results", "/axes"):
            done = run(["h5diff", str(a), str(b), group, group])
            self.assertEqual(done.returncode, 0, f"{group}: {done.stdout}{done.stderr}")

    def needs_mpi(self):
        if not MPIEXEC:
            self.skipTest("built without MPI")

    def test_same_results_on_1_2_and_4_ranks(self):
        self.needs_mpi()
        plain = self.study("plain.h5")
        for ranks in (1, 2, 4):
            self.expect_equal(plain, self.study(f"ranks{ranks}.h5", ranks=ranks))

    def test_same_kept_rows_on_1_and_3_ranks(self):
        self.needs_mpi()
        for keep in ("feasible", "frontier", "best=3:logic,memory"):
            name = keep.split("=")[0]
            one = self.study(f"{name}1.h5", "--keep", keep)
            self.expect_equal(one, self.study(f"{name}3.h5", "--keep", keep, ranks=3))

    # What later candidates are depends on the earlier ones, whichever rank evaluates either.
    def test_same_allocations_on_1_and_3_ranks(self):
        self.needs_mpi()
        spec = SPEC.replace("sequence = [2048, 4096]", "sequence = 2048")
        spec = spec.replace('["400 W", "500 W"]', '"500 W"')
        spec = spec.replace('["HDRx8", "NDRx8", "XDRx8"]', '"NDRx8"')
        spec = spec.replace("stacks = 2\n", "")
        spec += """[allocate]
core_area_share = { from = 0.4, to = 0.9 }
memory_edge_share = { from = 0.2, to = 0.6 }
grid = 2
rounds = 2
"""
        self.spec.write_text(spec)
        one = self.study("one.h5")
        self.expect_equal(one, self.study("three.h5", ranks=3))

    def test_another_run_gives_the_same_file_contents(self):
        self.expect_equal(self.study("a.h5"), self.study("b.h5"))

    # The ranks outlive a killed mpirun until they notice, and hold the output until then: wait
    # for that run, as the message says.
    def run_once_the_killed_ones_are_gone(self, arguments):
        deadline = time.monotonic() + LIMIT_S
        done = run(arguments)
        while "another run is writing it now" in done.stderr and time.monotonic() < deadline:
            time.sleep(0.2)
            done = run(arguments)
        return done

    def killed_then_resumed(self, ranks):
        whole = self.study("whole.h5")
        output = self.folder / "killed.h5"
        arguments = command(self.spec, output, "--segment-seconds", "0.02", ranks=ranks)
        kills = 0
        for _ in range(40):
            process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, start_new_session=True)
            segments = lambda: len(list(Path(f"{output}.d").glob("[0-9]*.h5")))
            before = segments()
            while process.poll() is None and segments() < before + 2:
                time.sleep(0.002)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                kills += 1
            process.wait()
            if output.exists() or kills >= 3:
                break
        self.assertGreater(kills, 0, "the run was over before it could be killed")
        done = self.run_once_the_killed_ones_are_gone(arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.expect_equal(whole, output)
        self.assertFalse(Path(f"{output}.d").exists())

    def test_killed_and_run_again_gives_the_same_file(self):
        self.killed_then_resumed(0)

    def test_killed_on_2_ranks_and_run_again_gives_the_same_file(self):
        self.needs_mpi()
        self.killed_then_resumed(2)

    def stopped(self, signal_number):
        output = self.folder / "stopped.h5"
        arguments = command(self.spec, output, "--segment-seconds", "0.02")
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        while process.poll() is None and not list(Path(f"{output}.d").glob("[0-9]*.h5")):
            time.sleep(0.002)
        process.send_signal(signal_number)
        out, err = process.communicate(timeout=LIMIT_S)
        return output, process.returncode, err

    def test_status_watches_it_to_its_end(self):
        output = self.folder / "watched.h5"
        process = subprocess.Popen(command(self.spec, output, "--segment-seconds", "0.02"),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not list(Path(f"{output}.d").glob("[0-9]*.h5")):
            time.sleep(0.002)
        watched = run([PROGRAM, "status", "--watch", "0.05", str(output)])
        self.assertEqual(watched.returncode, 0, watched.stderr)
        self.assertRegex(watched.stdout, r"state +finished\n")
        self.assertEqual(process.wait(), 0)

    def test_status_does_not_watch_what_nobody_writes(self):
        output, _, _ = self.stopped(signal.SIGTERM)
        watched = run([PROGRAM, "status", "--watch", "60", str(output)])
        self.assertIn("unfinished: the same run command goes on", watched.stdout)

    def test_signals_stop_it_resumably(self):
        whole = self.study("whole.h5")
        for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT,
                       signal.SIGHUP, signal.SIGXCPU):
            output, code, err = self.stopped(number)
            self.assertEqual(code, 75, err)
            self.assertRegex(err, r"stopped early: [\d,]+ of [\d,]+ points are safe in "
                                  r"\S+stopped\.h5\.d; the same command goes on")
            status = run([PROGRAM, "status", str(output)])
            self.assertEqual(status.returncode, 0, status.stderr)
            self.assertIn("unfinished", status.stdout)
            self.assertEqual(run([PROGRAM, "status", "--exit-code", str(output)]).returncode, 75)
            done = run(command(self.spec, output))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"[\d,]+ of them from an earlier run")
            self.expect_equal(whole, output)
            output.unlink()

    def test_a_hangup_that_is_ignored_stops_nothing(self):
        output = self.folder / "kept.h5"
        process = subprocess.Popen(["nohup", *command(self.spec, output, "--segment-seconds",
                                                      "0.02")], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not list(Path(f"{output}.d").glob("[0-9]*.h5")):
            time.sleep(0.002)
        process.send_signal(signal.SIGHUP)
        _, err = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 0, err)
        self.assertTrue(output.exists())

    def outlives_its_log(self, ranks):
        output = self.folder / f"outlives{ranks}.h5"
        process = subprocess.Popen(command(self.spec, output, ranks=ranks),
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        process.stdout.close()
        code = process.wait(timeout=LIMIT_S)
        self.expect_equal(self.study("whole.h5"), output)
        self.assertFalse(Path(f"{output}.d").exists())
        return code

    def test_a_run_outlives_the_end_of_its_log(self):
        # What it has to say at the end is lost, and that is told.
        self.assertEqual(self.outlives_its_log(0), 74)

    def test_ranks_outlive_the_end_of_their_log(self):
        self.needs_mpi()
        self.outlives_its_log(2)

    def test_a_run_is_checked_without_running(self):
        output = self.folder / "checked.h5"
        done = run(command(self.spec, output, "--shard", "1/2", "--check"))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        for options, code, words in ((["--keep", "nonsense"], 64, "nonsense"),
                                     (["--shard", "3/2"], 64, "3/2"),
                                     (["--layout", "flat"], 64, "flat")):
            done = run(command(self.spec, output, *options, "--check"))
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(words, done.stderr)
        self.spec.write_text(SPEC.replace('"N12"', '"N13"'))
        self.assertEqual(run(command(self.spec, output, "--check")).returncode, 65)
        self.spec.unlink()
        self.assertEqual(run(command(self.spec, output, "--check")).returncode, 66)
        self.assertFalse(output.exists() or Path(f"{output}.d").exists())

    def test_unfinished_work_of_another_spec_is_refused_with_the_difference(self):
        output, code, _ = self.stopped(signal.SIGTERM)
        self.assertEqual(code, 75)
        other = self.folder / "other.toml"
        other.write_text(SPEC.replace('"N12", "N7"', '"N12", "N5"'))
        done = run(command(other, output))
        self.assertEqual(done.returncode, 73, done.stderr)
        self.assertIn("N5", done.stderr)
        self.assertTrue(Path(f"{output}.d").exists(), "nothing is lost")

    def test_errors_are_told_once(self):
        self.needs_mpi()
        self.spec.write_text(SPEC.replace('"N12"', '"N13"'))
        done = run(command(self.spec, self.folder / "bad.h5", ranks=3))
        self.assertEqual(done.returncode, 65, done.stderr)
        self.assertEqual(len(re.findall("the catalog has no logic 'N13'", done.stderr)), 1,
                         done.stderr)

    def test_wrong_options_are_told_once(self):
        self.needs_mpi()
        done = run(command(self.spec, self.folder / "bad.h5", "--keep", "nonsense", ranks=3))
        self.assertEqual(done.returncode, 64, done.stderr)
        self.assertEqual(done.stderr.count("--keep nonsense: no such policy"), 1, done.stderr)

    def test_a_mistake_that_one_rank_finds_alone_ends_all(self):
        self.needs_mpi()
        # More work than it waits for the others.
        self.spec.write_text(SPEC.replace('"500 W"]', '"500 W", "600 W", "700 W", "800 W"]'))
        gone = '[ "$OMPI_COMM_WORLD_RANK" = 0 ] || cd /; exec "$@"'
        done = run([MPIEXEC, "-n", "2", "sh", "-c", gone, "sh", PROGRAM, "run", "spec.toml", "-o",
                    str(self.folder / "bad.h5")], cwd=self.folder)
        self.assertEqual(done.returncode, 66, done.stderr)
        self.assertIn("rank 1: error: it ends with exit code 66 and others do not", done.stderr)

    def test_errors_are_told_once_however_late_the_first_rank_is(self):
        self.needs_mpi()
        self.spec.write_text(SPEC.replace('"N12"', '"N13"'))
        late = 'if [ "$OMPI_COMM_WORLD_RANK" = 0 ]; then sleep 2; fi; exec "$@"'
        done = run([MPIEXEC, "-n", "3", "sh", "-c", late, "sh",
                    *command(self.spec, self.folder / "bad.h5")])
        self.assertEqual(done.returncode, 65, done.stderr)
        self.assertEqual(done.stderr.count("the catalog has no logic 'N13'"), 1, done.stderr)

    def test_finished_study_on_ranks_is_left_alone(self):
        self.needs_mpi()
        output = self.study("done.h5")
        before = output.read_bytes()
        done = run(command(self.spec, output, ranks=2))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("finished: nothing to do"), 1, done.stdout)
        self.assertEqual(output.read_bytes(), before)

    def test_foreign_file_on_ranks_is_left_alone(self):
        self.needs_mpi()
        output = self.folder / "notes.h5"
        output.write_text("my notes\n")
        done = run(command(self.spec, output, ranks=2))
        self.assertEqual(done.returncode, 73, done.stderr)
        self.assertEqual(output.read_text(), "my notes\n")

    def test_closed_standard_output_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "catalog"], stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, 74, done.stderr)
        self.assertIn("standard output cannot be written", done.stderr)

    def test_catalog_by_environment(self):
        environment = dict(os.environ, SCALESWEEP_NODES=str(self.folder / "none"))
        done = subprocess.run([PROGRAM, "catalog"], capture_output=True, text=True,
                              env=environment, timeout=LIMIT_S)
        self.assertEqual(done.returncode, 66)
        self.assertIn("SCALESWEEP_NODES=", done.stderr)
        environment["SCALESWEEP_NODES"] = str(SOURCE / "nodes")
        done = subprocess.run([PROGRAM, "catalog"], capture_output=True, text=True,
                              env=environment, timeout=LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
