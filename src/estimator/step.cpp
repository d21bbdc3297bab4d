#include "estimator/step.hpp"

#include <algorithm>

#include "estimator/collective.hpp"
#include "estimator/energy.hpp"
#include "estimator/memory.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Collective;
using parallel::CollectiveKind;
using parallel::Recompute;

// `layers` layers, with what stands before and after them on this stage.
StageCost stage_of(const LayerCosts& costs, double layers, bool embedding, bool head,
                   Recompute policy) {
  const BlockCost& layer = costs.layer;
  PassCost forward = layers * layer.forward;
  PassCost backward = layers * layer.backward;
  if (embedding) {
    forward += costs.embedding.forward;
    backward += costs.embedding.backward;
  }
  if (head) {
    forward += costs.head.forward;
    backward += costs.head.backward;
  }
  StageCost stage;
  stage.forward = forward.compute + forward.host_wait;
  stage.backward = backward.compute + backward.host_wait;
  stage.tensor_communication = forward.communication + backward.communication;
  stage.cover = backward.total().time;
  if (policy == Recompute::selective) {
    stage.recompute = layers * layer.attention_core;
    stage.cover += stage.recompute.time;
  } else if (policy == Recompute::full) {
    const PassCost again = layers * layer.forward;
    stage.recompute = again.compute + again.host_wait;
    stage.tensor_communication += again.communication;
    stage.cover += again.total().time;
  }
  return stage;
}

// The slowest stage sets the rhythm: of a pipeline, the first or the last.
void set_slowest_stage(StepCost& step, const LayerCosts& costs,
                       const parallel::Strategy& strategy) {
  if (strategy.pipeline_parallel == 1) {
    step.stage = stage_of(costs, step.layers, true, true, strategy.recompute);
    return;
  }
  const StageCost first = stage_of(costs, step.layers, true, false, strategy.recompute);
  const StageCost last = stage_of(costs, step.layers, false, true, strategy.recompute);
  step.has_embedding = first.total().time.total_s() > last.total().time.total_s();
  step.has_head = !step.has_embedding;
  step.stage = step.has_embedding ? first : last;
}

// Of the stage that holds most of them: the first has the embedding, the last the head.
double most_stage_parameters(const TrainingJob& job, const parallel::Strategy& strategy) {
  return std::max(stage_parameters(job.model, strategy, 0),
                  stage_parameters(job.model, strategy, strategy.pipeline_parallel - 1));
}

// Gradients are reduced bucket by bucket behind the backward pass of the last micro-batch; the
// bucket of the first layer has nothing left to hide behind. ZeRO-1 scatters instead and gathers
// the updated weights after the optimizer.
Cost data_communication(const TrainingJob& job, const technology::System& system,
                        const parallel::Strategy& strategy, const StepCost& step) {
  Cost total;
  const double parameters = most_stage_parameters(job, strategy);
  if (strategy.data_parallel > 1) {
    Collective reduce;
    reduce.kind = strategy.zero >= 1 ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
    reduce.group = parallel::group_of(strategy, parallel::Dimension::data, system.scale_up_domain);
    reduce.bytes = parameters * technology::element_bytes(job.precision.gradients);
    const Cost cost = collective_cost(reduce, system).cost;
    const double alone = job.framework.hides_data_communication ? 1.0 / step.layers : 1.0;
    total = alone * cost + beyond(step.stage.cover, (1.0 - alone) * cost);
    if (strategy.zero >= 1) {
      Collective gather = reduce;
      gather.kind = CollectiveKind::all_gather;
      gather.bytes = parameters * technology::element_bytes(job.precision.weights);
      total += collective_cost(gather, system).cost;
    }
  }
  if (job.model.tied_embeddings && strategy.pipeline_parallel > 1) {
    // First and last stage keep their copies of the table equal.
    Collective tie;
    tie.group = parallel::stage_link(strategy, system.scale_up_domain) == parallel::Link::scale_up
                    ? parallel::Group{2, 1}
                    : parallel::Group{1, 2};
    tie.bytes = job.model.head_parameters() / strategy.tensor_parallel *
                technology::element_bytes(job.precision.gradients);
    total += collective_cost(tie, system).cost;
  }
  return total;
}

// Adam streams its shard: reads gradient, master weight and two moments, writes the last three and
// the 16-bit weight; before it, the gradients are read for the norm and cleared after.
Cost optimizer_cost(const TrainingJob& job, const technology::System& system,
                    const parallel::Strategy& strategy) {
  const double parameters = most_stage_parameters(job, strategy);
  const double shards = strategy.zero >= 1 ? strategy.data_parallel : 1.0;
  const double gradient = technology::element_bytes(job.precision.gradients);
  const double updated = gradient + 12.0 + 12.0 + technology::element_bytes(job.precision.weights);
  const double traffic = parameters / shards * (updated + gradient) + parameters * gradient;
  const technology::Device& device = system.device;
  Cost cost;
  cost.time =
      Charges::of(Resource::dram, traffic / (device.dram.bandwidth.si() * device.dram.sustained));
  cost.work.dram_bytes = traffic;
  cost.work.vector_flop = parameters / shards * 16.0;
  return cost;
}

Work all_devices(const TrainingJob& job, const parallel::Strategy& strategy,
                 const LayerCosts& costs, const StepCost& step) {
  // One tensor-parallel rank over the whole depth of the model.
  const StageCost depth =
      stage_of(costs, static_cast<double>(job.model.layers), true, true, strategy.recompute);
  Work work = depth.total().work;
  Work transfers = step.stage.pipeline_communication.work;
  transfers *= static_cast<double>(strategy.pipeline_parallel - 1);
  work += transfers;
  work *= step.micro_batches;
  Work once = step.data_communication.work;
  once += step.optimizer.work;
  once *= static_cast<double>(strategy.pipeline_parallel);
  work += once;
  work *= static_cast<double>(strategy.tensor_parallel) * strategy.data_parallel;
  return work;
}

void set_phases(TrainingEstimate& estimate, const StepCost& step) {
  const auto phase = [&](Phase which) -> double& {
    return estimate.phase_s[static_cast<std::size_t>(which)];
  };
  const StageCost& stage = step.stage;
  const double m = step.micro_batches;
  phase(Phase::forward) = m * stage.forward.time.total_s();
  phase(Phase::backward) = m * stage.backward.time.total_s();
  phase(Phase::recompute) = m * stage.recompute.time.total_s();
  phase(Phase::tensor_communication) = m * stage.tensor_communication.time.total_s();
  phase(Phase::pipeline_communication) = m * stage.pipeline_communication.time.total_s();
  phase(Phase::data_communication) = step.data_communication.time.total_s();
  phase(Phase::optimizer) = step.optimizer.time.total_s();
  phase(Phase::bubble) = step.bubble_micro_batches * stage.total().time.total_s();
}

}  // namespace

// Activations to the next stage and gradients back, for each chunk. Every tensor-parallel rank
// sends its share; without sequence parallelism the receivers gather the shares again
// (Narayanan et al. 2021, section 4.1).
Cost pipeline_transfers(const TrainingJob& job, const technology::System& system,
                        const parallel::Strategy& strategy) {
  if (strategy.pipeline_parallel == 1) {
    return {};
  }
  const Collective gather = tensor_collective(job, system, strategy, CollectiveKind::all_gather);
  const double share = gather.bytes / strategy.tensor_parallel;
  Cost one_way =
      transfer_cost(share, parallel::stage_link(strategy, system.scale_up_domain), system);
  if (!strategy.sequence_parallel) {
    one_way += collective_cost(gather, system).cost;
  }
  return (2.0 * strategy.chunks) * one_way;
}

StepCost step_cost(const TrainingJob& job, const technology::System& system,
                   const parallel::Strategy& strategy, const LayerCosts& costs) {
  StepCost step;
  step.layers =
      static_cast<double>(job.model.layers) / static_cast<double>(strategy.pipeline_parallel);
  set_slowest_stage(step, costs, strategy);
  step.stage.pipeline_communication = pipeline_transfers(job, system, strategy);
  step.micro_batches = strategy.micro_batches;
  step.bubble_micro_batches =
      (strategy.pipeline_parallel - 1.0) / static_cast<double>(strategy.chunks);
  step.data_communication = data_communication(job, system, strategy, step);
  step.optimizer = optimizer_cost(job, system, strategy);
  step.total_work = all_devices(job, strategy, costs, step);
  return step;
}

TrainingEstimate compose(const TrainingJob& job, const technology::System& system,
                         const parallel::Strategy& strategy, const LayerCosts& costs) {
  const StepCost step = step_cost(job, system, strategy, costs);
  TrainingEstimate estimate;
  estimate.step = (step.micro_batches + step.bubble_micro_batches) * step.stage.total().time;
  estimate.step += step.data_communication.time;
  estimate.step += step.optimizer.time;
  set_phases(estimate, step);

  estimate.memory = peak_memory(job, strategy, costs.saved);
  estimate.verdict = estimate.memory.total_bytes() <= usable_memory_bytes(system.device)
                         ? Verdict::fits
                         : Verdict::does_not_fit;
  const double step_s = estimate.step_time_s();
  const double devices = static_cast<double>(strategy.tensor_parallel) *
                         strategy.pipeline_parallel * strategy.data_parallel;
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
