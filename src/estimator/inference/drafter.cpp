#include "estimator/inference/drafter.hpp"

#include <numeric>

#include "core/contracts.hpp"
#include "estimator/inference/part_weights.hpp"
#include "estimator/inference/passes/iteration.hpp"
#include "estimator/inference/passes/pass_kernels.hpp"
#include "estimator/inference/passes/ping_pong.hpp"
#include "estimator/parts/stages.hpp"
#include "parallel/shared_cache.hpp"

namespace scalesweep::estimator {
namespace {

// What is behind the model shares its tables, has one layer, and attends to all tokens.
Drafter behind(workload::TransformerModel model) {
  model.layers = 1;
  model.prediction_layers = 0;
  model.local = {};
  model.linear = {};
  model.bare_layers = 0;
  return {std::move(model), true};
}

// Parameters of the GEMM that joins a hidden state and an embedding.
double join_parameters(const Drafter& drafter) {
  const auto h = static_cast<double>(drafter.model.hidden);
  return drafter.is_behind ? 2.0 * h * h : 0.0;
}

InferenceSetting setting_of(const Replica& model) {
  InferenceSetting setting = model.setting;
  setting.job.model = model.job().speculation.drafter.model;
  setting.job.speculation = {};
  setting.job.adapters = {};
  // It is called by the iteration of the model, not scheduled.
  setting.job.stack.iteration_overhead_s = 0.0;
  setting.job.stack.sequence_overhead_s = 0.0;
  if (setting.known != nullptr) {
    setting.known = setting.known->of_drafter(setting.job);
  }
  return setting;
}

Cost join_cost(const Replica& drafter, double tokens) {
  const InferencePrecision& precision = drafter.job().precision;
  workload::MatMul op;
  op.name = "join inputs";
  op.m = tokens;
  op.n = static_cast<double>(drafter.job().model.hidden) / drafter.strategy.tensor_parallel;
  op.k = 2.0 * static_cast<double>(drafter.job().model.hidden);
  op.input_bytes = technology::element_bytes(precision.operands);
  op.output_bytes = technology::element_bytes(precision.activations);
  op.weight_bytes = technology::element_bytes(precision.weights);
  op.low_precision = true;
  return operator_cost({workload::Block::other, op}, drafter.setting);
}

// Of a mean device, as passes of the model are.
Cost pass_of(const Replica& drafter, const Replica& model, const Iteration& iteration, bool joins) {
  Cost cost = iteration_cost(drafter, iteration).total();
  if (joins) {
    cost += join_cost(drafter, iteration.prefill.tokens() + iteration.decode.tokens());
  }
  if (model.strategy.expert_devices > 0 && drafter.strategy.expert_devices == 0) {
    cost.work *= layer_device_share(model.strategy);
  }
  return cost;
}

}  // namespace

Drafter drafter_of(const workload::TransformerModel& small) {
  return {small, false};
}

Drafter prediction_drafter(const workload::TransformerModel& model) {
  SCALESWEEP_EXPECT(model.prediction_layers > 0);
  Drafter drafter = behind(model);
  if (model.expert_layers() > 0) {
    drafter.model.experts.dense_layers = 0;
    drafter.model.experts.every = 1;
  }
  return drafter;
}

Drafter eagle_drafter(const workload::TransformerModel& model) {
  Drafter drafter = behind(model);
  drafter.model.experts = {};
  return drafter;
}

double parameters_of(const Drafter& drafter) {
  const workload::TransformerModel& model = drafter.model;
  const double tables =
      model.embedding_parameters() + (model.tied_embeddings ? 0.0 : model.head_parameters());
  return model.parameters() - (drafter.is_behind ? tables : 0.0) + join_parameters(drafter);
}

parallel::Strategy drafter_strategy(const Drafter& drafter, parallel::Strategy strategy) {
  const auto heads = static_cast<std::int32_t>(drafter.model.heads);
  strategy.tensor_parallel = std::gcd(strategy.tensor_parallel, heads);
  strategy.decode_context_parallel = static_cast<std::int32_t>(parallel::shared_cache_ranks(
      drafter.model, strategy.tensor_parallel, strategy.decode_context_parallel));
  strategy.pipeline_parallel = 1;
  if (!drafter.is_behind || !drafter.model.experts.on()) {
    strategy.expert_parallel = 1;
    strategy.experts_over_tensor = false;
    strategy.redundant_experts = 0;
    strategy.expert_devices = 0;
  }
  return strategy;
}

Cost proposals_cost(const Replica& model, double sequences, double cached_tokens) {
  const Speculation& speculation = model.job().speculation;
  const Drafter& drafter = speculation.drafter;
  if (speculation.draft <= 0 || sequences <= 0.0) {
    return {};
  }
  if (!drafter.on()) {
    return static_cast<double>(speculation.draft) * speculation.draft_time *
           iteration_cost(model, {{}, {sequences, 1.0, cached_tokens}}).total();
  }
  const InferenceSetting setting = setting_of(model);
  const Replica own = {setting, drafter_strategy(drafter, model.strategy)};
  const double kept = speculation.tokens_per_iteration();
  Cost cost = pass_of(own, model, {{}, {sequences, kept, cached_tokens}}, drafter.is_behind);
  if (speculation.draft > 1) {
    cost += static_cast<double>(speculation.draft - 1) *
            pass_of(own, model, {{}, {sequences, 1.0, cached_tokens}}, drafter.is_behind);
  }
  return cost;
}

Cost drafter_prompts_cost(const Replica& model, const workload::TokenGroup& prompts) {
  const Drafter& drafter = model.job().speculation.drafter;
  if (!drafter.on() || model.job().speculation.draft <= 0 || prompts.tokens() <= 0.0) {
    return {};
  }
  const InferenceSetting setting = setting_of(model);
  const Replica own = {setting, drafter_strategy(drafter, model.strategy)};
  return pass_of(own, model, {prompts, {}}, drafter.is_behind);
}

double drafter_weights_bytes(const InferenceJob& job, const parallel::Strategy& strategy) {
  const Drafter& drafter = job.speculation.drafter;
  if (!drafter.on() || job.speculation.draft <= 0) {
    return 0.0;
  }
  const parallel::Strategy own = drafter_strategy(drafter, strategy);
  StageShare share;
  share.expert_layers = static_cast<double>(drafter.model.expert_layers());
  share.layers = static_cast<double>(drafter.model.layers) - share.expert_layers;
  const double layers = stage_parameters(drafter.model, own, share).total() +
                        join_parameters(drafter) / own.tensor_parallel;
  const double apart = apart_bytes(job, drafter.model, own, share);
  share = {.embedding = !drafter.is_behind, .head = !drafter.is_behind};
  const double tables = stage_parameters(drafter.model, own, share).total();
  return layers * job.weight_bytes() + apart +
         tables * technology::element_bytes(job.precision.head);
}

}  // namespace scalesweep::estimator
