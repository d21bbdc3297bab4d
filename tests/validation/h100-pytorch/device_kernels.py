"""Kernels in Triton: stamps of the clock, and loads that no library has."""
import torch
import triton
import triton.language as tl

READ_BLOCK = 2048  # floats that a program of read_kernel takes at a time


@triton.jit
def stamp_kernel(out):
    # Which multiprocessor, its cycle counter, the nanosecond timer of the device.
    pid = tl.program_id(0)
    sm = tl.inline_asm_elementwise("mov.u32 $0, %smid;", "=r", [], dtype=tl.int32,
                                   is_pure=False, pack=1)
    cycles = tl.inline_asm_elementwise("mov.u64 $0, %clock64;", "=l", [], dtype=tl.int64,
                                       is_pure=False, pack=1)
    ns = tl.inline_asm_elementwise("mov.u64 $0, %globaltimer;", "=l", [], dtype=tl.int64,
                                   is_pure=False, pack=1)
    tl.store(out + pid * 3, sm.to(tl.int64))
    tl.store(out + pid * 3 + 1, cycles)
    tl.store(out + pid * 3 + 2, ns)


@triton.jit
def read_kernel(src, out, blocks, rounds, BLOCK: tl.constexpr):
    # Past L1 (.cg); four loads in flight, or latency and not bandwidth sets the rate.
    pid = tl.program_id(0)
    step = tl.num_programs(0)
    off = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for r in range(0, rounds):
        at = pid + r * 4 * step
        a = tl.load(src + (at % blocks).to(tl.int64) * BLOCK + off, cache_modifier=".cg")
        at += step
        b = tl.load(src + (at % blocks).to(tl.int64) * BLOCK + off, cache_modifier=".cg")
        at += step
        c = tl.load(src + (at % blocks).to(tl.int64) * BLOCK + off, cache_modifier=".cg")
        at += step
        d = tl.load(src + (at % blocks).to(tl.int64) * BLOCK + off, cache_modifier=".cg")
        acc += (a + b) + (c + d)
    tl.store(out + pid, tl.sum(acc, 0))


@triton.jit
def fma_kernel(x_ptr, rounds, BLOCK: tl.constexpr):
    # One fused multiply-add a step of a chaotic map, so that values keep changing.
    off = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + off)
    for i in range(0, rounds):
        for j in tl.static_range(16):
            x = 1.9 - x * x
    tl.store(x_ptr + off, x)


@triton.jit
def swiglu_kernel(gate_ptr, up_ptr, out_ptr, BLOCK: tl.constexpr):
    off = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    gate = tl.load(gate_ptr + off).to(tl.float32)
    up = tl.load(up_ptr + off).to(tl.float32)
    tl.store(out_ptr + off, (gate * tl.sigmoid(gate) * up).to(tl.bfloat16))


@triton.jit
def copy_kernel(src, dst, BLOCK: tl.constexpr):
    off = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(dst + off, tl.load(src + off))


@triton.jit
def poll_kernel(flag, out, rounds, BLOCK: tl.constexpr):
    # All lanes read one flag in L2 again and again, as kernels do that wait for others.
    off = tl.arange(0, BLOCK) * 0
    acc = tl.zeros([BLOCK], tl.int32)
    for i in range(0, rounds):
        acc += tl.load(flag + off, volatile=True)
    tl.store(out + tl.program_id(0), tl.sum(acc, 0))


@triton.jit
def empty_kernel(x_ptr):
    pass


def read_bytes(programs, rounds):
    """What one call of reader() reads."""
    return float(programs * rounds * 4 * READ_BLOCK * 4)


def reader(tensor, programs, rounds):
    """A call that reads a bf16 tensor, from its start again where it ends."""
    source = tensor.view(torch.float32)
    sums = torch.zeros(programs, device="cuda")
    blocks = source.numel() // READ_BLOCK
    return lambda: read_kernel[(programs,)](source, sums, blocks, rounds, BLOCK=READ_BLOCK,
                                            num_warps=4)


def multiplier(warps, programs, block, rounds):
    """A call of 16 x rounds dependent fp32 multiply-adds in each of programs x block lanes."""
    x = torch.rand(programs * block, device="cuda") * 2 - 1
    return lambda: fma_kernel[(programs,)](x, rounds, BLOCK=block, num_warps=warps)


def poller(programs):
    flag = torch.zeros(1, dtype=torch.int32, device="cuda")
    out = torch.zeros(programs, dtype=torch.int32, device="cuda")
    return lambda: poll_kernel[(programs,)](flag, out, 3000, BLOCK=512, num_warps=16)
