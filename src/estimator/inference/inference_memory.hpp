// What the devices of a replica hold while it serves requests.
#pragma once

#include "estimator/inference/estimate.hpp"
#include "estimator/inference/job.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// Weights with all adapters, the cache of all requests of a replica at their full length, what is
// set aside for prompts of requests that are done, and the activations of their prompts (of a chunk
// of them), on the fullest device.
InferenceMemory inference_memory(const InferenceJob& job, const technology::System& system,
                                 const parallel::Strategy& strategy);

// Tokens of a service's requests, in the mean.
struct HeldRequest {
  double prompt = 1.0;
  double output = 1.0;
  double chunk = 1.0;  // of a prompt, where nothing limits it: the least that an iteration takes
};

// Of a service, what a replica keeps in memory of its requests: whole tokens, of at least one.
InferenceJob held_job(const InferenceJob& job, const parallel::Strategy& strategy,
                      const HeldRequest& held);

inline Verdict verdict_of(const InferenceMemory& memory) {
  return memory.total_bytes() <= memory.usable_bytes ? Verdict::fits : Verdict::does_not_fit;
}

// What a sequence of so many tokens takes of a device in a layer of the model (or of a drafter), in
// whole pages: the mean of those that attend to all, those with a window and those with a state.
double layer_cache_bytes(const InferenceJob& job, const workload::TransformerModel& model,
                         const parallel::Strategy& strategy, double tokens);

// What one sequence takes on a device in a layer, the mean of all, beside what grows with its
// length: states where the model has layers with one, which context parallelism does not cut.
double state_cache_bytes(const InferenceJob& job, const workload::TransformerModel& model,
                         const parallel::Strategy& strategy);

// The share of weights and caches that a pass finds in L2 since the one before: they are read in
// turn, once in each pass, and stay where both fit together (`found_again` in library_fits.hpp).
// Scratchpads and caches stacked on the dies, rarely the L2 of products.
double kept_share(const InferenceMemory& memory, const technology::Device& device);
double kept_share(const InferenceJob& job, const technology::System& system,
                  const parallel::Strategy& strategy);

}  // namespace scalesweep::estimator
