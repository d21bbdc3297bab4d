"""A study that takes a second or two on one core, in some twenty chunks; of a build with sanitizers
(SCALESWEEP_SLOW_BUILD) a sixth of it, which takes ten times as long."""
import os

SPEC = """schema = 1
title = "A second of work"
[workload]
kind = "training"
model = "llama-2-7b"
sequence = [2048, 4096]
global_batch = 64
[system]
accelerators = 64
logic = ["N12", "N7", "N3", "N1"]
memory = ["HBM2E", "HBM3", "HBM4"]
scale_up = { link = "NVLink4", domain = 8 }
scale_out = ["HDRx8", "NDRx8", "XDRx8"]
[system.device]
template = "tensor-core-gpu"
die_area = "826 mm2"
power = ["400 W", "500 W"]
stacks = 2
[strategy]
tensor_parallel = { powers_of_two_to = 8 }
pipeline_parallel = "divisors"
chunks = "divisors"
micro_batch = "divisors"
"""

if os.environ.get("SCALESWEEP_SLOW_BUILD"):
    SPEC = SPEC.replace('["HBM2E", "HBM3", "HBM4"]', '"HBM3"').replace('["400 W", "500 W"]',
                                                                       '"500 W"')


def fewer_chunks(spec):
    """A part of it, for tests that start many programs."""
    for whole, part in (('["N12", "N7", "N3", "N1"]', '["N7", "N3"]'),
                        ('["HBM2E", "HBM3", "HBM4"]', '"HBM3"'),
                        ('["400 W", "500 W"]', '"500 W"')):
        spec = spec.replace(whole, part)
    return spec
