#!/usr/bin/env python3
"""Measured runs of 1 to 64 ranks beside simulated ones, then simulated runs of up to 100,000.

    scaling.py --toy-run build/release/tests/toy_run --simulator build/release/tests/scaling_bench

What the simulation needs is measured: in runs of 1 rank the rate, and what a segment, a row in a
segment and a row in the merge cost; in a loop over messages of ten thousand ranks, and in one
through MPI over TCP, the processor time of the master for one message. Runs of other numbers of
ranks are predicted from those and measured as well. A machine that does other things meanwhile
makes measured runs slower: each is repeated, the fastest counts, the slowest is shown beside it.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

CHUNK_ROWS = 256
POINT_S = 100e-6

ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_osc": "sm,pt2pt"}


def words(text):
    return {name: float(value) for name, value in re.findall(r"(\w+)=([-+\w.]+)", text)}


class Bench:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = Path(folder)

    def measure(self, ranks, points, cost=POINT_S, segment_s=None, check=False):
        """The words of one run of toy_run."""
        output = self.folder / "a.h5"
        options = ["--points", str(points), "--cost", str(cost), "--chunk-rows", str(CHUNK_ROWS)]
        if segment_s:
            options += ["--segment-seconds", str(segment_s)]
        command = [self.arguments.mpiexec, "-n", str(ranks), self.arguments.toy_run, str(output)]
        run = subprocess.run(command + options, env={**os.environ, **ENVIRONMENT}, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if run.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit code {run.returncode}\n{run.stderr}")
        if check:
            compared = subprocess.run(
                [self.arguments.toy_run, str(output), "--check", "--points", str(points)],
                text=True, stdout=subprocess.PIPE, check=False)
            if compared.stdout != "equal\n":
                sys.exit(f"{ranks} ranks: the file is not right: {compared.stdout}")
        output.unlink()
        return words(run.stdout)

    def repeated(self, ranks, points, **options):
        """The fastest and the slowest of several runs."""
        runs = [self.measure(ranks, points, **options) for _ in range(self.arguments.repeat)]
        runs.sort(key=lambda run: run["serve"])
        return runs[0], runs[-1]

    def simulate(self, **options):
        command = [self.arguments.simulator]
        for name, value in options.items():
            command += ["--" + name.replace("_", "-"), str(value)]
        result = words(subprocess.run(command, text=True, stdout=subprocess.PIPE,
                                      check=True).stdout)
        if result["complete"] != 1:
            sys.exit(f"{' '.join(command)}: did not complete")
        return result

    def calibrate(self, points):
        """What things cost, each from the runs in which it weighs most."""
        seldom, _ = self.repeated(1, points)
        often, _ = self.repeated(1, points, segment_s=0.05)
        cheap, _ = self.repeated(1, 20 * points, cost=0.0)
        # Many small segments against few large ones.
        per_segment = max(0.0, (often["write"] - seldom["write"]) /
                          max(1.0, often["segments"] - seldom["segments"]))
        per_point = max(0.0, cheap["write"] - per_segment * cheap["segments"]) / cheap["points"]
        costs = {"rate": points / seldom["busy"], "write_per_segment": per_segment,
                 "write_per_point": per_point, "merge_per_point": cheap["merge"] / cheap["points"]}
        costs.update(self.message_costs())
        return costs

    def mpi_message_seconds(self):
        """Processor time of rank 0 for a message through MPI over TCP, as between machines."""
        environment = {**os.environ, **ENVIRONMENT, "OMPI_MCA_btl": "self,tcp"}
        command = [self.arguments.mpiexec, "-n", "4", self.arguments.toy_run, "none",
                   "--messages", "500" if self.arguments.smoke else "5000"]
        return min(words(subprocess.run(command, env=environment, text=True,
                                        stdout=subprocess.PIPE, check=True).stdout)["message_cpu"]
                   for _ in range(self.arguments.repeat + 1))

    def message_costs(self):
        """Processor time of the master for a message of ten thousand ranks."""
        run = subprocess.run([self.arguments.simulator, "--message-cost", "--ranks", "10000"],
                             text=True, stdout=subprocess.PIPE, check=True)
        per_message = words(run.stdout)["message"] + self.mpi_message_seconds()
        return {"report_service": per_message, "order_service": per_message / 2}


def compare(bench, costs, points, numbers):
    cores = len(os.sched_getaffinity(0))
    print(f"\nmeasured and simulated, {points:,} points of {POINT_S * 1e6:.0f} us on {cores} cores "
          f"(serve: first lease to last segment)")
    print(f"{'ranks':>6} {'measured':>9} {'slowest':>9} {'simulated':>10} {'ratio':>6} "
          f"{'segments':>9} {'serving':>8} {'efficiency':>11} {'speed-up':>9}")
    one = None
    ratios = []
    for ranks in numbers:
        best, worst = bench.repeated(ranks, points, check=True)
        simulated = bench.simulate(points=points, ranks=ranks, cores=cores, chunk_rows=CHUNK_ROWS,
                                   latency=1e-3 if ranks > cores else 1e-4, **costs)
        one = one or best["serve"]
        ideal = points / costs["rate"] / min(ranks, cores)
        ratios.append(simulated["serve"] / best["serve"])
        print(f"{ranks:>6} {best['serve']:>7.2f} s {worst['serve']:>7.2f} s "
              f"{simulated['serve']:>8.2f} s {ratios[-1]:>6.3f} {best['segments']:>9.0f} "
              f"{100 * best['serving_cpu'] / best['serve']:>6.2f} % "
              f"{100 * ideal / best['serve']:>9.1f} % {one / best['serve']:>8.2f}x")
    print(f"simulated / measured: median {statistics.median(ratios):.3f}")


def extrapolate(bench, costs, lengths, numbers):
    rate = 100e3
    print(f"\nsimulated, each rank on a core of its own, {rate:,.0f} points a second per rank, "
          f"ranks differ by 5 %, ranges of ids by 30 %")
    for rows, label in ((0.0, "few rows (best)"), (1.0, "all rows")):
        print(f"{label}:")
        print(f"{'length':>8} {'ranks':>7} {'seconds':>9} {'merge':>9} {'efficiency':>11} "
              f"{'without merge':>14} {'tail':>7} {'master':>8} {'leases':>9} {'segments':>9}")
        for length in lengths:
            for ranks in numbers:
                points = int(length * rate * ranks)
                options = dict(costs, rate=rate, write_per_point=costs["write_per_point"] * rows,
                               merge_per_point=costs["merge_per_point"] * rows)
                result = bench.simulate(
                    points=points, ranks=ranks, chunk_rows=16384, latency=50e-6,
                    spread_of_ranges=0.3, spread_of_ranks=0.05,
                    range_points=max(2_000_000, points // 1_000_000), **options)
                seconds = result["serve"] + result["merge"]
                print(f"{length:>6} s {ranks:>7} {seconds:>9.1f} {result['merge']:>9.1f} "
                      f"{100 * length / seconds:>9.1f} % {100 * length / result['serve']:>12.1f} % "
                      f"{100 * result['tail']:>5.2f} % {100 * result['busy']:>6.2f} % "
                      f"{result['leases']:>9.0f} {result['segments']:>9.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--toy-run", required=True)
    parser.add_argument("--simulator", required=True)
    parser.add_argument("--mpiexec", default="mpirun")
    parser.add_argument("--points", type=int, default=100_000, help="of measured runs")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--smoke", action="store_true", help="small, for a test of this script")
    parser.add_argument("--folder", help="for outputs; a temporary one if not given")
    arguments = parser.parse_args()
    measured, lengths = [1, 2, 4, 8, 16, 32, 64], [60, 3600]
    simulated = [100, 1_000, 10_000, 100_000]
    if arguments.smoke:
        arguments.points, arguments.repeat = 4_000, 1
        measured, simulated, lengths = [1, 2, 4], [100, 1_000], [60]
    with tempfile.TemporaryDirectory(prefix="scalesweep-scaling-", dir=arguments.folder) as folder:
        bench = Bench(arguments, folder)
        costs = bench.calibrate(arguments.points)
        print("measured costs:", ", ".join(f"{name} {cost:.3g}" for name, cost in costs.items()))
        compare(bench, costs, arguments.points, measured)
        extrapolate(bench, costs, lengths, simulated)


if __name__ == "__main__":
    main()
