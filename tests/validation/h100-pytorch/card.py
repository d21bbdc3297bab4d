"""The card as every part of the measurement uses it: operands, timing, tables of kernels."""
from importlib import metadata

import torch

from bench import Bench, Pool
from clock_and_power import Sampler
from tables import Table, log, since_start

CASES = ("case,source,device,gpus,op,m,k,n,batch,seq,heads,kv_heads,head_dim,kv_precision,bytes,"
         "precision,library,operands,time_s")
VARIANTS = CASES.replace("time_s", "recipe,time_s")
DETAIL = ("op,variant,m,k,n,batch,seq,heads,kv_heads,head_dim,precision,time_s,least_s,p90_s,"
          "samples,launches,sets,clock_mhz,flops,bytes,flop_per_s,bytes_per_s,extra_bytes")


def version_of(package):
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "?"


class Card:
    def __init__(self, options):
        self.folder, self.quick = options.folder, options.quick
        self.seconds, self.number = options.seconds, options.number
        self.device, self.name = options.device, torch.cuda.get_device_name(0)
        cudnn = torch.backends.cudnn.version() or 0
        self.cudnn = f"{cudnn // 10000}.{cudnn % 10000 // 100}.{cudnn % 100}"
        self.cublas = version_of("nvidia-cublas")
        self.torch = torch.__version__.split("+")[0]
        self.failures = 0
        self.tables = {"cases": Table(self.folder, "kernels.csv", CASES),
                       "variants": Table(self.folder, "kernels-variants.csv", VARIANTS)}
        self.detail = Table(self.folder, "kernels-detail.csv", DETAIL)
        self.sampler = Sampler(self.folder)
        self.sampler.start()
        self.fill()
        self.bench = Bench(self.quick)
        log(f"ready; {torch.cuda.memory_allocated() / 1e9:.1f} GB")

    def fill(self):
        """Random normal operands, more than any set of them, so that none is used twice soon."""
        torch.manual_seed(1)
        # Graphs are not captured on the default stream.
        torch.cuda.set_stream(torch.cuda.Stream())
        wide = torch.empty(17_000_000_000, dtype=torch.bfloat16, device="cuda")
        for at in range(0, wide.numel(), 1_000_000_000):
            wide[at:at + 1_000_000_000].normal_()
        narrow = torch.empty(2_200_000_000, dtype=torch.float8_e4m3fn, device="cuda")
        for at in range(0, narrow.numel(), 200_000_000):
            part = wide[at:at + 200_000_000]
            # Times 80, so that all of e4m3 up to 448 is used.
            narrow[at:at + 200_000_000] = (part * 80).clamp_(-448, 448).to(torch.float8_e4m3fn)
        self.wide, self.narrow = Pool(wide), Pool(narrow)
        self.scratch = Pool(torch.empty(2_600_000_000, dtype=torch.bfloat16, device="cuda"))
        torch.cuda.synchronize()
        torch.cuda.empty_cache()

    def kernel(self, name, library, got, table="cases", **shape):
        """A row as `scalesweep validate` reads it."""
        self.tables[table].add(
            case=name, device=self.device, gpus=1, library=library, time_s=got["time_s"],
            source=(f"PyTorch {self.torch}, cuBLAS {self.cublas}, cuDNN {self.cudnn}, "
                    f"one {self.name}"),
            **shape)

    def add_detail(self, got, flops, moved, **row):
        self.detail.add(flops=flops, bytes=moved, flop_per_s=flops / got["time_s"],
                        bytes_per_s=moved / got["time_s"], **row, **got)

    def failed(self, what, error):
        self.failures += 1
        log("FAILED", what, type(error).__name__, str(error)[:200])
        torch.cuda.synchronize()  # raises where the device can do no more

    def run_all(self, what, jobs, until):
        """`jobs`: names and what times them; those after the time is up are left out."""
        done = 0
        for name, job in jobs:
            if since_start() > until:
                break
            try:
                job()
            except Exception as error:
                self.failed(name, error)
            done += 1
        log(f"{what}: {done} of {len(jobs)}")

    def stop(self):
        self.sampler.stop()
