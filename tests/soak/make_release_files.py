#!/usr/bin/env python3
"""Makes releases/VERSION from the program as it is: to be run once for each release, before it.

    SCALESWEEP=.../scalesweep make_release_files.py

A finished study of a few hundred points, what questions get for an answer, and the same study
stopped half-way. What is there already is left alone: it is what that release wrote.
"""
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import upgrade
from jobs import PROGRAM

SPEC = """schema = 1
title = "A study that a release wrote"
[workload]
kind = "training"
model = "llama-2-7b"
sequence = 4096
global_batch = 64
[system]
accelerators = 16
logic = ["N7", "N3"]
memory = ["HBM2E", "HBM3"]
scale_up = { link = "NVLink4", domain = 8 }
scale_out = "NDRx8"
device = { template = "tensor-core-gpu", die_area = "826 mm2", power = "700 W", stacks = 6 }
[strategy]
tensor_parallel = [2, 4, 8]
pipeline_parallel = [1, 2]
chunks = [1, 2]
micro_batch = [1, 2]
recompute = ["none", "full"]
zero = 1
[objectives]
minimize = ["step_time", "energy_per_step"]
"""


def run(*words):
    subprocess.run([PROGRAM, "run", *map(str, words), "-q", "--anonymous"], check=True)


def without_times(entry):
    entry.mtime = entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def main():
    version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True,
                             check=True).stdout.split()[1]
    target = upgrade.FOLDERS / version
    if target.exists():
        sys.exit(f"{target} is there: what a release wrote is not made again")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        spec = work / "spec.toml"
        spec.write_text(SPEC)
        run(spec, "-o", work / "finished.h5")
        run(spec, "-o", work / "a.h5", "--shard", "1/2")
        target.mkdir(parents=True)
        (target / "spec.toml").write_text(SPEC)
        (target / "answers.txt").write_text(upgrade.answers(work))
        # In one archive: most of both are the same texts.
        with tarfile.open(target / "files.tar.xz", "w:xz", preset=9) as archive:
            for name in ("finished.h5", "a.h5.d"):
                archive.add(work / name, name, filter=without_times)
    size = sum(path.stat().st_size for path in target.iterdir())
    print(f"{target}: {size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
