#!/usr/bin/env python3
"""Fills in the times of a list of kernels on the GPU that it runs on.

    scalesweep measure --device h200-sxm -o shapes.csv
    python3 measure_kernels.py shapes.csv -o measured.csv [--seconds 160]

Needs PyTorch with CUDA and nothing else. GEMMs by torch.mm and torch._scaled_mm (fp8: e4m3, one
scale a tensor, operands ready), attention by scaled_dot_product_attention, the faster of its
backends, without rotation or writing a cache; in decode the query heads of a group are rows of one
query. Pointwise kernels are sums of two tensors. Calls are captured into a CUDA graph, operands go
round as many sets as pass L2 four times, but for pointwise kernels that stay in half of it; a time
is the median over replays of the time between two events over the launches. Rows keep their order,
those that cannot be measured here keep an empty time_s, and standard error says why. Rows of
collectives are read from logs of nccl-tests by `scalesweep measure --read`.
"""

import argparse
import csv
import math
import random
import statistics
import subprocess
import sys
import threading
import time

GRAPH_S = 1.2e-3  # that a graph lasts at least
BURST_S = 3e-3  # of replays: short enough for the card to stay cool
BURSTS = 5
MOST_LAUNCHES = 400
POOL_ELEMENTS = 16_000_000_000  # at most; half of the free memory
SMI = ["nvidia-smi", "--query-gpu=power.draw,clocks.sm", "--format=csv,noheader,nounits", "-i", "0"]


class Skipped(Exception):
    """Why a row is not measured."""


def read_list(path):
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
        missing = {"case", "op", "precision", "time_s"} - set(reader.fieldnames or ())
    if missing:
        sys.exit(f"{path}: no columns {', '.join(sorted(missing))}; "
                 "'scalesweep measure --device NAME' writes such a list")
    return reader.fieldnames, rows


def write_list(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def whole(row, column):
    return int(float(row[column]))


class Power(threading.Thread):
    """Samples power and clock while kernels run, where there is nvidia-smi."""

    def __init__(self):
        super().__init__(daemon=True)
        self.samples = []
        self.ends = threading.Event()

    def run(self):
        while not self.ends.wait(0.5):
            try:
                done = subprocess.run(SMI, capture_output=True, text=True, timeout=10, check=True)
                self.samples.append([float(cell) for cell in done.stdout.split(",")])
            except (OSError, ValueError, subprocess.SubprocessError):
                return

    def summary(self):
        self.ends.set()
        if not self.samples:
            return "power and clock: not known, no nvidia-smi"
        watts, mhz = (statistics.median(column) for column in zip(*self.samples))
        return f"power and clock, medians of {len(self.samples)}: {watts:.0f} W, {mhz:.0f} MHz"


class Card:
    """Operands and timing on one GPU."""

    def __init__(self, torch):
        self.torch = torch
        properties = torch.cuda.get_device_properties(0)
        self.name = properties.name
        self.l2 = getattr(properties, "L2_cache_size", 50e6)
        free, _ = torch.cuda.mem_get_info()
        torch.manual_seed(1)
        torch.cuda.set_stream(torch.cuda.Stream())  # the default one takes no graphs
        count = int(min(POOL_ELEMENTS, free // 4))
        self.pools = {torch.bfloat16: torch.empty(count, dtype=torch.bfloat16, device="cuda")}
        for at in range(0, count, 1_000_000_000):
            self.pools[torch.bfloat16][at:at + 1_000_000_000].normal_()
        narrow = min(count, 2_000_000_000)
        self.pools[torch.float16] = self.pools[torch.bfloat16][:narrow].to(torch.float16)
        if hasattr(torch, "float8_e4m3fn"):
            wide = self.pools[torch.float16]
            self.pools[torch.float8_e4m3fn] = (wide * 80).clamp_(-448, 448).to(torch.float8_e4m3fn)
        self.at = {kind: 0 for kind in self.pools}
        self.one = torch.ones((), dtype=torch.float32, device="cuda")
        self.events = [torch.cuda.Event(enable_timing=True) for _ in range(12)]
        torch.cuda.synchronize()

    def take(self, kind, *shape):
        """A tensor of random values, another one than the last."""
        pool, size = self.pools[kind], math.prod(shape)
        if size > pool.numel():
            raise Skipped(f"operands of {size} elements; there is memory for {pool.numel()}")
        if self.at[kind] + size > pool.numel():
            self.at[kind] = 0
        start = self.at[kind]
        self.at[kind] += (size + 1023) // 1024 * 1024
        return pool[start:start + size].view(*shape)

    def sets(self, set_bytes):
        return max(1, min(256, math.ceil(4 * self.l2 / set_bytes)))

    def once(self, run):
        begin, end = self.events[:2]
        self.torch.cuda._sleep(1_000_000)  # so that the host is ahead
        begin.record()
        run()
        end.record()
        self.torch.cuda.synchronize()
        return begin.elapsed_time(end) * 1e-3

    def capture(self, calls, launches):
        graph = self.torch.cuda.CUDAGraph()
        graph.capture_begin()
        try:
            for i in range(launches):
                calls[i % len(calls)]()
        finally:
            graph.capture_end()
        return graph

    def seconds(self, calls):
        for call in calls[:2]:
            call()
        self.torch.cuda.synchronize()
        launches = max(1, math.ceil(GRAPH_S / min(self.once(calls[0]), self.once(calls[-1]))))
        launches = min(MOST_LAUNCHES, max(launches, min(len(calls), MOST_LAUNCHES // 4)))
        graph = self.capture(calls, launches)
        graph.replay()
        self.torch.cuda.synchronize()
        lasts = self.once(graph.replay)
        count = max(1, min(8, int(BURST_S / lasts)))
        times = []
        for _ in range(BURSTS):
            time.sleep(min(0.03, max(0.006, 2 * count * lasts)))
            self.torch.cuda._sleep(1_000_000)
            self.events[0].record()
            for i in range(count):
                graph.replay()
                self.events[i + 1].record()
            self.torch.cuda.synchronize()
            times += [self.events[i].elapsed_time(self.events[i + 1]) * 1e-3 for i in range(count)]
        graph.reset()
        return statistics.median(times) / launches


def wide_type(torch, row):
    kinds = {"bf16": torch.bfloat16, "fp16": torch.float16}
    if row["precision"] not in kinds:
        raise Skipped(f"{row['op']} in {row['precision']}")
    return kinds[row["precision"]]


def matmul(card, row):
    """Weights [n, k], as linear layers keep them."""
    torch = card.torch
    m, k, n = (whole(row, side) for side in "mkn")
    if row["precision"] == "fp8":
        kind = getattr(torch, "float8_e4m3fn", None)
        if kind is None or k % 16 or n % 16:
            raise Skipped("fp8 GEMMs take k and n of multiples of 16, and a PyTorch that has fp8")
    else:
        kind = wide_type(torch, row)
    size = 1 if row["precision"] == "fp8" else 2
    pairs = [(card.take(kind, m, k), card.take(kind, n, k))
             for _ in range(card.sets(size * (m * k + k * n)))]
    if size == 2:
        calls = [lambda a=a, w=w: torch.mm(a, w.t()) for a, w in pairs]
    else:
        calls = [lambda a=a, w=w: torch._scaled_mm(a, w.t(), scale_a=card.one, scale_b=card.one,
                                                   out_dtype=torch.bfloat16, use_fast_accum=True)
                 for a, w in pairs]
    return card.seconds(calls), f"cuBLAS of CUDA {torch.version.cuda}"


def attention(card, row):
    torch = card.torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    backends = {"FlashAttention 2": SDPBackend.FLASH_ATTENTION,
                "cuDNN": SDPBackend.CUDNN_ATTENTION}
    make = decode_calls if row["op"] == "attention_decode" else prefill_calls
    calls = make(card, row, wide_type(torch, row))
    found, why = [], ""
    for name, backend in backends.items():
        try:
            with sdpa_kernel([backend]):
                found.append((card.seconds(calls), f"{name}, PyTorch {torch.__version__}"))
        except Skipped:
            raise
        except Exception as error:  # of this backend: the other one may do
            why = str(error).splitlines()[0][:120]
            torch.cuda.synchronize()
    if not found:
        raise Skipped(f"no backend of attention runs it: {why}")
    return min(found)


def prefill_calls(card, row, kind):
    batch, seq, heads, kv_heads, dim = sizes(row)
    run = card.torch.nn.functional.scaled_dot_product_attention
    causal = row.get("causal", "true") != "false"
    calls = []
    for _ in range(min(64, card.sets(4 * batch * seq * dim * (heads + kv_heads)))):
        q, k, v = (card.take(kind, batch, seq, count, dim).transpose(1, 2)
                   for count in (heads, kv_heads, kv_heads))
        calls.append(lambda q=q, k=k, v=v: run(q, k, v, is_causal=causal,
                                               enable_gqa=heads != kv_heads))
    return calls


def decode_calls(card, row, kind):
    batch, seq, heads, kv_heads, dim = sizes(row)
    run = card.torch.nn.functional.scaled_dot_product_attention
    calls = []
    for _ in range(min(128, card.sets(4 * batch * seq * kv_heads * dim))):
        q = card.take(kind, batch, kv_heads, heads // kv_heads, dim)
        k, v = (card.take(kind, batch, kv_heads, seq, dim) for _ in range(2))
        calls.append(lambda q=q, k=k, v=v: run(q, k, v))
    return calls


def sizes(row):
    return [whole(row, c) for c in ("batch", "seq", "heads", "kv_heads", "head_dim")]


def pointwise(card, row):
    """Two tensors read, one written. What half of L2 holds stays there."""
    torch, moved = card.torch, float(row["bytes"])
    kind = wide_type(torch, row)
    count = max(1, int(moved / 6))
    sets = 1 if moved <= card.l2 / 2 else card.sets(moved)
    calls = []
    for _ in range(sets):
        a, b = card.take(kind, count), card.take(kind, count)
        out = torch.empty_like(a)
        calls.append(lambda a=a, b=b, out=out: torch.add(a, b, out=out))
    return card.seconds(calls), f"PyTorch {torch.__version__}"


MEASURES = {"matmul": matmul, "attention_prefill": attention, "attention_decode": attention,
            "pointwise": pointwise}


def fill(card, row):
    if row["op"] not in MEASURES:
        raise Skipped(f"{row['op']}: collectives need several GPUs and nccl-tests")
    seconds, library = MEASURES[row["op"]](card, row)
    row["time_s"], row["library"] = f"{seconds:.6g}", library
    row["source"] = f"PyTorch {card.torch.__version__}, one {card.name}"


def measure(card, rows, until):
    """In random order, so that a lack of time leaves no gap."""
    left, reasons = 0, {}
    for row in random.Random(7).sample(rows, len(rows)):
        if time.monotonic() > until:
            left += 1
            continue
        try:
            fill(card, row)
        except Skipped as reason:
            reasons.setdefault(str(reason), []).append(row["case"])
        except Exception as error:
            reasons.setdefault(f"{type(error).__name__}: {str(error)[:120]}", []).append(
                row["case"])
            card.torch.cuda.synchronize()  # raises where the device can do no more
    for reason, cases in reasons.items():
        print(f"not measured: {len(cases)} rows, as {cases[0]}: {reason}", file=sys.stderr)
    if left:
        print(f"not measured: {left} rows, time was up; --seconds gives more", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", help="the list, as 'scalesweep measure' writes it")
    parser.add_argument("-o", "--output", required=True, help="the list with times")
    parser.add_argument("--seconds", type=float, default=160.0, help="after which to stop")
    options = parser.parse_args()
    until = time.monotonic() + options.seconds
    columns, rows = read_list(options.cases)
    try:
        import torch
    except ImportError:
        sys.exit("measure_kernels.py needs PyTorch, and python3 here has none")
    if not torch.cuda.is_available():
        sys.exit("measure_kernels.py needs a GPU that PyTorch can use; there is none here")
    power = Power()
    card = Card(torch)
    power.start()
    print(f"{card.name}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}, "
          f"L2 {card.l2 / 1e6:.0f} MB", file=sys.stderr)
    try:
        measure(card, rows, until)
    finally:
        write_list(options.output, columns, rows)
    print(power.summary(), file=sys.stderr)
    print(f"{sum(1 for row in rows if row['time_s'])} of {len(rows)} rows measured: "
          f"{options.output}", file=sys.stderr)


if __name__ == "__main__":
    main()
