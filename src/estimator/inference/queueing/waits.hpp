// What a request waits for before its prompt is begun: one account, of which both the mean of the
// time to the first token and its percentiles are made.
#pragma once

#include "estimator/inference/job.hpp"
#include "estimator/inference/queueing/queueing.hpp"
#include "estimator/inference/service/steady_state.hpp"

namespace scalesweep::estimator {

inline constexpr double most_growth = 0.95;  // of an iteration: below 1, or no number is stable

// The places of a batch and what is served when all are taken; both of all replicas that decode.
struct FullBatch {
  double batch = 0.0;
  double request_rate = 0.0;
};

// How the number of sequences of a replica varies.
struct Fluctuation {
  double arrival_scv = 1.0;  // of prompts as they are done, in times as long as a stay
  double prompt_scv = 0.0;   // of their lengths
  double stay_scv = 0.0;
  // What prompts take of the others' time, for each second of it: an arrival keeps so many more of
  // them from leaving.
  double stall = 0.0;
  double deviation = 0.0;  // of the number, with places for all
};
Fluctuation fluctuation(const Traffic& traffic, const RequestMix& mix, double arrival_scv);

// One after the other. Requests that queue without end wait without end for one of the two.
struct FirstTokenWaits {
  double rest_s = 0.0;  // the mean of what is left of the iteration that a request falls into
  Wait prompts;         // for the prompts before
  Wait place;           // in the batch; of pools none, unless it has no end

  double mean_s() const { return rest_s + prompts.mean_s + place.mean_s; }
};

// For the iteration under way and the prompts before.
FirstTokenWaits prompt_waits(const Traffic& traffic, const RequestMix& mix);
// `replicas` are those that decode.
FirstTokenWaits first_token_waits(const ServingJob& job, const RequestMix& mix,
                                  const SteadyState& state, const FullBatch& full, double replicas);

}  // namespace scalesweep::estimator
