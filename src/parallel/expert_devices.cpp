#include "parallel/expert_devices.hpp"

#include <fmt/format.h>

#include "parallel/strategy.hpp"

namespace scalesweep::parallel {

std::string broken_expert_devices_rule(const Strategy& strategy, std::int64_t experts) {
  if (strategy.expert_devices == 0) {
    return {};
  }
  if (experts == 0) {
    return "expert_devices needs a model with experts";
  }
  if (strategy.pipeline_parallel > 1 || strategy.context_parallel > 1) {
    return "expert_devices needs pipeline_parallel 1 and context_parallel 1: all replicas of "
           "attention send it tokens of the same layer";
  }
  return strategy.expert_parallel > 1 || strategy.experts_over_tensor
             ? "expert_devices hold all experts: expert_parallel must be 1 beside them, and "
               "experts_over_tensor false"
             : "";
}

std::string broken_expert_rule(const Strategy& strategy, std::int64_t experts, bool uneven) {
  const bool apart = strategy.expert_devices > 0;
  const std::int64_t ranks = apart ? strategy.expert_devices : strategy.expert_parallel;
  const char* name = apart ? "expert_devices" : "expert_parallel";
  const std::int64_t copies = strategy.redundant_experts;
  if (copies > 0 && ranks == 1) {
    return fmt::format("redundant_experts needs {} above 1", name);
  }
  if (copies > experts * (ranks - 1)) {
    return "redundant_experts must be less than one of each expert on every rank";
  }
  if (ranks > 1 && (experts + copies) % ranks != 0 && !uneven) {
    return fmt::format("{} must divide the model's experts ({}){}, unless uneven_experts is true",
                       name, experts,
                       copies > 0 ? fmt::format(" and redundant_experts ({})", copies) : "");
  }
  return ranks > 1 && ranks > experts + copies
             ? fmt::format(
                   "{} must be at most the model's experts ({}), so that no rank is without "
                   "any",
                   name, experts)
             : "";
}

}  // namespace scalesweep::parallel
