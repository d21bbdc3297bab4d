#!/usr/bin/env python3
"""Adds FLOPs from the shapes and achieved rates to measurements.csv: summary.csv, where it runs.

Executed FLOPs of matrix products and attention (causal: half), recomputation included;
multiply-add is 2.
"""
import csv

LLMS = {  # layers, hidden, heads, kv, ffn, vocab, head dimension, tied
    "Llama-2-7B": (32, 4096, 32, 32, 11008, 32064, 128, False),
    "Llama-3.1-8B": (32, 4096, 32, 8, 14336, 128256, 128, False),
    "Llama-3.2-1B": (16, 2048, 32, 8, 8192, 128256, 64, True),
    "Llama-3.2-3B": (28, 3072, 24, 8, 8192, 128256, 128, True),
    "Qwen2.5-1.5B": (28, 1536, 12, 2, 8960, 151936, 128, True),
    "Qwen2.5-VL-3B": (36, 2048, 16, 2, 11008, 151936, 128, True),
    "Qwen2.5-VL-7B": (28, 3584, 28, 4, 18944, 152064, 128, False),
}
LLMS["LLaVA-1.5-7B"] = LLMS["Llama-2-7B of LLaVA"] = LLMS["Llama-2-7B"]
VITS = {"CLIP": (24, 1024, 4096, 577), "SigLIP": (27, 1152, 4304, 729),
        "InternViT-300M": (24, 1024, 4096, 1025), "InternViT-6B": (45, 3200, 12800, 1025)}


def vit(name):
    l, h, f, t = next(v for k, v in VITS.items() if name.startswith(k))
    return 2 * t * 588 * h + l * (t * (8 * h * h + 4 * h * f) + 4 * t * t * h)


def qwen_vit(tokens, out):
    h, f = 1280, 3420
    per = tokens * (8 * h * h + 6 * h * f)
    return (2 * tokens * 1176 * h + 32 * per + 28 * 4 * tokens * 64 * h + 4 * 4 * tokens ** 2 * h
            + tokens // 4 * 2 * (5120 * 5120 + 5120 * out))


def layer_params(name):
    l, h, heads, kv, f, v, d, _ = LLMS[name]
    return l * (2 * h * heads * d + 2 * h * kv * d + 3 * h * f)


def linear(name, s):
    return 2 * s * layer_params(name)


def attention(name, s):
    l, h, heads, kv, f, v, d, _ = LLMS[name]
    return l * 2 * s * s * heads * d


def head(name, s):
    return 2 * s * LLMS[name][1] * LLMS[name][5]


def prefill(name, s):
    return linear(name, s) + attention(name, s) + head(name, 1)


def num(r, k):
    return int(r[k]) if r[k] else 0


def encoder_flops(r):
    m, phase, b = r["model"], r["phase"], num(r, "batch")
    if m.startswith("Qwen"):
        out = 3584 if r["impl"] == "by hand" else 2048
        return b * qwen_vit(num(r, "vision_tokens"), out)
    f = b * vit(m)
    if phase in ("vision encoder forward", "forward"):
        return f
    ck = r["checkpointing"].startswith("on")
    return {"step": 4 if ck else 3, "backward": 3 if ck else 2}.get(phase, 0) * f or None


def seen_flops(r):
    """Of the vision tower and of the projector beside it."""
    m, b = r["model"], num(r, "batch")
    images = b * (num(r, "images") or 1)
    if m.startswith("Qwen2.5-VL"):
        return b * qwen_vit(4 * num(r, "vision_tokens"), LLMS[m][1]), 0
    if m.startswith("LLaVA"):
        return images * vit("CLIP"), images * 2 * 576 * (1024 * 4096 + 4096 * 4096)
    return 0, 0


def first_token_flops(r):
    m, b, s = r["model"], num(r, "batch"), num(r, "sequence")
    seen, proj = seen_flops(r)
    return {"vision encoder": seen, "projector": proj, "prefill": b * prefill(m, s),
            "time to first token": seen + proj + b * prefill(m, s)}.get(r["phase"])


def training_flops(r):
    m, b, s = r["model"], num(r, "batch"), num(r, "sequence")
    lin, att, hd = b * linear(m, s), b * attention(m, s), b * head(m, s)
    seen, proj = seen_flops(r)
    lora = 0
    if "LoRA" in r["trained"]:
        projector = 20979712 if m.startswith("LLaVA") else 0
        lora = 2 * b * s * (num(r, "trained_params") - projector)
    fwd = lin + att + hd + seen + proj + lora
    full = r["trained"] == "all"
    back = ((2 if full else 1) * (lin + hd) + 2 * att + 2 * (lora + proj)
            + (2 * seen if full else 0))
    if r["checkpointing"].startswith("on"):
        back += lin + att + lora
    return {"forward": fwd, "backward": back, "step": fwd + back}[r["phase"]]


def diffusion_flops(r):
    if r["model"].startswith("Wan"):
        h, f, t = 5120, 13824, num(r, "sequence")
        return (2 * t * (4 * h * h + 2 * h * h + 2 * h * f) + 4 * 512 * h * h + 4 * t * t * h
                + 4 * t * 512 * h)
    h, t = 3072, 4608
    return (19 * (2 * t * 12 * h * h + 2 * 2 * 6 * h * h) + 38 * (2 * t * 12 * h * h
            + 2 * 3 * h * h) + 57 * 4 * t * t * h)


def muon_flops(r):
    l, h, heads, kv, f, v, d, _ = LLMS[r["model"].split()[0]]
    total = 0
    for a, c, k in ((heads * d, h, 2), (kv * d, h, 2), (f, h, 3)):
        n, w = min(a, c), max(a, c)
        total += l * k * 5 * (4 * n * n * w + 2 * n ** 3)
    return total


def flops(r):
    m, phase, part = r["model"], r["phase"], r["part"]
    b, s = num(r, "batch"), num(r, "sequence")
    if part == "1":
        return encoder_flops(r)
    if part == "2" and m in LLMS:
        return first_token_flops(r)
    if part in "356" and r["mode"] == "eager" and phase in ("step", "forward", "backward"):
        return training_flops(r)
    if part == "6" and phase == "log-probabilities":
        return b * (linear(m, s) + attention(m, s) + head(m, s))
    if part == "6" and phase == "prefill":
        return b * prefill(m, s)
    if part == "7":
        return diffusion_flops(r)
    if part == "4" and "Muon" in r["impl"]:
        return muon_flops(r)
    return None


def moved(r):
    n = num(r, "params")
    if r["part"] == "4":
        size = 4 if r["dtype"] == "fp32" else 2
        if r["impl"].startswith("AdamW"):
            return 7 * size * n
        if r["impl"].startswith("SGD"):
            return 5 * size * n
    if r["phase"] == "decode step":
        l, h, heads, kv, f, v, d, tied = LLMS[r["model"]]
        cache = num(r, "batch") * num(r, "sequence") * l * 2 * kv * d * 2
        return 2 * (layer_params(r["model"]) + h * v) + cache
    return None


def line(r, t):
    """One measured time, for whoever reads along."""
    return " ".join(str(word) for word in (
        r["part"], r["model"][:24], "|", r["impl"][:26], "|", r["mode"][:10], r["phase"][:24],
        "| b", r["batch"], r["images"], r["image_height"], "s", r["sequence"],
        r["checkpointing"][:3], r["trained"][:9], r["dtype"], "|", f"{t*1e3:.2f} ms",
        r["tflop_per_s"], "TF/s", r["gb_per_s"], "GB/s", r["host_bound"] and "HOST",
        r["sm_clock_mhz"]))


def main():
    with open("measurements.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    added = ["flops", "tflop_per_s", "least_bytes", "gb_per_s", "host_bound"]
    with open("summary.csv", "w", encoding="utf-8", newline="") as out:
        table = csv.DictWriter(out, list(rows[0]) + added)
        table.writeheader()
        for r in rows:
            t = float(r["time_s"]) if r["time_s"] else None
            f, b = (flops(r), moved(r)) if t else (None, None)
            r["flops"] = f"{f:.5g}" if f else ""
            r["tflop_per_s"] = f"{f / t / 1e12:.1f}" if f else ""
            r["least_bytes"] = f"{b:.5g}" if b else ""
            r["gb_per_s"] = f"{b / t / 1e9:.0f}" if b else ""
            r["host_bound"] = "yes" if r["host_s"] and t and float(r["host_s"]) > 0.97 * t else ""
            table.writerow(r)
            if t and r["phase"] != "optimizer":
                print(line(r, t))


if __name__ == "__main__":
    main()
