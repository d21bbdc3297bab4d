// What is estimated of inference and serving.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/enum_names.hpp"
#include "estimator/inference/load/load_curve.hpp"
#include "estimator/inference/load/request_counts.hpp"
#include "estimator/inference/service/percentiles_of.hpp"
#include "estimator/parts/capacity.hpp"
#include "estimator/parts/charges.hpp"
#include "estimator/parts/power/energy.hpp"
#include "estimator/reuse/prefix_tiers.hpp"
#include "parallel/strategy.hpp"
#include "technology/uncertainty.hpp"

namespace scalesweep::estimator {

// The same seconds as Charges, split by what a device is busy with.
enum class InferencePhase {
  prefill_linear,
  prefill_attention,
  prefill_other,
  prefill_communication,
  prefill_encoder,  // of images, all of it
  decode_linear,
  decode_attention,
  decode_other,
  decode_communication,
  pipeline,  // waiting for other micro-batches, sends to the next stage
  host,      // waiting for the host: launches, scheduling, sampling
  draft,     // the small model of speculative decoding
};
inline constexpr auto inference_phase_names = enum_names<InferencePhase>(
    "prefill_linear", "prefill_attention", "prefill_other", "prefill_communication",
    "prefill_encoder", "decode_linear", "decode_attention", "decode_other", "decode_communication",
    "pipeline", "host", "draft");
inline constexpr std::size_t inference_phase_count = inference_phase_names.size();

struct InferenceMemory {  // bytes on the fullest device
  double weights_bytes = 0.0;
  double cache_bytes = 0.0;  // of whole requests, prompt and output
  double activations_bytes = 0.0;
  double usable_bytes = 0.0;   // what the stack may use
  double draft_bytes = 0.0;    // of weights and cache: what drafts has
  double adapter_bytes = 0.0;  // of weights
  double prefix_bytes = 0.0;   // for prompts of requests that are done, beside the cache
  // Requests that fit, of all replicas and of one; 0: not even the weights.
  double largest_batch = 0.0;
  double largest_batch_per_replica = 0.0;
  double total_bytes() const {
    return weights_bytes + cache_bytes + activations_bytes + prefix_bytes;
  }
};

inline RequestCounts counts_of(double batch, double replicas, const InferenceMemory& memory) {
  return {batch, batch / replicas, memory.largest_batch, memory.largest_batch_per_replica};
}

struct InferenceEstimate {
  Verdict verdict = Verdict::fits;
  bool beyond_context = false;  // prompt and output are more than the model's positions
  Charges latency;              // from start to last token
  Charges first_token;          // the part up to the first
  std::array<double, inference_phase_count> phase_s{};  // sums to the latency
  double output_tokens = 1.0;                           // of one request
  double batch = 0.0;                                   // requests at a time, all replicas
  double replicas = 1.0;
  double tokens_per_s = 0.0;  // of output, all replicas
  InferenceMemory memory;
  EnergyUse energy;
  double device_power_w = 0.0;  // average of one device over the latency
  // Below 1: the clock at which the power is the limit.
  double prefill_clock_fraction = 1.0;
  double decode_clock_fraction = 1.0;
  double unkept_power_w = 0.0;  // of a device whose limit no clock keeps (power_limit.hpp); else 0
  double kept_in_l2 = 0.0;      // of weights and caches, from pass to pass
  PrefixUse prefixes;
  technology::Traits traits;                          // that its error bar heeds
  std::size_t least_known = technology::trait_count;  // a trait measured nowhere; trait_count: none
  double relative_uncertainty = 0.0;                  // of the latency; 0: not known
  double limit_uncertainty = 0.0;  // the part of it that the power limit adds (error_bar.hpp)

  double latency_s() const { return latency.total_s(); }
  double time_to_first_token_s() const { return first_token.total_s(); }
  // Mean of all tokens after the first; 0 where there are none.
  double time_per_output_token_s() const {
    return output_tokens > 1.0 ? (latency_s() - time_to_first_token_s()) / (output_tokens - 1.0)
                               : 0.0;
  }
  RequestCounts requests() const { return counts_of(batch, replicas, memory); }
};

// What keeps the rate from being higher.
enum class ServingBound : std::uint8_t {
  memory,  // no more caches fit, or the engine takes no more sequences
  time_to_first_token,
  time_per_output_token,
  throughput,  // prompts arrive as fast as prefill can take them, or more sequences take longer
               // still
  arrivals,    // nothing: all that arrive, or are open in a closed loop, are served
};
inline constexpr auto serving_bound_names = enum_names<ServingBound>(
    "memory", "time_to_first_token", "time_per_output_token", "throughput", "arrivals");

enum class ServingVerdict : std::uint8_t {
  meets_limits,
  misses_limits,  // even with next to no requests, or at the rate at which they arrive
  does_not_fit,
  too_few_replicas,  // disaggregated: no two pools of whole groups that share experts
};
inline constexpr auto serving_verdict_names =
    enum_names<ServingVerdict>("meets_limits", "misses_limits", "does_not_fit", "too_few_replicas");

struct ServingEstimate {
  ServingVerdict verdict = ServingVerdict::meets_limits;
  ServingBound bound = ServingBound::memory;
  bool beyond_context = false;  // a prompt and its output are more than the model's positions
  double batch = 0.0;           // sequences in flight, of all replicas that decode
  double replicas = 1.0;        // those
  // Sequences that the engine of a replica takes at a time, fewer than memory holds, as with those
  // more are served within the limits; 0: as many as there is room for.
  double cap = 0.0;
  double request_rate = 0.0;  // per second, of all replicas
  double tokens_per_s = 0.0;  // of output, all replicas
  // Mean over requests, of the same law as the percentiles. Where the batch is always full requests
  // wait without end for a place in it: then from a place on, and limits on it do not hold.
  double time_to_first_token_s = 0.0;
  double waiting_s = 0.0;  // the part of it before its prompt is begun
  double time_per_output_token_s = 0.0;
  // The median of the times between two outputs of a sequence: of the iteration with the median
  // number of prompts, often none.
  double median_token_gap_s = 0.0;
  // Over requests; of the time per output token, of the means of each. Not a number of a closed
  // loop. Where the batch is always full those of the first token are infinite: requests queue
  // without end.
  Percentiles first_token_s = {};
  Percentiles output_token_s = {};
  // Where limits are missed: the largest of time / limit - 1, and of arrivals / the largest rate -
  // 1.
  double miss = 0.0;
  double prefill_replicas = 0.0;  // disaggregated: those of prefill, and how they are laid out
  parallel::Strategy prefill_strategy = {};
  double prefill_clock_fraction = 1.0;  // of a pool of other devices
  Charges iteration;  // a mean iteration of a replica that decodes; sums to its time
  std::array<double, inference_phase_count> phase_s{};  // of it
  InferenceMemory memory;                               // of a replica that decodes
  EnergyUse energy;                                     // of the system in one second
  double device_power_w = 0.0;
  double clock_fraction = 1.0;  // below 1: the clock at which the power is the limit
  // Of devices whose limit no clock keeps (power_limit.hpp), else 0; of a pool for prompts apart.
  double unkept_power_w = 0.0;
  double prefill_unkept_power_w = 0.0;
  double kept_in_l2 = 0.0;  // of weights and caches, from pass to pass
  PrefixUse prefixes;
  technology::Traits traits;                          // that its error bar heeds
  std::size_t least_known = technology::trait_count;  // a trait measured nowhere; trait_count: none
  double relative_uncertainty = 0.0;                  // of the time per output token; 0: not known
  double first_token_uncertainty = 0.0;               // of the time to the first one
  // The parts of both that power limits add (error_bar.hpp).
  double limit_uncertainty = 0.0;
  double prefill_limit_uncertainty = 0.0;
  DayMean day = {};  // of a load curve, whose peak all else is

  double prefill_devices() const {
    return prefill_replicas > 0.0 ? static_cast<double>(prefill_strategy.devices()) : 0.0;
  }
  double iteration_s() const { return iteration.total_s(); }
  // Requests queue without end.
  bool always_full() const { return std::isinf(first_token_s[0]); }
  RequestCounts requests() const { return counts_of(batch, replicas, memory); }
};

}  // namespace scalesweep::estimator
