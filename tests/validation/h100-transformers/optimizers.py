"""Steps of optimizers over tensors of the shapes of Llama-3.2, gradients present."""
import torch
from torch import nn

from networks import BF16, LLMS
from work import clean, state_bytes


def shapes_of(work, name):
    layers, h, heads, kv, ffn, vocab, dim, _, _ = LLMS[name]
    layers = work.cut(layers)
    matrices = [(heads * dim, h), (kv * dim, h), (kv * dim, h), (h, heads * dim), (ffn, h),
                (ffn, h), (h, ffn)] * layers
    return matrices, [(vocab, h)] + [(h,)] * (2 * layers + 1)


def tensors(shapes, dtype):
    out = []
    for shape in shapes:
        p = nn.Parameter(torch.empty(shape, device="cuda", dtype=dtype).normal_(0, 0.02))
        p.grad = torch.empty_like(p).normal_(0, 1e-3)
        out.append(p)
    return out


def choices_of(two, other):
    every = two + other
    o = torch.optim
    muon = getattr(o, "Muon", None)
    return [
        ("AdamW fused", every, lambda p: o.AdamW(p, lr=1e-5, fused=True)),
        ("AdamW foreach", every, lambda p: o.AdamW(p, lr=1e-5, foreach=True)),
        ("SGD momentum fused", every, lambda p: o.SGD(p, lr=1e-5, momentum=0.9, fused=True)),
        ("Adafactor foreach", every, lambda p: o.Adafactor(p, lr=1e-3, foreach=True)),
        ("Muon, layer matrices only", two, lambda p: muon(p, lr=1e-4, ns_steps=5)),
        ("AdamW fused, all but layer matrices", other,
         lambda p: o.AdamW(p, lr=1e-5, fused=True)),
        ("Adafactor for loop", every, lambda p: o.Adafactor(p, lr=1e-3, foreach=False)),
        ("AdamW for loop", every, lambda p: o.AdamW(p, lr=1e-5, foreach=False)),
    ]


def steps(work, name, dtype, label):
    matrices, rest = shapes_of(work, name)
    for title, params, make in choices_of(tensors(matrices, dtype), tensors(rest, dtype)):
        if title.endswith("for loop") and name != "Llama-3.2-1B":
            continue

        def job():
            opt = make(params)
            opt.step()
            got = work.bench(opt.step, most=12, warm=1)
            work.base = {"part": 4, "model": f"{name} shapes", "impl": title,
                         "mode": "eager", "phase": "optimizer step", "dtype": label,
                         "params": sum(p.numel() for p in params), "trained_params":
                         sum(p.numel() for p in params),
                         "param_bytes": sum(p.numel() * p.element_size() for p in params),
                         "grad_bytes": sum(p.numel() * p.element_size() for p in params),
                         "note": "tensors: " + str(len(params))}
            work.row(states_bytes=state_bytes(opt), **got)
        work.item(f"{name} {label} {title}", job, 2)
        clean()


def measure(work):
    for name in ("Llama-3.2-1B", "Llama-3.2-3B"):
        for dtype, label in ((torch.float32, "fp32"), (BF16, "bf16")):
            steps(work, name, dtype, label)
            clean()
