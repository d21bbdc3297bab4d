// vLLM: options of `vllm serve`, as vllm/engine/arg_utils.py, vllm/config and vllm/envs.py have
// them at the commits below. Lines that are cited are of those commits.
#include "deploy/memory/engines.hpp"
#include "deploy/rules/program_rules.hpp"
#include "deploy/target.hpp"
#include "deploy/targets/serving_values.hpp"

namespace scalesweep::deploy {
namespace {

using technology::Precision;
using workload::ExpertDispatch;
using R = ServingRun;

// --nnodes came with pull request 23691 (b316ac6589, 2025-11-16). Engines of data parallelism need
// it as little as they need Ray.
bool has_nnodes(const R& r) {
  return r.since("0.12");
}
bool replica_spans(const R& r) {
  return r.strategy.tensor_parallel * r.strategy.pipeline_parallel > r.hosts.per_node;
}
// Of the replicas of an engine, those on each server.
std::int64_t local_replicas(const R& r) {
  return std::max<std::int64_t>(1, r.replicas / r.hosts.nodes);
}
bool starts_by_rank(const R& r) {
  return spans_servers(r) && r.replicas > 1 && !has_nnodes(r);
}

std::string_view method(const R& r) {
  switch (proposer_of(r)) {
    case Proposer::prompt:
      return "ngram";
    case Proposer::own_layers:
      return "mtp";
    case Proposer::head:
      return "eagle";
    case Proposer::model:
      return "draft_model";
    case Proposer::none:
      break;
  }
  return "";
}

// vllm/config/lora.py:104 of be22bb6f; later versions know 1 as well.
Value adapter_rank(const R& r) {
  for (const std::int64_t rank : {8, 16, 32, 64, 128, 256, 320, 512}) {
    if (has_adapters(r) && r.job.adapters.rank <= rank) {
      return text(rank);
    }
  }
  return std::nullopt;
}

// One backend has prompts and decoding; nothing of the default, which gathers all tokens.
Value exchange(const R& r) {
  const ExpertDispatch dispatch = dispatch_of(r);
  if (!spreads_experts(r) || !dispatches_by_deepep(dispatch)) {
    return std::nullopt;
  }
  return text(dispatch == ExpertDispatch::low_latency ? "deepep_low_latency"
                                                      : "deepep_high_throughput");
}

// Graphs of all decoding that is estimated with them, where the default stops before: at twice the
// sequences, and at 512 (vllm/config/scheduler.py:244 of be22bb6f, vllm/config/vllm.py:1399 of
// 2a69949b). Sizes are multiples of 16 there.
std::optional<std::int64_t> graph_size(const R& r) {
  constexpr std::int64_t most = 512;
  constexpr std::int64_t step = 16;
  const std::int64_t needed = r.sequences * tokens_of_step(r);
  const std::int64_t twice = 2 * r.sequences * (r.since("0.12") ? tokens_of_step(r) : 1);
  if (r.pool == Pool::prefill || needed <= std::min(twice, most)) {
    return std::nullopt;
  }
  return (needed + step - 1) / step * step;
}

// vllm/v1/kv_offload/cpu.py:25 of be22bb6f takes a number of blocks; later ones take bytes of all
// ranks of an engine. Blocks hold 16 tokens, of latent attention 64 (vllm/platforms/cuda.py:117 and
// 155 of be22bb6f).
std::string offloading(const R& r) {
  const double bytes = host_cache_bytes(r);
  if (!r.since("0.12")) {
    const double block = (r.job.model.latent.on() ? 64.0 : 16.0) * r.token_bytes;
    return fmt::format(R"("num_cpu_blocks": {:.0f})", block > 0.0 ? std::floor(bytes / block) : 1);
  }
  const auto ranks = static_cast<double>(r.strategy.tensor_parallel * r.strategy.pipeline_parallel);
  return fmt::format(R"("cpu_bytes_to_use": {:.0f})", bytes * ranks);
}

constexpr std::string_view nixl = R"({"kv_connector": "NixlConnector", "kv_role": "kv_both"})";

Value connectors(const R& r) {
  const bool offloads = keeps_prefixes_in_host(r);
  if (r.pool == Pool::all && (!offloads || r.since("0.12"))) {
    return std::nullopt;  // --kv-offloading-size
  }
  const std::string host =
      fmt::format(R"({{"kv_connector": "OffloadingConnector", "kv_role": "kv_both", )"
                  R"("kv_connector_extra_config": {{{}}}}})",
                  offloading(r));
  if (r.pool == Pool::all) {
    return host;
  }
  return !offloads ? std::string(nixl)
                   : fmt::format(R"({{"kv_connector": "MultiConnector", "kv_role": "kv_both", )"
                                 R"("kv_connector_extra_config": {{"connectors": [{}, {}]}}}})",
                                 nixl, host);
}

constexpr auto options = std::to_array<ServingOption>({
    {"--trust-remote-code", "model", [](const R& r) { return switch_if(brings_code(r)); }},
    {"--tensor-parallel-size", "tensor_parallel",
     [](const R& r) { return text(r.strategy.tensor_parallel); }},
    {"--pipeline-parallel-size", "pipeline_parallel",
     [](const R& r) {
       return text_if(r.strategy.pipeline_parallel > 1, r.strategy.pipeline_parallel);
     }},
    {"VLLM_PP_LAYER_PARTITION", "pipeline_parallel", stage_layers, Place::environment},
    {"--decode-context-parallel-size", "decode_context_parallel",
     [](const R& r) { return text_if(shares_cache(r), r.strategy.decode_context_parallel); }},
    {"--dcp-comm-backend", "framework: partial_outputs",
     [](const R& r) { return text_if(exchanges_outputs(r), "a2a"); }, Place::command,
     since("0.19")},
    {"--data-parallel-size", "data_parallel, expert_parallel",
     [](const R& r) { return text_if(r.replicas > 1, r.replicas); }},
    {"--data-parallel-size-local", "servers",
     [](const R& r) { return text_if(starts_by_rank(r), local_replicas(r)); }},
    {"--data-parallel-address", "servers",
     [](const R& r) { return text_if(starts_by_rank(r), "${HEAD_ADDRESS%:*}"); }},
    {"--data-parallel-start-rank", "servers",
     [](const R& r) {
       return text_if(starts_by_rank(r), fmt::format("$(({} * NODE_RANK))", local_replicas(r)));
     }},
    {"--enable-expert-parallel", "expert_parallel",
     [](const R& r) { return switch_if(spreads_experts(r)); }},
    {"VLLM_ALL2ALL_BACKEND", "framework: expert_dispatch", exchange, Place::environment,
     before("0.12")},
    {"--all2all-backend", "framework: expert_dispatch", exchange, Place::command, since("0.12")},
    {"--enable-dbo", "framework: exchange_beside",
     [](const R& r) {
       return switch_if(exchange(r).has_value() &&
                        r.job.stack.exchange_beside == workload::ExchangeOverlap::two_batches);
     }},
    {"--enable-eplb", "redundant_experts", [](const R& r) { return switch_if(copies_experts(r)); }},
    {"--eplb-config", "redundant_experts",
     [](const R& r) {
       return text_if(
           copies_experts(r),
           fmt::format(R"({{"num_redundant_experts": {}}})", r.strategy.redundant_experts));
     }},
    {"--nnodes", "servers",
     [](const R& r) { return text_if(spans_servers(r), r.hosts.nodes); }, Place::command,
     since("0.12")},
    {"--node-rank", "servers", [](const R& r) { return text_if(spans_servers(r), "$NODE_RANK"); },
     Place::command, since("0.12")},
    {"--master-addr", "servers",
     [](const R& r) { return text_if(spans_servers(r), "${HEAD_ADDRESS%:*}"); }, Place::command,
     since("0.12")},
    {"--distributed-executor-backend", "servers",
     [](const R& r) {
       const bool by_ray = replica_spans(r) && !has_nnodes(r);
       return text_if(spans_servers(r), by_ray ? "ray" : "mp");
     }},
    host_option,
    port_option,
    {"--max-num-seqs", "requests in flight of a replica",
     [](const R& r) { return text(r.sequences); }},
    {"--cuda-graph-sizes", "requests in flight of a replica",
     [](const R& r) {
       const auto size = graph_size(r);
       return text_if(size.has_value(), size.value_or(0));
     },
     Place::command, before("0.12")},
    {"--compilation-config", "requests in flight of a replica",
     [](const R& r) {
       const auto size = graph_size(r);
       return text_if(size.has_value(),
                      fmt::format(R"({{"max_cudagraph_capture_size": {}}})", size.value_or(0)));
     },
     Place::command, since("0.12")},
    {"--max-num-batched-tokens", "prefill_chunk", [](const R& r) { return text(r.tokens()); }},
    {"--max-model-len", "prompt, output", [](const R& r) { return text(r.longest); }},
    {"--gpu-memory-utilization", "memory", [](const R& r) { return text(r.memory_share); }},
    {"--dtype", "precision: activations",
     [](const R& r) {
       const Precision activations = r.job.precision.activations;
       return text(activations == Precision::fp16   ? "float16"
                   : activations == Precision::fp32 ? "float32"
                                                    : "bfloat16");
     }},
    fp8_option,
    {"--kv-cache-dtype", "precision: cache",
     [](const R& r) { return text_if(r.job.precision.cache == Precision::fp8, "fp8"); }},
    {"--enable-prefix-caching", "prefix_hits",
     [](const R& r) { return switch_if(reuses_prefixes(r)); }},
    {"--no-enable-prefix-caching", "prefix_hits",
     [](const R& r) { return switch_if(!reuses_prefixes(r)); }},
    {"--kv-offloading-size", "prefix_hits_host",
     [](const R& r) {
       const double gib = host_cache_bytes(r) * static_cast<double>(r.strategy.tensor_parallel) *
                          r.strategy.pipeline_parallel / (1 << 30);
       return text_if(keeps_prefixes_in_host(r) && r.pool == Pool::all,
                      fmt::format("{:.0f}", std::max(1.0, std::floor(gib))));
     },
     Place::command, since("0.12")},
    {"--speculative-config.method", "draft",
     [](const R& r) { return text_if(drafts(r), method(r)); }},
    {"--speculative-config.model", "draft_model",
     [](const R& r) { return text_if(has_draft_checkpoint(r), "$DRAFT_MODEL"); }},
    {"--speculative-config.num_speculative_tokens", "draft",
     [](const R& r) { return text_if(drafts(r), r.job.speculation.draft); }},
    {"--enable-lora", "adapters", [](const R& r) { return switch_if(has_adapters(r)); }},
    {"--max-loras", "adapters",
     [](const R& r) { return text_if(has_adapters(r), r.job.adapters.count); }},
    {"--max-lora-rank", "adapter_rank", adapter_rank},
    {"--kv-transfer-config", "[prefill], [decode], prefix_hits_host", connectors},
});

std::vector<std::string> notes(const R& r) {
  std::vector<std::string> all = serving_notes(r);
  if (spans_servers(r)) {
    // entrypoints/cli/serve.py:309 of 017e9f44
    all.emplace_back("all nodes but the first add --headless; the files beside do");
  }
  if (r.waits_for_prompts) {
    all.emplace_back(
        "vLLM has prompts and decoding in the same iterations: batching = \"separate\", as "
        "estimated, has them apart, and no option does");
  }
  if (multiplies_fp8(r) && r.job.recipe() == workload::Recipe::block) {
    all.push_back(
        fmt::format("MODEL is a checkpoint in fp8 with scales of blocks of 128 x 128, as "
                    "estimated: of one in 16 "
                    "bits --quantization fp8 makes weights with a scale for each tensor{}",
                    r.since("main") ? ", and fp8_per_block such of blocks" : ""));
  }
  if (r.pool != Pool::all) {
    // nixl_connector.py:270 and 625 of be22bb6f: one port for each rank.
    all.push_back(fmt::format(
        "each engine of a pool needs VLLM_NIXL_SIDE_CHANNEL_HOST, its own address, and "
        "VLLM_NIXL_SIDE_CHANNEL_PORT, the first of {} free ports: files for several servers set "
        "them",
        r.ranks()));
  }
  if (proposer_of(r) == Proposer::head) {
    all.emplace_back("for the head of EAGLE-3 the method is eagle3");
  }
  const workload::ServingStack& stack = r.job.stack;
  if (r.pool == Pool::all && spreads_experts(r) && exchange(r) &&
      stack.decode_expert_dispatch != stack.expert_dispatch) {
    all.emplace_back(
        "an engine has one way to exchange tokens of experts: that of prompts is taken for "
        "decoding "
        "too, which is estimated with another");
  }
  return all;
}

std::string problem(const R& r) {
  if (proposer_of(r) == Proposer::model && !r.since("0.15")) {
    return fmt::format(
        "vLLM {} refuses draft models of their own (vllm/config/speculative.py:349 of be22bb6f, "
        "NotImplementedError): take --for vllm@0.19 or later, or draft_model = \"eagle\"",
        r.version);
  }
  if (has_adapters(r) && !adapter_rank(r)) {
    return fmt::format(
        "vLLM refuses adapter_rank {}: the largest --max-lora-rank is 512 (vllm/config/lora.py:104 "
        "of be22bb6f, :24 of 2a69949b)",
        r.job.adapters.rank);
  }
  if (starts_by_rank(r) && replica_spans(r)) {
    return fmt::format(
        "vLLM {} starts replicas that share experts on single servers (vllm/v1/engine/utils.py of "
        "be22bb6f), and tensor_parallel x pipeline_parallel is {} on servers of {} devices: take "
        "less, or --for vllm@0.19 or later",
        r.version, r.strategy.tensor_parallel * r.strategy.pipeline_parallel, r.hosts.per_node);
  }
  return "";
}

constexpr auto versions = std::to_array<Version>({
    {"0.11", "be22bb6f"},
    {"0.19", "2a69949b"},
    {"0.22", "ab7521d7"},
    {"main-2026-08-17", "017e9f44"},
});
constexpr std::array runs_on = {Vendor::nvidia, Vendor::amd, Vendor::google, Vendor::intel,
                                Vendor::intel_cpu};

}  // namespace

const ServingTarget& vllm() {
  static const ServingTarget target = {
      .text = {.name = "vllm",
               .versions = versions,
               .source = "vllm/engine/arg_utils.py and vllm/config",
               .runs_on = runs_on,
               .rules = vllm_rules()},
      .options = options,
      .program = "vllm serve \"$MODEL\"",
      .memory = vllm_memory,
      .notes = notes,
      .problem = problem,
      .backend = "vllm"};
  return target;
}

}  // namespace scalesweep::deploy
