#!/usr/bin/env python3
"""Times kernels of language models on one GPU and records its power and its clock.

    python3 measure.py OUTDIR [--device NAME] [--quick] [--seconds N] [--only PART,PART]

Needs PyTorch with CUDA and Triton, and nvidia-ml-py. It changes no setting of the card. README.md
says how it measures.
"""
import argparse
import gc
import os
import subprocess
import sys
import traceback

import torch
import triton

import attention
import clock_trace
import gemm
import launches
import pointwise
import power_runs
from card import Card
from tables import log


# In order, with the part of the time after which no more shapes are begun.
PARTS = {
    "launch": (launches.measure, 0.05),
    "bf16": (gemm.measure_bf16, 0.13),
    "fp8": (gemm.measure_fp8, 0.22),
    "prefill": (attention.measure_prefill, 0.32),
    "decode": (attention.measure_decode, 0.44),
    "pointwise": (pointwise.measure, 0.48),
    "backward": (attention.measure_backward, 0.51),
    "trace": (clock_trace.measure, 0.55),
    "power": (power_runs.measure, 1.0),
}
QUERY = ("name,driver_version,power.limit,clocks.max.sm,clocks.max.mem,persistence_mode,"
         "ecc.mode.current")


def describe(card):
    """What was measured with, for whoever reads the figures later."""
    device = torch.cuda.get_device_properties(0)
    settings = subprocess.run(["nvidia-smi", f"--query-gpu={QUERY}", "--format=csv"],
                              capture_output=True, text=True, timeout=20, check=False)
    with open(os.path.join(card.folder, "environment.txt"), "w", encoding="utf-8") as out:
        print(f"{device.name}, {device.multi_processor_count} multiprocessors, "
              f"{device.total_memory} B, L2 {device.L2_cache_size} B", file=out)
        print(f"Python {sys.version.split()[0]}, PyTorch {torch.__version__}, "
              f"CUDA {torch.version.cuda}, cuBLAS {card.cublas}, cuDNN {card.cudnn}, "
              f"Triton {triton.__version__}", file=out)
        print(settings.stdout, file=out, end="")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="OUTDIR")
    parser.add_argument("--device", default="h100-sxm", metavar="NAME",
                        help="as the catalog names it (default: h100-sxm)")
    parser.add_argument("--seconds", type=float, default=500.0, help="in which to be done")
    parser.add_argument("--quick", action="store_true",
                        help="a few shapes of each part, all loads for less than a second")
    parser.add_argument("--only", default=",".join(PARTS), metavar="PART,PART",
                        help="of " + ", ".join(PARTS))
    parser.add_argument("--number", type=int, default=1,
                        help="run_number in power.csv, to put several runs into one file")
    options = parser.parse_args()
    chosen = options.only.split(",")
    if not set(chosen) <= set(PARTS):
        parser.error("--only: parts are " + ", ".join(PARTS))
    os.makedirs(options.folder, exist_ok=True)
    gc.disable()  # it would come in the middle of a burst
    card = Card(options)
    describe(card)
    for name in PARTS:
        if name in chosen:
            part, share = PARTS[name]
            log("==", name)
            try:
                part(card, options.seconds * (share if len(chosen) == len(PARTS) else 1.0))
            except Exception:
                card.failures += 1
                traceback.print_exc()
            gc.collect()
    card.stop()
    log(f"done, {card.failures} failures")
    return 1 if card.failures else 0


if __name__ == "__main__":
    sys.exit(main())
