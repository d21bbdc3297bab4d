"""Times of what a part runs, as rows of measurements.csv: eager, as CUDA graph, training steps."""
import csv
import gc
import os
import statistics
import time
import traceback

# Before PyTorch starts.
os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
os.environ.setdefault("PYTORCH_ALLOC_CONF", "expandable_segments:True")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
START = time.perf_counter()
import torch

COLUMNS = ("part,model,impl,mode,phase,batch,images,clips,image_height,image_width,vision_tokens,"
           "text_tokens,sequence,checkpointing,trained,dtype,params,trained_params,time_s,least_s,"
           "most_s,repetitions,host_s,sm_clock_mhz,peak_bytes,before_bytes,reserved_bytes,"
           "param_bytes,grad_bytes,states_bytes,kernels,kernel_s,note").split(",")
QUICK_LAYERS = 2


def now():
    return time.perf_counter() - START


def log(*words):
    print(f"[{now():6.1f}]", *words, flush=True)


class Clock:
    def __init__(self):
        self.ok = False
        try:
            from stamp import stamp_kernel
            self.kernel = stamp_kernel
            self.stamps = torch.zeros(2, 264 * 3, dtype=torch.int64, device="cuda")
            self.mark(0)
            torch.cuda.synchronize()
            self.ok = True
        except Exception:
            traceback.print_exc()

    def mark(self, which):
        if self.ok or which == 0 and hasattr(self, "stamps"):
            self.kernel[(264,)](self.stamps[which], num_warps=1)

    def mhz(self):
        if not self.ok:
            return None
        a, b = ({r[0]: r for r in rows} for rows in self.stamps.cpu().view(2, 264, 3).tolist())
        found = [(b[sm][1] - r[1]) / (b[sm][2] - r[2]) * 1e3 for sm, r in a.items()
                 if sm in b and b[sm][2] > r[2]]
        found = [f for f in found if 100 < f < 2500]
        return statistics.median(found) if found else None


class Work:
    def __init__(self, options):
        self.quick, self.seconds, self.folder = options.quick, options.seconds, options.folder
        self.until = options.seconds
        self.base = {}
        self.failures = []
        self.out = open(os.path.join(options.folder, "measurements.csv"), "a", newline="",
                        encoding="utf-8")
        self.table = csv.DictWriter(self.out, COLUMNS)
        if self.out.tell() == 0:
            self.table.writeheader()
        self.clock = Clock()
        self.span = 0.05 if self.quick else 0.3

    def cut(self, layers):
        return min(layers, QUICK_LAYERS) if self.quick else layers

    def few(self, values):
        return values[:1] if self.quick else values

    def row(self, **what):
        line = self.base | what
        for name in ("time_s", "least_s", "most_s", "host_s", "kernel_s"):
            if isinstance(line.get(name), float):
                line[name] = f"{line[name]:.6g}"
        self.table.writerow(line)
        self.out.flush()

    def item(self, label, job, need=2.0):
        """One job; a failure or a lack of time costs nothing but the job."""
        if now() + need > self.until:
            log("SKIPPED", label)
            return False
        began = now()
        failed = None
        try:
            job()
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            failed = f"{type(error).__name__}: {str(error)[:300]}"
            if not isinstance(error, torch.cuda.OutOfMemoryError):
                lines = traceback.format_exc().splitlines()
                print("\n".join(lines[-14:]), flush=True)
        if failed:
            log("FAILED", label, failed.splitlines()[0][:200])
            self.failures.append(label)
            torch.cuda.set_stream(torch.cuda.default_stream())
            if "OutOfMemory" in failed:
                self.row(phase=label, note="out of memory")
            clean()
        else:
            log("ok", label, f"{now() - began:.1f} s")
        return failed is None

    def bench(self, run, back_to_back=False, warm=2, most=20, span=None):
        """Median seconds of `run` and what is known beside it."""
        span = span or self.span
        clean_peak()
        before = torch.cuda.memory_allocated()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        seconds = 1.0
        for i in range(warm if not self.quick else 1):
            torch.cuda.synchronize()
            t0 = time.perf_counter()
            run()
            torch.cuda.synchronize()
            seconds = time.perf_counter() - t0
            if seconds > 0.5 and i == 0 and warm > 1:
                # Once more, shorter than the first only where that held compilation.
                continue
        reps = max(1 if self.quick else 3, min(most, int(span / seconds)))
        times, hosts, clocks = [], [], []
        if back_to_back:
            bursts = 1 if self.quick else 4
            each = max(1, reps // bursts)
            events = [torch.cuda.Event(enable_timing=True) for _ in range(each + 1)]
            for _ in range(bursts):
                time.sleep(min(0.04, max(0.008, each * seconds)))
                torch.cuda._sleep(400_000)
                self.clock.mark(0)
                events[0].record()
                for i in range(each):
                    run()
                    events[i + 1].record()
                self.clock.mark(1)
                torch.cuda.synchronize()
                times += [a.elapsed_time(b) * 1e-3 for a, b in zip(events, events[1:])]
                clocks.append(self.clock.mhz())
        else:
            self.clock.mark(0)
            for _ in range(reps):
                torch.cuda.synchronize()
                t0 = time.perf_counter()
                begin.record()
                run()
                end.record()
                hosts.append(time.perf_counter() - t0)
                torch.cuda.synchronize()
                times.append(begin.elapsed_time(end) * 1e-3)
            self.clock.mark(1)
            torch.cuda.synchronize()
            clocks.append(self.clock.mhz())
        clocks = [c for c in clocks if c]
        return {"time_s": statistics.median(times), "least_s": min(times), "most_s": max(times),
                "repetitions": len(times), "host_s": statistics.median(hosts) if hosts else "",
                "sm_clock_mhz": round(statistics.median(clocks)) if clocks else "",
                "peak_bytes": torch.cuda.max_memory_allocated(), "before_bytes": before,
                "reserved_bytes": torch.cuda.max_memory_reserved()}

    def graph(self, run, **what):
        """Time of `run` as replays of a CUDA graph."""
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            run()
        torch.cuda.current_stream().wait_stream(side)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = run()
        got = self.bench(graph.replay, back_to_back=True, most=40)
        got["peak_bytes"] = got["reserved_bytes"] = ""
        self.row(mode="CUDA graph", **what, **got)
        graph.reset()
        del out, graph

    def eager(self, run, **what):
        self.row(**({"mode": "eager"} | what), **self.bench(run))

    def kernels(self, run, **what):
        """How many kernels one run launches and how long the device is busy with them."""
        from torch.profiler import ProfilerActivity, profile
        run()
        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CUDA]) as prof:
            run()
            torch.cuda.synchronize()
        events = [e for e in prof.events() if "cuda" in str(e.device_type).lower()]
        spent = sum(e.time_range.elapsed_us() for e in events)
        self.row(mode="profile", kernels=len(events), kernel_s=spent * 1e-6, **what)
        names = {}
        for e in events:
            got = names.setdefault(e.name[:90], [0, 0.0])
            got[0] += 1
            got[1] += e.time_range.elapsed_us()
        with open(os.path.join(self.folder, "kernels.txt"), "a", encoding="utf-8") as out:
            print("==", self.base, what, len(events), f"{spent * 1e-6:.6f} s", file=out)
            for name, (count, us) in sorted(names.items(), key=lambda kv: -kv[1][1])[:25]:
                print(f"{us:10.1f} us {count:6d}  {name}", file=out)

    def train(self, forward, params, optimizer=None, micro=1, **what):
        """A step's parts: forward, backward, optimizer; row with states."""
        events = [torch.cuda.Event(enable_timing=True) for _ in range(2 * micro + 2)]

        def step():
            for i in range(micro):
                events[2 * i].record()
                loss = forward()
                events[2 * i + 1].record()
                loss.backward()
            events[2 * micro].record()
            if optimizer is not None:
                optimizer.step()
            for p in params:
                p.grad = None
            events[2 * micro + 1].record()

        for p in params:
            p.grad = None
        clean()
        clean_peak()
        step()
        torch.cuda.synchronize()
        t0 = time.perf_counter()
        step()
        torch.cuda.synchronize()
        seconds = time.perf_counter() - t0
        clean_peak()
        before = torch.cuda.memory_allocated()
        reps = 1 if self.quick else max(3, min(6, int(0.8 / seconds)))
        parts, hosts = [], []
        self.clock.mark(0)
        for _ in range(reps):
            torch.cuda.synchronize()
            t0 = time.perf_counter()
            step()
            hosts.append(time.perf_counter() - t0)
            torch.cuda.synchronize()
            ms = [a.elapsed_time(b) * 1e-3 for a, b in zip(events, events[1:])]
            parts.append((sum(ms), sum(ms[0:2 * micro:2]), sum(ms[1:2 * micro:2]), ms[2 * micro]))
        self.clock.mark(1)
        torch.cuda.synchronize()
        mhz = self.clock.mhz()
        states = 0
        if optimizer is not None:
            states = state_bytes(optimizer)
        grads = sum(p.numel() * p.element_size() for p in params)
        common = {"repetitions": reps, "sm_clock_mhz": round(mhz) if mhz else "",
                  "trained_params": sum(p.numel() for p in params)} | what
        for at, phase in enumerate(("step", "forward", "backward", "optimizer")):
            times = [p[at] for p in parts]
            extra = {}
            if at == 0:
                extra = {"peak_bytes": torch.cuda.max_memory_allocated(), "before_bytes": before,
                         "reserved_bytes": torch.cuda.max_memory_reserved(), "grad_bytes": grads,
                         "states_bytes": states, "host_s": statistics.median(hosts)}
            self.row(**({"mode": "eager", "phase": phase} | common), **extra,
                     time_s=statistics.median(times), least_s=min(times), most_s=max(times))


def state_bytes(optimizer):
    return sum(v.numel() * v.element_size() for s in optimizer.state.values()
               for v in s.values() if torch.is_tensor(v))


def clean():
    gc.collect()
    torch.cuda.empty_cache()


def clean_peak():
    torch.cuda.reset_peak_memory_stats()
