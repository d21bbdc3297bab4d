"""Attention by both backends of PyTorch: prefill, decode and the backward pass."""
import random

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from bench import sets_for
from tables import Table, log

BACKENDS = {"FlashAttention 2": SDPBackend.FLASH_ATTENTION, "cuDNN": SDPBackend.CUDNN_ATTENTION}

# Heads, key and value heads, head dimension; batch, sequence.
PREFILL_HEADS = [(32, 8, 128), (64, 8, 128), (16, 2, 128), (8, 1, 128), (32, 32, 128),
                 (32, 8, 64), (32, 32, 64), (64, 8, 64)]
PREFILL_SIZES = [(1, 512), (1, 1024), (1, 2048), (1, 4096), (1, 8192), (1, 16384), (1, 32768),
                 (4, 512), (4, 2048), (4, 8192), (16, 512), (16, 1024), (16, 2048), (8, 4096),
                 (2, 4096), (2, 16384)]
PREFILL_QUICK = [(1, 512, 8, 1, 128), (4, 2048, 32, 8, 128), (1, 16384, 32, 32, 64)]
DECODE_HEADS = [(32, 8), (64, 8), (8, 1), (16, 2), (32, 32)]
DECODE_BATCHES = (1, 2, 4, 8, 16, 32, 64, 128)
DECODE_CONTEXTS = (512, 2048, 8192, 32768, 131072)
DECODE_QUICK = [(1, 512, 8, 1, 128), (16, 8192, 64, 8, 128), (128, 32768, 32, 8, 128),
                (4, 2048, 32, 32, 128)]
BACKWARD = [(1, 2048, 32, 8, 128), (4, 2048, 32, 8, 128), (1, 8192, 32, 8, 128),
            (2, 8192, 64, 8, 128), (1, 4096, 32, 32, 128), (4, 4096, 16, 2, 128),
            (1, 32768, 8, 1, 128), (8, 1024, 32, 8, 128), (2, 4096, 32, 32, 64),
            (1, 16384, 32, 8, 128)]
BACKWARD_COLUMNS = ("variant,batch,seq,heads,kv_heads,head_dim,forward_s,backward_s,ratio,"
                    "backward_flop_per_s,clock_mhz")


def under(backend, call):
    def run():
        with sdpa_kernel([backend]):
            return call()

    return run


def prefill_calls(card, batch, seq, heads, kv_heads, dim, sets=None):
    sets = sets or sets_for(prefill_bytes(batch, seq, heads, kv_heads, dim), most=64)
    calls = []
    for _ in range(sets):
        q, k, v = (card.wide.take(batch, seq, count, dim).transpose(1, 2)
                   for count in (heads, kv_heads, kv_heads))
        calls.append(lambda q=q, k=k, v=v: scaled_dot_product_attention(
            q, k, v, is_causal=True, enable_gqa=heads != kv_heads))
    return calls


def prefill_flops(batch, seq, heads, _, dim):
    return 2.0 * batch * heads * dim * seq * seq


def prefill_bytes(batch, seq, heads, kv_heads, dim):
    return 2.0 * batch * seq * dim * (2 * heads + 2 * kv_heads)


def decode_calls(card, batch, seq, heads, kv_heads, dim, sets=None):
    sets = sets or sets_for(decode_bytes(batch, seq, heads, kv_heads, dim), most=128)
    calls = []
    for _ in range(sets):
        # The query heads of a group are rows of one query, so that the cache is read once.
        q = card.wide.take(batch, kv_heads, heads // kv_heads, dim)
        k, v = (card.wide.take(batch, kv_heads, seq, dim) for _ in range(2))
        calls.append(lambda q=q, k=k, v=v: scaled_dot_product_attention(q, k, v))
    return calls


def decode_flops(batch, seq, heads, _, dim):
    return 4.0 * batch * heads * dim * seq


def decode_bytes(batch, seq, _, kv_heads, dim):
    return 4.0 * batch * seq * kv_heads * dim


PREFILL = ("attention_prefill", prefill_calls, prefill_flops, prefill_bytes)
DECODE = ("attention_decode", decode_calls, decode_flops, decode_bytes)


def extra_memory(call):
    """Bytes that a call takes beside what it returns: copies of keys and values would show."""
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    out = call()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before - out.numel() * out.element_size()


def job(card, kind, batch, seq, heads, kv_heads, dim):
    """Times both backends; the faster one is the case."""
    op, make, flops, moved = kind
    sizes = (batch, seq, heads, kv_heads, dim)
    name = f"{op}-{card.device}-pytorch-bf16-b{batch}-s{seq}-h{heads}-{kv_heads}-d{dim}"
    shape = {"op": op, "batch": batch, "seq": seq, "heads": heads, "kv_heads": kv_heads,
             "head_dim": dim, "precision": "bf16"}

    def run():
        found = []
        for backend, kernel in BACKENDS.items():
            try:
                with sdpa_kernel([kernel]):
                    calls = make(card, *sizes)
                    extra = extra_memory(calls[0])
                    got = card.bench(calls)
            except Exception as error:
                card.failed(f"{name} {backend}", error)
                continue
            card.add_detail(got, flops(*sizes), moved(*sizes), variant=backend, extra_bytes=extra,
                            **shape)
            found.append((got["time_s"], backend, got))
        if found:
            _, backend, got = min(found, key=lambda one: one[0])
            library = f"cuDNN {card.cudnn}" if backend == "cuDNN" else backend
            card.kernel(name, f"{library}, PyTorch {card.torch}", got, kv_precision="bf16", **shape)

    return name, run


def measure_prefill(card, until):
    shapes = [(*size, *heads) for heads in PREFILL_HEADS for size in PREFILL_SIZES]
    random.Random(5).shuffle(shapes)
    shapes = [s for s in shapes if s[2:] != (64, 8, 64) or s[1] in (2048, 8192)]
    if card.quick:
        shapes = PREFILL_QUICK
    card.run_all("prefill", [job(card, PREFILL, *shape) for shape in shapes], until)


def decode_shapes():
    """Some head counts with some batches come last, where time may be up."""
    shapes = [(batch, seq, heads, kv_heads, 128) for heads, kv_heads in DECODE_HEADS
              for batch in DECODE_BATCHES for seq in DECODE_CONTEXTS
              if decode_bytes(batch, seq, heads, kv_heads, 128) < 30e9]
    last = [s for s in shapes if s[2:4] in ((16, 2), (32, 32)) and s[0] in (2, 8, 32, 128)]
    first = [s for s in shapes if s not in last]
    random.Random(3).shuffle(first)
    random.Random(4).shuffle(last)
    return first + last


def compare_backends(card):
    """Rows of one query stand for heads that share a cache: both have to say the same."""
    call = decode_calls(card, 2, 2048, 32, 8, 128, sets=1)[0]
    flash, cudnn = (under(backend, call)().float() for backend in BACKENDS.values())
    log(f"backends differ by {((flash - cudnn).norm() / flash.norm()).item():.2g}")


def measure_decode(card, until):
    card.run_all("comparison", [("of backends", lambda: compare_backends(card))], until)
    shapes = DECODE_QUICK if card.quick else decode_shapes()
    card.run_all("decode", [job(card, DECODE, *shape) for shape in shapes], until)


def backward_job(card, table, backend, batch, seq, heads, kv_heads, dim):
    def run():
        with sdpa_kernel([BACKENDS[backend]]):
            q, k, v = (card.wide.take(batch, seq, count, dim).transpose(1, 2).detach()
                       .requires_grad_() for count in (heads, kv_heads, kv_heads))

            def forward():
                return scaled_dot_product_attention(q, k, v, is_causal=True,
                                                    enable_gqa=heads != kv_heads)

            ahead = card.bench([forward])
            out = forward()
            gradient = card.wide.take(batch, seq, heads, dim).transpose(1, 2)
            got = card.bench([lambda: torch.autograd.grad(out, (q, k, v), gradient,
                                                          retain_graph=True)])
        # Two products forward, five backward: the scores are computed again.
        flops = 2.5 * prefill_flops(batch, seq, heads, kv_heads, dim)
        table.add(variant=backend, batch=batch, seq=seq, heads=heads, kv_heads=kv_heads,
                  head_dim=dim, forward_s=ahead["time_s"], backward_s=got["time_s"],
                  ratio=got["time_s"] / ahead["time_s"],
                  backward_flop_per_s=flops / got["time_s"], clock_mhz=got["clock_mhz"])

    return f"backward {backend} b{batch} s{seq} h{heads}-{kv_heads} d{dim}", run


def measure_backward(card, until):
    table = Table(card.folder, "attention-backward.csv", BACKWARD_COLUMNS)
    shapes = BACKWARD[:2] if card.quick else BACKWARD
    card.run_all("backward", [backward_job(card, table, backend, *shape)
                              for shape in shapes for backend in BACKENDS], until)
