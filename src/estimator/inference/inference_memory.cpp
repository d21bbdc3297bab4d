#include "estimator/inference/inference_memory.hpp"

#include <algorithm>
#include <cmath>

#include "estimator/inference/drafter.hpp"
#include "estimator/inference/part_weights.hpp"
#include "estimator/inference/passes/image_pass.hpp"
#include "estimator/parts/stages.hpp"
#include "estimator/reuse/adapters.hpp"
#include "workload/inference_layer.hpp"

namespace scalesweep::estimator {
namespace {

using workload::AttentionSpan;

// Hidden states alive at a time: the residual, what a block reads and what it writes.
constexpr double live_hidden_states = 3.0;
constexpr double logit_bytes = 4.0;

double bytes_of(technology::Precision precision) {
  return technology::element_bytes(precision);
}

double weights_bytes(const InferenceJob& job, const parallel::Strategy& strategy,
                     StageShare share) {
  share.predictions = 0.0;
  const double all = stage_parameters(job.model, strategy, share).total();
  const double layers = stage_parameters(job.model, strategy, share.layers_alone()).total();
  return layers * job.weight_bytes() + apart_bytes(job, job.model, strategy, share) +
         (all - layers) * bytes_of(job.precision.head);
}

// Tokens that the cache of a layer sets aside for one sequence.
double set_aside(const InferenceJob& job, const workload::TransformerModel& model,
                 AttentionSpan span, double tokens) {
  const double kept = workload::kept_tokens(model, span, tokens);
  const double page = job.stack.page_tokens;
  return page > 0.0 ? std::ceil(kept / page) * page : kept;
}

}  // namespace

double layer_cache_bytes(const InferenceJob& job, const workload::TransformerModel& model,
                         const parallel::Strategy& strategy, double tokens) {
  double kept = 0.0;
  for (const AttentionSpan span : {AttentionSpan::whole, AttentionSpan::window}) {
    kept += workload::layers_with(model, span) * set_aside(job, model, span, tokens);
  }
  return kept / static_cast<double>(model.layers) *
             workload::cache_elements(model, strategy.tensor_parallel) *
             bytes_of(job.precision.cache) / strategy.context_parallel +
         state_cache_bytes(job, model, strategy);
}

namespace {

// Of what drafts, on the last stage; its cache of one request.
struct Drafted {
  double weights_bytes = 0.0;
  double cache_bytes = 0.0;
};

Drafted drafted_of(const InferenceJob& job, const parallel::Strategy& strategy, double tokens) {
  const Drafter& drafter = job.speculation.drafter;
  if (!drafter.on() || job.speculation.draft <= 0) {
    return {};
  }
  const parallel::Strategy own = drafter_strategy(drafter, strategy);
  return {drafter_weights_bytes(job, strategy),
          static_cast<double>(drafter.model.layers) *
              layer_cache_bytes(job, drafter.model, own, tokens)};
}

// Of the images among so many tokens of prompts: hidden states of their encoder, and what one of
// its layers works on.
double image_bytes(const InferenceJob& job, const parallel::Strategy& strategy, double tokens) {
  const workload::Encoder& encoder = job.model.encoder;
  if (!encoder.asked()) {
    return 0.0;
  }
  const workload::TransformerModel& model = *encoder.model;
  const double inside = std::max(model.query_width() + model.key_width() + model.value_width(),
                                 (model.gated_ffn ? 3.0 : 2.0) * static_cast<double>(model.ffn)) /
                        strategy.tensor_parallel;
  return encoded_patches(encoder, tokens) *
         (live_hidden_states * static_cast<double>(model.hidden) + inside) *
         bytes_of(job.precision.activations);
}

// Prompts of one micro-batch, or the part of them that one iteration takes.
double activation_bytes(const InferenceJob& job, const parallel::Strategy& strategy,
                        double micro_batch) {
  const workload::TransformerModel& model = job.model;
  const double w = bytes_of(job.precision.activations);
  double tokens = static_cast<double>(job.prompt) * (1.0 - job.cached_share()) * micro_batch;
  if (const double chunk = job.chunk_tokens(strategy); chunk > 0.0) {
    tokens = std::min(tokens, chunk);
  }
  tokens = std::max(tokens, micro_batch) / strategy.context_parallel;
  const double halves = model.gated_ffn ? 3.0 : 1.0;
  const double inside =
      std::max({model.query_width() + model.key_width() + model.value_width(),
                model.linear_input_width(),
                halves * static_cast<double>(std::max(model.ffn, model.experts.ffn))}) /
      strategy.tensor_parallel;
  const double logits = micro_batch * static_cast<double>(model.vocab) * logit_bytes;
  const double language =
      tokens * (live_hidden_states * static_cast<double>(model.hidden) + inside) * w + logits;
  // The encoder is done before the layers begin.
  return std::max(language, image_bytes(job, strategy, tokens * strategy.context_parallel));
}

// The most requests of a replica for which caches and the activations of their micro-batches fit
// into `free_bytes`.
double most_requests(const InferenceJob& job, const parallel::Strategy& strategy,
                     double cache_bytes, double free_bytes) {
  const double groups = strategy.micro_batches;
  double fits = 0.0;
  double too_many = std::floor(std::max(0.0, free_bytes) / cache_bytes) + 1.0;
  while (too_many - fits > 1.0) {
    const double middle = std::floor(0.5 * (fits + too_many));
    const double taken =
        middle * cache_bytes + activation_bytes(job, strategy, std::ceil(middle / groups));
    (taken <= free_bytes ? fits : too_many) = middle;
  }
  return fits;
}

}  // namespace

double state_cache_bytes(const InferenceJob& job, const workload::TransformerModel& model,
                         const parallel::Strategy& strategy) {
  const double layers = workload::layers_with(model, workload::Mixer::linear);
  return layers > 0.0 ? layers / static_cast<double>(model.layers) *
                            workload::state_bytes(model, strategy.tensor_parallel,
                                                  bytes_of(job.precision.activations))
                      : 0.0;
}

InferenceMemory inference_memory(const InferenceJob& job, const technology::System& system,
                                 const parallel::Strategy& strategy) {
  InferenceMemory memory;
  const StageShares stages = stage_shares(job.model, strategy, job.stack.stage_balance);
  memory.prefix_bytes = job.prefixes.bytes[index_of(PrefixTier::device)];
  // What is found in them is not held by each request once more.
  const double shared = memory.prefix_bytes > 0.0 ? job.prefix_hits : 0.0;
  const auto tokens =
      static_cast<double>(job.prompt) * (1.0 - shared) + static_cast<double>(job.output);
  const double cache_of_layer = layer_cache_bytes(job, job.model, strategy, tokens);
  const Drafted drafted = drafted_of(job, strategy, tokens);
  const double requests = static_cast<double>(strategy.micro_batch) * strategy.micro_batches;
  memory.activations_bytes = activation_bytes(job, strategy, strategy.micro_batch);
  memory.usable_bytes = std::min(job.stack.memory_share * system.device.dram.capacity.si(),
                                 usable_memory_bytes(system.device));
  double largest = 1e300;  // of a replica
  double most = -1.0;
  for (const StageShare& share : stages.kinds()) {
    const double adapters = adapters_bytes(job, strategy, share);
    double weights = weights_bytes(job, strategy, share) + adapters;
    double cache = (share.layers + share.expert_layers) * cache_of_layer;
    if (share.head) {
      weights += drafted.weights_bytes;
      cache += drafted.cache_bytes;
    }
    if (cache > 0.0) {
      const double own =
          most_requests(job, strategy, cache, memory.usable_bytes - weights - memory.prefix_bytes);
      largest = std::min(largest, own);
    }
    if (weights + requests * cache > most) {
      most = weights + requests * cache;
      memory.weights_bytes = weights;
      memory.adapter_bytes = adapters;
      memory.draft_bytes =
          share.head ? drafted.weights_bytes + requests * drafted.cache_bytes : 0.0;
      memory.cache_bytes = requests * cache;
    }
  }
  memory.largest_batch_per_replica = largest;
  memory.largest_batch = largest * strategy.data_parallel;
  return memory;
}

double kept_share(const InferenceMemory& memory, const technology::Device& device) {
  const double read = memory.weights_bytes + memory.cache_bytes;
  return technology::found_again(read / device.l2.capacity.si(), device.matmul_fit);
}

double kept_share(const InferenceJob& job, const technology::System& system,
                  const parallel::Strategy& strategy) {
  return kept_share(inference_memory(job, system, strategy), system.device);
}

}  // namespace scalesweep::estimator
