// What the strategies of a job take at least on a device, with any network: found out once, and
// then most of them are known to be worse than a good one on each of many networks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "estimator/training/kernel_sums.hpp"
#include "estimator/training/layer_cost.hpp"
#include "estimator/training/memo/strategies.hpp"

namespace scalesweep::estimator {

struct LeastStep {
  std::uint32_t index = 0;        // of the strategy
  double step_s = 0.0;            // at least
  double energy_j = 0.0;          // of the whole system, at least
  double energy_of_rest_j = 0.0;  // of this strategy and all that follow
};

// Of the strategies that fit, the fastest first; of equals, the first.
std::vector<LeastStep> least_steps(std::span<const parallel::Strategy> strategies,
                                   const TrainingJob& job, const technology::System& system,
                                   const BlockRates& rates, JobStrategies& known,
                                   KernelMemo& kernels);

// The last ones that were asked for.
class Survey {
 public:
  const std::vector<LeastStep>& of(std::span<const parallel::Strategy> strategies,
                                   const TrainingJob& job, const technology::System& system,
                                   const BlockRates& rates, JobStrategies& known,
                                   KernelMemo& kernels);

 private:
  std::span<const parallel::Strategy> strategies_;
  std::optional<technology::Device> device_;
  std::vector<LeastStep> steps_;
};

}  // namespace scalesweep::estimator
