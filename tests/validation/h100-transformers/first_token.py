"""Times to first token of vision-language models, their parts, and decode of LLaVA's Llama."""
import torch

import nets
from networks import (BF16, IMAGES, Llava, build, count, hand_llm, hf_llm, pixels, qwen_vl,
                      weight_bytes)
from work import clean, now


def llava_images(work, net, batch, images):
    x = pixels(batch * images, 336)
    ids = torch.randint(0, 32000, (batch, 64), device="cuda")
    what = {"batch": batch, "images": images, "vision_tokens": 576 * images,
            "sequence": 64 + 576 * images}
    work.item(f"LLaVA {batch} {images} first token", lambda: work.eager(
        lambda: net.first_token(x, ids), phase="time to first token", **what))

    def encode():
        with torch.no_grad():
            return net.encode(x)

    def prefill():
        with torch.no_grad():
            return net.lm(inputs_embeds=given, use_cache=True, logits_to_keep=1).logits
    with torch.no_grad():
        feats = encode()
        given = net.embed(x, ids)

    def project():
        with torch.no_grad():
            return net.projector(feats)
    work.item(f"LLaVA {batch} {images} encoder", lambda: work.eager(
        encode, phase="vision encoder", **what))
    work.item(f"LLaVA {batch} {images} projector", lambda: work.eager(
        project, phase="projector", **what))
    work.item(f"LLaVA {batch} {images} prefill", lambda: work.eager(
        prefill, phase="prefill", **what))


def llava(work):
    held = {}

    def load():
        held["net"] = Llava(work)
    if not work.item("LLaVA build", load):
        return
    net = held["net"]
    work.base = {"part": 2, "model": "LLaVA-1.5-7B", "impl": "composed (transformers CLIP + "
                 "projector + LlamaForCausalLM)", "image_height": 336, "image_width": 336,
                 "dtype": "bf16", "params": count(net), "param_bytes": weight_bytes(net),
                 "trained": "none", "text_tokens": 64}
    for batch, images in work.few(((1, 1), (4, 1), (8, 1), (1, 4), (4, 4))):
        llava_images(work, net, batch, images)


def decode(work, lm, batch, length, caches, **what):
    with torch.device("cuda"):
        tables = lm.tables(length - 1, 1)
        token = torch.randint(0, 30000, (batch, 1))

    def run():
        with torch.no_grad():
            y = lm(lm.embed(token), *tables, caches)
            token.copy_(lm.head(y[:, -1]).argmax(-1, keepdim=True))
    work.graph(run, phase="decode step", **what)


def llama_by_hand(work):
    lm = hand_llm(work, "Llama-2-7B")
    for batch, length in work.few(((1, 640), (4, 640), (8, 640), (1, 2368))):
        with torch.device("cuda"):
            tables = lm.tables(0, length)
            caches = [c.to(BF16) for c in lm.caches(batch, length)]
            x = torch.randn(batch, length, 4096, dtype=BF16)

        def run():
            with torch.no_grad():
                return lm.head(lm(x, *tables, caches)[:, -1]).argmax(-1)
        work.base = {"part": 2, "model": "Llama-2-7B of LLaVA", "impl": "by hand",
                     "dtype": "bf16", "params": count(lm), "trained": "none", "batch": batch,
                     "sequence": length, "param_bytes": weight_bytes(lm)}
        work.item(f"Llama-2-7B {batch} {length} graph prefill",
                  lambda: work.graph(run, phase="prefill"))
        work.item(f"Llama-2-7B {batch} {length} graph decode",
                  lambda: decode(work, lm, batch, length, caches))


def composed_image(work, name, lm, vit, height, width, batch):
    tokens = height * width // 784
    with torch.device("cuda"):
        given = nets.qwen_inputs(batch, height, width, BF16)
        ids = torch.randint(0, 150000, (batch, 64))
    work.base = {"part": 2, "model": name, "impl": "composed (tower by hand, batched "
                 "windows + Qwen2ForCausalLM)", "image_height": height,
                 "image_width": width, "dtype": "bf16", "batch": batch, "images": 1,
                 "params": count(lm) + count(vit), "vision_tokens": tokens,
                 "param_bytes": weight_bytes(lm) + weight_bytes(vit),
                 "trained": "none", "text_tokens": 64, "sequence": tokens + 64}

    def first():
        with torch.no_grad():
            text_in = lm.get_input_embeddings()(ids)
            whole = torch.cat((text_in[:, :16], vit(*given), text_in[:, 16:]), 1)
            out = lm(inputs_embeds=whole, use_cache=True, logits_to_keep=1)
            return out.logits[:, -1].argmax(-1)

    def see():
        with torch.no_grad():
            return vit(*given)
    work.item(f"{name} {height}x{width} {batch} first token",
              lambda: work.eager(first, phase="time to first token"))
    work.item(f"{name} {height}x{width} {batch} encoder",
              lambda: work.eager(see, phase="vision encoder"))


def qwen_composed(work, name, text, hidden):
    held = {}

    def load():
        held["lm"] = hf_llm(work, text)
        held["vit"] = build(lambda: nets.QwenVit(work.cut(32), hidden))
    if not work.item(f"{name} build", load):
        return
    for height, width in work.few(IMAGES):
        for batch in work.few((1, 4, 8) if height < 1700 else (1, 4)):
            composed_image(work, name, held["lm"], held["vit"], height, width, batch)


def transformers_image(work, name, net, height, width, batch):
    tokens = height * width // 784
    row = ([151652] + [151655] * tokens + [151653])
    ids = torch.randint(0, 150000, (batch, tokens + 64), device="cuda")
    ids[:, 16:16 + len(row)] = torch.tensor(row, device="cuda")
    x = torch.randn(batch * tokens * 4, 1176, device="cuda", dtype=BF16)
    grid = torch.tensor([[1, height // 14, width // 14]] * batch, device="cuda")
    work.base = {"part": 2, "model": name, "impl":
                 "transformers Qwen2_5_VLForConditionalGeneration",
                 "image_height": height, "image_width": width, "dtype": "bf16",
                 "batch": batch, "images": 1, "params": count(net),
                 "param_bytes": weight_bytes(net), "vision_tokens": tokens,
                 "trained": "none", "text_tokens": 64, "sequence": tokens + 64}
    more = {}

    def first():
        with torch.no_grad():
            out = net(input_ids=ids, pixel_values=x, image_grid_thw=grid,
                      attention_mask=torch.ones_like(ids), use_cache=True,
                      logits_to_keep=1, **more)
            return out.logits[:, -1].argmax(-1)

    def measured():
        nonlocal more
        try:
            more = {"mm_token_type_ids": (ids == 151655).int()}
            first()
        except TypeError:
            more = {}
            first()
        work.eager(first, phase="time to first token")
    work.item(f"{name} {height}x{width} {batch} transformers", measured)


def qwen_of_transformers(work, name, text):
    held = {}

    def load():
        held["net"] = qwen_vl(work, text)
    if not work.item(f"{name} transformers build", load):
        return
    for height, width in work.few(IMAGES):
        for batch in work.few((1, 4) if height < 1000 else (1,)):
            transformers_image(work, name, held["net"], height, width, batch)


def measure(work):
    llava(work)
    clean()
    if now() < work.until:
        llama_by_hand(work)
        clean()
    for name, text, hidden in (("Qwen2.5-VL-3B", "Qwen2.5-3B", 2048),
                               ("Qwen2.5-VL-7B", "Qwen2.5-7B", 3584)):
        if now() > work.until:
            return
        qwen_composed(work, name, text, hidden)
        clean()
        qwen_of_transformers(work, name, text)
        clean()
