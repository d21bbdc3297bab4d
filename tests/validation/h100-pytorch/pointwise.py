"""Pointwise operators and plain reading, from DRAM and from L2."""
import random

import torch
from torch.nn.functional import rms_norm

from bench import sets_for
from device_kernels import copy_kernel, read_bytes, reader, swiglu_kernel
from tables import Table

COLUMNS = ("op,resident,tensor_bytes,bytes_moved,time_s,least_s,p90_s,bytes_per_s,sets,launches,"
           "clock_mhz")
# Tensors that an operator reads and writes.
TENSORS = {"copy": 2, "copy (Triton)": 2, "add": 3, "rms_norm": 2, "softmax": 2, "swiglu": 3,
           "sum": 1, "read": 1}
DRAM_SIZES = [2**e for e in (16, 18, 20, 22, 24, 25, 26, 28, 30, 32)]
L2_SIZES = [2**e for e in (20, 21, 22, 23, 24, 25)]
READERS = 132 * 8  # programs that fill the card
READ_ROUND = 4 * 2048 * 4  # bytes that a program of read_kernel reads in a round


def copy(out, a):
    return lambda: out.copy_(a)


def triton_copy(out, a):
    grid = (a.numel() // 4096,)
    return lambda: copy_kernel[grid](a, out, BLOCK=4096, num_warps=8)


def add(out, a, b):
    return lambda: torch.add(a, b, out=out)


def norm(a, weight):
    return lambda: rms_norm(a, (a.shape[-1],), weight, 1e-6)


def softmax(out, a):
    return lambda: torch.softmax(a, -1, out=out)


def swiglu(out, a, b):
    grid = (a.numel() // 2048,)
    return lambda: swiglu_kernel[grid](a, b, out, BLOCK=2048, num_warps=8)


def total(a):
    return lambda: torch.sum(a, dtype=torch.float32)


def read_grid(size, resident):
    """Programs and rounds: of DRAM once, or nearly; of L2 often enough to last."""
    if resident == "l2":
        return READERS, 16
    programs = min(READERS, max(1, size // READ_ROUND))
    return programs, max(1, size // (READ_ROUND * programs))


def stream_calls(card, op, size, sets, resident="dram"):
    """Calls of an operator on tensors of so many bytes."""
    count = size // 2
    row = min(count, 8192)
    take, put = card.wide.take, card.scratch.take
    weight = torch.rand(row, dtype=torch.bfloat16, device="cuda")
    make = {
        "copy": lambda: copy(put(count), take(count)),
        "copy (Triton)": lambda: triton_copy(put(count), take(count)),
        "add": lambda: add(put(count), take(count), take(count)),
        "rms_norm": lambda: norm(take(count // row, row), weight),
        "softmax": lambda: softmax(put(count // row, row), take(count // row, row)),
        "swiglu": lambda: swiglu(put(count), take(count), take(count)),
        "sum": lambda: total(take(count)),
        "read": lambda: reader(take(count), *read_grid(size, resident)),
    }[op]
    return [make() for _ in range(sets)]


def stream_bytes(op, size, resident="dram"):
    if op == "read":
        return read_bytes(*read_grid(size, resident))
    return float(size * TENSORS[op])


def job(card, table, op, size, resident):
    def run():
        sets = 1 if resident == "l2" else sets_for(size * TENSORS[op])
        calls = stream_calls(card, op, size, sets, resident)
        # Results that operators allocate are kept apart, or they would all stay in L2.
        got = card.bench(calls, keep=size * sets < 2e9)
        moved = stream_bytes(op, size, resident)
        table.add(op=op, resident=resident, tensor_bytes=size, bytes_moved=moved,
                  bytes_per_s=moved / got["time_s"], **got)

    return f"{op} {size} {resident}", run


def measure(card, until):
    dram, l2 = ([2**18, 2**30], [2**23]) if card.quick else (DRAM_SIZES, L2_SIZES)
    shapes = [(op, size, "dram") for op in TENSORS for size in dram]
    shapes += [(op, size, "l2") for op in ("copy", "add", "read") for size in l2]
    random.Random(9).shuffle(shapes)
    table = Table(card.folder, "pointwise.csv", COLUMNS)
    card.run_all("pointwise", [job(card, table, *shape) for shape in shapes], until)
