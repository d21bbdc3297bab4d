"""Training steps of vision-language models: LLaVA's projector and LoRA, all of Qwen2.5-VL 3B."""
import torch

import nets
from networks import (BF16, Llava, build, checkpointing, count, hf_llm, labels_for, lora, pixels,
                      weight_bytes)
from work import clean


def llava_loss(net, batch, text):
    """The forward pass of one batch, as a function without arguments."""
    x = pixels(batch, 336)
    ids = torch.randint(0, 32000, (batch, text), device="cuda")

    def forward():
        given = net.embed(x, ids)
        return net.lm(inputs_embeds=given, labels=labels_for(given, ids), use_cache=False).loss
    return forward


def llava_projector(work, net):
    params = list(net.projector.parameters())
    for text, batch, on in work.few(((64, 16, False), (64, 16, True), (64, 32, True),
                                     (128, 16, True), (64, 8, False))):
        forward = llava_loss(net, batch, text)
        work.base = {"part": 3, "model": "LLaVA-1.5-7B", "impl": "composed (transformers CLIP + "
                     "projector + LlamaForCausalLM)", "image_height": 336, "image_width": 336,
                     "dtype": "bf16", "params": count(net), "param_bytes": weight_bytes(net),
                     "trained": "projector", "text_tokens": text, "vision_tokens": 576,
                     "sequence": 576 + text, "batch": batch, "images": 1,
                     "checkpointing": "on" if on else "off",
                     "note": "AdamW fused bf16; encoder in no_grad, inside of forward"}

        def job():
            checkpointing(net.lm, on)
            opt = torch.optim.AdamW(params, lr=1e-5, fused=True)
            work.train(forward, params, opt)
        work.item(f"LLaVA projector {batch} {text} checkpointing {on}", job, 6)
        forward = job = None
        clean()


def llava_lora(work, net):
    for batch, on in work.few(((8, True), (16, True), (4, False))):
        forward = llava_loss(net, batch, 128)
        params = [p for p in net.parameters() if p.requires_grad]
        work.base |= {"trained": "projector and LoRA rank 128 of all linear layers",
                      "text_tokens": 128, "sequence": 704, "batch": batch,
                      "checkpointing": "on" if on else "off", "params": count(net),
                      "note": "AdamW fused bf16, adapters bf16, encoder in no_grad"}

        def job():
            checkpointing(net.lm.base_model.model, on)
            opt = torch.optim.AdamW(params, lr=1e-5, fused=True)
            work.train(forward, params, opt)
        work.item(f"LLaVA LoRA {batch} checkpointing {on}", job, 6)
        forward = job = None
        clean()


def llava(work):
    held = {}

    def load():
        held["net"] = Llava(work)
    if not work.item("LLaVA build", load):
        return
    net = held["net"]
    net.requires_grad_(False)
    net.projector.requires_grad_(True)
    net.lm.train()
    llava_projector(work, net)

    def wrap():
        net.lm = lora(net.lm, 128)
        net.lm.train()
    if work.item("LLaVA LoRA build", wrap):
        llava_lora(work, net)


def qwen_loss(lm, vit, batch):
    with torch.device("cuda"):
        given = nets.qwen_inputs(batch, 896, 896, BF16)
        ids = torch.randint(0, 150000, (batch, 128))

    def forward():
        text = lm.get_input_embeddings()(ids)
        whole = torch.cat((text[:, :16], vit(*given), text[:, 16:]), 1)
        return lm(inputs_embeds=whole, labels=labels_for(whole, ids), use_cache=False).loss
    return forward


def qwen(work):
    held = {}

    def load():
        held["lm"] = hf_llm(work, "Qwen2.5-3B")
        held["vit"] = build(lambda: nets.QwenVit(work.cut(32), 2048))
    if not work.item("Qwen2.5-VL-3B build", load):
        return
    lm, vit = held["lm"], held["vit"]
    lm.train()
    params = list(lm.parameters()) + list(vit.parameters())
    for batch, on in work.few(((4, True), (2, False), (4, False), (8, True))):
        forward = qwen_loss(lm, vit, batch)

        def job():
            checkpointing(lm, on)
            opt = torch.optim.AdamW(params, lr=1e-5, fused=True)
            work.train(forward, params, opt)
        work.base = {"part": 3, "model": "Qwen2.5-VL-3B", "impl": "composed (tower by hand, "
                     "batched windows + Qwen2ForCausalLM)", "image_height": 896,
                     "image_width": 896, "dtype": "bf16", "params": count(lm) + count(vit),
                     "param_bytes": weight_bytes(lm) + weight_bytes(vit), "trained": "all",
                     "text_tokens": 128, "vision_tokens": 1024, "sequence": 1152,
                     "batch": batch, "images": 1, "checkpointing":
                     "on (language model only)" if on else "off", "note": "AdamW fused, bf16 "
                     "parameters and states"}
        work.item(f"Qwen2.5-VL-3B full {batch} checkpointing {on}", job, 6)
        forward = job = None
        clean()


def measure(work):
    llava(work)
    clean()
    qwen(work)
    clean()
