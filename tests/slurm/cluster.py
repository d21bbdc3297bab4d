"""One private Slurm cluster for a test program, jobs on it, and what their files should hold."""
import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from pathlib import Path

import h5py

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from opencl_stand_in import environment_with_opencl  # noqa: E402

PROGRAM = os.environ["SCALESWEEP"]
SOURCE = Path(os.environ["SCALESWEEP_SOURCE_DIR"])
CLUSTER = Path(__file__).resolve().parent / "cluster.sh"
OK, USAGE, BAD_INPUT, NO_INPUT, UNAVAILABLE = 0, 64, 65, 66, 69
CANNOT_CREATE, RESUMABLE, SKIPPED = 73, 75, 77
LIMIT_S = 120
MOST_LOST_STARTS = 3  # in a row: one in thirty is
MOST_LATE = 5  # what strikes on a busy machine comes when the study is done
ENDED = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED"}

# Nodes, and cores of each: few ranks, because they share the cores of one machine.
NODES, CORES = 4, 2
LONG = unittest.skipUnless(os.environ.get("SCALESWEEP_LONG"), "of the long run: SCALESWEEP_LONG=1")

# Some seconds of work on two cores, in many small pieces: what strikes, strikes in the middle.
SPEC = """schema = 1
title = "Under Slurm"
[workload]
kind = "training"
model = "llama-2-70b"
sequence = [2048, 4096]
global_batch = 512
[system]
accelerators = 512
logic = ["N10", "N7", "N5", "N3", "N1"]
scaling = "foundry"
memory = ["HBM2E", "HBM3", "HBM4"]
scale_up = { link = "NVLink4", domain = 8 }
scale_out = ["HDRx8", "NDRx8", "XDRx8"]
[system.device]
template = "tensor-core-gpu"
die_area = "826 mm2"
power = ["400 W", "700 W"]
stacks = 6
[strategy]
tensor_parallel = { powers_of_two_to = 16 }
pipeline_parallel = "divisors"
chunks = "divisors"
micro_batch = [1, 2, 4, 8]
recompute = ["none", "selective", "full"]
zero = [0, 1]
[keep]
policy = "all"
"""
PIECES = ("--segment-seconds", "0.2")
OUTPUT = "results/out.h5"  # in a folder that the first job makes

# Four nodes on one machine: MPI must not spin, and finds its way over the nodes' own network.
SITE = f"""source "{SOURCE}/slurm/site.sh"
unset "${{!OMPI_MCA_@}}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader,tcp
export OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_oob_tcp_if_include=eth0
export OMPI_MCA_hwloc_base_binding_policy=none
analyze_options=(--no-figures)
"""


class Cluster:
    """Started once for a test program, and stopped even if that is killed."""

    def __init__(self):
        probed = subprocess.run([CLUSTER, "probe"], stdout=subprocess.PIPE, text=True, check=False)
        if probed.returncode == SKIPPED:
            print(probed.stdout.strip(), flush=True)
            sys.exit(SKIPPED)
        self.folder = Path(tempfile.mkdtemp(prefix="scalesweep-slurm-"))
        self.control("guard", str(os.getpid()))
        self.control("start", str(NODES), str(CORES))

    def control(self, action, *arguments):
        subprocess.run([CLUSTER, action, self.folder, *arguments], check=True)

    def stop(self):
        self.control("stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def run_ranks(self, *command, **options):
        """srun of a command whose ranks call MPI, again where MPI itself lost the start."""
        for _ in range(MOST_LOST_STARTS):
            done = self.run("srun", "--mpi=pmix", *command, **options)
            if not is_lost_start(done.stderr):
                break
        return done

    def run(self, *command, cwd=None, environment=None):
        """A command on the head, however it ends."""
        return subprocess.run([self.folder / "on-head", *map(str, command)], text=True,
                              capture_output=True, cwd=cwd, env=environment, timeout=LIMIT_S,
                              check=False)

    def call(self, *command, cwd=None, environment=None, check=True):
        """A command on the head. A failing one is an error that says what it said."""
        done = self.run(*command, cwd=cwd, environment=environment)
        if check and done.returncode != 0:
            raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def job(self, number):
        """What scontrol says of a job, by name."""
        text = self.call("scontrol", "show", "job", "--oneliner", number)
        return dict(re.findall(r"(\w+(?:/\w+)?)=(\S*)", text.splitlines()[0]))


def is_lost_start(log):
    """Whether MPI itself lost a start: on a busy machine Slurm's PMIx lets some ranks out of
    MPI_Init while another has not come past its first fence, and Open MPI calls a handler there
    that it has not set yet when they speak to it."""
    return "Failing at address: (nil)" in log


def wait_until(condition, what, limit_s=LIMIT_S):
    deadline = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {limit_s} s for {what() if callable(what) else what}")
        time.sleep(0.05)


class SlurmTest(unittest.TestCase):
    """Tests with a folder as a user's: the scripts, a spec, and the reference beside it."""

    cluster = None  # these are set by prepare()
    reference = None  # the file of an undisturbed run
    expected = None  # and its digests

    def setUp(self):
        folder = tempfile.mkdtemp(prefix="scalesweep-job-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.folder = Path(folder)
        (self.folder / "spec.toml").write_text(SPEC)
        (self.folder / "site.sh").write_text(SITE)
        self.output = self.folder / OUTPUT
        self.segments = Path(f"{self.output}.d")
        self.addCleanup(self.cluster.call, "scancel", "--quiet", "--user=root", "--signal=KILL",
                        check=False)
        self.addCleanup(self.cluster.call, "scancel", "--quiet", "--user=root", check=False)

    def environment(self, **more):
        plain = {name: value for name, value in os.environ.items()
                 if not name.startswith(("OMPI_", "SLURM_", "SBATCH_", "HWLOC_"))}
        ours = {"SCALESWEEP": PROGRAM, "SCALESWEEP_SITE": str(self.folder / "site.sh")}
        return plain | ours | more

    def site_environment(self):
        """That of a job, for ranks that no job starts."""
        done = subprocess.run(["bash", "-c", "source site.sh && env -0"], cwd=self.folder,
                              env=self.environment(), check=True, capture_output=True, text=True)
        return dict(entry.split("=", 1) for entry in done.stdout.split("\0") if "=" in entry)

    def submit(self, script, *arguments, options=(), **environment):
        """The number of a job whose log is JOB.log; arguments after the script as a user gives."""
        text = self.cluster.call(
            "sbatch", "--parsable", "--output=%j.log", *options, SOURCE / "slurm" / script,
            *arguments, cwd=self.folder, environment=self.environment(**environment))
        return text.strip()

    def submit_run(self, script="single-node.sbatch", *, options=(), **environment):
        return self.submit(script, "spec.toml", OUTPUT, *PIECES, options=options, **environment)

    def log(self, job):
        path = self.folder / f"{job}.log"
        return path.read_text() if path.exists() else ""

    def describe(self, job):
        return f"{self.cluster.job(job)}\n--- log\n{self.log(job)}"

    def wait_for_end(self, job, state="COMPLETED", code=OK, limit_s=LIMIT_S):
        wait_until(lambda: self.cluster.job(job)["JobState"] in ENDED,
                   lambda: f"the end of {self.describe(job)}", limit_s)
        found = self.cluster.job(job)
        self.assertEqual((found["JobState"], found["ExitCode"].split(":")[0]), (state, str(code)),
                         self.describe(job))
        return found

    def wait_for_segments(self, job, count=3):
        """Until the job has saved something, or is done already."""
        wait_until(lambda: len(list(self.segments.glob("[0-9]*.h5"))) >= count
                   or self.state(job) in ENDED,
                   lambda: f"segments of {self.describe(job)}")

    def struck(self, strike, script="many-nodes.sbatch", *, options=(), **environment):
        """The number of a job that strike(job) stopped in the middle: of the next one where it was
        done before that came."""
        for _ in range(MOST_LATE):
            job = self.submit_run(script, options=options, **environment)
            self.wait_for_segments(job)
            strike(job)
            self.wait_for_restart(job)
            if self.state(job) != "COMPLETED" or self.restarts(job) > self.lost_starts(job):
                return job
            self.output.unlink()
        self.fail(f"{MOST_LATE} times too late for {self.describe(job)}")

    def signal_batch(self, job):
        """As the time limit does, some time before its end."""
        self.cluster.call("scancel", "--batch", "--signal=USR1", job)

    def state(self, job):
        return self.cluster.job(job)["JobState"]

    def restarts(self, job):
        return int(self.cluster.job(job)["Restarts"])

    def wait_for_restart(self, job):
        """Of a job that was stopped and not lost at its start; or until it has ended."""
        wait_until(lambda: self.restarts(job) > self.lost_starts(job) or self.state(job) in ENDED,
                   lambda: f"a restart or the end of {self.describe(job)}")

    def lost_starts(self, job):
        """How many starts MPI itself lost. One start may hit several ranks."""
        starts = re.split(r"ranks, restart \d+\n", self.log(job))
        return sum(is_lost_start(start) for start in starts)

    def assert_restarts(self, job, count):
        """Exactly so many, and one more for each start that MPI itself lost."""
        self.assertEqual(self.restarts(job), count + self.lost_starts(job), self.describe(job))

    def assert_found_earlier_work(self, job):
        self.assertRegex(self.log(job), r"points +[\d,]+ \([\d,]+ of them from an earlier run\)")

    def assert_equal(self, expected):
        """Every value of every dataset, bit by bit; the segments are gone."""
        self.assertEqual(digests(self.output), expected)
        self.assertFalse(self.segments.exists(), "segments are left behind")

    def assert_same_as_undisturbed(self):
        # h5diff takes long for the rows: those are compared bit by bit instead.
        for group in ("/axes", "/summary"):
            done = subprocess.run(["h5diff", self.reference, self.output, group, group],
                                  text=True, capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, f"{group}: {done.stdout}{done.stderr}")
        self.assert_equal(self.expected)


def digests(path):
    """A check sum of each dataset that does not say when and where the study ran."""
    found = {}
    with h5py.File(path) as file:
        def visit(name, item):
            if isinstance(item, h5py.Dataset) and name.startswith(("results", "axes", "summary")):
                values = item[()]
                plain = values.dtype != object and values.ndim > 0
                found[name] = zlib.crc32(values.data if plain else repr(values).encode())
        file.visititems(visit)
    return found


def prepare():
    """For setUpModule: starts the cluster and runs the study undisturbed, without Slurm."""
    if SlurmTest.cluster is not None:
        return  # for other tests of the same program
    cluster = Cluster()
    atexit.register(cluster.stop)
    spec = cluster.folder / "spec.toml"
    spec.write_text(SPEC)
    SlurmTest.cluster = cluster
    SlurmTest.reference = cluster.folder / "reference.h5"
    subprocess.run([PROGRAM, "run", spec, "-o", SlurmTest.reference, "--quiet"], check=True)
    SlurmTest.expected = digests(SlurmTest.reference)
