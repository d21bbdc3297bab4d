#include "estimator/training/step.hpp"

#include <algorithm>

#include "estimator/parts/collective.hpp"
#include "estimator/parts/energy.hpp"
#include "estimator/training/memory.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Collective;
using parallel::CollectiveKind;
using parallel::Recompute;
using parallel::Schedule;

// Recomputation of `layers`, which are all of a stage's dense or expert layers.
void add_recompute(StageCost& stage, const BlockCost& layer, double layers,
                   const parallel::Strategy& strategy) {
  if (strategy.recompute == Recompute::selective) {
    stage.recompute += layers * layer.attention_core;
  } else if (strategy.recompute == Recompute::full) {
    const PassCost again = (layers / strategy.recompute_every) * layer.forward;
    stage.recompute += again.compute + again.host_wait;
    stage.tensor_communication += again.tensor_communication;
    stage.context_communication += again.context_communication;
    stage.expert_communication += again.expert_communication;
  }
}

// Saved activations leave for host memory behind the forward pass and come back behind the
// backward pass (Rhu et al., vDNN, arXiv:1602.08124).
PassTransfers offload_cost(const technology::System& system, const LayerCosts& costs,
                           const StageShare& share, const parallel::Strategy& strategy,
                           const PassTimes& passes) {
  const double bytes = kept_bytes(costs, share, strategy);
  Cost one_way;
  one_way.time = Charges::of(Resource::host, bytes / system.device.host_bandwidth.si());
  one_way.work.dram_bytes = bytes;
  return {beyond(passes.forward, one_way), beyond(passes.backward, one_way)};
}

// Gradients that ZeRO-2 scatters, weights that ZeRO-3 gathers, and activations that are offloaded:
// what hides behind a pass next hides behind what this leaves open, too.
void add_pass_transfers(StageCost& stage, const TrainingJob& job, const technology::System& system,
                        const parallel::Strategy& strategy, const LayerCosts& costs,
                        const StageShare& share) {
  const auto add = [&](Cost& kind, const PassTransfers& transfers) {
    kind = transfers.total();
    stage.passes.forward += transfers.forward.time;
    stage.passes.backward += transfers.backward.time;
  };
  if (strategy.zero >= 2) {
    add(stage.weight_communication,
        sharded_weight_communication(job, system, strategy, share, stage.passes));
  }
  if (strategy.offload_activations) {
    add(stage.offload, offload_cost(system, costs, share, strategy, stage.passes));
  }
}

// What the fill and drain of the pipeline spend on a stage that is not the slowest: its micro-batch
// with 1F1B, its chunk's share when interleaved (arXiv:2104.04473, section 2.2). Where weight
// gradients wait, forward and input gradient with ZB-H1 (arXiv:2401.10241, table 2); DualPipe runs
// from both ends (arXiv:2412.19437, table 2).
Charges fill_of(const StageCost& stage, const parallel::Strategy& strategy) {
  const Charges total = stage.total().time;
  const Charges& weights = stage.weight_gradients.time;
  switch (strategy.schedule) {
    case Schedule::one_forward_one_backward:
      return (1.0 / strategy.chunks) * total;
    case Schedule::zero_bubble:
      return total + (-1.0) * weights;
    case Schedule::dual_pipe: {
      // (p/2 - 1) (F&B + B - 3W) over p - 1 stages, F&B as long as both: without the W that fills.
      const double p = strategy.pipeline_parallel;
      const double share = (0.5 * p - 1.0) / std::max(1.0, p - 1.0);
      return share * (total + stage.passes.backward + (-2.0) * weights);
    }
  }
  return total;
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

// The slowest stage sets the rhythm: every micro-batch waits for it, and the first and the last
// pass through all others. Also sums the work of all stages.
void add_stages(StepCost& step, const TrainingJob& job, const technology::System& system,
                const parallel::Strategy& strategy, const LayerCosts& costs) {
  const Cost transfers = pipeline_transfers(job, system, strategy);
  double slowest_s = -1.0;
  for (const StageShare& share : step.shares.kinds()) {
    const StageCost stage = stage_cost(job, system, strategy, costs, share, transfers);
    const Cost total = stage.total();
    const auto count = static_cast<double>(share.count);
    step.bubble += count * fill_of(stage, strategy);
    Work work = total.work;
    work *= count;
    step.total_work += work;
    const double stage_s = total.time.total_s();
    if (stage_s > slowest_s) {
      slowest_s = stage_s;
      step.slowest = share;
      step.stage = stage;
    }
  }
  step.bubble += -1.0 * fill_of(step.stage, strategy);
  const Charges filled = filling_gradients(strategy) * step.stage.weight_gradients.time;
  if (filled.total_s() > 0.0) {
    step.bubble = filled.total_s() < step.bubble.total_s() ? step.bubble + (-1.0) * filled  //
                                                           : Charges{};
  }
}

// Of the stage that holds most of them.
StageShare fullest(const StepCost& step, const TrainingJob& job,
                   const parallel::Strategy& strategy) {
  StageShare most;
  double parameters = -1.0;
  for (const StageShare& share : step.shares.kinds()) {
    const double held = stage_parameters(job.model, strategy, share).total();
    if (held > parameters) {
      parameters = held;
      most = share;
    }
  }
  return most;
}

// Of all devices, from that of one column of stages for one micro-batch.
Work all_devices(const parallel::Strategy& strategy, const StepCost& step) {
  Work work = step.total_work;
  // The last stage sends nothing on.
  Work sent = step.stage.pipeline_communication.work;
  sent *= -1.0;
  work += sent;
  work *= step.micro_batches;
  Work once = step.data_communication.work;
  once += step.optimizer.work;
  once *= static_cast<double>(strategy.pipeline_parallel);
  work += once;
  work *= static_cast<double>(strategy.devices()) / strategy.pipeline_parallel;
  return work;
}

void set_phases(TrainingEstimate& estimate, const StepCost& step) {
  const double m = step.micro_batches;
  const auto set = [&](Phase which, double seconds) {
    estimate.phase_s[static_cast<std::size_t>(which)] = seconds;
  };
  const auto set_stage = [&](Phase which, const Cost& cost) {
    set(which, m * cost.time.total_s());
  };
  const StageCost& stage = step.stage;
  set_stage(Phase::forward, stage.forward);
  set_stage(Phase::backward, stage.backward);
  set_stage(Phase::recompute, stage.recompute);
  set_stage(Phase::tensor_communication, stage.tensor_communication);
  set_stage(Phase::context_communication, stage.context_communication);
  set_stage(Phase::expert_communication, stage.expert_communication);
  set_stage(Phase::pipeline_communication, stage.pipeline_communication);
  set_stage(Phase::offload, stage.offload);
  set(Phase::data_communication,
      m * stage.weight_communication.time.total_s() + step.data_communication.time.total_s());
  set(Phase::optimizer, step.optimizer.time.total_s());
  set(Phase::bubble, step.bubble.total_s());
}

}  // namespace

StageCost stage_cost(const TrainingJob& job, const technology::System& system,
                     const parallel::Strategy& strategy, const LayerCosts& costs,
                     const StageShare& share, const Cost& transfers) {
  BlockCost blocks = share.layers * costs.layer;
  if (share.expert_layers > 0.0) {
    blocks += share.expert_layers * costs.expert_layer;
  }
  if (share.predictions > 0.0) {
    blocks += share.predictions * costs.prediction;
  }
  if (share.embedding) {
    blocks += costs.embedding;
  }
  if (share.head) {
    blocks += costs.head;
  }
  StageCost stage;
  stage.forward = blocks.forward.compute + blocks.forward.host_wait;
  stage.backward = blocks.backward.compute + blocks.backward.host_wait;
  stage.weight_gradients = blocks.weight_gradients;
  stage.tensor_communication =
      blocks.forward.tensor_communication + blocks.backward.tensor_communication;
  stage.context_communication =
      blocks.forward.context_communication + blocks.backward.context_communication;
  stage.expert_communication =
      blocks.forward.expert_communication + blocks.backward.expert_communication;
  const Charges before_recompute = stage.layer_communication().time;
  add_recompute(stage, costs.layer, share.layers, strategy);
  if (share.expert_layers > 0.0) {
    add_recompute(stage, costs.expert_layer, share.expert_layers, strategy);
  }
  if (share.predictions > 0.0) {
    add_recompute(stage, costs.last_layer(), share.predictions, strategy);
  }
  stage.passes.forward = blocks.forward.total().time;
  stage.passes.backward = blocks.backward.total().time + stage.recompute.time;
  stage.passes.backward += stage.layer_communication().time + (-1.0) * before_recompute;
  const PassTimes without = {stage.passes.forward,
                             stage.passes.backward + (-1.0) * stage.weight_gradients.time};
  add_pass_transfers(stage, job, system, strategy, costs, share);
  if (strategy.schedule != Schedule::one_forward_one_backward) {
    StageCost rest;
    rest.passes = without;
    add_pass_transfers(rest, job, system, strategy, costs, share);
    stage.weight_gradients.time = stage.passes.backward + (-1.0) * rest.passes.backward;
  }
  stage.pipeline_communication = transfers;
  return stage;
}

// Activations to the next stage and gradients back, for each chunk. Every tensor-parallel rank
// sends its share; without sequence parallelism the receivers gather the shares again
// (Narayanan et al. 2021, section 4.1). Sends that run beside kernels only cost their call.
Cost pipeline_transfers(const TrainingJob& job, const technology::System& system,
                        const parallel::Strategy& strategy) {
  if (strategy.pipeline_parallel == 1) {
    return {};
  }
  const Collective gather = tensor_collective(job, system, strategy, CollectiveKind::all_gather);
  const double share = gather.bytes / strategy.tensor_parallel;
  Cost one_way =
      transfer_cost(share, parallel::stage_link(strategy, system.scale_up_domain), system);
  if (job.framework.hides_pipeline_communication) {
    const double latency_s = one_way.time.time_s[index_of(Resource::latency)];
    one_way.time = Charges::of(Resource::latency, latency_s);
  }
  if (!strategy.sequence_parallel) {
    one_way += collective_cost(gather, system).cost;
  }
  return (2.0 * strategy.chunks) * one_way;
}

StepCost step_cost(const TrainingJob& job, const technology::System& system,
                   const parallel::Strategy& strategy, const LayerCosts& costs) {
  StepCost step;
  step.shares = stage_shares(job.model, strategy, job.framework.stage_balance);
  add_stages(step, job, system, strategy, costs);
  step.micro_batches = strategy.micro_batches;
  const StageShare most = fullest(step, job, strategy);
  step.data_communication = gradient_communication(job, system, strategy, most, step.stage.passes,
                                                   step.slowest.all_layers());
  step.optimizer = optimizer_cost(job, system, strategy, most);
  step.optimizer.time += Charges::of(Resource::latency, job.framework.step_overhead_s);
  step.total_work = all_devices(strategy, step);
  return step;
}

TrainingEstimate compose(const TrainingJob& job, const technology::System& system,
                         const parallel::Strategy& strategy, const LayerCosts& costs) {
  const StepCost step = step_cost(job, system, strategy, costs);
  TrainingEstimate estimate;
  estimate.step = step.micro_batches * step.stage.total().time;
  estimate.step += step.bubble;
  estimate.step += step.data_communication.time;
  estimate.step += step.optimizer.time;
  set_phases(estimate, step);

  estimate.memory = peak_memory(job, strategy, costs, step.shares);
  estimate.verdict = estimate.memory.reserved_bytes <= usable_memory_bytes(system.device)
                         ? Verdict::fits
                         : Verdict::does_not_fit;
  const double step_s = estimate.step_time_s();
  const auto devices = static_cast<double>(strategy.devices());
  estimate.relative_uncertainty = technology::at_scale(job.uncertainty, devices);
  estimate.energy = energy_of(system, job.precision.linear, step.total_work, devices, step_s);
  estimate.device_power_w =
      device_power_w(system, step.total_work, estimate.energy, devices, step_s);

  const double peak = system.device.tensor_peak[technology::index_of(job.precision.linear)].si();
  estimate.model_flop_utilization = static_cast<double>(job.global_batch) *
                                    workload::model_flop_per_sequence(job.model, job.sequence) /
                                    (step_s * devices * peak);
  return estimate;
}

}  // namespace scalesweep::estimator
