"""Files that earlier releases wrote, kept in releases/: what the present program makes of them.

A folder is named after the release and holds
    spec.toml, answers.txt    a study, and questions to its file with the answers
    files.tar.xz              finished.h5, and a.h5.d of the first half of the same study
make_release_files.py makes one.
"""
import re
import subprocess
import tarfile
from pathlib import Path

from jobs import CANNOT_CREATE, OK, PROGRAM, Wrong

FOLDERS = Path(__file__).resolve().parent / "releases"
# Asked of the finished file FILE; what is printed must stay as it is.
QUESTIONS = (
    ("status", "FILE"),
    ("query", "FILE"),
    ("query", "FILE", "--frontier", "--select", "point_id,logic,memory,step_time,energy_per_step",
     "--format", "csv"),
    ("query", "FILE", "--pivot", "logic,memory", "--value", "step_time"),
)


def folders():
    return sorted(path for path in FOLDERS.iterdir() if path.is_dir())


def unpack(folder, into):
    into.mkdir(parents=True, exist_ok=True)
    with tarfile.open(folder / "files.tar.xz") as archive:
        archive.extractall(into)  # our own, kept in the tree


def answer(question, folder):
    """What the program says; without where the file is."""
    words = [str(folder / "finished.h5") if word == "FILE" else word for word in question]
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
    if done.returncode != OK:
        raise Wrong(f"{' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return f"$ {' '.join(question)}\n" + done.stdout.replace(f"{folder}/", "")


def answers(folder):
    return "\n".join(answer(question, folder) for question in QUESTIONS)


def expect_same_answers(folder, work):
    unpack(folder, work)
    wanted, found = (folder / "answers.txt").read_text(), answers(work)
    if wanted != found:
        differing = [f"{old!r} is now {new!r}" for old, new
                     in zip(wanted.splitlines(), found.splitlines()) if old != new]
        raise Wrong(f"{folder.name}: other answers: {'; '.join(differing[:5])}")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def go_on(folder, work):
    """Why the unfinished study is refused; nothing if it goes on to the same rows."""
    output, spec = work / "a.h5", folder / "spec.toml"
    parts = Path(f"{output}.d")
    before = contents(parts)
    done = subprocess.run([PROGRAM, "run", spec, "-o", output], capture_output=True, text=True,
                          check=False)
    if done.returncode == OK:
        if not re.search(r"[\d,]+ of them from an earlier run", done.stdout):
            raise Wrong(f"{folder.name}: nothing of the unfinished study was taken up: {done}")
        same = subprocess.run(["h5diff", work / "finished.h5", output, "/results", "/results"],
                              capture_output=True, text=True, check=False)
        if same.returncode != OK:
            raise Wrong(f"{folder.name}: it goes on to other rows: {same.stdout[:2000]}")
        return None
    if done.returncode != CANNOT_CREATE or "another study" not in done.stderr:
        raise Wrong(f"{folder.name}: {done.returncode}\n{done.stdout}{done.stderr}")
    if contents(parts) != before:
        raise Wrong(f"{folder.name}: what is refused was changed")
    return next(line for line in done.stderr.splitlines() if "error:" in line)
