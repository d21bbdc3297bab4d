"""How one kernel is timed: bursts of a CUDA graph that goes round many sets of operands."""
import math
import statistics
import time

import torch

from clock_and_power import Clock

L2_FLUSH = 200e6  # bytes of all sets of operands: four times L2, so that they come from DRAM
MOST_LAUNCHES = 500
GRAPH = 1.2e-3  # seconds that a graph lasts at least
BURST = 3e-3  # seconds of a burst: short enough for the card to stay cool
CYCLES = 2e9  # a second of torch.cuda._sleep, or a little more


class Pool:
    """A large tensor of random values; operands are views of it, one behind the other."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.at = 0

    def take(self, *shape):
        size = math.prod(shape)
        if self.at + size > self.tensor.numel():
            self.at = 0
        view = self.tensor[self.at:self.at + size].view(*shape)
        self.at += (size + 1023) // 1024 * 1024
        return view


def sets_for(set_bytes, most=512):
    return max(1, min(most, math.ceil(L2_FLUSH / set_bytes)))


def capture(calls, launches, keep=False):
    """A graph of so many launches; with `keep`, each has an output of its own."""
    graph = torch.cuda.CUDAGraph()
    kept = []
    # Of this thread only, since the sampler calls the driver meanwhile.
    graph.capture_begin(capture_error_mode="thread_local")
    try:
        for i in range(launches):
            out = calls[i % len(calls)]()
            if keep:
                kept.append(out)
    except BaseException:
        # Else the stream stays in capture, and every later case fails as well.
        try:
            graph.capture_end()
        except RuntimeError:
            pass
        raise
    graph.capture_end()
    return graph


class Bench:
    def __init__(self, quick):
        self.clock = Clock()
        self.bursts = 2 if quick else 5
        self.events = [torch.cuda.Event(enable_timing=True) for _ in range(12)]
        self.done = 0

    def once(self, run):
        """Seconds of one run between two events."""
        begin, end = self.events[:2]
        torch.cuda._sleep(1_000_000)  # half a millisecond, so that the host is ahead
        begin.record()
        run()
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end) * 1e-3

    def __call__(self, calls, keep=False):
        """Seconds of one call, and what is known beside it."""
        self.done += 1
        if self.done % 20 == 0 or torch.cuda.memory_reserved() > 65e9:
            torch.cuda.empty_cache()
        for call in calls[:2]:
            call()
        torch.cuda.synchronize()
        graph, launches, whole = self.graph_of(calls, keep)
        times, clocks = self.replays(graph, whole)
        graph.reset()
        times = sorted(seconds / launches for seconds in times)
        return {"time_s": statistics.median(times), "least_s": times[0],
                "p90_s": times[min(len(times) - 1, int(0.9 * len(times)))],
                "samples": len(times), "launches": launches, "sets": len(calls),
                "clock_mhz": round(statistics.median(clocks)) if clocks else ""}

    def graph_of(self, calls, keep):
        """A graph that lasts long enough, its launches and its seconds."""
        seconds = min(self.once(calls[0]), self.once(calls[-1]))
        launches = max(1, min(MOST_LAUNCHES, math.ceil(GRAPH / seconds)))
        if launches < len(calls) and seconds * len(calls) < 4e-3:
            launches = len(calls)
        while True:
            graph = capture(calls, launches, keep)
            graph.replay()
            torch.cuda.synchronize()
            whole = self.once(graph.replay)
            # A single launch is slower than one of many, so that the first guess may be low.
            if whole >= GRAPH / 2 or launches >= MOST_LAUNCHES:
                return graph, launches, whole
            launches = min(MOST_LAUNCHES, math.ceil(launches * GRAPH / whole))

    def replays(self, graph, whole):
        """Seconds of every replay, and the clock in MHz of every burst."""
        began = time.perf_counter()
        graph.replay()
        ahead = int(CYCLES * (1.5 * (time.perf_counter() - began) + 1e-4))
        torch.cuda.synchronize()
        count = max(1, min(8, int(BURST / whole)))
        pause = min(0.05, max(0.008, 3 * count * whole))
        times, clocks = [], []
        for _ in range(self.bursts):
            time.sleep(pause)
            torch.cuda._sleep(ahead)  # until the host has launched the first replay
            self.clock.mark(0)
            self.events[0].record()
            for i in range(count):
                graph.replay()
                self.events[i + 1].record()
            self.clock.mark(1)
            torch.cuda.synchronize()
            times += [self.events[i].elapsed_time(self.events[i + 1]) * 1e-3 for i in range(count)]
            mhz = self.clock.mhz()
            if mhz:
                clocks.append(mhz)
        return times, clocks
