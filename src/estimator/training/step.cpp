#include "estimator/training/step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimator/parts/power/energy.hpp"
#include "estimator/training/encoder/uneven_inputs.hpp"
#include "estimator/training/states/memory.hpp"
#include "workload/encoder/inputs.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Schedule;

// What the fill and drain of the pipeline spend on a stage that is not the slowest, as shares of
// what it takes for a micro-batch, of its backward pass and of its weight gradients: a micro-batch
// with 1F1B, its chunk's share when interleaved (arXiv:2104.04473, section 2.2). Where weight
// gradients wait, forward and input gradient with ZB-H1 (arXiv:2401.10241, table 2); DualPipe runs
// from both ends (arXiv:2412.19437, table 2).
struct FillShares {
  double total = 1.0;
  double backward = 0.0;
  double weight_gradients = 0.0;

  Charges of(const Charges& total_time, const Charges& backward_time,
             const Charges& weight_gradient_time) const {
    Charges fill = total * total_time;
    if (weight_gradients != 0.0) {
      fill.add(backward, backward_time);
      fill.add(weight_gradients, weight_gradient_time);
    }
    return fill;
  }
};

FillShares fill_shares(const parallel::Strategy& strategy) {
  switch (strategy.schedule) {
    case Schedule::one_forward_one_backward:
      return {.total = 1.0 / strategy.chunks};
    case Schedule::zero_bubble:
      return {.total = 1.0, .weight_gradients = -1.0};
    case Schedule::dual_pipe: {
      // (p/2 - 1) (F&B + B - 3W) over p - 1 stages, F&B as long as both: without the W that fills.
      const double p = strategy.pipeline_parallel;
      const double share = (0.5 * p - 1.0) / std::max(1.0, p - 1.0);
      return {share, share, -2.0 * share};
    }
  }
  return {};
}

// How many weight gradients of the slowest stage fill its gaps meanwhile: one a stage in the tables
// above. Those of the last micro-batch come when there is nothing left to wait for.
double filling_gradients(const parallel::Strategy& strategy) {
  const double m = strategy.micro_batches;
  const double p = strategy.pipeline_parallel;
  switch (strategy.schedule) {
    case Schedule::one_forward_one_backward:
      break;
    case Schedule::zero_bubble:
      return std::min(m - 1.0, p - 1.0);
    case Schedule::dual_pipe:
      return std::clamp(0.5 * p - 1.0, 0.0, m - 1.0);
  }
  return 0.0;
}

// How the stages of a strategy take turns. `transfers` are those between stages.
class Turns {
 public:
  Turns(const Setting& setting, const Stages& stages, const Cost& transfers)
      : strategy_(setting.strategy),
        stages_(stages),
        transfers_(transfers.time),
        fill_(fill_shares(strategy_)),
        filling_(filling_gradients(strategy_)),
        fills_(fill_.of(stages.total.time + stage_count() * transfers_, stages.backward,
                        stages.weight_gradients)) {}

  // One stage sets the rhythm: every micro-batch waits for it, and the first and the last pass
  // through all others. It is the stage of which the step is the longest, what gradients and
  // weights add included, so that a faster kernel never makes a slower one; of equal ones the
  // slowest.
  std::size_t rhythm(const GradientTransfers& gradients, double core_share) const {
    const auto step_s = [&](const StageSums& stage) {
      return strategy_.micro_batches * total(stage).total_s() + bubble_around(stage).total_s() +
             exposed(gradients, beside_gradients(stage), core_share).time.total_s();
    };
    std::size_t longest = stages_.slowest;
    // With passes of the fullest stage alone beside gradients, the slowest makes the longest step.
    if (stages_.kinds.size() == 1 || own_share() >= 1.0) {
      return longest;
    }
    constexpr double rounding = 1.0 + 1e-12;
    double longest_s = step_s(stages_.kinds[longest]);
    for (std::size_t i = 0; i < stages_.kinds.size(); ++i) {
      if (const double s = step_s(stages_.kinds[i]); s > rounding * longest_s) {
        longest_s = s;
        longest = i;
      }
    }
    return longest;
  }

  // What the gradients and weights of the fullest stage hide behind: passes of its own, not those
  // of a slower stage, which a model whose head takes longest would have. Of chunks only the last
  // is its own time; before each other it waits for the stage that sets the rhythm, as it does for
  // all where weight gradients fill its gaps.
  PassTimes beside_gradients(const StageSums& rhythm) const {
    const PassTimes& own = stages_.kinds[stages_.fullest].passes;
    const double share = own_share();
    if (share >= 1.0) {
      return own;
    }
    const auto of = [&](const Charges& own_pass, const Charges& pass) {
      return share * own_pass + (1.0 - share) * pass;
    };
    return {of(own.forward, rhythm.passes.forward), of(own.backward, rhythm.passes.backward)};
  }

  Charges total(const StageSums& stage) const { return stage.total.time + transfers_; }

  // What the others add to the micro-batches of the stage that sets the rhythm. Nothing where its
  // weight gradients fill all gaps.
  Charges bubble_around(const StageSums& rhythm) const {
    const Charges bubble = fills_ - fill(rhythm);
    if (filling_ <= 0.0) {
      return bubble;
    }
    const Charges filled = filling_ * rhythm.weight_gradients;
    if (filled.total_s() <= 0.0) {
      return bubble;
    }
    return filled.total_s() < bubble.total_s() ? bubble - filled : Charges{};
  }

 private:
  double stage_count() const { return strategy_.pipeline_parallel; }
  double own_share() const {
    return strategy_.schedule == Schedule::one_forward_one_backward ? 1.0 / strategy_.chunks : 0.0;
  }
  Charges fill(const StageSums& stage) const {
    return fill_.of(total(stage), stage.passes.backward, stage.weight_gradients);
  }

  const parallel::Strategy& strategy_;
  const Stages& stages_;
  const Charges& transfers_;
  FillShares fill_;
  double filling_;
  Charges fills_;  // of all stages
};

// Of all devices, from that of one column of stages for one micro-batch. The last stage sends
// nothing on.
Work all_devices(const parallel::Strategy& strategy, const StepSums& step, const Work& stages,
                 const Work& transfers) {
  const double count = strategy.pipeline_parallel;
  Work work = step.micro_batches * (stages + (count - 1.0) * transfers);
  work.add(count, step.data_communication.work + step.optimizer.work);
  work *= static_cast<double>(strategy.devices()) / count;
  return work;
}

}  // namespace

const Cost* StepSums::once(Phase phase) const {
  switch (phase) {
    case Phase::data_communication:
      return &data_communication;
    case Phase::optimizer:
      return &optimizer;
    case Phase::bubble:
      return &bubble;
    case Phase::stragglers:
      return &stragglers;
    case Phase::uneven_inputs:
      return &uneven_inputs;
    default:
      return nullptr;
  }
}

double straggling(double jitter, std::int64_t devices) {
  return devices > 1 ? jitter * std::sqrt(2.0 * std::log(static_cast<double>(devices))) : 0.0;
}

double StepSums::phase_s(Phase phase) const {
  const Cost* extra = once(phase);
  return micro_batches * stage_phase_s[static_cast<std::size_t>(phase)] +
         (extra != nullptr ? extra->time.total_s() : 0.0);
}

namespace {

// The slowest stage beside the one that encodes; none where there is no other.
const StageSums* slowest_other(const Stages& stages, const Turns& turns) {
  const StageSums* slowest = nullptr;
  double longest_s = 0.0;
  for (std::size_t i = 0; i < stages.kinds.size(); ++i) {
    if (const double s = turns.total(stages.kinds[i]).total_s();
        i != stages.encoding && s > longest_s) {
      longest_s = s;
      slowest = &stages.kinds[i];
    }
  }
  return slowest;
}

Charges waiting_for_inputs(const Setting& setting, const Stages& stages, const Turns& turns) {
  const auto& [job, system, strategy] = setting;
  const double spread = workload::spread_in(job.model.encoder, static_cast<double>(job.sequence));
  const auto& [forward, backward] = stages.encoder;
  if (spread <= 0.0 || forward.total_s() <= 0.0) {
    return {};
  }
  const Charges stage = turns.total(stages.kinds[stages.encoding]);
  const StageSums* const other = slowest_other(stages, turns);
  const Charges others = other != nullptr ? turns.total(*other) : Charges{};
  UnevenInputs inputs;
  inputs.forward_s = forward.total_s();
  inputs.backward_s = backward.total_s();
  inputs.spread = spread / std::sqrt(static_cast<double>(strategy.micro_batch));
  inputs.stage_s = stage.total_s();
  inputs.others_s = others.total_s();
  inputs.micro_batches = strategy.micro_batches;
  // Replicas that shard gradients or weights, or experts, meet in every micro-batch.
  inputs.in_step = strategy.zero >= 2 || strategy.expert_parallel > 1;
  inputs.replicas = strategy.data_parallel;
  const UnevenInputs::Shares shares = inputs.shares();
  const Charges waits = shares.forward * forward + shares.backward * backward +
                        shares.stage * stage + shares.others * others;
  return waits.total_s() > 0.0 ? waits : Charges{};  // not what rounding leaves
}

}  // namespace

StepSums step_sums(const Setting& setting, const StepParts& parts) {
  const auto& [job, system, strategy] = setting;
  const Stages& stages = parts.stages;
  const Cost transfers = (2.0 * strategy.chunks) * parts.transfer;
  const Turns turns(setting, stages, transfers);
  StepSums step;
  step.micro_batches = strategy.micro_batches;
  const double core_share = system.scale_out().core_share;
  step.rhythm = turns.rhythm(parts.gradients, core_share);
  const StageSums& rhythm = stages.kinds[step.rhythm];
  step.stage_phase_s = rhythm.phase_s;
  step.stage_phase_s[static_cast<std::size_t>(Phase::pipeline_communication)] +=
      transfers.time.total_s();
  step.bubble.time = turns.bubble_around(rhythm);
  step.time = step.micro_batches * turns.total(rhythm);
  step.time += step.bubble.time;
  step.data_communication = exposed(parts.gradients, turns.beside_gradients(rhythm), core_share);
  step.optimizer = optimizer_cost(setting, parts.optimizer);
  if (job.optimizer.multiplies()) {
    step.optimizer += own_updates(stages.updates, strategy);
  }
  step.optimizer.time[Resource::latency] += job.stack.step_overhead_s;
  step.time += step.data_communication.time;
  step.time += step.optimizer.time;
  step.stragglers.time = parts.straggling * step.time;
  step.time += step.stragglers.time;
  step.uneven_inputs.time = waiting_for_inputs(setting, stages, turns);
  step.time += step.uneven_inputs.time;
  step.total_work = all_devices(strategy, step, stages.total.work, transfers.work);
  return step;
}

StepCost step_cost(const Setting& setting, const LayerCosts& costs) {
  const workload::TrainingStack& stack = setting.job.stack;
  StepCost step;
  step.shares = stage_shares(setting.job.model, setting.strategy, stack.stage_balance);
  Stages stages;
  set_stages(stages, setting, costs, stage_units(setting, costs), step.shares);
  const StageShare& fullest = step.shares.kinds()[stages.fullest];
  static_cast<StepSums&>(step) =
      step_sums(setting, {stages, pipeline_transfer(setting), gradient_transfers(setting, fullest),
                          optimizer_work(setting, fullest),
                          straggling(stack.step_jitter, setting.strategy.devices())});
  step.slowest = step.shares.kinds()[step.rhythm];
  step.stage = stage_cost(setting, costs, step.slowest, pipeline_transfers(setting));
  return step;
}

double model_flop(const TrainingJob& job) {
  return static_cast<double>(job.global_batch) *
         workload::model_flop_per_sequence(job.model, job.sequence, job.tuning);
}

double utilization(double model_flop, const Setting& setting, const technology::Device& device,
                   double step_s) {
  const auto devices = static_cast<double>(setting.strategy.devices());
  const double peak = technology::matrix_peak(device, setting.job.precision.linear).si();
  return model_flop / (step_s * devices * peak);
}

TrainingEstimate compose(const Setting& setting, const StepParts& parts, const MemoryUse& memory,
                         double model_flop) {
  const auto& [job, system, strategy] = setting;
  const StepSums step = step_sums(setting, parts);
  TrainingEstimate estimate;
  estimate.step = step.time;
  for (std::size_t i = 0; i < phase_count; ++i) {
    estimate.phase_s[i] = step.phase_s(static_cast<Phase>(i));
  }
  estimate.memory = memory;
  estimate.verdict = verdict_of(memory, system.device);
  const double step_s = estimate.step_time_s();
  const auto devices = static_cast<double>(strategy.devices());
  estimate.energy = energy_of(system, step.total_work, devices, step_s);
  estimate.device_power_w = device_power_w(step.total_work, estimate.energy, devices, step_s);
  estimate.model_flop_utilization = utilization(model_flop, setting, system.device, step_s);
  return estimate;
}

}  // namespace scalesweep::estimator
