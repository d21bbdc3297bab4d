#!/usr/bin/env python3
"""Fits the constants of the NVLink entries of the catalog to measured collectives.

One set for each generation: NVLink3 on A100, NVLink4 on H100, NVLink5 on B200 and GB200 together.
What has no measurements of its own takes those of its generation. `in_network` of NVLink5 is not
fitted: with up to 8 ranks rings are as fast.
"""

from calibration import Fit, Place, arguments, run

KEYS = [
    ("sustained", ""),
    ("latency", "us"),
    ("call_latency", "us"),
    ("half_size", "MB"),
    ("one_shot_latency", "us"),
    ("one_shot", ""),
]
OPERATORS = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"}


def link(name, devices, in_network=False):
    keys = KEYS + ([("in_network", "")] if in_network else [])
    places = [[Place("links.toml", f"scale_up.{name}", key, unit)] for key, unit in keys]
    return Fit(name, places, devices, OPERATORS)


def main():
    options = arguments(__doc__.splitlines()[0], "kernels-collectives.csv")
    fits = [
        link("NVLink3", {"a100-sxm-80gb"}),
        link("NVLink4", {"h100-sxm"}, in_network=True),
        link("NVLink5", {"b200-sxm", "gb200"}),
    ]
    # Integers are not reduced in the switch: their all-reduce says nothing of it.
    run(
        options,
        "Collectives",
        "kernels-collectives.csv",
        fits,
        lambda row: not (row["op"] == "all_reduce" and row["precision"] == "int8"),
    )


if __name__ == "__main__":
    main()
