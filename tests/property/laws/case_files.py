"""What a study and a case file both can say, by kind of work: a row of a table for each column of
case files, and how to write one for a point of a study.
"""
import csv
import json
from dataclasses import dataclass, field


@dataclass
class Column:
    """Of a case file: the key of a spec that says the same, and values for both. Those that have
    another word in case files are pairs."""
    name: str
    key: str
    values: tuple
    share: float = 0.4       # of specs that say it
    of_models: tuple = ()    # that it is for; none: all


@dataclass
class Kind:
    columns: tuple     # drawn, the same for all points of a study
    layout: dict       # of points, {column of cases: column of results}
    keys: dict         # of [strategy], what is left open or fixed so that cases can say it
    fixed: dict = field(default_factory=dict)  # cells of every case
    metrics: dict = field(default_factory=dict)  # {metric: column of results}, of inference
    predicted: str = "predicted_value"
    result: str = ""   # the column that is predicted, where there are no metrics


ALWAYS = 1.0
MODELS = ("llama-2-7b", "llama-3-8b", "gpt3-175b", "opt-13b", "qwen2.5-7b", "mixtral-8x7b",
          "llama-3-70b", "gemma-2-9b")
DEVICES = ("h100-sxm", "a100-sxm-80gb", "a100-sxm-40gb", "h200-sxm", "b200-sxm", "mi300x", "gb200",
           "v100-sxm2-32gb", "tpu-v4", "mi250x", "gaudi3", "b300-sxm", "l40s")
SYSTEM = (Column("gpus", "system.accelerators", (1, 2, 8, 16, 64), ALWAYS),
          Column("device", "system.device", DEVICES, ALWAYS),
          Column("power_limit_w", "system.power_limit", ((300, "300 W"), (450, "450 W")), 0.2))
TUNING = (Column("optimizer", "workload.optimizer",
                 ("adam", "sgd-momentum", "muon", "adafactor"), 0.2),
          Column("adapter_rank", "workload.adapter_rank", (8, 64), 0.2),
          Column("adapter_layers", "workload.adapter_layers", ("attention", "mlp"), 0.1),
          Column("frozen_weights", "workload.frozen_weights", ("int8", "nf4"), 0.1))
INPUTS = (Column("images", "workload.images", (1, 2, 0.5), 0.7, ("llava-1.5-7b",)),
          Column("recordings", "workload.recordings", (1, 2), 0.7, ("qwen2-audio-7b",)))
SEEING = ("llava-1.5-7b", "qwen2-audio-7b")
REQUESTS = (Column("model", "workload.model", MODELS + SEEING + ("deepseek-v3",), ALWAYS),
            Column("prompt_tokens", "workload.prompt", (1, 128, 1000, 3000), ALWAYS),
            Column("output_tokens", "workload.output", (2, 20, 200, 900), ALWAYS),
            Column("precision", "workload.precision", ("bf16", "fp16", "fp8"), 0.7),
            Column("framework", "workload.framework",
                   ("vllm", "tensorrt-llm", "sglang", "fastertransformer", "vllm-rocm"), ALWAYS),
            Column("prefill_chunk", "workload.prefill_chunk", (0, 512, 4096), 0.3))
REPLICAS = {"tp": "tensor_parallel", "pp": "pipeline_parallel", "dp": "data_parallel",
            "dcp": "decode_context_parallel", "ep": "expert_parallel",
            "redundant_experts": "redundant_experts", "expert_devices": "expert_devices"}
REPLICA_KEYS = {"tensor_parallel": [1, 2, 8], "pipeline_parallel": [1, 2]}

KINDS = {
    "training": Kind(
        (Column("model", "workload.model", MODELS + SEEING, ALWAYS),
         Column("seq", "workload.sequence", (512, 2048, 4096), ALWAYS),
         Column("global_batch", "workload.global_batch", (16, 64, 512), ALWAYS),
         Column("precision", "workload.precision", ("bf16", "fp16", "fp8", "tf32"), 0.7),
         Column("flash_attention", "workload.attention",
                ((True, "flash"), (False, "unfused")), ALWAYS),
         Column("framework", "workload.framework",
                ("megatron-lm", "megatron-bridge", "fsdp", "torchtitan", "nanotron", "overlapped",
                 "megatron-lm-2022"), ALWAYS),
         Column("document", "workload.document", (128, 300), 0.2),
         Column("capacity_factor", "workload.capacity_factor", (1, 1.25), 0.5,
                ("mixtral-8x7b",)),
         Column("trained", "workload.trained", ("all", "language_model", "projector"), 0.5,
                SEEING),
         *TUNING, *INPUTS, *SYSTEM),
        {"tp": "tensor_parallel", "pp": "pipeline_parallel", "dp": "data_parallel",
         "virtual_pp": "chunks", "micro_batch": "micro_batch", "cp": "context_parallel",
         "ep": "expert_parallel", "zero": "zero", "sequence_parallel": "sequence_parallel",
         "recompute": "recompute", "recompute_every": "recompute_every", "schedule": "schedule"},
        {"tensor_parallel": [1, 2, 8], "pipeline_parallel": [1, 2, 4], "chunks": [1, 2],
         "micro_batch": [1, 4], "context_parallel": [1, 2], "zero": [0, 1, 3],
         "recompute_every": [1, 2]},
        {"grad_precision": "fp32"}, {}, "predicted_step_time_s", "step_time"),
    "inference": Kind(
        (*REQUESTS, Column("batch", "workload.batch", (1, 8, 64), ALWAYS), *INPUTS, *SYSTEM),
        REPLICAS, REPLICA_KEYS, {},
        {"latency_s": "latency", "ttft_s": "time_to_first_token", "tpot_s": "time_per_output_token",
         "tokens_per_s": "tokens_per_second"}),
    "serving": Kind(
        (*REQUESTS, Column("concurrency", "workload.concurrency", (1, 8, 64, 512), ALWAYS),
         *INPUTS, *SYSTEM),
        REPLICAS, REPLICA_KEYS, {},
        {"ttft_s": "time_to_first_token", "tpot_s": "time_per_output_token",
         "tokens_per_s": "tokens_per_second"}),
    "recommendation": Kind(
        (Column("recommender", "workload.recommender", ("dlrm-dcnv2", "dlrm-mlperf"), ALWAYS),
         Column("batch", "workload.batch", (8192, 65536), ALWAYS),
         Column("work", "workload.work", ("training", "inference"), 0.7),
         Column("precision", "workload.precision", ("bf16", "fp16", "fp8", "int8", "tf32"), ALWAYS),
         Column("table_precision", "workload.table_precision", ("fp32", "fp16", "int8"), ALWAYS),
         Column("table_optimizer", "workload.table_optimizer",
                ("sgd", "rowwise_adagrad", "adagrad", "adam"), ALWAYS),
         Column("dense_optimizer", "workload.dense_optimizer", ("sgd", "adagrad", "adam"), ALWAYS),
         Column("resident_rows", "workload.resident_rows", (0.1, 0.5), 0.3),
         Column("framework", "workload.framework", ("hugectr", "torchrec", "tensorrt"), 0.7),
         *SYSTEM),
        {"table_sharding": "table_sharding"}, {}, {}, {}, "predicted_samples_per_s",
        "samples_per_second"),
    "diffusion": Kind(
        (Column("diffusion_model", "workload.diffusion_model",
                ("flux-1-dev", "hunyuan-video", "dit-xl-2", "sd3-medium", "sdxl"), ALWAYS),
         Column("width", "workload.width", (512, 1024, 1280), ALWAYS),
         Column("height", "workload.height", (512, 720, 1024), ALWAYS),
         Column("frames", "workload.frames", (1, 81), 0.3),
         Column("batch", "workload.batch", (1, 8, 64), ALWAYS),
         Column("steps", "workload.denoising_steps", (4, 50), 0.4),
         Column("precision", "workload.precision", ("bf16", "fp16", "fp8"), 0.7),
         Column("framework", "workload.framework", ("diffusers", "xdit", "pytorch-dit"), 0.7),
         Column("work", "workload.work", ("inference", "training"), 0.5),
         Column("states", "workload.states", ("fp32", "as_weights"), 0.2),
         Column("weight_average", "workload.weight_average", ("fp32", "none"), 0.2),
         Column("latents", "workload.latents", ("encoded", "stored"), 0.2), *SYSTEM),
        {"tensor_parallel": "tensor_parallel", "context_parallel": "context_parallel",
         "context_exchange": "context_exchange", "micro_batch": "micro_batch",
         "recompute": "recompute", "zero": "zero"},
        {}, {}, {}, "predicted_time_s", "batch_time"),
}


def drawn(kind, chance):
    """({column of cases: cell}, {key of a spec: value}) that say the same."""
    cells, values = {}, {}
    for column in KINDS[kind].columns:
        is_for = not column.of_models or cells["model"] in column.of_models
        if is_for and chance.random() < column.share:
            value = chance.choice(column.values)
            cell, said = value if isinstance(value, tuple) else (value, value)
            cells[column.name], values[column.key] = cell, said
    return cells, values


def spec_text(kind, values):
    lines = ["schema = 1", 'title = "a study"', f'workload.kind = "{kind}"']
    values = {**values, **{f"strategy.{key}": one for key, one in KINDS[kind].keys.items()}}
    lines += [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    return "\n".join(lines) + "\n"


def cell_text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def write_cases(path, rows):
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows([{name: cell_text(value) for name, value in row.items()} for row in rows])


def read_cases(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
