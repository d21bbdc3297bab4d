// One transformer layer as the operators that one device runs in inference: prefill,
// decode, or both in one iteration (continuous batching; Yu et al., Orca,
// OSDI 2022; Agrawal et al., Sarathi-Serve, arXiv:2403.02310).
#pragma once

#include <vector>

#include "workload/layer.hpp"
#include "workload/serving/expert_tiles.hpp"
#include "workload/serving/partial_outputs.hpp"

namespace scalesweep::workload {

// Sequences that an iteration works on alike. Means where they differ; may be fractions.
struct TokenGroup {
  double sequences = 0;
  double new_tokens = 1;     // of each: a prompt or a part of it; one; a draft and one
  double cached_tokens = 0;  // of each, that the cache holds before

  double tokens() const { return sequences * new_tokens; }

  friend bool operator==(const TokenGroup&, const TokenGroup&) = default;
};

// What one device holds of the work.
struct InferenceSlice {
  TokenGroup prefill;
  TokenGroup decode;
  std::int64_t tensor_shards = 1;
  bool sequence_shards = false;     // norms and residuals cut along the prefill tokens
  std::int64_t context_shards = 1;  // each device has this part of every prompt's tokens
  // Of the tensor_shards, neighbours that share the tokens that the cache holds: each has this part
  // of them, for the heads of all.
  std::int64_t cache_shards = 1;
  PartialOutputs partial_outputs = PartialOutputs::reduce_scatter;
  bool own_group_queries = false;  // a device makes the queries of all these heads for itself
  std::int64_t expert_shards = 1;
  std::int64_t expert_tensor_shards = 1;
  bool experts_over_tensor = false;  // the tensor-parallel ranks are among the expert_shards
  // Devices with other sequences whose tokens meet at the same experts (attention is data-parallel,
  // experts are shared): tokens that reach the experts are so many times those above.
  double expert_sources = 1;
  double prefill_share = 1.0;       // of those devices, that have prompts in this iteration as well
  double redundant_experts = 0;     // copies of the hottest ones, in all
  std::int64_t expert_devices = 0;  // that have all experts of those devices, which have none
  // What kernels of experts do beside the copies of tokens that go to their experts: passes over
  // all tokens that they are given, and activations and sums of copies that go to other devices.
  double expert_token_passes = 0;
  bool all_expert_copies = false;
  bool choose_in_library = false;  // their time has that of choosing experts
  double activation_bytes = 2.0;
  LinearFormats linear;
  double head_bytes = 2.0;   // of the embedding table and the output projection
  double cache_bytes = 2.0;  // of an element of keys and values
  ExpertTiles expert_tiles;
  bool flash_attention = true;
  bool fused_pointwise = true;
  bool composed = false;  // norms, rotary positions and gated MLPs are written operator by operator
  bool fused_quantization = true;

  // Inside the tensor-parallel blocks of a device.
  double tokens() const {
    return prefill.tokens() / static_cast<double>(context_shards) + decode.tokens();
  }
  // Tokens of all devices that share experts.
  double shared_tokens() const {
    const double without = (1.0 - prefill_share) * prefill.tokens();
    return (tokens() - without / static_cast<double>(context_shards)) * expert_sources;
  }
  // Tokens whose copies a device brings to their experts: its own, or where tensor-parallel ranks
  // that have the same ones are spread over, as many on average as go to experts of its rank.
  double routed_tokens() const {
    return sequence_shards || experts_over_tensor ? tokens() / static_cast<double>(tensor_shards)
                                                  : tokens();
  }

  friend bool operator==(const InferenceSlice&, const InferenceSlice&) = default;
};

// What the experts of the busiest device do in an iteration.
struct ExpertWork {
  double copies = 0.0;   // of tokens, that it gets
  double reached = 0.0;  // of its experts, by these
};
ExpertWork expert_work(const TransformerModel& model, const InferenceSlice& slice);

// In order of execution. Prefill and decode have an attention each; GEMMs are shared. A layer with
// a state has no span.
std::vector<Operator> inference_layer_operators(const TransformerModel& model,
                                                const InferenceSlice& slice, LayerKind kind,
                                                AttentionSpan span = AttentionSpan::whole,
                                                Mixer mixer = Mixer::attention);
// Of a layer with attention, those that depend on what the cache holds.
std::vector<Operator> inference_attention_operators(const TransformerModel& model,
                                                    const InferenceSlice& slice,
                                                    AttentionSpan span = AttentionSpan::whole);
// Of a layer with attention, all from its projections to the last one; norms are left out.
std::vector<Operator> inference_mixer_operators(const TransformerModel& model,
                                                const InferenceSlice& slice);
// Of a layer with experts, those of routed ones: from bringing copies of tokens to them to the sum
// of what they give.
std::vector<Operator> inference_expert_operators(const TransformerModel& model,
                                                 const InferenceSlice& slice,
                                                 const ExpertWork& work);
// What one of its expert_devices is given of the tokens of all that share them: an even part,
// beside which go the copies that its experts get.
InferenceSlice expert_device_slice(const InferenceSlice& slice);
// Of a layer with experts, what such a device runs: routed and shared ones, a token's on one of the
// devices that it goes to anyway.
std::vector<Operator> expert_device_operators(const TransformerModel& model,
                                              const InferenceSlice& of_device);
std::vector<Operator> inference_embedding_operators(const TransformerModel& model,
                                                    const InferenceSlice& slice);
// Of a model with an encoder, what makes so many tokens of its outputs.
std::vector<Operator> inference_projector_operators(const TransformerModel& model, double tokens,
                                                    std::int64_t shards, double element_bytes);
// The last token of each prompt and every new one of the others: final norm, output projection,
// sampling.
std::vector<Operator> inference_head_operators(const TransformerModel& model,
                                               const InferenceSlice& slice);

// Elements that a token takes in the cache of one layer on one device: 2 max(1, kv_heads / t) d, or
// of latent attention r_kv + d_rope on every device (DeepSeek-V2, arXiv:2405.04434, 2.1.2); the key
// of an indexer beside them.
double cache_elements(const TransformerModel& model, std::int64_t tensor_shards);

// Tensor-parallel devices that each hold the same of these; 1: none is held twice.
std::int64_t cache_copies(const TransformerModel& model, std::int64_t tensor_shards);

// Why not all of its layers with attention see the whole context; empty: they do.
std::string_view sees_less(const TransformerModel& model);

// What devices that share a cache (cache_shards) tell each other in a layer with attention:
// elements of tokens, queries of all their heads, and what each device finds for these in its part.
// Latent attention does so in decode alone: of prompts the latents themselves are gathered, of
// which new tokens' keys and values are expanded
// (mla_attention.py of vLLM as 1CatAI/1Cat-vLLM ae13773a0 has it, sglang/srt/layers/dcp/comm.py at
// 00ac7105db02). Grouped queries of prompts meet their cache as those of decode do
// (_forward_with_dcp in vllm/v1/attention/backends/flash_attn.py of the same).
struct CacheParts {
  double heads = 1;     // of all these devices
  double tokens = 0;    // that they are of
  double gathered = 0;  // elements of cached tokens of prompts
  double query_dim = 0, value_dim = 0;
};
CacheParts cache_parts(const TransformerModel& model, const InferenceSlice& slice);

// Bytes that a sequence takes of one device in a layer with a state, however long it is: states in
// fp32, and the tokens that its convolution reaches back to, of so many bytes an element.
double state_bytes(const TransformerModel& model, std::int64_t tensor_shards,
                   double activation_bytes);

// Tokens of the busiest device over the mean of those that share a layer's experts.
double busiest_expert_load(const TransformerModel& model, const InferenceSlice& slice);

// Bytes of a device into the exchange that brings tokens to their experts; half of what travels. A
// mean: busiest_expert_load times as many at the most.
double inference_exchange_bytes(const TransformerModel& model, const InferenceSlice& slice);

}  // namespace scalesweep::workload
