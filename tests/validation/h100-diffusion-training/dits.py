"""Diffusion transformers and the autoencoder of Stable Diffusion by hand in plain PyTorch."""
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from nets import Rms, heads_of, rotate, sdpa


def plain_norm(hidden):
    return nn.LayerNorm(hidden, eps=1e-6, elementwise_affine=False)


def gelu(x):
    return F.gelu(x, approximate="tanh")


def merge(x):
    """[batch, heads, tokens, dim] to [batch, tokens, hidden]."""
    return x.transpose(1, 2).flatten(2)


class TimeEmbedding(nn.Module):
    """Sines of the time, then two linear layers."""

    def __init__(self, hidden):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(256, hidden), nn.Linear(hidden, hidden)

    def forward(self, t):
        at = torch.arange(128, device=t.device, dtype=torch.float32)
        angle = t.float()[:, None] * torch.exp(at * (-math.log(10000.0) / 128))[None]
        waves = torch.cat((angle.cos(), angle.sin()), -1).to(self.fc1.weight.dtype)
        return self.fc2(F.silu(self.fc1(waves)))


class FinalLayer(nn.Module):
    def __init__(self, hidden, out):
        super().__init__()
        self.norm = plain_norm(hidden)
        self.mod, self.out = nn.Linear(hidden, 2 * hidden), nn.Linear(hidden, out)

    def forward(self, x, c):
        shift, scale = self.mod(F.silu(c))[:, None].chunk(2, -1)
        return self.out(self.norm(x) * (1 + scale) + shift)


def run_block(block, checkpointed, *given):
    if checkpointed:
        return checkpoint(block, *given, use_reentrant=False)
    return block(*given)


class DitBlock(nn.Module):
    def __init__(self, hidden, heads, ffn):
        super().__init__()
        self.heads = heads
        self.n1, self.n2 = plain_norm(hidden), plain_norm(hidden)
        self.mod = nn.Linear(hidden, 6 * hidden)
        self.qkv, self.o = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.fc1, self.fc2 = nn.Linear(hidden, ffn), nn.Linear(ffn, hidden)

    def forward(self, x, c):
        m = self.mod(F.silu(c))[:, None].chunk(6, -1)
        y = self.n1(x) * (1 + m[1]) + m[0]
        q, k, v = (heads_of(z, self.heads) for z in self.qkv(y).chunk(3, -1))
        x = x + m[2] * self.o(merge(sdpa(q, k, v)))
        y = self.n2(x) * (1 + m[4]) + m[3]
        return x + m[5] * self.fc2(gelu(self.fc1(y)))


class Dit(nn.Module):
    """DiT-XL/2 over patches of 2 x 2 x 4 latents; twice as many come out."""

    def __init__(self, layers, tokens, hidden=1152, heads=16, ffn=4608):
        super().__init__()
        self.checkpointed = False
        self.patch = nn.Linear(16, hidden)
        self.register_buffer("pos", torch.zeros(1, tokens, hidden))
        self.time, self.label = TimeEmbedding(hidden), nn.Embedding(1001, hidden)
        self.blocks = nn.ModuleList(DitBlock(hidden, heads, ffn) for _ in range(layers))
        self.final = FinalLayer(hidden, 32)

    def forward(self, x, t, label):
        x = self.patch(x) + self.pos
        c = self.time(t) + self.label(label)
        for block in self.blocks:
            x = run_block(block, self.checkpointed, x, c)
        return self.final(x, c)


class Stream(nn.Module):
    """The weights of one of the two streams of a block."""

    def __init__(self, hidden, heads, ffn):
        super().__init__()
        self.heads = heads
        self.n1, self.n2 = plain_norm(hidden), plain_norm(hidden)
        self.mod = nn.Linear(hidden, 6 * hidden)
        self.qkv, self.o = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.fc1, self.fc2 = nn.Linear(hidden, ffn), nn.Linear(ffn, hidden)

    def before(self, x, c):
        m = self.mod(F.silu(c))[:, None].chunk(6, -1)
        y = self.n1(x) * (1 + m[1]) + m[0]
        return m, [heads_of(z, self.heads) for z in self.qkv(y).chunk(3, -1)]

    def after(self, x, m, y):
        x = x + m[2] * self.o(y)
        y = self.n2(x) * (1 + m[4]) + m[3]
        return x + m[5] * self.fc2(gelu(self.fc1(y)))


class MmBlock(nn.Module):
    """Attention over text and image together."""

    def __init__(self, hidden, heads, ffn):
        super().__init__()
        self.txt, self.img = Stream(hidden, heads, ffn), Stream(hidden, heads, ffn)

    def forward(self, txt, img, c):
        mt, qkvt = self.txt.before(txt, c)
        mi, qkvi = self.img.before(img, c)
        q, k, v = (torch.cat(both, 2) for both in zip(qkvt, qkvi))
        y = merge(sdpa(q, k, v))
        n = txt.shape[1]
        return self.txt.after(txt, mt, y[:, :n]), self.img.after(img, mi, y[:, n:])


class MmDit(nn.Module):
    """Like SD3-medium; all blocks alike, so the last one's text is computed and not used."""

    def __init__(self, layers, tokens, hidden=1536, heads=24, ffn=6144):
        super().__init__()
        self.checkpointed = False
        self.patch, self.text = nn.Linear(64, hidden), nn.Linear(4096, hidden)
        self.register_buffer("pos", torch.zeros(1, tokens, hidden))
        self.time = TimeEmbedding(hidden)
        self.pool1, self.pool2 = nn.Linear(2048, hidden), nn.Linear(hidden, hidden)
        self.blocks = nn.ModuleList(MmBlock(hidden, heads, ffn) for _ in range(layers))
        self.final = FinalLayer(hidden, 64)

    def forward(self, x, t, text, pooled):
        img, txt = self.patch(x) + self.pos, self.text(text)
        c = self.time(t) + self.pool2(F.silu(self.pool1(pooled)))
        for block in self.blocks:
            txt, img = run_block(block, self.checkpointed, txt, img, c)
        return self.final(img, c)


class VideoBlock(nn.Module):
    """Self attention, cross attention, MLP; modulation by a parameter added to the time's."""

    def __init__(self, hidden, heads, ffn):
        super().__init__()
        self.heads = heads
        self.n1, self.n2, self.n3 = plain_norm(hidden), plain_norm(hidden), nn.LayerNorm(hidden)
        self.mod = nn.Parameter(torch.zeros(1, 6, hidden))
        self.q, self.k, self.v, self.o = (nn.Linear(hidden, hidden) for _ in range(4))
        self.cq, self.ck, self.cv, self.co = (nn.Linear(hidden, hidden) for _ in range(4))
        self.qn, self.kn, self.cqn, self.ckn = (Rms(hidden) for _ in range(4))
        self.fc1, self.fc2 = nn.Linear(hidden, ffn), nn.Linear(ffn, hidden)

    def forward(self, x, text, vec, cos, sin):
        m = (self.mod + vec).chunk(6, 1)
        y = self.n1(x) * (1 + m[1]) + m[0]
        q, k, v = (heads_of(z, self.heads) for z in (self.qn(self.q(y)), self.kn(self.k(y)),
                                                     self.v(y)))
        x = x + m[2] * self.o(merge(sdpa(rotate(q, cos, sin), rotate(k, cos, sin), v)))
        y = self.n3(x)
        q, k, v = (heads_of(z, self.heads) for z in (self.cqn(self.cq(y)),
                                                     self.ckn(self.ck(text)), self.cv(text)))
        x = x + self.co(merge(sdpa(q, k, v)))
        y = self.n2(x) * (1 + m[4]) + m[3]
        return x + m[5] * self.fc2(gelu(self.fc1(y)))


class VideoDit(nn.Module):
    """Like Wan 1.3B over patches of 1 x 2 x 2 x 16 latents; text comes in at full width."""

    def __init__(self, layers, hidden=1536, heads=12, ffn=8960):
        super().__init__()
        self.checkpointed = False
        self.hidden = hidden
        self.patch = nn.Linear(64, hidden)
        self.time, self.vec = TimeEmbedding(hidden), nn.Linear(hidden, 6 * hidden)
        self.blocks = nn.ModuleList(VideoBlock(hidden, heads, ffn) for _ in range(layers))
        self.final = FinalLayer(hidden, 64)

    def forward(self, x, t, text, cos, sin):
        x, c = self.patch(x), self.time(t)
        vec = self.vec(F.silu(c)).view(-1, 6, self.hidden)
        for block in self.blocks:
            x = run_block(block, self.checkpointed, x, text, vec, cos, sin)
        return self.final(x, c)


# The autoencoder of Stable Diffusion.

def group_norm(channels):
    return nn.GroupNorm(32, channels, eps=1e-6)


def conv3(one, two, stride=1, padding=1):
    return nn.Conv2d(one, two, 3, stride, padding)


class ResBlock(nn.Module):
    def __init__(self, one, two):
        super().__init__()
        self.n1, self.c1 = group_norm(one), conv3(one, two)
        self.n2, self.c2 = group_norm(two), conv3(two, two)
        self.skip = nn.Conv2d(one, two, 1) if one != two else nn.Identity()

    def forward(self, x):
        y = self.c1(F.silu(self.n1(x)))
        return self.skip(x) + self.c2(F.silu(self.n2(y)))


class PixelAttention(nn.Module):
    """One head over all positions."""

    def __init__(self, channels):
        super().__init__()
        self.norm = group_norm(channels)
        self.q, self.k, self.v, self.o = (nn.Linear(channels, channels) for _ in range(4))

    def forward(self, x):
        b, c, h, w = x.shape
        y = self.norm(x).flatten(2).transpose(1, 2)
        q, k, v = (z(y)[:, None] for z in (self.q, self.k, self.v))
        y = self.o(sdpa(q, k, v)[:, 0])
        return x + y.transpose(1, 2).reshape(b, c, h, w)


class Down(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = conv3(channels, channels, 2, 0)

    def forward(self, x):
        return self.conv(F.pad(x, (0, 1, 0, 1)))


class Up(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = conv3(channels, channels)

    def forward(self, x):
        return self.conv(F.interpolate(x, scale_factor=2.0, mode="nearest"))


def middle(channels):
    return [ResBlock(channels, channels), PixelAttention(channels), ResBlock(channels, channels)]


def vae_encoder(widths=(128, 256, 512, 512), layers=2, latent=4):
    parts, at = [conv3(3, widths[0])], widths[0]
    for i, width in enumerate(widths):
        for _ in range(layers):
            parts.append(ResBlock(at, width))
            at = width
        if i + 1 < len(widths):
            parts.append(Down(width))
    parts += middle(at) + [group_norm(at), nn.SiLU(), conv3(at, 2 * latent),
                           nn.Conv2d(2 * latent, 2 * latent, 1)]
    return nn.Sequential(*parts)


def vae_decoder(widths=(128, 256, 512, 512), layers=2, latent=4):
    at = widths[-1]
    parts = [nn.Conv2d(latent, latent, 1), conv3(latent, at)] + middle(at)
    for i, width in enumerate(reversed(widths)):
        for _ in range(layers + 1):
            parts.append(ResBlock(at, width))
            at = width
        if i + 1 < len(widths):
            parts.append(Up(width))
    return nn.Sequential(*parts, group_norm(at), nn.SiLU(), conv3(at, 3))
