// Values that options of several engines have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "deploy/parts/pipeline_split.hpp"
#include "deploy/parts/serving_run.hpp"

namespace scalesweep::deploy {

inline bool has_experts(const ServingRun& r) {
  return r.job.model.experts.on();
}
inline bool spreads_experts(const ServingRun& r) {
  return has_experts(r) && r.strategy.expert_parallel > 1;
}
inline bool copies_experts(const ServingRun& r) {
  return r.strategy.redundant_experts > 0;
}
inline bool shares_cache(const ServingRun& r) {
  return r.strategy.decode_context_parallel > 1;
}
inline bool exchanges_outputs(const ServingRun& r) {
  return shares_cache(r) && r.job.stack.partial_outputs == workload::PartialOutputs::all_to_all;
}
inline bool stores(technology::Precision what, technology::Precision format) {
  return what == format;
}
inline bool reuses_prefixes(const ServingRun& r) {
  return r.job.cached_share() > 0.0 || r.job.prefixes.curve != nullptr;
}
inline bool has_adapters(const ServingRun& r) {
  return r.job.adapters.on();
}
inline bool spans_servers(const ServingRun& r) {
  return r.hosts.nodes > 1;
}
// Of the service, or of its prompts, that begin like others.
inline bool takes_prompts(const ServingRun& r) {
  return r.pool != Pool::decode;
}

// How experts of an iteration of the pool exchange tokens: one without prompts where it is of
// decoding alone.
workload::ExpertDispatch dispatch_of(const ServingRun& r);
inline bool dispatches_by_deepep(workload::ExpertDispatch dispatch) {
  return dispatch == workload::ExpertDispatch::hierarchical ||
         dispatch == workload::ExpertDispatch::low_latency;
}

// What proposes tokens: text of the request, layers of the model itself that predict, a head behind
// it with a checkpoint of its own, or another model.
enum class Proposer : std::uint8_t { none, prompt, own_layers, head, model };
Proposer proposer_of(const ServingRun& r);
inline bool drafts(const ServingRun& r) {
  return proposer_of(r) != Proposer::none;
}
inline bool has_draft_checkpoint(const ServingRun& r) {
  return proposer_of(r) == Proposer::head || proposer_of(r) == Proposer::model;
}
// Tokens that a sequence has in an iteration: those proposed, and one.
inline std::int64_t tokens_of_step(const ServingRun& r) {
  return drafts(r) ? r.job.speculation.draft + 1 : 1;
}

// Layers of each stage where not all have as many: "31,30".
inline Value stage_layers(const ServingRun& r) {
  return text_if(is_uneven(r.job.model, r.strategy), layers_text(r.job.model, r.strategy));
}

// Whether the tokenizer of a model is code of its checkpoint: that of Kimi
// (vllm/tokenizers/hf.py:213 of 017e9f44 refuses it where nobody trusts it).
inline bool brings_code(const ServingRun& r) {
  return r.job.model.name.starts_with("kimi");
}

// Of several engines on a server each listens to a port of its own, which files name in PORT.
// Defaults reach nobody else: localhost of SGLang and trtllm-serve, 30000 of SGLang.
inline constexpr ServingOption host_option = {"--host", "servers",
                                              [](const ServingRun&) { return text("0.0.0.0"); }};
inline constexpr ServingOption port_option = {
    "--port", "servers", [](const ServingRun&) { return text("${PORT:-8000}"); }};
// Weights and operands in fp8, of vLLM and SGLang.
inline bool multiplies_fp8(const ServingRun& r) {
  const technology::Precision fp8 = technology::Precision::fp8;
  const estimator::InferencePrecision& precision = r.job.precision;
  return precision.is_uniform() && precision.weights == fp8 && precision.operands == fp8;
}
inline constexpr ServingOption fp8_option = {
    "--quantization", "precision: weights",
    [](const ServingRun& r) { return text_if(multiplies_fp8(r), "fp8"); }};

// Prefixes of prompts in the memory of the host.
inline bool keeps_prefixes_in_host(const ServingRun& r) {
  const std::size_t host = estimator::index_of(estimator::PrefixTier::host);
  return takes_prompts(r) && (r.job.prefixes.host_hits > 0.0 || r.job.prefixes.bytes[host] > 0.0);
}
// Of the host, for each device: as the study says, else as much as the device has itself.
double host_cache_bytes(const ServingRun& r);

// How a checkpoint's weights are stored where it does not say so itself: "fp8", "int8"; "" of 16
// bits. Where layers differ, the narrowest.
std::string weight_format(const ServingRun& r);

// What no option says, for all engines. `starts_nodes`: each node is started by itself.
std::vector<std::string> serving_notes(const ServingRun& r, bool starts_nodes = true);

}  // namespace scalesweep::deploy
