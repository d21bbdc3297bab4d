"""The networks: of transformers by their configurations, by hand, and joined by hand."""
import torch
from torch import nn

import nets
from work import log

BF16 = torch.bfloat16


def build(make):
    """A network on the device in bf16 with small random weights."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(BF16)
    try:
        with torch.device("cuda"):
            net = make()
    finally:
        torch.set_default_dtype(before)
    return fill(net)


def fill(net):
    with torch.no_grad():
        for name, p in net.named_parameters():
            if p.dtype != BF16:
                p.data = p.data.to(BF16)
            if p.device.type != "cuda":
                p.data = p.data.cuda()
            if p.ndim > 1:
                p.normal_(0, 0.02)
            elif name.endswith("bias"):
                p.normal_(0, 0.02)
            else:
                p.fill_(1.0)
    return net


def hf(cls, config):
    def make():
        try:
            return cls._from_config(config, dtype=BF16, attn_implementation="sdpa")
        except TypeError:
            config._attn_implementation = "sdpa"
            return cls(config)
    net = build(make)
    for name, b in net.named_buffers():
        if b.device.type != "cuda":
            b.data = b.data.cuda()
    return net


def count(net):
    return sum(p.numel() for p in net.parameters())


def weight_bytes(net):
    return sum(p.numel() * p.element_size() for p in net.parameters())


LLMS = {  # layers, hidden, heads, kv, ffn, vocab, head dimension, bias, tied
    "Llama-2-7B": (32, 4096, 32, 32, 11008, 32064, 128, False, False),
    "Llama-3.1-8B": (32, 4096, 32, 8, 14336, 128256, 128, False, False),
    "Llama-3.2-1B": (16, 2048, 32, 8, 8192, 128256, 64, False, True),
    "Llama-3.2-3B": (28, 3072, 24, 8, 8192, 128256, 128, False, True),
    "Qwen2.5-1.5B": (28, 1536, 12, 2, 8960, 151936, 128, True, True),
    "Qwen2.5-3B": (36, 2048, 16, 2, 11008, 151936, 128, True, True),
    "Qwen2.5-7B": (28, 3584, 28, 4, 18944, 152064, 128, True, False),
}


def hand_llm(work, name):
    layers, h, heads, kv, ffn, vocab, dim, bias, tied = LLMS[name]
    return build(lambda: nets.Llm(work.cut(layers), h, heads, kv, ffn, vocab, dim, bias, tied))


def hf_llm(work, name):
    import transformers as t
    layers, h, heads, kv, ffn, vocab, dim, bias, tied = LLMS[name]
    kind = (t.Qwen2Config, t.Qwen2ForCausalLM) if bias else (t.LlamaConfig, t.LlamaForCausalLM)
    more = {} if bias else {"head_dim": dim}
    config = kind[0](vocab_size=vocab, hidden_size=h, intermediate_size=ffn,
                     num_hidden_layers=work.cut(layers), num_attention_heads=heads,
                     num_key_value_heads=kv, max_position_embeddings=32768,
                     tie_word_embeddings=tied, **more)
    return hf(kind[1], config)


def clip_hf(work):
    import transformers as t
    return hf(t.CLIPVisionModel, t.CLIPVisionConfig(
        hidden_size=1024, intermediate_size=4096, num_hidden_layers=work.cut(24),
        num_attention_heads=16, image_size=336, patch_size=14, projection_dim=768))


def siglip_hf(work):
    import transformers as t
    net = hf(t.SiglipVisionModel, t.SiglipVisionConfig(
        hidden_size=1152, intermediate_size=4304, num_hidden_layers=work.cut(27),
        num_attention_heads=16, image_size=384, patch_size=14, vision_use_head=False))
    return net


def pixels(batch, size):
    return torch.randn(batch, 3, size, size, device="cuda", dtype=BF16)


IMAGES = ((448, 448), (896, 896), (1344, 1008), (1792, 1344))


def vits(work):
    """Vision encoders by hand: name, how to make it, side of its images in pixels."""
    cut = work.cut
    return {
        "CLIP ViT-L/14-336": (
            lambda: nets.Vit(cut(24), 1024, 16, 4096, 336, 14, "quick_gelu"), 336),
        "SigLIP-so400m/14-384": (
            lambda: nets.Vit(cut(27), 1152, 16, 4304, 384, 14, "gelu_tanh", cls=False), 384),
        "InternViT-300M-448": (
            lambda: nets.Vit(cut(24), 1024, 16, 4096, 448, 14, "gelu", scaled=True), 448),
        "InternViT-6B-448 (45 layers)": (
            lambda: nets.Vit(cut(45), 3200, 25, 12800, 448, 14, "gelu", scaled=True,
                             qk_norm=True, rms=True), 448),
    }


def qwen_vl(work, text):
    """transformers' Qwen2.5-VL of so many text layers."""
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration
    layers, h, heads, kv, ffn, vocab, dim, _, tied = LLMS[text]
    config = Qwen2_5_VLConfig(
        text_config={"hidden_size": h, "num_hidden_layers": work.cut(layers),
                     "intermediate_size": ffn, "num_attention_heads": heads,
                     "num_key_value_heads": kv, "vocab_size": vocab, "tie_word_embeddings": tied,
                     "max_position_embeddings": 32768, "use_sliding_window": False,
                     "rope_parameters": {"rope_type": "default", "rope_theta": 1e6,
                                         "mrope_section": [16, 24, 24]}},
        vision_config={"depth": work.cut(32) if not work.quick else 8, "hidden_size": 1280,
                       "intermediate_size": 3420, "num_heads": 16, "out_hidden_size": h,
                       "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2,
                       "window_size": 112, "fullatt_block_indexes": [7, 15, 23, 31],
                       "hidden_act": "silu"},
        image_token_id=151655, video_token_id=151656, vision_start_token_id=151652,
        vision_end_token_id=151653, tie_word_embeddings=tied)
    return hf(Qwen2_5_VLForConditionalGeneration, config)


class Llava(nn.Module):
    """CLIP and Llama of transformers, joined by hand as LLaVA-1.5 joins them."""

    def __init__(self, work):
        super().__init__()
        self.vision = clip_hf(work)
        self.projector = build(lambda: nn.Sequential(nn.Linear(1024, 4096), nn.GELU(),
                                                     nn.Linear(4096, 4096)))
        self.lm = hf_llm(work, "Llama-2-7B")

    def encode(self, x):
        out = self.vision(x, output_hidden_states=True)
        last = out.last_hidden_state if out.hidden_states is None else out.hidden_states[-2]
        return last[:, 1:]

    def embed(self, x, ids, frozen=True):
        with torch.set_grad_enabled(torch.is_grad_enabled() and not frozen):
            found = self.encode(x)
        images = self.projector(found).reshape(ids.shape[0], -1, 4096)
        text = self.lm.get_input_embeddings()(ids)
        half = min(35, ids.shape[1] // 2)
        return torch.cat((text[:, :half], images, text[:, half:]), 1)

    def first_token(self, x, ids):
        with torch.no_grad():
            out = self.lm(inputs_embeds=self.embed(x, ids), use_cache=True, logits_to_keep=1)
            return out.logits[:, -1].argmax(-1)


def checkpointing(net, on):
    if on:
        net.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    else:
        net.gradient_checkpointing_disable()


def lora(net, rank, fp32=False):
    from peft import LoraConfig, get_peft_model
    config = LoraConfig(r=rank, lora_alpha=2 * rank, lora_dropout=0.0, bias="none",
                        target_modules=["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj",
                                        "up_proj", "down_proj"], task_type="CAUSAL_LM")
    out = get_peft_model(net, config, autocast_adapter_dtype=fp32)
    out.to("cuda")
    log("adapters", {p.dtype for p in out.parameters() if p.requires_grad},
        sum(p.numel() for p in out.parameters() if p.requires_grad))
    return out


def labels_for(given, ids):
    """Labels of the text's second part; images and the first part count not."""
    labels = torch.full(given.shape[:2], -100, device="cuda")
    labels[:, -ids.shape[1] // 2:] = ids[:, -ids.shape[1] // 2:]
    return labels
