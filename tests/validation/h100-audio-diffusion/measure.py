#!/usr/bin/env python3
"""Times training of diffusion transformers and audio-language models on one H100.

    python3 measure.py OUTDIR [--quick] [--seconds N] [--only A1,A2,...]

Needs PyTorch with CUDA and Triton, and transformers. It changes no setting of the card.
"""
import argparse
import faulthandler
import gc
import os
import subprocess
import sys
import traceback

# Networks, stamps and timing stand in the folder of the measurements before.
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "h100-transformers"))
from work import Work, clean, log, now  # first: it sets the environment that PyTorch starts in
import torch

import audio
import diffusion_training as diffusion
from networks import BF16

# The most valuable first; with the seconds kept for the parts after it.
PARTS = {"A1": (diffusion.dit, 0), "A2": (diffusion.mmdit, 0), "B1": (audio.encoder, 0),
         "B2": (audio.first_token, 0), "A1C": (diffusion.dit_compiled, 0),
         "A3": (diffusion.video, 0), "B3": (audio.training, 0),
         "A2C": (diffusion.mmdit_compiled, 0), "VAE": (diffusion.vae, 0),
         "A3C": (diffusion.video_compiled, 25), "X": (diffusion.more, 25),
         "P": (diffusion.profiles, 0)}
NOT_QUICK = ("A2C", "A3C", "X")  # each compiles for longer than the quick run has
QUERY = ("name,driver_version,power.limit,clocks.max.sm,clocks.max.mem,persistence_mode,"
         "ecc.mode.current,temperature.gpu")
ATTENTION = ((16, 72, 256, 64), (16, 72, 1024, 32), (24, 64, 1357, 16), (24, 64, 4429, 4),
             (12, 128, 8190, 1), (20, 64, 1500, 8), (32, 128, 814, 4), (1, 512, 4096, 8))


def shell(command):
    return subprocess.run(command, shell=True, capture_output=True, text=True, timeout=20,
                          check=False).stdout


def describe(folder):
    device = torch.cuda.get_device_properties(0)
    settings = shell(f"nvidia-smi --query-gpu={QUERY} --format=csv")
    cpu = shell("lscpu | grep -E 'Model name|^CPU\\(s\\)|MHz'")
    from importlib import metadata
    with open(os.path.join(folder, "environment.txt"), "w", encoding="utf-8") as out:
        print(f"{device.name}, {device.multi_processor_count} multiprocessors, "
              f"{device.total_memory} B, L2 {getattr(device, 'L2_cache_size', '?')} B", file=out)
        for name in ("torch", "triton", "transformers", "nvidia-cublas", "nvidia-cudnn-cu13",
                     "numpy"):
            try:
                print(name, metadata.version(name), file=out)
            except metadata.PackageNotFoundError:
                print(name, "?", file=out)
        print("Python", sys.version.split()[0], "CUDA", torch.version.cuda, file=out)
        print(settings, cpu, file=out)
        for heads, dim, tokens, batch in ATTENTION:
            q = torch.randn(batch, heads, tokens, dim, device="cuda", dtype=BF16)
            alone = torch._fused_sdp_choice(q, q, q)
            q.requires_grad_()
            print("SDPA choice of", heads, dim, tokens, "forward", alone, "training",
                  torch._fused_sdp_choice(q, q, q),
                  "(1 flash, 2 efficient, 3 cuDNN, 0 math)", file=out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seconds", type=float, default=330)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    # Ends a run that hangs; the rows written so far stay.
    faulthandler.dump_traceback_later(max(30, options.seconds + 60 - now()), exit=True)
    torch.manual_seed(1)
    gc.disable()
    work = Work(options)
    try:
        describe(options.folder)
    except Exception:
        traceback.print_exc()
    log("ready")
    chosen = [name for name in options.only.split(",") if name]
    for name in chosen:
        if name not in PARTS:
            log("no such part:", name, "of", ",".join(PARTS))
    if not chosen:
        chosen = [name for name in PARTS if not (options.quick and name in NOT_QUICK)]
    for name, (part, kept) in PARTS.items():
        if name not in chosen:
            continue
        work.until = options.seconds - (kept if len(chosen) > 1 else 0)
        log("== part", name)
        work.base = {"part": name}
        work.item(f"part {name}", lambda: part(work), 0)
        clean()
    log("done;", len(work.failures), "failures:", "; ".join(work.failures))
    faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main()
