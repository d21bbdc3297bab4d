#include "estimator/training/training.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/contracts.hpp"
#include "estimator/parts/power_limit.hpp"
#include "estimator/training/bound.hpp"
#include "estimator/training/layer_cost.hpp"
#include "estimator/training/memory.hpp"
#include "estimator/training/step.hpp"
#include "estimator/training/strategies.hpp"

namespace scalesweep::estimator {
namespace {

// A system at a clock and what layers cost there.
struct Clocked {
  technology::System system;
  LayerCosts costs;
};

// Of a device between its waits: forward and backward passes of the model's layers with what they
// communicate. They last longer than a power limit takes to act, so that they set the clock;
// waiting for other stages, gradients and the optimizer take less.
Cost pass_cost(const TrainingJob& job, const Clocked& clocked) {
  const auto of = [](const BlockCost& block) {
    return block.forward.total() + block.backward.total();
  };
  const auto experts = static_cast<double>(job.model.expert_layers());
  Cost pass = (static_cast<double>(job.model.layers) - experts) * of(clocked.costs.layer);
  pass += experts * of(clocked.costs.expert_layer);
  return pass;
}
double pass_power_w(const TrainingJob& job, const Clocked& clocked) {
  return power_of_w(clocked.system, pass_cost(job, clocked));
}

// The layer costs of strategies that share them, at the clocks that were tried.
class ClockedLayers {
 public:
  // `strategy`: any of those.
  ClockedLayers(const TrainingJob& job, const technology::System& system,
                const parallel::Strategy& strategy, KernelMemo& kernels)
      : job_(job),
        kernels_(kernels),
        key_(layer_key(strategy)),
        saved_(saved_layers({job, system, strategy})) {
    full_.system = system;
  }

  std::uint32_t number = 0;  // KnownStrategy::layers, where that is known

  const parallel::Strategy& key() const { return key_; }
  const SavedLayers& saved() const { return saved_; }

  // Computes what layers cost, once it is asked for: where nothing fits it never is.
  void settle(const parallel::Strategy& strategy) {
    if (settled_) {
      return;
    }
    settled_ = true;
    full_.costs = layer_costs({job_, full_.system, strategy}, kernels_);
    const technology::Device& device = full_.system.device;
    const Cost pass = pass_cost(job_, full_);
    const double full_w = power_of_w(full_.system, pass);
    pass_step_ = 0;
    if (exceeds_power(full_w, device)) {
      pass_step_ = settled_clock_step(
          device.thermal_design_power.si(), 0, full_w,
          [&](int step) { return pass_power_w(job_, at(strategy, step)); },
          expected_clock_step(full_.system, pass));
    }
    pass_work_ = pass_cost(job_, at(strategy, pass_step_)).work;
  }

  // Once settled: where the passes keep within the power limit, and what one device works there for
  // one micro-batch.
  int pass_step() const { return pass_step_; }
  const Work& pass_work() const { return pass_work_; }

  // The same clock, and recomputed as the strategy says.
  const UnitTimes& units(const parallel::Strategy& strategy) {
    const std::pair policy = {strategy.recompute, strategy.recompute_every};
    for (const auto& [known, units] : units_) {
      if (known == policy) {
        return units;
      }
    }
    const Clocked& clocked = at(strategy, pass_step_);
    return units_
        .emplace_back(policy, unit_times({job_, clocked.system, strategy}, clocked.costs))
        .second;
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

  const Clocked& at(const parallel::Strategy& strategy, int step) {
    if (step == 0) {
      return full_;
    }
    auto found = slower_.find(step);
    if (found == slower_.end()) {
      if (slower_.size() >= most_clocks) {
        slower_.clear();
      }
      Clocked clocked = {at_clock_step(full_.system, step), {}};
      clocked.costs = layer_costs({job_, clocked.system, strategy}, kernels_);
      found = slower_.emplace(step, std::move(clocked)).first;
    }
    return found->second;
  }

 private:
  static constexpr std::size_t most_clocks = 256;

  const TrainingJob& job_;
  KernelMemo& kernels_;
  parallel::Strategy key_;
  SavedLayers saved_;
  bool settled_ = false;
  Clocked full_;
  int pass_step_ = 0;
  Work pass_work_;
  std::vector<std::pair<std::pair<parallel::Recompute, std::int32_t>, UnitTimes>> units_;
  std::vector<std::pair<std::pair<std::int32_t, std::int32_t>, double>> transfers_;
  std::map<int, Clocked> slower_;
};

// The layers of the strategies that were asked for last. Strategies that share them are neighbours
// in the enumeration, and the best ones of a search have a few kinds: remembering some is enough,
// and the memory is constant.
class LastLayers {
 public:
  LastLayers(const TrainingJob& job, const technology::System& system, KernelMemo& kernels)
      : job_(job), system_(system), kernels_(kernels) {}

  const technology::System& system() const { return system_; }

  // The same, of strategies that JobStrategies gives this number.
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
    return last_.emplace_front(job_, system_, strategy, kernels_);
  }

 private:
  static constexpr std::size_t most = 8;

  const TrainingJob& job_;
  technology::System system_;
  KernelMemo& kernels_;
  std::deque<ClockedLayers> last_;
};

// What is known of a strategy before the time of its step. No clock changes it.
struct Stages {
  StageShares shares;
  MemoryUse memory;

  Stages(const ClockedLayers& layers, const TrainingJob& job, const parallel::Strategy& strategy)
      : shares(stage_shares(job.model, strategy, job.framework.stage_balance)),
        memory(peak_memory(job, strategy, layers.saved(), shares)) {}
};

TrainingEstimate estimate_with(ClockedLayers& layers, const TrainingJob& job,
                               const parallel::Strategy& strategy, const MemoryUse& memory) {
  layers.settle(strategy);
  const auto at = [&](int step) {
    const Clocked& clocked = layers.at(strategy, step);
    return compose({job, clocked.system, strategy}, clocked.costs, memory);
  };
  int step = layers.pass_step();
  TrainingEstimate estimate = at(step);
  const technology::Device& device = layers.at(strategy, 0).system.device;
  // Rare: what hides behind the passes takes the average of the step beyond the limit.
  if (exceeds_power(estimate.device_power_w, device) && step < slowest_clock_step) {
    step = settled_clock_step(device.thermal_design_power.si(), step, estimate.device_power_w,
                              [&](int tried) { return at(tried).device_power_w; });
    estimate = at(step);
  }
  estimate.busy_power_w =
      std::max(estimate.device_power_w, pass_power_w(job, layers.at(strategy, step)));
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
  ClockedLayers layers(job, system, strategy, kernels);
  return estimate_with(layers, job, strategy, Stages(layers, job, strategy).memory);
}

// What estimators of the same job share; all of one thread.
struct SharedMemo {
  SharedMemo(const TrainingJob& job, const technology::System& system)
      : strategies(job, technology::scales_blocks(system.device)) {}

  JobStrategies strategies;
  KernelMemo kernels;
};

struct TrainingEstimator::Memo {
  Memo(TrainingJob own_job, const technology::System& system, const Memo* before)
      : job(std::move(own_job)),
        shared(before != nullptr && before->shared->strategies.hold_for(job, system)
                   ? before->shared
                   : std::make_shared<SharedMemo>(job, system)),
        layers(job, system, shared->kernels) {}

  TrainingJob job;
  std::shared_ptr<SharedMemo> shared;
  LastLayers layers;
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
  const TrainingJob& job = memo_->job;
  ClockedLayers& layers = memo_->layers.of(strategy);
  return estimate_with(layers, job, strategy, Stages(layers, job, strategy).memory);
}

TrainingEstimate TrainingEstimator::if_fits(const parallel::Strategy& strategy) {
  const TrainingJob& job = memo_->job;
  ClockedLayers& layers = memo_->layers.of(strategy);
  const MemoryUse memory = Stages(layers, job, strategy).memory;
  TrainingEstimate estimate = of_memory(memory, memo_->layers.system().device);
  return estimate.verdict == Verdict::fits ? estimate_with(layers, job, strategy, memory)
                                           : estimate;
}

const TrainingEstimate& TrainingEstimator::at_least(
    std::span<const parallel::Strategy> strategies, std::size_t index) {
  Memo& memo = *memo_;
  const technology::System& system = memo.layers.system();
  const KnownStrategy& known = memo.shared->strategies.at(strategies, index, system);
  memo.least.memory = known.memory;
  memo.least.verdict = verdict_of(known.memory, system.device);
  if (memo.least.verdict != Verdict::fits) {
    return memo.least;
  }
  const parallel::Strategy& strategy = strategies[index];
  ClockedLayers& layers = memo.layers.of(strategy, known.layers);
  layers.settle(strategy);
  const Setting setting = {memo.job, layers.at(strategy, layers.pass_step()).system, strategy};
  const double step_s =
      least_step_s(setting, layers.units(strategy), memo.shared->strategies.shares(known),
                   layers.transfer_s(setting), known.optimizer_bytes);
  memo.least.step = Charges::of(Resource::tensor_compute, step_s);
  memo.least.energy.tensor_j = least_energy_j(setting, layers.pass_work(), step_s);
  memo.least.model_flop_utilization = utilization(setting, system.device, step_s);
  return memo.least;
}

}  // namespace scalesweep::estimator
