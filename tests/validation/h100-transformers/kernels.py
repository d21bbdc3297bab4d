"""Kernels of one run, last since the profiler may slow what follows."""
import torch

from networks import BF16, IMAGES, Llava, build, hf_llm, pixels, qwen_vl, vits
from work import clean


def llava(work):
    net = Llava(work)
    for batch in (1, 8):
        x = pixels(batch, 336)
        ids = torch.randint(0, 32000, (batch, 64), device="cuda")
        what = {"model": "LLaVA-1.5-7B", "batch": batch, "images": 1, "sequence": 640,
                "vision_tokens": 576, "text_tokens": 64}

        def encode():
            with torch.no_grad():
                return net.encode(x)
        work.kernels(encode, phase="vision encoder", **what)
        work.kernels(lambda: net.first_token(x, ids), phase="time to first token", **what)


def qwen(work):
    net = qwen_vl(work, "Qwen2.5-3B").model.visual
    for height, width in work.few(IMAGES)[:2]:
        grid = torch.tensor([[1, height // 14, width // 14]], device="cuda")
        x = torch.randn(height * width // 196, 1176, device="cuda", dtype=BF16)

        def run():
            with torch.no_grad():
                return net(x, grid)
        work.kernels(run, model="Qwen2.5-VL ViT", phase="vision encoder and merger forward",
                     image_height=height, image_width=width, batch=1,
                     vision_tokens=height * width // 196)


def llama(work):
    net = hf_llm(work, "Llama-3.2-1B")
    net.train()
    ids = torch.randint(0, 100000, (8, 2048), device="cuda")

    def step():
        net(input_ids=ids, labels=ids, use_cache=False).loss.backward()
        for p in net.parameters():
            p.grad = None
    work.kernels(step, model="Llama-3.2-1B", phase="forward and backward", batch=8,
                 sequence=2048, checkpointing="off", trained="all")


def encoders(work):
    work.base["impl"] = "by hand"
    for name, (make, size) in vits(work).items():
        net = build(make)
        x = pixels(16, size)

        def run():
            with torch.no_grad():
                return net(x)
        work.kernels(run, model=name, phase="vision encoder forward", batch=16,
                     vision_tokens=net.tokens)
        net = run = None
        clean()


def measure(work):
    work.base = {"part": 8, "dtype": "bf16", "impl": "transformers"}
    for label, job in (("LLaVA", llava), ("Qwen ViT", qwen), ("Llama-3.2-1B", llama),
                       ("the encoders", encoders)):
        work.item(f"kernels of {label}", lambda: job(work), 5)
        clean()
