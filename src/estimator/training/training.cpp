#include "estimator/training/training.hpp"

#include <map>
#include <optional>
#include <utility>

#include "core/contracts.hpp"
#include "estimator/training/layer_cost.hpp"
#include "estimator/training/power_limit.hpp"
#include "estimator/training/step.hpp"

namespace scalesweep::estimator {
TrainingEstimate estimate_training(const Setting& setting) {
  const auto& [job, system, strategy] = setting;
  SCALESWEEP_EXPECT(std::int64_t{strategy.data_parallel} * strategy.micro_batch *
                        strategy.micro_batches ==
                    job.global_batch);
  const TrainingEstimate full = compose(setting, layer_costs(setting));
  if (!exceeds_power(full, system.device)) {
    return full;
  }
  return settle_clock(full, system.device.thermal_design_power.si(), [&](int clock_step) {
    const technology::System slower = at_clock_step(system, clock_step);
    const Setting at_clock = {job, slower, strategy};
    return compose(at_clock, layer_costs(at_clock));
  });
}

// Strategies that share their layer costs are neighbours in the enumeration, so remembering the
// last ones, at the clocks that were tried, is enough and the memory is constant.
struct TrainingEstimator::Memo {
  struct Clocked {
    technology::System system;
    LayerCosts costs;
  };
  static constexpr std::size_t most_clocks = 256;

  TrainingJob job;
  technology::System system;
  std::optional<parallel::Strategy> layers;  // layer_key of what follows
  LayerCosts costs;
  std::map<int, Clocked> slower;  // by clock step, for the same strategies as `costs`

  TrainingEstimate at(const parallel::Strategy& strategy, int clock_step) {
    auto found = slower.find(clock_step);
    if (found == slower.end()) {
      if (slower.size() >= most_clocks) {
        slower.clear();
      }
      technology::System clocked = at_clock_step(system, clock_step);
      LayerCosts clocked_costs = layer_costs({job, clocked, strategy});
      found =
          slower.emplace(clock_step, Clocked{std::move(clocked), std::move(clocked_costs)}).first;
    }
    return compose({job, found->second.system, strategy}, found->second.costs);
  }
};

TrainingEstimator::TrainingEstimator(TrainingJob job, technology::System system)
    : memo_(std::make_unique<Memo>()) {
  memo_->job = std::move(job);
  memo_->system = std::move(system);
}

TrainingEstimator::~TrainingEstimator() = default;
TrainingEstimator::TrainingEstimator(TrainingEstimator&&) noexcept = default;
TrainingEstimator& TrainingEstimator::operator=(TrainingEstimator&&) noexcept = default;

TrainingEstimate TrainingEstimator::operator()(const parallel::Strategy& strategy) {
  if (const parallel::Strategy key = layer_key(strategy); memo_->layers != key) {
    memo_->costs = layer_costs({memo_->job, memo_->system, strategy});
    memo_->slower.clear();
    memo_->layers = key;
  }
  const TrainingEstimate full = compose({memo_->job, memo_->system, strategy}, memo_->costs);
  const technology::Device& device = memo_->system.device;
  if (!exceeds_power(full, device)) {
    return full;
  }
  return settle_clock(full, device.thermal_design_power.si(),
                      [&](int clock_step) { return memo_->at(strategy, clock_step); });
}

}  // namespace scalesweep::estimator
