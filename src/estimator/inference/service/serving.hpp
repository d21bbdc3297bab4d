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

#include <cmath>
#include <memory>
#include <optional>

#include "estimator/inference/bounds/asked_rate.hpp"
#include "estimator/inference/estimate.hpp"
#include "estimator/inference/job.hpp"
#include "estimator/inference/passes/pass_kernels.hpp"
#include "estimator/inference/service/prefill_pool.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// The largest rate that keeps the limits, or what the arrival rate or the concurrency gives. Where
// there is a pool for prompts, which was made for the same job, the devices of the strategy decode.
//
// `known`: kernels of the job on the device that are met again, which change no result; may be
// null.
//
// Where not even the weights fit, or there are no two pools, there is no service: times and rates
// and what is in flight are NaN, and what they make is not read.
//
// In a closed loop those requests that do not fit wait, and limits on percentiles are not read:
// there are none of a loop.
ServingEstimate estimate_serving(const ServingJob& job, const technology::System& system,
                                 const parallel::Strategy& strategy,
                                 const PrefillPool* pool = nullptr,
                                 const std::shared_ptr<PassMemo>& known = nullptr);

// The same where it serves what is asked for: nothing where its rate is less, or its limits are
// missed, and that shows in a few of its states. `asked` may be null. What becomes of a service
// that memory does not hold is always said.
//
// It rests on what states have in common, which tests draw: with fewer sequences no more is served
// altogether, nor at a slower clock (within what is_less() allows).
std::optional<ServingEstimate> estimate_if_asked_for(
    const ServingJob& job, const technology::System& system, const parallel::Strategy& strategy,
    const PrefillPool* pool, const std::shared_ptr<PassMemo>& known, const AskedRate& asked);

inline bool has_time(const ServingEstimate& estimate) {
  return !std::isnan(estimate.time_per_output_token_s);
}
// False where no pool of prompts has a layout: it was not looked what the others hold.
inline bool has_memory(const ServingEstimate& estimate) {
  return !std::isnan(estimate.memory.weights_bytes);
}

}  // namespace scalesweep::estimator
