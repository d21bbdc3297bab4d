#include "estimator/training/states/parameters.hpp"

#include <algorithm>
#include <utility>

#include "core/contracts.hpp"
#include "workload/training/linear_shapes.hpp"

namespace scalesweep::estimator {
namespace {

using workload::LayerKind;

// Calls add(layers, kind, mixer) for all layers of a stage that are alike.
template <typename Add>
void for_each_kind(const workload::TransformerModel& model, const StageShare& share,
                   const Add& add) {
  const bool experts = model.experts.on();
  const double last = share.predictions;  // like the model's last layer
  for (const auto& [kind, layers] :
       {std::pair{LayerKind::dense, share.layers + (experts ? 0.0 : last)},
        std::pair{LayerKind::experts, share.expert_layers + (experts ? last : 0.0)}}) {
    if (layers > 0.0) {
      for (const workload::LayerVariant& variant : workload::LayerVariants(model, kind)) {
        add(layers * variant.share, variant.kind, variant.mixer);
      }
    }
  }
}

// Of blocks of a matrix, the factors of both sides, in elements a parameter.
double block_elements(const workload::Optimizer& optimizer, const workload::LinearShape& shape) {
  const double rows = std::min(shape.k, optimizer.block);
  const double columns = std::min(shape.n, optimizer.block);
  return 0.5 * optimizer.block_states * (rows * rows + columns * columns) / (rows * columns);
}

// The mean of all matrices of the stage's layers, of adapters as of the layers beside them.
double mean_block_elements(const TrainingJob& job, const parallel::Strategy& strategy,
                           const StageShare& share) {
  double elements = 0.0;
  double parameters = 0.0;
  const workload::Slice slice = shards_of(strategy);
  for_each_kind(job.model, share, [&](double layers, LayerKind kind, workload::Mixer mixer) {
    for (const workload::LinearShape& shape :
         workload::linear_shapes(job.model, slice, kind, mixer)) {
      const double held = layers * shape.parameters();
      elements += held * block_elements(job.optimizer, shape);
      parameters += held;
    }
  });
  return parameters > 0.0 ? elements / parameters : 0.0;
}

// Of the trained parameters of a stage, those of embedding and head.
double edge_share(const TrainingJob& job, const parallel::Strategy& strategy,
                  const StageShare& share) {
  if (job.tuning.on() || (!share.embedding && !share.head)) {
    return 0.0;
  }
  const double all = trained_parameters(job, strategy, share).total();
  return 1.0 - stage_parameters(job.model, strategy, share.layers_alone()).total() / all;
}

}  // namespace

// Experts are spread over data-parallel ranks before they are cut; what tensor parallelism leaves
// of a token's work, every rank does for its own tokens.
workload::Slice shards_of(const parallel::Strategy& strategy) {
  workload::Slice slice;
  slice.tensor_shards = strategy.tensor_parallel;
  slice.sequence_shards = strategy.sequence_parallel;
  slice.context_shards = strategy.context_parallel;
  slice.expert_shards = strategy.expert_parallel;
  slice.expert_tensor_shards = strategy.expert_parallel > 1 ? 1 : strategy.tensor_parallel;
  slice.experts_over_tensor = strategy.experts_over_tensor;
  return slice;
}

StageParameters trained_parameters(const TrainingJob& job, const parallel::Strategy& strategy,
                                   const StageShare& share) {
  const workload::Encoder& encoder = job.model.encoder;
  const double tensor = strategy.tensor_parallel;
  const double frozen = share.encoders > 0.0 && !job.tuning.trains_encoder()
                            ? share.encoders * workload::encoder_parameters(encoder) / tensor
                            : 0.0;
  if (!job.tuning.on()) {
    StageParameters parameters = stage_parameters(job.model, strategy, share);
    parameters.dense -= frozen;
    return parameters;
  }
  StageParameters parameters;
  if (share.encoders > 0.0) {
    const double all = workload::encoder_parameters(encoder) +
                       workload::projector_parameters(encoder, job.model.hidden);
    parameters.dense = share.encoders * all / tensor - frozen;
  }
  const workload::Slice slice = shards_of(strategy);
  for_each_kind(job.model, share, [&](double layers, LayerKind kind, workload::Mixer mixer) {
    parameters.dense +=
        layers * workload::adapter_parameters(job.model, job.tuning, slice, kind, mixer);
  });
  return parameters;
}

StageParameters adapters_of(const TrainingJob& job, const parallel::Strategy& strategy,
                            StageShare share) {
  share.encoders = 0.0;
  return job.tuning.rank > 0 ? trained_parameters(job, strategy, share) : StageParameters{};
}

double weight_bytes(const TrainingJob& job, const parallel::Strategy& strategy,
                    const StageShare& share) {
  const double stored = technology::element_bytes(job.precision.weights);
  if (!job.tuning.narrow()) {
    return stored;
  }
  const double all = stage_parameters(job.model, strategy, share).total();
  const double layers = stage_parameters(job.model, strategy, share.layers_alone()).total();
  const double held =
      layers * workload::frozen_bytes(job.tuning.frozen, stored) + (all - layers) * stored;
  return all > 0.0 ? held / all : stored;
}

double one_moment_bytes(const TrainingJob& job) {
  return job.optimizer.moment_bytes > 0.0 ? job.optimizer.moment_bytes
                                          : technology::element_bytes(job.precision.moments);
}

double moment_bytes(const TrainingJob& job, const parallel::Strategy& strategy,
                    const StageShare& share) {
  const workload::Optimizer& optimizer = job.optimizer;
  const double one = one_moment_bytes(job);
  double bytes = optimizer.moments * one;
  double edges = 0.0;
  if (optimizer.edge_moments != optimizer.moments || optimizer.block > 0.0) {
    edges = edge_share(job, strategy, share);
    bytes += edges * (optimizer.edge_moments - optimizer.moments) * one;
  }
  if (optimizer.block > 0.0) {
    bytes += (1.0 - edges) * mean_block_elements(job, strategy, share) * optimizer.product_bytes;
  }
  return bytes;
}

double optimizer_state_bytes(const TrainingJob& job, const parallel::Strategy& strategy,
                             const StageShare& share) {
  const PrecisionPolicy& policy = job.precision;
  const double master = technology::element_bytes(policy.master_weights);
  const bool weight_copy = technology::element_bytes(policy.weights) < master;
  const bool gradient_copy = technology::element_bytes(policy.gradients) < 4.0;
  return moment_bytes(job, strategy, share) + (weight_copy ? master : 0.0) +
         (gradient_copy ? 4.0 : 0.0);
}

HeldWeights held_weights(const TrainingJob& job, const parallel::Strategy& strategy,
                         const StageShare& share) {
  const StageShare layers = share.layers_alone();
  // An encoder that has a stage alone is nearly all matrices.
  const StageShare& updated = share.all_layers() > 0.0 ? layers : share;
  return {.all = stage_parameters(job.model, strategy, share),
          .of_layers = stage_parameters(job.model, strategy, layers),
          .trained = trained_parameters(job, strategy, share),
          .trained_of_layers = trained_parameters(job, strategy, updated),
          .adapters = adapters_of(job, strategy, share),
          .layers = held_layers(job.model, share),
          .weight_bytes = weight_bytes(job, strategy, share),
          .moment_bytes = moment_bytes(job, strategy, share)};
}

const StageShare& fullest_stage(const TrainingJob& job, const parallel::Strategy& strategy,
                                const StageShares& shares) {
  const StageShare* fullest = nullptr;
  double most = -1.0;
  for (const StageShare& share : shares.kinds()) {
    const double trained = trained_parameters(job, strategy, share).total();
    if (trained > most) {
      most = trained;
      fullest = &share;
    }
  }
  SCALESWEEP_EXPECT(fullest != nullptr);
  return *fullest;
}

KeptParameters kept_parameters(const parallel::Strategy& strategy, const StageParameters& all,
                               const StageParameters& trained, double layers) {
  const StateShards shards = state_shards(strategy);
  const double own = own_parameters(all, shards);
  const double own_trained = own_parameters(trained, shards);
  const double copies = strategy.schedule == parallel::Schedule::dual_pipe ? 2.0 : 1.0;
  const double gathered = 2.0 * (all.total() - own) / std::max(1.0, layers + 1.0);
  return {strategy.zero == 3 ? own + gathered : copies * all.total(),
          strategy.zero >= 2 ? own_trained : copies * trained.total(), copies * own_trained};
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
  shards.routed = std::max(1.0, replicas / strategy.replicas_of_experts());
  return shards;
}

}  // namespace scalesweep::estimator
