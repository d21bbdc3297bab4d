// What an engine does in a mean iteration with so many sequences in flight, and what its requests
// see of that.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "estimator/inference/estimate.hpp"
#include "estimator/inference/job.hpp"
#include "estimator/inference/passes/iteration.hpp"
#include "estimator/inference/queueing/queueing.hpp"
#include "estimator/inference/service/decode_passes.hpp"

namespace scalesweep::estimator {

// Means over the classes of requests, in tokens.
struct RequestMix {
  double prompt = 0.0;
  double fresh = 0.0;         // of the prompt, not in the cache before
  double fresh_square = 0.0;  // mean of the squares
  double fresh_part = 0.0;    // length that a fresh token is in, mean over fresh tokens ...
  double cached_part = 0.0;   // ... and what the cache has before it
  double output = 0.0;
  double decoded_square = 0.0;  // mean of the squares of tokens after the first
  double cache = 0.0;           // of a sequence that is decoded, mean over the time that it is
  double held_prompt = 0.0;     // of a request in the batch, where long outputs stay longer
  double held_output = 0.0;
  double longest = 0.0;  // prompt and output

  // Tokens after the first, which the prompt gives.
  double decoded() const { return output > 1.0 ? output - 1.0 : 0.0; }
};
RequestMix mix_of(const ServingJob& job);

// Replicas whose layers with experts are one: attention is data-parallel, its slowest rank sets the
// pace.
std::int32_t replicas_in_step(const parallel::Strategy& strategy);

// Of the prompts of a class, what the cache does not have before; at least the last token.
inline double fresh_tokens(const ServingJob& job, const RequestClass& requests) {
  return std::max(1.0, requests.prompt * (1.0 - job.inference.cached_share()));
}

// Requests arrive at random, or each follows another that is done.
enum class Loop { open, closed };

// What requests meet on the replica that they are sent to, or in their group of its sequences.
struct Traffic {
  double rate = 0.0;       // requests a second
  double sequences = 0.0;  // in flight on a replica
  double busy = 1.0;       // share of the time that an arrival finds an iteration under way
  // Those iterations: a share of them has prompts.
  double prefill_share = 0.0;
  double prefill_s = 0.0;
  double plain_s = 0.0;
  double arrival_scv = 1.0;  // squared coefficient of variation of the times between arrivals
  // Of prompts behind each other: the time of a mean one, and what of those before is done when the
  // iteration under way is.
  double prompt_s = 0.0;
  double begun_s = 0.0;
  // From the iteration that begins with a prompt to its first token, the mean over requests; how it
  // differs with the length of the prompt follows from iterations of iteration_s and token_s more
  // for each token of it.
  double first_s = 0.0;
  double ahead_s = 0.0;  // the part of it in which the prefixes of a prompt are loaded
  double iteration_s = 0.0;
  double token_s = 0.0;
  // Of iterations without prompts: elasticity of their time to the sequences in them.
  double growth = 0.0;
  double prefill_load = 0.0;  // what prompts add to iterations, over all time
  // Time per output token in a mean iteration, with prompts of others alone: next to nothing where
  // requests are.
  double output_token_s = 0.0;
  double chunk = 0.0;    // tokens of prompts that an iteration takes; 0: nothing limits them
  double chunk_s = 0.0;  // what a whole chunk adds to one; 0: nothing limits it
};

struct SteadyState {
  double batch = 0.0;  // of all replicas that decode
  // Beside them, of two pools: those whose caches are on their way. Room for a cache is set aside
  // before it is sent (SGLang, python/sglang/srt/disaggregation/decode.py at 04653fa88).
  double arriving = 0.0;
  double request_rate = 0.0;  // of all replicas
  double time_per_output_token_s = 0.0;
  double median_token_gap_s = 0.0;  // between two outputs of a sequence
  // Of requests that arrive at random without the waits of queueing/waits.hpp: for other prompts
  // and for a place in the batch.
  double time_to_first_token_s = 0.0;
  double waiting_s = 0.0;
  // Of what does prefill, over what it can do: requests queue without end at 1.
  double utilisation = 0.0;
  Charges iteration;
  std::array<double, inference_phase_count> phase_s{};
  Work work_per_s;         // of all devices, but those of a pool of prompts
  Work prompt_work_per_s;  // of all those
  int clock_step = 0;      // of the devices that decode, or do both (power_limit.hpp)
  Traffic traffic;
};

// Replicas that do prefill and decode, `batch` sequences of all of them together. A
// sequence counts from the iteration that begins with its prompt to its last: Little's law gives
// the rate, batch over iterations of a sequence times their mean time.
SteadyState mixed_state(const ServingJob& job, const RequestMix& mix, const Replica& model,
                        Loop loop, double batch);

// The most sequences a replica can serve before prompts come faster than chunks take them;
// infinite where nothing limits them.
double most_by_chunks(const ServingJob& job, const RequestMix& mix,
                      const parallel::Strategy& strategy);

// Devices that process prompts and nothing else.
struct PromptPool {
  parallel::Strategy strategy;                 // data_parallel replicas
  const technology::System* system = nullptr;  // outlives it
  double clock_fraction = 1.0;                 // of its full clock
  double unkept_w = 0.0;                       // of a device whose limit no clock keeps; else 0
  double limit_uncertainty = 0.0;              // that its limit adds to times (error_bar.hpp)
  double first_s = 0.0;                        // of a prompt, from begin to end, its load before it
  double next_s = 0.0;                         // until a replica can begin the next one
  double together = 1.0;                       // prompts in one pass, where enough of them wait
  // Of a replica, whose caches it holds until they are sent.
  double places = std::numeric_limits<double>::infinity();
  double alone_first_s = 0.0;  // of one that is alone in its pass, then
  double alone_next_s = 0.0;
  Cost pass;  // of one device of each stage, while it is busy
  Work work;  // the same of one prompt
  PrefixUse prefixes;
};

// Several short prompts go together as far as a chunk reaches; long ones go in chunks. Stages work
// on different prompts, so that the slowest sets the rate and all the time to the first token
// (Zhong et al., DistServe, arXiv:2401.09670, section 3.1).
PromptPool prompt_pool(const ServingJob& job, const RequestMix& mix, const Replica& model);

// In which a replica of the pool sends the cache of a mean prompt to one that decodes.
double sending_s(const RequestMix& mix, const PromptPool& prompts, const Replica& decode);

// Of the time, what a replica of the pool that is sent so many requests a second has a place taken.
inline double places_taken(const PromptPool& prompts, double rate, double sending_s) {
  return rate * (prompts.first_s + sending_s) / prompts.places;
}

// What requests meet at a replica of the pool to which so many a second are sent.
Traffic prompt_traffic(const ServingJob& job, const RequestMix& mix, const PromptPool& prompts,
                       Loop loop, double rate);

// Two pools: `prompts`, and `decode` with `batch` sequences. The cache of a prompt travels after
// its first token, so that it is part of the time per output token.
SteadyState disaggregated_state(const ServingJob& job, const RequestMix& mix,
                                const PromptPool& prompts, const Replica& decode,
                                DecodePasses& passes, Loop loop, double batch);

}  // namespace scalesweep::estimator
