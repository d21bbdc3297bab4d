// What the devices of a replica hold while it serves requests.
#pragma once

#include "estimator/inference/estimate.hpp"
#include "estimator/inference/job.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// Weights, the cache of all requests of a replica at their full length, and the activations of
// their prompts (of a chunk of them), on the fullest device.
InferenceMemory inference_memory(const InferenceJob& job, const technology::System& system,
                                 const parallel::Strategy& strategy);

}  // namespace scalesweep::estimator
