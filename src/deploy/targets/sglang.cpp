// SGLang: options of sglang.launch_server, from memory of python/sglang/srt/server_args.py,
// unverified; those of decode context parallelism from that file of 2026-08, which takes them in
// versions later than 0.5.9. Its tensor-parallel size counts all ranks of a stage; those that
// data-parallel attention makes replicas are among them.
#include "deploy/memory/engines.hpp"
#include "deploy/rules/program_rules.hpp"
#include "deploy/target.hpp"
#include "deploy/targets/serving_values.hpp"

namespace scalesweep::deploy {
namespace {

using technology::Precision;
using R = ServingRun;

constexpr auto options = std::to_array<ServingOption>({
    {"--model-path", "model", [](const R&) { return text("$MODEL"); }},
    {"--tp-size", "tensor_parallel, data_parallel", [](const R& r) { return text(r.ranks()); }},
    {"--pp-size", "pipeline_parallel",
     [](const R& r) {
       return text_if(r.strategy.pipeline_parallel > 1, r.strategy.pipeline_parallel);
     }},
    {"SGLANG_PP_LAYER_PARTITION", "pipeline_parallel", stage_layers, Place::environment},
    {"--dcp-size", "decode_context_parallel",
     [](const R& r) { return text_if(shares_cache(r), r.strategy.decode_context_parallel); },
     Place::command, since("main-2026-08")},
    {"--dcp-comm-backend", "framework: partial_outputs",
     [](const R& r) { return text_if(exchanges_outputs(r), "a2a"); }, Place::command,
     since("main-2026-08")},
    {"--dcp-replicate-q-proj", "framework: own_group_queries",
     [](const R& r) {
       return switch_if(exchanges_outputs(r) && r.job.stack.own_group_queries &&
                        r.job.model.latent.on());
     },
     Place::command, since("main-2026-08")},
    {"--dp-size", "data_parallel, expert_parallel",
     [](const R& r) { return text_if(r.replicas > 1, r.replicas); }},
    {"--enable-dp-attention", "data_parallel, expert_parallel",
     [](const R& r) { return switch_if(r.replicas > 1); }},
    {"--ep-size", "expert_parallel",
     [](const R& r) { return text_if(spreads_experts(r), r.strategy.expert_parallel); }},
    {"--moe-a2a-backend", "framework: expert_dispatch",
     [](const R& r) {
       return text_if(spreads_experts(r) && !r.strategy.experts_over_tensor && r.replicas > 1,
                      "deepep");
     }},
    {"--enable-two-batch-overlap", "framework: exchange_beside",
     [](const R& r) {
       return switch_if(spreads_experts(r) &&
                        r.job.stack.exchange_beside == workload::ExchangeOverlap::two_batches);
     }},
    {"--ep-num-redundant-experts", "redundant_experts",
     [](const R& r) {
       return text_if(r.strategy.redundant_experts > 0, r.strategy.redundant_experts);
     }},
    {"--nnodes", "servers", [](const R& r) { return text_if(r.hosts.nodes > 1, r.hosts.nodes); }},
    {"--node-rank", "servers", [](const R& r) { return text_if(r.hosts.nodes > 1, "$NODE_RANK"); }},
    {"--dist-init-addr", "servers",
     [](const R& r) { return text_if(r.hosts.nodes > 1, "$HEAD_ADDRESS"); }},
    port_option,
    {"--max-running-requests", "requests in flight of the server",
     [](const R& r) { return text(r.sequences * r.replicas); }},
    {"--cuda-graph-max-bs", "requests in flight of a replica",
     [](const R& r) { return text_if(r.pool != Pool::prefill, r.sequences); }},
    {"--chunked-prefill-size", "prefill_chunk",
     [](const R& r) { return text(r.chunk > 0 ? r.chunk * r.replicas : -1); }},
    {"--context-length", "prompt, output", [](const R& r) { return text(r.longest); }},
    {"--mem-fraction-static", "memory", [](const R& r) { return text(r.memory_share); }},
    {"--dtype", "precision: activations",
     [](const R& r) {
       return text(r.job.precision.activations == Precision::fp16 ? "float16" : "bfloat16");
     }},
    fp8_option,
    {"--kv-cache-dtype", "precision: cache",
     [](const R& r) { return text_if(r.job.precision.cache == Precision::fp8, "fp8_e4m3"); }},
    {"--disable-radix-cache", "prefix_hits",
     [](const R& r) { return switch_if(!reuses_prefixes(r)); }},
    {"--speculative-algorithm", "draft",
     [](const R& r) {
       const estimator::Drafter& drafter = r.job.speculation.drafter;
       return text_if(drafts(r), !drafter.on()       ? "NGRAM"
                                 : drafter.is_behind ? "EAGLE"
                                                     : "STANDALONE");
     }},
    {"--speculative-draft-model-path", "draft_model",
     [](const R& r) {
       const estimator::Drafter& drafter = r.job.speculation.drafter;
       return text_if(drafts(r) && drafter.on() && !drafter.is_behind, "$DRAFT_MODEL");
     }},
    {"--speculative-num-steps", "draft",
     [](const R& r) { return text_if(drafts(r), r.job.speculation.draft); }},
    {"--speculative-eagle-topk", "draft", [](const R& r) { return text_if(drafts(r), 1); }},
    {"--speculative-num-draft-tokens", "draft",
     [](const R& r) { return text_if(drafts(r), r.job.speculation.draft + 1); }},
    {"--max-loras-per-batch", "adapters",
     [](const R& r) { return text_if(r.job.adapters.on(), r.job.adapters.count); }},
    {"--max-lora-rank", "adapter_rank",
     [](const R& r) { return text_if(r.job.adapters.on(), r.job.adapters.rank); }},
    {"--disaggregation-mode", "[prefill], [decode]",
     [](const R& r) {
       return text_if(r.pool != Pool::all, r.pool == Pool::prefill ? "prefill" : "decode");
     }},
});

constexpr auto versions = std::to_array<Version>({
    {"0.5.3", "a4a3d823"},
    {"0.5.6.post2", "5c8bd8b5"},
    {"main-2026-06-08", "65d3b47f"},
});
constexpr std::array runs_on = {Vendor::nvidia, Vendor::amd};

}  // namespace

const ServingTarget& sglang() {
  static const ServingTarget target = {.text = {.name = "sglang",
                                                .versions = versions,
                                                .source = "python/sglang/srt/server_args.py",
                                                .runs_on = runs_on,
                                                .rules = sglang_rules()},
                                       .options = options,
                                       .program = "python -m sglang.launch_server",
                                       .memory = sglang_memory,
                                       .notes = serving_notes,
                                       .image = "lmsysorg/sglang:v0.5.3",
                                       .backend = "sglang"};
  return target;
}

}  // namespace scalesweep::deploy
