#include "estimator/diffusion/diffusion.hpp"

#include <map>
#include <utility>

#include "core/contracts.hpp"
#include "estimator/diffusion/memory.hpp"
#include "estimator/diffusion/training_step.hpp"
#include "estimator/parts/power/power_limit.hpp"

namespace scalesweep::estimator {

// Of one job on one device, whatever its networks; who begins with another device or job begins
// another one.
class DiffusionEstimator::Memo {
 public:
  struct Clocked {
    technology::System alone;  // the device, for its energy; no network of it is asked for
    MatMulMemo matmuls;
    std::map<parallel::Strategy, DiffusionKernels> kernels;
  };

  Memo(DiffusionJob job, technology::Device device)
      : job_(std::move(job)),
        device_(std::move(device)),
        flop_((job_.trains() ? 3.0 : 1.0) * static_cast<double>(job_.passes() * job_.steps()) *
              workload::denoiser_flop(job_.model, job_.picture)) {}

  bool is_of(const DiffusionJob& job, const technology::Device& device) const {
    return device == device_ && job == job_;
  }
  double flop() const { return flop_; }

  const DiffusionMemory& memory(const parallel::Strategy& strategy) {
    const auto found = memory_.find(strategy);
    return found != memory_.end()
               ? found->second
               : memory_.emplace(strategy, diffusion_memory(job_, strategy, device_)).first->second;
  }

  Clocked& at(int clock_step) {
    const auto found = clocked_.find(clock_step);
    if (found != clocked_.end()) {
      return found->second;
    }
    if (clocked_.size() >= most_clocks) {
      clocked_.clear();
    }
    Clocked clocked;
    clocked.alone = at_clock_step(technology::System{device_}, clock_step);
    return clocked_.emplace(clock_step, std::move(clocked)).first->second;
  }

  const DiffusionKernels& kernels(Clocked& at, const parallel::Strategy& strategy) {
    const parallel::Strategy key = job_.trains() ? micro_batch_key(strategy) : strategy;
    const auto found = at.kernels.find(key);
    return found != at.kernels.end()
               ? found->second
               : at.kernels.emplace(key, diffusion_kernels(job_, key, at.alone.device, at.matmuls))
                     .first->second;
  }

 private:
  // All that kernels of a micro-batch ask of a strategy.
  static parallel::Strategy micro_batch_key(const parallel::Strategy& strategy) {
    parallel::Strategy key;
    key.tensor_parallel = strategy.tensor_parallel;
    key.context_parallel = strategy.context_parallel;
    key.context_exchange = strategy.context_exchange;
    key.micro_batch = strategy.micro_batch;
    key.zero = strategy.zero > 0 ? 1 : 0;
    return key;
  }

  static constexpr std::size_t most_clocks = 64;

  DiffusionJob job_;
  technology::Device device_;
  double flop_;
  std::map<parallel::Strategy, DiffusionMemory> memory_;
  std::map<int, Clocked> clocked_;
};

DiffusionEstimator::DiffusionEstimator(DiffusionJob job, const technology::System& system,
                                       const DiffusionEstimator* before)
    : job_(std::move(job)), system_(system) {
  memo_ = before != nullptr && before->memo_->is_of(job_, system_.device)
              ? before->memo_
              : std::make_shared<Memo>(job_, system_.device);
}

DiffusionEstimator::~DiffusionEstimator() = default;

void DiffusionEstimator::set_exchange(const parallel::Strategy& strategy) {
  if (exchanges_ != strategy) {
    exchange_ = diffusion_exchange(job_, strategy, system_);
    update_ = job_.trains() ? diffusion_update(job_, strategy, system_) : DiffusionUpdate{};
    exchanges_ = strategy;
  }
}

DiffusionEstimate DiffusionEstimator::at_clock(const parallel::Strategy& strategy, int clock_step) {
  const auto devices = static_cast<double>(strategy.devices());
  Memo::Clocked& clocked = memo_->at(clock_step);
  set_exchange(strategy);
  const DiffusionTerms terms = {slice_of(job_, strategy), memo_->kernels(clocked, strategy),
                                exchange_, update_};
  const DiffusionCosts costs = job_.trains() ? training_costs(job_, strategy, system_, terms)
                                             : diffusion_costs(job_, strategy, system_, terms);
  DiffusionEstimate estimate;
  estimate.batch = costs.total.time;
  for (std::size_t i = 0; i < diffusion_phase_count; ++i) {
    estimate.phase_s[i] = costs.phases[i].time.total_s();
  }
  estimate.step_s = costs.step_s;
  const double time_s = estimate.batch_time_s();
  const Work work = devices * costs.total.work;
  estimate.energy = energy_of(clocked.alone, work, devices, time_s);
  estimate.device_power_w = device_power_w(work, estimate.energy, devices, time_s);
  estimate.clock_step = clock_step;
  estimate.clock_fraction = clock_fraction(clock_step);
  return estimate;
}

DiffusionEstimate DiffusionEstimator::compose(const parallel::Strategy& strategy,
                                              const DiffusionMemory& memory) {
  DiffusionEstimate estimate = at_clock(strategy, 0);
  if (exceeds_power(estimate.device_power_w, system_.device)) {
    estimate = at_settled_clock<DiffusionEstimate>(
        system_.device.thermal_design_power.si(), estimate.device_power_w,
        [&](int step) { return at_clock(strategy, step); },
        [](const DiffusionEstimate& tried) { return tried.device_power_w; });
  }
  estimate.memory = memory;
  estimate.verdict = memory.short_bytes() <= 0.0 ? Verdict::fits : Verdict::does_not_fit;
  const workload::DiffusionSlice slice = slice_of(job_, strategy);
  const bool joins_text = job_.model.layers_of(workload::DiffusionLayer::cross) == 0;
  estimate.tokens =
      slice.latent_tokens + (joins_text ? static_cast<double>(job_.model.text_tokens) : 0.0);
  estimate.model_flop = memo_->flop();
  const double peak = technology::matrix_peak(system_.device, job_.operands).si();
  estimate.model_flop_utilization =
      estimate.model_flop /
      (estimate.batch_time_s() * static_cast<double>(strategy.devices()) * peak);
  return estimate;
}

DiffusionEstimate DiffusionEstimator::operator()(const parallel::Strategy& strategy) {
  SCALESWEEP_EXPECT(job_.passes() % strategy.data_parallel == 0);
  return compose(strategy, memo_->memory(strategy));
}

DiffusionEstimate DiffusionEstimator::if_fits(const parallel::Strategy& strategy) {
  const DiffusionMemory& memory = memo_->memory(strategy);
  if (memory.short_bytes() <= 0.0) {
    return compose(strategy, memory);
  }
  DiffusionEstimate estimate;
  estimate.memory = memory;
  estimate.verdict = Verdict::does_not_fit;
  return estimate;
}

DiffusionEstimate estimate_diffusion(const DiffusionJob& job, const technology::System& system,
                                     const parallel::Strategy& strategy) {
  return DiffusionEstimator(job, system)(strategy);
}

DiffusionExplanation explain_diffusion(const DiffusionJob& job, const technology::System& system,
                                       const parallel::Strategy& strategy) {
  DiffusionExplanation explanation;
  explanation.estimate = estimate_diffusion(job, system, strategy);
  technology::System settled = system;
  if (explanation.estimate.clock_step > 0) {
    settled = at_clock_step(settled, explanation.estimate.clock_step);
  }
  MatMulMemo matmuls;
  explanation.terms = {slice_of(job, strategy),
                       diffusion_kernels(job, strategy, settled.device, matmuls),
                       diffusion_exchange(job, strategy, settled),
                       job.trains() ? diffusion_update(job, strategy, settled) : DiffusionUpdate{}};
  return explanation;
}

}  // namespace scalesweep::estimator
