"""GEMM in bf16 and fp8: C[m,n] = A[m,k] W[n,k]^T, weights as linear layers keep them."""
import random

import torch

from bench import sets_for

WHOLE = [(4096, 28672), (14336, 4096), (8192, 8192), (8192, 7168)]  # (k, n) with all ROWS
PARTS = [(4096, 6144), (4096, 4096), (8192, 10240), (8192, 57344), (28672, 8192), (8192, 1280),
         (1024, 8192), (3584, 8192), (16384, 2304), (2048, 16384), (16384, 13312), (6656, 16384)]
ROWS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384]
FEW_ROWS = [1, 8, 32, 128, 512, 2048, 8192]
ODD = [(1000, 4096, 4096), (100, 5120, 13824), (333, 4112, 4112), (2000, 5008, 5008),
       (1536, 1536, 1536), (77, 1280, 5120), (4096, 4096, 11008), (4096, 11008, 4096),
       (2048, 5120, 151936), (1, 4096, 128256), (64, 4096, 128256), (777, 3072, 8208),
       (3000, 3000, 3000), (200, 7168, 2112), (6000, 2880, 5760), (257, 8192, 8192),
       (4097, 4097, 4097)]
SQUARES = [1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384]
QUICK = [(1, 4096, 4096), (128, 4096, 28672), (4097, 4097, 4097), (8192, 8192, 8192),
         (333, 4112, 4112)]
SCALED = [(m, k, n) for m in (16, 512, 4096) for k, n in WHOLE] + [
    (size, size, size) for size in (2048, 4096, 16384)]
VARIANTS = {"exact accumulation": "exact", "row scales": "row"}


def shapes(quick):
    """First those that matter, each part in random order, so that a lack of time leaves no gap."""
    if quick:
        return QUICK, []
    first = [(m, k, n) for m in ROWS for k, n in WHOLE]
    first += [(m, k, n) for m in FEW_ROWS for k, n in PARTS]
    first += ODD + [(size, size, size) for size in SQUARES]
    first = list(dict.fromkeys(first))
    rest = [(m, k, n) for m in ROWS if m not in FEW_ROWS for k, n in PARTS]
    rest = [shape for shape in rest if shape not in first]
    generator = random.Random(7)
    generator.shuffle(first)
    generator.shuffle(rest)
    return first, rest


def bf16_calls(card, m, k, n, sets=None):
    sets = sets or sets_for(2 * (m * k + k * n + m * n))
    pairs = [(card.wide.take(m, k), card.wide.take(n, k)) for _ in range(sets)]
    return [lambda a=a, w=w: torch.mm(a, w.t()) for a, w in pairs]


def fp8_calls(card, m, k, n, variant="", sets=None):
    sets = sets or sets_for(m * k + k * n + 2 * m * n)
    pairs = [(card.narrow.take(m, k), card.narrow.take(n, k)) for _ in range(sets)]
    scale_a = scale_w = torch.ones((), dtype=torch.float32, device="cuda")
    if variant == "row scales":
        scale_a = torch.rand(m, 1, device="cuda") + 0.5
        scale_w = torch.rand(1, n, device="cuda") + 0.5
    fast = variant != "exact accumulation"
    return [lambda a=a, w=w: torch._scaled_mm(a, w.t(), scale_a=scale_a, scale_b=scale_w,
                                              out_dtype=torch.bfloat16, use_fast_accum=fast)
            for a, w in pairs]


def gemm_calls(card, m, k, n, precision, sets=None):
    if precision == "bf16":
        return bf16_calls(card, m, k, n, sets)
    return fp8_calls(card, m, k, n, sets=sets)


def flops(m, k, n):
    return 2.0 * m * k * n


def record(card, m, k, n, precision, variant, got):
    shape = {"op": "matmul", "m": m, "k": k, "n": n, "precision": precision}
    size = 2 if precision == "bf16" else 1
    card.add_detail(got, flops(m, k, n), float(size * (m * k + k * n) + 2 * m * n),
                    variant=variant, **shape)
    library = f"cuBLAS {card.cublas}"
    if not variant:
        card.kernel(f"matmul-{card.device}-pytorch-{precision}-{m}x{k}x{n}", library, got,
                    operands="ready", **shape)
        return
    short = VARIANTS[variant]
    card.kernel(f"matmul-{card.device}-pytorch-{precision}-{short}-{m}x{k}x{n}",
                f"{library}, {variant}", got, "variants", operands="ready",
                recipe="row" if short == "row" else "", **shape)


def job(card, shape, precision, variant=""):
    def run():
        calls = (fp8_calls(card, *shape, variant) if variant
                 else gemm_calls(card, *shape, precision))
        record(card, *shape, precision, variant, card.bench(calls))

    return f"{precision} {shape} {variant}", run


def measure_bf16(card, until):
    first, rest = shapes(card.quick)
    card.run_all("bf16 GEMM", [job(card, shape, "bf16") for shape in first + rest], until)


def measure_fp8(card, until):
    # Scaled products take multiples of 16 only.
    first, rest = ([(m, k, n) for m, k, n in part if k % 16 == 0 and n % 16 == 0]
                   for part in shapes(card.quick))
    scaled = SCALED[1:2] if card.quick else SCALED
    jobs = [job(card, shape, "fp8") for shape in first]
    jobs += [job(card, shape, "fp8", variant) for shape in scaled for variant in VARIANTS]
    jobs += [job(card, shape, "fp8") for shape in rest]
    card.run_all("fp8 GEMM", jobs, until)
