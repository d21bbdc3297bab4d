"""Networks by hand in plain PyTorch: what no class of transformers gives in a CUDA graph."""
import torch
import torch.nn.functional as F
from torch import nn


def sdpa(q, k, v, causal=False, gqa=False):
    return F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=gqa)


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin


class Rms(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return F.rms_norm(x, (x.shape[-1],), self.weight, 1e-6)


def quick_gelu(x):
    return x * torch.sigmoid(1.702 * x)


ACTS = {"quick_gelu": quick_gelu, "gelu": F.gelu,
        "gelu_tanh": lambda x: F.gelu(x, approximate="tanh")}


class VitBlock(nn.Module):
    """Pre-norm block with separate q, k, v, as transformers has it for CLIP and SigLIP."""

    def __init__(self, hidden, heads, ffn, act, scaled=False, qk_norm=False, rms=False):
        super().__init__()
        norm = Rms if rms else nn.LayerNorm
        self.heads, self.act = heads, ACTS[act]
        self.n1, self.n2 = norm(hidden), norm(hidden)
        bias = not qk_norm
        self.q, self.k, self.v = (nn.Linear(hidden, hidden, bias=bias) for _ in range(3))
        self.o = nn.Linear(hidden, hidden)
        self.fc1, self.fc2 = nn.Linear(hidden, ffn), nn.Linear(ffn, hidden)
        self.qn, self.kn = (Rms(hidden), Rms(hidden)) if qk_norm else (None, None)
        self.s1 = nn.Parameter(torch.ones(hidden)) if scaled else None
        self.s2 = nn.Parameter(torch.ones(hidden)) if scaled else None

    def forward(self, x):
        b, t, h = x.shape
        y = self.n1(x)
        q, k, v = self.q(y), self.k(y), self.v(y)
        if self.qn is not None:
            q, k = self.qn(q), self.kn(k)
        q, k, v = (z.view(b, t, self.heads, -1).transpose(1, 2) for z in (q, k, v))
        y = self.o(sdpa(q, k, v).transpose(1, 2).reshape(b, t, h))
        x = x + (y if self.s1 is None else y * self.s1)
        y = self.fc2(self.act(self.fc1(self.n2(x))))
        return x + (y if self.s2 is None else y * self.s2)


class Vit(nn.Module):
    def __init__(self, layers, hidden, heads, ffn, size, patch, act="gelu", cls=True, **block):
        super().__init__()
        self.grid = size // patch
        self.tokens = self.grid ** 2 + int(cls)
        self.patch = nn.Conv2d(3, hidden, patch, patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, hidden)) if cls else None
        self.pos = nn.Parameter(torch.zeros(1, self.tokens, hidden))
        self.pre, self.post = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.blocks = nn.ModuleList(VitBlock(hidden, heads, ffn, act, **block)
                                    for _ in range(layers))

    def forward(self, pixels):
        x = self.patch(pixels).flatten(2).transpose(1, 2)
        if self.cls is not None:
            x = torch.cat((self.cls.expand(x.shape[0], -1, -1), x), 1)
        x = self.pre(x + self.pos)
        for block in self.blocks:
            x = block(x)
        return self.post(x)


class QwenBlock(nn.Module):
    def __init__(self, hidden, heads, ffn, whole):
        super().__init__()
        self.heads, self.whole = heads, whole
        self.n1, self.n2 = Rms(hidden), Rms(hidden)
        self.qkv, self.o = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.gate, self.up, self.down = (nn.Linear(hidden, ffn), nn.Linear(hidden, ffn),
                                         nn.Linear(ffn, hidden))

    def forward(self, x, cos, sin):
        b, t, h = x.shape
        # [3, b, t, heads, d]
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, self.heads, -1).permute(2, 0, 1, 3, 4)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        if not self.whole:  # windows of 8 x 8 patches are 64 rows one behind the other
            q, k, v = (z.reshape(b * t // 64, 64, self.heads, -1) for z in (q, k, v))
        y = sdpa(*(z.transpose(1, 2) for z in (q, k, v))).transpose(1, 2).reshape(b, t, h)
        x = x + self.o(y)
        y = self.n2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class QwenVit(nn.Module):
    """Vision tower of Qwen2.5-VL; all windows in one batched attention, multiples of 112 pixels."""

    def __init__(self, layers=32, out=2048, hidden=1280, heads=16, ffn=3420):
        super().__init__()
        self.hidden = hidden
        self.patch = nn.Linear(1176, hidden, bias=False)
        self.blocks = nn.ModuleList(QwenBlock(hidden, heads, ffn, i % 8 == 7)
                                    for i in range(layers))
        self.norm = Rms(hidden)
        self.m1, self.m2 = nn.Linear(4 * hidden, 4 * hidden), nn.Linear(4 * hidden, out)

    def forward(self, pixels, order, back, cos, sin):
        x = self.patch(pixels)
        b, t, h = x.shape
        x = x.view(b, t // 4, 4 * h)[:, order].view(b, t, h)
        for block in self.blocks:
            x = block(x, cos, sin)
        x = self.norm(x).view(b, t // 4, 4 * h)
        return self.m2(F.gelu(self.m1(x)))[:, back]


class LlmLayer(nn.Module):
    def __init__(self, hidden, heads, kv, dim, ffn, bias):
        super().__init__()
        self.heads, self.kv, self.dim = heads, kv, dim
        self.n1, self.n2 = Rms(hidden), Rms(hidden)
        self.q = nn.Linear(hidden, heads * dim, bias=bias)
        self.k = nn.Linear(hidden, kv * dim, bias=bias)
        self.v = nn.Linear(hidden, kv * dim, bias=bias)
        self.o = nn.Linear(heads * dim, hidden, bias=False)
        self.gate, self.up = (nn.Linear(hidden, ffn, bias=False) for _ in range(2))
        self.down = nn.Linear(ffn, hidden, bias=False)

    def forward(self, x, cos, sin, cache=None):
        b, t, _ = x.shape
        y = self.n1(x)
        q = rotate(self.q(y).view(b, t, self.heads, self.dim).transpose(1, 2), cos, sin)
        k = rotate(self.k(y).view(b, t, self.kv, self.dim).transpose(1, 2), cos, sin)
        v = self.v(y).view(b, t, self.kv, self.dim).transpose(1, 2)
        if cache is not None and t > 1:
            cache[0][:, :, :t].copy_(k)
            cache[1][:, :, :t].copy_(v)
        if cache is not None and t == 1:  # decode at the last place of the cache
            cache[0][:, :, -1:].copy_(k)
            cache[1][:, :, -1:].copy_(v)
            # The query heads of a group are rows of one query.
            y = sdpa(q.reshape(b, self.kv, self.heads // self.kv, self.dim), cache[0], cache[1])
            y = y.reshape(b, self.heads, 1, self.dim)
        else:
            y = sdpa(q, k, v, True, self.kv != self.heads)
        x = x + self.o(y.transpose(1, 2).reshape(b, t, -1))
        y = self.n2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llm(nn.Module):
    def __init__(self, layers, hidden, heads, kv, ffn, vocab, dim=128, bias=False, tied=False):
        super().__init__()
        self.dim, self.kv = dim, kv
        self.embed = nn.Embedding(vocab, hidden)
        self.layers = nn.ModuleList(LlmLayer(hidden, heads, kv, dim, ffn, bias)
                                    for _ in range(layers))
        self.norm = Rms(hidden)
        self.head = nn.Linear(hidden, vocab, bias=False)
        if tied:
            self.head.weight = self.embed.weight

    def caches(self, batch, length):
        dtype = self.embed.weight.dtype
        return [torch.randn(2, batch, self.kv, length, self.dim, dtype=dtype)
                for _ in self.layers]

    def tables(self, first, count):
        at = torch.arange(first, first + count).float()
        angle = at[:, None] / 1e6 ** (torch.arange(0, self.dim, 2).float() / self.dim)[None]
        angle = torch.cat((angle, angle), -1)
        dtype = self.embed.weight.dtype
        return angle.cos().to(dtype), angle.sin().to(dtype)

    def forward(self, x, cos, sin, caches=None):
        for i, layer in enumerate(self.layers):
            x = layer(x, cos, sin, None if caches is None else caches[i])
        return self.norm(x)


def qwen_inputs(batch, height, width, dtype):
    """Pixels, order of windows and back, rotation tables; height and width in pixels."""
    rows, cols = height // 28, width // 28
    at = torch.arange(rows * cols).view(rows // 4, 4, cols // 4, 4).permute(0, 2, 1, 3)
    order = at.reshape(-1)
    back = torch.argsort(order)
    tokens = rows * cols * 4
    angle = torch.rand(tokens, 1, 80) * 6
    return (torch.randn(batch, tokens, 1176).to(dtype), order, back, angle.cos().to(dtype),
            angle.sin().to(dtype))


# Diffusion transformers

class FluxAttention:
    @staticmethod
    def run(q, k, v, cos, sin):
        return sdpa(rotate(q, cos, sin), rotate(k, cos, sin), v).transpose(1, 2).flatten(2)


def heads_of(x, heads):
    return x.view(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


class FluxDouble(nn.Module):
    def __init__(self, h=3072, heads=24):
        super().__init__()
        self.heads = heads
        for name in ("img", "txt"):
            self.add_module(name, nn.ModuleDict({
                "mod": nn.Linear(h, 6 * h), "qkv": nn.Linear(h, 3 * h),
                "qn": Rms(h // heads), "kn": Rms(h // heads), "o": nn.Linear(h, h),
                "n1": nn.LayerNorm(h, elementwise_affine=False),
                "n2": nn.LayerNorm(h, elementwise_affine=False),
                "fc1": nn.Linear(h, 4 * h), "fc2": nn.Linear(4 * h, h)}))

    def forward(self, img, txt, vec, cos, sin):
        parts, mods = [], []
        for part, x in ((self.txt, txt), (self.img, img)):
            mod = part["mod"](F.silu(vec))[:, None].chunk(6, -1)
            q, k, v = part["qkv"]((1 + mod[1]) * part["n1"](x) + mod[0]).chunk(3, -1)
            q, k, v = (heads_of(z, self.heads) for z in (q, k, v))
            parts.append((part["qn"](q), part["kn"](k), v))
            mods.append(mod)
        q, k, v = (torch.cat((parts[0][i], parts[1][i]), 2) for i in range(3))
        y = FluxAttention.run(q, k, v, cos, sin)
        out = []
        t = txt.shape[1]
        for part, x, a, mod in ((self.txt, txt, y[:, :t], mods[0]),
                                (self.img, img, y[:, t:], mods[1])):
            x = x + mod[2] * part["o"](a)
            z = (1 + mod[4]) * part["n2"](x) + mod[3]
            out.append(x + mod[5] * part["fc2"](F.gelu(part["fc1"](z), approximate="tanh")))
        return out[1], out[0]


class FluxSingle(nn.Module):
    def __init__(self, h=3072, heads=24):
        super().__init__()
        self.heads, self.h = heads, h
        self.mod = nn.Linear(h, 3 * h)
        self.norm = nn.LayerNorm(h, elementwise_affine=False)
        self.one, self.two = nn.Linear(h, 7 * h), nn.Linear(5 * h, h)
        self.qn, self.kn = Rms(h // heads), Rms(h // heads)

    def forward(self, x, vec, cos, sin):
        shift, scale, gate = self.mod(F.silu(vec))[:, None].chunk(3, -1)
        qkv, mlp = self.one((1 + scale) * self.norm(x) + shift).split((3 * self.h, 4 * self.h), -1)
        q, k, v = (heads_of(z, self.heads) for z in qkv.chunk(3, -1))
        y = FluxAttention.run(self.qn(q), self.kn(k), v, cos, sin)
        return x + gate * self.two(torch.cat((y, F.gelu(mlp, approximate="tanh")), -1))


class Flux(nn.Module):
    def __init__(self, double=19, single=38):
        super().__init__()
        self.pairs = nn.ModuleList(FluxDouble() for _ in range(double))
        self.singles = nn.ModuleList(FluxSingle() for _ in range(single))

    def forward(self, img, txt, vec, cos, sin):
        for block in self.pairs:
            img, txt = block(img, txt, vec, cos, sin)
        x = torch.cat((txt, img), 1)
        for block in self.singles:
            x = block(x, vec, cos, sin)
        return x[:, txt.shape[1]:]


class WanBlock(nn.Module):
    def __init__(self, h=5120, heads=40, ffn=13824):
        super().__init__()
        self.heads = heads
        self.n1, self.n2 = (nn.LayerNorm(h, elementwise_affine=False) for _ in range(2))
        self.n3 = nn.LayerNorm(h)
        self.mod = nn.Parameter(torch.zeros(6, h))
        self.q, self.k, self.v, self.o = (nn.Linear(h, h) for _ in range(4))
        self.cq, self.ck, self.cv, self.co = (nn.Linear(h, h) for _ in range(4))
        self.qn, self.kn, self.cqn, self.ckn = (Rms(h) for _ in range(4))
        self.fc1, self.fc2 = nn.Linear(h, ffn), nn.Linear(ffn, h)

    def forward(self, x, text, cos, sin):
        m = self.mod
        y = self.n1(x) * (1 + m[1]) + m[0]
        q, k, v = (heads_of(z, self.heads) for z in (self.qn(self.q(y)), self.kn(self.k(y)),
                                                     self.v(y)))
        y = sdpa(rotate(q, cos, sin), rotate(k, cos, sin), v).transpose(1, 2).flatten(2)
        x = x + self.o(y) * m[2]
        y = self.n3(x)
        q, k, v = (heads_of(z, self.heads) for z in (self.cqn(self.cq(y)),
                                                     self.ckn(self.ck(text)), self.cv(text)))
        x = x + self.co(sdpa(q, k, v).transpose(1, 2).flatten(2))
        y = self.n2(x) * (1 + m[4]) + m[3]
        return x + self.fc2(F.gelu(self.fc1(y), approximate="tanh")) * m[5]
