#!/usr/bin/env python3
"""Fits the constants of links of the catalog to measured collectives.

One set for each generation of NVLink: NVLink3 on A100, NVLink4 on H100 and H200, NVLink5 on B200
and GB200 together; and xGMI4 on MI300X, whose library is another. What has no measurements of its
own takes those of its generation. In kernels-azure.csv a call of NCCL starts up to 25 us later than
in kernels-collectives.csv, by the version and the host: of its rows on NVLink only messages count
where that is little, and these alone tell what the largest ones reach. Half of its rows are never
fitted. No row tells of switches that reduce on NVLink5: a ring reaches as much there on up to eight
devices. What all links share (nodes/fits.toml) was fitted together with them,
once, and rounded.
"""

from calibration import Fit, Place, arguments, held_out, run

KEYS = [
    ("sustained", ""),
    ("latency", "us"),
    ("call_latency", "us"),
    ("half_size", "MB"),
    ("handshake", "us"),
    ("own_part", ""),
    ("one_shot_latency", "us"),
    ("one_shot", ""),
]
SWITCH_KEYS = [("in_network", ""), ("in_network_half_size", "MB")]
# Eight devices alone: what a step takes and what a call takes cannot be told apart.
XGMI_KEYS = [("sustained", ""), ("call_latency", "us"), ("half_size", "MB")]
OPERATORS = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"}
LARGE = 128 * 2**20  # bytes


def link(name, devices, keys, file="links.toml"):
    places = [[Place(file, f"scale_up.{name}", key, unit)] for key, unit in keys]
    return Fit(name, places, devices, OPERATORS)


def counts(row):
    if not row.get("source", "").startswith("Azure"):
        return True
    telling = row["device"] == "mi300x" or float(row["bytes"] or 0) >= LARGE
    return telling and not held_out(row)


def main():
    options = arguments(__doc__.splitlines()[0], "kernels-collectives.csv and kernels-azure.csv")
    fits = [
        link("NVLink3", {"a100-sxm-80gb"}, KEYS),
        link("NVLink4", {"h100-sxm", "h200-sxm"}, KEYS + SWITCH_KEYS),
        link("NVLink5", {"b200-sxm", "gb200"}, KEYS),
        link("xGMI4", {"mi300x"}, XGMI_KEYS),
    ]
    azure_held_out = lambda row: row["source"].startswith("Azure") and held_out(row)
    run(
        options,
        "Collectives",
        "kernels-collectives.csv",
        fits,
        counts,
        ["kernels-azure.csv"],
        azure_held_out,
    )


if __name__ == "__main__":
    main()
