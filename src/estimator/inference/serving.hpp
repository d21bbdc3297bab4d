// The steady state of a service: requests arrive at a rate, the engine keeps a batch filled.
//
// Continuous batching: a sequence that ends makes room for the next (Yu et al., Orca, OSDI 2022).
// Prompts are processed between iterations of the others, in parts beside them (chunked prefill,
// Agrawal et al., Sarathi-Serve, arXiv:2403.02310), or on devices of their own from which the cache
// is sent (Zhong et al., DistServe, arXiv:2401.09670; Patel et al., Splitwise, arXiv:2311.18677).
//
// A request is admitted where the cache has room for its whole length, so that none is evicted.
//
// Pure: the same arguments give the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "estimator/inference/inference.hpp"

namespace scalesweep::estimator {

enum class Batching : std::uint8_t { separate, chunked, disaggregated };
inline constexpr std::array<std::string_view, 3> batching_names = {"separate", "chunked",
                                                                   "disaggregated"};
constexpr std::string_view name_of(Batching batching) {
  return batching_names[static_cast<std::size_t>(batching)];
}
std::optional<Batching> batching_from(std::string_view name);

// A class of requests; shares are relative.
struct RequestClass {
  double prompt = 0;  // tokens
  double output = 0;  // tokens
  double share = 1;
};

struct ServingLimits {  // means over requests; 0: none
  double time_to_first_token_s = 0.0;
  double time_per_output_token_s = 0.0;
};

struct ServingJob {
  // prompt, output and batch are not read. prefill_chunk is the most tokens of prompts in one
  // iteration; 0: all prompts that wait, whole.
  InferenceJob inference;
  std::vector<RequestClass> requests;
  ServingLimits limits;
  double arrival_rate = 0.0;  // requests a second, of all replicas; 0: as many as the limits allow
  Batching batching = Batching::chunked;
  double prefill_share = 0.0;   // of replicas that process prompts, disaggregated; 0: the best
  double most_sequences = 0.0;  // that an engine answers at a time, of a replica; 0: what fits
};

// What keeps the rate from being higher.
enum class ServingBound : std::uint8_t {
  memory,  // no more caches fit, or the engine takes no more sequences
  time_to_first_token,
  time_per_output_token,
  throughput,  // prompts come as fast as they can be processed, or more sequences take longer still
  arrivals,    // nothing: all that arrive are answered
};
inline constexpr std::size_t serving_bound_count = 5;
inline constexpr std::array<std::string_view, serving_bound_count> serving_bound_names = {
    "memory", "time_to_first_token", "time_per_output_token", "throughput", "arrivals"};

enum class ServingVerdict : std::uint8_t {
  meets_limits,
  misses_limits,  // even with next to no requests, or at the rate at which they arrive
  does_not_fit,
  too_few_replicas,  // disaggregated: no two pools of whole groups that share experts
};
inline constexpr std::array<std::string_view, 4> serving_verdict_names = {
    "meets_limits", "misses_limits", "does_not_fit", "too_few_replicas"};

struct ServingEstimate {
  ServingVerdict verdict = ServingVerdict::meets_limits;
  ServingBound bound = ServingBound::memory;
  bool beyond_context = false;  // a prompt and its output are more than the model's positions
  double batch = 0.0;           // sequences being answered, of all replicas
  double request_rate = 0.0;    // per second, of all replicas
  double tokens_per_s = 0.0;    // of output, all replicas
  double time_to_first_token_s = 0.0;  // waiting included
  double waiting_s = 0.0;              // the part of it before its prompt is begun
  double time_per_output_token_s = 0.0;
  // Where limits are missed: the largest of time / limit - 1, and of arrivals / the largest rate -
  // 1.
  double miss = 0.0;
  double prefill_replicas = 0.0;  // disaggregated: those that process prompts
  Charges iteration;              // a mean iteration of a replica that decodes; sums to its time
  std::array<double, inference_phase_count> phase_s{};  // of it
  InferenceMemory memory;                               // of a replica that decodes
  EnergyUse energy;                                     // of the system in one second
  double device_power_w = 0.0;
  double relative_uncertainty = 0.0;

  double iteration_s() const { return iteration.total_s(); }
};

// The largest rate that keeps the limits, or what the arrival rate gives.
ServingEstimate estimate_serving(const ServingJob& job, const technology::System& system,
                                 const parallel::Strategy& strategy);

// A closed loop of so many open requests of all replicas, each followed by the next as soon as it
// is answered; those that do not fit wait. Limits and arrival rate are not read.
ServingEstimate estimate_at_concurrency(const ServingJob& job, double concurrency,
                                        const technology::System& system,
                                        const parallel::Strategy& strategy);

}  // namespace scalesweep::estimator
