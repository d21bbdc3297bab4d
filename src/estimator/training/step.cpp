#include "estimator/training/step.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "estimator/parts/collective.hpp"
#include "estimator/parts/power/energy.hpp"
#include "estimator/training/memory.hpp"
#include "estimator/traits.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Collective;
using parallel::CollectiveKind;
using parallel::Recompute;
using parallel::Schedule;

// Where the communication of a layer's passes is counted.
struct Exchange {
  PassPart part;
  Phase phase;
};
constexpr std::array<Exchange, 3> exchanges = {
    {{PassPart::tensor_communication, Phase::tensor_communication},
     {PassPart::context_communication, Phase::context_communication},
     {PassPart::expert_communication, Phase::expert_communication}}};

Charges exchange_time(const StageCost& stage) {
  Charges time;
  for (const Exchange& exchange : exchanges) {
    time += stage.phases[exchange.phase].time;
  }
  return time;
}

// Recomputation of `layers`, which are all of a stage's dense or expert layers.
void add_recompute(StageCost& stage, const BlockCost& layer, double layers,
                   const Setting& setting) {
  const parallel::Strategy& strategy = setting.strategy;
  if (strategy.recompute == Recompute::selective) {
    stage.phases[Phase::recompute] += layers * layer.selective_repeats;
  } else if (strategy.recompute == Recompute::full) {
    const double times = layers / strategy.recompute_every;
    const PassCost again = times * layer.forward;
    stage.phases[Phase::recompute] += again.kernels();
    for (const Exchange& exchange : exchanges) {
      stage.phases[exchange.phase] += again[exchange.part];
    }
    if (stops_early(setting, layer)) {
      stage.phases[Phase::recompute] -= times * layer.full_omits;
      stage.phases[Phase::tensor_communication] -=
          (1.0 - repeated_tensor_share(setting, layer)) * again[PassPart::tensor_communication];
    }
  }
}

// What runs beside the passes of a stage: gradients that ZeRO-2 scatters, weights that ZeRO-3
// gathers, and activations that leave for host memory behind the forward pass and come back behind
// the backward pass (Rhu et al., vDNN, arXiv:1602.08124).
struct Beside {
  WeightTransfers weights;
  Cost offload;  // one way
};

Beside beside_passes(const Setting& setting, const LayerCosts& costs, const StageShare& share) {
  Beside beside;
  beside.weights = weight_transfers(setting, share);
  if (setting.strategy.offload_activations) {
    const double bytes = kept_bytes(costs.saved, share, setting.strategy);
    beside.offload.time =
        Charges::of(Resource::host, bytes / setting.system.device.host_bandwidth.si());
    beside.offload.work[Amount::dram_bytes] = bytes;
  }
  return beside;
}

// What that adds to the passes, and what they then take.
struct Added {
  PassTransfers weights;
  PassTransfers offload;
  PassTimes passes;
};

PassTimes with_transfers(const PassTimes& passes, const PassTransfers& transfers) {
  return {passes.forward + transfers.forward.time, passes.backward + transfers.backward.time};
}

// What hides behind a pass next hides behind what the one before leaves open, too.
Added added_to(const PassTimes& passes, const Beside& beside, const Setting& setting) {
  Added added;
  added.passes = passes;
  if (setting.strategy.zero >= 2) {
    added.weights = exposed(beside.weights, passes, setting.system.scale_out().core_share);
    added.passes = with_transfers(added.passes, added.weights);
  }
  if (setting.strategy.offload_activations) {
    added.offload = {beyond(added.passes.forward, beside.offload),
                     beyond(added.passes.backward, beside.offload)};
    added.passes = with_transfers(added.passes, added.offload);
  }
  return added;
}

// What the fill and drain of the pipeline spend on a stage that is not the slowest: its micro-batch
// with 1F1B, its chunk's share when interleaved (arXiv:2104.04473, section 2.2). Where weight
// gradients wait, forward and input gradient with ZB-H1 (arXiv:2401.10241, table 2); DualPipe runs
// from both ends (arXiv:2412.19437, table 2).
Charges fill_of(const StageCost& stage, const Charges& total, const parallel::Strategy& strategy) {
  const Charges& weights = stage.weight_gradients.time;
  switch (strategy.schedule) {
    case Schedule::one_forward_one_backward:
      return (1.0 / strategy.chunks) * total;
    case Schedule::zero_bubble:
      return total - weights;
    case Schedule::dual_pipe: {
      // (p/2 - 1) (F&B + B - 3W) over p - 1 stages, F&B as long as both: without the W that fills.
      const double p = strategy.pipeline_parallel;
      const double share = (0.5 * p - 1.0) / std::max(1.0, p - 1.0);
      return share * (total + stage.passes.backward - 2.0 * weights);
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

// All micro-batches on a stage that sets the rhythm, less what it spares in the fill and what of
// its weight gradients fills gaps: what of the step is its own where gaps stay open.
double rhythm_s(const StageCost& stage, const Charges& total, const Charges& fill,
                const parallel::Strategy& strategy) {
  return strategy.micro_batches * total.total_s() - fill.total_s() -
         filling_gradients(strategy) * stage.weight_gradients.time.total_s();
}

// A stage as the one that sets the rhythm.
struct Rhythm {
  double longest_s = -std::numeric_limits<double>::infinity();
  StageShare share{};
  StageCost stage{};
  Charges total{};

  void keep_longer(double s, const StageShare& of, const StageCost& cost, const Charges& time) {
    if (s > longest_s) {
      *this = {s, of, cost, time};
    }
  }
};

// What the others add to the micro-batches of the stage that sets the rhythm: `fills` are those of
// all stages. Nothing where its weight gradients fill all gaps.
Charges bubble_around(const Rhythm& rhythm, const Charges& fills,
                      const parallel::Strategy& strategy) {
  const Charges bubble = fills - fill_of(rhythm.stage, rhythm.total, strategy);
  const Charges filled = filling_gradients(strategy) * rhythm.stage.weight_gradients.time;
  if (filled.total_s() <= 0.0) {
    return bubble;
  }
  return filled.total_s() < bubble.total_s() ? bubble - filled : Charges{};
}

// One stage sets the rhythm: every micro-batch waits for it, and the first and the last pass
// through all others. Where weight gradients wait, that is the slowest stage if its gaps are all
// filled, or else the one with the longest rhythm: whichever makes the longer step, so that a
// faster kernel never makes a slower one. Also sums the work of all stages.
void add_stages(StepCost& step, const Setting& setting, const LayerCosts& costs) {
  const parallel::Strategy& strategy = setting.strategy;
  const Cost transfers = pipeline_transfers(setting);
  const bool gradients_wait = strategy.schedule != Schedule::one_forward_one_backward;
  Rhythm slowest;
  Rhythm open;  // with gaps that stay open
  Charges fills;
  const StageShare& fullest = fullest_stage(setting.job.model, strategy, step.shares);
  for (const StageShare& share : step.shares.kinds()) {
    const StageCost stage = stage_cost(setting, costs, share, transfers);
    const Cost total = stage.total();
    const auto count = static_cast<double>(share.count);
    const Charges fill = fill_of(stage, total.time, strategy);
    fills.add(count, fill);
    step.total_work.add(count, total.work);
    slowest.keep_longer(total.time.total_s(), share, stage, total.time);
    if (gradients_wait) {
      open.keep_longer(rhythm_s(stage, total.time, fill, strategy), share, stage, total.time);
    }
    if (&share == &fullest) {
      step.fullest = share;
      step.fullest_passes = stage.passes;
    }
  }
  const bool gaps =
      gradients_wait && step.micro_batches * slowest.longest_s < open.longest_s + fills.total_s();
  const Rhythm& rhythm = gaps ? open : slowest;
  step.slowest = rhythm.share;
  step.stage = rhythm.stage;
  step.bubble.time = bubble_around(rhythm, fills, strategy);
  step.time = step.micro_batches * rhythm.total + step.bubble.time;
}

// Of all devices, from that of one column of stages for one micro-batch.
Work all_devices(const parallel::Strategy& strategy, const StepCost& step) {
  // The last stage sends nothing on.
  const Work passes = step.total_work - step.stage.phases[Phase::pipeline_communication].work;
  const Work once = step.data_communication.work + step.optimizer.work;
  const auto stages = static_cast<double>(strategy.pipeline_parallel);
  return static_cast<double>(strategy.devices()) / stages *
         (step.micro_batches * passes + stages * once);
}

void add_recompute(StageCost& stage, const LayerCosts& costs, const StageShare& share,
                   const Setting& setting) {
  add_recompute(stage, costs.layer, share.layers, setting);
  if (share.expert_layers > 0.0) {
    add_recompute(stage, costs.expert_layer, share.expert_layers, setting);
  }
  if (share.predictions > 0.0) {
    add_recompute(stage, costs.last_layer(), share.predictions, setting);
  }
}

}  // namespace

const Cost* StepCost::once(Phase phase) const {
  switch (phase) {
    case Phase::data_communication:
      return &data_communication;
    case Phase::optimizer:
      return &optimizer;
    case Phase::bubble:
      return &bubble;
    case Phase::stragglers:
      return &stragglers;
    default:
      return nullptr;
  }
}

double straggling(double jitter, std::int64_t devices) {
  return devices > 1 ? jitter * std::sqrt(2.0 * std::log(static_cast<double>(devices))) : 0.0;
}

double StepCost::phase_s(Phase phase) const {
  const Cost* extra = once(phase);
  return micro_batches * stage.phases[phase].time.total_s() +
         (extra != nullptr ? extra->time.total_s() : 0.0);
}

BlockCost blocks_of(const LayerCosts& costs, const StageShare& share) {
  BlockCost blocks;
  blocks.add(share.layers, costs.layer);
  if (share.expert_layers > 0.0) {
    blocks.add(share.expert_layers, costs.expert_layer);
  }
  if (share.predictions > 0.0) {
    blocks.add(share.predictions, costs.prediction);
  }
  if (share.embedding) {
    blocks += costs.embedding;
  }
  if (share.head) {
    blocks += costs.head;
  }
  return blocks;
}

StageCost stage_cost(const Setting& setting, const LayerCosts& costs, const StageShare& share,
                     const Cost& transfers) {
  const BlockCost blocks = blocks_of(costs, share);
  StageCost stage;
  stage.phases[Phase::forward] = blocks.forward.kernels();
  stage.phases[Phase::backward] = blocks.backward.kernels();
  for (const Exchange& exchange : exchanges) {
    stage.phases[exchange.phase] = blocks.forward[exchange.part] + blocks.backward[exchange.part];
  }
  const bool repeats_exchange = setting.strategy.recompute == Recompute::full;
  const Charges once_exchanged = repeats_exchange ? exchange_time(stage) : Charges{};
  add_recompute(stage, costs, share, setting);
  PassTimes passes = {blocks.forward.total().time,
                      blocks.backward.total().time + stage.phases[Phase::recompute].time};
  if (repeats_exchange) {
    passes.backward += exchange_time(stage) - once_exchanged;
  }

  // Where weight gradients wait, the passes are what is left without them.
  const bool gradients_wait = setting.strategy.schedule != Schedule::one_forward_one_backward;
  PassTimes rest;
  if (gradients_wait) {
    rest = {passes.forward, passes.backward - blocks.weight_gradients.time};
  }
  stage.passes = passes;
  if (setting.strategy.zero >= 2 || setting.strategy.offload_activations) {
    const Beside beside = beside_passes(setting, costs, share);
    const Added added = added_to(passes, beside, setting);
    stage.phases[Phase::data_communication] = added.weights.total();
    stage.phases[Phase::offload] = added.offload.total();
    stage.passes = added.passes;
    if (gradients_wait) {
      rest = added_to(rest, beside, setting).passes;
    }
  }
  stage.weight_gradients = blocks.weight_gradients;
  if (gradients_wait) {
    stage.weight_gradients.time = stage.passes.backward - rest.backward;
  }
  stage.phases[Phase::pipeline_communication] = transfers;
  return stage;
}

bool stops_early(const Setting& setting, const BlockCost& layer) {
  const workload::Framework& framework = setting.job.framework;
  return framework.recompute_stops_early && !framework.hides_forward_tensor_communication &&
         !framework.hides_expert_communication &&
         setting.strategy.schedule != Schedule::dual_pipe &&
         setting.strategy.context_parallel == 1 &&
         layer.forward[PassPart::host_wait].time.total_s() <= 0.0;
}

double repeated_tensor_share(const Setting& setting, const BlockCost& layer) {
  if (!stops_early(setting, layer)) {
    return 1.0;
  }
  const double pairs = setting.job.model.parallel_blocks ? 1.0 : 2.0;
  return 1.0 - 1.0 / (setting.strategy.sequence_parallel ? 2.0 * pairs : pairs);
}

// Activations to the next stage and gradients back, for each chunk. Every tensor-parallel rank
// sends its share; without sequence parallelism the receivers gather the shares again
// (Narayanan et al. 2021, section 4.1). Sends that run beside kernels only cost their call.
Cost pipeline_transfers(const Setting& setting) {
  const auto& [job, system, strategy] = setting;
  if (strategy.pipeline_parallel == 1) {
    return {};
  }
  const Collective gather = tensor_collective(setting, CollectiveKind::all_gather);
  const double share = gather.bytes / strategy.tensor_parallel;
  Cost one_way = transfer_cost(share, setting.group(parallel::Dimension::pipeline), system);
  if (job.framework.hides_pipeline_communication) {
    one_way.time = Charges::of(Resource::latency, one_way.time[Resource::latency]);
  }
  if (!strategy.sequence_parallel) {
    one_way += collective_cost(gather, system).cost;
  }
  return (2.0 * strategy.chunks) * one_way;
}

StepCost step_cost(const Setting& setting, const LayerCosts& costs) {
  const workload::Framework& framework = setting.job.framework;
  StepCost step = {.shares =
                       stage_shares(setting.job.model, setting.strategy, framework.stage_balance)};
  step.micro_batches = setting.strategy.micro_batches;
  add_stages(step, setting, costs);
  step.data_communication = gradient_communication(setting, step.fullest, step.fullest_passes);
  step.optimizer = optimizer_cost(setting, step.fullest);
  step.optimizer.time[Resource::latency] += framework.step_overhead_s;
  step.time += step.data_communication.time;
  step.time += step.optimizer.time;
  step.stragglers.time = straggling(framework.step_jitter, setting.strategy.devices()) * step.time;
  step.time += step.stragglers.time;
  step.total_work = all_devices(setting.strategy, step);
  return step;
}

double model_flop(const TrainingJob& job) {
  return static_cast<double>(job.global_batch) *
         workload::model_flop_per_sequence(job.model, job.sequence);
}

double utilization(double model_flop, const Setting& setting, const technology::Device& device,
                   double step_s) {
  const auto devices = static_cast<double>(setting.strategy.devices());
  const double peak = technology::matrix_peak(device, setting.job.precision.linear).si();
  return model_flop / (step_s * devices * peak);
}

TrainingEstimate compose(const Setting& setting, const LayerCosts& costs, const MemoryUse& memory) {
  const auto& [job, system, strategy] = setting;
  const StepCost step = step_cost(setting, costs);
  TrainingEstimate estimate;
  estimate.step = step.time;
  for (std::size_t i = 0; i < phase_count; ++i) {
    estimate.phase_s[i] = step.phase_s(static_cast<Phase>(i));
  }

  estimate.memory = memory;
  estimate.verdict = verdict_of(memory, system.device);
  const double step_s = estimate.step_time_s();
  const auto devices = static_cast<double>(strategy.devices());
  estimate.traits = traits_of(setting);
  estimate.least_known = technology::least_known(job.uncertainty, estimate.traits);
  estimate.relative_uncertainty =
      technology::relative_uncertainty(job.uncertainty, devices, estimate.traits);
  estimate.energy = energy_of(system, step.total_work, devices, step_s);
  estimate.device_power_w = device_power_w(step.total_work, estimate.energy, devices, step_s);

  estimate.model_flop_utilization = utilization(model_flop(job), setting, system.device, step_s);
  return estimate;
}

}  // namespace scalesweep::estimator
