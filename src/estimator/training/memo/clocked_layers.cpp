#include "estimator/training/memo/clocked_layers.hpp"

#include "estimator/parts/power/power_limit.hpp"
#include "estimator/training/stage_cost.hpp"

namespace scalesweep::estimator {

ClockedJob::ClockedJob(TrainingJob job, const technology::System& system)
    : job_(std::move(job)), full_{system, block_rates(job_, system)} {}

const ClockedJob::Clocked& ClockedJob::at(int step) {
  if (step == 0) {
    return full_;
  }
  auto found = slower_.find(step);
  if (found == slower_.end()) {
    technology::System system = at_clock_step(full_.system, step);
    BlockRates rates = block_rates(job_, system);
    found = slower_.emplace(step, Clocked{std::move(system), std::move(rates)}).first;
  }
  return found->second;
}

ClockedLayers::ClockedLayers(std::shared_ptr<ClockedJob> on, KernelMemo& kernels,
                             const parallel::Strategy& strategy)
    : on_(std::move(on)), kernels_(&kernels), strategy_(strategy) {}

bool ClockedLayers::carry_over(const std::shared_ptr<ClockedJob>& to) {
  if (on_ == to) {
    return true;
  }
  if (!same_layers(strategy_, on_->full(), to->full())) {
    return false;
  }
  on_ = to;
  transfers_.clear();
  return true;
}

const LayerCosts& ClockedLayers::costs(int step) {
  auto found = costs_.find(step);
  if (found == costs_.end()) {
    if (costs_.size() >= most_clocks) {
      costs_.clear();
    }
    found = costs_
                .emplace(step,
                         layer_costs(on_->setting(strategy_, step), on_->at(step).rates, *kernels_))
                .first;
  }
  return found->second;
}

const Cost& ClockedLayers::pass(int step) {
  for (const auto& [known, pass] : passes_) {
    if (known == step) {
      return pass;
    }
  }
  if (passes_.size() >= most_clocks) {
    passes_.clear();
  }
  return passes_
      .emplace_back(step, pass_cost(on_->setting(strategy_, step), on_->at(step).rates, *kernels_))
      .second;
}

double ClockedLayers::pass_power_w(int step) {
  return power_of_w(on_->at(step).system, pass(step));
}

bool ClockedLayers::slows_down() {
  return exceeds_power(pass_power_w(0), on_->full().device);
}

// From the near clock on: that one is asked for by all systems with the same device, and what is
// expected of it is off by a step at most.
int ClockedLayers::pass_step() {
  if (!pass_step_) {
    pass_step_ = 0;
    if (slows_down()) {
      const int near = near_step();
      const technology::System& system = on_->at(near).system;
      pass_step_ = settled_clock_step(
          on_->full().device, near, pass_power_w(near),
          [&](int step) { return pass_power_w(step); },
          near + expected_clock_step(system, pass(near)));
    }
  }
  return *pass_step_;
}

int ClockedLayers::near_step() {
  if (!near_step_) {
    near_step_ =
        near_clock_step(on_->full(), pass(0), [&](int step) { return pass_power_w(step); });
  }
  return *near_step_;
}

const ClockedLayers::Recomputed& ClockedLayers::recomputed(const parallel::Strategy& strategy,
                                                           int step) {
  const std::tuple policy = {step, strategy.recompute, strategy.recompute_every};
  for (const Recomputed& known : recomputed_) {
    if (known.policy == policy) {
      return known;
    }
  }
  if (recomputed_.size() >= most_clocks) {
    recomputed_.clear();
  }
  const StageUnits units = stage_units(on_->setting(strategy, step), costs(step));
  recomputed_.push_back({policy, units, unit_times(units)});
  return recomputed_.back();
}

const StageUnits& ClockedLayers::units(const parallel::Strategy& strategy, int step) {
  return recomputed(strategy, step).units;
}

const UnitTimes& ClockedLayers::times(const parallel::Strategy& strategy, int step) {
  return recomputed(strategy, step).times;
}

const Cost& ClockedLayers::transfer(const parallel::Strategy& strategy) {
  const std::pair place = {strategy.pipeline_parallel, strategy.data_parallel};
  for (const auto& [known, transfer] : transfers_) {
    if (known == place) {
      return transfer;
    }
  }
  return transfers_.emplace_back(place, pipeline_transfer(on_->setting(strategy, 0))).second;
}

ClockedLayers& KnownLayers::of(std::uint32_t number, const parallel::Strategy& strategy,
                               const std::shared_ptr<ClockedJob>& on) {
  Place& place = places_[number % most];
  if (place.number != number || !place.layers->carry_over(on)) {
    place.number = number;
    place.layers.emplace(on, kernels_, strategy);
  }
  return *place.layers;
}

}  // namespace scalesweep::estimator
