#include "estimator/training/bound.hpp"

#include <algorithm>

#include "estimator/parts/energy.hpp"
#include "estimator/training/data_parallel.hpp"
#include "estimator/training/step.hpp"

namespace scalesweep::estimator {
namespace {

// Sums in another order differ in their last digits.
constexpr double rounding = 1.0 - 1e-9;
// The power at a clock that a limit sets is as near below the limit as the next clock is to it:
// some tenths of a percent.
constexpr double nearly_all = 0.98;

double stage_s(const UnitTimes& units, const StageShare& share) {
  return share.layers * units.layer_s + share.expert_layers * units.expert_layer_s +
         share.predictions * units.prediction_s + (share.embedding ? units.embedding_s : 0.0) +
         (share.head ? units.head_s : 0.0);
}

}  // namespace

UnitTimes unit_times(const Setting& setting, const LayerCosts& costs) {
  parallel::Strategy plain = setting.strategy;
  plain.zero = 0;
  plain.offload_activations = false;
  const Setting alone = {setting.job, setting.system, plain};
  const auto of = [&](const StageShare& share) {
    return stage_cost(alone, costs, share, {}).total().time.total_s();
  };
  UnitTimes units;
  units.layer_s = of({.layers = 1.0});
  if (costs.saved.has_experts) {
    units.expert_layer_s = of({.expert_layers = 1.0});
  }
  if (setting.job.model.prediction_layers > 0) {
    units.prediction_s = of({.predictions = 1.0});
  }
  units.embedding_s = of({.embedding = true});
  units.head_s = of({.head = true});
  return units;
}

double transfer_s(const Setting& setting) {
  return pipeline_transfers(setting).time.total_s() / (2.0 * setting.strategy.chunks);
}

double least_step_s(const Setting& setting, const UnitTimes& units, const StageShares& shares,
                    double transfer_s, double optimizer_bytes) {
  const auto& [job, system, strategy] = setting;
  const double transfers_s = 2.0 * strategy.chunks * transfer_s;
  double slowest_s = 0.0;
  double all_s = 0.0;
  for (const StageShare& share : shares.kinds()) {
    const double one_s = stage_s(units, share) + transfers_s;
    slowest_s = std::max(slowest_s, one_s);
    all_s += static_cast<double>(share.count) * one_s;
  }
  double step_s = strategy.micro_batches * slowest_s;
  if (strategy.schedule == parallel::Schedule::one_forward_one_backward) {
    step_s += (all_s - slowest_s) / strategy.chunks;
  }
  step_s += optimizer_time(setting, optimizer_bytes).total_s() + job.framework.step_overhead_s;
  return rounding * (1.0 + straggling(job.framework.step_jitter, strategy.devices())) * step_s;
}

double least_energy_j(const Setting& setting, const Work& pass_work, double step_s) {
  const auto& [job, system, strategy] = setting;
  const auto devices = static_cast<double>(strategy.devices());
  const double passes =
      devices / strategy.pipeline_parallel * static_cast<double>(strategy.micro_batches);
  const double at_this_clock_j = energy_of(system, passes * pass_work, devices, step_s).total_j();
  const double limit_w = system.device.thermal_design_power.si();
  if (limit_w <= 0.0) {
    return rounding * at_this_clock_j;
  }
  return rounding * std::min(at_this_clock_j, nearly_all * limit_w * devices * step_s);
}

}  // namespace scalesweep::estimator
