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
inline bool drafts(const ServingRun& r) {
  return r.job.speculation.draft > 0 && r.pool != Pool::prefill;
}

// Layers of each stage where not all have as many: "31,30".
inline Value stage_layers(const ServingRun& r) {
  return text_if(is_uneven(r.job.model, r.strategy), layers_text(r.job.model, r.strategy));
}

// Of several engines on a server each listens to a port of its own.
inline constexpr ServingOption port_option = {
    "--port", "servers", [](const ServingRun& r) {
      return text_if(r.servers > 1 && groups_in_server(r.hosts) > 1, "${PORT:-8000}");
    }};

// Weights and operands in fp8, of vLLM and SGLang.
inline constexpr ServingOption fp8_option = {
    "--quantization", "precision: weights", [](const ServingRun& r) {
      const technology::Precision fp8 = technology::Precision::fp8;
      const estimator::InferencePrecision& precision = r.job.precision;
      return text_if(
          precision.is_uniform() && precision.weights == fp8 && precision.operands == fp8, "fp8");
    }};

// How a checkpoint's weights are stored where it does not say so itself: "fp8", "int8"; "" of 16
// bits. Where layers differ, the narrowest.
std::string weight_format(const ServingRun& r);

// What no option says, for all engines.
std::vector<std::string> serving_notes(const ServingRun& r);

}  // namespace scalesweep::deploy
