#include "deploy/target.hpp"

namespace scalesweep::deploy {

std::span<const TrainingTarget* const> training_targets() {
  static const std::array<const TrainingTarget*, 5> targets = {
      &megatron_lm(), &megatron_bridge(), &torchtitan(), &nanotron(), &deepspeed()};
  return targets;
}

std::span<const ServingTarget* const> serving_targets() {
  static const std::array<const ServingTarget*, 3> targets = {&vllm(), &sglang(), &tensorrt_llm()};
  return targets;
}

}  // namespace scalesweep::deploy
