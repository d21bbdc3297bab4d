// How a software stack serves requests: what its engine adds to the kernels of an iteration.
#pragma once

#include <cstdint>

#include "core/enum_names.hpp"
#include "workload/feed_forward/expert_dispatch.hpp"
#include "workload/recipe.hpp"
#include "workload/serving/expert_tiles.hpp"
#include "workload/serving/partial_outputs.hpp"
#include "workload/stage_balance.hpp"

namespace scalesweep::workload {

// What runs beside the exchange that brings tokens to their experts and back: nothing; the kernels
// of the shared experts, which need no exchange; or all kernels of the other half of the batch
// (dual micro-batches of DeepSeek-V3, arXiv:2412.19437, section 3.4; two-batch overlap of SGLang).
enum class ExchangeOverlap : std::uint8_t { nothing, shared_experts, two_batches };
inline constexpr auto exchange_overlap_names =
    enum_names<ExchangeOverlap>("nothing", "shared_experts", "two_batches");

// An iteration is one pass through the model for all sequences in flight.
struct ServingStack {
  // Host time to issue one operator of workload/inference_layer.hpp, in prefill
  // and in decode; 0 where launches are captured in graphs.
  double prefill_issue_interval_s = 0.0;
  double decode_issue_interval_s = 0.0;
  // The same of one collective.
  double collective_issue_interval_s = 0.0;
  // Of the device's fixed time of a kernel, what is left between kernels that follow each other in
  // one stream or graph, and of the collective's that of a call.
  double kernel_latency_share = 1.0;
  double collective_latency_share = 1.0;
  // Time between two kernels or collectives of an iteration that neither of them has alone: waiting
  // for the one before to end everywhere, tiles of few rows, checks and copies between them.
  double kernel_gap_s = 0.0;
  // Rates of kernels in an iteration over those of the same kernels alone.
  double kernel_share = 1.0;     // of the matrix units
  double stream_share = 1.0;     // of DRAM
  double attention_share = 1.0;  // of the matrix units in fused attention
  // The same of DRAM in the products of experts whose weights have fewer bits than activations.
  double narrow_expert_share = 1.0;
  ExpertTiles expert_tiles;
  // Kernels of the stack reduce small messages by reading the peers' buffers.
  bool one_shot_all_reduce = false;
  ExchangeOverlap exchange_beside = ExchangeOverlap::nothing;
  double exchange_hidden_share = 1.0;  // of the exchange, what may run beside
  // In iterations with prompts, and without.
  ExpertDispatch expert_dispatch = ExpertDispatch::by_routing;
  ExpertDispatch decode_expert_dispatch = ExpertDispatch::by_routing;
  // Where experts have devices of their own, the most micro-batches that go to and fro between
  // these and those of attention: as many as are fastest.
  double expert_micro_batches = 3.0;
  // As in training (training_stack.hpp).
  StageBalance stage_balance = StageBalance::layers;
  bool composed = false;
  // Norm, residual and activation join neighbouring kernels.
  bool fused_pointwise = true;
  // Where linear layers multiply fewer bits than activations have, the kernel before them writes
  // these; else one of its own does.
  bool fused_quantization = true;
  // How operands of fp8 are scaled where nobody says otherwise.
  Recipe fp8_recipe = Recipe::delayed;
  // Rows that a GEMM of an iteration without prefill multiplies at once: weights are read from DRAM
  // again for each strip of so many. 0: read once.
  double decode_strip_rows = 0.0;
  bool flash_attention = true;  // prefill; else scores go through DRAM
  // Most query heads that its decode attention lets read their cache together; 1: each reads its
  // own. The device's own limit holds as well.
  double shared_heads = 32.0;
  PartialOutputs partial_outputs = PartialOutputs::reduce_scatter;
  // Latent attention: each of those ranks makes the queries of all their heads for itself, instead
  // of gathering them.
  bool own_group_queries = false;
  // Prefill tokens that one iteration takes where nobody says otherwise: prompts go in such chunks,
  // and memory holds what one of them works on; 0: whole prompts.
  double prefill_chunk = 0.0;
  // They are those of all replicas that share experts together, each of which takes its part.
  bool chunk_of_all_ranks = false;
  // Prompts go in iterations of their own, which decoding waits for, where nobody says otherwise.
  bool separate_prompts = false;
  // Replicas that share experts take prompts in the same iterations: each waits for those of the
  // others, and none alone stops all.
  bool aligned_prompts = false;
  // Most prefill tokens that one micro-batch takes through a pipeline: more are halved until
  // they fit; 0: no limit.
  double pipeline_prompt_tokens = 0.0;
  // A prompt is processed up to its last token, whose iteration is the first of the decode ones.
  bool decodes_last_prompt_token = false;
  // Fixed time of an iteration beside kernels: scheduling, sampling, and that of each sequence.
  double iteration_overhead_s = 0.0;
  double sequence_overhead_s = 0.0;
  // The host does that beside the device, for the iteration to come: the longer of both counts.
  bool overlapped_scheduling = false;
  // Fixed time of a request before its first token: tokenising, queueing, copies.
  double request_overhead_s = 0.0;
  // Tokens of the cache are handed out by so many; the last page of a sequence is half empty. 0:
  // the whole length is set aside from the start.
  double page_tokens = 0.0;
  // Of its output, what a request has room for in the cache while it runs: 1 where all of it is set
  // aside, one half on average where pages are taken as it grows.
  double held_output = 1.0;
  // Of device memory, what weights, cache and activations may take.
  double memory_share = 0.9;

  friend bool operator==(const ServingStack&, const ServingStack&) = default;
};

}  // namespace scalesweep::workload
