"""Scenarios of processes: killed, stopped, held still, beside each other, on a node that dies."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from jobs import CANNOT_CREATE, MPIEXEC, OK, RESUMABLE, Job, Skipped, Wrong, handles_stops
from studies import ALONE, STUDIES, Shape
from trials import BUSY

SKIPPED = 77


def kill_job(trial):
    """All processes at once, as when a machine loses its power; again and again."""
    for _ in range(trial.chance.randint(1, 12)):
        job = trial.start()
        time.sleep(trial.moment(0.8))
        hit = job.signal(signal.SIGKILL)
        trial.end(job)
        trial.hits += hit and any(process.returncode != 0 for process in job.processes)
        if trial.output.exists() and not trial.parts.exists():
            trial.compare()
            trial.begin_anew()


def ranked(trial):
    if not MPIEXEC:
        raise Skipped("built without MPI")
    trial.choose(trial.study, Shape(ranks=trial.chance.choice((2, 3))))


def one_of(trial, job):
    """A rank, or mpirun itself, or nobody if it is over."""
    victims = [*job.ranks(), job.processes[0].pid]
    return trial.chance.choice(victims)


def kill_rank(trial):
    ranked(trial)
    for _ in range(trial.chance.randint(1, 8)):
        job = trial.start()
        time.sleep(trial.moment(0.8))
        launching = trial.is_launching(job)
        hit = job.signal(signal.SIGKILL, [one_of(trial, job)])
        trial.end(job, launching)
        trial.hits += hit and job.processes[0].returncode != 0
        if trial.output.exists() and not trial.parts.exists():
            trial.compare()
            trial.begin_anew()


def kill_shard(trial):
    """The others of the shards go on, and the merge says whose points are missing."""
    trial.choose(STUDIES[0], Shape(shards=3))
    job = trial.start()
    time.sleep(trial.moment(0.5))
    hit = job.signal(signal.SIGKILL, [trial.chance.choice(job.processes).pid])
    said = trial.end(job)
    trial.hits += hit and any(ended.code == -signal.SIGKILL for ended in said)
    if all(ended.code == OK for ended in said):
        return
    (merged,) = trial.end(trial.start(commands=[[*trial.merge_words(), "--shards", "3"]]))
    if merged.code != RESUMABLE or "/3" not in merged.err:
        raise Wrong(f"the merge does not say what is missing: {merged}")
    trial.refused(merged)


def kill_merge(trial):
    """Many times: all is computed, and what merges is begun and killed: a merge alone, or ranks."""
    kinds = [one for one in STUDIES if not one.is_virtual()]
    trial.choose(trial.chance.choice(kinds), Shape(ranks=2) if MPIEXEC else ALONE)
    trial.end(trial.start(commands=[trial.run_words("--shard", "1/1", "-q")]))
    for _ in range(trial.chance.randint(3, 20)):
        by_ranks = trial.chance.random() < 0.3
        job = trial.start(commands=None if by_ranks else [trial.merge_words()])
        time.sleep(trial.moment(0.5) if by_ranks else trial.moment(0.4) * trial.chance.random())
        hit = job.signal(signal.SIGKILL)
        (ended,) = trial.end(job)
        trial.hits += hit and ended.code != OK
        if trial.output.exists() and not trial.parts.exists():
            return


def stop(trial):
    """Asked to stop: it saves what it has, and says that it goes on."""
    for _ in range(trial.chance.randint(1, 4)):
        number = trial.chance.choice((signal.SIGTERM, signal.SIGINT, signal.SIGUSR1))
        job = trial.start()
        job.wait_until(lambda: (ranks := job.ranks()) and all(map(handles_stops, ranks)),
                       trial.seconds + 10)
        time.sleep(trial.moment(0.7))
        victims = [process.pid for process in job.processes if process.poll() is None]
        hit = job.signal(number, victims)
        for ended in trial.end(job):
            trial.hits += hit and ended.code == RESUMABLE
            if not ended.launched and ended.code not in (OK, RESUMABLE):
                raise Wrong(f"did not stop in an orderly way: {ended}")
        if trial.output.exists() and not trial.parts.exists():
            trial.compare()
            trial.begin_anew()


def held(trial, job, pids):
    """Nothing moves for a while, as under a debugger or on a machine that swaps."""
    time.sleep(trial.moment(0.5))
    pids = pids()
    trial.hits += job.signal(signal.SIGSTOP, pids)
    time.sleep(trial.chance.uniform(0.1, 3.0))
    job.signal(signal.SIGCONT, pids)


def pause(trial):
    job = trial.start()
    for _ in range(trial.chance.randint(1, 2)):
        held(trial, job, job.pids)
    for ended in trial.end(job):
        if ended.code != OK:
            raise Wrong(f"it did not go on: {ended}")


def pause_rank(trial):
    ranked(trial)
    job = trial.start()
    held(trial, job, lambda: job.ranks()[-1:])
    (ended,) = trial.end(job)
    if ended.code != OK:
        raise Wrong(f"it did not go on: {ended}")


def two_at_once(trial):
    """On one output: one says that another is at work, or both find it finished."""
    trial.choose(trial.study, trial.chance.choice((ALONE, ALONE, Shape(ranks=2 if MPIEXEC else 0))))
    for _ in range(trial.chance.randint(1, 3)):
        first = trial.start()
        time.sleep(trial.chance.choice((0.0, 0.0, trial.moment())))
        (trial.folder / "second").mkdir(exist_ok=True)
        second = Job(trial.folder / "second", trial.commands())
        trial.hits += 1
        ends = trial.end(first) + trial.end(second)
        for ended in ends:
            if ended.code == CANNOT_CREATE and BUSY.search(ended.err):
                trial.refusals.append("another run is writing it now")
            elif ended.code != OK:
                raise Wrong(f"two at once: {ended}")
        if all(ended.code != OK for ended in ends):
            raise Wrong(f"two at once, and neither went on: {ends[0]}\n{ends[1]}")
        trial.compare()
        trial.begin_anew()


def node_loss(trial):
    """A node of a private Slurm cluster dies under the job, by the test of that."""
    test = Path(__file__).resolve().parents[1] / "slurm" / "faults_test.py"
    name = trial.chance.choice(("test_crash_of_the_node_of_the_script", "test_ranks_killed",
                                "test_crash_of_another_node"))
    if not shutil.which("slurmctld"):
        raise Skipped("Slurm is not installed")
    done = subprocess.run([sys.executable, "-B", test, f"Faults.{name}"], capture_output=True,
                          text=True, check=False, timeout=600,
                          env=dict(os.environ, SCALESWEEP_LONG="1"))
    if done.returncode == SKIPPED or "ModuleNotFoundError" in done.stderr:
        raise Skipped((done.stdout + done.stderr).strip().splitlines()[-1])
    if done.returncode != 0 or not re.search(r"^OK", done.stderr, re.M):
        raise Wrong(f"{name}: {done.returncode}\n{done.stdout[-1000:]}{done.stderr[-4000:]}")
    trial.hits += 1
