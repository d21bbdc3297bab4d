// Estimates of batches, one strategy after the other, for every kind of work whose devices run a
// batch at one clock: the full one, or the highest that their power limit leaves. What strategies
// and systems share is computed once.
#pragma once

#include <concepts>
#include <cstddef>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "estimator/batches/batch_estimate.hpp"
#include "estimator/parts/power/power_limit.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"
#include "technology/precision.hpp"

namespace scalesweep::estimator {

// What a kind of work says of its batches. Each of its three parts is made once for what does not
// change it, and may keep what it has computed:
//
//   OnDevice(job, device, before)  of a job on a device: neither networks nor clocks change it.
//                                  `before` is that of another job or device, or null
//   memory(strategy)               of OnDevice: what a device holds, with short_bytes()
//   Kernels(on_device, device)     of a device at a clock: no network changes it
//   Networks(job, system)          of a system: no clock changes it
//   terms(...)                     of a strategy: what its batch is made of
//   costs(...)                     how long the batch lasts for each phase (CostsByPhase)
//   set_figures(...)               what Estimate has beside BatchEstimate
//   model_flop(job)                of a batch
template <typename Kind>
concept BatchKind = requires(const typename Kind::Job& job, const technology::System& system,
                             const parallel::Strategy& strategy, const typename Kind::Terms& terms,
                             typename Kind::OnDevice& on_device, typename Kind::Kernels& kernels,
                             typename Kind::Networks& networks, typename Kind::Estimate& estimate) {
  on_device.memory(strategy).short_bytes();
  { Kind::terms(on_device, kernels, networks, strategy) } -> std::same_as<typename Kind::Terms>;
  Kind::costs(job, system, strategy, terms).total.work;
  Kind::set_figures(estimate, job, strategy, terms, Kind::costs(job, system, strategy, terms));
  { Kind::model_flop(job) } -> std::same_as<double>;
};

template <typename Kind>
class BatchEstimator {
 public:
  using Job = typename Kind::Job;
  using Estimate = typename Kind::Estimate;
  using Terms = typename Kind::Terms;

  // `before`: one of the same study, of which what holds here is taken over; may be null.
  BatchEstimator(Job job, const technology::System& system, const BatchEstimator* before = nullptr)
      : job_(std::move(job)), system_(system), networks_(job_, system_) {
    static_assert(BatchKind<Kind>);
    const Known* const known = before != nullptr ? before->known_.get() : nullptr;
    known_ = known != nullptr && known->device == system_.device && known->job == job_
                 ? before->known_
                 : std::make_shared<Known>(job_, system_.device, known);
  }
  BatchEstimator(const BatchEstimator&) = delete;  // parts refer to the job and the system
  BatchEstimator& operator=(const BatchEstimator&) = delete;
  ~BatchEstimator() = default;

  const Job& job() const { return job_; }
  const technology::System& system() const { return system_; }

  Estimate operator()(const parallel::Strategy& strategy) {
    return compose(strategy, known_->on_device.memory(strategy));
  }
  // Where it does not fit, no more than the memory.
  Estimate if_fits(const parallel::Strategy& strategy) {
    const auto& memory = known_->on_device.memory(strategy);
    if (memory.short_bytes() <= 0.0) {
      return compose(strategy, memory);
    }
    Estimate estimate;
    estimate.memory = memory;
    estimate.verdict = Verdict::does_not_fit;
    return estimate;
  }
  // What the batch is made of at a clock, each by itself; what runs beside others adds less. It may
  // refer to the estimator.
  Terms terms(const parallel::Strategy& strategy, int clock_step) {
    return Kind::terms(known_->on_device, known_->at(clock_step).kernels, networks_, strategy);
  }

 private:
  struct Clocked {
    Clocked(typename Kind::OnDevice& on_device, const technology::Device& device, int clock_step)
        : alone(at_clock_step(technology::System{device}, clock_step)),
          kernels(on_device, alone.device) {}

    technology::System alone;  // the device, for its energy; no network of it is asked for
    typename Kind::Kernels kernels;
  };

  // Of one job on one device, whatever its networks; who begins with another device or job begins
  // another one.
  struct Known {
    Known(const Job& of, const technology::Device& on, const Known* before)
        : job(of),
          device(on),
          model_flop(Kind::model_flop(job)),
          on_device(job, device, before != nullptr ? &before->on_device : nullptr) {}

    Clocked& at(int clock_step) {
      const auto found = clocked.find(clock_step);
      if (found != clocked.end()) {
        return found->second;
      }
      if (clocked.size() >= most_clocks) {
        clocked.clear();
      }
      return clocked
          .emplace(std::piecewise_construct, std::forward_as_tuple(clock_step),
                   std::forward_as_tuple(on_device, device, clock_step))
          .first->second;
    }

    static constexpr std::size_t most_clocks = 64;

    Job job;
    technology::Device device;
    double model_flop;
    typename Kind::OnDevice on_device;
    std::map<int, Clocked> clocked;
  };

  Estimate at_clock(const parallel::Strategy& strategy, int clock_step) {
    const auto devices = static_cast<double>(strategy.devices());
    Clocked& clocked = known_->at(clock_step);
    const Terms made_of = Kind::terms(known_->on_device, clocked.kernels, networks_, strategy);
    const auto costs = Kind::costs(job_, system_, strategy, made_of);
    Estimate estimate;
    estimate.batch = costs.total.time;
    for (std::size_t i = 0; i < costs.phases.size(); ++i) {
      estimate.phase_s[i] = costs.phases[i].time.total_s();
    }
    Kind::set_figures(estimate, job_, strategy, made_of, costs);
    const double time_s = estimate.batch_time_s();
    const Work work = devices * costs.total.work;
    estimate.energy = energy_of(clocked.alone, work, devices, time_s);
    estimate.device_power_w = device_power_w(work, estimate.energy, devices, time_s);
    estimate.clock_step = clock_step;
    estimate.clock_fraction = clock_fraction(clock_step);
    return estimate;
  }

  template <typename Memory>
  Estimate compose(const parallel::Strategy& strategy, const Memory& memory) {
    Estimate estimate = at_clock(strategy, 0);
    if (exceeds_power(estimate.device_power_w, system_.device)) {
      estimate = at_settled_clock<Estimate>(
          system_.device, estimate.device_power_w,
          [&](int step) { return at_clock(strategy, step); },
          [](const Estimate& tried) { return tried.device_power_w; });
      estimate.unkept_power_w =
          unkept_power_w(system_.device, estimate.clock_step, estimate.device_power_w);
    }
    estimate.memory = memory;
    estimate.verdict = memory.short_bytes() <= 0.0 ? Verdict::fits : Verdict::does_not_fit;
    estimate.model_flop = known_->model_flop;
    const double peak = technology::matrix_peak(system_.device, job_.operands).si();
    estimate.model_flop_utilization =
        estimate.model_flop /
        (estimate.batch_time_s() * static_cast<double>(strategy.devices()) * peak);
    return estimate;
  }

  Job job_;
  technology::System system_;
  typename Kind::Networks networks_;
  std::shared_ptr<Known> known_;
};

}  // namespace scalesweep::estimator
