"""The clock and the rate of a load in its first half second, millisecond by millisecond."""
import statistics
import time

import torch

from attention import BACKENDS, decode_bytes, decode_calls, prefill_calls, prefill_flops, under
from bench import capture
from clock_and_power import intervals, new_stamps, read_stamps, stamp
from gemm import flops, gemm_calls
from tables import Table

PERIOD = 1e-3  # seconds between two stamps, or one call if that is longer


def captured(call, inner, stamps):
    """A graph that stamps the clock, then again after every so many calls."""
    steps = [lambda: stamp(stamps[0])]
    for one in stamps[1:]:
        steps += [call] * inner + [lambda one=one: stamp(one)]
    return capture(steps, len(steps))


def trace(card, table, name, call, work, unit):
    call()
    torch.cuda.synchronize()
    each = min(card.bench.once(call) for _ in range(2))
    inner = max(1, round(PERIOD / each))
    span = 0.05 if card.quick else 0.5
    count = max(10, min(500, int(span / (inner * each))))
    stamps = new_stamps(count + 1)
    graph = captured(call, inner, stamps)
    time.sleep(0.2 if card.quick else 1.0)
    card.sampler.label = f"trace-{name}"
    graph.replay()
    torch.cuda.synchronize()
    card.sampler.label = "between"
    graph.reset()
    rows = read_stamps(stamps)
    zero = min(ns for _, _, ns in rows[0].values())
    for first, last in zip(rows, rows[1:]):
        found = intervals(first, last)
        if found:
            span_ns, mhz, at_ns = (statistics.median(values) for values in zip(*found))
            table.add(run=name, t_s=(at_ns - zero) * 1e-9, clock_mhz=mhz,
                      rate=inner * work / (span_ns * 1e-9), unit=unit)


def measure(card, until):
    zeros = torch.zeros(8192, 8192, dtype=torch.bfloat16, device="cuda")
    cudnn = BACKENDS["cuDNN"]
    decode, prefill = (64, 8192, 64, 8, 128), (4, 4096, 32, 8, 128)

    def product(m, k, n, precision="bf16"):
        return lambda: gemm_calls(card, m, k, n, precision, sets=1)[0]

    loads = [
        ("bf16-8192", product(8192, 8192, 8192), flops(8192, 8192, 8192), "FLOP/s"),
        ("bf16-2048", product(2048, 2048, 2048), flops(2048, 2048, 2048), "FLOP/s"),
        ("fp8-8192", product(8192, 8192, 8192, "fp8"), flops(8192, 8192, 8192), "FLOP/s"),
        ("zeros-8192", lambda: lambda: torch.mm(zeros, zeros.t()), flops(8192, 8192, 8192),
         "FLOP/s"),
        ("gemm-m64", product(64, 8192, 57344), 2.0 * 8192 * 57344, "B/s"),
        ("decode-attention", lambda: under(cudnn, decode_calls(card, *decode, sets=1)[0]),
         decode_bytes(*decode), "B/s"),
        ("prefill", lambda: under(cudnn, prefill_calls(card, *prefill, sets=1)[0]),
         prefill_flops(*prefill), "FLOP/s"),
    ]
    table = Table(card.folder, "clock-trace.csv", "run,t_s,clock_mhz,rate,unit")
    jobs = [(name, lambda name=name, make=make, work=work, unit=unit: trace(
        card, table, name, make(), work, unit)) for name, make, work, unit in loads]
    card.run_all("clock trace", jobs, until)
