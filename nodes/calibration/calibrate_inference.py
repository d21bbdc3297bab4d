#!/usr/bin/env python3
"""Fits how frameworks serve requests to published latencies and rates.

    nodes/calibration/calibrate_inference.py --program build/bin/scalesweep
    nodes/calibration/calibrate_inference.py --framework tensorrt-llm-2023 --apply

The same search, halves and rules as calibrate_training.py, on the numbers of a framework's table
`serving`; one half holds whole pairs of a model and a tensor-parallel size.
"""

from calibrate_training import DATA_SHEET_DEVICES, Constant, TrainingFit, run, share

FILE = "inference-published.csv"
ARGONNE = "inference-argonne-2024.csv"
ML_ENERGY = "inference-mlenergy-v3.csv"


def serving(title, framework, constants, file=FILE, **more):
    return TrainingFit(title, framework, file, constants, quantity="value", table="serving",
                       by=("metric", "device", "model", "tp", "pp", "batch"),
                       shape=("model", "tp"), **more)


def gap(start):
    return Constant("kernel_gap", "us", start, lowest=0.01)


FITS = [
    serving("fastertransformer", "fastertransformer",
            [gap(5.0), share("kernel_share"), Constant("sequence_overhead", "us", 10.0),
             Constant("request_overhead", "ms", 1.0)], stack="fastertransformer",
            remark="The tables of GPT-350M to 175B are of an older version than those of 20B and "
                   "530B."),
    serving("tensorrt-llm-2023: versions 0.5 to 0.9", "tensorrt-llm-2023",
            [gap(5.0), Constant("prefill_issue_interval", "us", 5.0),
             Constant("request_overhead", "ms", 0.5)],
            stack="tensorrt-llm", mark="TensorRT-LLM docs", excluded=DATA_SHEET_DEVICES),
    serving("tensorrt-llm: NIM", "tensorrt-llm",
            [gap(3.0), share("stream_share"), Constant("request_overhead", "ms", 2.0)],
            stack="tensorrt-llm", mark="NIM"),
    serving("lmdeploy", "lmdeploy", [Constant("sequence_overhead", "us", 20.0)],
            stack="lmdeploy"),
    serving("megatron-bridge: NeMo's Llama-2 page", "megatron-bridge",
            [gap(5.0), Constant("iteration_overhead", "us", 200.0)], stack="nemo"),
    serving("vllm-2023: UCI", "vllm-2023",
            [Constant("decode_issue_interval", "us", 30.0),
             Constant("iteration_overhead", "ms", 1.0)], stack="vllm"),
    serving("vllm: 0.11 under load", "vllm",
            [gap(3.0), Constant("sequence_overhead", "us", 20.0),
             share("narrow_expert_share", 0.7)],
            file=ML_ENERGY, stack="vllm",
            remark="Twelve rows ran reasoning models on one B200: 32 to 45 ms a token at whatever "
                   "size and batch, five times what the same models took there in conversations. "
                   "Their hosts were busy otherwise; nothing in the rows says so."),
    serving("vllm-2024: versions 0.4 to 0.6", "vllm-2024",
            [gap(3.0), Constant("iteration_overhead", "ms", 1.0),
             Constant("sequence_overhead", "us", 50.0)],
            file=ARGONNE, stack="vllm", excluded=("mi250x", "mi300x")),
    serving("vllm-2024-rocm: the same on ROCm", "vllm-2024-rocm",
            [gap(10.0), share("stream_share", 0.7)],
            file=ARGONNE, stack="vllm", excluded=("a100-sxm-40gb", "h100-sxm")),
    serving("megatron-lm: Megatron of 2021 beside FasterTransformer", "megatron-lm",
            [share("kernel_share"), Constant("decode_issue_interval", "us", 30.0)],
            stack="megatron-lm"),
]


def main():
    run(__doc__.splitlines()[0], "Inference", "calibrate_inference.py", FITS,
        "the published measurements", "pairs of a model and a tensor-parallel size")


if __name__ == "__main__":
    main()
