#include "estimator/reinforcement/reinforcement.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/contracts.hpp"
#include "estimator/parts/power/power_limit.hpp"

namespace scalesweep::estimator {

struct ReinforcementEstimator::Parts {
  TrainingParts training;
  const RolloutRun& rollouts;
  Cost weights;
  Charges states;
};

ReinforcementEstimator::ReinforcementEstimator(ReinforcementJob job,
                                               const technology::System& system,
                                               const ReinforcementEstimator* before)
    : job_(std::move(job)),
      system_(system),
      trainers_(job_, system_, before != nullptr ? &before->trainers_ : nullptr),
      engine_(job_, system_) {}

ReinforcementEstimator::Parts ReinforcementEstimator::parts_of(
    std::span<const parallel::Strategy> strategies, std::size_t index) {
  const parallel::Strategy& strategy = strategies[index];
  TrainingParts training = trainers_(strategies, index);
  const bool keeps = !job_.is_separate() && job_.keeps_states;
  const RolloutDevices devices = {
      job_.is_separate() ? job_.devices - strategy.devices() : strategy.devices(),
      keeps ? training.kept_bytes() : 0.0};
  SCALESWEEP_EXPECT(devices.count > 0);
  Charges states;
  if (!job_.is_separate() && !keeps) {
    states = Charges::of(Resource::host,
                         2.0 * training.kept_bytes() / system_.device.host_bandwidth.si());
  }
  const double slower = 1.0 / job_.stack.iteration_share;
  const RolloutRun* best = nullptr;
  Cost best_move;
  double best_s = 0.0;
  for (const RolloutRun& run : engine_.on(devices)) {
    const Cost move = weight_move(job_, system_, strategy, run.layout);
    const double run_s =
        slower * (job_.overlaps() ? std::max(run.total_s(), training.seconds()) : run.total_s()) +
        move.time.total_s();
    if (best == nullptr || run_s < best_s) {
      best = &run;
      best_move = move;
      best_s = run_s;
    }
  }
  return {std::move(training), *best, best_move, states};
}

void ReinforcementEstimator::set_memory(ReinforcementMemory& memory, const Parts& parts,
                                        const parallel::Strategy& strategy) const {
  const double longest = job_.most_output > 0 ? static_cast<double>(job_.most_output)
                                              : engine_.lengths().longest(job_.all_samples());
  trainers_.set_memory(memory, parts.training, strategy, longest);
  memory.usable_bytes = usable_memory_bytes(system_.device);
  memory.rollout_weights_bytes = parts.rollouts.weights_bytes;
  memory.cache_bytes = parts.rollouts.cache_bytes;
  memory.rollout_usable_bytes = parts.rollouts.usable_bytes;
}

void ReinforcementEstimator::set_time(ReinforcementEstimate& estimate, const Parts& parts) const {
  using P = ReinforcementPhase;
  const TrainingParts& training = parts.training;
  ReinforcementCharges rollouts;
  rollouts[P::prompts] = parts.rollouts.prompts.time;
  rollouts[P::rollout] = parts.rollouts.answers.full.time;
  rollouts[P::tail] = parts.rollouts.answers.tail.time;
  ReinforcementCharges updates;
  updates[P::scoring] = training.scoring;
  updates[P::policy].add(training.policy.times, training.policy.step.step);
  if (training.critic) {
    updates[P::critic].add(training.critic->times, training.critic->step.step);
  }
  // An iteration loses as much of all passes.
  const double slower = 1.0 / job_.stack.iteration_share;
  for (std::size_t i = 0; i < reinforcement_phase_count; ++i) {
    rollouts.phases[i] *= slower;
    updates.phases[i] *= slower;
  }
  estimate.rollout_s = rollouts.total().total_s();
  estimate.tail_s = rollouts[P::tail].total_s();
  estimate.training_s = updates.total().total_s();
  ReinforcementCharges all;
  const bool hides_training = job_.overlaps() && estimate.rollout_s >= estimate.training_s;
  const bool hides_rollouts = job_.overlaps() && !hides_training;
  for (std::size_t i = 0; i < reinforcement_phase_count; ++i) {
    if (!hides_rollouts) {
      all.phases[i] += rollouts.phases[i];
    }
    if (!hides_training) {
      all.phases[i] += updates.phases[i];
    }
  }
  all[P::weights] = parts.weights.time;
  all[P::states] = parts.states;
  estimate.weights_s = parts.weights.time.total_s();
  estimate.iteration = all.total();
  for (std::size_t i = 0; i < reinforcement_phase_count; ++i) {
    estimate.phase_s[i] = all.phases[i].total_s();
  }
}

// Devices on which no program runs while others work, or while states move, burn their idle power.
void ReinforcementEstimator::set_energy(ReinforcementEstimate& estimate, const Parts& parts,
                                        const parallel::Strategy& strategy) const {
  const TrainingParts& training = parts.training;
  const auto trainers = static_cast<double>(strategy.devices());
  const auto engines = static_cast<double>(parts.rollouts.layout.devices);
  estimate.energy += training.scoring_energy;
  estimate.energy.add(training.policy.times, training.policy.step.energy);
  if (training.critic) {
    estimate.energy.add(training.critic->times, training.critic->step.energy);
  }
  double device_j = training.device_j();
  const auto run_work = [&](const technology::System& system, const Work& work, double devices,
                            double time_s) {
    const EnergyUse energy = energy_of(system, devices * work, devices, time_s);
    estimate.energy += energy;
    if (time_s > 0.0) {
      device_j += device_power_w(devices * work, energy, devices, time_s) * devices * time_s;
    }
  };
  const RolloutRun& run = parts.rollouts;
  const technology::System settled =
      run.clock_step > 0 ? at_clock_step(system_, run.clock_step) : system_;
  run_work(settled, run.prompts.work + run.answers.full.work + run.answers.tail.work, engines,
           run.total_s());
  run_work(system_, parts.weights.work, engines, estimate.weights_s);
  // What an iteration loses of its passes, programs run through.
  const double passes_s = engines * run.total_s() + trainers * training.seconds();
  const double lost_s = passes_s * (1.0 / job_.stack.iteration_share - 1.0);
  run_work(system_, Work{}, 1.0, lost_s);
  const double running_s = passes_s + lost_s + engines * estimate.weights_s;
  const double all_s = static_cast<double>(job_.devices) * estimate.iteration_s();
  const EnergyUse waiting = idle_energy(system_, std::max(0.0, all_s - running_s));
  estimate.energy += waiting;
  estimate.device_power_w = (device_j + waiting.total_j()) / all_s;
}

ReinforcementEstimate ReinforcementEstimator::compose(const Parts& parts,
                                                      const parallel::Strategy& strategy) const {
  ReinforcementEstimate estimate;
  set_memory(estimate.memory, parts, strategy);
  estimate.verdict = parts.rollouts.fits && estimate.memory.short_bytes() <= 0.0
                         ? Verdict::fits
                         : Verdict::does_not_fit;
  estimate.rollouts = parts.rollouts.layout;
  estimate.samples = job_.all_samples();
  estimate.trainers = strategy.devices();
  estimate.longest_output = engine_.lengths().longest(job_.all_samples());
  estimate.moved_bytes = job_.training.model.parameters() * job_.rollouts.weight_bytes();
  estimate.step_s = parts.training.policy.step.step_time_s() / job_.stack.iteration_share;
  estimate.utilization =
      parts.training.policy.step.model_flop_utilization * job_.stack.iteration_share;
  estimate.unkept_power_w = std::max(parts.training.unkept_power_w(), parts.rollouts.unkept_w);
  if (parts.rollouts.fits) {
    set_time(estimate, parts);
    set_energy(estimate, parts, strategy);
  } else {
    estimate.iteration.values.fill(std::numeric_limits<double>::quiet_NaN());
  }
  return estimate;
}

ReinforcementEstimate ReinforcementEstimator::operator()(
    std::span<const parallel::Strategy> strategies, std::size_t index) {
  return compose(parts_of(strategies, index), strategies[index]);
}

ReinforcementEstimate ReinforcementEstimator::if_fits(
    std::span<const parallel::Strategy> strategies, std::size_t index) {
  const MemoryUse& least = trainers_.least_memory(strategies, index);
  const double usable = usable_memory_bytes(system_.device);
  if (std::max(least.reserved_bytes, least.total_bytes()) <= usable) {
    return (*this)(strategies, index);
  }
  ReinforcementEstimate estimate;
  estimate.verdict = Verdict::does_not_fit;
  estimate.memory.weights_bytes = least.weights_bytes;
  estimate.memory.states_bytes = least.gradients_bytes + least.optimizer_bytes;
  estimate.memory.activations_bytes =
      least.activations_bytes + std::max(0.0, least.reserved_bytes - least.total_bytes());
  estimate.memory.usable_bytes = usable;
  return estimate;
}

ReinforcementExplanation ReinforcementEstimator::explain(const parallel::Strategy& strategy) {
  const std::span<const parallel::Strategy> one(&strategy, 1);
  const Parts parts = parts_of(one, 0);
  return {compose(parts, strategy), parts.training, parts.rollouts, parts.weights};
}

ReinforcementEstimate estimate_reinforcement(const ReinforcementJob& job,
                                             const technology::System& system,
                                             const parallel::Strategy& strategy) {
  return ReinforcementEstimator(job, system)(std::span(&strategy, 1), 0);
}

ReinforcementExplanation explain_reinforcement(const ReinforcementJob& job,
                                               const technology::System& system,
                                               const parallel::Strategy& strategy) {
  return ReinforcementEstimator(job, system).explain(strategy);
}

}  // namespace scalesweep::estimator
