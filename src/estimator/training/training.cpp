#include "estimator/training/training.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/contracts.hpp"
#include "estimator/parts/power_limit.hpp"
#include "estimator/training/layer_cost.hpp"
#include "estimator/training/memory.hpp"
#include "estimator/training/step.hpp"

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

// The layer costs of strategies that share them, at the clocks that were tried. Such strategies are
// neighbours in the enumeration, so that remembering the last ones is enough and the memory is
// constant.
class ClockedLayers {
 public:
  ClockedLayers(const TrainingJob& job, const technology::System& system) : job_(job) {
    full_.system = system;
  }

  void set(const parallel::Strategy& strategy) {
    const parallel::Strategy key = layer_key(strategy);
    if (key_ == key) {
      return;
    }
    key_ = key;
    saved_ = saved_layers({job_, full_.system, strategy});
    settled_ = false;
  }

  const SavedLayers& saved() const { return saved_; }
  const technology::Device& device() const { return full_.system.device; }

  // Computes what layers cost, once it is asked for: where nothing fits it never is.
  void settle(const parallel::Strategy& strategy) {
    if (settled_) {
      return;
    }
    settled_ = true;
    slower_.clear();
    full_.costs = layer_costs({job_, full_.system, strategy});
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
  }

  // Once settled: where the passes keep within the power limit.
  int pass_step() const { return pass_step_; }

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
      clocked.costs = layer_costs({job_, clocked.system, strategy});
      found = slower_.emplace(step, std::move(clocked)).first;
    }
    return found->second;
  }

 private:
  static constexpr std::size_t most_clocks = 256;

  const TrainingJob& job_;
  std::optional<parallel::Strategy> key_;
  SavedLayers saved_;
  bool settled_ = false;
  Clocked full_;
  int pass_step_ = 0;
  std::map<int, Clocked> slower_;
};

// No clock changes it.
MemoryUse memory_of(ClockedLayers& layers, const TrainingJob& job,
                    const parallel::Strategy& strategy) {
  layers.set(strategy);
  return peak_memory(job, strategy, layers.saved(),
                     stage_shares(job.model, strategy, job.framework.stage_balance));
}

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

}  // namespace

TrainingEstimate estimate_training(const Setting& setting) {
  const auto& [job, system, strategy] = setting;
  SCALESWEEP_EXPECT(std::int64_t{strategy.data_parallel} * strategy.micro_batch *
                        strategy.micro_batches ==
                    job.global_batch);
  ClockedLayers layers(job, system);
  return estimate_with(layers, job, strategy, memory_of(layers, job, strategy));
}

struct TrainingEstimator::Memo {
  Memo(TrainingJob own_job, const technology::System& system)
      : job(std::move(own_job)), layers(job, system) {}

  TrainingJob job;
  ClockedLayers layers;
};

TrainingEstimator::TrainingEstimator(TrainingJob job, technology::System system)
    : memo_(std::make_unique<Memo>(std::move(job), system)) {}

TrainingEstimator::~TrainingEstimator() = default;
TrainingEstimator::TrainingEstimator(TrainingEstimator&&) noexcept = default;
TrainingEstimator& TrainingEstimator::operator=(TrainingEstimator&&) noexcept = default;

TrainingEstimate TrainingEstimator::operator()(const parallel::Strategy& strategy) {
  auto& [job, layers] = *memo_;
  return estimate_with(layers, job, strategy, memory_of(layers, job, strategy));
}

TrainingEstimate TrainingEstimator::if_fits(const parallel::Strategy& strategy) {
  auto& [job, layers] = *memo_;
  const MemoryUse memory = memory_of(layers, job, strategy);
  const Verdict verdict = verdict_of(memory, layers.device());
  if (verdict == Verdict::fits) {
    return estimate_with(layers, job, strategy, memory);
  }
  TrainingEstimate estimate;
  estimate.verdict = verdict;
  estimate.memory = memory;
  return estimate;
}

}  // namespace scalesweep::estimator
