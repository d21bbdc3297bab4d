#!/usr/bin/env python3
"""The frontier of a study as it is usually found in Python: columns by h5py, then the loop over
numpy arrays that keeps what the next point does not dominate, on points sorted by their sum.

    frontier_baseline.py NAME.h5 COLUMN...

Prints the seconds it took, reading included, and the number of members.
"""
import sys
import time

import h5py
import numpy


def is_pareto_efficient(costs):
    """Indices of rows that no other dominates; of equal rows one. Smaller is better."""
    order = numpy.argsort(costs.sum(axis=1))
    costs = costs[order]
    indices = numpy.arange(len(costs))
    at = 0
    while at < len(costs):
        better = numpy.any(costs < costs[at], axis=1)
        better[at] = True
        indices = indices[better]
        costs = costs[better]
        at = numpy.sum(better[:at]) + 1
    return order[indices]


def main():
    begin = time.perf_counter()
    with h5py.File(sys.argv[1]) as file:
        feasible = file["results/status"][:] == 0
        columns = [file["results"][name][:][feasible].astype(float) for name in sys.argv[2:]]
    members = is_pareto_efficient(numpy.stack(columns, axis=1))
    print(time.perf_counter() - begin, len(members))


if __name__ == "__main__":
    main()
