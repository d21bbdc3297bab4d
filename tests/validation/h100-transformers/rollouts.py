"""Pieces of reinforcement learning with a model of 1.5B: decode, prefill, scoring, training."""
import torch
import torch.nn.functional as F

from first_token import decode
from networks import BF16, count, hand_llm, hf_llm, weight_bytes
from work import clean

NAME = "Qwen2.5-1.5B"


def by_hand(work):
    """Decode and prefill; gives back what all rows of the part say and the prompts."""
    lm = hand_llm(work, NAME)
    common = {"part": 6, "model": NAME, "dtype": "bf16", "params": count(lm),
              "param_bytes": weight_bytes(lm)}
    for batch, length in work.few(((64, 512), (64, 2048), (256, 512), (256, 2048))):
        with torch.device("cuda"):
            caches = [c.to(BF16) for c in lm.caches(batch, length)]
        work.base = common | {"impl": "by hand", "batch": batch, "sequence": length,
                              "trained": "none"}
        work.item(f"{NAME} decode {batch} {length}",
                  lambda: decode(work, lm, batch, length, caches))
        caches = None
        clean()
    with torch.device("cuda"):
        caches = [c.to(BF16) for c in lm.caches(64, 256)]
        tables = lm.tables(0, 256)
        ids = torch.randint(0, 150000, (64, 256))

    def prefill():
        with torch.no_grad():
            return lm.head(lm(lm.embed(ids), *tables, caches)[:, -1]).argmax(-1)
    work.base = common | {"impl": "by hand", "batch": 64, "sequence": 256, "trained": "none"}
    work.item(f"{NAME} prefill 64 x 256 graph", lambda: work.graph(prefill, phase="prefill"))
    return common, ids


def score_rows(work, common, net, ids8, micro, logprobs):
    def score():
        with torch.no_grad():
            for _ in range(micro):
                logprobs()
    work.base = common | {"impl": "transformers", "batch": 64, "sequence": 1024,
                          "trained": "none"}
    work.item(f"{NAME} log-probabilities 64 x 1024", lambda: work.row(
        mode="eager", phase="log-probabilities", note="8 chunks of 8 sequences, log_softmax fp32",
        **work.bench(score, warm=1)), 5)

    def logprobs_lean():
        logits = net(input_ids=ids8, use_cache=False).logits[:, :-1]
        return -F.cross_entropy(logits.flatten(0, 1), ids8[:, 1:].flatten(), reduction="none")

    def score_lean():
        with torch.no_grad():
            for _ in range(micro):
                logprobs_lean()
    work.item(f"{NAME} log-probabilities lean", lambda: work.row(
        mode="eager", phase="log-probabilities", note="8 chunks of 8 sequences, cross_entropy of "
        "bf16 logits", **work.bench(score_lean, warm=1)), 5)


def of_transformers(work, common, ids):
    held = {}

    def load():
        held["net"] = hf_llm(work, NAME)
    if not work.item(f"{NAME} build", load):
        return
    net = held["net"]
    work.base = common | {"impl": "transformers", "batch": 64, "sequence": 256, "trained": "none"}

    def prefill():
        with torch.no_grad():
            return net(input_ids=ids, use_cache=True, logits_to_keep=1).logits[:, -1].argmax(-1)
    work.item(f"{NAME} prefill 64 x 256", lambda: work.eager(prefill, phase="prefill"))
    ids8 = torch.randint(0, 150000, (8, 1024), device="cuda")
    micro = 1 if work.quick else 8

    def logprobs():
        logits = net(input_ids=ids8, use_cache=False).logits[:, :-1].float()
        return torch.log_softmax(logits, -1).gather(-1, ids8[:, 1:, None]).squeeze(-1)
    score_rows(work, common, net, ids8, micro, logprobs)
    net.train()
    params = list(net.parameters())
    work.base = common | {"impl": "transformers", "batch": 64, "sequence": 1024, "trained": "all",
                          "checkpointing": "off", "note": "8 micro-batches of 8, gradients "
                          "accumulated in bf16; loss of log-probabilities, log_softmax fp32; "
                          "AdamW fused bf16"}

    def job():
        opt = torch.optim.AdamW(params, lr=1e-6, fused=True)
        work.train(lambda: -logprobs().mean(), params, opt, micro=micro)
    work.item(f"{NAME} training 64 x 1024", job, 12)


def measure(work):
    common, ids = by_hand(work)
    clean()
    of_transformers(work, common, ids)
    clean()
