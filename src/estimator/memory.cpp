#include "estimator/memory.hpp"

#include <algorithm>

namespace scalesweep::estimator {
namespace {

constexpr double context_bytes = 2.0e9;

}  // namespace

double micro_batches_in_flight(const parallel::Strategy& strategy, int stage) {
  const double p = strategy.pipeline_parallel;
  const double v = strategy.chunks;
  const double m = strategy.micro_batches;
  const double behind = p - stage - 1;  // stages that come after this one
  if (strategy.chunks == 1) {
    return std::min(m, behind + 1.0);
  }
  // Warm-up of the interleaved schedule in chunk passes: Narayanan et al. 2021 (arXiv:2104.04473),
  // section 2.2; on the first stage p (1 + (p-1)/(p v)) micro-batches, as in Korthikanti et al.
  return std::min(m, (2.0 * behind + (v - 1.0) * p + 1.0) / v);
}

double stage_parameters(const workload::TransformerModel& model, const parallel::Strategy& strategy,
                        int stage) {
  const double layers =
      static_cast<double>(model.layers) / static_cast<double>(strategy.pipeline_parallel);
  double parameters = layers * model.layer_parameters();
  const bool first = stage == 0;
  const bool last = stage == strategy.pipeline_parallel - 1;
  if (first) {
    parameters += model.embedding_parameters();
  }
  // A tied head on another stage than the table holds a copy of it.
  if (last && !(first && model.tied_embeddings)) {
    parameters += model.head_parameters();
  }
  return parameters / static_cast<double>(strategy.tensor_parallel);
}

double optimizer_state_bytes(const TrainingJob& job) {
  const bool master_weights = technology::element_bytes(job.precision.weights) < 4.0;
  const bool gradient_copy = technology::element_bytes(job.precision.gradients) < 4.0;
  // Adam's two moments, fp32 weights beside 16-bit ones, fp32 gradients beside 16-bit ones.
  return 8.0 + (master_weights ? 4.0 : 0.0) + (gradient_copy ? 4.0 : 0.0);
}

MemoryUse stage_memory(const TrainingJob& job, const parallel::Strategy& strategy,
                       const workload::SavedActivations& saved, int stage) {
  const double parameters = stage_parameters(job.model, strategy, stage);
  const double shards = strategy.zero >= 1 ? strategy.data_parallel : 1.0;
  MemoryUse memory;
  memory.weights_bytes = parameters * technology::element_bytes(job.precision.weights);
  memory.gradients_bytes = parameters * technology::element_bytes(job.precision.gradients);
  memory.optimizer_bytes = parameters * optimizer_state_bytes(job) / shards;

  // Kept per layer and micro-batch, and what the one layer in backward needs on top.
  const double whole = saved.other_bytes + saved.attention_core_bytes;
  double kept = whole;
  double working = 0.0;
  if (strategy.recompute == parallel::Recompute::selective) {
    kept = saved.other_bytes;
    working = saved.attention_core_bytes;
  } else if (strategy.recompute == parallel::Recompute::full) {
    kept = saved.input_bytes;
    working = whole;
  }
  const double layers =
      static_cast<double>(job.model.layers) / static_cast<double>(strategy.pipeline_parallel);
  memory.activations_bytes = micro_batches_in_flight(strategy, stage) * layers * kept + working;
  if (stage == strategy.pipeline_parallel - 1) {
    // Logits as computed and as the loss holds them in fp32.
    const double logits = static_cast<double>(job.sequence) * strategy.micro_batch *
                          static_cast<double>(job.model.vocab) /
                          static_cast<double>(strategy.tensor_parallel);
    memory.activations_bytes += logits * (technology::element_bytes(job.precision.weights) + 4.0);
  }
  return memory;
}

MemoryUse peak_memory(const TrainingJob& job, const parallel::Strategy& strategy,
                      const workload::SavedActivations& saved) {
  const MemoryUse first = stage_memory(job, strategy, saved, 0);
  if (strategy.pipeline_parallel == 1) {
    return first;
  }
  const MemoryUse last = stage_memory(job, strategy, saved, strategy.pipeline_parallel - 1);
  return first.total_bytes() >= last.total_bytes() ? first : last;
}

double usable_memory_bytes(const technology::Device& device) {
  return std::max(0.0, device.dram.capacity.si() - context_bytes);
}

}  // namespace scalesweep::estimator
