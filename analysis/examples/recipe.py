#!/usr/bin/env python3
"""How long the phases of a recipe take together.

    python3 recipe.py recipe.h5

Reads the result of sweeps/recipe.toml, or of any study of whole runs whose phases differ in
sequence, batch and tokens: of each number of devices and rate of failures the best layout of every
phase, and their sum. A number of devices on which a phase does not fit is left out.
"""
import sys

import h5py

PHASE = ["sequence", "global_batch", "tokens"]
SYSTEM = ["model", "device", "accelerators", "reliability"]
LAYOUT = ["tensor_parallel", "pipeline_parallel", "context_parallel", "data_parallel"]
VALUES = ["time_to_train", "run_cost", "run_carbon"]
DAY = 86400.0


def read_best(path):
    """system -> phase -> the row of it that is done first."""
    with h5py.File(path) as file:
        results = file.get("results", {})
        if any(name not in results for name in PHASE + SYSTEM + LAYOUT + VALUES):
            sys.exit(f"{path}: this is no study of phases, as sweeps/recipe.toml is")
        names = {key: {number: name for name, number in
                       h5py.check_enum_dtype(results[key].dtype).items()}
                 for key in PHASE + SYSTEM}
        columns = {name: results[name][:] for name in PHASE + SYSTEM + LAYOUT + VALUES}
    best = {}
    for i, seconds in enumerate(columns["time_to_train"]):
        if not seconds > 0.0:  # no estimate
            continue
        row = {key: names[key][columns[key][i]] for key in PHASE + SYSTEM}
        row |= {name: float(columns[name][i]) for name in VALUES}
        row["layout"] = " ".join(f"{short}{columns[name][i]}" for short, name in
                                 zip(("TP", "PP", "CP", "DP"), LAYOUT))
        phases = best.setdefault(tuple(row[key] for key in SYSTEM), {})
        phase = tuple(row[key] for key in PHASE)
        if phase not in phases or seconds < phases[phase]["time_to_train"]:
            phases[phase] = row
    return best


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        best = read_best(sys.argv[1])
    except OSError as error:
        sys.exit(f"{sys.argv[1]}: {error}")
    most = max((len(phases) for phases in best.values()), default=0)
    for system, phases in best.items():
        if len(phases) < most:
            continue
        print("{}, {} x {}, failures {}".format(system[0], system[2], system[1], system[3]))
        for (sequence, batch, tokens), row in phases.items():
            print(f"  {tokens:>8s} tokens, {batch:>5s} x {sequence:>6s}  "
                  f"{row['time_to_train'] / DAY:8.2f} days {row['run_cost'] / 1e6:8.2f} MUSD  "
                  f"{row['layout']}")
        total = {name: sum(row[name] for row in phases.values()) for name in VALUES}
        print(f"  {'together':31s}  {total['time_to_train'] / DAY:8.2f} days "
              f"{total['run_cost'] / 1e6:8.2f} MUSD  {total['run_carbon'] / 1e3:.0f} t of CO2")


if __name__ == "__main__":
    main()
