"""What a launch takes: eager, in graphs, and on the host."""
import statistics
import time

import torch

from bench import capture
from device_kernels import empty_kernel
from tables import Table

CHAIN = 1000


def host_seconds(call):
    """Of a call on the host: to launch it, and until the device has run it, in a chain."""
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(CHAIN):
        call()
    launched = time.perf_counter() - began
    torch.cuda.synchronize()
    return launched / CHAIN, (time.perf_counter() - began) / CHAIN


def eager_chain(call):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin.record()
    for _ in range(CHAIN):
        call()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1e-3 / CHAIN


def median(run, times=7):
    run()
    return statistics.median(run() for _ in range(times))


def waited(call):
    """Seconds on the clock of the host."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def small_gemm(rows, weights):
    """Each product is of the last, so that none can begin before."""
    state, turn = [rows], list(weights)

    def step():
        state[0] = torch.mm(state[0], turn[0].t())
        turn.append(turn.pop(0))

    return step


def small_calls(card):
    one = torch.zeros(1, device="cuda")
    many = torch.zeros(132 * 2048, device="cuda")
    # 0.0442 is one over the root of 512: products of products keep their size.
    weights = [card.wide.take(512, 512) * 0.0442 for _ in range(8)]
    calls = {"elementwise, one value": lambda: one.add_(1),
             "elementwise, 132 x 2048 values": lambda: many.add_(1)}
    for m in (1, 64):
        calls[f"GEMM m={m} k=512 n=512 bf16, each from the last"] = small_gemm(
            card.wide.take(m, 512) * 1.0, weights)
    calls["empty kernel (Triton)"] = lambda: empty_kernel[(1,)](one)
    return calls


def measure_call(card, note, what, call):
    once = card.bench.once
    call()
    torch.cuda.synchronize()
    note(f"eager chain of {CHAIN}: {what}",
         statistics.median(eager_chain(call) for _ in range(3 if card.quick else 7)),
         "events around the chain, over 1000")
    note(f"eager host time a launch: {what}",
         statistics.median(host_seconds(call)[0] for _ in range(5)))
    graph = capture([call], CHAIN)
    note(f"graph of {CHAIN}: {what}", median(lambda: once(graph.replay)) / CHAIN,
         "device time a kernel, launch gap included")
    note(f"one kernel between events: {what}", median(lambda: once(call), 30))
    single = capture([call], 1)
    note(f"graph of one, host time a replay: {what}", host_seconds(single.replay)[0])
    note(f"graph of one, replayed back to back: {what}", host_seconds(single.replay)[1],
         "host clock, over 1000")
    note(f"graph of one between events: {what}", median(lambda: once(single.replay), 30))


def measure(card, until):
    table = Table(card.folder, "launch.csv", "what,time_s,note")

    def note(what, seconds, words=""):
        table.add(what=what, time_s=seconds, note=words)

    calls = small_calls(card)
    jobs = [(what, lambda what=what: measure_call(card, note, what, calls[what]))
            for what in calls]
    card.run_all("launch", jobs, until)
    one = torch.zeros(1, device="cuda")

    def synchronised():
        one.add_(1)
        torch.cuda.synchronize()

    note("two events, nothing between", median(lambda: card.bench.once(lambda: None), 30))
    note("launch and synchronise, host clock", median(lambda: waited(synchronised), 100))
    note("item() of one value, host clock", median(lambda: waited(one.item), 100))
