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
SERVERS = "../cases-2026/inference-servers-2026.csv"
FIRST_TOKENS = "../cases-2026/inference-servers-2026-ttft.csv"
VERSIONS_FILE = "frameworks-serving.toml"


def serving(title, framework, constants, file=FILE, **more):
    return TrainingFit(title, framework, file, constants, quantity="value", table="serving",
                       by=("metric", "device", "model", "tp", "pp", "batch"),
                       shape=("model", "tp"), **more)


def of_version(title, framework, file, constants, by, **more):
    return TrainingFit(title, framework, file, constants, quantity="value", table="serving",
                       by=by, shape=("model", "precision", "tp"), catalog_file=VERSIONS_FILE,
                       by_entry=True, **more)


def server(framework, constants, **more):
    return of_version(framework, framework, SERVERS, constants,
                      ("metric", "device", "model", "precision", "tp", "concurrency"), **more)


def first_tokens(framework, **more):
    return of_version(f"{framework}: first tokens", framework, FIRST_TOKENS,
                      [Constant("request_overhead", "ms", 20.0),
                       Constant("prefill_issue_interval", "us", 20.0)],
                      ("source", "device", "model", "precision", "prompt_tokens", "concurrency"),
                      **more)


def gap(start):
    return Constant("kernel_gap", "us", start, lowest=0.01)


# Of experts, measured in iterations of a stack or as kernels that name it.
EXPERTS = [share("narrow_expert_share", 0.7)]

DRAFTS = """\
Rows of 1.2.0rc6.post3 are left out: with four open requests of DeepSeek-R1 a token takes 5.3 ms on
eight B200 in fp8 and 5.1 on four in nvfp4 there, and 9.1 and 7.6 by 1.3.0rc14 in the same layouts,
as if tokens were drafted. No column says that they were."""

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
    serving("tensorrt-llm: NIM", "tensorrt-llm@1.0",
            [gap(3.0), share("stream_share"), Constant("request_overhead", "ms", 2.0)],
            stack="tensorrt-llm", mark="NIM"),
    serving("lmdeploy", "lmdeploy", [Constant("sequence_overhead", "us", 20.0)],
            stack="lmdeploy"),
    serving("megatron-bridge: NeMo's Llama-2 page", "megatron-bridge",
            [gap(5.0), Constant("iteration_overhead", "us", 200.0)], stack="nemo"),
    serving("vllm-2023: UCI", "vllm-2023",
            [Constant("decode_issue_interval", "us", 30.0),
             Constant("iteration_overhead", "ms", 1.0)], stack="vllm"),
    serving("vllm: 0.11 under load", "vllm@0.11",
            [gap(3.0), Constant("sequence_overhead", "us", 20.0),
             *EXPERTS],
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
    server("vllm@0.12", [gap(1.0), Constant("sequence_overhead", "us", 20.0),
                         *EXPERTS]),
    server("vllm@0.14", [gap(1.0), *EXPERTS]),
    server("sglang@0.5", [gap(1.0), *EXPERTS]),
    server("sglang-rocm", [gap(2.0), *EXPERTS]),
    server("tensorrt-llm@1.1", [gap(1.0), share("stream_share")],
           without=(("version", "1.2.0rc6.post3"),), remark=DRAFTS),
    server("atom@0.1", [gap(2.0), *EXPERTS]),
    first_tokens("vllm@0.12"),
    first_tokens("vllm@0.14"),
    first_tokens("sglang@0.5"),
    first_tokens("sglang-rocm"),
    first_tokens("tensorrt-llm@1.1", without=(("version", "1.2.0rc6.post3"),)),
    first_tokens("atom@0.1"),
]


def main():
    run(__doc__.splitlines()[0], "Inference", "calibrate_inference.py", FITS,
        "the published measurements", "pairs of a model and a tensor-parallel size")


if __name__ == "__main__":
    main()
