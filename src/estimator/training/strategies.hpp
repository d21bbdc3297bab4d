// What no device decides of the strategies of a job: computed once, and then for all systems.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimator/parts/stages.hpp"
#include "estimator/training/estimate.hpp"
#include "estimator/training/layer_cost.hpp"

namespace scalesweep::estimator {

struct KnownStrategy {
  MemoryUse memory;
  double optimizer_bytes = 0.0;  // of the stage with the most parameters
  std::uint32_t shares = 0;      // a place in those of the job
  std::uint32_t layers = 0;  // neighbours with the same number share what layers cost; 0: unknown
};

// Of the systems it depends on the layouts that their matrix units take.
class JobStrategies {
 public:
  JobStrategies(TrainingJob job, const technology::System& system);

  // Whether it holds for another job on another system, too.
  bool hold_for(TrainingJob job, const technology::System& system) const;

  // Of strategies[index], on one of those systems. `strategies` must stay where it is
  // and what it is.
  const KnownStrategy& at(std::span<const parallel::Strategy> strategies, std::size_t index,
                          const technology::System& system);
  const StageShares& shares(const KnownStrategy& known) const { return shares_[known.shares]; }

 private:
  void find_out(std::span<const parallel::Strategy> strategies, std::size_t index,
                const technology::System& system);
  std::uint32_t shares_of(const parallel::Strategy& strategy);

  TrainingJob job_;
  bool any_layout_;
  std::span<const parallel::Strategy> strategies_;
  std::vector<KnownStrategy> known_;
  std::vector<StageShares> shares_;  // distinct
  std::uint32_t last_layers_ = 0;
  SavedLayers saved_;  // of the last number
};

}  // namespace scalesweep::estimator
