"""Training steps of language models of transformers: LoRA by peft, and all parameters."""
import torch

from networks import checkpointing, count, hf_llm, lora, weight_bytes
from work import clean


def step(work, net, name, batch, sequence, on, trained, params, note):
    ids = torch.randint(0, 100000, (batch, sequence), device="cuda")

    def forward():
        return net(input_ids=ids, labels=ids, use_cache=False).loss

    def job():
        checkpointing(net.base_model.model if "LoRA" in trained else net, on)
        opt = torch.optim.AdamW(params, lr=1e-5, fused=True)
        work.train(forward, params, opt)
    work.base = {"part": 5, "model": name, "impl": "transformers" +
                 (" + peft" if "LoRA" in trained else ""), "dtype": "bf16",
                 "params": count(net), "param_bytes": weight_bytes(net), "trained": trained,
                 "text_tokens": sequence, "sequence": sequence, "batch": batch,
                 "checkpointing": "on" if on else "off", "note": note}
    work.item(f"{name} {trained} {batch} x {sequence} checkpointing {on}", job, 5)
    clean()


def adapters(work, label, need, plan, note, **how):
    held = {}

    def load():
        held["net"] = lora(hf_llm(work, "Llama-3.1-8B"), 16, **how)
    if not work.item(label, load, need):
        return
    net = held["net"]
    net.train()
    params = [p for p in net.parameters() if p.requires_grad]
    for batch, on in work.few(plan):
        step(work, net, "Llama-3.1-8B", batch, 2048, on, "LoRA rank 16 of all linear layers",
             params, note)


def everything(work, name, plan):
    held = {}

    def load():
        held["net"] = hf_llm(work, name)
    if not work.item(f"{name} build", load):
        return
    net = held["net"]
    net.train()
    for batch, sequence, on in work.few(plan):
        step(work, net, name, batch, sequence, on, "all", list(net.parameters()),
             "AdamW fused, bf16 parameters and states")


def measure(work):
    adapters(work, "Llama-3.1-8B LoRA build", 2.0,
             ((1, False), (1, True), (2, False), (2, True), (4, True)),
             "AdamW fused, adapters bf16")
    clean()
    for name, plan in (("Llama-3.2-1B", ((8, 2048, False), (8, 2048, True), (4, 4096, False))),
                       ("Llama-3.2-3B", ((2, 2048, False), (4, 2048, True), (2, 4096, True)))):
        everything(work, name, plan)
        clean()
    adapters(work, "Llama-3.1-8B LoRA fp32 build", 8, ((1, True),),
             "AdamW fused, adapters fp32 as peft makes them by default", fp32=True)
    clean()
