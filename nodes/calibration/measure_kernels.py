#!/usr/bin/env python3
"""Fills in the times of a list of kernels on the GPU that it runs on.

    scalesweep measure --device h200-sxm -o shapes.csv
    python3 measure_kernels.py shapes.csv -o measured.csv [--seconds 160] [--only experts] [--plain]

Needs PyTorch with CUDA, the files measure_*.py beside it, and nothing else. GEMMs by torch.mm and
torch._scaled_mm (fp8: e4m3, one scale a tensor, operands ready), attention by
scaled_dot_product_attention, the faster of its backends, without rotation or writing a cache; in
decode the query heads of a group are rows of one query. Pointwise kernels are sums of two tensors.

Routed experts are what vLLM's fused_experts launches where vLLM is installed (in fp8 scales of
blocks of 128 where the sizes divide, else one a tensor), else PyTorch's grouped products (in fp8 a
scale a row) with kernels of PyTorch that sort copies of tokens by expert, activate, quantise, weigh
and sum. Tokens are dealt out to the experts in turn, and to the devices of a row alike: the columns
copies and reached say so. Latent attention: FlashInfer's kernels where FlashInfer is installed,
else scaled_dot_product_attention, in decode over the latents as one head of keys and values.
--plain takes PyTorch's own. The column library names what ran, with its version.

Calls are captured into a CUDA graph, operands go round as many sets as pass L2 four times, but for
pointwise kernels that stay in half of it; a time is the median over replays of the time between two
events over the launches. Rows keep their order, those that cannot be measured here keep an empty
time_s, and standard error says why. Rows of collectives are read from logs of nccl-tests by
`scalesweep measure --read`.
"""

import argparse
import csv
import random
import sys
import time

from measure_card import Card, Power, Skipped, fastest, first_line, whole, wide_type
from measure_experts import experts
from measure_latent import latent


def read_list(path):
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
        missing = {"case", "op", "precision", "time_s"} - set(reader.fieldnames or ())
    if missing:
        sys.exit(f"{path}: no columns {', '.join(sorted(missing))}; "
                 "'scalesweep measure --device NAME' writes such a list")
    return reader.fieldnames, rows


def write_list(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def matmul(card, row):
    """Weights [n, k], as linear layers keep them."""
    torch = card.torch
    m, k, n = (whole(row, side) for side in "mkn")
    if row["precision"] == "fp8":
        kind = getattr(torch, "float8_e4m3fn", None)
        if kind is None or k % 16 or n % 16:
            raise Skipped("fp8 GEMMs take k and n of multiples of 16, and a PyTorch that has fp8")
    else:
        kind = wide_type(torch, row)
    size = 1 if row["precision"] == "fp8" else 2
    pairs = [(card.take(kind, m, k), card.take(kind, n, k))
             for _ in range(card.sets(size * (m * k + k * n)))]
    if size == 2:
        calls = [lambda a=a, w=w: torch.mm(a, w.t()) for a, w in pairs]
    else:
        calls = [lambda a=a, w=w: torch._scaled_mm(a, w.t(), scale_a=card.one, scale_b=card.one,
                                                   out_dtype=torch.bfloat16, use_fast_accum=True)
                 for a, w in pairs]
    return card.seconds(calls), f"cuBLAS of CUDA {torch.version.cuda}"


def attention(card, row):
    make = decode_calls if row["op"] == "attention_decode" else prefill_calls
    return fastest(card, make(card, row, wide_type(card.torch, row)), ("FLASH", "CUDNN"))


def prefill_calls(card, row, kind):
    batch, seq, heads, kv_heads, dim = sizes(row)
    run = card.torch.nn.functional.scaled_dot_product_attention
    causal = row.get("causal", "true") != "false"
    calls = []
    for _ in range(min(64, card.sets(4 * batch * seq * dim * (heads + kv_heads)))):
        q, k, v = (card.take(kind, batch, seq, count, dim).transpose(1, 2)
                   for count in (heads, kv_heads, kv_heads))
        calls.append(lambda q=q, k=k, v=v: run(q, k, v, is_causal=causal,
                                               enable_gqa=heads != kv_heads))
    return calls


def decode_calls(card, row, kind):
    batch, seq, heads, kv_heads, dim = sizes(row)
    run = card.torch.nn.functional.scaled_dot_product_attention
    calls = []
    for _ in range(min(128, card.sets(4 * batch * seq * kv_heads * dim))):
        q = card.take(kind, batch, kv_heads, heads // kv_heads, dim)
        k, v = (card.take(kind, batch, kv_heads, seq, dim) for _ in range(2))
        calls.append(lambda q=q, k=k, v=v: run(q, k, v))
    return calls


def sizes(row):
    return [whole(row, c) for c in ("batch", "seq", "heads", "kv_heads", "head_dim")]


def pointwise(card, row):
    """Two tensors read, one written. What half of L2 holds stays there."""
    torch, moved = card.torch, float(row["bytes"])
    kind = wide_type(torch, row)
    count = max(1, int(moved / 6))
    sets = 1 if moved <= card.l2 / 2 else card.sets(moved)
    calls = []
    for _ in range(sets):
        a, b = card.take(kind, count), card.take(kind, count)
        out = torch.empty_like(a)
        calls.append(lambda a=a, b=b, out=out: torch.add(a, b, out=out))
    return card.seconds(calls), f"PyTorch {torch.__version__}"


MEASURES = {"matmul": matmul, "attention_prefill": attention, "attention_decode": attention,
            "pointwise": pointwise, "experts": experts, "latent_prefill": latent,
            "latent_decode": latent}


def fill(card, row):
    if row["op"] not in MEASURES:
        raise Skipped(f"{row['op']}: collectives need several GPUs and nccl-tests")
    seconds, library = MEASURES[row["op"]](card, row)
    row["time_s"], row["library"] = f"{seconds:.6g}", library
    row["source"] = f"PyTorch {card.torch.__version__}, one {card.name}"


def measure(card, rows, until):
    """In random order, so that a lack of time leaves no gap."""
    left, reasons = 0, {}
    for row in random.Random(7).sample(rows, len(rows)):
        if time.monotonic() > until:
            left += 1
            continue
        try:
            fill(card, row)
        except Skipped as reason:
            reasons.setdefault(str(reason), []).append(row["case"])
        except Exception as error:
            reasons.setdefault(first_line(error), []).append(row["case"])
            card.torch.cuda.synchronize()  # raises where the device can do no more
    for reason, cases in reasons.items():
        print(f"not measured: {len(cases)} rows, as {cases[0]}: {reason}", file=sys.stderr)
    if left:
        print(f"not measured: {left} rows, time was up; --seconds gives more", file=sys.stderr)


def chosen(rows, only):
    """All rows, or those of the kernels that are named."""
    kinds = only.split(",") if only else list(MEASURES)
    for kind in kinds:
        if kind not in MEASURES:
            sys.exit(f"--only: '{kind}' is none of {', '.join(MEASURES)}")
    return [row for row in rows if not only or row["op"] in kinds]


def with_deal(columns, rows):
    """Columns, and those that say how tokens were dealt out."""
    more = [c for c in ("copies", "reached") if any(row.get(c) for row in rows)]
    return [*columns, *(c for c in more if c not in columns)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", help="the list, as 'scalesweep measure' writes it")
    parser.add_argument("-o", "--output", required=True, help="the list with times")
    parser.add_argument("--seconds", type=float, default=160.0, help="after which to stop")
    parser.add_argument("--only", metavar="KINDS", default="",
                        help="of rows with these op, as experts,latent_decode; the others stay as "
                        "they are, with the times that they have")
    parser.add_argument("--plain", action="store_true",
                        help="PyTorch's own kernels for experts and latent attention, also where "
                        "vLLM or FlashInfer is installed")
    options = parser.parse_args()
    until = time.monotonic() + options.seconds
    columns, rows = read_list(options.cases)
    wanted = chosen(rows, options.only)
    try:
        import torch
    except ImportError:
        sys.exit("measure_kernels.py needs PyTorch, and python3 here has none")
    if not torch.cuda.is_available():
        sys.exit("measure_kernels.py needs a GPU that PyTorch can use; there is none here")
    power = Power()
    card = Card(torch, options.plain)
    power.start()
    print(f"{card.name}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}, "
          f"L2 {card.l2 / 1e6:.0f} MB", file=sys.stderr)
    try:
        measure(card, wanted, until)
    finally:
        write_list(options.output, with_deal(columns, rows), rows)
    print(power.summary(), file=sys.stderr)
    print(f"{sum(1 for row in wanted if row['time_s'])} of {len(wanted)} rows measured: "
          f"{options.output}", file=sys.stderr)


if __name__ == "__main__":
    main()
