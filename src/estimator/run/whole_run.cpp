#include "estimator/run/whole_run.hpp"

#include <algorithm>
#include <cmath>

#include "estimator/parts/power/energy.hpp"
#include "estimator/training/states/parameters.hpp"

namespace scalesweep::estimator {
namespace {

double all_bytes_per_s(BytesPerSecond of_one, BytesPerSecond most, double devices) {
  const double together = of_one.si() * devices;
  return most.si() > 0.0 ? std::min(most.si(), together) : together;
}

// Of each parameter that is trained what the optimizer keeps, and the copy that is updated, from
// which shorter weights follow.
double checkpoint_bytes(const TrainingJob& job) {
  const parallel::Strategy one_device;
  const StageShare whole = whole_model(job.model);
  const double updated = std::max(technology::element_bytes(job.precision.master_weights),
                                  technology::element_bytes(job.precision.weights));
  return trained_parameters(job, one_device, whole).total() *
         (moment_bytes(job, one_device, whole) + updated);
}

// Devices write equal parts, whoever holds copies of them.
CheckpointCost checkpoint_cost(const RunPlan& plan, const TrainingJob& job,
                               const technology::System& system) {
  CheckpointCost cost;
  cost.bytes = checkpoint_bytes(job);
  const double own_bytes = cost.bytes / plan.devices;
  const technology::Network& network = system.scale_out();
  const double to_host_s = own_bytes / system.device.host_bandwidth.si();
  const double to_storage_s =
      cost.bytes / all_bytes_per_s(plan.storage.write, plan.storage.most_write, plan.devices);
  cost.stop = Charges::of(Resource::host, to_host_s);
  switch (plan.checkpoint) {
    case CheckpointKind::synchronous:
      cost.stop += Charges::of(Resource::storage, to_storage_s);
      break;
    case CheckpointKind::asynchronous:
      cost.behind_s = to_storage_s;
      break;
    case CheckpointKind::peer:
      cost.behind_s = own_bytes / (network.bandwidth.si() * network.sustained);
      break;
  }
  cost.stop_s = plan.storage.checkpoint_latency.si() + cost.stop.total_s();
  return cost;
}

// What a step reads.
double input_bytes(const RunPlan& plan, const TrainingJob& job) {
  const workload::Encoder& encoder = job.model.encoder;
  double bytes = plan.token_bytes * static_cast<double>(job.sequence);
  if (encoder.asked()) {
    const double pixels = static_cast<double>(encoder.width) * static_cast<double>(encoder.height);
    bytes += encoder.inputs * (encoder.audio.on() ? plan.audio_bytes_per_s * encoder.length_s
                                                  : plan.pixel_bytes * pixels);
  }
  return bytes * static_cast<double>(job.global_batch);
}

// Until a device that became slow is replaced, steps of all take longer.
double slower_by(const technology::Reliability& reliability, double factor, double devices) {
  const double slow_ones = factor * devices / reliability.slow.si() * reliability.slow_found.si();
  return reliability.slowed_by * -std::expm1(-slow_ones);
}

}  // namespace

RunEstimator::RunEstimator(const RunPlan& plan, const TrainingJob& job,
                           const technology::System& system)
    : plan_(plan),
      step_tokens_(static_cast<double>(job.sequence) * static_cast<double>(job.global_batch)),
      step_bytes_(input_bytes(plan, job)),
      scale_out_bytes_per_s_(system.scale_out().bandwidth.si() * system.scale_out().sustained),
      host_bytes_per_s_(system.device.host_bandwidth.si()),
      read_bytes_per_s_(all_bytes_per_s(plan.storage.read, plan.storage.most_read, plan.devices)),
      idle_power_w_(idle_energy(system, 1.0).total_j()),
      rates_(failure_rates(plan.reliability, plan.failure_factor, system, plan.devices)),
      failures_per_s_(rates_.sum()),
      checkpoint_(checkpoint_cost(plan, job, system)),
      wanted_interval_s_(plan.interval_s > 0.0
                             ? plan.interval_s
                             : best_interval_s({failures_per_s_, 0.0, checkpoint_.stop_s, 0.0})),
      slower_by_(slower_by(plan.reliability, plan.failure_factor, plan.devices)),
      corrupted_(
          std::expm1(rates_[FailureCause::corruption] * plan.reliability.corruption_found.si())) {
  const technology::Reliability& reliability = plan.reliability;
  const double nodes_out = rates_.hardware() * reliability.repaired_share * reliability.repair.si();
  const bool waits = plan.recovery == Recovery::replace;
  if (plan.spare_share) {
    spare_nodes_ = std::round(*plan.spare_share * plan.devices / reliability.node_devices);
  } else {
    spare_nodes_ = waits ? fewest_spares(nodes_out, accepted_wait) : 0.0;
  }
  if (waits) {
    waiting_share_ = all_busy_share(nodes_out, spare_nodes_ + 1.0);
  } else {
    nodes_lost_ = mean_beyond(nodes_out, spare_nodes_);
  }
}

// Every device reads what it holds; where a peer has it, only a node that was replaced does.
Charges RunEstimator::reload(const MemoryUse& memory) const {
  const double own_bytes =
      memory.weights_bytes + std::max(memory.optimizer_bytes, checkpoint_.bytes / plan_.devices);
  return Charges::of(Resource::host, own_bytes / host_bytes_per_s_) +
         (plan_.checkpoint == CheckpointKind::peer
              ? Charges::of(Resource::scale_out, own_bytes / scale_out_bytes_per_s_)
              : Charges::of(Resource::storage, own_bytes * plan_.devices / read_bytes_per_s_));
}

// A step is not interrupted, and the next checkpoint does not begin before the last is written.
double RunEstimator::interval_s(double step_s) const {
  return std::max({wanted_interval_s_, step_s, checkpoint_.behind_s});
}

// Of the work that all devices would do, what is done while nodes are repaired. A node that is
// missing takes its replica along.
double RunEstimator::working_share(double replicas) const {
  if (plan_.recovery == Recovery::replace) {
    return 1.0 - waiting_share_;
  }
  const double replica_devices = plan_.devices / replicas;
  const double replicas_of_node = std::max(1.0, plan_.reliability.node_devices / replica_devices);
  return std::max(0.0, 1.0 - nodes_lost_ * replicas_of_node / replicas);
}

// From a failure until work goes on, in the mean over failures: a spare takes the place of those
// that need one.
double RunEstimator::restart_s(double start) const {
  const technology::Reliability& reliability = plan_.reliability;
  const double replaced = plan_.recovery == Recovery::replace && failures_per_s_ > 0.0
                              ? reliability.repaired_share * rates_.hardware() / failures_per_s_
                              : 0.0;
  return reliability.detection.si() + replaced * reliability.replacement.si() + start;
}

double RunEstimator::start_s(const Charges& reload) const {
  const technology::Reliability& reliability = plan_.reliability;
  return reliability.start.si() + plan_.devices * reliability.start_of_each.si() + reload.total_s();
}

// What steps take, and what they would take where nothing failed. Input is read beside the step
// before: storage is charged what that takes longer.
void RunEstimator::set_work(RunEstimate& run, const Charges& step) const {
  const double step_s = step.total_s();
  Cost input;
  input.time = Charges::of(Resource::storage, step_bytes_ / read_bytes_per_s_);
  run.times[RunPart::steps] = run.steps * step_s;
  run.times[RunPart::input] = run.steps * std::max(0.0, input.time.total_s() - step_s);
  run.times[RunPart::slow_devices] = run.times.sum() * slower_by_;
  run.charges = run.steps * (1.0 + slower_by_) * (step + beyond(step, input).time);
}

// Intervals of work, each with its checkpoint. Returns how often the job is started again.
double RunEstimator::add_failures(RunEstimate& run, const Renewal& renewal, double start) const {
  const technology::Reliability& reliability = plan_.reliability;
  RunTimes& times = run.times;
  const double work_s = times.sum();
  const double intervals = work_s / run.interval_s;
  const double elapsed = intervals * elapsed_s(renewal, run.interval_s);
  times[RunPart::checkpoints] = intervals * renewal.stop_s;
  run.charges.add(intervals, checkpoint_.stop);
  times[RunPart::restarts] = elapsed * -std::expm1(-renewal.failures_per_s * renewal.restart_s);
  times[RunPart::lost_work] =
      std::max(0.0, elapsed - work_s - times[RunPart::checkpoints] - times[RunPart::restarts]);
  // Work stays unless a device began to compute wrongly in the time before in which nobody saw it.
  times[RunPart::lost_work] += times.sum() * corrupted_;
  double starts = renewal.restart_s > 0.0 ? times[RunPart::restarts] / renewal.restart_s : 0.0;
  // Slow devices are replaced after a checkpoint: nothing is lost but the restart.
  const double replaced =
      times.sum() * plan_.failure_factor * plan_.devices / reliability.slow.si();
  times[RunPart::restarts] += replaced * (reliability.replacement.si() + start);
  starts += replaced;
  return starts;
}

RunEstimate RunEstimator::operator()(const TrainingEstimate& step,
                                     const parallel::Strategy& strategy) const {
  return estimate(step, step.memory, working_share(strategy.data_parallel));
}

RunEstimate RunEstimator::of_any_strategy(const TrainingEstimate& step) const {
  const double most_replicas = plan_.devices;
  return estimate(step, {}, working_share(most_replicas));
}

RunEstimate RunEstimator::estimate(const TrainingEstimate& step, const MemoryUse& memory,
                                   double working) const {
  RunEstimate run;
  const double step_s = step.step_time_s();
  const Charges reloaded = reload(memory);
  const double start = start_s(reloaded);
  run.steps = plan_.tokens / step_tokens_;
  run.checkpoint = checkpoint_;
  run.failures_per_s = failures_per_s_;
  run.restart_s = restart_s(start);
  run.devices = plan_.devices + spare_nodes_ * plan_.reliability.node_devices;
  const Renewal renewal = {run.failures_per_s, run.restart_s, checkpoint_.stop_s,
                           checkpoint_.behind_s};
  set_work(run, step.step);
  run.interval_s = std::min(interval_s(step_s), run.times.sum());
  const double starts = add_failures(run, renewal, start);
  run.times[RunPart::repairs] = run.times.sum() * (1.0 / working - 1.0);
  run.times[RunPart::restarts] += start;
  run.charges.add(starts + 1.0, reloaded);

  const double busy_s =
      run.times[RunPart::steps] + run.times[RunPart::slow_devices] + run.times[RunPart::lost_work];
  const double idle_device_s = run.devices * run.time_s() - plan_.devices * busy_s;
  run.energy_j = step.energy.total_j() / step_s * busy_s + idle_power_w_ * idle_device_s;
  run.reached = reached_times(plan_.reliability, step.relative_uncertainty);
  return run;
}

RunEstimate RunEstimator::at_least(const TrainingEstimate& step) const {
  RunEstimate run;
  run.steps = plan_.tokens / step_tokens_;
  run.devices = plan_.devices;
  run.times[RunPart::steps] = run.steps * step.step_time_s();
  run.energy_j = run.steps * step.energy.total_j();
  return run;
}

}  // namespace scalesweep::estimator
