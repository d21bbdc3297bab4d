"""Vision encoders: forward by hand and of transformers, and training steps of the latter."""
import torch

import nets
from networks import (BF16, IMAGES, build, clip_hf, count, pixels, qwen_vl, siglip_hf, vits,
                      weight_bytes)
from work import clean, now


def forward_by_hand(work, name, make, size):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    net = build(make)
    big = "6B" in name
    work.base = {"part": 1, "model": name, "impl": "by hand", "phase": "vision encoder forward",
                 "image_height": size, "image_width": size, "dtype": "bf16",
                 "params": count(net), "param_bytes": weight_bytes(net), "trained": "none"}
    for batch in work.few((1, 4, 16) if big else (1, 4, 16, 64)):
        x = pixels(batch, size)
        what = {"batch": batch, "images": batch, "vision_tokens": net.tokens}

        def run():
            with torch.no_grad():
                return net(x)
        work.item(f"{name} {batch} eager", lambda: work.eager(run, **what))
        work.item(f"{name} {batch} graph", lambda: work.graph(run, **what))
        if batch in (1, 16):
            def cudnn():
                with sdpa_kernel([SDPBackend.CUDNN_ATTENTION]):
                    work.graph(run, note="cuDNN attention forced", **what)
            work.item(f"{name} {batch} graph cuDNN", cudnn)


def train_transformers(work, name, net, size, tokens):
    params = list(net.parameters())
    net.train()
    for batch in work.few((16, 32)):
        x = pixels(batch, size)

        def forward():
            return net(x).last_hidden_state.float().square().mean()
        work.item(f"{name} {batch} train", lambda: work.train(
            forward, params, batch=batch, images=batch, vision_tokens=tokens, trained="all",
            checkpointing="off", note="no optimizer"), 3)
    if hasattr(net, "gradient_checkpointing_enable"):
        def ckpt():
            net.gradient_checkpointing_enable({"use_reentrant": False})
            work.train(forward, params, batch=batch, images=batch, vision_tokens=tokens,
                       trained="all", checkpointing="on", note="no optimizer")
        work.item(f"{name} {batch} train checkpointed", ckpt, 3)


def of_transformers(work, name, make, size, tokens):
    held = {}

    def load():
        held["net"] = make(work)
    if not work.item(f"{name} transformers build", load):
        return
    net = held["net"]
    work.base = {"part": 1, "model": name, "impl": "transformers",
                 "phase": "vision encoder forward", "image_height": size, "image_width": size,
                 "dtype": "bf16", "params": count(net), "param_bytes": weight_bytes(net),
                 "trained": "none"}
    for batch in work.few((1, 16, 64)):
        x = pixels(batch, size)
        what = {"batch": batch, "images": batch, "vision_tokens": tokens}

        def run():
            with torch.no_grad():
                return net(x)
        work.item(f"{name} {batch} transformers eager", lambda: work.eager(run, **what))
    x = None
    train_transformers(work, name, net, size, tokens)


def qwen_by_hand(work):
    net = build(lambda: nets.QwenVit(work.cut(32), 3584))
    work.base = {"part": 1, "model": "Qwen2.5-VL ViT", "impl": "by hand",
                 "phase": "vision encoder and merger forward", "dtype": "bf16",
                 "params": count(net), "param_bytes": weight_bytes(net), "trained": "none",
                 "note": "all windows in one batched attention"}
    counts = ((1, 4, 16), (1, 4, 16), (1, 4), (1, 4))
    for (height, width), batches in zip(work.few(IMAGES), counts):
        for batch in work.few(batches):
            with torch.device("cuda"):
                given = nets.qwen_inputs(batch, height, width, BF16)
            what = {"batch": batch, "images": batch, "image_height": height,
                    "image_width": width, "vision_tokens": given[0].shape[1]}

            def run():
                with torch.no_grad():
                    return net(*given)
            work.item(f"Qwen ViT {height}x{width} {batch} eager",
                      lambda: work.eager(run, **what))
            work.item(f"Qwen ViT {height}x{width} {batch} graph",
                      lambda: work.graph(run, **what))


def qwen_of_transformers(work):
    held = {}

    def load():
        held["net"] = qwen_vl(work, "Qwen2.5-3B").model.visual
    if not work.item("Qwen ViT transformers build", load):
        return
    net = held["net"]
    work.base |= {"impl": "transformers", "params": count(net), "note": "sdpa: one attention "
                  "call for every window", "param_bytes": weight_bytes(net)}
    for height, width in work.few(IMAGES):
        for batch in work.few((1, 4)):
            grid = torch.tensor([[1, height // 14, width // 14]] * batch, device="cuda")
            x = torch.randn(batch * height * width // 196, 1176, device="cuda", dtype=BF16)
            what = {"batch": batch, "images": batch, "image_height": height,
                    "image_width": width, "vision_tokens": height * width // 196}

            def run():
                with torch.no_grad():
                    return net(x, grid)
            work.item(f"Qwen ViT {height}x{width} {batch} transformers",
                      lambda: work.eager(run, **what))


def measure(work):
    for name, (make, size) in vits(work).items():
        if now() > work.until:
            return
        forward_by_hand(work, name, make, size)
        clean()
    for name, make, size, tokens in (("CLIP ViT-L/14-336", clip_hf, 336, 577),
                                     ("SigLIP-so400m/14-384", siglip_hf, 384, 729)):
        if now() > work.until:
            return
        of_transformers(work, name, make, size, tokens)
        clean()
    qwen_by_hand(work)
    clean()
    qwen_of_transformers(work)
    clean()
