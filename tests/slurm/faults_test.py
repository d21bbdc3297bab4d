#!/usr/bin/env python3
"""What stops a job: time limit, preemption, requeue, cancel, a node that dies. Nothing is lost.

    SCALESWEEP=.../scalesweep SCALESWEEP_SOURCE_DIR=... faults_test.py

SCALESWEEP_LONG=1 adds variants of these, and a real time limit, which takes minutes.
"""
import unittest

from cluster import LONG, RESUMABLE, SPEC, SlurmTest, digests, prepare, wait_until


def setUpModule():
    prepare()


class Faults(SlurmTest):
    def assert_went_on(self, job, restarts=1):
        """The job ended well after so many restarts; the last found earlier work."""
        self.wait_for_end(job)
        self.assert_restarts(job, restarts)
        self.assert_found_earlier_work(job)
        self.assert_same_as_undisturbed()

    @LONG
    def test_time_limit_signal_again_and_again(self):
        job = self.submit_run("many-nodes.sbatch")

        for restart in range(2):
            earlier = set(self.segments.glob("[0-9]*.h5"))
            wait_until(lambda: f"ranks, restart {restart}" in self.log(job)
                       and set(self.segments.glob("[0-9]*.h5")) - earlier,
                       lambda: f"work after restart {restart} of {self.describe(job)}")
            self.signal_batch(job)
            wait_until(lambda: self.restarts(job) > restart,
                       lambda: f"restart {restart + 1} of {self.describe(job)}")
        self.assert_went_on(job, restarts=2)

    def test_restarts_are_bounded(self):
        with (self.folder / "site.sh").open("a") as site:
            site.write("max_restarts=0\n")
        job = self.struck(self.signal_batch, "single-node.sbatch")

        self.wait_for_end(job, "FAILED", RESUMABLE)
        self.assertIn("submit the job again to go on", self.log(job))

    def test_requeue(self):
        self.assert_went_on(self.struck(lambda job: self.cluster.call("scontrol", "requeue", job)))

    def test_preemption(self):
        self.assert_went_on(self.struck(lambda job: self.cluster.call(
            "srun", "--partition=urgent", "--nodes=4", "--exclusive", "true")))

    def test_cancel(self):
        job = self.struck(lambda job: self.cluster.call("scancel", job))

        self.wait_for_end(job, "CANCELLED", RESUMABLE)
        self.assertIn("what was computed is kept", self.log(job))
        again = self.submit_run("many-nodes.sbatch")
        self.wait_for_end(again)
        self.assert_found_earlier_work(again)
        self.assert_same_as_undisturbed()

    def test_ranks_killed(self):
        self.assert_went_on(self.struck(
            lambda job: self.cluster.run("scancel", "--signal=KILL", f"{job}.0")))

    def crash(self, node):
        """Of a job on four nodes, one; it comes back, and Slurm puts the job back by itself."""
        def strike(job):
            self.cluster.control("crash", node)
            self.wait_for_restart(job)
            self.cluster.control("revive")

        self.assert_went_on(self.struck(strike))

    def test_crash_of_the_node_of_the_script(self):
        self.crash("n1")

    @LONG
    def test_crash_of_another_node(self):
        self.crash("n3")

    @LONG
    def test_crash_goes_on_with_the_nodes_that_are_left(self):
        self.addCleanup(self.cluster.control, "revive")
        job = self.struck(lambda job: self.cluster.control("crash", "n2"),
                          options=["--no-requeue"])

        again = self.submit_run("many-nodes.sbatch",
                                options=["--nodes=3", f"--dependency=afterany:{job}"])
        self.wait_for_end(again)
        self.assertEqual(self.cluster.job(again)["NodeList"], "n[1,3-4]")
        self.assert_found_earlier_work(again)
        self.assert_same_as_undisturbed()

    @LONG
    def test_real_time_limit(self):
        # A minute at least, looked at twice a minute: this study takes about as long on one core.
        powers = ", ".join(f'"{watts} W"' for watts in range(400, 600, 5))
        spec = SPEC.replace('["400 W", "700 W"]', f"[{powers}]")
        (self.folder / "spec.toml").write_text(spec.replace('"all"', '"frontier"'))
        job = self.submit_run(options=["--time=1", "--signal=B:USR1@50", "--ntasks=1"])
        wait_until(lambda: "goes back into the queue" in self.log(job),
                   lambda: self.describe(job), 200)
        self.wait_for_end(job, limit_s=400)
        self.assert_found_earlier_work(job)
        stopped = digests(self.output)
        self.output.unlink()
        self.wait_for_end(self.submit_run(), limit_s=400)
        self.assert_equal(stopped)


if __name__ == "__main__":
    unittest.main()
