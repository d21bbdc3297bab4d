// Percentiles of the time to the first token and of the time per output token over the requests of
// a service, in closed form from its steady state and the first two moments of its arrivals.
//
// Time to first token: what is left of the iteration that a request falls into, its wait behind
// other prompts and for a place in the batch, and the prefill of its class of requests; of those
// added, the share of requests that exceed a time is exact.
//
// Time per output token: of each request the mean over its tokens. The number of sequences beside
// it and the prompts that come while it is answered both vary; what is left of that after the mean
// over its stay is taken as lognormal, for each class of requests.
//
// How far off both are is measured against a simulation of requests in
// tests/unit/estimator/percentiles_test.cpp; the table is in sweeps/README.md.
#pragma once

#include "estimator/inference/job.hpp"
#include "estimator/inference/queueing/waits.hpp"
#include "estimator/inference/service/steady_state.hpp"

namespace scalesweep::estimator {

struct LatencyPercentiles {         // seconds
  Percentiles first_token_s = {};   // infinite where requests queue without end
  Percentiles output_token_s = {};  // 0 without tokens after the first
};

// `replicas` are those that decode.
LatencyPercentiles latency_percentiles(const ServingJob& job, const RequestMix& mix,
                                       const SteadyState& state, const FullBatch& full,
                                       double replicas);

}  // namespace scalesweep::estimator
