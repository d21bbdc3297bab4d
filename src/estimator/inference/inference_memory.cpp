#include "estimator/inference/inference_memory.hpp"

#include <algorithm>
#include <cmath>

#include "estimator/inference/drafter.hpp"
#include "estimator/inference/part_weights.hpp"
#include "estimator/inference/passes/image_pass.hpp"
#include "estimator/parts/stages.hpp"
#include "estimator/reuse/adapters.hpp"
#include "workload/inference_layer.hpp"
#include "workload/layer_parts.hpp"

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

// Of a latent model, on ranks that make the queries of all of their group: the matrices that make
// those of the others, and that multiply the expansion of keys into them.
double group_query_bytes(const InferenceJob& job, const parallel::Strategy& strategy,
                         const StageShare& share) {
  const double others = strategy.decode_context_parallel - 1.0;
  if (others <= 0.0 || !job.stack.own_group_queries || !job.model.latent.on()) {
    return 0.0;
  }
  const workload::HeadWidths widths = workload::head_widths(job.model, strategy.tensor_parallel);
  const workload::MatMulShape query = workload::attention_shapes(job.model, widths).query_up;
  const double absorbed =
      widths.heads * static_cast<double>(job.model.latent.nope_dim * job.model.latent.kv_rank);
  const double attending = workload::layers_with(job.model, workload::Mixer::attention) /
                           static_cast<double>(job.model.layers);
  return others * attending * (share.layers + share.expert_layers) *
         (query.n * query.k * job.weight_bytes(workload::LinearPart::attention) +
          absorbed * bytes_of(job.precision.activations));
}

// Tokens that the cache of a layer sets aside for one sequence on each of the ranks that share it:
// pages of their own (block_size times dcp_world_size tokens in one of
// vllm/v1/core/single_type_kv_cache_manager.py).
double set_aside(const InferenceJob& job, const workload::TransformerModel& model,
                 AttentionSpan span, double tokens, double shards) {
  const double kept = workload::kept_tokens(model, span, tokens) / shards;
  const double page = job.stack.page_tokens;
  return page > 0.0 ? std::ceil(kept / page) * page : kept;
}

}  // namespace

double layer_cache_bytes(const InferenceJob& job, const workload::TransformerModel& model,
                         const parallel::Strategy& strategy, double tokens) {
  double kept = 0.0;
  for (const AttentionSpan span : {AttentionSpan::whole, AttentionSpan::window}) {
    kept += workload::layers_with(model, span) *
            set_aside(job, model, span, tokens, strategy.decode_context_parallel);
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

// Tokens of prompts that a device takes in one iteration, of one micro-batch: all or a chunk.
double pass_tokens(const InferenceJob& job, const parallel::Strategy& strategy,
                   double micro_batch) {
  double tokens = static_cast<double>(job.prompt) * (1.0 - job.cached_share()) * micro_batch;
  if (const double chunk = job.chunk_tokens(strategy); chunk > 0.0) {
    tokens = std::min(tokens, chunk);
  }
  return std::max(tokens, micro_batch) / strategy.context_parallel;
}

// Prompts of one micro-batch, or the part of them that one iteration takes.
double activation_bytes(const InferenceJob& job, const parallel::Strategy& strategy,
                        double micro_batch) {
  const workload::TransformerModel& model = job.model;
  const double w = bytes_of(job.precision.activations);
  const double tokens = pass_tokens(job, strategy, micro_batch);
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

// The largest whole number below `too_many` that fits, where more never do; 0: not even one.
template <typename Fits>
double most_that_fit(double too_many, const Fits& fits) {
  double most = 0.0;
  while (too_many - most > 1.0) {
    const double middle = std::floor(0.5 * (most + too_many));
    (fits(middle) ? most : too_many) = middle;
  }
  return most;
}

// The most requests of a replica for which caches and the activations of their micro-batches fit
// into `free_bytes`.
double most_requests(const InferenceJob& job, const parallel::Strategy& strategy,
                     double cache_bytes, double free_bytes) {
  const double groups = strategy.micro_batches;
  return most_that_fit(std::floor(std::max(0.0, free_bytes) / cache_bytes) + 1.0,
                       [&](double requests) {
                         return requests * cache_bytes +
                                    activation_bytes(job, strategy, std::ceil(requests / groups)) <=
                                free_bytes;
                       });
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

namespace {

// What one of expert_devices holds: experts of the model and of what drafts from behind it, in
// place of caches the tokens of a micro-batch of all replicas, with the copies of the busiest.
struct ExpertDevice {
  double weights_bytes = 0.0;
  double activations_bytes = 0.0;

  double total_bytes() const { return weights_bytes + activations_bytes; }
};

ExpertDevice expert_device(const InferenceJob& job, const parallel::Strategy& strategy,
                           double micro_batch) {
  using workload::LinearPart;
  const workload::TransformerModel& model = job.model;
  const Drafter& drafter = job.speculation.drafter;
  const bool drafts = job.speculation.draft > 0 && drafter.on() &&
                      drafter_strategy(drafter, strategy).expert_devices > 0;
  const double layers = static_cast<double>(model.expert_layers()) +
                        (drafts ? static_cast<double>(drafter.model.expert_layers()) : 0.0);
  const ExpertDeviceParameters held = expert_device_parameters(model, strategy, layers);
  ExpertDevice device;
  device.weights_bytes = held.routed * job.weight_bytes(LinearPart::experts) +
                         held.shared * job.weight_bytes(LinearPart::shared_experts);
  workload::InferenceSlice slice;
  slice.prefill.sequences = pass_tokens(job, strategy, micro_batch) /
                            std::max(1.0, std::floor(job.stack.expert_micro_batches));
  slice.expert_devices = strategy.expert_devices;
  slice.expert_sources = strategy.replicas_of_experts();
  slice.redundant_experts = strategy.redundant_experts;
  const workload::InferenceSlice own = workload::expert_device_slice(slice);
  const double halves = model.gated_ffn ? 3.0 : 1.0;
  const double inside = halves * static_cast<double>(model.experts.ffn);
  device.activations_bytes = workload::expert_work(model, own).copies *
                             (2.0 * static_cast<double>(model.hidden) + inside) *
                             bytes_of(job.precision.activations);
  return device;
}

// Models without caches have no end of requests otherwise.
constexpr double most_requests_asked = 1e15;

// Those devices and the others have to hold what they hold; the fuller is what is told.
void add_expert_device(InferenceMemory& memory, const InferenceJob& job,
                       const parallel::Strategy& strategy) {
  const double groups = strategy.micro_batches;
  const double most = std::min(memory.largest_batch_per_replica, most_requests_asked);
  memory.largest_batch_per_replica = most_that_fit(most + 1.0, [&](double requests) {
    const ExpertDevice device = expert_device(job, strategy, std::ceil(requests / groups));
    return device.total_bytes() <= memory.usable_bytes;
  });
  memory.largest_batch = memory.largest_batch_per_replica * strategy.data_parallel;
  const ExpertDevice device = expert_device(job, strategy, strategy.micro_batch);
  if (device.total_bytes() > memory.total_bytes()) {
    memory.weights_bytes = device.weights_bytes;
    memory.activations_bytes = device.activations_bytes;
    memory.cache_bytes = memory.prefix_bytes = memory.adapter_bytes = memory.draft_bytes = 0.0;
  }
}

}  // namespace

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
    double weights =
        weights_bytes(job, strategy, share) + group_query_bytes(job, strategy, share) + adapters;
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
  if (strategy.expert_devices > 0) {
    add_expert_device(memory, job, strategy);
  }
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

InferenceJob held_job(const InferenceJob& job, const parallel::Strategy& strategy,
                      const HeldRequest& held) {
  const auto whole = [](double tokens) {
    return static_cast<std::int64_t>(std::ceil(std::max(1.0, tokens)));
  };
  InferenceJob result = job;
  result.prompt = whole(held.prompt);
  result.output = whole(held.output);
  if (result.chunk_tokens(strategy) <= 0.0) {
    result.prefill_chunk = whole(held.chunk);
  }
  return result;
}

}  // namespace scalesweep::estimator
