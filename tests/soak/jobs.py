"""The program as a job: started alone, under mpirun or as shards beside each other; found among the
processes, hit by signals, waited for, and judged by how it ended."""
import os
import re
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from fault_study import (BAD_INPUT, CANNOT_CREATE, INTERNAL, IO, MPIEXEC, NO_INPUT,  # noqa: E402
                         OK, PROGRAM, RESUMABLE)

LIMIT_S = 180
LAUNCH_PATIENCE_S = 30  # for mpirun to notice that a rank died before MPI had started in it
ORDERLY = (OK, BAD_INPUT, NO_INPUT, CANNOT_CREATE, IO, RESUMABLE)
CRASHED = re.compile(r"Segmentation fault|SIGSEGV|SIGABRT|SIGBUS|SIGFPE|terminate called|"
                     r"Signal: .*\((?:6|7|8|11)\)|AddressSanitizer|internal error", re.IGNORECASE)
OURS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGXFSZ)


class Wrong(Exception):
    """What must not be: a crash, a lost point, another result, something left over."""


class Skipped(Exception):
    """What this machine cannot do."""


@dataclass
class Ended:
    """One process that is over."""
    words: list
    code: int
    out: str
    err: str
    launched: bool  # by mpirun, whose own codes say little

    def __str__(self):
        return f"{' '.join(self.words)}: {self.code}\n{self.out[-2000:]}{self.err[-4000:]}"


def children_of(pid):
    found = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    except OSError:
        pass
    return found


def family_of(pid):
    """A process and all that it started, parents first."""
    found = [pid]
    for child in children_of(pid):
        found += family_of(child)
    return found


def is_running(pid):
    """Neither gone nor only waiting to be collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def is_program(pid):
    try:
        return os.path.samefile(f"/proc/{pid}/exe", PROGRAM)
    except OSError:
        return False


def handles_stops(pid):
    """Whether it is past the start of MPI: before its handlers are set, a signal simply ends it."""
    try:
        caught = re.search(r"^SigCgt:\s*(\w+)$", Path(f"/proc/{pid}/status").read_text(), re.M)
    except OSError:
        return False
    return bool(int(caught.group(1), 16) >> (signal.SIGUSR1 - 1) & 1)


def send(pids, number):
    """To all at once, as far as they are still there; whether any was."""
    hit = False
    for pid in pids:
        try:
            os.kill(pid, number)
            hit = True
        except ProcessLookupError:
            pass
    return hit


class Job:
    """Processes of one attempt. What they say goes to files: nobody has to read it for them to go
    on, and ranks that outlive their mpirun keep no pipe open."""

    def __init__(self, folder, commands, limits=(), prefix=()):
        self.limits = dict(limits)
        self.processes, self.texts = [], []
        for number, words in enumerate(commands):
            texts = [folder / f"said-{number}.{kind}" for kind in ("out", "err")]
            with texts[0].open("wb") as out, texts[1].open("wb") as err:
                # Without restore_signals: a file that is too large is then an error, not a signal.
                self.processes.append(subprocess.Popen(
                    [*prefix, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                    start_new_session=True, restore_signals=False, preexec_fn=self.restrict))
            self.texts.append(texts)
        self.known = set()

    def restrict(self):
        for what, value in self.limits.items():
            resource.setrlimit(what, (value, value))

    def is_over(self):
        return all(process.poll() is not None for process in self.processes)

    def pids(self):
        """Of everything that runs in it: launchers before ranks."""
        found = [pid for process in self.processes if process.poll() is None
                 for pid in family_of(process.pid)]
        self.known.update(found)
        return found

    def ranks(self):
        return [pid for pid in self.pids() if is_program(pid)]

    def signal(self, number, pids=None):
        return send(self.pids() if pids is None else pids, number)

    def wait_until(self, condition, seconds):
        """Whether that came before the job was over and the time was up."""
        deadline = time.monotonic() + seconds
        while not condition():
            if self.is_over() or time.monotonic() > deadline:
                return False
            time.sleep(0.001)
        return True

    def end_all(self):
        """Nothing of it is left: ranks that outlived their launcher are waited for, then ended."""
        self.pids()
        deadline = time.monotonic() + LAUNCH_PATIENCE_S
        while any(is_running(pid) for pid in self.known) and self.is_over():
            if time.monotonic() > deadline:
                break
            time.sleep(0.01)
        send([pid for pid in self.known if is_running(pid)], signal.SIGKILL)

    def wait(self, limit_s=LIMIT_S):
        """How each process ended; too late is wrong."""
        deadline = time.monotonic() + limit_s
        while not self.is_over():
            self.pids()
            if time.monotonic() > deadline:
                send(self.pids(), signal.SIGKILL)
                for process in self.processes:
                    process.wait()
                raise Wrong(f"it did not end within {limit_s} s: {self.said()}")
            time.sleep(0.005)
        return self.said()

    def said(self):
        return [Ended(list(map(str, process.args)), process.returncode,
                      *(text.read_text(errors="replace") for text in texts),
                      str(process.args[0]) == MPIEXEC)
                for process, texts in zip(self.processes, self.texts)]


def expect_orderly(ended, signals=OURS):
    """It ended well, by a signal that was sent to it, or with a documented code and an error."""
    if CRASHED.search(ended.err) or CRASHED.search(ended.out):
        raise Wrong(f"crashed: {ended}")
    if ended.launched and ended.code not in (OK, INTERNAL, -signal.SIGSEGV, -signal.SIGABRT):
        return
    if ended.code < 0 and -ended.code in signals:
        return
    if ended.code not in ORDERLY:
        raise Wrong(f"no documented code: {ended}")
    if ended.code not in (OK, RESUMABLE) and "error:" not in ended.err:
        raise Wrong(f"refused without a reason: {ended}")
