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
Cost issue_cost(const TrainingJob& job, const technology::System& system,
                const parallel::Strategy& strategy, double bytes) {
  const workload::Framework& framework = job.framework;
  const parallel::Group group =
      parallel::group_of(strategy, Dimension::data, system.scale_up_domain);
  const double calls = framework.gradient_bucket_bytes > 0.0
                           ? std::ceil(bytes / framework.gradient_bucket_bytes)
                           : 1.0;
  Cost cost;
  cost.time = Charges::of(Resource::latency, calls * rank_issue_s(framework, group) *
                                                 static_cast<double>(group.size()));
  return cost;
}

// The same collective for the dense weights among all replicas and for the experts among theirs.
Cost both_kinds(const technology::System& system, const parallel::Strategy& strategy,
                CollectiveKind kind, Dimension dense, const StageParameters& parameters,
                double bytes_per_parameter) {
  Cost cost =
      collective_among(system, strategy, kind, dense, parameters.dense * bytes_per_parameter);
  if (parameters.routed > 0.0) {
    cost += collective_among(system, strategy, kind, Dimension::expert_data,
                             parameters.routed * bytes_per_parameter);
  }
  return cost;
}

// First and last stage keep their copies of the table equal.
Cost tied_table(const TrainingJob& job, const technology::System& system,
                const parallel::Strategy& strategy) {
  Collective tie;
  tie.group = parallel::stage_link(strategy, system.scale_up_domain) == parallel::Link::scale_up
                  ? parallel::Group{2, 1}
                  : parallel::Group{1, 2};
  tie.bytes = job.model.head_parameters() / strategy.tensor_parallel * sent_gradient_bytes(job);
  return collective_cost(tie, system).cost;
}

}  // namespace

StageParameters stage_parameters(const workload::TransformerModel& model,
                                 const parallel::Strategy& strategy, const StageShare& share) {
  const auto tensor = static_cast<double>(strategy.tensor_parallel);
  StageParameters parameters;
  double dense = share.layers * model.layer_parameters();
  if (model.experts.on()) {
    dense += share.expert_layers * model.unrouted_expert_parameters();
    const double cut = strategy.expert_parallel > 1 ? 1.0 : tensor;
    parameters.routed = (share.expert_layers + share.predictions) *
                        model.routed_expert_parameters() /
                        (static_cast<double>(strategy.expert_parallel) * cut);
  }
  if (share.predictions > 0.0) {
    const double routed = model.experts.on() ? model.routed_expert_parameters() : 0.0;
    dense += share.predictions * (model.prediction_parameters() - routed);
  }
  if (share.embedding) {
    dense += model.embedding_parameters();
  }
  // A tied head on another stage than the table holds a copy of it.
  if (share.head && !(share.embedding && model.tied_embeddings)) {
    dense += model.head_parameters();
  }
  parameters.dense = dense / tensor;
  return parameters;
}

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
  shards.routed = std::max(1.0, replicas / strategy.expert_parallel);
  return shards;
}

PassTransfers sharded_weight_communication(const TrainingJob& job, const technology::System& system,
                                           const parallel::Strategy& strategy,
                                           const StageShare& share, const PassTimes& passes) {
  if (strategy.zero < 2) {
    return {};
  }
  const StageParameters parameters = stage_parameters(job.model, strategy, share);
  const double cores = system.scale_out.core_share;
  const bool hides = strategy.zero == 3 || job.framework.hides_sharded_reduction;
  const double alone = hides ? 1.0 / std::max(1.0, share.all_layers()) : 1.0;
  const double hidden = 1.0 - alone;
  const auto exposed = [&](const Cost& transfer, const Charges& pass) {
    return alone * transfer + beyond(pass, hidden * transfer, cores);
  };
  if (strategy.zero == 2) {
    const Cost scatter = both_kinds(system, strategy, CollectiveKind::reduce_scatter,
                                    Dimension::data, parameters, sent_gradient_bytes(job));
    return {{}, exposed(scatter, passes.backward)};
  }
  const Cost gather = both_kinds(system, strategy, CollectiveKind::all_gather, Dimension::shard,
                                 parameters, bytes_of(job.precision.weights));
  const Cost scatter = both_kinds(system, strategy, CollectiveKind::reduce_scatter,
                                  Dimension::shard, parameters, sent_gradient_bytes(job));
  return {exposed(gather, passes.forward), exposed(gather + scatter, passes.backward)};
}

Cost gradient_communication(const TrainingJob& job, const technology::System& system,
                            const parallel::Strategy& strategy, const StageShare& share,
                            const PassTimes& passes, double layers) {
  Cost total;
  const double cores = system.scale_out.core_share;
  const StageParameters parameters = stage_parameters(job.model, strategy, share);
  const bool replicas = strategy.replicas() > 1;
  if (replicas && strategy.zero < 3) {
    const CollectiveKind kind =
        strategy.zero >= 1 ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
    const Cost cost =
        both_kinds(system, strategy, kind, Dimension::data, parameters, sent_gradient_bytes(job));
    const bool hides = strategy.zero >= 1 ? job.framework.hides_sharded_reduction
                                          : job.framework.hides_data_communication;
    const double alone = hides ? 1.0 / std::max(1.0, layers) : 1.0;
    if (strategy.zero < 2) {
      total = alone * cost + beyond(passes.backward, (1.0 - alone) * cost, cores);
    }
    total += issue_cost(job, system, strategy, parameters.total() * sent_gradient_bytes(job));
    if (strategy.zero == 1) {
      total.time +=
          Charges::of(Resource::latency, share.all_layers() * job.framework.sharded_layer_issue_s);
    }
    if (strategy.zero >= 1) {
      const Cost gather = both_kinds(system, strategy, CollectiveKind::all_gather, Dimension::data,
                                     parameters, bytes_of(job.precision.weights));
      total += job.framework.hides_weight_gather
                   ? alone * gather + beyond(passes.forward, (1.0 - alone) * gather, cores)
                   : gather;
    }
  } else if (replicas && strategy.shard_group > 0) {
    const double shards = state_shards(strategy).dense;
    total +=
        collective_among(system, strategy, CollectiveKind::all_reduce, Dimension::shard_replica,
                         parameters.dense / shards * sent_gradient_bytes(job));
  }
  if (job.model.tied_embeddings && strategy.pipeline_parallel > 1) {
    total += tied_table(job, system, strategy);
  }
  return total;
}

// Adam streams its shard: reads gradient, master weight and two moments, writes the last three and
// the stored weight; before it, the gradients are read for the norm and cleared after. Where the
// states live in host memory, gradients go there and weights come back.
Cost optimizer_cost(const TrainingJob& job, const technology::System& system,
                    const parallel::Strategy& strategy, const StageShare& share) {
  const StageParameters parameters = stage_parameters(job.model, strategy, share);
  const double own = own_parameters(parameters, state_shards(strategy));
  const double gradient = bytes_of(job.precision.gradients);
  const double weight = bytes_of(job.precision.weights);
  const double states =
      bytes_of(job.precision.master_weights) + 2.0 * bytes_of(job.precision.moments);
  const double cleared = strategy.zero >= 2 ? own : parameters.total();
  const technology::Device& device = system.device;
  const double dram_rate = device.dram.bandwidth.si() * device.dram.sustained;
  Cost cost;
  if (strategy.offload_optimizer) {
    const double moved = own * (gradient + weight);
    cost.time = Charges::of(Resource::host, moved / device.host_bandwidth.si());
    cost.work.dram_bytes = moved + cleared * gradient;
    return cost;
  }
  const double passes = job.framework.optimizer_passes;
  const double traffic =
      own * passes * (gradient + 2.0 * states + weight + gradient) + cleared * gradient;
  cost.time = Charges::of(Resource::dram, traffic / dram_rate);
  cost.work.dram_bytes = traffic;
  cost.work.vector_flop = own * 16.0;
  return cost;
}

}  // namespace scalesweep::estimator
