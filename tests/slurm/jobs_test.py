#!/usr/bin/env python3
"""Studies as Slurm jobs: one node, four nodes, mpirun, the time limit, and what is refused.

    SCALESWEEP=.../scalesweep SCALESWEEP_SOURCE_DIR=... jobs_test.py
"""
import shutil
import unittest

from cluster import (BAD_INPUT, CANNOT_CREATE, CORES, NO_INPUT, NODES, OUTPUT, PROGRAM, SOURCE,
                     UNAVAILABLE, USAGE, SlurmTest, prepare,
                     environment_with_opencl, wait_until)


def setUpModule():
    prepare()


class Jobs(SlurmTest):
    def test_one_node_goes_on_after_a_signal(self):
        job = self.struck(self.signal_batch, "single-node.sbatch")

        self.wait_for_end(job)
        self.assert_restarts(job, 1)
        self.assertIn(f"{CORES} ranks, restart 1", self.log(job))
        self.assertRegex(self.log(job), r"stopped early: [\d,]+ of [\d,]+ points are safe")
        self.assertIn("Frontier over", self.log(job))
        self.assert_found_earlier_work(job)
        self.assert_same_as_undisturbed()

    def test_signal_before_the_ranks_are_started(self):
        with (self.folder / "site.sh").open("a") as site:
            site.write("touch begun; sleep 2\n")
        job = self.submit_run()

        wait_until((self.folder / "begun").exists, "the script")
        self.signal_batch(job)
        wait_until(lambda: "ranks, restart 1" in self.log(job), lambda: self.describe(job))
        self.wait_for_segments(job)
        self.assertEqual(self.log(job).count("stopped early; goes back into the queue"), 1)

    def test_start_that_is_lost_is_tried_again(self):
        with (self.folder / "site.sh").open("a") as site:
            site.write("[[ ${SLURM_RESTART_COUNT:-0} != 0 ]] ||\n"
                       "  srun_options=(--mpi=none bash -c 'kill -SEGV $$')\n")
        job = self.submit_run()

        wait_until(lambda: "ranks, restart 1" in self.log(job), lambda: self.describe(job))
        self.wait_for_segments(job)

    def test_four_nodes_and_then_there_is_nothing_to_do(self):
        job = self.submit_run("many-nodes.sbatch")

        found = self.wait_for_end(job)
        self.assertEqual(found["NodeList"], "n[1-4]")
        self.assertRegex(self.log(job), rf"time .* on {NODES * CORES} ranks", self.describe(job))
        self.assert_same_as_undisturbed()

        before = self.output.read_bytes()
        again = self.submit_run("many-nodes.sbatch")
        self.wait_for_end(again)
        # MPI may lose a start here as everywhere: then the script has to look for itself.
        lost = self.lost_starts(again) > 0
        self.assertIn("is finished" if lost else "finished: nothing to do", self.log(again),
                      self.describe(again))
        self.assertEqual(self.output.read_bytes(), before)

    def test_four_nodes_under_mpirun_go_on_after_a_signal(self):
        # Where there is an OpenCL driver, mpirun must be kept from it to hand the signal on.
        driver = environment_with_opencl(self.folder) or {}
        job = self.struck(self.signal_batch, SCALESWEEP_LAUNCHER="mpirun", **driver)

        self.wait_for_end(job)
        self.assertIn("stopped early; goes back into the queue", self.log(job))
        self.assertRegex(self.log(job), rf"time .* on {NODES * CORES} ranks")
        self.assert_same_as_undisturbed()

    def test_second_job_on_one_output_is_refused(self):
        first = self.submit_run(options=["--nodelist=n1"])
        self.wait_for_segments(first)
        second = self.submit_run(options=["--nodelist=n2"])

        self.wait_for_end(second, "FAILED", CANNOT_CREATE)
        self.wait_for_end(first)
        self.assert_same_as_undisturbed()

    def assert_fails_once(self, job, code, words):
        self.wait_for_end(job, "FAILED", code)
        self.assertEqual(int(self.cluster.job(job)["Restarts"]), 0, self.describe(job))
        self.assertEqual(self.log(job).count(words), 1, self.describe(job))
        self.assertNotIn("goes back into the queue", self.log(job))

    def test_mistakes_end_a_job_once_with_their_code(self):
        spec = (self.folder / "spec.toml").read_text()
        (self.folder / "wrong.toml").write_text(spec.replace('"N10"', '"N11"'))
        jobs = [(("wrong.toml",), (), BAD_INPUT, "the catalog has no logic 'N11'"),
                (("gone.toml",), (), NO_INPUT, "gone.toml"),
                (("spec.toml",), ("--keep", "nonsense"), USAGE, "nonsense")]
        for launcher in ("srun", "mpirun"):
            for script in ("single-node.sbatch", "array.sbatch"):
                array = script == "array.sbatch"
                begun = [(self.submit(script, *given, OUTPUT, *((2,) if array else ()), *more,
                                      options=["--array=1", "--ntasks=2"] if array else (),
                                      SCALESWEEP_LAUNCHER=launcher), code, words)
                         for given, more, code, words in jobs]
                for job, code, words in begun:
                    self.assert_fails_once(job, code, words)

    def test_a_mistake_that_only_ranks_find_ends_them_with_its_code(self):
        (self.folder / "wrong.toml").write_text("schema = 1\n[workload]\nkind = 1\n")
        for ranks in (2, 8):
            for _ in range(3):
                done = self.cluster.run_ranks(
                    f"--ntasks={ranks}", "--kill-on-bad-exit=1", PROGRAM, "run", "wrong.toml",
                    "-o", OUTPUT, cwd=self.folder, environment=self.site_environment())
                self.assertEqual(done.returncode, BAD_INPUT, done.stderr)
                self.assertEqual(done.stderr.count("wrong.toml:3:8: error"), 1, done.stderr)

    def test_srun_without_pmix_is_told(self):
        with (self.folder / "site.sh").open("a") as site:
            site.write("srun_options=(--mpi=pmi2)\n")
        job = self.submit_run(SCALESWEEP_LAUNCHER="srun")
        self.wait_for_end(job, "FAILED", UNAVAILABLE)
        self.assertIn("'srun --mpi=list' shows", self.log(job))

    def test_folder_of_scripts_with_a_blank(self):
        scripts = self.folder / "my scripts"
        shutil.copytree(SOURCE / "slurm", scripts)
        text = self.cluster.call("sbatch", "--parsable", "--output=%j.log",
                                 scripts / "single-node.sbatch", "spec.toml", OUTPUT,
                                 cwd=self.folder, environment=self.environment())
        job = text.strip()
        self.wait_for_end(job, "FAILED", NO_INPUT)
        self.assertIn("name the folder of these scripts in SCALESWEEP_SLURM", self.log(job))

    def test_arguments_that_are_missing(self):
        jobs = [self.submit(f"{script}.sbatch", options=["--nodes=1", "--ntasks=1"])
                for script in ("single-node", "many-nodes", "array", "merge", "analyze")]
        for job in jobs:
            self.wait_for_end(job, "FAILED", USAGE)
            self.assertIn("usage: sbatch", self.log(job))

    def test_program_that_is_missing(self):
        job = self.submit_run(SCALESWEEP="/nowhere/scalesweep")

        self.wait_for_end(job, "FAILED", UNAVAILABLE)
        self.assertIn("/nowhere/scalesweep", self.log(job))
        self.assertIn("site.sh", self.log(job))


if __name__ == "__main__":
    unittest.main()
