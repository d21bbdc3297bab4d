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
  const workload::ReplicaStack& stack = setting.job.stack.replicas;
  const parallel::Group group = setting.group(Dimension::data);
  const double calls =
      stack.gradient_bucket_bytes > 0.0 ? std::ceil(bytes / stack.gradient_bucket_bytes) : 1.0;
  Cost cost;
  cost.time = Charges::of(Resource::latency,
                          calls * rank_issue_s(stack, group) * static_cast<double>(group.size()));
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

WeightTransfers weight_transfers(const Setting& setting, const StageShare& share) {
  return setting.strategy.zero < 2
             ? WeightTransfers{}
             : weight_transfers(setting, held_weights(setting.job, setting.strategy, share));
}

WeightTransfers weight_transfers(const Setting& setting, const HeldWeights& weights) {
  const auto& [job, system, strategy] = setting;
  if (strategy.zero < 2) {
    return {};
  }
  const StageParameters& trained = weights.trained;
  const bool third = strategy.zero == 3;
  const bool hides = third || job.stack.replicas.hides_sharded_reduction;
  WeightTransfers transfers;
  transfers.alone = hides ? 1.0 / std::max(1.0, weights.layers) : 1.0;
  const Cost scatter =
      both_kinds(setting, CollectiveKind::reduce_scatter,
                 third ? Dimension::shard : Dimension::data, trained, sent_gradient_bytes(job));
  if (!third) {
    transfers.whole.backward = scatter;
    return transfers;
  }
  Cost gather = both_kinds(setting, CollectiveKind::all_gather, Dimension::shard, weights.all,
                           weights.weight_bytes);
  if (job.tuning.rank > 0) {
    gather += both_kinds(setting, CollectiveKind::all_gather, Dimension::shard, weights.adapters,
                         bytes_of(job.precision.weights));
  }
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

GradientTransfers gradient_transfers(const Setting& setting, const StageShare& share) {
  return gradient_transfers(setting, held_weights(setting.job, setting.strategy, share));
}

GradientTransfers gradient_transfers(const Setting& setting, const HeldWeights& weights) {
  const auto& [job, system, strategy] = setting;
  const double layers = weights.layers;
  const double one_layer = 1.0 / std::max(1.0, layers);
  GradientTransfers transfers;
  // The share `alone` of it has nothing to hide behind.
  const auto send = [&](Cost& behind, const Cost& cost, double alone) {
    transfers.open.add(alone, cost);
    behind.add(1.0 - alone, cost);
  };
  const StageParameters& parameters = weights.trained;
  const bool replicas = strategy.replicas() > 1;
  if (replicas && strategy.zero < 3) {
    const CollectiveKind kind =
        strategy.zero >= 1 ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
    const bool hides = strategy.zero >= 1 ? job.stack.replicas.hides_sharded_reduction
                                          : job.stack.replicas.hides_data_communication;
    const double alone = hides ? one_layer : 1.0;
    if (strategy.zero < 2) {
      send(transfers.behind_backward,
           both_kinds(setting, kind, Dimension::data, parameters, sent_gradient_bytes(job)), alone);
    }
    transfers.open += issue_cost(setting, parameters.total() * sent_gradient_bytes(job));
    if (strategy.zero == 1) {
      transfers.open.time[Resource::latency] += layers * job.stack.replicas.sharded_layer_issue_s;
    }
    if (strategy.zero >= 1) {
      send(transfers.behind_forward,
           both_kinds(setting, CollectiveKind::all_gather, Dimension::data, parameters,
                      bytes_of(job.precision.weights)),
           job.stack.replicas.hides_weight_gather ? alone : 1.0);
    }
  } else if (replicas && strategy.shard_group > 0) {
    const double shards = state_shards(strategy).dense;
    send(transfers.behind_backward,
         collective_among(system, strategy, CollectiveKind::all_reduce, Dimension::shard_replica,
                          parameters.dense / shards * sent_gradient_bytes(job)),
         job.stack.replicas.hides_data_communication ? one_layer : 1.0);
  }
  if (replicas && strategy.zero >= 1 && job.optimizer.orthogonal_steps > 0.0) {
    transfers.open += both_kinds(setting, CollectiveKind::all_gather,
                                 strategy.zero == 3 ? Dimension::shard : Dimension::data,
                                 weights.trained_of_layers, job.optimizer.product_bytes);
  }
  if (job.model.tied_embeddings && strategy.layer_stages() > 1 && !job.tuning.on()) {
    transfers.open += tied_table(setting);
  }
  return transfers;
}

Cost exposed(const GradientTransfers& transfers, const PassTimes& passes, double core_share) {
  Cost total = transfers.open;
  total += beyond(passes.forward, transfers.behind_forward, core_share);
  total += beyond(passes.backward, transfers.behind_backward, core_share);
  return total;
}

// Weights of the linear layers as operands, prepared once a step for all micro-batches (Transformer
// Engine keeps them from the first one): what is read and written.
double prepared_weights_bytes(const Setting& setting, const HeldWeights& weights) {
  const std::optional<workload::Recipe> recipe = setting.job.recipe();
  if (!recipe) {
    return 0.0;
  }
  const workload::RecipeRow& row = workload::row_of(*recipe);
  const auto prepared =
      workload::OperandRecipe::trained(row, technology::scales_blocks(setting.system.device));
  const double bytes = prepared.reads(false) * bytes_of(setting.job.precision.weights) +
                       prepared.copies * (bytes_of(setting.job.precision.linear) + row.scale_bytes);
  return bytes * weights.of_layers.total();
}

// The optimizer streams its shard: reads gradient, master weight and its states, writes the last
// ones and the stored weight; before it, the gradients are read for the norm and cleared after.
// Where the states live in host memory, gradients go there and weights come back.
OptimizerWork optimizer_work(const Setting& setting, const StageShare& share) {
  return optimizer_work(setting, held_weights(setting.job, setting.strategy, share));
}

OptimizerWork optimizer_work(const Setting& setting, const HeldWeights& weights) {
  const auto& [job, system, strategy] = setting;
  const StageParameters& parameters = weights.trained;
  const double own = own_parameters(parameters, state_shards(strategy));
  const double gradient = bytes_of(job.precision.gradients);
  const double weight = bytes_of(job.precision.weights);
  OptimizerWork work;
  work.updated = own;
  work.cleared_bytes = (strategy.zero >= 2 ? own : parameters.total()) * gradient;
  if (strategy.offload_optimizer) {
    work.moved_bytes = own * (gradient + weight);
    return work;
  }
  const double states = bytes_of(job.precision.master_weights) + weights.moment_bytes;
  const double gradients = (2.0 + job.optimizer.gradient_reads) * gradient;
  work.moved_bytes =
      own * job.stack.replicas.optimizer_passes * (gradients + 2.0 * states + weight) +
      work.cleared_bytes + prepared_weights_bytes(setting, weights);
  return work;
}

Charges optimizer_time(const Setting& setting, double moved_bytes) {
  const technology::Device& device = setting.system.device;
  return setting.strategy.offload_optimizer
             ? Charges::of(Resource::host, moved_bytes / device.host_bandwidth.si())
             : Charges::of(Resource::dram,
                           moved_bytes / (device.dram.bandwidth.si() * device.dram.sustained));
}

Cost optimizer_cost(const Setting& setting, const OptimizerWork& work) {
  Cost cost;
  cost.time = optimizer_time(setting, work.moved_bytes);
  cost.work[Amount::dram_bytes] = work.moved_bytes;
  if (setting.strategy.offload_optimizer) {
    cost.work[Amount::dram_bytes] += work.cleared_bytes;
  } else {
    cost.work[Amount::vector_flop] = work.updated * setting.job.optimizer.flop;
  }
  return cost;
}

}  // namespace scalesweep::estimator
