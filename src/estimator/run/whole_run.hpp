// A whole run of training: from the time of a step to days, with failures, checkpoints, restarts
// and input. Pure.
//
// Mean values of a long run: the parts of the time sum to it, and goodput is what steps take of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/enum_names.hpp"
#include "estimator/run/failures.hpp"
#include "estimator/run/reached.hpp"
#include "estimator/run/renewal.hpp"
#include "estimator/run/run_plan.hpp"
#include "estimator/training/estimate.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

struct TrainingJob;

// What the time of a run goes into.
enum class RunPart : std::uint8_t {
  steps,
  input,         // beyond the steps, where storage reads more slowly than devices train
  slow_devices,  // what steps take longer until a slow device is found
  checkpoints,   // that stop the job
  lost_work,     // since the last checkpoint, or since a device computed wrongly
  restarts,      // from failures until work goes on, and the start of the run
  repairs,       // waiting for a node, or going on without
};
inline constexpr auto run_part_names = enum_names<RunPart>(
    "steps", "input", "slow_devices", "checkpoints", "lost_work", "restarts", "repairs");
inline constexpr std::size_t run_part_count = run_part_names.size();

struct RunTimes : Indexed<RunTimes, RunPart, double, run_part_count> {};  // seconds

// What checkpoints take.
struct CheckpointCost {
  double bytes = 0.0;     // weights and optimizer states of the whole model, each once
  double stop_s = 0.0;    // the job stands still
  Charges stop;           // what is copied then: all of it but the fixed time
  double behind_s = 0.0;  // beside it; the next one cannot begin before
};

struct RunEstimate {
  double steps = 0.0;
  RunTimes times;
  // Of them what the rate of a resource sets: steps that stay and the copies of checkpoints and
  // restarts. The rest are failures and fixed times. That what is shorter also fails less often is
  // not in it.
  Charges charges;
  CheckpointCost checkpoint;
  double interval_s = 0.0;  // of work between checkpoints, all of it at most
  double restart_s = 0.0;   // of one
  double failures_per_s = 0.0;
  double devices = 0.0;  // with those that stand by
  double energy_j = 0.0;
  ReachedTimes reached;  // what runs take that do not go well in all, as multiples of time_s

  double time_s() const { return times.sum(); }
  double goodput() const { return times[RunPart::steps] / time_s(); }
  double failures() const { return failures_per_s * time_s(); }
};

// What runs of a job on a system have in common, whatever the strategy: made once, then asked for
// each.
class RunEstimator {
 public:
  RunEstimator(const RunPlan& plan, const TrainingJob& job, const technology::System& system);

  // Of the time and energy of a step.
  RunEstimate operator()(const TrainingEstimate& step, const parallel::Strategy& strategy) const;
  // What it is never below for any strategy whose steps take as much: the least memory to reload,
  // and of replicas the smallest to lose with a node.
  RunEstimate of_any_strategy(const TrainingEstimate& step) const;
  // What it is never below on any device of which nothing but its step is known: the steps alone.
  RunEstimate at_least(const TrainingEstimate& step) const;

  const RunPlan& plan() const { return plan_; }
  const CheckpointCost& checkpoint() const { return checkpoint_; }
  const FailureRates& rates() const { return rates_; }
  // The time in which a checkpoint is written over the interval that the plan asks for, above 1
  // where that is over before; 0 where it asks for the best.
  double over_interval() const {
    return plan_.interval_s > 0.0 ? checkpoint_.behind_s / plan_.interval_s : 0.0;
  }

 private:
  Charges reload(const MemoryUse& memory) const;
  double start_s(const Charges& reload) const;
  double restart_s(double start) const;
  double interval_s(double step_s) const;
  double working_share(double replicas) const;
  RunEstimate estimate(const TrainingEstimate& step, const MemoryUse& memory, double working) const;
  void set_work(RunEstimate& run, const Charges& step) const;
  double add_failures(RunEstimate& run, const Renewal& renewal, double start) const;

  RunPlan plan_;
  double step_tokens_;
  double step_bytes_;  // of input
  double scale_out_bytes_per_s_;
  double host_bytes_per_s_;
  double read_bytes_per_s_;  // of all devices
  double idle_power_w_;
  FailureRates rates_;
  double failures_per_s_;  // of all causes
  CheckpointCost checkpoint_;
  double wanted_interval_s_;  // as asked for, or the best where nothing else is in its way
  double slower_by_;          // part of the steps, for slow devices
  double corrupted_;          // part of the work that is done again
  double spare_nodes_;
  double waiting_share_ = 0.0;  // of the time: for one of them, where the job needs all
  double nodes_lost_ = 0.0;     // beyond spare ones, where it goes on without
};

}  // namespace scalesweep::estimator
