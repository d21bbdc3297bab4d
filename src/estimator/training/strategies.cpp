#include "estimator/training/strategies.hpp"

#include <algorithm>
#include <utility>

#include "estimator/training/data_parallel.hpp"
#include "estimator/training/memory.hpp"

namespace scalesweep::estimator {
// Nothing here is computed from the uncertainty, which is that of the device, too.
JobStrategies::JobStrategies(TrainingJob job, const technology::System& system)
    : job_(std::move(job)), any_layout_(technology::scales_blocks(system.device)) {
  job_.uncertainty = {};
}

bool JobStrategies::hold_for(TrainingJob job, const technology::System& system) const {
  job.uncertainty = {};
  return any_layout_ == technology::scales_blocks(system.device) && job_ == job;
}

const KnownStrategy& JobStrategies::at(std::span<const parallel::Strategy> strategies,
                                       std::size_t index, const technology::System& system) {
  if (strategies.data() != strategies_.data() || strategies.size() != strategies_.size()) {
    strategies_ = strategies;
    known_.assign(strategies.size(), {});
  }
  if (known_[index].layers == 0) {
    find_out(strategies, index, system);
  }
  return known_[index];
}

void JobStrategies::find_out(std::span<const parallel::Strategy> strategies, std::size_t index,
                             const technology::System& system) {
  const parallel::Strategy& strategy = strategies[index];
  const Setting setting = {job_, system, strategy};
  KnownStrategy& known = known_[index];
  const bool as_before = index > 0 && last_layers_ > 0 &&
                         known_[index - 1].layers == last_layers_ &&
                         layer_key(strategies[index - 1]) == layer_key(strategy);
  if (!as_before) {
    ++last_layers_;
    saved_ = saved_layers(setting);
  }
  known.layers = last_layers_;
  known.shares = shares_of(strategy);
  const StageShares& shares = shares_[known.shares];
  known.memory = peak_memory(job_, strategy, saved_, shares);
  known.optimizer_bytes = optimizer_bytes(setting, fullest_stage(job_.model, strategy, shares));
}

// Neighbours often have the same; there are few in all.
std::uint32_t JobStrategies::shares_of(const parallel::Strategy& strategy) {
  const StageShares shares = stage_shares(job_.model, strategy, job_.framework.stage_balance);
  const auto found = std::find(shares_.begin(), shares_.end(), shares);
  if (found != shares_.end()) {
    return static_cast<std::uint32_t>(found - shares_.begin());
  }
  shares_.push_back(shares);
  return static_cast<std::uint32_t>(shares_.size() - 1);
}

}  // namespace scalesweep::estimator
