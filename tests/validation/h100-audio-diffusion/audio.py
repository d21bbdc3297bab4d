"""Whisper's encoder; audio-language models joined by hand: time to first token, training."""
import traceback

import torch
import torch.nn.functional as F
from torch import nn

import nets
import networks
from networks import BF16, build, checkpointing, count, hf, hf_llm, labels_for, weight_bytes
from work import clean, log

networks.LLMS["Qwen-7B"] = (32, 4096, 32, 32, 11008, 156032, 128, True, False)
TOKENS = 750  # of a clip of 30 s in the language model


class HandWhisper(nn.Module):
    """Whisper's encoder by hand, taken only if transformers' one fails."""

    def __init__(self, layers, hidden=1280, heads=20, ffn=5120, mels=128, length=1500):
        super().__init__()
        self.c1 = nn.Conv1d(mels, hidden, 3, padding=1)
        self.c2 = nn.Conv1d(hidden, hidden, 3, 2, 1)
        self.pos = nn.Parameter(torch.zeros(1, length, hidden))
        self.blocks = nn.ModuleList(nets.VitBlock(hidden, heads, ffn, "gelu")
                                    for _ in range(layers))
        self.norm = nn.LayerNorm(hidden)

    def forward(self, x):
        x = F.gelu(self.c2(F.gelu(self.c1(x)))).transpose(1, 2) + self.pos
        for block in self.blocks:
            x = block(x)
        return (self.norm(x),)


def states_of(out):
    return out.last_hidden_state if hasattr(out, "last_hidden_state") else out[0]


def whisper(work):
    """The encoder of Whisper-large-v3 and where it is from."""
    layers = work.cut(32)
    try:
        from transformers import WhisperConfig
        from transformers.models.whisper.modeling_whisper import WhisperEncoder
        net = hf(WhisperEncoder, WhisperConfig(
            encoder_layers=layers, d_model=1280, encoder_attention_heads=20,
            encoder_ffn_dim=5120, num_mel_bins=128, max_source_positions=1500))
        with torch.no_grad():
            states_of(net(clips_of(1)))
        torch.cuda.synchronize()
        log("Whisper of transformers, attention",
            getattr(net.config, "_attn_implementation", "?"))
        return net.eval(), "transformers WhisperEncoder"
    except Exception:
        traceback.print_exc()
        log("Whisper by hand")
        return build(lambda: HandWhisper(layers)).eval(), "by hand"


def clips_of(number):
    return torch.randn(number, 128, 3000, device="cuda", dtype=BF16)


def made(work, label, make, need):
    """What `make` gives, or nothing."""
    held = {}

    def load():
        held["it"] = make()
    work.item(label, load, need)
    return held.get("it")


def encoder(work):
    got = made(work, "Whisper build", lambda: whisper(work), 12)
    if got is None:
        return
    net, impl = got
    base = {"part": "B1", "model": "Whisper-large-v3 encoder", "impl": impl, "dtype": "bf16",
            "params": count(net), "param_bytes": weight_bytes(net)}
    for batch in (1, 8) if work.quick else (1, 2, 4, 8, 16):
        x = clips_of(batch)
        work.base = base | {"trained": "none", "batch": batch, "clips": 1, "sequence": 1500}

        def run():
            with torch.no_grad():
                return states_of(net(x))
        work.item(f"Whisper {batch} eager", lambda: work.eager(run, phase="encoder forward"), 2)
        work.item(f"Whisper {batch} graph", lambda: work.graph(run, phase="encoder forward"), 2)
        x = run = None
        clean()
    net.train()
    params = [p for p in net.parameters() if p.requires_grad]
    for batch in work.few((8, 4)):
        x = clips_of(batch)
        work.base = base | {"trained": "all", "batch": batch, "clips": 1, "sequence": 1500,
                            "checkpointing": "off",
                            "note": "AdamW fused, bf16 parameters and states"}

        def job():
            opt = torch.optim.AdamW(params, lr=1e-5, fused=True)
            work.train(lambda: states_of(net(x)).float().square().mean(), params, opt)
        work.item(f"Whisper {batch} train", job, 4)
        x = job = None
        clean()


class AudioLm(nn.Module):
    """Whisper's encoder, means of 2 states, one linear layer, a language model."""

    def __init__(self, work, text):
        super().__init__()
        self.audio, self.impl = whisper(work)
        hidden = networks.LLMS[text][1]
        self.projector = build(lambda: nn.Linear(1280, hidden))
        self.lm = hf_llm(work, text)

    def encode(self, x):
        found = states_of(self.audio(x))
        return found.view(found.shape[0], TOKENS, 2, found.shape[-1]).mean(2)

    def embed(self, x, ids, frozen=True):
        with torch.set_grad_enabled(torch.is_grad_enabled() and not frozen):
            found = self.encode(x)
        heard = self.projector(found)
        heard = heard.reshape(ids.shape[0], -1, heard.shape[-1])
        text = self.lm.get_input_embeddings()(ids)
        half = min(16, ids.shape[1] // 2)
        return torch.cat((text[:, :half], heard, text[:, half:]), 1)

    def first_token(self, x, ids):
        with torch.no_grad():
            out = self.lm(inputs_embeds=self.embed(x, ids), use_cache=True, logits_to_keep=1)
            return out.logits[:, -1].argmax(-1)

    def loss(self, x, ids, frozen):
        given = self.embed(x, ids, frozen)
        return self.lm(inputs_embeds=given, labels=labels_for(given, ids), use_cache=False).loss


def base_of(part, name, net, batch, clips, text):
    return {"part": part, "model": name, "impl": f"composed ({net.impl} + mean of 2 + linear + "
            "Qwen2ForCausalLM)", "dtype": "bf16", "params": count(net),
            "param_bytes": weight_bytes(net), "batch": batch, "clips": clips,
            "text_tokens": text, "sequence": text + TOKENS * clips}


def first_token(work):
    name = "Qwen2-Audio 7B"
    net = made(work, f"{name} build", lambda: AudioLm(work, "Qwen-7B"), 15)
    if net is None:
        return
    net.eval()
    for batch, clips in work.few(((1, 1), (4, 1), (8, 1), (1, 2), (1, 4))):
        work.base = base_of("B2", name, net, batch, clips, 64) | {"trained": "none"}
        work.item(f"{name} {batch} {clips}", lambda: first_token_rows(work, net, batch, clips), 5)
        clean()


def first_token_rows(work, net, batch, clips):
    x = clips_of(batch * clips)
    ids = torch.randint(0, 150000, (batch, 64), device="cuda")

    def encode():
        with torch.no_grad():
            return net.encode(x)

    def project():
        with torch.no_grad():
            return net.projector(found)

    def prefill():
        with torch.no_grad():
            return net.lm(inputs_embeds=given, use_cache=True, logits_to_keep=1).logits
    work.eager(lambda: net.first_token(x, ids), phase="time to first token")
    with torch.no_grad():
        found = encode()
        given = net.embed(x, ids)
    work.eager(encode, phase="audio encoder")
    work.eager(prefill, phase="prefill")
    work.eager(project, phase="projector")


def train_item(work, name, net, params, batch, clips, text, on, frozen, what, need):
    x = clips_of(batch * clips)
    ids = torch.randint(0, 150000, (batch, text), device="cuda")
    work.base = base_of("B3", name, net, batch, clips, text) | what | {
        "checkpointing": "on (language model only)" if on else "off"}

    def job():
        checkpointing(net.lm, on)
        opt = torch.optim.AdamW(params, lr=1e-5, fused=True)
        work.train(lambda: net.loss(x, ids, frozen), params, opt)
    work.item(f"{name} train {batch} checkpointing {on}", job, need)
    for p in params:
        p.grad = None
    clean()


def train_projector(work):
    name = "Qwen2-Audio 7B"
    net = made(work, f"{name} build", lambda: AudioLm(work, "Qwen-7B"), 14)
    if net is None:
        return
    net.requires_grad_(False)
    net.projector.requires_grad_(True)
    net.audio.eval()
    net.lm.train()
    params = list(net.projector.parameters())
    what = {"trained": "projector", "note": "AdamW fused bf16; encoder in no_grad, inside of "
            "forward"}
    for batch, on in work.few(((8, False), (4, False), (16, True))):
        train_item(work, name, net, params, batch, 1, 64, on, True, what, 8)


def train_whole(work):
    name = "Audio-language 3B (Whisper-large-v3 + Qwen2.5-3B)"
    net = made(work, f"{name} build", lambda: AudioLm(work, "Qwen2.5-3B"), 12)
    if net is None:
        return
    net.train()
    params = [p for p in net.parameters() if p.requires_grad]
    what = {"trained": "all", "note": "AdamW fused, bf16 parameters and states"}
    # Batch 4 without checkpointing may be too large for 80 GB: last.
    for batch, on in work.few(((4, True), (2, False), (2, True), (4, False))):
        train_item(work, name, net, params, batch, 2, 256, on, False, what, 8)


def training(work):
    train_whole(work)
    clean()
    train_projector(work)
    clean()
