"""Runs of seconds under one load: power, clock and the rate that the card settles at."""
import time

import torch

from attention import BACKENDS, decode_bytes, decode_calls, prefill_calls, prefill_flops, under
from bench import capture
from device_kernels import multiplier, poller, read_bytes, reader
from gemm import flops, gemm_calls
from pointwise import READ_ROUND, READERS, stream_bytes, stream_calls
from tables import Table, log, since_start

COLUMNS = ("run,what,run_number,seconds,power_w,power_nvml_w,sm_clock_hz,sm_clock_nvml_hz,"
           "memory_clock_hz,rate,unit,energy_per_unit_j,energy_per_unit_above_idle_j,cool_rate,"
           "first_rate,settled_over_cool,temperature_c,temperature_start_c,reasons")
SETTLING = 0.35  # of a run: power, clock and rate are those of what comes after
COOL = 0.045  # seconds in which the card has not heeded its limit yet
REPLAY = 0.02  # seconds of a graph
IDLE_BEFORE = 0.7  # seconds, so that the last load is forgotten
QUICK_SECONDS = 0.8

FLOP, BYTE, KERNEL = "FLOP/s", "B/s", "kernel/s"
NOTHING = "nothing; the process holds the device"
SHORT = 3  # seconds of the runs at several strengths
LONG_DECODE = (64, 8192, 64, 8, 128)  # batch, context, heads, key and value heads, head dimension
SHORT_DECODE = (16, 8192, 64, 8, 128)
PLAIN_DECODE = (16, 8192, 32, 32, 128)
PREFILL = (1, 32768, 64, 8, 128)
DRAM_ROUNDS = 2**33 // (READERS * READ_ROUND)  # 8 GiB once, or nearly
L2_ROUNDS = 200 * 2**24 // (READERS * READ_ROUND)  # 16 MiB 200 times


class PowerRuns:
    def __init__(self, card):
        self.card = card
        self.table = Table(card.folder, "power.csv", COLUMNS)
        self.rates = Table(card.folder, "power-rates.csv", "run,t_s,rate")
        self.idle_w = None

    def measure(self, loads):
        """`loads`: (run, what, seconds, function that makes calls or None, work, unit)."""
        for run, what, seconds, make, work, unit in loads:
            if self.card.quick:
                seconds = min(seconds, QUICK_SECONDS)
            left = self.card.seconds - since_start() - 2
            if left < min(seconds, 1.0):
                log("no time for", run)
                continue
            seconds = min(seconds, left)
            try:
                self.measure_one(run, what, seconds, make, work, unit)
            except Exception as error:
                self.card.failed(run, error)
            self.card.sampler.label = "between"
            torch.cuda.empty_cache()

    def measure_one(self, run, what, seconds, make, work, unit):
        sampler = self.card.sampler
        if make is None:
            begin = since_start()
            sampler.label = run
            time.sleep(seconds)
            end, found = since_start(), {}
        else:
            begin, end, found = self.load(run, seconds, make(), work)
        sampler.label = "between"
        settled = sampler.window(begin + SETTLING * (end - begin), end)
        start = sampler.window(begin - 1, begin + 0.3)
        watts = settled["counter_w"] or settled["power_w"]
        if run == "idle":
            self.idle_w = watts
        if found and watts:
            found["energy_per_unit_j"] = watts / found["rate"]
            if self.idle_w:
                found["energy_per_unit_above_idle_j"] = (watts - self.idle_w) / found["rate"]
        log(run, f"{watts or 0:.1f} W", *(f"{found[name]:.4g}" for name in ("rate", "cool_rate")
                                          if name in found), unit)
        self.table.add(
            run=run, what=what, run_number=self.card.number, seconds=seconds, unit=unit,
            power_w=watts, power_nvml_w=settled["power_w"],
            sm_clock_nvml_hz=(settled["sm_mhz"] or 0) * 1e6,
            memory_clock_hz=(settled["memory_mhz"] or 0) * 1e6,
            temperature_c=settled["temperature_c"], temperature_start_c=start["temperature_c"],
            reasons=settled["reasons"], **found)

    def load(self, run, seconds, calls, work):
        """Replays a graph of the calls for so long; begin, end, and the rates of work."""
        bench = self.card.bench
        for call in calls[:2]:
            call()
        torch.cuda.synchronize()
        each = min(bench.once(calls[0]), bench.once(calls[-1]))
        launches = max(1, min(2000, round(REPLAY / each)))
        if launches > len(calls):
            launches = launches // len(calls) * len(calls)
        graph = capture(calls, launches)
        time.sleep(0.1 if self.card.quick else IDLE_BEFORE)
        begin = since_start()
        self.card.sampler.label = run
        marks, stamped = self.replay(graph, begin, seconds)
        end = since_start()
        mhz = bench.clock.mhz() if stamped else None
        graph.reset()
        at = [marks[0].elapsed_time(mark) * 1e-3 for mark in marks]
        found = self.rates_of(run, at, launches * work)
        found["sm_clock_hz"] = mhz * 1e6 if mhz else ""
        return begin, end, found

    def replay(self, graph, begin, seconds):
        """An event after every replay, and whether the clock was stamped once settled."""
        clock = self.card.bench.clock
        marks = [torch.cuda.Event(enable_timing=True)]
        marks[0].record()
        stamped = False
        while since_start() - begin < seconds:
            if not stamped and since_start() - begin > SETTLING * seconds:
                stamped = True
                clock.mark(0)
            graph.replay()
            marks.append(torch.cuda.Event(enable_timing=True))
            marks[-1].record()
            # A few replays ahead of the device, or the run would end late.
            if len(marks) > 4:
                marks[-4].synchronize()
        clock.mark(1)
        torch.cuda.synchronize()
        return marks, stamped

    def rates_of(self, run, at, work):
        """Work a second: settled, in the first replays while cool, and in the very first."""
        rates = [work / (end - begin) for begin, end in zip(at, at[1:])]
        for t, rate in zip(at[1:], rates):
            self.rates.add(run=run, t_s=t, rate=rate)
        late = next((i for i, t in enumerate(at) if t > SETTLING * at[-1]), 1)
        late = min(late, len(at) - 2)
        settled = work * (len(at) - 1 - late) / (at[-1] - at[late])
        cool = max([rate for t, rate in zip(at[1:], rates) if t < COOL][:3] or rates[:1])
        return {"rate": settled, "cool_rate": cool, "first_rate": rates[0],
                "settled_over_cool": settled / cool}


def idle(run, seconds):
    return run, NOTHING, seconds, None, 0, ""


def gemm(card, run, m, k, n, seconds, sets, precision="bf16", words=""):
    return (run, f"{precision} GEMM {m} x {k} x {n}{words}", seconds,
            lambda: gemm_calls(card, m, k, n, precision, sets), flops(m, k, n), FLOP)


def weights(card, run, m, seconds, precision="bf16"):
    """A GEMM of few rows, as decode has them: the rate is that of its weights."""
    size = 2 if precision == "bf16" else 1
    return (run, f"{precision} GEMM m={m} k=8192 n=57344, weights in turn: bytes of weights",
            seconds, lambda: gemm_calls(card, m, 8192, 57344, precision, sets=4),
            size * 8192.0 * 57344, BYTE)


def square(make):
    a, w = make(8192, 8192), make(8192, 8192)
    return [lambda: torch.mm(a, w.t())]


def zeros(rows, columns):
    return torch.zeros(rows, columns, dtype=torch.bfloat16, device="cuda")


def signs(rows, columns):
    return torch.randint(-1, 2, (rows, columns), device="cuda").to(torch.bfloat16)


def decode_under(card, backend, shape):
    return [under(BACKENDS[backend], call) for call in decode_calls(card, *shape, sets=4)]


def faster_decode(card):
    found = []
    for backend in BACKENDS:
        calls = decode_under(card, backend, LONG_DECODE)
        calls[0]()
        seconds = min(card.bench.once(calls[1]) for _ in range(3))
        log("decode", backend, f"{seconds:.4g} s")
        found.append((seconds, calls))
    return min(found, key=lambda one: one[0])[1]


def with_pauses(calls, cycles):
    """One thread spins for so many cycles after every call."""
    return [one for call in calls for one in (call, lambda: torch.cuda._sleep(cycles))]


def dram(card, programs, rounds):
    return [reader(card.wide.take(2**32), programs, rounds)]  # 8 GiB


def full(card):
    """Each load for long enough to settle."""
    square_flops = flops(8192, 8192, 8192)
    tiny = torch.zeros(1, device="cuda")
    return [
        idle("idle", 5),
        gemm(card, "bf16-8192", 8192, 8192, 8192, 15, 3, words=", random normal operands"),
        idle("idle-after-bf16", 4),
        ("copy", "copy of 4 GiB", 8, lambda: stream_calls(card, "copy", 2**32, 2),
         stream_bytes("copy", 2**32), BYTE),
        weights(card, "decode-gemm", 64, 8),
        ("decode-attention", "decode attention, batch 64, context 8192, heads 64/8, head_dim 128: "
         "bytes of cache", 8, lambda: faster_decode(card), decode_bytes(*LONG_DECODE), BYTE),
        idle("idle-after-decode", 3),
        gemm(card, "fp8-8192", 8192, 8192, 8192, 10, 3, "fp8", ", fast accumulation"),
        gemm(card, "bf16-2048", 2048, 2048, 2048, 8, 8),
        ("prefill", "attention prefill (cuDNN), batch 1, 32768 tokens, heads 64/8, head_dim 128, "
         "causal", 8, lambda: [under(BACKENDS["cuDNN"], call)
                               for call in prefill_calls(card, *PREFILL, sets=2)],
         prefill_flops(*PREFILL), FLOP),
        ("one-warp", "one warp of dependent fp32 FMA on each multiprocessor", 4,
         lambda: [multiplier(1, 132, 32, 2000)], 2.0 * 132 * 32 * 2000 * 16, FLOP),
        ("fp32-fma", "fp32 FMA on all lanes", 6, lambda: [multiplier(4, 132 * 16, 1024, 600)],
         2.0 * 132 * 16 * 1024 * 600 * 16, FLOP),
        ("read-dram", "reading 8 GiB", 5, lambda: dram(card, READERS, DRAM_ROUNDS),
         read_bytes(READERS, DRAM_ROUNDS), BYTE),
        ("read-l2", "reading 16 MiB again and again, past L1", 5,
         lambda: [reader(card.wide.take(2**23), READERS, L2_ROUNDS)],
         read_bytes(READERS, L2_ROUNDS), BYTE),
        ("tiny", "graph of tiny kernels, one value each: launches", 4,
         lambda: [lambda: tiny.add_(1)], 1.0, KERNEL),
        ("bf16-8192-zeros", "bf16 GEMM 8192 x 8192 x 8192, zeros", 4, lambda: square(zeros),
         square_flops, FLOP),
        ("bf16-8192-small", "bf16 GEMM 8192 x 8192 x 8192, integers of -1 to 1", 4,
         lambda: square(signs), square_flops, FLOP),
        idle("idle-last", 3),
    ]


def parts_of_time(card):
    """A GEMM for a part of the time, with pauses in between."""
    found = []
    for precision, cycles, words in (("bf16", 8_400_000, "a quarter"), ("bf16", 2_800_000, "half"),
                                     ("bf16", 1_200_000, "two thirds"),
                                     ("fp8", 2_800_000, "a third")):
        def make(precision=precision, cycles=cycles):
            return with_pauses(gemm_calls(card, 8192, 8192, 8192, precision, sets=3), cycles)

        what = f"{precision} GEMM 8192 x 8192 x 8192, {words} of the time, one thread in between"
        # Every other call is a pause: half of the work for each.
        found.append((f"{precision}-8192-part-{cycles}", what, SHORT, make,
                      flops(8192, 8192, 8192) / 2, FLOP))
    return found


def decode_attention(card, run, backend, shape):
    batch, context, heads, kv_heads, _ = shape
    return (run, f"decode attention, {backend}, batch {batch}, context {context}, "
            f"heads {heads}/{kv_heads}", SHORT, lambda: decode_under(card, backend, shape),
            decode_bytes(*shape), BYTE)


def stream(card, run, op, what):
    return (run, what, SHORT, lambda: stream_calls(card, op, 2**30, 4), stream_bytes(op, 2**30),
            BYTE)


def polling(programs):
    return (f"poll-{programs}", f"{programs} blocks of 16 warps that poll one flag", SHORT,
            lambda: [poller(programs)], 1.0, KERNEL)


def of_several_strengths(card):
    """What a byte, a FLOP and a busy multiprocessor take beside what idling does."""
    reading = [(f"read-dram-{programs}", f"reading 8 GiB by {programs} programs of four warps",
                SHORT, lambda programs=programs: dram(card, programs, 1024),
                read_bytes(programs, 1024), BYTE) for programs in (16, 33, 66, 132, 264)]
    return [
        idle("idle", SHORT), *reading, *parts_of_time(card),
        *(weights(card, f"gemm-m{m}", m, SHORT) for m in (1, 16, 128, 256, 512)),
        weights(card, "fp8-gemm-m64", 64, SHORT, "fp8"),
        ("gemm-m1-part", "bf16 GEMM m=1 k=8192 n=8192, about half of the time: bytes of weights",
         SHORT, lambda: with_pauses(gemm_calls(card, 1, 8192, 8192, "bf16", sets=8), 90_000),
         8192.0 * 8192, BYTE),
        decode_attention(card, "decode-FlashAttention", "FlashAttention 2", SHORT_DECODE),
        decode_attention(card, "decode-cuDNN", "cuDNN", SHORT_DECODE),
        decode_attention(card, "decode-cuDNN-alone", "cuDNN", PLAIN_DECODE),
        stream(card, "swiglu", "swiglu", "SwiGLU of 1 GiB"),
        stream(card, "copy-triton", "copy (Triton)", "copy of 1 GiB (Triton)"),
        stream(card, "rms_norm", "rms_norm", "RMS norm of 1 GiB"),
        polling(24), polling(132),
        gemm(card, "bf16-4096", 4096, 4096, 4096, SHORT, 4),
        gemm(card, "fp8-2048", 2048, 2048, 2048, SHORT, 16, "fp8"),
    ]


def measure(card, _):
    runs = PowerRuns(card)
    runs.measure(full(card))
    runs.measure(of_several_strengths(card))
