// Answering requests with a transformer: time to the first token, time per output token, latency,
// throughput, memory, energy.
//
// A static batch: all requests have the same prompt and output and start together. The batch that
// an engine keeps filled is in serving.hpp; both are sums of iterations (iteration.hpp).
//
// Pure: the same arguments give the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "estimator/parts/charges.hpp"
#include "estimator/training/training.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"
#include "technology/uncertainty.hpp"
#include "workload/framework.hpp"
#include "workload/model.hpp"

namespace scalesweep::estimator {

// The format of each class of tensors.
struct InferencePrecision {
  technology::Precision operands = technology::Precision::bf16;  // of linear layers, as multiplied
  technology::Precision weights = technology::Precision::bf16;   // of linear layers, in memory
  technology::Precision activations = technology::Precision::bf16;  // and of attention
  technology::Precision cache = technology::Precision::bf16;        // keys and values
  technology::Precision head = technology::Precision::bf16;         // embedding and output head

  friend bool operator==(const InferencePrecision&, const InferencePrecision&) = default;
};

// Operands and weights of linear layers in this format, the rest in 16 bits.
InferencePrecision quantised(technology::Precision linear);
// Weights in this format, multiplied in 16 bits.
InferencePrecision weight_only(technology::Precision weights);

// A small model proposes `draft` tokens, the model checks them in one iteration and keeps those up
// to the first that it would not have said (Leviathan et al., arXiv:2211.17192).
struct Speculation {
  std::int64_t draft = 0;   // tokens; 0: off
  double acceptance = 0.0;  // probability that a proposed token is kept
  double draft_time = 0.0;  // of the small model for one token, over that of the model for one

  // Tokens that come out of one iteration: (1 - a^(n + 1)) / (1 - a) (eq. 1).
  double tokens_per_iteration() const;
};

struct InferenceJob {
  workload::TransformerModel model;
  std::int64_t prompt = 1;  // tokens
  std::int64_t output = 1;  // tokens
  std::int64_t batch = 1;   // requests at a time, of all replicas
  InferencePrecision precision;
  double prefix_hits = 0.0;        // share of the prompt that the cache has already
  std::int64_t prefill_chunk = 0;  // tokens of prompts in one iteration; 0: whole prompts
  Speculation speculation = {};
  workload::Framework framework = {};
  technology::Uncertainty uncertainty = {};
};

// The same seconds as Charges, split by what a device is busy with.
enum class InferencePhase {
  prefill_linear,
  prefill_attention,
  prefill_other,
  prefill_communication,
  decode_linear,
  decode_attention,
  decode_other,
  decode_communication,
  pipeline,  // waiting for other micro-batches, sends to the next stage
  host,      // waiting for the host: launches, scheduling, sampling
  draft,     // the small model of speculative decoding
};
inline constexpr std::size_t inference_phase_count = 11;
inline constexpr std::array<std::string_view, inference_phase_count> inference_phase_names = {
    "prefill_linear", "prefill_attention",
    "prefill_other",  "prefill_communication",
    "decode_linear",  "decode_attention",
    "decode_other",   "decode_communication",
    "pipeline",       "host",
    "draft"};

struct InferenceMemory {  // bytes on the fullest device
  double weights_bytes = 0.0;
  double cache_bytes = 0.0;  // of whole requests, prompt and output
  double activations_bytes = 0.0;
  double usable_bytes = 0.0;   // what the stack may use
  double largest_batch = 0.0;  // requests of all replicas that fit; 0: not even the weights
  double total_bytes() const { return weights_bytes + cache_bytes + activations_bytes; }
};

struct InferenceEstimate {
  Verdict verdict = Verdict::fits;
  bool beyond_context = false;  // prompt and output are more than the model's positions
  Charges latency;              // from start to last token
  Charges first_token;          // the part up to the first
  std::array<double, inference_phase_count> phase_s{};  // sums to the latency
  double output_tokens = 1.0;                           // of one request
  double tokens_per_s = 0.0;                            // of output, all replicas
  InferenceMemory memory;
  EnergyUse energy;
  double device_power_w = 0.0;
  double relative_uncertainty = 0.0;  // of the latency; 0: not known

  double latency_s() const { return latency.total_s(); }
  double time_to_first_token_s() const { return first_token.total_s(); }
  // Mean of all tokens after the first; 0 where there are none.
  double time_per_output_token_s() const {
    return output_tokens > 1.0 ? (latency_s() - time_to_first_token_s()) / (output_tokens - 1.0)
                               : 0.0;
  }
};

// data_parallel replicas with micro_batch * micro_batches requests each; micro_batches of them
// follow each other through the stages of a pipeline. With experts, expert_parallel of the replicas
// share them (attention data-parallel, experts spread).
//
// Closed in the output length: a sum over few lengths that is exact where an iteration is affine in
// the length (decode_parts in iteration.hpp).
InferenceEstimate estimate_inference(const InferenceJob& job, const technology::System& system,
                                     const parallel::Strategy& strategy);

// The same with one iteration for each output token: the oracle.
InferenceEstimate estimate_inference_by_token(const InferenceJob& job,
                                              const technology::System& system,
                                              const parallel::Strategy& strategy);

// The factored path: what one layer takes is computed once for all strategies that cut it alike.
// Same bits as the plain path. One per thread; holds a bounded memo.
class InferenceEstimator {
 public:
  InferenceEstimator(InferenceJob job, const technology::System& system);
  ~InferenceEstimator();
  InferenceEstimator(InferenceEstimator&&) noexcept;
  InferenceEstimator& operator=(InferenceEstimator&&) noexcept;

  InferenceEstimate operator()(const parallel::Strategy& strategy);

 private:
  struct Memo;
  std::unique_ptr<Memo> memo_;
};

}  // namespace scalesweep::estimator
