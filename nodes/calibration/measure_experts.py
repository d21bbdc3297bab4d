"""Times layers of routed experts for measure_kernels.py: vLLM's kernels, or PyTorch's."""

from measure_card import Skipped, preferred, whole


class Layer:
    """What one device has of a layer of routed experts, and which copies of tokens it gets."""

    def __init__(self, row):
        self.tokens, self.hidden, ffn, self.experts, self.top_k = (
            whole(row, c) for c in ("tokens", "hidden", "expert_ffn", "experts",
                                    "experts_per_token"))
        self.ep, tp = (int(float(row.get(c) or 1)) for c in ("ep", "tp"))
        self.gated = row.get("gated_ffn") != "false"
        self.precision = row["precision"]
        if self.experts % self.ep or ffn % tp:
            raise Skipped("experts that devices have unequal parts of")
        if (row.get("weight_precision") or self.precision) != self.precision:
            raise Skipped(f"experts of {row['weight_precision']} weights in {self.precision}")
        self.ffn, self.held = ffn // tp, self.experts // self.ep
        self.up = self.ffn * (2 if self.gated else 1)
        self.copies = -(-self.tokens * self.top_k // self.ep)  # whose number ep divides
        self.reached = min(self.copies, self.held)
        told = (row.get("copies"), row.get("reached"))
        if any(told) and [float(cell or 0) for cell in told] != [self.copies, self.reached]:
            raise Skipped("copies of tokens that are not dealt out in turn")

    def weights(self):
        """Of one expert."""
        return self.hidden * (self.up + self.ffn)

    def dealt(self, torch, turn):
        """The experts of all copies, token after token: in turn, each turn from the next on."""
        first = turn * self.copies * self.ep
        copies = torch.arange(self.tokens * self.top_k, device="cuda")
        return (copies + first % self.experts) % self.experts

    def here(self, torch, experts):
        """Every ep-th expert is here, and has a number of its own; those of others have the last
        one of all."""
        return torch.where(experts % self.ep == 0, experts // self.ep, self.held)


def experts(card, row):
    layer = Layer(row)
    kinds = {"bf16": card.torch.bfloat16, "fp8": getattr(card.torch, "float8_e4m3fn", None)}
    kind = kinds.get(layer.precision)
    if kind is None:
        raise Skipped(f"experts in {layer.precision}: what is timed here runs bf16 and fp8")
    size = 1 if layer.precision == "fp8" else 2
    sets = card.sets(size * layer.reached * layer.weights())
    card.make_room(kind, layer.held * layer.weights() + 1024)

    def timed(make, *library):
        calls, name = make(card, layer, kind, sets, *library)
        return card.seconds(calls), name

    found = None
    if layer.gated:
        found = preferred(card, "vllm", lambda vllm: timed(fused_experts, vllm))
    found = found or timed(grouped_experts)
    row["copies"], row["reached"] = layer.copies, layer.reached
    return found


def fused_experts(card, layer, kind, sets, vllm):
    """As vLLM has it at ae13773a0 of 1CatAI/1Cat-vLLM (2026-08-22), vllm/model_executor/layers/
    fused_moe/fused_moe.py and config.py."""
    torch = card.torch
    from vllm.model_executor.layers.fused_moe.config import fp8_w8a8_moe_quant_config
    from vllm.model_executor.layers.fused_moe.fused_moe import fused_experts as run
    sides = ((layer.up, layer.hidden), (layer.hidden, layer.ffn))
    block = 128 if all(side % 128 == 0 for pair in sides for side in pair) else 0
    more, name = {}, f"vLLM {vllm.__version__} fused_experts"
    if layer.precision == "fp8":
        shapes = [[n // block, k // block] if block else [] for n, k in sides]
        scales = [torch.ones(layer.held, *shape, dtype=torch.float32, device="cuda")
                  for shape in shapes]
        more["quant_config"] = fp8_w8a8_moe_quant_config(
            w1_scale=scales[0], w2_scale=scales[1], block_shape=[block, block] if block else None)
        name += ", scales of blocks" if block else ", a scale a tensor"
    if layer.ep > 1:
        here = layer.here(torch, torch.arange(layer.experts, device="cuda"))
        more["expert_map"] = torch.where(here < layer.held, here, -1).to(torch.int32)
        more["global_num_experts"] = layer.experts
    gates = torch.full((layer.tokens, layer.top_k), 1.0 / layer.top_k, dtype=torch.float32,
                       device="cuda")
    calls = []
    for turn in range(sets):
        x = card.take(torch.bfloat16, layer.tokens, layer.hidden)
        up, down = (card.take(kind, layer.held, *side) for side in sides)
        ids = layer.dealt(torch, turn).view(layer.tokens, layer.top_k).to(torch.int32)
        calls.append(lambda x=x, up=up, down=down, ids=ids: run(x, up, down, gates, ids, **more))
    return calls, name


def grouped_experts(card, layer, kind, sets):
    """As transformers at 0261a4671, src/transformers/integrations/moe.py, and torchtitan at
    b5bcd76c6, torchtitan/models/common/moe.py, run them by torch._grouped_mm; a copy's place among
    those of its token is known, so that they are summed and not added one by one."""
    torch = card.torch
    product, name = grouped_product(torch, layer, kind)
    numbers = torch.arange(layer.held, device="cuda")
    calls = []
    for turn in range(sets):
        x = card.take(torch.bfloat16, layer.tokens, layer.hidden)
        up = card.take(kind, layer.held, layer.up, layer.hidden)
        down = card.take(kind, layer.held, layer.hidden, layer.ffn)
        gates = card.take(torch.bfloat16, layer.tokens * layer.top_k, 1)
        ids = layer.here(torch, layer.dealt(torch, turn))
        calls.append(lambda x=x, up=up, down=down, gates=gates, ids=ids: grouped_layer(
            torch, layer, product, x, up, down, gates, ids, numbers))
    return calls, f"PyTorch {torch.__version__} {name}"


def grouped_layer(torch, layer, product, x, up, down, gates, ids, numbers):
    order = torch.argsort(ids)[:layer.copies]
    ends = torch.searchsorted(ids[order], numbers, right=True, out_int32=True)
    inner = product(x[order // layer.top_k], up, ends)
    silu = torch.nn.functional.silu
    if layer.gated:
        gate, value = inner.chunk(2, dim=-1)
        inner = silu(gate) * value
    else:
        inner = silu(inner)
    found = product(inner, down, ends) * gates[order]
    make = torch.empty if layer.ep == 1 else torch.zeros
    copies = make((layer.tokens * layer.top_k, layer.hidden), dtype=x.dtype, device="cuda")
    copies.index_copy_(0, order, found)
    return copies.view(layer.tokens, layer.top_k, layer.hidden).sum(dim=1)


def grouped_product(torch, layer, kind):
    """A product a group of rows, weights [expert, n, k] as linear layers keep them; and its name.
    What takes which sizes and scales: PyTorch at 00d4eaf93, aten/src/ATen/native/cuda/
    GroupedBlas.cpp."""
    run = getattr(torch.nn.functional, "grouped_mm", None) or getattr(torch, "_grouped_mm", None)
    least = 16 if layer.precision == "fp8" else 8
    if any(side % least for side in (layer.hidden, layer.up, layer.ffn)):
        raise Skipped(f"experts in {layer.precision} with sides that are no multiples of {least}")
    if layer.precision == "fp8":
        run = getattr(torch, "_scaled_grouped_mm", None)
    if run is None:
        raise Skipped(f"experts in {layer.precision}: this PyTorch has no grouped products; a "
                      "newer one has, and vLLM")
    if layer.precision != "fp8":
        return lambda rows, weights, ends: run(rows, weights.transpose(-2, -1), offs=ends), \
            "grouped_mm"
    ones = {n: torch.ones((layer.held, n), dtype=torch.float32, device="cuda")
            for n in (layer.up, layer.hidden)}

    def scaled(rows, weights, ends):
        scale = rows.abs().amax(dim=-1).to(torch.float32).clamp(min=1e-12) / 448.0
        narrow = (rows / scale.unsqueeze(-1)).to(kind)
        return run(narrow, weights.transpose(-2, -1), scale, ones[weights.shape[1]], offs=ends,
                   out_dtype=torch.bfloat16, use_fast_accum=True)

    return scaled, "_scaled_grouped_mm, a scale a row"
