// One iteration of an engine that answers requests: one pass through the model for the prompts and
// the sequences that are in it, on one replica (all devices that share its requests).
#pragma once

#include <string>
#include <vector>

#include "estimator/cost.hpp"
#include "estimator/inference.hpp"
#include "workload/inference_layer.hpp"

namespace scalesweep::estimator {

// What one replica works on in one iteration: one micro-batch where it has several.
struct Iteration {
  workload::TokenGroup prompts;
  workload::TokenGroup decoding;
};

// Seconds of the pass by what they are spent on; sums to total().
struct IterationCost {
  Cost linear;
  Cost attention;
  Cost other;
  Cost communication;            // tensor, context, expert
  Cost pipeline;                 // sends between stages
  Cost host;                     // issue that outlasts the device, scheduling, sampling
  double slowest_stage_s = 0.0;  // what the next micro-batch waits for

  Cost total() const { return linear + attention + other + communication + pipeline + host; }
  IterationCost& operator+=(const IterationCost& o);
  friend IterationCost operator*(double n, const IterationCost& c);
};

// The whole pass, through all stages, of one micro-batch.
IterationCost iteration_cost(const InferenceJob& job, const technology::System& system,
                             const parallel::Strategy& strategy, const Iteration& iteration);

// The sum of decode iterations while the cache of each sequence grows from `from` to `to` tokens,
// one token (or what speculation yields) at a time. Exact to quadrature: equal to the sum over all
// tokens where iterations are affine in the length, and within 0.1 % elsewhere.
IterationCost decode_time(const InferenceJob& job, const technology::System& system,
                          const parallel::Strategy& strategy, double sequences, double from,
                          double to);

// One operator of an iteration, for people.
struct IterationOperator {
  std::string block;  // "embedding", "layer", "expert layer", "head"
  std::string name;
  std::string shape;   // "m 8, n 4096, k 4096", "bytes 65536, one_shot"
  double times = 0.0;  // in one pass
  double flop = 0.0;   // of one execution on one device
  double bytes = 0.0;  // to and from DRAM; of messages what a device sends
  Cost once;
  Resource bound = Resource::tensor_compute;

  double intensity() const { return bytes > 0.0 ? flop / bytes : 0.0; }  // FLOP per byte
};

// Every operator and message of the pass; sum of times * once is the cost without pipeline and
// host.
std::vector<IterationOperator> iteration_operators(const InferenceJob& job,
                                                   const technology::System& system,
                                                   const parallel::Strategy& strategy,
                                                   const Iteration& iteration);

// Weights, cache of `tokens` each of `sequences` of a replica, activations of an iteration.
InferenceMemory inference_memory(const InferenceJob& job, const technology::System& system,
                                 const parallel::Strategy& strategy);

}  // namespace scalesweep::estimator
