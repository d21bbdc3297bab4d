"""Specs of one point each, chosen to reach every option that launches have."""

TRAINERS = ("megatron-lm", "megatron-bridge", "torchtitan", "nanotron", "deepspeed", "maxtext")
ENGINES = ("vllm", "sglang", "tensorrt-llm")
ONE = {"tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1, "expert_parallel": 1,
       "chunks": 1, "micro_batch": 1, "zero": 1, "recompute": "full", "sequence_parallel": False}


def written(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {written(v)}" for k, v in value.items()) + " }"
    return f'"{value}"' if isinstance(value, str) else str(value)


def section(name, keys):
    return f"[{name}]\n" + "".join(f"{key} = {written(value)}\n" for key, value in keys.items())


def spec(workload, devices, device, strategy):
    return ('schema = 1\ntitle = "One point"\n' + section("workload", workload)
            + section("system", {"accelerators": devices, "device": device})
            + section("strategy", strategy))


def training(model, devices, workload=None, device="h100-sxm", **strategy):
    keys = {"kind": "training", "model": model, "sequence": 4096, "global_batch": 256}
    keys |= workload or {}
    layout = ONE | {"sequence_parallel": strategy.get("tensor_parallel", 1) > 1} | strategy
    if layout["pipeline_parallel"] > 1 and "uneven_stages" not in layout:
        layout["uneven_stages"] = True
    return spec(keys, devices, device, layout)


def serving(model, devices, workload=None, device="h100-sxm", **strategy):
    keys = {"kind": "serving", "model": model, "prompt": 2000, "output": 500,
            "time_per_output_token": "100 ms"}
    keys |= workload or {}
    return spec(keys, devices, device, {"tensor_parallel": 1, "pipeline_parallel": 1} | strategy)




def dense_training():
    """(name, spec): layouts of dense models."""
    yield "one server", training("llama-3-8b", 8, tensor_parallel=2)
    for name, model, devices in (("8b", "llama-3-8b", 16), ("7b", "qwen2.5-7b", 16),
                                 ("gpt", "gpt-6.7b", 16), ("mistral", "mistral-7b", 16)):
        for zero in (0, 1, 2, 3):
            yield f"{name} zero {zero}", training(model, devices, tensor_parallel=2, zero=zero)
            yield f"{name} zero {zero} alone", training(model, devices, zero=zero)
    for pipeline in (2, 4):
        yield f"70b stages {pipeline}", training(
            "llama-3-70b", 64, tensor_parallel=8, pipeline_parallel=pipeline)
        yield f"70b chunks {pipeline}", training(
            "llama-3-70b", 64, tensor_parallel=8, pipeline_parallel=pipeline, chunks=5)
        for zero in (0, 3):
            yield f"70b stages {pipeline} zero {zero}", training(
                "llama-3-70b", 128, tensor_parallel=8, pipeline_parallel=pipeline, zero=zero)
    yield "405b", training("llama-3-405b", 512, tensor_parallel=8, pipeline_parallel=16)
    yield "uneven", training("llama-3-405b", 512, tensor_parallel=8, pipeline_parallel=8)
    yield "first and last", training("llama-3-70b", 128, tensor_parallel=8, pipeline_parallel=4,
                                     first_stage_layers=19, last_stage_layers=19)
    for schedule in ("zero_bubble", "dual_pipe"):
        yield schedule, training("llama-3-70b", 128, tensor_parallel=8, pipeline_parallel=4,
                                 schedule=schedule)


def long_training():
    """Context parallelism both ways, sharding of groups, what is computed again or offloaded."""
    for exchange in ("ring", "all_to_all"):
        for tensor, context in ((1, 8), (2, 4), (8, 2)):
            for zero in (1, 3):
                yield f"context {exchange} {tensor}x{context} zero {zero}", training(
                    "llama-3-8b", 32, {"sequence": 32768, "global_batch": 64},
                    tensor_parallel=tensor, context_parallel=context, context_exchange=exchange,
                    zero=zero)
    for group in (8, 16):
        yield f"group {group}", training("llama-3-8b", 64, zero=3, shard_group=group)
        yield f"group {group} cut", training("llama-3-70b", 256, tensor_parallel=8, zero=3,
                                             shard_group=group)
    for recompute in ("none", "selective", "full"):
        for zero in (1, 3):
            yield f"{recompute} zero {zero}", training(
                "llama-3-8b", 64, tensor_parallel=2, recompute=recompute, zero=zero)
    yield "every second", training("llama-3-8b", 64, tensor_parallel=2, recompute_every=2)
    yield "offload activations", training("llama-3-8b", 64, tensor_parallel=2, recompute="none",
                                          offload_activations=True)
    yield "offload both", training("llama-3-8b", 64, tensor_parallel=2,
                                   offload_activations=True, offload_optimizer=True)
    for zero in (0, 1, 2, 3):
        yield f"offload zero {zero}", training("llama-3-8b", 64, zero=zero, offload_optimizer=True)
    yield "rank order", training("llama-3-70b", 128, tensor_parallel=8, pipeline_parallel=4,
                                 rank_order="tp-pp-cp-ep-dp")
    yield "adapters", training("llama-3-8b", 16, {"adapter_rank": 16}, tensor_parallel=2)
    yield "documents", training("llama-3-8b", 16, {"document": 512}, tensor_parallel=2)


def precise_training():
    """Precisions, on the devices that have them."""
    for precision in ("fp16", "bf16", "fp8", "mxfp8", "fp4", "mxfp4"):
        for device in ("h100-sxm", "b200-sxm", "mi300x"):
            for zero in (1, 3):
                yield f"{precision} {device} zero {zero}", training(
                    "llama-3-8b", 16, {"precision": precision}, device, tensor_parallel=2,
                    zero=zero)
    lean = {"name": "lean", "linear": "fp8", "moments": "bf16", "master_weights": "fp16"}
    for device in ("h100-sxm", "b200-sxm"):
        yield f"lean {device}", training("llama-3-8b", 16, {"precision": lean}, device,
                                         tensor_parallel=2)
    moments = {"name": "half", "moments": "bf16"}
    yield "moments", training("llama-3-8b", 16, {"precision": moments}, tensor_parallel=2)
    for recipe in ("delayed", "current", "row", "block"):
        fp8 = {"name": recipe, "linear": "fp8", "recipe": recipe}
        yield f"recipe {recipe}", training("llama-3-8b", 16, {"precision": fp8}, tensor_parallel=2)
    gradients = {"name": "gradients", "gradients": "bf16"}
    for zero in (1, 3):
        yield f"gradients zero {zero}", training("llama-3-8b", 16, {"precision": gradients},
                                                 tensor_parallel=2, zero=zero)
    for device in ("h200-sxm", "gb200", "tpu-v5p", "gaudi3"):
        yield device, training("llama-3-8b", 16, None, device, tensor_parallel=2)


def expert_training():
    for model, devices in (("qwen3-30b-a3b", 64), ("mixtral-8x7b", 64)):
        for expert in (1, 8):
            for tensor in (1, 2):
                for zero in (0, 1, 3):
                    yield f"{model} {tensor} {expert} zero {zero}", training(
                        model, devices, tensor_parallel=tensor, expert_parallel=expert, zero=zero,
                        pipeline_parallel=2 if zero < 3 else 1)
        yield f"{model} over tensor", training(model, devices, tensor_parallel=2, expert_parallel=8,
                                               experts_over_tensor=True)
        yield f"{model} context", training(model, devices, {"sequence": 16384}, tensor_parallel=2,
                                           context_parallel=4, expert_parallel=8)
        yield f"{model} group", training(model, 256, expert_parallel=8, zero=3, shard_group=32)
        yield f"{model} capacity", training(model, devices, {"capacity_factor": 1.25},
                                            expert_parallel=8, pipeline_parallel=2)
        yield f"{model} fp16", training(model, devices, {"precision": "fp16"}, expert_parallel=8,
                                        pipeline_parallel=2)
    yield "235b", training("qwen3-235b-a22b", 256, tensor_parallel=2, pipeline_parallel=8,
                           expert_parallel=16, experts_over_tensor=True)
    for pipeline, chunks in ((16, 1), (8, 2), (9, 1)):
        devices = 1024 if pipeline != 9 else 2304
        yield f"deepseek {pipeline} {chunks}", training(
            "deepseek-v3", devices, {"global_batch": devices, "precision": "fp8"}, "h200-sxm",
            tensor_parallel=1, pipeline_parallel=pipeline, chunks=chunks, expert_parallel=32)
    yield "kimi", training("kimi-k2", 2048, {"global_batch": 2048}, "h200-sxm", tensor_parallel=2,
                           pipeline_parallel=16, expert_parallel=32)


def megatron_training():
    """What Megatron and DeepSpeed have options or rules of their own for."""
    small = {"sequence": 4096, "global_batch": 256}
    for group in (8, 32):
        yield f"shards {group}", training("llama-3-8b", 64, zero=3, shard_group=group)
        yield f"shards of experts {group}", training(
            "mixtral-8x7b", 128, zero=3, expert_parallel=8, shard_group=group)
    for name, precision in (("moments fp16", {"name": "m", "moments": "fp16"}),
                            ("gradients fp16", {"name": "g", "linear": "fp16",
                                                "activations": "fp16", "weights": "fp16",
                                                "gradients": "fp16"}),
                            ("gradients sent", {"name": "s", "gradient_communication": "bf16"})):
        for zero in (0, 1, 3):
            yield f"{name} zero {zero}", training("llama-3-8b", 16, small | {
                "precision": precision}, tensor_parallel=2, zero=zero)
    for device in ("b200-sxm", "gb300", "mi355x"):
        for precision in ("fp4", "mxfp8"):
            yield f"{precision} {device}", training("llama-3-70b", 64, {"precision": precision},
                                                    device, tensor_parallel=4, pipeline_parallel=2)
    for tensor, parallel in ((1, False), (8, True), (8, False)):
        yield f"zero bubble {tensor} {parallel}", training(
            "llama-3-70b" if tensor > 1 else "llama-3-8b", 128, tensor_parallel=tensor,
            sequence_parallel=parallel, pipeline_parallel=4, schedule="zero_bubble")
    for pipeline, first, last in ((2, 39, 41), (4, 18, 18), (4, 20, 0), (8, 6, 14)):
        more = {"last_stage_layers": last} if last else {}
        yield f"stages {pipeline} {first} {last}", training(
            "llama-3-70b", 128, tensor_parallel=8, pipeline_parallel=pipeline,
            first_stage_layers=first, uneven_stages=False, **more)
    yield "alone", training("llama-3-8b", 8, tensor_parallel=8, zero=0, offload_optimizer=True)
    for rank_order in ("tp-cp-ep-pp-dp", "tp-ep-dp-cp-pp"):
        for zero in (1, 3):
            yield f"{rank_order} zero {zero}", training("llama-3-8b", 64, tensor_parallel=2,
                                                        zero=zero, rank_order=rank_order)
    for model in ("deepseek-v3", "deepseek-v2", "gpt-oss-120b", "llama-4-scout", "qwen3-32b",
                  "gemma-3-27b", "phi-4", "bloom-176b"):
        for tensor, pipeline in ((2, 4), (1, 8), (2, 16)):
            yield f"{model} {tensor} {pipeline}", training(
                model, 512, {"sequence": 4096, "global_batch": 512}, "h200-sxm",
                tensor_parallel=tensor, pipeline_parallel=pipeline)
    for tensor in (4, 8, 16):
        yield f"thin groups {tensor}", training("qwen2.5-72b", 128, tensor_parallel=tensor,
                                                pipeline_parallel=2)
        yield f"exchanged heads {tensor}", training(
            "llama-3-70b", 128, {"sequence": 32768, "global_batch": 32}, tensor_parallel=tensor,
            context_parallel=2, context_exchange="all_to_all")


def fsdp_training():
    """What torchtitan, nanotron and MaxText have and the others reach less of."""
    for model, devices in (("llama-3-70b", 128), ("qwen3-32b", 64), ("gpt-oss-20b", 64),
                           ("llama-4-scout", 256), ("deepseek-v2", 256), ("qwen2.5-7b", 16)):
        for tensor in (1, 2, 4):
            for recompute in ("none", "selective", "full"):
                yield f"{model} {tensor} {recompute}", training(
                    model, devices, tensor_parallel=tensor, zero=3, recompute=recompute)
    for pipeline, chunks in ((2, 1), (4, 2), (4, 5), (8, 2)):
        yield f"chunks {pipeline} {chunks}", training(
            "llama-3-70b", 128, tensor_parallel=2, pipeline_parallel=pipeline, chunks=chunks,
            zero=3)
    for model, devices in (("llama-3-8b", 16), ("llama-2-7b", 16), ("llama-3-70b", 128)):
        for tensor, pipeline in ((1, 1), (4, 1), (4, 2), (8, 4)):
            for zero in (0, 1):
                yield f"{model} {tensor} {pipeline} {zero} kept", training(
                    model, devices if tensor > 1 else 4 * devices, tensor_parallel=tensor,
                    pipeline_parallel=pipeline, zero=zero, recompute="none")
    yield "zero bubble 3", training("llama-3-70b", 128, tensor_parallel=2, pipeline_parallel=4,
                                    schedule="zero_bubble", zero=3)
    yield "edges 3", training("llama-3-70b", 128, tensor_parallel=2, pipeline_parallel=4, zero=3,
                              first_stage_layers=19, last_stage_layers=19)
    yield "not split", training("llama-3-8b", 16, tensor_parallel=2, zero=3,
                                sequence_parallel=False)
    for pipeline in (1, 2):
        yield f"671b {pipeline}", training(
            "deepseek-v3", 1024, {"global_batch": 2048}, "h200-sxm", pipeline_parallel=pipeline,
            expert_parallel=64, zero=3)
    for model in ("qwen3-30b-a3b", "mixtral-8x7b"):
        for precision in ("bf16", "fp8"):
            for tensor, context in ((1, 1), (2, 1), (1, 2)):
                yield f"{model} {precision} {tensor} {context} sharded", training(
                    model, 64, {"precision": precision}, tensor_parallel=tensor,
                    context_parallel=context, expert_parallel=8, zero=3)
    for device in ("tpu-v5p", "tpu-v6e"):
        for model, devices in (("llama-3-8b", 64), ("llama-3-70b", 256), ("qwen3-30b-a3b", 128)):
            for zero in (0, 1, 3):
                yield f"{model} {device} {zero}", training(model, devices, None, device, zero=zero)
            for exchange in ("ring", "all_to_all"):
                yield f"{model} {device} {exchange}", training(
                    model, devices, {"sequence": 32768}, device, zero=3, context_parallel=2,
                    context_exchange=exchange)
            yield f"{model} {device} tensor", training(model, devices, None, device, zero=3,
                                                       tensor_parallel=4, offload_optimizer=True)


def dense_serving():
    """(name, spec): requests to dense models."""
    yield "one device", serving("llama-3-8b", 1)
    for tensor in (1, 2, 4, 8):
        yield f"8b {tensor}", serving("llama-3-8b", 8, tensor_parallel=tensor)
    for model in ("llama-3-70b", "qwen2.5-72b", "mistral-large-2"):
        yield f"{model} servers", serving(model, 16, tensor_parallel=8)
        yield f"{model} stages", serving(model, 16, tensor_parallel=8, pipeline_parallel=2)
        yield f"{model} wide", serving(model, 16, tensor_parallel=16)
    for device in ("h200-sxm", "b200-sxm", "gb200", "mi300x", "tpu-v6e", "gaudi3"):
        yield device, serving("llama-3-8b", 4, None, device, tensor_parallel=2)
    for precision in ("fp16", "fp8", "mxfp4", "fp4"):
        for device in ("h100-sxm", "b200-sxm"):
            yield f"{precision} {device}", serving("llama-3-70b", 8, {"precision": precision},
                                                   device, tensor_parallel=8)
    small = {"name": "small", "weights": "fp8", "operands": "fp8", "cache": "fp8"}
    yield "cache", serving("llama-3-70b", 8, {"precision": small}, tensor_parallel=8)
    for weights in ("int8", "int4"):
        yield weights, serving("llama-3-70b", 8, {"precision": {"name": "w", "weights": weights}},
                               tensor_parallel=8)
    yield "batch", spec({"kind": "inference", "model": "llama-3-8b", "prompt": 200, "output": 100,
                         "batch": 16}, 1, "h100-sxm", {"tensor_parallel": 1})


def eased_serving():
    """Batching, prefixes, drafts, adapters, pools."""
    for batching in ("separate", "chunked", "disaggregated"):
        yield batching, serving("llama-3-70b", 32, {"batching": batching}, tensor_parallel=8)
        yield batching + " closed", serving(
            "llama-3-70b", 32, {"batching": batching, "concurrency": 64}, tensor_parallel=8)
    for tensor in (4, 8):
        yield f"pools {tensor}", serving(
            "llama-3-70b", 32, {"batching": "disaggregated", "prefill_share": 0.5},
            tensor_parallel=tensor)
    for tier in ("prefix_hits", "prefix_hits_host"):
        yield tier, serving("llama-3-70b", 16, {tier: 0.3}, tensor_parallel=8)
    yield "storage", serving("llama-3-70b", 16, {"prefix_hits_storage": 0.3,
                             "prefix_storage_bandwidth": "5 GB/s"}, tensor_parallel=8)
    for draft in ("ngram", "eagle", "llama-3-8b"):
        more = {} if draft == "ngram" else {"draft_model": draft}
        yield f"draft {draft}", serving("llama-3-70b", 16,
                                        {"draft": 3, "acceptance": 0.7} | more, tensor_parallel=8)
    yield "draft mtp", serving("deepseek-v3", 16, {"precision": "fp8", "draft": 1,
                               "acceptance": 0.8, "draft_model": "mtp"}, "h200-sxm",
                               tensor_parallel=8)
    for rank in (16, 24, 64):
        yield f"adapters {rank}", serving("llama-3-8b", 8, {"adapters": 32, "adapter_rank": rank},
                                          tensor_parallel=2)
    yield "chunk", serving("llama-3-70b", 16, {"prefill_chunk": 2048}, tensor_parallel=8)
    yield "images", serving("qwen2-vl-7b", 8, {"images": 1},
                            tensor_parallel=2)


def expert_serving():
    for model, devices, sizes in (("qwen3-30b-a3b", 8, (1, 2, 4, 8)),
                                  ("qwen3-235b-a22b", 16, (1, 2, 4, 8)),
                                  ("minimax-m2", 16, (4, 8)), ("mixtral-8x7b", 8, (2, 8))):
        for tensor in sizes:
            for precision in ("bf16", "fp8"):
                yield f"{model} {tensor} {precision}", serving(
                    model, devices, {"precision": precision}, tensor_parallel=tensor)
        for redundant in ("none", 16):
            yield f"{model} whole {redundant}", serving(
                model, devices, {"precision": "fp8"}, tensor_parallel=1, expert_parallel=8,
                redundant_experts=redundant)
        yield f"{model} over tensor", serving(
            model, devices, {"precision": "fp8"}, tensor_parallel=2, expert_parallel=8,
            experts_over_tensor=True)
    for model in ("deepseek-v3", "kimi-k2"):
        for expert in (16, 32):
            for batching in ("separate", "chunked"):
                yield f"{model} {expert} {batching}", serving(
                    model, expert, {"precision": "fp8", "batching": batching, "prompt": 500},
                    "h200-sxm", tensor_parallel=1, expert_parallel=expert)
        yield f"{model} pools", serving(
            model, 64, {"precision": "fp8", "batching": "disaggregated", "prefill_share": 0.5},
            "h200-sxm", tensor_parallel=1, expert_parallel=32)
        yield f"{model} cut", serving(model, 16, {"precision": "fp8"}, "h200-sxm",
                                      tensor_parallel=16)
        for context in (8, 16):
            yield f"{model} shared cache {context}", serving(
                model, 16, {"precision": "fp8", "batching": "separate"}, "h200-sxm",
                tensor_parallel=16, decode_context_parallel=context)
        yield f"{model} stages", serving(model, 32, {"precision": "fp8", "concurrency": 64},
                                         "h200-sxm", tensor_parallel=16, pipeline_parallel=2,
                                         uneven_stages=True)


def many_servers():
    """What starts engines on many servers: pools, devices, servers that share a node."""
    pools = {"batching": "disaggregated", "prefill_share": 0.5}
    for device in ("h200-sxm", "gb200", "mi300x", "mi355x", "tpu-v6e", "gaudi3"):
        yield f"{device} servers", serving("llama-3-70b", 32, None, device, tensor_parallel=8)
        yield f"{device} pools", serving("llama-3-70b", 32, pools, device, tensor_parallel=8)
    yield "small servers", serving("llama-3-8b", 12, tensor_parallel=1)
    yield "small pools", serving("llama-3-8b", 32, pools, tensor_parallel=2)
    yield "wide servers", serving("deepseek-v3", 32, {"precision": "fp8"}, tensor_parallel=16)
    yield "wide pools", serving("deepseek-v3", 64, pools | {"precision": "fp8"},
                                tensor_parallel=16)
    yield "wide experts", serving("deepseek-v3", 64, pools | {"precision": "fp8"}, "h200-sxm",
                                  tensor_parallel=1, expert_parallel=16)
    yield "drafts of pools", serving("llama-3-70b", 32, pools | {
        "draft": 3, "acceptance": 0.7, "draft_model": "llama-3-8b"}, tensor_parallel=8)


def all_specs():
    """(target, name, spec), each name once for a target."""
    for make in (dense_training, long_training, precise_training, expert_training,
                 fsdp_training):
        for name, text in make():
            for target in TRAINERS:
                yield target, name, text
    for name, text in megatron_training():
        for target in ("megatron-lm", "megatron-bridge", "deepspeed"):
            yield target, name, text
    for make in (dense_serving, eased_serving, expert_serving, many_servers):
        for name, text in make():
            for target in ENGINES:
                yield target, name, text
