"""Entries of a library of experts that tests fit, on two devices."""

ENTRIES = """[library.fast-one]
library = { value = "fast 1.0", source = "paper", kind = "published" }
kernels = "experts"
device = "one"

[library.fast-one.experts]
operands = "fp4"
weights = "fp4"
tensor_sustained = 0.7
stream_share = 0.8
layer_latency = "10 us"
token_passes = 1

[library.fast-two]
like = "fast-one"
device = "two"
"""
