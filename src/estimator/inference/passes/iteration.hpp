// One iteration of an engine that serves requests: one pass through the model for the prompts and
// the sequences that are in it, on one replica (all devices that share its requests).
#pragma once

#include "estimator/inference/passes/inference_blocks.hpp"
#include "estimator/inference/passes/iteration_cost.hpp"
#include "estimator/parts/cost.hpp"
#include "workload/inference_layer.hpp"

namespace scalesweep::estimator {

// What one replica works on in one iteration: one micro-batch where it has several.
struct Iteration {
  workload::TokenGroup prefill;
  workload::TokenGroup decode;
  // Of the replicas that share experts, those that have prompts in the same iteration.
  double prefill_share = 1.0;
};

// Sums over iterations of what one layer of each kind, the embedding and the head take: all that
// does not depend on how many stages the model is cut into. Where experts have devices of their
// own, expert_layer is of both kinds of devices, and all work that of a mean device.
struct PassParts {
  IterationCost layer;
  IterationCost expert_layer;
  IterationCost embedding;
  IterationCost encoder;  // of the images of prompts, beside the embedding
  IterationCost head;
  double iterations = 0.0;
  double tokens = 0.0;     // of an iteration: prefill and decode together
  double sequences = 0.0;  // of an iteration
};

// One iteration.
PassParts pass_parts(const Replica& replica, const Iteration& iteration);

// How the layers with experts of one iteration run: in halves of the batch where that is faster,
// and which share of the exchange of tokens with experts nothing hides; or in how many
// micro-batches that go to and fro between devices of attention and of experts.
struct ExpertLayerRun {
  bool halves = false;
  double open_share = 1.0;
  double micro_batches = 0.0;  // 0: experts have no devices of their own
};
ExpertLayerRun expert_layer_run(const Replica& replica, const Iteration& iteration);

// Decode iterations while the cache of each of `sequences` grows from `from` to `to` tokens, one
// token (or what speculation yields) at a time. A midpoint rule over few lengths: exact where
// iterations are affine in the length. Where kernels change their way between two samples, within
// 0.1 % nearly always (95 % of random jobs) and within 2 %.
PassParts decode_parts(const Replica& replica, double sequences, double from, double to);

// What one iteration takes of prompts with so many tokens beside so many cached ones, where it
// takes `chunk` tokens; 0: all. Engines take one prompt after another (Agrawal et al.,
// Sarathi-Serve, arXiv:2403.02310, section 4): as many as the chunk holds, or the first part of
// one.
workload::TokenGroup first_prompts(double sequences, double tokens, double cached, double chunk);

// All these prompts, the chunks of equal size; long ones in parts, by the same rule over the parts.
PassParts prefill_parts(const Replica& replica, double sequences, double tokens, double cached,
                        double chunk);

// From one stage to the next, in so many iterations of so many tokens; and what the engine takes of
// all passes beside the stages.
Cost stage_send(const Replica& replica, double iterations, double tokens);
double engine_s(const InferenceJob& job, const PassParts& parts);
// Of which a device that is busy for `device_s` meanwhile waits for so much.
double engine_wait_s(const InferenceJob& job, double engine_s, double device_s);

// The passes through all stages that these are parts of.
IterationCost whole_passes(const Replica& replica, const PassParts& parts);

// One pass of one micro-batch, and the passes of decode_parts and of prefill_parts.
IterationCost iteration_cost(const Replica& replica, const Iteration& iteration);
IterationCost decode_cost(const Replica& replica, double sequences, double from, double to);
IterationCost prefill_cost(const Replica& replica, double sequences, double tokens, double cached,
                           double chunk);

}  // namespace scalesweep::estimator
