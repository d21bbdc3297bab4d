#include "deploy/target.hpp"

#include "workload/stacks/versions.hpp"

namespace scalesweep::deploy {
namespace {

// "vllm" of "vllm-2024" too.
bool is_variant(std::string_view stack, std::string_view target) {
  return stack.starts_with(target) &&
         (stack.size() == target.size() || stack[target.size()] == '-');
}

}  // namespace

std::span<const TrainingTarget* const> training_targets() {
  static const std::array<const TrainingTarget*, 6> targets = {
      &megatron_lm(), &megatron_bridge(), &torchtitan(), &nanotron(), &deepspeed(), &maxtext()};
  return targets;
}

std::span<const ServingTarget* const> serving_targets() {
  static const std::array<const ServingTarget*, 3> targets = {&vllm(), &sglang(), &tensorrt_llm()};
  return targets;
}

const TargetText* text_of_framework(std::string_view framework) {
  const std::string_view stack = workload::stack_name(framework).stack;
  for (const TrainingTarget* target : training_targets()) {
    if (is_variant(stack, target->text.name)) {
      return &target->text;
    }
  }
  for (const ServingTarget* target : serving_targets()) {
    if (is_variant(stack, target->text.name)) {
      return &target->text;
    }
  }
  return nullptr;
}

}  // namespace scalesweep::deploy
