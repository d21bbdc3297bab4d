// Values that options of several frameworks have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "deploy/parts/pipeline_split.hpp"
#include "deploy/parts/training_run.hpp"
#include "workload/recipe.hpp"

namespace scalesweep::deploy {

inline bool has_experts(const TrainingRun& r) {
  return r.model().experts.on();
}
inline bool has_latent(const TrainingRun& r) {
  return r.model().latent.on();
}
inline bool groups_queries(const TrainingRun& r) {
  return !has_latent(r) && r.model().kv_heads != r.model().heads;
}

// Of Megatron-LM, whose parser Megatron-DeepSpeed took over.
inline constexpr TrainingOption tensor_parallel_option = {
    "--tensor-model-parallel-size", "tensor_parallel",
    [](const TrainingRun& r) { return text(r.strategy.tensor_parallel); }};
inline constexpr TrainingOption sequence_parallel_option = {
    "--sequence-parallel", "sequence_parallel", [](const TrainingRun& r) {
      return switch_if(r.strategy.sequence_parallel && r.strategy.tensor_parallel > 1);
    }};
inline constexpr TrainingOption pipeline_parallel_option = {
    "--pipeline-model-parallel-size", "pipeline_parallel",
    [](const TrainingRun& r) { return text(r.strategy.pipeline_parallel); }};

// Queries and keys, or what they come out of, go through a norm: models with latent attention and
// Qwen3 (models/deepseek/deepseek_v3_bridge.py:62 of Megatron-Bridge 51885cf1).
inline bool norms_queries(const TrainingRun& r) {
  return has_latent(r) || r.model().name.starts_with("qwen3");
}
// Buffers in which GEMMs run beside their collectives take no operands in blocks (Transformer
// Engine d0067d0d, module/base.py:657), and with latent attention Megatron-Core switches them off
// (core/extensions/transformer_engine.py:1177 of d98e8a64).
inline bool takes_user_buffers(const TrainingRun& r) {
  return !has_latent(r) && !(r.job.precision.linear == technology::Precision::fp8 &&
                             r.job.recipe() == workload::Recipe::block);
}

// Of uneven stages, those that Megatron-Core is told part by part; embedding and head may count as
// layers instead.
inline bool counts_edges(const TrainingRun& r) {
  return is_even_with_edges(r.model(), r.strategy);
}
inline bool lists_parts(const TrainingRun& r) {
  return is_uneven(r.model(), r.strategy) && !counts_edges(r);
}
inline Value layout_of_parts(const TrainingRun& r) {
  return text_if(lists_parts(r), layout_text(r.model(), r.strategy));
}

// Megatron-FSDP, which shards gradients and weights too.
inline bool shards_gradients(const TrainingRun& r) {
  return r.strategy.zero >= 2;
}

// Whether gradients are accumulated in this format, and activations computed in that one.
inline bool accumulates(const TrainingRun& r, technology::Precision gradients,
                        technology::Precision activations) {
  return r.job.precision.gradients == gradients && r.job.precision.activations == activations;
}

// Of which ZeRO-3 shards the weights over a part (hybrid sharding); 1: over all replicas.
std::int64_t sharded_copies(const parallel::Strategy& s);

// Ranks that cut the matrices of one expert.
inline std::int64_t expert_tensor_ranks(const parallel::Strategy& s) {
  return s.experts_over_tensor ? 1 : s.tensor_parallel;
}

// Layers of one chunk of a pipeline stage that are computed again, where not all are.
std::int64_t recomputed_layers(const TrainingRun& r);

// Ranks that ZeRO shards over, of the data-parallel ones, and how often there are as many.
std::int64_t sharded_ranks(const parallel::Strategy& s);
std::int64_t replicated_ranks(const parallel::Strategy& s);

// Of layers with experts, what of all is 1: "([0]*3+[1]*58)", "2".
std::string expert_layer_pattern(const workload::TransformerModel& model);

bool multiplies(const TrainingRun& r, technology::Precision precision);

// Of operands in fp8; nothing of other formats.
inline std::optional<workload::Recipe> fp8_recipe(const TrainingRun& r) {
  return multiplies(r, technology::Precision::fp8) ? r.job.recipe() : std::nullopt;
}

// What no option says of a layout, for all frameworks.
std::vector<std::string> notes_of_layout(const TrainingRun& r, parallel::RankOrder order);
// What no option says of a model.
std::vector<std::string> notes_of_model(const workload::TransformerModel& model);

}  // namespace scalesweep::deploy
