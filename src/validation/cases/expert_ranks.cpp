#include "validation/cases/expert_ranks.hpp"

#include <fmt/format.h>

#include <string>

namespace scalesweep::validation {

bool place_experts(parallel::Strategy& strategy) {
  const std::int64_t tp = strategy.tensor_parallel;
  const std::int64_t ep = strategy.expert_parallel;
  const std::int64_t replicas = strategy.replicas();
  if (replicas % ep == 0) {
    return true;
  }
  strategy.experts_over_tensor = tp > 1 && ep % tp == 0 && (tp * replicas) % ep == 0;
  return strategy.experts_over_tensor;
}

void place_experts(RowReader& row, parallel::Strategy& strategy, std::string_view column) {
  if (place_experts(strategy)) {
    return;
  }
  const std::int64_t tp = strategy.tensor_parallel;
  const std::string over_tensor =
      tp == 1 ? ""
              : fmt::format(", or be a multiple of tp = {} that divides all {} ranks of a stage",
                            tp, tp * strategy.replicas());
  row.error(column, fmt::format("{} must divide dp = {}{}", strategy.expert_parallel,
                                strategy.replicas(), over_tensor));
}

}  // namespace scalesweep::validation
