// The steady state of a service: requests arrive at a rate, the engine keeps a batch filled.
//
// Continuous batching: a sequence that ends makes room for the next (Yu et al., Orca, OSDI 2022).
// Prompts are processed between iterations of the others, in parts beside them (chunked prefill,
// Agrawal et al., Sarathi-Serve, arXiv:2403.02310), or on devices of their own from which the cache
// is sent (Zhong et al., DistServe, arXiv:2401.09670; Patel et al., Splitwise, arXiv:2311.18677).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "estimator/inference.hpp"

namespace scalesweep::estimator {

enum class Batching : std::uint8_t { separate, chunked, disaggregated };
inline constexpr std::array<std::string_view, 3> batching_names = {"separate", "chunked",
                                                                   "disaggregated"};

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
  InferenceJob inference;  // prompt, output and batch are not read
  std::vector<RequestClass> requests;
  ServingLimits limits;
  double arrival_rate = 0.0;  // requests a second, of all replicas; 0: as many as the limits allow
  Batching batching = Batching::chunked;
  double prefill_share = 0.0;  // of replicas that process prompts, disaggregated; 0: the best
};

// What keeps the rate from being higher.
enum class ServingBound : std::uint8_t {
  memory,  // no more caches fit
  time_to_first_token,
  time_per_output_token,
  throughput,  // iterations last longer than requests take to arrive
  arrivals,    // nothing: all that arrive are answered
};
inline constexpr std::size_t serving_bound_count = 5;
inline constexpr std::array<std::string_view, serving_bound_count> serving_bound_names = {
    "memory", "time_to_first_token", "time_per_output_token", "throughput", "arrivals"};

enum class ServingVerdict : std::uint8_t { meets_limits, misses_limits, does_not_fit };

struct ServingEstimate {
  ServingVerdict verdict = ServingVerdict::meets_limits;
  ServingBound bound = ServingBound::memory;
  double batch = 0.0;                  // sequences being answered, of all replicas
  double request_rate = 0.0;           // per second, of all replicas
  double tokens_per_s = 0.0;           // of output, all replicas
  double time_to_first_token_s = 0.0;  // waiting included
  double time_per_output_token_s = 0.0;
  double miss = 0.0;  // where limits are missed: the largest of time / limit - 1, with batch 1
  Charges iteration;  // a mean iteration of a replica that decodes; sums to its time
  std::array<double, inference_phase_count> phase_s{};  // of it
  InferenceMemory memory;
  EnergyUse energy;  // of the system in one second
  double device_power_w = 0.0;
  double relative_uncertainty = 0.0;
};

ServingEstimate estimate_serving(const ServingJob& job, const technology::System& system,
                                 const parallel::Strategy& strategy);

}  // namespace scalesweep::estimator
