#!/usr/bin/env python3
"""Fits the constants of attention kernels of the catalog to measured prefill and decode.

One set for A100, one for H100, one for B200 and GB200 together, which differ in what their data
sheets say of the vector units only. Relatives without measurements take the same set.
"""

from calibration import Fit, Place, arguments, read_value, run

FILE = "devices-nvidia.toml"
PREFILL = [("softmax_flop", ""), ("block_latency", "us"), ("prefill_latency", "us")]
DECODE = [
    ("decode_latency", "us"),
    ("merge_latency", "us"),
    ("decode_block_latency", "us"),
    ("cache_flop", ""),
]
SHARED = [("cache_passes", "")]  # where heads read the cache together
# Kernels that have them: a case file may have those of latent attention as well.
OPERATORS = {
    "prefill": {"attention_prefill", "latent_prefill"},
    "decode": {"attention_decode", "latent_decode"},
}


def group(catalog, title, keys, operators, measured, relatives, file=FILE):
    """`relatives`: device -> the measured one whose constants it takes."""
    first = measured[0]
    peak = {d: read_value(catalog, Place(file, f"device.{d}", "vector_peak")) for d in measured}
    of = {d: d for d in measured} | relatives
    places = []
    for key, unit in keys:
        per_flop = key in ("softmax_flop", "cache_flop")
        factor = {d: peak[m] / peak[first] if per_flop else 1.0 for d, m in of.items()}
        places.append([Place(file, f"device.{d}.attention", key, unit, factor[d]) for d in of])
    return Fit(title, places, set(measured), operators)


def main():
    options = arguments(__doc__.splitlines()[0], "kernels-attention.csv")
    families = [
        ("A100", True, ["a100-sxm-80gb"], {"a100-sxm-40gb": "a100-sxm-80gb"}),
        ("H100", True, ["h100-sxm"], {"h200-sxm": "h100-sxm"}),
        ("B200, GB200", False, ["b200-sxm", "gb200"], {"b300-sxm": "b200-sxm", "gb300": "gb200"}),
    ]
    fits = []
    for name, shares, measured, relatives in families:
        decode = DECODE + (SHARED if shares else [])
        for kind, keys in (("prefill", PREFILL), ("decode", decode)):
            fits.append(
                group(
                    options.catalog, f"{name}, {kind}", keys, OPERATORS[kind], measured, relatives
                )
            )
    run(options, "Attention", "kernels-attention.csv", fits)


if __name__ == "__main__":
    main()
