"""Small studies of several kinds, each with the file of an undisturbed run, and the ways in which
they are run."""
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from jobs import MPIEXEC, PROGRAM, Wrong

TRAINING = """schema = 1
title = "A training study that is disturbed"
[workload]
kind = "training"
model = "llama-2-7b"
sequence = 4096
global_batch = 64
[system]
accelerators = 64
logic = ["N12", "N7", "N3", "N1"]
memory = ["HBM2E", "HBM3"]
scale_up = { link = "NVLink4", domain = 8 }
scale_out = ["HDRx8", "XDRx8"]
[system.device]
template = "tensor-core-gpu"
die_area = "826 mm2"
power = "500 W"
stacks = 2
[strategy]
tensor_parallel = { powers_of_two_to = 8 }
pipeline_parallel = "divisors"
chunks = "divisors"
micro_batch = "divisors"
"""
INFERENCE = """schema = 1
title = "An inference study that is disturbed"
[workload]
kind = "inference"
model = ["llama-2-13b", "gpt3-175b"]
prompt = [200, 1600]
output = [100, 200]
batch = [1, 8, 64]
precision = "fp16"
attention = ["flash", "unfused"]
framework = "tensorrt-llm"
[system]
accelerators = [1, 8]
device = ["v100-sxm2-32gb", "a100-sxm-80gb", "h100-sxm", "h200-sxm", "b200-sxm"]
[strategy]
tensor_parallel = { powers_of_two_to = 8 }
pipeline_parallel = [1, 2]
[objectives]
minimize = ["latency", "energy_per_token"]
"""
BEST = TRAINING + '[keep]\nbest = { k = 3, per = ["logic", "memory"] }\n'
FRONTIER = TRAINING + '[keep]\npolicy = "frontier"\n[objectives]\n' \
                      'minimize = ["step_time", "energy_per_token"]\n'
GROUPS = ("/results", "/axes", "/summary")


@dataclass(frozen=True)
class Study:
    """`options` change how the file is laid out, not what is in it."""
    name: str
    spec: str
    options: tuple = ()
    rows_stay: bool = True  # all of them; so a merge may go on where it was

    def is_virtual(self):
        return "virtual" in self.options


@dataclass(frozen=True)
class Shape:
    """Under mpirun on so many ranks (0: without it), or as so many shards."""
    ranks: int = 0
    shards: int = 0

    def __str__(self):
        return (f"{self.ranks} ranks" if self.ranks else
                f"{self.shards} shards" if self.shards else "alone")


STUDIES = (
    Study("training", TRAINING),
    Study("inference", INFERENCE),
    Study("best", BEST, rows_stay=False),
    Study("frontier", FRONTIER, rows_stay=False),
    Study("virtual", TRAINING, ("--layout", "virtual")),
)
ALONE = Shape()
SHAPES = (ALONE, Shape(shards=3), *((Shape(1), Shape(2), Shape(3)) if MPIEXEC else ()))


class References:
    """Files of undisturbed runs, made once, and what they took."""

    def __init__(self, folder):
        self.folder = folder
        self.made = {}
        folder.mkdir(parents=True, exist_ok=True)

    def of(self, study):
        """The file and the seconds."""
        if study.spec not in self.made:
            spec = self.folder / f"{study.name}.toml"
            spec.write_text(study.spec)
            output = self.folder / f"{study.name}.h5"
            began = time.monotonic()
            done = subprocess.run([PROGRAM, "run", spec, "-o", output, "--segment-seconds", "0.02"],
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise Wrong(f"the undisturbed run failed: {done.stdout}{done.stderr}")
            self.made[study.spec] = output, time.monotonic() - began
        return self.made[study.spec]


def facts_of(output):
    """What `status` says that does not depend on when and how it was run."""
    done = subprocess.run([PROGRAM, "status", "--exit-code", output], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise Wrong(f"status of what is finished: {done.returncode}\n{done.stdout}{done.stderr}")
    return [line for line in done.stdout.splitlines()
            if re.match(r"\s*(points|done|rows kept|identity|ok|does_not_fit)\s", line)]


def expect_same(reference, output):
    """The same data, to the bit, and the same facts about them."""
    if not Path(output).exists():
        raise Wrong("it said that it was finished, and there is no file")
    for group in GROUPS:
        same = subprocess.run(["h5diff", reference, output, group, group], capture_output=True,
                              text=True, check=False)
        if same.returncode != 0:
            raise Wrong(f"{group} differs: {(same.stdout + same.stderr)[:2000]}")
    if facts_of(reference) != facts_of(output):
        raise Wrong(f"status differs: {facts_of(reference)} and {facts_of(output)}")
