"""Diffusion transformers by hand: one block of Wan 14B, one step of a FLUX.1-like network."""
import torch

import nets
from networks import BF16, build, count, weight_bytes
from work import clean, log, now


def wan(work, cos, sin):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    net = build(lambda: nets.WanBlock())
    tokens = 7560 if work.quick else 75600
    x = torch.randn(1, tokens, 5120, device="cuda", dtype=BF16)
    text = torch.randn(1, 512, 5120, device="cuda", dtype=BF16)

    def run():
        with torch.no_grad():
            return net(x, text, cos[:tokens], sin[:tokens])
    work.row(model="Wan-14B block", mode="eager", phase="one block forward",
             vision_tokens=tokens, text_tokens=512, sequence=tokens, params=count(net),
             **work.bench(run, warm=1))
    with sdpa_kernel([SDPBackend.CUDNN_ATTENTION]):
        work.row(model="Wan-14B block", mode="eager", phase="one block forward",
                 vision_tokens=tokens, text_tokens=512, sequence=tokens, params=count(net),
                 note="cuDNN attention forced", **work.bench(run, warm=1))


def flux(work, held, cos, sin):
    net = build(lambda: nets.Flux(work.cut(19), work.cut(38)))
    img = torch.randn(1, 4096, 3072, device="cuda", dtype=BF16)
    txt = torch.randn(1, 512, 3072, device="cuda", dtype=BF16)
    vec = torch.randn(1, 3072, device="cuda", dtype=BF16)

    def run():
        with torch.no_grad():
            return net(img, txt, vec, cos[:4608], sin[:4608])
    held["net"], held["run"] = net, run
    what = {"model": "FLUX.1-like", "phase": "one step forward", "vision_tokens": 4096,
            "text_tokens": 512, "sequence": 4608, "params": count(net),
            "param_bytes": weight_bytes(net)}
    held["what"] = what
    work.eager(run, **what)
    work.graph(run, **what)


def flux_compiled(work, held):
    net, run, what = held["net"], held["run"], held["what"]
    torch._dynamo.config.cache_size_limit = 256
    for block in list(net.pairs) + list(net.singles):
        block.compile(dynamic=False)
    began = now()
    run()
    torch.cuda.synchronize()
    log(f"FLUX compiled in {now() - began:.1f} s")
    work.row(mode="torch.compile, each block", note=f"compiled in {now() - began:.0f} s",
             **what, **work.bench(run))


def measure(work):
    work.base = {"part": 7, "impl": "by hand", "dtype": "bf16", "batch": 1, "trained": "none"}
    held = {}
    with torch.device("cuda"):
        angle = torch.rand(75600, 128) * 6
        cos, sin = angle.cos().to(BF16), angle.sin().to(BF16)
    work.item("Wan block", lambda: wan(work, cos, sin), 6)
    clean()
    work.item("FLUX", lambda: flux(work, held, cos, sin), 6)
    if held:
        work.item("FLUX compiled", lambda: flux_compiled(work, held), 45)
    held.clear()
    clean()
