#!/usr/bin/env python3
"""Fits the constants of links of the catalog to measured collectives.

One set for each generation of NVLink: NVLink3 on A100, NVLink4 on H100 and H200, NVLink5 on B200
and GB200 together; and xGMI4 on MI300X, whose library is another. What has no measurements of its
own takes those of its generation. What NCCL and the one-shot kernels take on Blackwell beside what
they take on Hopper belongs to the device and not to NVLink5 (`collectives` of its entry): links
are exchanged in studies, libraries are not. In kernels-azure.csv a call of NCCL starts up to 25 us
later than in kernels-collectives.csv, by the version and the host: of its rows on NVLink only
messages count where that is little, and these alone tell what the largest ones reach. Half of its
rows are never fitted. No row tells of switches that reduce on NVLink5: a ring reaches as much
there on up to eight devices. What all links share (nodes/fits.toml) was fitted together with them,
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
# Of these, what a later library takes beside its predecessor goes with the devices that it runs on.
LIBRARY_KEYS = {"latency", "call_latency", "handshake", "one_shot_latency"}
SWITCH_KEYS = [("in_network", ""), ("in_network_half_size", "MB")]
# Eight devices alone: what a step takes and what a call takes cannot be told apart.
XGMI_KEYS = [("sustained", ""), ("call_latency", "us"), ("half_size", "MB")]
OPERATORS = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"}
LARGE = 128 * 2**20  # bytes


def link(name, devices, keys, file="links.toml", library_of=()):
    def places_of(key, unit):
        if library_of and key in LIBRARY_KEYS:
            sections = [f"device.{device}.collectives" for device in library_of]
            return [Place("devices-nvidia.toml", section, key, unit) for section in sections]
        return [Place(file, f"scale_up.{name}", key, unit)]

    return Fit(name, [places_of(key, unit) for key, unit in keys], devices, OPERATORS)


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
        link("NVLink5", {"b200-sxm", "gb200"}, KEYS, library_of=("b200-sxm", "gb200")),
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
