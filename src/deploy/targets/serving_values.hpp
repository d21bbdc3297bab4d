// Values that options of several engines have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "deploy/options.hpp"

namespace scalesweep::deploy {

inline bool has_experts(const ServingRun& r) {
  return r.job.model.experts.on();
}
inline bool spreads_experts(const ServingRun& r) {
  return has_experts(r) && r.strategy.expert_parallel > 1;
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

// Weights and operands in fp8, of vLLM and SGLang.
inline constexpr ServingOption fp8_option = {
    "--quantization", "precision: weights", [](const ServingRun& r) {
      const technology::Precision fp8 = technology::Precision::fp8;
      return text_if(r.job.precision.weights == fp8 && r.job.precision.operands == fp8, "fp8");
    }};

// How a checkpoint's weights are stored where it does not say so itself: "fp8", "int8"; "" of 16
// bits.
std::string weight_format(const ServingRun& r);

// What no option says, for all engines.
std::vector<std::string> serving_notes(const ServingRun& r);

}  // namespace scalesweep::deploy
