"""Operands and timing of kernels on the GPU that measure_kernels.py runs on."""

import importlib
import math
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


def first_line(error):
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0][:120]}"


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

    def __init__(self, torch, plain=False):
        self.torch, self.plain = torch, plain
        self.told = set()
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

    def make_room(self, kind, size):
        """A larger pool where all experts of a layer need it and half of what is free has it."""
        pool = self.pools[kind]
        free, _ = self.torch.cuda.mem_get_info()
        if size <= pool.numel() or size * pool.element_size() > free / 2:
            return  # `take` says what it is short of
        wider = self.torch.empty(size, dtype=kind, device="cuda")
        for at in range(0, size, pool.numel()):
            part = wider[at:at + pool.numel()]
            part.copy_(pool[:part.numel()])
        self.pools[kind], self.at[kind] = wider, 0

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


BACKENDS = {"FLASH": "FlashAttention 2", "CUDNN": "cuDNN", "EFFICIENT": "CUTLASS attention"}


def fastest(card, calls, backends):
    """Of the backends of scaled_dot_product_attention those that run it, and the best of them."""
    torch = card.torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    found, why = [], ""
    for backend in backends:
        try:
            with sdpa_kernel([getattr(SDPBackend, f"{backend}_ATTENTION")]):
                found.append((card.seconds(calls),
                              f"{BACKENDS[backend]}, PyTorch {torch.__version__}"))
        except Skipped:
            raise
        except Exception as error:  # of this backend: another one may do
            why = first_line(error)
            torch.cuda.synchronize()
    if not found:
        raise Skipped(f"no backend of attention runs it: {why}")
    return min(found)


def preferred(card, name, run):
    """What a library that is installed runs: seconds and what that is called. None where it is
    not there, not wanted, or fails, which is told once."""
    if card.plain:
        return None
    try:
        library = importlib.import_module(name)
    except ImportError:
        return None
    try:
        return run(library)
    except Skipped:
        raise
    except Exception as error:
        said = f"{name} fails, and PyTorch's kernels are timed: {first_line(error)}"
        if said not in card.told:
            print(said, file=sys.stderr)
        card.told.add(said)
        card.torch.cuda.synchronize()
        return None
