"""Scenarios of what a machine has too little of: disk, memory, open files."""
import resource
import signal
import subprocess

from jobs import CANNOT_CREATE, IO, OK, OURS, PROGRAM, Skipped, Wrong
from studies import ALONE

MIB = 1 << 20
LOADER_FAILED = 127


def mount(folder, *options):
    done = subprocess.run(["mount", "-t", "tmpfs", *options, "none", str(folder)],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Skipped(f"file systems cannot be mounted here: {done.stderr.strip()}")


def full_disk(trial):
    """A small disk that is full somewhere on the way, then large enough."""
    mount(trial.home, "-o", "size=256M")
    trial.mounted = True
    needed = trial.reference.stat().st_size / 1024
    for _ in range(trial.chance.randint(1, 3)):
        kilobytes = int(needed * trial.chance.uniform(0.1, 2.2)) + 64
        # Refused where more than that is there already: then the disk stays as large as it was.
        subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", trial.home], check=False,
                       capture_output=True)
        said = trial.end(trial.start("--no-space-check"))
        subprocess.run(["mount", "-o", "remount,size=256M", trial.home], check=True)
        for ended in said:
            if ended.code == OK:
                continue
            trial.hits += 1
            if ended.code not in (IO, CANNOT_CREATE):
                raise Wrong(f"a full disk has another code: {ended}")
            if "No space left" not in ended.err and " free" not in ended.err:
                raise Wrong(f"the message does not speak of the disk: {ended}")
            trial.refused(ended)
        if trial.parts.exists() and list(trial.parts.glob("*.tmp")):
            raise Wrong("a full disk left unfinished files, which take room")
        if trial.output.exists():
            return


def file_size_limit(trial):
    """No file may be longer than that: what a quota of some systems does."""
    size = int(trial.reference.stat().st_size * trial.chance.uniform(0.002, 0.9))
    limits = {resource.RLIMIT_FSIZE: size}
    # Shards and ranks alike inherit it from their launcher.
    for ended in trial.end(trial.start(limits=limits)):
        if ended.code != OK:
            trial.hits += 1
            trial.refused(ended)
            # mpirun gives its ranks signals as they are by default: then one ends them.
            if not ended.launched and "File too large" not in ended.err:
                raise Wrong(f"the message does not speak of the limit: {ended}")


def starts_with(limits):
    done = subprocess.run([PROGRAM, "--version"], capture_output=True, check=False,
                          preexec_fn=lambda: [resource.setrlimit(what, (value, value))
                                              for what, value in limits.items()])
    return done.returncode == OK


def least(what, low, high, step):
    """The smallest limit under which the program is loaded at all."""
    while high - low > step:
        middle = (low + high) // 2
        if starts_with({what: middle}):
            high = middle
        else:
            low = middle
    return high


LEAST = {}


def limited(trial, what, low, high, step, extra, signals=OURS):
    """One run under a limit not far above what loading the program needs."""
    if what not in LEAST:
        LEAST[what] = least(what, low, high, step)
    trial.choose(trial.study, ALONE)
    limits = {what: LEAST[what] + int(extra)}
    (ended,) = trial.end(trial.start("--no-space-check", limits=limits), signals=signals)
    if ended.code == LOADER_FAILED:
        raise Skipped("the program is not loaded with so little")
    if ended.code != OK:
        trial.hits += 1
        trial.refused(ended)
    return ended


def little_memory(trial):
    """HDF5 1.10 itself crashes where some of its own requests for memory fail: no message then, but
    nothing may be lost either."""
    for _ in range(3):
        extra = trial.chance.choice((8, 64, 256, 1024)) * MIB * trial.chance.random()
        ended = limited(trial, resource.RLIMIT_AS, 8 * MIB, 4096 * MIB, MIB, extra,
                        signals=(*OURS, signal.SIGSEGV))
        if ended.code == -signal.SIGSEGV:
            trial.refusals.append("crashed in HDF5 for want of memory")
        elif ended.code != OK and "memory" not in ended.err:
            raise Wrong(f"the message does not speak of memory: {ended}")
        if trial.output.exists():
            return


def few_descriptors(trial):
    for _ in range(3):
        ended = limited(trial, resource.RLIMIT_NOFILE, 3, 256, 1, trial.chance.randint(0, 4))
        if ended.code != OK and "open files" not in ended.err:
            raise Wrong(f"the message does not speak of open files: {ended}")
        if trial.output.exists():
            return
