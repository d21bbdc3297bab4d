// vLLM: options of `vllm serve`, which vllm/engine/arg_utils.py adds at be22bb6f3dd7 (v0.11) and at
// ab7521d77 (2026-05-29, v0.22); but --dcp-comm-backend, which pull request 34883 (2026-02)
// brought. What their values mean is from memory, unverified.
#include "deploy/memory/engines.hpp"
#include "deploy/target.hpp"
#include "deploy/targets/serving_values.hpp"

namespace scalesweep::deploy {
namespace {

using technology::Precision;
using R = ServingRun;

std::string speculation(const R& r) {
  const estimator::Speculation& own = r.job.speculation;
  const std::string_view method = !own.drafter.on()       ? "ngram"
                                  : own.drafter.is_behind ? "mtp"
                                                          : "draft_model";
  const std::string model = own.drafter.on() && !own.drafter.is_behind
                                ? fmt::format(R"("model": "{}", )", own.drafter.model.name)
                                : "";
  return fmt::format(R"({{{}"method": "{}", "num_speculative_tokens": {}}})", model, method,
                     own.draft);
}

constexpr auto options = std::to_array<ServingOption>({
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
     since("0.22")},
    {"--data-parallel-size", "data_parallel, expert_parallel",
     [](const R& r) { return text_if(r.replicas > 1, r.replicas); }},
    {"--enable-expert-parallel", "expert_parallel",
     [](const R& r) { return switch_if(spreads_experts(r)); }},
    {"--enable-eplb", "redundant_experts",
     [](const R& r) { return switch_if(r.strategy.redundant_experts > 0); }},
    {"--eplb-config", "redundant_experts",
     [](const R& r) {
       return text_if(
           r.strategy.redundant_experts > 0,
           fmt::format(R"({{"num_redundant_experts": {}}})", r.strategy.redundant_experts));
     }},
    {"--distributed-executor-backend", "servers",
     [](const R& r) { return text_if(r.hosts.nodes > 1, "ray"); }},
    {"--data-parallel-backend", "servers",
     [](const R& r) { return text_if(r.hosts.nodes > 1 && r.replicas > 1, "ray"); }},
    port_option,
    {"--max-num-seqs", "requests in flight of a replica",
     [](const R& r) { return text(r.sequences); }},
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
    {"--speculative-config", "draft",
     [](const R& r) { return drafts(r) ? Value(speculation(r)) : std::nullopt; }},
    {"--enable-lora", "adapters", [](const R& r) { return switch_if(r.job.adapters.on()); }},
    {"--max-loras", "adapters",
     [](const R& r) { return text_if(r.job.adapters.on(), r.job.adapters.count); }},
    {"--max-lora-rank", "adapter_rank",
     [](const R& r) { return text_if(r.job.adapters.on(), r.job.adapters.rank); }},
    {"--kv-transfer-config", "[prefill], [decode]",
     [](const R& r) {
       return text_if(r.pool != Pool::all,
                      R"({"kv_connector": "NixlConnector", "kv_role": "kv_both"})");
     }},
});

constexpr auto versions = std::to_array<Version>({
    {"0.11", "be22bb6f"},
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
               .runs_on = runs_on},
      .options = options,
      .program = "vllm serve \"$MODEL\"",
      .memory = vllm_memory,
      .notes = serving_notes,
      .image = "vllm/vllm-openai:v0.11.0",
      .backend = "vllm"};
  return target;
}

}  // namespace scalesweep::deploy
