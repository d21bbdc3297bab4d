// What proposes tokens in speculative decoding: its shape, its time and its memory.
//
// A small model of its own (Leviathan et al., arXiv:2211.17192), the model's own module for
// multi-token prediction (DeepSeek-V3, arXiv:2412.19437, section 2.2), or a head of one layer
// behind it (EAGLE, arXiv:2401.15077, section 4.1). The last two take the hidden state and the
// embedding of a token together, and share the embedding table and output head of the model. They
// are applied again to what they gave for each further token of a draft.
//
// A draft runs on the devices of its model, between its iterations; with a pipeline on those of the
// last stage.
#pragma once

#include "estimator/inference/job.hpp"
#include "estimator/inference/passes/inference_blocks.hpp"
#include "estimator/parts/cost.hpp"

namespace scalesweep::estimator {

Drafter drafter_of(const workload::TransformerModel& small);
// Of a model with prediction layers.
Drafter prediction_drafter(const workload::TransformerModel& model);
Drafter eagle_drafter(const workload::TransformerModel& model);

// Parameters of all its layers, and of its tables if it has some.
double parameters_of(const Drafter& drafter);

// Proposals for one iteration of the model, in which each sequence has `cached_tokens`: one pass
// for the tokens of the last one that stay and the first proposal, one for each other proposal.
// Without a drafter `draft_time` of the model for each. Nothing without a draft.
Cost proposals_cost(const Replica& model, double sequences, double cached_tokens);

// The prompts that an iteration of the model takes, which the drafter reads as well.
Cost drafter_prompts_cost(const Replica& model, const workload::TokenGroup& prompts);

// Bytes of one device of the last stage.
double drafter_weights_bytes(const InferenceJob& job, const parallel::Strategy& strategy);
// The strategy that a drafter of these layers runs with on devices of the model.
parallel::Strategy drafter_strategy(const Drafter& drafter, parallel::Strategy strategy);

}  // namespace scalesweep::estimator
