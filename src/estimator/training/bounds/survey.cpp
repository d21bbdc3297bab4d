#include "estimator/training/bounds/survey.hpp"

#include "estimator/parts/fastest_first.hpp"
#include "estimator/training/bounds/bound.hpp"
#include "estimator/training/states/memory.hpp"

namespace scalesweep::estimator {

std::vector<LeastStep> least_steps(std::span<const parallel::Strategy> strategies,
                                   const TrainingJob& job, const technology::System& system,
                                   const BlockRates& rates, JobStrategies& known,
                                   KernelMemo& kernels) {
  std::vector<LeastStep> steps;
  KernelTimes times;
  std::uint32_t layers = 0;  // that these are of
  for (std::size_t index = 0; index < strategies.size(); ++index) {
    if (verdict_of(known.at(strategies, index, system).memory, system.device) != Verdict::fits) {
      continue;
    }
    const KnownStrategy& strategy = known.fitting_at(strategies, index, system);
    const Setting setting = {job, system, strategies[index]};
    if (strategy.layers != layers) {
      times = kernel_times(setting, rates, kernels);
      layers = strategy.layers;
    }
    constexpr double no_transfer_s = 0.0;
    const double step_s =
        least_step_s(setting, times.units(job, strategies[index]), known.shares(strategy),
                     no_transfer_s, strategy.optimizer.moved_bytes);
    steps.push_back({static_cast<std::uint32_t>(index), step_s,
                     least_energy_j(setting, times.pass_work, times.pass_s, step_s)});
  }
  order_fastest_first(steps, &LeastStep::step_s);
  return steps;
}

const std::vector<LeastStep>& Survey::of(std::span<const parallel::Strategy> strategies,
                                         const TrainingJob& job, const technology::System& system,
                                         const BlockRates& rates, JobStrategies& known,
                                         KernelMemo& kernels) {
  if (device_ != system.device || strategies.data() != strategies_.data() ||
      strategies.size() != strategies_.size()) {
    steps_ = least_steps(strategies, job, system, rates, known, kernels);
    strategies_ = strategies;
    device_ = system.device;
  }
  return steps_;
}

}  // namespace scalesweep::estimator
