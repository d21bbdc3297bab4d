"""The clock of the multiprocessors, stamped by a kernel, and what NVML says of power."""
import statistics
import threading
import time

import pynvml
import torch

from device_kernels import stamp_kernel
from tables import Table, log, since_start

STAMPS = 264  # programs of a stamp: two for each of 132 multiprocessors, so that none is left out
POWER_INSTANT = 186  # NVML_FI_DEV_POWER_INSTANT
PERIOD = 0.05  # seconds between two samples of NVML

SAMPLES = "run,t_s,power_w,power_average_w,energy_j,sm_mhz,memory_mhz,temperature_c,reasons"


def new_stamps(count):
    return torch.zeros(count, STAMPS * 3, dtype=torch.int64, device="cuda")


def stamp(buffer):
    stamp_kernel[(STAMPS,)](buffer, num_warps=1)


def read_stamps(stamps):
    """Of each stamp: multiprocessor -> (multiprocessor, cycles, nanoseconds)."""
    return [{row[0]: row for row in rows} for rows in stamps.cpu().view(-1, STAMPS, 3).tolist()]


def intervals(first, last):
    """(nanoseconds, MHz, nanosecond at the end) on each multiprocessor between two stamps."""
    found = []
    for sm, (_, cycles, ns) in first.items():
        if sm in last and last[sm][2] > ns:
            span = last[sm][2] - ns
            found.append((span, (last[sm][1] - cycles) / span * 1e3, last[sm][2]))
    return found


class Clock:
    """Mean clock of the multiprocessors between two marks in the stream."""

    def __init__(self):
        self.stamps = new_stamps(2)
        self.mark(0)  # compiles the kernel, which no graph and no burst has to wait for then

    def mark(self, which):
        stamp(self.stamps[which])

    def mhz(self):
        # Far outside of what the card runs at, a counter was reset in between.
        clocks = [mhz for _, mhz, _ in intervals(*read_stamps(self.stamps)) if 100 < mhz < 2500]
        return statistics.median(clocks) if clocks else None


class Sampler(threading.Thread):
    """Reads NVML all the time; `run` in its file is the load of that moment."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        pynvml.nvmlInit()
        self.handle = pynvml.nvmlDeviceGetHandleByIndex(0)
        self.table = Table(folder, "power-samples.csv", SAMPLES)
        self.label = "between"
        self.rows = []
        self.running = True
        self.missing = set()
        # Newer versions of NVML have a new name for it.
        self.reasons = getattr(pynvml, "nvmlDeviceGetCurrentClocksEventReasons", None) or getattr(
            pynvml, "nvmlDeviceGetCurrentClocksThrottleReasons")

    def get(self, name, call):
        """None, for good, of what this card does not tell."""
        if name in self.missing:
            return None
        try:
            return call()
        except Exception as error:
            self.missing.add(name)
            log("NVML:", name, error)
            return None

    def instant_power(self):
        value = pynvml.nvmlDeviceGetFieldValues(self.handle, [POWER_INSTANT])[0]
        if value.nvmlReturn != 0:
            raise RuntimeError(f"field {POWER_INSTANT}: {value.nvmlReturn}")
        return value.value.uiVal / 1e3

    def sample(self):
        nvml, handle = pynvml, self.handle
        calls = {
            "power_w": self.instant_power,
            "power_average_w": lambda: nvml.nvmlDeviceGetPowerUsage(handle) / 1e3,
            "energy_j": lambda: round(nvml.nvmlDeviceGetTotalEnergyConsumption(handle) / 1e3, 3),
            "sm_mhz": lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM),
            "memory_mhz": lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM),
            "temperature_c": lambda: nvml.nvmlDeviceGetTemperature(
                handle, nvml.NVML_TEMPERATURE_GPU),
            "reasons": lambda: hex(self.reasons(handle)),
        }
        row = {"run": self.label, "t_s": round(since_start(), 4)}
        return row | {name: self.get(name, call) for name, call in calls.items()}

    def run(self):
        while self.running:
            row = self.sample()
            self.rows.append(row)
            # As text, since a table keeps six digits of a number and the counter has more.
            self.table.add(**{name: "" if value is None else str(value)
                              for name, value in row.items()})
            time.sleep(PERIOD)

    def stop(self):
        self.running = False
        self.join()

    def window(self, begin, end):
        """Means of the samples between two times, and the slope of the energy counter."""
        rows = [row for row in list(self.rows) if begin <= row["t_s"] <= end]
        found = {"counter_w": slope(rows)}
        for name in ("power_w", "sm_mhz", "memory_mhz", "temperature_c"):
            values = [row[name] for row in rows if row[name] is not None]
            found[name] = statistics.fmean(values) if values else None
        found["reasons"] = "|".join(sorted({row["reasons"] for row in rows if row["reasons"]}))
        return found


def slope(rows):
    """Watts from one step of the energy counter to another: it moves every 100 ms only."""
    steps = [after for before, after in zip(rows, rows[1:])
             if None not in (before["energy_j"], after["energy_j"])
             and after["energy_j"] != before["energy_j"]]
    if len(steps) < 3:
        return None
    return (steps[-1]["energy_j"] - steps[0]["energy_j"]) / (steps[-1]["t_s"] - steps[0]["t_s"])
