#include "estimator/training/training.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/contracts.hpp"
#include "estimator/parts/power/envelope_bounds.hpp"
#include "estimator/parts/power/power_limit.hpp"
#include "estimator/training/bounds/bound.hpp"
#include "estimator/training/layer_cost.hpp"
#include "estimator/training/memory.hpp"
#include "estimator/training/step.hpp"
#include "estimator/training/strategies.hpp"

namespace scalesweep::estimator {
namespace {

// A system at the clocks that were tried.
class Clocks {
 public:
  struct Clocked {
    technology::System system;
    BlockRates rates;
  };

  Clocks(const TrainingJob& job, const technology::System& system)
      : job_(job), full_{system, block_rates(job, system)} {}

  const Clocked& at(int step) {
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
  const technology::System& full() const { return full_.system; }

 private:
  const TrainingJob& job_;
  Clocked full_;
  std::map<int, Clocked> slower_;  // nodes stay where they are
};

// Of a device between its waits: forward and backward passes of the model's layers with what they
// communicate. They last longer than a power limit takes to act, so that they set the clock;
// waiting for other stages, gradients and the optimizer take less.
Cost pass_cost(const TrainingJob& job, const LayerCosts& costs) {
  const auto of = [](const BlockCost& block) {
    return block.forward.total() + block.backward.total();
  };
  const auto experts = static_cast<double>(job.model.expert_layers());
  Cost pass = (static_cast<double>(job.model.layers) - experts) * of(costs.layer);
  pass += experts * of(costs.expert_layer);
  return pass;
}

// What strategies of a job on a system have in common; all of it outlives what refers to it.
struct Common {
  const TrainingJob& job;
  Clocks& clocks;
  KernelMemo& kernels;
};

// The layer costs of strategies that share them, at the clocks that were tried.
class ClockedLayers {
 public:
  // `strategy`: any of those.
  ClockedLayers(const Common& common, const parallel::Strategy& strategy)
      : common_(common), strategy_(strategy), key_(layer_key(strategy)) {}

  std::uint32_t number = 0;  // KnownStrategy::layers, where that is known

  const parallel::Strategy& key() const { return key_; }
  const SavedLayers& saved() {
    if (!saved_) {
      saved_ = saved_layers({common_.job, common_.clocks.full(), strategy_});
    }
    return *saved_;
  }
  const Common& common() const { return common_; }

  // What layers cost at a clock. Computed once it is asked for: where nothing fits it never is.
  const LayerCosts& costs(int step) {
    auto found = costs_.find(step);
    if (found == costs_.end()) {
      if (costs_.size() >= most_clocks) {
        costs_.clear();
      }
      const Clocks::Clocked& clocked = common_.clocks.at(step);
      found = costs_
                  .emplace(step, layer_costs({common_.job, clocked.system, strategy_},
                                             clocked.rates, common_.kernels))
                  .first;
    }
    return found->second;
  }

  // What one device spends for one micro-batch on the passes of all layers.
  Cost pass(int step) {
    if (step > 0) {
      return pass_cost(common_.job, costs(step));
    }
    if (!full_pass_) {
      full_pass_ = pass_cost(common_.job, costs(0));
    }
    return *full_pass_;
  }
  double pass_power_w(int step) { return power_of_w(common_.clocks.at(step).system, pass(step)); }

  // Whether the full clock is too fast for the passes.
  bool slows_down() {
    if (!full_w_) {
      full_w_ = pass_power_w(0);
    }
    return exceeds_power(*full_w_, common_.clocks.full().device);
  }

  // Where the passes keep within the power limit.
  int pass_step() {
    if (!pass_step_) {
      const technology::System& full = common_.clocks.full();
      pass_step_ = 0;
      if (slows_down()) {
        pass_step_ = settled_clock_step(
            full.device.thermal_design_power.si(), 0, *full_w_,
            [&](int step) { return pass_power_w(step); }, expected_clock_step(full, pass(0)));
      }
    }
    return *pass_step_;
  }

  // A clock that the passes settle at or below, and near it: of a coarse grid, where other systems
  // with the same device have asked what kernels take.
  int near_step() {
    if (pass_step_) {
      return *pass_step_;
    }
    if (!near_step_) {
      near_step_ = near_clock_step(common_.clocks.full(), pass(0),
                                   [&](int step) { return pass_power_w(step); });
    }
    return *near_step_;
  }

  // Recomputed as the strategy says.
  const UnitTimes& units(const parallel::Strategy& strategy, int step) {
    const std::tuple policy = {step, strategy.recompute, strategy.recompute_every};
    for (const auto& [known, units] : units_) {
      if (known == policy) {
        return units;
      }
    }
    const Setting setting = {common_.job, common_.clocks.at(step).system, strategy};
    return units_.emplace_back(policy, unit_times(setting, costs(step))).second;
  }

  // Of one way between the stages of the strategy. Groups of stages lie where the numbers of stages
  // and of replicas put them.
  double transfer_s(const Setting& setting) {
    const std::pair place = {setting.strategy.pipeline_parallel, setting.strategy.data_parallel};
    for (const auto& [known, s] : transfers_) {
      if (known == place) {
        return s;
      }
    }
    return transfers_.emplace_back(place, estimator::transfer_s(setting)).second;
  }

 private:
  static constexpr std::size_t most_clocks = 256;

  Common common_;
  parallel::Strategy strategy_;
  parallel::Strategy key_;
  std::optional<SavedLayers> saved_;
  std::optional<Cost> full_pass_;
  std::optional<double> full_w_;
  std::optional<int> pass_step_;
  std::optional<int> near_step_;
  std::map<int, LayerCosts> costs_;
  std::vector<std::pair<std::tuple<int, parallel::Recompute, std::int32_t>, UnitTimes>> units_;
  std::vector<std::pair<std::pair<std::int32_t, std::int32_t>, double>> transfers_;
};

// The layers of the strategies that were asked for last. Strategies that share them are neighbours
// in the enumeration, and the best ones of a search have some kinds: the memory is constant.
class LastLayers {
 public:
  explicit LastLayers(const Common& common) : common_(common) {}

  // Of strategies that JobStrategies gives this number.
  ClockedLayers& of(const parallel::Strategy& strategy, std::uint32_t number) {
    for (ClockedLayers& layers : last_) {
      if (layers.number == number) {
        return layers;
      }
    }
    ClockedLayers& layers = of(strategy);
    layers.number = number;
    return layers;
  }

  ClockedLayers& of(const parallel::Strategy& strategy) {
    const parallel::Strategy key = layer_key(strategy);
    const auto found = std::find_if(last_.begin(), last_.end(),
                                    [&](const ClockedLayers& l) { return l.key() == key; });
    if (found != last_.end()) {
      return *found;
    }
    if (last_.size() == most) {
      last_.pop_back();
    }
    return last_.emplace_front(common_, strategy);
  }

 private:
  static constexpr std::size_t most = 32;

  Common common_;
  std::deque<ClockedLayers> last_;
};

// No clock changes it.
MemoryUse memory_of(ClockedLayers& layers, const parallel::Strategy& strategy) {
  const TrainingJob& job = layers.common().job;
  return peak_memory(job, strategy, layers.saved(),
                     stage_shares(job.model, strategy, job.framework.stage_balance));
}

TrainingEstimate estimate_with(ClockedLayers& layers, const parallel::Strategy& strategy,
                               const MemoryUse& memory) {
  const Common& common = layers.common();
  const auto at = [&](int step) {
    return compose({common.job, common.clocks.at(step).system, strategy}, layers.costs(step),
                   memory);
  };
  int step = layers.pass_step();
  TrainingEstimate estimate = at(step);
  const technology::Device& device = common.clocks.full().device;
  // Rare: what hides behind the passes takes the average of the step beyond the limit.
  if (exceeds_power(estimate.device_power_w, device) && step < slowest_clock_step) {
    step = settled_clock_step(device.thermal_design_power.si(), step, estimate.device_power_w,
                              [&](int tried) { return at(tried).device_power_w; });
    estimate = at(step);
  }
  estimate.busy_power_w = std::max(estimate.device_power_w, layers.pass_power_w(step));
  if (step > 0) {
    estimate.clock_fraction = clock_fraction(step);
    estimate.model_flop_utilization *= estimate.clock_fraction;  // of the peak at the full clock
  }
  return estimate;
}

TrainingEstimate of_memory(const MemoryUse& memory, const technology::Device& device) {
  TrainingEstimate estimate;
  estimate.verdict = verdict_of(memory, device);
  estimate.memory = memory;
  return estimate;
}

}  // namespace

TrainingEstimate estimate_training(const Setting& setting) {
  const auto& [job, system, strategy] = setting;
  SCALESWEEP_EXPECT(std::int64_t{strategy.data_parallel} * strategy.micro_batch *
                        strategy.micro_batches ==
                    job.global_batch);
  KernelMemo kernels;
  Clocks clocks(job, system);
  ClockedLayers layers({job, clocks, kernels}, strategy);
  return estimate_with(layers, strategy, memory_of(layers, strategy));
}

// What estimators of the same job share; all of one thread.
struct SharedMemo {
  SharedMemo(const TrainingJob& job, const technology::System& system) : strategies(job, system) {}

  JobStrategies strategies;
  KernelMemo kernels;
  Survey survey;
};

struct TrainingEstimator::Memo {
  Memo(TrainingJob own_job, const technology::System& system, const Memo* before)
      : job(std::move(own_job)),
        shared(before != nullptr && before->shared->strategies.hold_for(job, system)
                   ? before->shared
                   : std::make_shared<SharedMemo>(job, system)),
        clocks(job, system),
        layers({job, clocks, shared->kernels}),
        flop(model_flop(job)) {}

  // A strategy that fits, with what it shares with others.
  struct Fitting {
    const parallel::Strategy& strategy;
    const KnownStrategy& known;
    ClockedLayers& layers;
  };
  Fitting fitting(std::span<const parallel::Strategy> strategies, std::size_t index) {
    const KnownStrategy& known = shared->strategies.at(strategies, index, clocks.full());
    return {strategies[index], known, layers.of(strategies[index], known.layers)};
  }

  double least_step_s(const Fitting& of, int step, double slower_passes_s = 0.0) {
    const Setting setting = {job, clocks.at(step).system, of.strategy};
    return estimator::least_step_s(
        setting, of.layers.units(of.strategy, step), shared->strategies.shares(of.known),
        of.layers.transfer_s(setting), of.known.optimizer_bytes, slower_passes_s);
  }

  void set_least(const parallel::Strategy& strategy, double step_s, double energy_j) {
    const Setting setting = {job, clocks.full(), strategy};
    least.step = Charges::of(Resource::tensor_compute, step_s);
    least.energy.tensor_j = energy_j;
    least.model_flop_utilization = utilization(flop, setting, setting.system.device, step_s);
  }

  TrainingJob job;
  std::shared_ptr<SharedMemo> shared;
  Clocks clocks;
  LastLayers layers;
  double flop;
  TrainingEstimate least;
};

TrainingEstimator::TrainingEstimator(TrainingJob job, technology::System system,
                                     const TrainingEstimator* before)
    : memo_(std::make_unique<Memo>(std::move(job), system,
                                   before != nullptr ? before->memo_.get() : nullptr)) {}

TrainingEstimator::~TrainingEstimator() = default;
TrainingEstimator::TrainingEstimator(TrainingEstimator&&) noexcept = default;
TrainingEstimator& TrainingEstimator::operator=(TrainingEstimator&&) noexcept = default;

TrainingEstimate TrainingEstimator::operator()(const parallel::Strategy& strategy) {
  ClockedLayers& layers = memo_->layers.of(strategy);
  return estimate_with(layers, strategy, memory_of(layers, strategy));
}

TrainingEstimate TrainingEstimator::if_fits(const parallel::Strategy& strategy) {
  ClockedLayers& layers = memo_->layers.of(strategy);
  const MemoryUse memory = memory_of(layers, strategy);
  TrainingEstimate estimate = of_memory(memory, memo_->clocks.full().device);
  return estimate.verdict == Verdict::fits ? estimate_with(layers, strategy, memory) : estimate;
}

const TrainingEstimate& TrainingEstimator::settle(std::span<const parallel::Strategy> strategies,
                                                  std::size_t index) {
  TrainingEstimate& least = memo_->least;
  const technology::System& full = memo_->clocks.full();
  least.memory = memo_->shared->strategies.at(strategies, index, full).memory;
  least.verdict = verdict_of(least.memory, full.device);
  return least;
}

std::span<const LeastStep> TrainingEstimator::least_steps(
    std::span<const parallel::Strategy> strategies) {
  SharedMemo& shared = *memo_->shared;
  return shared.survey.of(strategies, memo_->job, memo_->clocks.full(), memo_->clocks.at(0).rates,
                          shared.strategies, shared.kernels);
}

const TrainingEstimate& TrainingEstimator::at_least(std::span<const parallel::Strategy> strategies,
                                                    const LeastStep& step) {
  settle(strategies, step.index);
  memo_->set_least(strategies[step.index], step.step_s, step.energy_j);
  return memo_->least;
}

const TrainingEstimate& TrainingEstimator::at_least(std::span<const parallel::Strategy> strategies,
                                                    std::size_t index, Closeness closeness) {
  Memo& memo = *memo_;
  if (settle(strategies, index).verdict != Verdict::fits) {
    return memo.least;
  }
  const Memo::Fitting of = memo.fitting(strategies, index);
  const int step = closeness == Closeness::near ? of.layers.near_step() : 0;
  const double step_s = memo.least_step_s(of, step);
  const Setting setting = {memo.job, memo.clocks.at(step).system, of.strategy};
  const Cost pass = of.layers.pass(step);
  memo.set_least(of.strategy, step_s,
                 least_energy_j(setting, pass.work, pass.time.total_s(), step_s));
  return memo.least;
}

const TrainingEstimate& TrainingEstimator::at_least(std::span<const parallel::Strategy> strategies,
                                                    const LeastStep& step,
                                                    const technology::Envelope& envelope) {
  at_least(strategies, {.index = step.index, .step_s = within(envelope) * step.step_s});
  memo_->least.model_flop_utilization /= envelope.least_peak;
  return memo_->least;
}

const TrainingEstimate& TrainingEstimator::at_least(std::span<const parallel::Strategy> strategies,
                                                    std::size_t index,
                                                    const technology::Envelope& envelope) {
  Memo& memo = *memo_;
  if (settle(strategies, index).verdict != Verdict::fits) {
    return memo.least;
  }
  const Memo::Fitting of = memo.fitting(strategies, index);
  const int step = of.layers.near_step();
  const Cost pass = of.layers.pass(step);
  const double step_s =
      within(envelope) * memo.least_step_s(of, 0, slower_passes_s(of.layers.pass(0), pass));
  const Setting near = {memo.job, memo.clocks.at(step).system, of.strategy};
  memo.set_least(of.strategy, step_s, least_energy_j(near, envelope, pass, step_s));
  memo.least.model_flop_utilization /= envelope.least_peak;
  return memo.least;
}

}  // namespace scalesweep::estimator
