#include "estimator/training/training.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "core/contracts.hpp"
#include "estimator/error_bar.hpp"
#include "estimator/parts/power/envelope_bounds.hpp"
#include "estimator/parts/power/power_limit.hpp"
#include "estimator/training/bounds/bound.hpp"
#include "estimator/training/memo/clocked_layers.hpp"
#include "estimator/training/memo/strategies.hpp"
#include "estimator/training/states/memory.hpp"
#include "estimator/training/step.hpp"
#include "estimator/traits.hpp"

namespace scalesweep::estimator {
namespace {

// `at(step)` composes the estimate at a clock.
template <typename At>
TrainingEstimate at_settled_clock(ClockedLayers& layers, const technology::Device& device,
                                  const At& at) {
  int step = layers.pass_step();
  TrainingEstimate estimate = at(step);
  // Rare: what hides behind the passes takes the average of the step beyond the limit.
  if (exceeds_power(estimate.device_power_w, device) && step < slowest_step(device)) {
    step = settled_clock_step(device, step, estimate.device_power_w,
                              [&](int tried) { return at(tried).device_power_w; });
    estimate = at(step);
  }
  estimate.busy_power_w = std::max(estimate.device_power_w, layers.pass_power_w(step));
  if (step > 0) {
    estimate.unkept_power_w = unkept_power_w(device, step, estimate.busy_power_w);
    estimate.clock_fraction = clock_fraction(step);
    estimate.limit_uncertainty = limit_uncertainty(device, estimate.clock_fraction);
    estimate.model_flop_utilization *= estimate.clock_fraction;  // of the peak at the full clock
  }
  return estimate;
}

void add_uncertainty(TrainingEstimate& estimate, const Setting& setting) {
  estimate.traits = traits_of(setting);
  set_error_bar(estimate, setting.job.uncertainty, static_cast<double>(setting.strategy.devices()));
}

// Everything from the beginning, but for kernels that are known.
TrainingEstimate estimate_plainly(const std::shared_ptr<ClockedJob>& on, KernelMemo& kernels,
                                  const parallel::Strategy& strategy) {
  ClockedLayers layers(on, kernels, strategy);
  const TrainingJob& job = on->job();
  const StageShares shares = stage_shares(job.model, strategy, job.stack.stage_balance);
  const StageShare& fullest = fullest_stage(job, strategy, shares);
  const Setting full = on->setting(strategy, 0);
  const MemoryUse memory = peak_memory(job, strategy, saved_layers(full), shares);
  const double flop = model_flop(job);
  const double late = straggling(job.stack.step_jitter, strategy.devices());
  TrainingEstimate estimate = at_settled_clock(layers, full.system.device, [&](int step) {
    const Setting setting = on->setting(strategy, step);
    Stages stages;
    set_stages(stages, setting, layers.costs(step), layers.units(strategy, step), shares);
    return compose(setting,
                   {stages, pipeline_transfer(setting), gradient_transfers(setting, fullest),
                    optimizer_work(setting, fullest), late},
                   memory, flop);
  });
  add_uncertainty(estimate, full);
  return estimate;
}

}  // namespace

TrainingEstimate estimate_training(const Setting& setting) {
  const auto& [job, system, strategy] = setting;
  SCALESWEEP_EXPECT(std::int64_t{strategy.data_parallel} * strategy.micro_batch *
                        strategy.micro_batches ==
                    job.global_batch);
  KernelMemo kernels;
  return estimate_plainly(std::make_shared<ClockedJob>(job, system), kernels, strategy);
}

namespace {

// Values that were asked for last. Strategies that share them are mostly neighbours: two that meet
// at a place take turns, and the memory is constant.
template <typename Value, std::size_t places>
class LastValues {
 public:
  // Of the strategies with a number, of a system, at a clock.
  struct Key {
    std::uint32_t number = 0;
    int step = 0;
    std::uint64_t system = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };

  template <typename Set>
  const Value& at(const Key& key, const Set& set) {
    Place& place = places_[key.number % places];
    if (!(place.key == key)) {
      set(place.value);
      place.key = key;
    }
    return place.value;
  }

 private:
  struct Place {
    Key key;
    Value value;
  };
  std::vector<Place> places_ = std::vector<Place>(places);
};

// What an error bar is of traits that many estimates have.
class ErrorBar {
 public:
  void add_to(TrainingEstimate& estimate, const Setting& setting) {
    if (estimate.limit_uncertainty > 0.0) {  // each its own
      add_uncertainty(estimate, setting);
      return;
    }
    const technology::Traits traits = traits_of(setting);
    if (traits != last_.traits || setting.strategy.devices() != devices_) {
      add_uncertainty(last_, setting);
      devices_ = setting.strategy.devices();
    }
    estimate.traits = last_.traits;
    estimate.least_known = last_.least_known;
    estimate.relative_uncertainty = last_.relative_uncertainty;
  }

 private:
  TrainingEstimate last_;
  std::int64_t devices_ = 0;
};

}  // namespace

// What estimators of the same job share; all of one thread.
struct SharedMemo {
  SharedMemo(const TrainingJob& job, const technology::System& system) : strategies(job, system) {}

  JobStrategies strategies;
  KernelMemo kernels;
  KnownLayers layers{kernels};
  LastValues<Stages, 64> stages;
  LastValues<GradientTransfers, 256> gradients;
  Survey survey;
  std::uint64_t systems = 0;  // so many were there
};

struct TrainingEstimator::Memo {
  Memo(TrainingJob own_job, const technology::System& system, const Memo* before)
      : on(std::make_shared<ClockedJob>(std::move(own_job), system)),
        shared(before != nullptr && before->shared->strategies.hold_for(on->job(), system)
                   ? before->shared
                   : std::make_shared<SharedMemo>(on->job(), system)),
        flop(model_flop(on->job())),
        may_break_limit(estimator::may_break_limit(system)),
        number(++shared->systems) {}

  // A strategy with what it shares with others.
  struct Fitting {
    const parallel::Strategy& strategy;
    const KnownStrategy& known;
    ClockedLayers& layers;
  };
  Fitting fitting(std::span<const parallel::Strategy> strategies, std::size_t index) {
    const KnownStrategy& known = shared->strategies.fitting_at(strategies, index, on->full());
    return {strategies[index], known, shared->layers.of(known.layers, strategies[index], on)};
  }

  // Of a micro-batch on each stage, at a clock.
  const Stages& stages_of(const Fitting& of, int step) {
    return shared->stages.at({of.known.stages, step, number}, [&](Stages& value) {
      set_stages(value, on->setting(of.strategy, step), of.layers.costs(step),
                 of.layers.units(of.strategy, step), shared->strategies.shares(of.known));
    });
  }

  // The same at all clocks.
  const GradientTransfers& gradients_of(const Fitting& of) {
    return shared->gradients.at({of.known.gradients, 0, number}, [&](GradientTransfers& value) {
      const StageShares& shares = shared->strategies.shares(of.known);
      value = gradient_transfers(on->setting(of.strategy, 0),
                                 fullest_stage(on->job(), of.strategy, shares));
    });
  }

  TrainingEstimate estimate(const Fitting& of) {
    const GradientTransfers& sent = gradients_of(of);
    const Cost& transfer = of.layers.transfer(of.strategy);
    const double late = straggling_of(of.strategy);
    TrainingEstimate estimate = at_settled_clock(of.layers, on->full().device, [&](int step) {
      return compose(on->setting(of.strategy, step),
                     {stages_of(of, step), transfer, sent, of.known.optimizer, late},
                     of.known.memory, flop);
    });
    error_bar.add_to(estimate, on->setting(of.strategy, 0));
    return estimate;
  }

  // As of its estimate: where passes take far less at the slowest clock, a step does not take more.
  double unkept_w(const Fitting& of) {
    constexpr double far_less = 0.7;
    const technology::Device& device = on->full().device;
    const double passes_w = of.layers.pass_power_w(slowest_step(device));
    return passes_w < far_less * device.thermal_design_power.si() ? 0.0
                                                                  : estimate(of).unkept_power_w;
  }

  // Of the devices of the last strategy: nearly all have as many.
  double straggling_of(const parallel::Strategy& strategy) {
    if (strategy.devices() != last_devices) {
      last_devices = strategy.devices();
      last_straggling = straggling(on->job().stack.step_jitter, last_devices);
    }
    return last_straggling;
  }

  double least_step_s(const Fitting& of, int step, double slower_passes_s = 0.0) {
    return estimator::least_step_s(
        on->setting(of.strategy, step), of.layers.times(of.strategy, step),
        shared->strategies.shares(of.known), of.layers.transfer(of.strategy).time.total_s(),
        of.known.optimizer.moved_bytes, slower_passes_s);
  }

  void set_least(const parallel::Strategy& strategy, double step_s, double energy_j) {
    const Setting setting = on->setting(strategy, 0);
    least.step = Charges::of(Resource::tensor_compute, step_s);
    least.energy.tensor_j = energy_j;
    least.model_flop_utilization = utilization(flop, setting, setting.system.device, step_s);
  }

  std::shared_ptr<ClockedJob> on;
  std::shared_ptr<SharedMemo> shared;
  double flop;
  bool may_break_limit;
  std::uint64_t number;  // of this system
  ErrorBar error_bar;
  std::int64_t last_devices = 0;
  double last_straggling = 0.0;
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
  return estimate_plainly(memo_->on, memo_->shared->kernels, strategy);
}

TrainingEstimate TrainingEstimator::operator()(std::span<const parallel::Strategy> strategies,
                                               std::size_t index) {
  return memo_->estimate(memo_->fitting(strategies, index));
}

TrainingEstimate TrainingEstimator::if_fits(std::span<const parallel::Strategy> strategies,
                                            std::size_t index) {
  const TrainingEstimate& settled = settle(strategies, index);
  if (settled.verdict == Verdict::fits) {
    return (*this)(strategies, index);
  }
  TrainingEstimate estimate;
  estimate.verdict = settled.verdict;
  estimate.memory = settled.memory;
  return estimate;
}

const TrainingEstimate& TrainingEstimator::settle(std::span<const parallel::Strategy> strategies,
                                                  std::size_t index) {
  TrainingEstimate& least = memo_->least;
  const technology::System& full = memo_->on->full();
  least.memory = memo_->shared->strategies.at(strategies, index, full).memory;
  least.verdict = verdict_of(least.memory, full.device);
  least.unkept_power_w = 0.0;
  if (memo_->may_break_limit && least.verdict == Verdict::fits) {
    least.unkept_power_w = memo_->unkept_w(memo_->fitting(strategies, index));
  }
  return least;
}

std::span<const LeastStep> TrainingEstimator::least_steps(
    std::span<const parallel::Strategy> strategies) {
  SharedMemo& shared = *memo_->shared;
  return shared.survey.of(strategies, memo_->on->job(), memo_->on->full(), memo_->on->at(0).rates,
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
  const Setting setting = memo.on->setting(of.strategy, step);
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
  const Setting near = memo.on->setting(of.strategy, step);
  memo.set_least(of.strategy, step_s, least_energy_j(near, envelope, pass, step_s));
  memo.least.model_flop_utilization /= envelope.least_peak;
  return memo.least;
}

}  // namespace scalesweep::estimator
