#include "estimator/training/data_parallel.hpp"

#include <algorithm>
#include <cmath>

#include "estimator/parts/collective.hpp"
#include "estimator/training/layer_cost.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Collective;
using parallel::CollectiveKind;
using parallel::Dimension;

double bytes_of(technology::Precision precision) {
  return technology::element_bytes(precision);
}

double sent_gradient_bytes(const TrainingJob& job) {
  return bytes_of(job.precision.gradient_communication) * job.precision.gradient_compression;
}

// Issuing the collectives that `bytes` of gradients or weights go in takes the host longer the more
// ranks take part; nothing hides it.
Cost issue_cost(const Setting& setting, double bytes) {
  const workload::Framework& framework = setting.job.framework;
  const parallel::Group group = setting.group(Dimension::data);
  const double calls = framework.gradient_bucket_bytes > 0.0
                           ? std::ceil(bytes / framework.gradient_bucket_bytes)
                           : 1.0;
  Cost cost;
  cost.time = Charges::of(Resource::latency, calls * rank_issue_s(framework, group) *
                                                 static_cast<double>(group.size()));
  return cost;
}

// The same collective for the dense weights among all replicas and for the experts among theirs.
Cost both_kinds(const Setting& setting, CollectiveKind kind, Dimension dense,
                const StageParameters& parameters, double bytes_per_parameter) {
  const auto among = [&](Dimension dimension, double held) {
    return collective_among(setting.system, setting.strategy, kind, dimension,
                            held * bytes_per_parameter);
  };
  Cost cost = among(dense, parameters.dense);
  if (parameters.routed > 0.0) {
    cost += among(Dimension::expert_data, parameters.routed);
  }
  return cost;
}

// First and last stage keep their copies of the table equal.
Cost tied_table(const Setting& setting) {
  Collective tie;
  tie.group = setting.group(Dimension::pipeline).neighbours();
  tie.bytes = setting.job.model.head_parameters() / setting.strategy.tensor_parallel *
              sent_gradient_bytes(setting.job);
  return collective_cost(tie, setting.system).cost;
}

}  // namespace

double own_parameters(const StageParameters& parameters, const StateShards& shards) {
  return parameters.dense / shards.dense + parameters.routed / shards.routed;
}

StateShards state_shards(const parallel::Strategy& strategy) {
  StateShards shards;
  if (strategy.zero == 0) {
    return shards;
  }
  const auto replicas = static_cast<double>(strategy.replicas());
  shards.dense = strategy.zero == 3 && strategy.shard_group > 0
                     ? std::min<double>(strategy.shard_group, replicas)
                     : replicas;
  shards.routed = std::max(1.0, replicas / strategy.replicas_of_experts());
  return shards;
}

WeightTransfers weight_transfers(const Setting& setting, const StageShare& share) {
  const auto& [job, system, strategy] = setting;
  if (strategy.zero < 2) {
    return {};
  }
  const StageParameters parameters = stage_parameters(job.model, strategy, share);
  const bool third = strategy.zero == 3;
  const bool hides = third || job.framework.hides_sharded_reduction;
  WeightTransfers transfers;
  transfers.alone = hides ? 1.0 / std::max(1.0, share.all_layers()) : 1.0;
  const Cost scatter =
      both_kinds(setting, CollectiveKind::reduce_scatter,
                 third ? Dimension::shard : Dimension::data, parameters, sent_gradient_bytes(job));
  if (!third) {
    transfers.whole.backward = scatter;
    return transfers;
  }
  const Cost gather = both_kinds(setting, CollectiveKind::all_gather, Dimension::shard, parameters,
                                 bytes_of(job.precision.weights));
  transfers.whole = {gather, gather + scatter};
  return transfers;
}

PassTransfers exposed(const WeightTransfers& transfers, const PassTimes& passes,
                      double core_share) {
  const double hidden = 1.0 - transfers.alone;
  const auto beside = [&](const Charges& pass, const Cost& transfer) {
    return transfers.alone * transfer + beyond(pass, hidden * transfer, core_share);
  };
  return {beside(passes.forward, transfers.whole.forward),
          beside(passes.backward, transfers.whole.backward)};
}

Cost gradient_communication(const Setting& setting, const StageShare& share,
                            const PassTimes& passes) {
  const auto& [job, system, strategy] = setting;
  const double layers = share.all_layers();
  Cost total;
  const double cores = system.scale_out().core_share;
  const StageParameters parameters = stage_parameters(job.model, strategy, share);
  const bool replicas = strategy.replicas() > 1;
  if (replicas && strategy.zero < 3) {
    const CollectiveKind kind =
        strategy.zero >= 1 ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
    const Cost cost =
        both_kinds(setting, kind, Dimension::data, parameters, sent_gradient_bytes(job));
    const bool hides = strategy.zero >= 1 ? job.framework.hides_sharded_reduction
                                          : job.framework.hides_data_communication;
    const double alone = hides ? 1.0 / std::max(1.0, layers) : 1.0;
    if (strategy.zero < 2) {
      total = alone * cost + beyond(passes.backward, (1.0 - alone) * cost, cores);
    }
    total += issue_cost(setting, parameters.total() * sent_gradient_bytes(job));
    if (strategy.zero == 1) {
      total.time += Charges::of(Resource::latency, layers * job.framework.sharded_layer_issue_s);
    }
    if (strategy.zero >= 1) {
      const Cost gather = both_kinds(setting, CollectiveKind::all_gather, Dimension::data,
                                     parameters, bytes_of(job.precision.weights));
      total += job.framework.hides_weight_gather
                   ? alone * gather + beyond(passes.forward, (1.0 - alone) * gather, cores)
                   : gather;
    }
  } else if (replicas && strategy.shard_group > 0) {
    const double shards = state_shards(strategy).dense;
    const Cost reduce =
        collective_among(system, strategy, CollectiveKind::all_reduce, Dimension::shard_replica,
                         parameters.dense / shards * sent_gradient_bytes(job));
    const double alone = job.framework.hides_data_communication ? 1.0 / std::max(1.0, layers) : 1.0;
    total += alone * reduce + beyond(passes.backward, (1.0 - alone) * reduce, cores);
  }
  if (job.model.tied_embeddings && strategy.pipeline_parallel > 1) {
    total += tied_table(setting);
  }
  return total;
}

// Weights of the linear layers as operands, prepared once a step for all micro-batches (Transformer
// Engine keeps them from the first one): what is read and written.
double prepared_weights_bytes(const Setting& setting, StageShare share) {
  const std::optional<workload::Recipe> recipe = setting.job.recipe();
  if (!recipe) {
    return 0.0;
  }
  share.embedding = false;
  share.head = false;
  const workload::RecipeRow& row = workload::row_of(*recipe);
  const auto prepared =
      workload::OperandRecipe::trained(row, technology::scales_blocks(setting.system.device));
  const double bytes = prepared.reads(false) * bytes_of(setting.job.precision.weights) +
                       prepared.copies * (bytes_of(setting.job.precision.linear) + row.scale_bytes);
  return bytes * stage_parameters(setting.job.model, setting.strategy, share).total();
}

// Of a stage, what the optimizer updates, and the bytes of gradients that it clears after it.
struct Updated {
  double own = 0.0;
  double cleared_bytes = 0.0;
};

Updated updated_of(const Setting& setting, const StageShare& share) {
  const StageParameters parameters = stage_parameters(setting.job.model, setting.strategy, share);
  const double own = own_parameters(parameters, state_shards(setting.strategy));
  const double cleared = setting.strategy.zero >= 2 ? own : parameters.total();
  return {own, cleared * bytes_of(setting.job.precision.gradients)};
}

// Adam streams its shard: reads gradient, master weight and two moments, writes the last three and
// the stored weight; before it, the gradients are read for the norm and cleared after. Where the
// states live in host memory, gradients go there and weights come back.
double moved_bytes(const Setting& setting, const StageShare& share, const Updated& updated) {
  const auto& [job, system, strategy] = setting;
  const double own = updated.own;
  const double gradient = bytes_of(job.precision.gradients);
  const double weight = bytes_of(job.precision.weights);
  if (strategy.offload_optimizer) {
    return own * (gradient + weight);
  }
  const double states =
      bytes_of(job.precision.master_weights) + 2.0 * bytes_of(job.precision.moments);
  return own * job.framework.optimizer_passes * (gradient + 2.0 * states + weight + gradient) +
         updated.cleared_bytes + prepared_weights_bytes(setting, share);
}

double optimizer_bytes(const Setting& setting, const StageShare& share) {
  return moved_bytes(setting, share, updated_of(setting, share));
}

Charges optimizer_time(const Setting& setting, double bytes) {
  const technology::Device& device = setting.system.device;
  return setting.strategy.offload_optimizer
             ? Charges::of(Resource::host, bytes / device.host_bandwidth.si())
             : Charges::of(Resource::dram,
                           bytes / (device.dram.bandwidth.si() * device.dram.sustained));
}

Cost optimizer_cost(const Setting& setting, const StageShare& share) {
  const Updated updated = updated_of(setting, share);
  const double bytes = moved_bytes(setting, share, updated);
  Cost cost;
  cost.time = optimizer_time(setting, bytes);
  cost.work[Amount::dram_bytes] = bytes;
  if (setting.strategy.offload_optimizer) {
    cost.work[Amount::dram_bytes] += updated.cleared_bytes;
  } else {
    cost.work[Amount::vector_flop] = updated.own * 16.0;
  }
  return cost;
}

}  // namespace scalesweep::estimator
