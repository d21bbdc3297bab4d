#!/usr/bin/env python3
"""How measure_kernels.py times experts and latent attention: shapes, deals and numbers, on a
stand-in for PyTorch whose tensors are arrays of numpy and whose clock is not asked."""

import contextlib
import io
import pathlib
import sys
import types
import unittest
from unittest import mock

try:
    import numpy
except ImportError:
    numpy = None

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "nodes" / "calibration"))

import measure_card as card_of  # noqa: E402
import measure_experts  # noqa: E402
import measure_kernels  # noqa: E402

SECONDS = 1.25e-4


def tensor_class():
    class Tensor(numpy.ndarray):
        """As much of a tensor as is asked for."""

        def view(self, *shape):
            return self.reshape(*shape)

        def transpose(self, a, b):
            return numpy.swapaxes(self, a, b)

        def to(self, kind):
            return wrapped(self.astype(kind))

        def abs(self):
            return wrapped(numpy.abs(self))

        def amax(self, dim):
            return wrapped(numpy.max(self, axis=dim))

        def clamp(self, **limits):
            return wrapped(numpy.maximum(self, limits["min"]))

        def unsqueeze(self, dim):
            return wrapped(numpy.expand_dims(self, dim))

        def chunk(self, parts, dim):
            return [wrapped(part) for part in numpy.split(self, parts, axis=dim)]

        def sum(self, dim):
            return wrapped(numpy.sum(numpy.asarray(self), axis=dim))

        def contiguous(self):
            return wrapped(numpy.ascontiguousarray(self))

        def index_copy_(self, dim, index, source):
            assert dim == 0
            self[index] = source

    def wrapped(array):
        return numpy.asarray(array).view(type=Tensor) if type(array) is numpy.ndarray else (
            numpy.ndarray.view(numpy.asarray(array), Tensor))

    return wrapped


def fake_torch():
    """The functions that layers call. 'float8' is a wide number here: what is narrowed is scaled
    all the same."""
    wrapped = tensor_class()
    torch = types.SimpleNamespace(
        __version__="9.1", bfloat16=numpy.float64, float16=numpy.float32,
        float32=numpy.float32, float8_e4m3fn=numpy.float64, int32=numpy.int32, uint8=numpy.uint8)
    torch.arange = lambda count, dtype=numpy.int64, device="": wrapped(
        numpy.arange(count, dtype=dtype))
    torch.where = lambda test, a, b: wrapped(numpy.where(test, a, b))
    torch.argsort = lambda a: wrapped(numpy.argsort(a, kind="stable"))
    torch.searchsorted = lambda a, v, right, out_int32: wrapped(
        numpy.searchsorted(a, v, side="right" if right else "left").astype(numpy.int32))
    shaped = lambda shape: shape[0] if isinstance(shape[0], tuple) else shape
    torch.empty = lambda *shape, dtype, device: wrapped(numpy.full(shaped(shape), numpy.nan))
    torch.zeros = lambda *shape, dtype, device: wrapped(numpy.zeros(shaped(shape)))
    torch.ones = lambda *shape, dtype, device: wrapped(numpy.ones(shaped(shape)))
    torch.full = lambda shape, value, dtype, device: wrapped(numpy.full(shape, value))

    def silu(x):
        return x / (1.0 + numpy.exp(-x))

    def grouped(rows, weights, offs):
        assert offs.dtype == numpy.int32 and offs[-1] == len(rows)
        out = numpy.full((len(rows), weights.shape[2]), numpy.nan)
        begin = 0
        for group, end in enumerate(offs):
            out[begin:end] = rows[begin:end] @ weights[group]
            begin = end
        return wrapped(out)

    def scaled(rows, weights, scale_a, scale_b, offs, out_dtype, use_fast_accum):
        assert scale_a.shape == rows.shape[:1] and scale_b.shape == weights.shape[::2]
        assert numpy.abs(rows).max() < 448.001
        return wrapped(grouped(rows, weights, offs) * scale_a[:, None])

    torch._scaled_grouped_mm = scaled
    torch.nn = types.SimpleNamespace(functional=types.SimpleNamespace(silu=silu,
                                                                      grouped_mm=grouped))
    torch.cuda = types.SimpleNamespace(synchronize=lambda: None,
                                       get_device_capability=lambda: (9, 0))
    torch.wrapped = wrapped
    return torch


class Card:
    """Hands out numbers, runs calls and keeps what they gave."""

    def __init__(self, plain=True):
        self.torch, self.plain, self.told = fake_torch(), plain, set()
        self.random = numpy.random.default_rng(3)
        self.taken, self.results, self.name = [], [], "One GPU"

    def take(self, kind, *shape):
        self.taken.append(shape)
        return self.torch.wrapped(self.random.normal(size=shape).astype(kind))

    def sets(self, set_bytes):
        self.set_bytes = set_bytes
        return 2

    def make_room(self, kind, size):
        self.room = size

    def seconds(self, calls):
        self.results = [call() for call in calls]
        return SECONDS


def layer_row(**cells):
    return {"case": "a", "op": "experts", "tokens": "12", "hidden": "16", "expert_ffn": "32",
            "experts": "8", "experts_per_token": "2", "precision": "bf16", **cells}


@unittest.skipUnless(numpy, "numpy is not there")
class Experts(unittest.TestCase):
    def expected(self, layer, card, turn):
        """Token by token, expert by expert; operands in the order in which they are taken."""
        x, up, down, gates = self.operands[4 * turn:4 * turn + 4]
        ids = numpy.asarray(layer.dealt(card.torch, turn))
        out = numpy.zeros((layer.tokens, layer.hidden))
        for copy, expert in enumerate(ids):
            if expert % layer.ep == 0:
                inner = up[expert // layer.ep] @ x[copy // layer.top_k]
                if layer.gated:
                    gate, value = numpy.split(inner, 2)
                    inner = gate / (1.0 + numpy.exp(-gate)) * value
                else:
                    inner = inner / (1.0 + numpy.exp(-inner))
                out[copy // layer.top_k] += gates[copy, 0] * (down[expert // layer.ep] @ inner)
        return out

    def measured(self, row, plain=True):
        card = Card(plain)
        self.operands = []
        take = card.take

        def kept(kind, *shape):
            self.operands.append(take(kind, *shape))
            return self.operands[-1]

        card.take = kept
        measure_kernels.fill(card, row)
        return card

    def test_every_copy_meets_its_expert_and_comes_back_to_its_token(self):
        for cells in ({}, {"ep": "4"}, {"tp": "2"}, {"gated_ffn": "false"}, {"precision": "fp8"},
                      {"tokens": "1"}, {"tokens": "1", "ep": "8"}):
            row = layer_row(**cells)
            layer = measure_experts.Layer(row)
            card = self.measured(row)
            for turn, result in enumerate(card.results):
                numpy.testing.assert_allclose(result, self.expected(layer, card, turn), rtol=1e-6,
                                              atol=1e-9, err_msg=str(cells))

    def test_rows_say_what_ran_and_how_tokens_were_dealt(self):
        row = layer_row(ep="4")
        self.measured(row)
        self.assertEqual((row["copies"], row["reached"]), (6, 2))
        self.assertEqual(row["time_s"], "0.000125")
        self.assertEqual(row["library"], "PyTorch 9.1 grouped_mm")
        row = layer_row(precision="fp8")
        self.measured(row)
        self.assertEqual(row["library"], "PyTorch 9.1 _scaled_grouped_mm, a scale a row")
        self.assertEqual(measure_kernels.with_deal(["case", "copies"], [row, {}]),
                         ["case", "copies", "reached"])
        self.measured(row)  # once more: the deal is the one that it says

    def test_copies_are_even_and_each_turn_reads_other_experts(self):
        torch = fake_torch()
        for ep in (1, 2, 8):
            layer = measure_experts.Layer(layer_row(tokens="3", ep=str(ep)))
            seen = []
            for turn in range(2):
                experts = numpy.asarray(layer.dealt(torch, turn))
                self.assertEqual(len(set(experts[:layer.top_k])), layer.top_k)
                here = numpy.asarray(layer.here(torch, layer.dealt(torch, turn)))
                here = here[here < layer.held]
                self.assertEqual(len(here), layer.copies)
                self.assertEqual(len(set(here)), layer.reached)
                seen.append(set(here))
            if 2 * layer.reached <= layer.held:
                self.assertFalse(seen[0] & seen[1])

    def test_what_is_read_decides_how_many_sets_there_are(self):
        card = self.measured(layer_row(tokens="1"))
        self.assertEqual(card.set_bytes, 2 * 2 * 16 * (64 + 32))
        self.assertGreaterEqual(card.room, 8 * 16 * (64 + 32))

    def test_what_cannot_run_is_said(self):
        for cells, said in (
                ({"precision": "nvfp4"}, "experts in nvfp4: what is timed here runs bf16 and fp8"),
                ({"weight_precision": "mxfp4"}, "experts of mxfp4 weights in bf16"),
                ({"ep": "3"}, "experts that devices have unequal parts of"),
                ({"copies": "20", "reached": "8"}, "copies of tokens that are not dealt out in"),
                ({"hidden": "12"}, "experts in bf16 with sides that are no multiples of 8"),
                ({"precision": "fp8", "tp": "4"}, "experts in fp8 with sides that are no multiples "
                                                  "of 16")):
            with self.assertRaisesRegex(card_of.Skipped, said):
                self.measured(layer_row(**cells))

    def test_a_pytorch_without_grouped_products_is_said(self):
        card = Card()
        del card.torch.nn.functional.grouped_mm
        with self.assertRaisesRegex(card_of.Skipped, "experts in bf16: this PyTorch has no grouped "
                                                     "products; a newer one has, and vLLM"):
            measure_kernels.fill(card, layer_row())

    def test_vllm_runs_them_where_it_is_installed(self):
        calls = []

        def fused(x, up, down, gates, ids, **more):
            calls.append((x, up, down, gates, ids, more))

        modules = fake_vllm(fused, lambda **scales: scales)
        with mock.patch.dict(sys.modules, modules):
            row = layer_row(ep="4")
            self.measured(row, plain=False)
            self.assertEqual(row["library"], "vLLM 0.24.0 fused_experts")
            x, up, down, gates, ids, more = calls[0]
            self.assertEqual((x.shape, up.shape, down.shape), ((12, 16), (2, 64, 16), (2, 16, 32)))
            self.assertEqual((gates.shape, ids.shape, ids.dtype), ((12, 2), (12, 2), numpy.int32))
            self.assertEqual(list(more["expert_map"]), [0, -1, -1, -1, 1, -1, -1, -1])
            self.assertEqual(more["global_num_experts"], 8)
            row = layer_row(precision="fp8", hidden="256", expert_ffn="128")
            self.measured(row, plain=False)
            self.assertEqual(row["library"], "vLLM 0.24.0 fused_experts, scales of blocks")
            config = calls[-1][-1]["quant_config"]
            self.assertEqual((config["w1_scale"].shape, config["w2_scale"].shape),
                             ((8, 2, 2), (8, 2, 1)))
            self.assertEqual(config["block_shape"], [128, 128])
            row = layer_row(precision="fp8")
            self.measured(row, plain=False)
            self.assertEqual(row["library"], "vLLM 0.24.0 fused_experts, a scale a tensor")
            self.assertEqual(calls[-1][-1]["quant_config"]["w1_scale"].shape, (8,))

    def test_pytorch_runs_what_vllm_fails_at(self):
        def broken(*_, **__):
            raise TypeError("no such argument")

        said = io.StringIO()
        with mock.patch.dict(sys.modules, fake_vllm(broken, None)), \
                contextlib.redirect_stderr(said):
            row = layer_row()
            self.measured(row, plain=False)
        self.assertEqual(row["library"], "PyTorch 9.1 grouped_mm")
        self.assertEqual(said.getvalue(), "vllm fails, and PyTorch's kernels are timed: "
                                          "TypeError: no such argument\n")


def fake_vllm(fused, config):
    base = "vllm.model_executor.layers.fused_moe"
    modules = {name: types.ModuleType(name) for name in (
        "vllm", "vllm.model_executor", "vllm.model_executor.layers", base, f"{base}.config",
        f"{base}.fused_moe")}
    modules["vllm"].__version__ = "0.24.0"
    modules[f"{base}.config"].fp8_w8a8_moe_quant_config = config
    modules[f"{base}.fused_moe"].fused_experts = fused
    return modules


def latent_row(op, **cells):
    return {"case": "a", "op": op, "batch": "3", "seq": "128", "heads": "4", "kv_rank": "32",
            "rope_dim": "8", "nope_dim": "16", "value_dim": "16", "precision": "bf16",
            "kv_precision": "bf16", **cells}


@unittest.skipUnless(numpy, "numpy is not there")
class Latent(unittest.TestCase):
    def shapes_of_pytorch(self, op):
        card, seen = Card(), []

        def attend(q, k, v, is_causal=False):
            seen.append((q.shape, k.shape, v.shape, is_causal))

        card.torch.nn.functional.scaled_dot_product_attention = attend
        backends = types.SimpleNamespace(FLASH_ATTENTION=1, CUDNN_ATTENTION=2,
                                         EFFICIENT_ATTENTION=3)

        @contextlib.contextmanager
        def only(chosen):
            if chosen != [3]:
                raise RuntimeError("heads are too wide")
            yield

        module = types.ModuleType("torch.nn.attention")
        module.SDPBackend, module.sdpa_kernel = backends, only
        parents = {name: types.ModuleType(name) for name in ("torch", "torch.nn")}
        row = latent_row(op)
        with mock.patch.dict(sys.modules, {**parents, "torch.nn.attention": module}):
            measure_kernels.fill(card, row)
        self.assertEqual(row["library"], "CUTLASS attention, PyTorch 9.1")
        return seen[0]

    def test_prompts_have_keys_and_values_of_their_own_widths(self):
        self.assertEqual(self.shapes_of_pytorch("latent_prefill"),
                         ((3, 4, 128, 24), (3, 4, 128, 24), (3, 4, 128, 16), True))

    def test_decode_reads_one_head_of_latents(self):
        self.assertEqual(self.shapes_of_pytorch("latent_decode"),
                         ((3, 1, 4, 40), (3, 1, 128, 40), (3, 1, 128, 32), False))

    def test_flashinfer_runs_it_where_it_is_installed(self):
        flashinfer, seen = fake_flashinfer()
        with mock.patch.dict(sys.modules, {"flashinfer": flashinfer}):
            for op, name in (("latent_prefill", "ragged prefill"), ("latent_decode", "MLA decode")):
                card, row = Card(plain=False), latent_row(op)
                measure_kernels.fill(card, row)
                self.assertEqual(row["library"], f"FlashInfer 0.6.18 {name}")
            card.torch.cuda.get_device_capability = lambda: (10, 0)
            measure_kernels.fill(card, row)
            self.assertEqual(row["library"], "FlashInfer 0.6.18 trtllm-gen MLA decode")
        prefill, decode, blackwell = seen["prefill"], seen["decode"], seen["blackwell"]
        self.assertEqual(list(prefill["plan"][0]), [0, 128, 256, 384])
        self.assertEqual(prefill["run"], [(384, 4, 24), (384, 4, 24), (384, 4, 16)])
        self.assertEqual(list(decode["plan"][1]), [0, 2, 4, 6])  # pages of 64 tokens
        self.assertEqual(list(decode["plan"][3]), [128] * 3)
        self.assertEqual(decode["run"], [(3, 4, 32), (3, 4, 8), (6, 64, 32), (6, 64, 8)])
        self.assertEqual((blackwell["query"].shape, blackwell["kv_cache"].shape),
                         ((3, 1, 4, 40), (6, 1, 64, 40)))
        self.assertEqual(blackwell["block_tables"].tolist(), [[0, 1], [2, 3], [4, 5]])
        self.assertAlmostEqual(blackwell["bmm1_scale"], 24.0 ** -0.5)

    def test_what_cannot_run_is_said(self):
        for cells, said in (
                ({"part": "layer"}, "a layer of latent attention: its products are rows of their"),
                ({"cached": "512"}, "a prompt behind tokens that the cache holds"),
                ({"kv_precision": "fp8"}, "latent attention over a cache in fp8")):
            with self.assertRaisesRegex(card_of.Skipped, said):
                measure_kernels.fill(Card(), latent_row("latent_decode", **cells))


def fake_flashinfer():
    seen = {}

    class Wrapper:
        key = "prefill"

        def __init__(self, room, *layout):
            seen[self.key] = {}

        def plan(self, *arguments, **more):
            seen[self.key]["plan"] = arguments

        def run(self, *tensors):
            seen[self.key]["run"] = [tensor.shape for tensor in tensors]

    decode = type("Decode", (Wrapper,), {"key": "decode"})
    flashinfer = types.ModuleType("flashinfer")
    flashinfer.__version__ = "0.6.18"
    flashinfer.prefill = types.SimpleNamespace(BatchPrefillWithRaggedKVCacheWrapper=Wrapper)
    flashinfer.mla = types.SimpleNamespace(BatchMLAPagedAttentionWrapper=decode)
    flashinfer.decode = types.SimpleNamespace(
        trtllm_batch_decode_with_kv_cache_mla=lambda **more: seen.update(blackwell=more))
    return flashinfer, seen


class Pool:
    """A pool of numbers of two bytes, of which only the size matters."""

    def __init__(self, count):
        self.count = count

    def numel(self):
        return self.count

    def element_size(self):
        return 2

    def __getitem__(self, part):
        return Pool(len(range(*part.indices(self.count))))

    def copy_(self, other):
        assert self.count == other.count


class Room(unittest.TestCase):
    def test_a_pool_grows_where_there_is_memory(self):
        card = object.__new__(card_of.Card)
        card.torch = types.SimpleNamespace(
            cuda=types.SimpleNamespace(mem_get_info=lambda: (1000, 2000)),
            empty=lambda size, dtype, device: Pool(size))
        card.pools, card.at = {"narrow": Pool(90)}, {"narrow": 64}
        card.make_room("narrow", 80)
        self.assertEqual((card.pools["narrow"].count, card.at["narrow"]), (90, 64))
        card.make_room("narrow", 200)
        self.assertEqual((card.pools["narrow"].count, card.at["narrow"]), (200, 0))
        card.make_room("narrow", 251)  # more than half of what is free
        self.assertEqual(card.pools["narrow"].count, 200)


class Choice(unittest.TestCase):
    def test_rows_are_chosen_by_kernel(self):
        rows = [{"op": "experts"}, {"op": "matmul"}, {"op": "all_reduce"}]
        self.assertEqual(measure_kernels.chosen(rows, ""), rows)
        self.assertEqual(measure_kernels.chosen(rows, "experts,pointwise"), rows[:1])

    def test_kernels_that_are_not_known_are_said(self):
        with self.assertRaises(SystemExit) as said:
            measure_kernels.chosen([], "experts,moe")
        self.assertEqual(said.exception.code, "--only: 'moe' is none of matmul, attention_prefill, "
                                              "attention_decode, pointwise, experts, "
                                              "latent_prefill, latent_decode")

    def test_help_fits_a_terminal(self):
        said = io.StringIO()
        with mock.patch.dict("os.environ", {"COLUMNS": "80"}), contextlib.redirect_stdout(said), \
                mock.patch.object(sys, "argv", ["measure_kernels.py", "--help"]):
            self.assertRaises(SystemExit, measure_kernels.main)
        text = said.getvalue()
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        for word in ("--only KINDS", "--plain", "vLLM or FlashInfer is installed"):
            self.assertIn(word, " ".join(text.split()))


if __name__ == "__main__":
    unittest.main()
