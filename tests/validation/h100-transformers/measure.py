#!/usr/bin/env python3
"""Times vision-language models, training steps, optimizers and RL pieces on one H100.

    python3 measure.py OUTDIR [--quick] [--seconds N] [--only 1,2,...]

Needs PyTorch with CUDA and Triton, transformers and peft. It changes no setting of the card.
README.md says how it measures.
"""
import argparse
import gc
import os
import subprocess
import sys
import traceback

from work import Work, clean, log  # first: it sets the environment that PyTorch starts in
import torch

import diffusion
import first_token
import kernels
import language
import optimizers
import rollouts
import training
import vision
from networks import BF16

# With the part of the time after which no more rows are begun.
PARTS = {"1": (vision.measure, 0.19), "2": (first_token.measure, 0.38),
         "3": (training.measure, 0.56), "4": (optimizers.measure, 0.65),
         "5": (language.measure, 0.79), "6": (rollouts.measure, 0.89),
         "7": (diffusion.measure, 0.97), "8": (kernels.measure, 1.0)}
QUERY = ("name,driver_version,power.limit,clocks.max.sm,clocks.max.mem,persistence_mode,"
         "ecc.mode.current,temperature.gpu")


def describe(folder):
    device = torch.cuda.get_device_properties(0)
    settings = subprocess.run(["nvidia-smi", f"--query-gpu={QUERY}", "--format=csv"],
                              capture_output=True, text=True, timeout=20, check=False).stdout
    cpu = subprocess.run("lscpu | grep -E 'Model name|^CPU\\(s\\)|MHz'", shell=True,
                         capture_output=True, text=True, timeout=20, check=False).stdout
    from importlib import metadata
    with open(os.path.join(folder, "environment.txt"), "w", encoding="utf-8") as out:
        print(f"{device.name}, {device.multi_processor_count} multiprocessors, "
              f"{device.total_memory} B, L2 {device.L2_cache_size} B", file=out)
        for name in ("torch", "triton", "transformers", "peft", "nvidia-cublas",
                     "nvidia-cudnn-cu13", "numpy"):
            try:
                print(name, metadata.version(name), file=out)
            except metadata.PackageNotFoundError:
                print(name, "?", file=out)
        print("Python", sys.version.split()[0], "CUDA", torch.version.cuda, file=out)
        print(settings, cpu, file=out)
        for heads, dim, tokens in ((16, 64, 577), (16, 72, 729), (16, 80, 1024), (32, 128, 640)):
            q = torch.randn(1, heads, tokens, dim, device="cuda", dtype=BF16)
            print("SDPA choice of", heads, dim, tokens, torch._fused_sdp_choice(q, q, q),
                  "(1 flash, 2 efficient, 3 cuDNN, 0 math)", file=out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seconds", type=float, default=470)
    parser.add_argument("--only", default=",".join(PARTS))
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    torch.manual_seed(1)
    gc.disable()
    work = Work(options)
    try:
        describe(options.folder)
    except Exception:
        traceback.print_exc()
    log("ready")
    chosen = options.only.split(",")
    total = sum(1 for _ in chosen)
    for name, (part, share) in PARTS.items():
        if name not in chosen:
            continue
        work.until = options.seconds * (share if total == len(PARTS) and not options.quick else 1.0)
        log("== part", name, f"until {work.until:.0f}")
        work.base = {"part": int(name)}
        work.item(f"part {name}", lambda: part(work), 0)
        clean()
    log("done;", len(work.failures), "failures:", "; ".join(work.failures))


if __name__ == "__main__":
    main()
