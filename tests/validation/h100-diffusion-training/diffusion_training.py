"""Training steps of diffusion transformers by hand, and the autoencoder of Stable Diffusion."""
import functools

import torch
import torch.nn.functional as F

import dits
from networks import BF16, build, count, weight_bytes
from work import clean, now

EAGER, COMPILED = "eager", "torch.compile, each block"
BF16_NOTE = "AdamW fused, bf16 parameters and states"
EMA_NOTE = "AdamW fused fp32, EMA copy fp32 (foreach lerp) in the optimizer's time"


def build32(make):
    """A network on the device in fp32 with small random weights."""
    with torch.device("cuda"):
        net = make()
    with torch.no_grad():
        for name, p in net.named_parameters():
            if p.ndim > 1 or name.endswith("bias"):
                p.normal_(0, 0.02)
            else:
                p.fill_(1.0)
    return net


class WithEma:
    """An optimizer that moves an EMA copy of the weights after each step."""

    def __init__(self, optimizer, params):
        self.optimizer, self.params = optimizer, [p.detach() for p in params]
        self.copies = [p.clone() for p in self.params]

    @property
    def state(self):
        return self.optimizer.state

    def update(self):
        with torch.no_grad():
            torch._foreach_lerp_(self.copies, self.params, 1e-4)

    def step(self):
        self.optimizer.step()
        self.update()


def compile_blocks(net):
    import torch._dynamo
    for name in ("recompile_limit", "cache_size_limit", "accumulated_recompile_limit",
                 "accumulated_cache_size_limit"):
        try:
            setattr(torch._dynamo.config, name, 1024)
        except Exception:
            pass
    for block in net.blocks:
        block.compile(dynamic=False)


def forget_compiled():
    try:
        import torch._dynamo
        torch._dynamo.reset()
    except Exception as error:
        print("no reset", error, flush=True)
    clean()


class Model:
    """One of the three networks, how it is made and fed."""

    def __init__(self, name, make, given, out, wide, text_tokens, image):
        self.name, self.make, self.given = name, make, given
        self.out, self.wide = out, wide  # width of the loss, width of the latents
        self.text_tokens, self.image = text_tokens, image

    def base(self, part, net, tokens, batch, mixed, checkpointed, mode):
        height, width = self.image(tokens)
        return {"part": part, "model": self.name, "impl": "by hand", "mode": mode,
                "batch": batch, "image_height": height, "image_width": width,
                "vision_tokens": tokens, "text_tokens": self.text_tokens or "",
                "sequence": tokens + (self.text_tokens if "MMDiT" in self.name else 0),
                "checkpointing": "on" if checkpointed else "off", "trained": "all",
                "dtype": "fp32, autocast to bf16" if mixed else "bf16", "params": count(net),
                "param_bytes": weight_bytes(net)}

    def forward(self, net, tokens, batch, mixed):
        dtype = torch.float32 if mixed else BF16
        x = torch.randn(batch, tokens, self.wide, device="cuda", dtype=dtype)
        noise = torch.randn(batch, tokens, self.out, device="cuda", dtype=dtype)
        t = torch.rand(batch, device="cuda", dtype=torch.float32) * 1000
        given = self.given(batch, tokens, dtype)

        def loss():
            found = net(x, t, *given)[..., :self.out]
            return F.mse_loss(found.float(), noise.float())

        def mixed_loss():
            with torch.autocast("cuda", dtype=BF16):
                return loss()
        return mixed_loss if mixed else loss


def dit_given(batch, tokens, dtype):
    return (torch.randint(0, 1000, (batch,), device="cuda"),)


def mmdit_given(batch, tokens, dtype):
    return (torch.randn(batch, 333, 4096, device="cuda", dtype=dtype),
            torch.randn(batch, 2048, device="cuda", dtype=dtype))


def video_given(batch, tokens, dtype):
    angle = torch.rand(tokens, 128, device="cuda", dtype=torch.float32) * 6
    return (torch.randn(batch, 512, 1536, device="cuda", dtype=dtype),
            angle.cos().to(dtype), angle.sin().to(dtype))


DIT = Model("DiT-XL/2", lambda layers, tokens: dits.Dit(layers, tokens), dit_given, 16, 16, 0,
            lambda tokens: {256: (256, 256), 1024: (512, 512)}[tokens])
MMDIT = Model("MMDiT (SD3-medium)", lambda layers, tokens: dits.MmDit(layers, tokens),
              mmdit_given, 64, 64, 333,
              lambda tokens: {1024: (512, 512), 4096: (1024, 1024)}[tokens])
VIDEO = Model("Video DiT (Wan 1.3B)", lambda layers, tokens: dits.VideoDit(layers), video_given,
              64, 64, 512, lambda tokens: (480, 832))
LAYERS = {DIT.name: 28, MMDIT.name: 24, VIDEO.name: 30}


def one_step(forward, params, optimizer):
    def step():
        forward().backward()
        optimizer.step()
        for p in params:
            p.grad = None
    return step


def steps(work, part, model, tokens, batch, mixed=False, checkpointed=False, compiled=False,
          profiled=False):
    """Builds the network, trains a few steps, writes the rows."""
    make = functools.partial(model.make, work.cut(LAYERS[model.name]), tokens)
    net = build32(make) if mixed else build(make)
    net.train()
    net.checkpointed = checkpointed
    params = list(net.parameters())
    forward = model.forward(net, tokens, batch, mixed)
    mode = COMPILED if compiled else EAGER
    work.base = model.base(part, net, tokens, batch, mixed, checkpointed, mode)
    note = EMA_NOTE if mixed else BF16_NOTE
    if compiled:
        compile_blocks(net)
        began = now()
        forward().backward()
        torch.cuda.synchronize()
        note += f"; first pass with compilation {now() - began:.1f} s"
        for p in params:
            p.grad = None
    optimizer = torch.optim.AdamW(params, lr=1e-5, fused=True)
    if mixed:
        optimizer = WithEma(optimizer, params)
    if profiled:
        what = {k: v for k, v in work.base.items() if k != "mode"}
        work.base = {}
        run = one_step(forward, params, optimizer)
        run()  # the states are made here
        work.kernels(run, phase="step", note=f"{mode}; {note}", trained_params=count(net), **what)
        return
    work.train(forward, params, optimizer, mode=mode, note=note)
    if mixed and not compiled:
        got = work.bench(optimizer.update, warm=1)
        work.row(phase="EMA update", trained_params=count(net),
                 note="foreach lerp of all weights, fp32; part of the optimizer row", **got)


def item(work, part, model, tokens, batch, need, **how):
    extra = " ".join(name for name in how if how[name])
    label = f"{model.name} {tokens} tokens batch {batch} {extra}".strip()
    work.item(label, lambda: steps(work, part, model, tokens, batch, **how), need)
    clean()


def dit(work):
    for tokens, batch in work.few(((256, 64), (256, 128), (256, 32), (1024, 32), (1024, 16))):
        item(work, "A1", DIT, tokens, batch, 6)
    item(work, "A1", DIT, 256, 4 if work.quick else 64, 8, mixed=True)


def dit_compiled(work):
    for (tokens, batch), need in work.few((((256, 64), 25), ((1024, 32), 18), ((256, 128), 18))):
        item(work, "A1", DIT, tokens, batch, need, compiled=True)
    forget_compiled()


def mmdit(work):
    for tokens, batch in work.few(((1024, 16), (4096, 4))):
        item(work, "A2", MMDIT, tokens, batch, 8)
    # With fp32 weights, states and EMA, batch 16 needs checkpointing in 80 GB.
    for batch, on in work.few(((16, True), (4, False))):
        item(work, "A2", MMDIT, 1024, batch, 9, mixed=True, checkpointed=on)


def mmdit_compiled(work):
    for (tokens, batch), need in work.few((((1024, 16), 28), ((4096, 4), 22))):
        item(work, "A2", MMDIT, tokens, batch, need, compiled=True)
    forget_compiled()


def video(work):
    item(work, "A3", VIDEO, 8190, 1, 7)
    item(work, "A3", VIDEO, 8190, 1, 8, checkpointed=True)
    if not work.quick:
        item(work, "A3", VIDEO, 32760, 1, 22, checkpointed=True)


def video_compiled(work):
    item(work, "A3", VIDEO, 8190, 1, 25, compiled=True)
    forget_compiled()


def more(work):
    item(work, "A1", DIT, 256, 64, 25, mixed=True, compiled=True)
    item(work, "A3", VIDEO, 32760, 1, 38, checkpointed=True, compiled=True)
    forget_compiled()


def vae_rows(work, label, net, given, layout, **what):
    if layout == "channels last":
        net = net.to(memory_format=torch.channels_last)
        given = given.to(memory_format=torch.channels_last)

    def run():
        with torch.no_grad():
            return net(given)
    work.base = {"part": "VAE", "model": "SD autoencoder", "impl": "by hand", "dtype": "bf16",
                 "trained": "none", "params": count(net), "param_bytes": weight_bytes(net),
                 "note": layout} | what
    work.item(f"VAE {label} {layout}", lambda: work.eager(run), 3)


def vae(work):
    for phase, make in (("encode", dits.vae_encoder), ("decode", dits.vae_decoder)):
        for layout in ("contiguous", "channels last"):
            held = {}

            def load():
                held["net"] = build(make).eval()
            if not work.item(f"VAE {phase} build", load, 2):
                continue
            for size in work.few((256, 512)):
                batch = 1 if work.quick else 8
                shape = (3, size, size) if phase == "encode" else (4, size // 8, size // 8)
                given = torch.randn(batch, *shape, device="cuda", dtype=BF16)
                vae_rows(work, f"{phase} {size}", held["net"], given, layout, phase=phase,
                         batch=batch, images=batch, image_height=size, image_width=size)
                given = None
                clean()


def profiles(work):
    batch = 4 if work.quick else 64
    item(work, "P", DIT, 256, batch, 6, profiled=True)
    item(work, "P", DIT, 256, batch, 18, profiled=True, compiled=True)
    forget_compiled()
