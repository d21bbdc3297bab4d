#include "estimator/training/stage_cost.hpp"

#include <array>
#include <limits>
#include <utility>

#include "estimator/parts/collective.hpp"
#include "estimator/training/states/memory.hpp"

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

bool has_transfers_beside(const parallel::Strategy& strategy) {
  return strategy.zero >= 2 || strategy.offload_activations;
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

void add_recompute(StageCost& stage, const LayerCosts& costs, const StageShare& share,
                   const Setting& setting) {
  add_recompute(stage, costs.layer, share.layers, setting);
  if (share.expert_layers > 0.0) {
    add_recompute(stage, costs.expert_layer, share.expert_layers, setting);
  }
  if (share.predictions > 0.0) {
    add_recompute(stage, costs.last_layer(), share.predictions, setting);
  }
  if (share.encoders > 0.0 && setting.job.tuning.trains_encoder()) {
    add_recompute(stage, costs.encoder, share.encoders, setting);
  }
}

// What a stage holds, of what one of each block takes.
template <typename Sum, typename Blocks>
Sum sum_of_held(const Blocks& blocks, const StageShare& share) {
  Sum sum;
  sum.add(share.layers, blocks.layer);
  if (share.expert_layers > 0.0) {
    sum.add(share.expert_layers, blocks.expert_layer);
  }
  if (share.predictions > 0.0) {
    sum.add(share.predictions, blocks.prediction);
  }
  if (share.embedding) {
    sum.add(1.0, blocks.embedding);
  }
  if (share.encoders > 0.0) {
    sum.add(share.encoders, blocks.encoder);
  }
  if (share.head) {
    sum.add(1.0, blocks.head);
  }
  return sum;
}

// Kernels and exchanges of both passes, by phase.
void set_passes(StageCost& stage, const BlockCost& blocks) {
  stage.phases[Phase::forward] = blocks.forward.kernels();
  stage.phases[Phase::backward] = blocks.backward.kernels();
  for (const Exchange& exchange : exchanges) {
    stage.phases[exchange.phase] = blocks.forward[exchange.part] + blocks.backward[exchange.part];
  }
}

}  // namespace

BlockCost blocks_of(const LayerCosts& costs, const StageShare& share) {
  return sum_of_held<BlockCost>(costs, share);
}

StageCost stage_cost(const Setting& setting, const LayerCosts& costs, const StageShare& share,
                     const Cost& transfers) {
  const BlockCost blocks = blocks_of(costs, share);
  StageCost stage;
  if (share.encoders > 0.0) {
    set_passes(stage, blocks_of(costs, share.without_encoder()));
    stage.phases[Phase::encoder] =
        share.encoders * (costs.encoder.forward.total() + costs.encoder.backward.total());
  } else {
    set_passes(stage, blocks);
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
  if (has_transfers_beside(setting.strategy)) {
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
  const workload::TrainingStack& stack = setting.job.stack;
  return stack.recompute_stops_early && !stack.hides_forward_tensor_communication &&
         !stack.hides_expert_communication && setting.strategy.schedule != Schedule::dual_pipe &&
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

Cost pipeline_transfer(const Setting& setting) {
  const auto& [job, system, strategy] = setting;
  if (strategy.pipeline_parallel == 1) {
    return {};
  }
  const Collective gather = tensor_collective(setting, CollectiveKind::all_gather);
  const double share = gather.bytes / strategy.tensor_parallel;
  Cost one_way = transfer_cost(share, setting.group(parallel::Dimension::pipeline), system);
  if (job.stack.hides_pipeline_communication) {
    one_way.time = Charges::of(Resource::latency, one_way.time[Resource::latency]);
  }
  if (!strategy.sequence_parallel) {
    one_way += collective_cost(gather, system).cost;
  }
  return one_way;
}

Cost pipeline_transfers(const Setting& setting) {
  return (2.0 * setting.strategy.chunks) * pipeline_transfer(setting);
}

StageSums& StageSums::add(double n, const StageSums& o) {
  total.add(n, o.total);
  passes.forward.add(n, o.passes.forward);
  passes.backward.add(n, o.passes.backward);
  weight_gradients.add(n, o.weight_gradients);
  for (std::size_t i = 0; i < phase_count; ++i) {
    phase_s[i] += n * o.phase_s[i];
  }
  return *this;
}

namespace {

StageSums sums_of(const StageCost& stage) {
  StageSums sums = {stage.total(), stage.passes, stage.weight_gradients.time};
  for (std::size_t i = 0; i < phase_count; ++i) {
    sums.phase_s[i] = stage.phases.values[i].time.total_s();
  }
  return sums;
}

}  // namespace

StageUnits stage_units(const Setting& setting, const LayerCosts& costs) {
  parallel::Strategy plain = setting.strategy;
  plain.zero = 0;
  plain.offload_activations = false;
  const Setting alone = {setting.job, setting.system, plain};
  const auto of = [&](const StageShare& share) {
    return sums_of(stage_cost(alone, costs, share, {}));
  };
  StageUnits units;
  units.layer = of({.layers = 1.0});
  if (costs.saved.has_experts) {
    units.expert_layer = of({.expert_layers = 1.0});
  }
  if (setting.job.model.prediction_layers > 0) {
    units.prediction = of({.predictions = 1.0});
  }
  units.embedding = of({.embedding = true});
  if (setting.job.model.encoder.asked()) {
    units.encoder = of({.encoders = 1.0});
  }
  units.head = of({.head = true});
  return units;
}

void set_stages(Stages& stages, const Setting& setting, const LayerCosts& costs,
                const StageUnits& units, const StageShares& shares) {
  std::vector<StageSums> kinds = std::move(stages.kinds);
  kinds.clear();
  stages = {};
  const bool beside = has_transfers_beside(setting.strategy);
  const StageShare& fullest = fullest_stage(setting.job, setting.strategy, shares);
  double longest_s = -std::numeric_limits<double>::infinity();
  for (const StageShare& share : shares.kinds()) {
    const StageSums& stage =
        kinds.emplace_back(beside ? sums_of(stage_cost(setting, costs, share, {}))
                                  : sum_of_held<StageSums>(units, share));
    const auto count = static_cast<double>(share.count);
    stages.total.add(count, stage.total);
    stages.backward.add(count, stage.passes.backward);
    stages.weight_gradients.add(count, stage.weight_gradients);
    if (stage.total.time.total_s() > longest_s) {
      longest_s = stage.total.time.total_s();
      stages.slowest = kinds.size() - 1;
    }
    if (&share == &fullest) {
      stages.fullest = kinds.size() - 1;
    }
    if (share.encoders > 0.0) {
      stages.encoder = {share.encoders * units.encoder.passes.forward,
                        share.encoders * units.encoder.passes.backward};
      stages.encoding = kinds.size() - 1;
    }
  }
  if (setting.job.optimizer.multiplies()) {
    // What is multiplied for an encoder is not counted: where it fills a stage, that of layers.
    const StageShare& updated = fullest.all_layers() > 0.0 ? fullest : shares.kinds().back();
    stages.updates.add(updated.layers, costs.updates);
    stages.updates.add(updated.expert_layers, costs.expert_updates);
    stages.updates.add(updated.predictions, costs.last_updates());
  }
  stages.kinds = std::move(kinds);
}

}  // namespace scalesweep::estimator
