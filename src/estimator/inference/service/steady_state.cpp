#include "estimator/inference/service/steady_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "estimator/inference/drafter.hpp"
#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/passes/ping_pong.hpp"
#include "estimator/parts/collective.hpp"
#include "estimator/reuse/prefix_loads.hpp"

namespace scalesweep::estimator {
namespace {

using workload::AttentionSpan;
using workload::TokenGroup;

// What the groups of sequences that take turns through the stages of a pipeline do in turn: time
// until a group is back, the work of one device of each stage.
struct Beat {
  Charges time;
  std::array<double, inference_phase_count> phase_s{};
  Work work;
  double through_s = 0.0;  // of one group, from the first stage to the last

  double period_s() const { return time.total_s(); }
  Beat& operator+=(const Beat& o) {
    time += o.time;
    for (std::size_t i = 0; i < inference_phase_count; ++i) {
      phase_s[i] += o.phase_s[i];
    }
    work += o.work;
    through_s += o.through_s;
    return *this;
  }
  friend Beat operator*(double n, Beat a) {
    a.time *= n;
    for (double& s : a.phase_s) {
      s *= n;
    }
    a.work *= n;
    a.through_s *= n;
    return a;
  }
};

// `alone` is the same pass without prefill, which is what else is in it.
Beat beat_of(const IterationCost& pass, const IterationCost& alone, const Cost& draft,
             double groups) {
  const Cost all = pass.total() + draft;
  Beat beat;
  beat.through_s = all.time.total_s();
  if (beat.through_s <= 0.0) {
    return beat;
  }
  beat.time = longer(all.time, groups * pass.slowest_stage);
  const double period_s = beat.time.total_s();
  beat.work = all.work;
  const auto phase = [&](InferencePhase which) -> double& {
    return beat.phase_s[static_cast<std::size_t>(which)];
  };
  const auto split = [&](InferencePhase prefill, InferencePhase decode, const Cost& both,
                         const Cost& decoding) {
    const double total_s = both.time.total_s();
    phase(decode) = std::min(total_s, decoding.time.total_s());
    phase(prefill) = total_s - phase(decode);
  };
  split(InferencePhase::prefill_linear, InferencePhase::decode_linear, pass.linear, alone.linear);
  split(InferencePhase::prefill_attention, InferencePhase::decode_attention, pass.attention,
        alone.attention);
  split(InferencePhase::prefill_other, InferencePhase::decode_other, pass.other, alone.other);
  split(InferencePhase::prefill_communication, InferencePhase::decode_communication,
        pass.communication, alone.communication);
  phase(InferencePhase::prefill_encoder) = pass.encoder.time.total_s();
  phase(InferencePhase::pipeline) = pass.pipeline.time.total_s() + period_s - beat.through_s;
  phase(InferencePhase::host) = pass.host.time.total_s();
  phase(InferencePhase::draft) = draft.time.total_s();
  return beat;
}

// How the prompts that arrive are spread over iterations.
struct PromptFlow {
  double chunk = 0.0;     // tokens that an iteration takes; 0: nothing limits them
  double parts = 1.0;     // iterations that a prompt takes
  double requests = 0.0;  // that arrive in a mean iteration, of one group
  double share = 0.0;     // iterations with prefill, over those that do not wait for any
  double full = 0.0;      // the same if each processed a whole chunk; 0 without chunks
  // Replicas that share experts wait for each other in every layer that has them: iterations with
  // prefill in any of them, and of them all, those that have it in such an iteration.
  double shared_share = 0.0;
  double shared_by = 1.0;
  TokenGroup prefill;  // of such an iteration
};

double parts_of(double chunk, const RequestMix& mix) {
  return chunk > 0.0 ? std::max(1.0, mix.fresh / chunk) : 1.0;
}

double iterations_of(const ServingJob& job, double chunk, const RequestMix& mix) {
  return parts_of(chunk, mix) + mix.decoded() / job.inference.speculation.tokens_per_iteration();
}

// Prompts that arrive during one iteration are processed together in the next, as far as a chunk
// reaches (bulk service; Bailey, "On queueing processes with bulk service", 1954): prompts are in
// as many iterations as at least one arrives for, and as chunks are needed.
PromptFlow flow_of(const ServingJob& job, const RequestMix& mix, const parallel::Strategy& strategy,
                   double group_batch) {
  const double chunk = job.inference.chunk_tokens(strategy);
  const double sharing = replicas_in_step(strategy);
  PromptFlow flow;
  flow.chunk = chunk;
  flow.parts = parts_of(chunk, mix);
  flow.requests = group_batch / iterations_of(job, chunk, mix);
  const double tokens = flow.requests * mix.fresh;
  flow.share = some_arrive(flow.requests);
  double part = mix.fresh_part;
  if (chunk > 0.0) {
    flow.full = tokens / chunk;
    flow.share = std::max(flow.share, flow.full);
    part = std::min(part, chunk);
  }
  if (mix.decoded() <= 0.0) {
    flow.share = 1.0;  // nothing else is there to do: no iteration is without a prompt
  }
  if (job.batching == Batching::chunked) {
    flow.share = std::min(1.0, flow.share);
  }
  flow.shared_by = sharing;
  const bool alone = sharing <= 1.0 || job.inference.stack.aligned_prompts;
  flow.shared_share =
      flow.share >= 1.0 || alone ? flow.share : 1.0 - std::pow(1.0 - flow.share, sharing);
  double own = tokens / flow.share;
  if (chunk > 0.0) {
    own = std::min(own, chunk);
  }
  flow.prefill = {own / part, part, mix.cached_part + 0.5 * (mix.fresh_part - part)};
  return flow;
}

// Sequences of a replica, in groups that take turns through the stages of a pipeline.
struct Groups {
  double count = 1.0;
  double batch = 1.0;  // of one; less than one sequence is one in a part of the time
  double busy = 1.0;   // that part
};

Groups groups_of(const parallel::Strategy& strategy, double batch) {
  const double own = batch / strategy.data_parallel;
  Groups groups;
  groups.count = std::clamp(own, 1.0, static_cast<double>(strategy.micro_batches));
  groups.batch = std::max(own, 1.0) / groups.count;
  groups.busy = std::min(own, 1.0);
  return groups;
}

double stage_devices(const parallel::Strategy& strategy) {
  return static_cast<double>(strategy.tensor_parallel) * strategy.context_parallel;
}

// Of the prompts that iterations have where all replicas that step together hold a sequence: those
// that they have where some replicas are idle, and those of others, which a request waits for
// between its tokens. It does not wait for its own prompt there. Requests that arrive at random
// find the others as anyone does, so that N of them on average take a share of N < 1; in a closed
// loop there is one less.
struct PromptsMet {
  double in_iterations = 1.0;
  double of_others = 1.0;
};

PromptsMet prompts_met(const Groups& groups, double sharing, Loop loop) {
  if (loop == Loop::open) {
    return {groups.busy, groups.busy};
  }
  const double at_least_own = std::max(groups.busy, 1.0 / sharing);
  const double in_step = groups.batch * sharing * at_least_own;
  return {at_least_own, at_least_own * (in_step - 1.0) / in_step};
}

// The elasticity of the time of an iteration of decoding to its sequences: weights are read once
// whatever their number, caches for each. Left out is what more sequences wake of experts.
double growth_of(const IterationCost& pass, const Beat& beat) {
  const auto phase_s = [&](InferencePhase which) {
    return beat.phase_s[static_cast<std::size_t>(which)];
  };
  const double grows_s =
      phase_s(InferencePhase::decode_attention) - pass.attention.time[Resource::latency] +
      phase_s(InferencePhase::decode_other) - pass.other.time[Resource::latency] +
      pass.linear.time[Resource::tensor_compute] + pass.linear.time[Resource::vector_compute] +
      pass.communication.time[Resource::scale_up] + pass.communication.time[Resource::scale_out];
  return beat.through_s > 0.0 ? std::clamp(grows_s / beat.through_s, 0.0, 1.0) : 0.0;
}

// Iterations of an engine that does both: `plain` without prefill, `prefill` with it or of it
// alone.
struct Beats {
  Beat plain, prefill, mean;
  double share = 0.0;   // of the iterations with prefill, of all
  double growth = 0.0;  // of those without
};

Beats beats_of(const ServingJob& job, const RequestMix& mix, const Replica& model,
               const PromptFlow& flow, double groups) {
  const Speculation& speculation = job.inference.speculation;
  const TokenGroup decoding = {flow.requests * mix.decoded() / speculation.tokens_per_iteration(),
                               static_cast<double>(speculation.draft) + 1.0, mix.cache};
  const Cost draft = proposals_cost(model, decoding.sequences, decoding.cached_tokens);
  IterationCost alone;
  if (decoding.sequences > 0.0) {
    alone = iteration_cost(model, {{}, decoding});
  }
  const double any = flow.shared_share;
  const double with = any > flow.share ? flow.share / any : 1.0;
  const Cost read = drafter_prompts_cost(model, flow.prefill);
  const TokenGroup beside = job.batching == Batching::separate ? TokenGroup{} : decoding;
  const IterationCost pass = with_loads(model, mix.prompt, flow.prefill.tokens() / mix.fresh,
                                        iteration_cost(model, {flow.prefill, beside, with}));
  Beats beats;
  beats.plain = beat_of(alone, alone, draft, groups);
  beats.growth = growth_of(alone, beats.plain);
  if (job.batching == Batching::separate) {
    beats.prefill = beat_of(pass, {}, read, groups);
    beats.share = mix.decoded() > 0.0 ? any / (1.0 + any) : any;
    beats.mean = beats.plain;
  } else {
    beats.prefill = beat_of(pass, alone, draft + read, groups);
    beats.share = any;
    beats.mean = (1.0 - any) * beats.plain;
  }
  beats.mean += any * beats.prefill;
  if (with < 1.0) {
    // Of a mean replica: it waits in the iterations with prompts of others.
    const double alike = job.batching == Batching::separate ? 1.0 : 1.0 - flow.share;
    beats.mean.work = alike * beats.plain.work + flow.share * beats.prefill.work;
  }
  return beats;
}

// What the requests of a group of sequences meet; how irregularly they arrive is not part of it.
Traffic traffic_of(const ServingJob& job, const RequestMix& mix, const Groups& groups,
                   const PromptFlow& flow, const Beats& beats, double mean_s, double group_rate) {
  const double plain_s = beats.plain.period_s();
  Traffic traffic;
  traffic.rate = group_rate;
  traffic.sequences = groups.count * groups.batch * groups.busy;
  traffic.busy = groups.busy;
  traffic.prefill_share = beats.share;
  traffic.prefill_s = beats.prefill.period_s();
  traffic.plain_s = plain_s;
  traffic.first_s = flow.parts * beats.prefill.through_s;
  const double without_s = job.batching == Batching::chunked ? plain_s : 0.0;
  traffic.token_s =
      std::max(0.0, traffic.prefill_s - without_s) / std::max(flow.prefill.tokens(), 1.0);
  traffic.iteration_s = std::max(0.0, traffic.prefill_s - traffic.token_s * mix.fresh / flow.parts);
  traffic.growth = beats.growth;
  traffic.prefill_load = std::max(0.0, mean_s - plain_s) / mean_s;
  traffic.output_token_s = mean_s / job.inference.speculation.tokens_per_iteration();
  traffic.chunk = flow.chunk;
  if (flow.full > 0.0) {
    traffic.chunk_s = flow.chunk * traffic.token_s;
    traffic.begun_s = traffic.chunk_s + plain_s;
    traffic.prompt_s = mix.fresh / flow.chunk * traffic.begun_s;
  } else {
    traffic.prompt_s = mix.fresh * traffic.token_s;
  }
  return traffic;
}

// Requests of one token have nothing but prompts: those that come during an iteration go together
// in the next, as far as a chunk reaches, and what is left of them queues. No token waits for them.
void let_prompts_be_alone(Traffic& traffic, double groups_in_use, double utilisation) {
  traffic.rate *= groups_in_use;
  traffic.prefill_load = 0.0;
  traffic.begun_s = traffic.prefill_s;
  traffic.prompt_s = utilisation / traffic.rate;
}

// Of the devices of the stage with the most layers.
double cache_transfer_bytes(const Replica& model, double tokens) {
  const workload::TransformerModel& shape = model.job().model;
  const parallel::Strategy& strategy = model.strategy;
  double elements = 0.0;
  for (const AttentionSpan span : {AttentionSpan::whole, AttentionSpan::window}) {
    elements += workload::layers_with(shape, span) * workload::kept_tokens(shape, span, tokens);
  }
  elements *= workload::cache_elements(shape, strategy.tensor_parallel);
  const double states =
      state_cache_bytes(model.job(), shape, strategy) * static_cast<double>(shape.layers);
  const double stages = model.stages();
  return elements * technology::element_bytes(model.job().precision.cache) /
             (stages * strategy.context_parallel * strategy.decode_context_parallel) +
         states / stages;
}

// The ends of the way that the cache of a prompt takes from one pool to the other, at once. Each
// device of the one that decodes takes what it holds; those of the other share out what they send.
struct Transfer {
  Cost sent;   // by a device of the pool of prompts
  Cost taken;  // by one that decodes

  double time_s() const { return std::max(sent.time.total_s(), taken.time.total_s()); }
};

Transfer transfer_of(const PromptPool& prompts, const Replica& decode, double tokens) {
  const auto devices = [](const parallel::Strategy& strategy) {
    return stage_devices(strategy) * strategy.pipeline_parallel;
  };
  const auto over = [](const technology::System& system, double bytes) {
    return transfer_cost(bytes, between_domains(system), system);
  };
  const double bytes = cache_transfer_bytes(decode, tokens);
  const double shared_by = devices(prompts.strategy) / devices(decode.strategy);
  return {over(*prompts.system, bytes / shared_by), over(decode.setting.system, bytes)};
}

// Of short prompts as many go together as come while those before them are processed: an iteration
// takes so long for one, and a part more for each.
void let_come_together(Traffic& traffic, const PromptPool& most) {
  const double more = most.together - 1.0;
  const double slot_s = most.alone_next_s;
  const double each_s = (most.next_s * most.together - slot_s) / more;
  const double left = 1.0 - traffic.rate * each_s;
  const double come = left > 0.0 ? traffic.rate * (slot_s - each_s) / left : most.together;
  const double together = std::clamp(come, 1.0, most.together);
  traffic.first_s =
      most.alone_first_s + (together - 1.0) / more * (most.first_s - most.alone_first_s);
  traffic.prefill_share = 1.0;
  traffic.prefill_s = traffic.begun_s = slot_s + (together - 1.0) * each_s;
  traffic.busy = std::min(1.0, traffic.rate * traffic.prefill_s / together);
}

}  // namespace

std::int32_t replicas_in_step(const parallel::Strategy& strategy) {
  const std::int32_t sharing = strategy.replicas_of_experts();
  return sharing / std::gcd(sharing, strategy.context_parallel);
}

namespace {

// Requests whose prefixes are loaded before they are begun, one after the other over the links of
// their replica: an M/G/1 queue whose service does not vary.
void add_loads_ahead(SteadyState& state, const RequestMix& mix, const Replica& model) {
  const double load_s = load_ahead(model, mix.prompt).total_s();
  if (load_s <= 0.0) {
    return;
  }
  const double rate = state.request_rate / model.strategy.data_parallel;
  state.utilisation = std::max(state.utilisation, rate * load_s);
  const double ahead_s = mean_wait_s(rate, load_s, load_s * load_s) + load_s;
  state.time_to_first_token_s += ahead_s;
  state.waiting_s += ahead_s;
  state.traffic.first_s += ahead_s;
  state.traffic.ahead_s = ahead_s;
}

double utilisation_of(const ServingJob& job, const RequestMix& mix, const Groups& groups,
                      const PromptFlow& flow, const Beats& beats, const Traffic& traffic,
                      Loop loop) {
  const double queued = loop == Loop::open ? traffic.rate * traffic.prompt_s : 0.0;
  if (flow.full <= 0.0) {
    return queued;
  }
  const double token_s = beats.prefill.period_s() / flow.chunk;
  const double chunks = job.batching == Batching::chunked ? groups.busy * flow.full
                                                          : traffic.rate * mix.fresh * token_s;
  return queued >= 1.0 - 1e-9 ? std::max(chunks, queued) : chunks;  // from 1 on without end
}

// Of requests of one token what is between tokens is an iteration, and each follows another at the
// end of one.
void set_token_times(SteadyState& state, const ServingJob& job, const RequestMix& mix,
                     const Groups& groups, const PromptFlow& flow, const Beats& beats,
                     const PromptsMet& met, Loop loop) {
  const double mean_s = beats.mean.period_s();
  const double plain_s = beats.plain.period_s();
  const double prefill_s = beats.prefill.period_s();
  const double rest_s = groups.busy * residual_s(beats.share, prefill_s, plain_s);
  if (mix.decoded() <= 0.0) {
    state.time_per_output_token_s = state.median_token_gap_s = mean_s;
    state.waiting_s = loop == Loop::closed ? 0.0 : rest_s;
    return;
  }
  state.time_per_output_token_s = (plain_s + met.of_others * (mean_s - plain_s)) /
                                  job.inference.speculation.tokens_per_iteration();
  const double arrivals = flow.requests * flow.shared_by * met.in_iterations;
  const double prompts =
      std::min(1.0, median_arrivals(arrivals) * mix.fresh / std::max(flow.prefill.tokens(), 1.0));
  state.median_token_gap_s = plain_s + prompts * (prefill_s - plain_s);
  state.waiting_s = loop == Loop::closed ? met.of_others * rest_s : rest_s;
  if (loop == Loop::closed && job.lengths == Lengths::fixed) {
    const bool ahead = job.inference.stack.overlapped_scheduling;
    state.waiting_s = std::max(state.waiting_s, wait_in_file_s(groups.batch, ahead, prefill_s));
  }
}

}  // namespace

RequestMix mix_of(const ServingJob& job) {
  RequestMix mix;
  double shares = 0.0;
  double squares = 0.0, befores = 0.0;        // of fresh tokens
  double decoded = 0.0, decoded_cache = 0.0;  // weighted with the tokens decoded
  double decoded_squares = 0.0;
  double held = 0.0, held_prompt = 0.0, held_output = 0.0;
  for (const RequestClass& one : job.requests) {
    const double fresh = fresh_tokens(job, one);
    const double later = std::max(0.0, one.output - 1.0);
    shares += one.share;
    mix.prompt += one.share * one.prompt;
    mix.output += one.share * one.output;
    mix.fresh += one.share * fresh;
    squares += one.share * fresh * fresh;
    decoded_squares += one.share * later * later;
    befores += one.share * fresh * std::max(0.0, one.prompt - fresh);
    decoded += one.share * later;
    decoded_cache += one.share * later * (one.prompt + 0.5 * std::max(0.0, one.output - 2.0));
    held += one.share * one.output;
    held_prompt += one.share * one.output * one.prompt;
    held_output += one.share * one.output * one.output;
    mix.longest = std::max(mix.longest, one.prompt + one.output);
  }
  mix.prompt /= shares;
  mix.output /= shares;
  mix.fresh_part = squares / mix.fresh;
  mix.cached_part = befores / mix.fresh;
  mix.fresh /= shares;
  mix.fresh_square = squares / shares;
  mix.decoded_square = decoded_squares / shares;
  mix.cache = decoded > 0.0 ? decoded_cache / decoded : mix.prompt;
  mix.held_prompt = held_prompt / held;
  mix.held_output = held_output / held;
  return mix;
}

double most_by_chunks(const ServingJob& job, const RequestMix& mix,
                      const parallel::Strategy& strategy) {
  const double chunk = job.inference.chunk_tokens(strategy);
  if (chunk <= 0.0 || (job.batching != Batching::chunked && mix.decoded() > 0.0)) {
    return std::numeric_limits<double>::infinity();
  }
  return iterations_of(job, chunk, mix) * chunk / mix.fresh * strategy.micro_batches;
}

SteadyState mixed_state(const ServingJob& job, const RequestMix& mix, const Replica& model,
                        Loop loop, double batch) {
  const parallel::Strategy& strategy = model.strategy;
  const Groups groups = groups_of(strategy, batch);
  const PromptFlow flow = flow_of(job, mix, strategy, groups.batch);
  const Beats beats = beats_of(job, mix, model, flow, groups.count);
  const PromptsMet met =
      mix.decoded() > 0.0 ? prompts_met(groups, flow.shared_by, loop) : PromptsMet{};
  Beat mean = (1.0 - met.in_iterations) * beats.plain;
  mean += met.in_iterations * beats.mean;
  const double mean_s = mean.period_s();
  // A stay of N requests on average: what all of them decode, and the prompts of N (Little).
  const double group_rate = groups.busy * flow.requests / mean_s;

  SteadyState state;
  state.batch = batch;
  const double all_groups = groups.count * strategy.data_parallel;
  state.request_rate = all_groups * group_rate;
  state.iteration = mean.time;
  state.phase_s = mean.phase_s;
  // Every request has a prompt, whoever else is there.
  state.work_per_s =
      all_groups * working_devices(strategy) * groups.busy / mean_s * beats.mean.work;

  set_token_times(state, job, mix, groups, flow, beats, met, loop);
  state.traffic = traffic_of(job, mix, groups, flow, beats, mean_s, group_rate);
  state.traffic.arrival_scv = split_scv(job.burstiness, all_groups);
  if (mix.decoded() <= 0.0) {
    const double in_use = groups.count / strategy.micro_batches;
    state.utilisation = in_use * groups.busy * flow.full;
    let_prompts_be_alone(state.traffic, in_use, state.utilisation);
  } else {
    state.utilisation = utilisation_of(job, mix, groups, flow, beats, state.traffic, loop);
  }
  state.time_to_first_token_s = state.waiting_s + flow.parts * beats.prefill.through_s +
                                job.inference.stack.request_overhead_s;
  add_loads_ahead(state, mix, model);
  return state;
}

// Several short prompts go together as far as a chunk reaches; long ones go in chunks. Stages work
// on different prompts, so that the slowest sets the rate and all the time to the first token
// (Zhong et al., DistServe, arXiv:2401.09670, section 3.1).
PromptPool prompt_pool(const ServingJob& job, const RequestMix& mix, const Replica& model) {
  const double chunk = job.inference.chunk_tokens(model.strategy);
  const double parts = parts_of(chunk, mix);
  const double together = chunk > 0.0 ? std::max(1.0, std::floor(chunk / mix.fresh)) : 1.0;
  const double tokens = mix.fresh * together / parts;
  const double part = std::min(mix.fresh_part, chunk > 0.0 ? chunk : mix.fresh_part);
  Iteration iteration;
  iteration.prefill = {tokens / part, part, mix.cached_part + 0.5 * (mix.fresh_part - part)};
  const IterationCost pass =
      with_loads(model, mix.prompt, together / parts, iteration_cost(model, iteration));
  const double ahead_s = load_ahead(model, mix.prompt).total_s();
  const Cost total = pass.total() + drafter_prompts_cost(model, iteration.prefill);
  const double through_s = total.time.total_s();
  const double slot_s =
      model.strategy.pipeline_parallel > 1 ? pass.slowest_stage.total_s() : through_s;
  PromptPool pool;
  pool.strategy = model.strategy;
  pool.system = &model.setting.system;
  pool.first_s = ahead_s + through_s + (parts - 1.0) * slot_s;
  pool.next_s = std::max(parts * slot_s / together, ahead_s);
  pool.pass = total;
  pool.work = parts / together * total.work;
  pool.prefixes = prefix_use(model, mix.prompt);
  pool.together = together;
  if (together > 1.0) {
    iteration.prefill.sequences /= together;
    const IterationCost one = iteration_cost(model, iteration);
    pool.alone_first_s = ahead_s + one.total().time.total_s() +
                         drafter_prompts_cost(model, iteration.prefill).time.total_s();
    pool.alone_next_s =
        std::max(ahead_s, model.strategy.pipeline_parallel > 1 ? one.slowest_stage.total_s()
                                                               : pool.alone_first_s - ahead_s);
  }
  return pool;
}

double sending_s(const RequestMix& mix, const PromptPool& prompts, const Replica& decode) {
  return transfer_of(prompts, decode, mix.prompt).sent.time.total_s();
}

Traffic prompt_traffic(const ServingJob& job, const RequestMix& mix, const PromptPool& prompts,
                       Loop loop, double rate) {
  Traffic traffic;
  traffic.rate = rate;
  traffic.busy = 0.0;  // a long prompt waits for nothing but other prompts
  traffic.chunk = job.inference.chunk_tokens(prompts.strategy);
  traffic.arrival_scv = split_scv(job.burstiness, prompts.strategy.data_parallel);
  traffic.prompt_s = prompts.next_s;
  traffic.first_s = prompts.first_s;
  if (loop == Loop::open && prompts.together > 1.0) {
    let_come_together(traffic, prompts);
  }
  traffic.token_s = traffic.first_s / mix.fresh;
  return traffic;
}

SteadyState disaggregated_state(const ServingJob& job, const RequestMix& mix,
                                const PromptPool& prompts, const Replica& decode,
                                DecodePasses& passes, Loop loop, double batch) {
  const Speculation& speculation = job.inference.speculation;
  const parallel::Strategy& strategy = decode.strategy;
  const Groups groups = groups_of(strategy, batch);
  const TokenGroup decoding = {groups.batch, static_cast<double>(speculation.draft) + 1.0,
                               mix.cache};
  const IterationCost pass = passes.at(decode, decoding);
  const Beat beat = beat_of(
      pass, pass, proposals_cost(decode, decoding.sequences, decoding.cached_tokens), groups.count);
  const double mean_s = beat.period_s();
  const double later = std::max(1.0, mix.decoded());
  const double yield = speculation.tokens_per_iteration();
  const Transfer send = transfer_of(prompts, decode, mix.prompt);

  SteadyState state;
  state.batch = batch;
  const double all_groups = groups.count * strategy.data_parallel;
  state.request_rate = all_groups * groups.busy * groups.batch * yield / (later * mean_s);
  state.iteration = beat.time;
  state.phase_s = beat.phase_s;
  state.time_per_output_token_s = mean_s / yield + send.time_s() / later;
  state.median_token_gap_s = mean_s;

  const double pool = prompts.strategy.data_parallel;
  const double own_rate = state.request_rate / pool;
  state.arriving = state.request_rate * send.time_s();
  state.utilisation =
      std::max({own_rate * prompts.next_s, own_rate * send.sent.time.total_s(),
                state.request_rate / strategy.data_parallel * send.taken.time.total_s(),
                places_taken(prompts, own_rate, send.sent.time.total_s())});
  if (loop == Loop::closed) {
    const double spread = mix.fresh_square / (mix.fresh * mix.fresh);
    const double scv = split_scv(job.burstiness, pool);
    state.waiting_s =
        mean_wait_s(own_rate, prompts.next_s, spread * prompts.next_s * prompts.next_s, scv) *
        (std::max(0.0, batch - 1.0) / std::max(1.0, batch));
  }
  state.time_to_first_token_s =
      state.waiting_s + prompts.first_s + job.inference.stack.request_overhead_s;
  Traffic& traffic = state.traffic;
  traffic = prompt_traffic(job, mix, prompts, loop, own_rate);
  traffic.sequences = groups.count * groups.batch * groups.busy;
  traffic.growth = growth_of(pass, beat);
  traffic.output_token_s = state.time_per_output_token_s;

  state.work_per_s =
      all_groups * working_devices(strategy) * groups.busy / mean_s * beat.work +
      state.request_rate * stage_devices(strategy) * strategy.pipeline_parallel * send.taken.work;
  state.prompt_work_per_s = state.request_rate * working_devices(prompts.strategy) * prompts.work;
  return state;
}

}  // namespace scalesweep::estimator
