#include "estimator/inference/inference.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "estimator/error_bar.hpp"
#include "estimator/inference/bounds/least_batch.hpp"
#include "estimator/inference/drafter.hpp"
#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/passes/iteration.hpp"
#include "estimator/inference/passes/pass_kernels.hpp"
#include "estimator/inference/passes/phases.hpp"
#include "estimator/parts/power/energy.hpp"
#include "estimator/parts/power/envelope_bounds.hpp"
#include "estimator/parts/power/power_limit.hpp"
#include "estimator/reuse/prefix_loads.hpp"
#include "estimator/traits.hpp"

namespace scalesweep::estimator {
namespace {

// Seconds of a batch or of a phase of it so far, and the work of one device of every stage behind
// them.
struct Spent {
  Charges time;
  std::array<double, inference_phase_count> phase_s{};
  Work work;
};

void add_phase(Spent& spent, InferencePhase phase, const Charges& time) {
  spent.phase_s[static_cast<std::size_t>(phase)] += time.total_s();
  spent.time += time;
}

// What `micro_batches` passes that follow each other add to one. In prefill the last one leaves
// the last stage after the slowest one has worked on all others (Narayanan et al.,
// arXiv:2104.04473, section 2.2, forward only). Decode goes round after round: a micro-batch
// waits only where the slowest stage is not done with all others when it comes back.
Charges waiting(const IterationCost& pass, double micro_batches, bool prefill) {
  if (prefill) {
    return (micro_batches - 1.0) * pass.slowest_stage;
  }
  const Charges through = pass.total().time;
  // A single entry may be negative, the sum is not.
  return longer(through, micro_batches * pass.slowest_stage) - through;
}

void add_passes(Spent& spent, const IterationCost& pass, double micro_batches, bool prefill) {
  const auto phase = [&](InferencePhase of_prefill, InferencePhase of_decode) {
    return prefill ? of_prefill : of_decode;
  };
  using P = InferencePhase;
  add_phase(spent, phase(P::prefill_linear, P::decode_linear), pass.linear.time);
  add_phase(spent, phase(P::prefill_attention, P::decode_attention), pass.attention.time);
  add_phase(spent, phase(P::prefill_other, P::decode_other), pass.other.time);
  add_phase(spent, phase(P::prefill_communication, P::decode_communication),
            pass.communication.time);
  add_phase(spent, P::prefill_encoder, pass.encoder.time);
  add_phase(spent, P::pipeline, pass.pipeline.time);
  add_phase(spent, P::host, pass.host.time);
  const Cost total = pass.total();
  add_phase(spent, P::pipeline, waiting(pass, micro_batches, prefill));
  spent.work += micro_batches * total.work;
}

// What speculative decoding takes for its proposals, with the cache as long as it is on average.
void add_draft(Spent& spent, const Replica& replica) {
  const InferenceJob& job = replica.job();
  const parallel::Strategy& strategy = replica.strategy;
  if (job.speculation.draft <= 0) {
    return;
  }
  const auto later = static_cast<double>(job.output) - 1.0;
  const double cached = static_cast<double>(job.prompt) + 0.5 * (later - 1.0);
  const Cost proposed = later / job.speculation.tokens_per_iteration() *
                        proposals_cost(replica, strategy.micro_batch, cached);
  add_phase(spent, InferencePhase::draft, proposed.time);
  spent.work += static_cast<double>(strategy.micro_batches) * proposed.work;
}

// Prompts go through what drafts as well, in the chunks that the model takes.
void add_drafter_prompts(Spent& spent, const Replica& replica, double sequences, double tokens,
                         double cached) {
  if (tokens <= 0.0) {
    return;
  }
  const double chunk = replica.job().chunk_tokens(replica.strategy);
  workload::TokenGroup part = first_prompts(sequences, tokens, cached, chunk);
  part.cached_tokens = cached + 0.5 * (tokens - part.new_tokens);
  const double passes = sequences * tokens / part.tokens();
  const Cost read = passes * drafter_prompts_cost(replica, part);
  add_phase(spent, InferencePhase::draft, read.time);
  spent.work += static_cast<double>(replica.strategy.micro_batches) * read.work;
}

void add_request_overhead(Spent& spent, const InferenceJob& job) {
  add_phase(spent, InferencePhase::host,
            Charges::of(Resource::latency, job.stack.request_overhead_s));
}

// Of all devices, at the clock of the phase.
void add_energy(InferenceEstimate& estimate, const Replica& replica, const Spent& phase) {
  const auto devices = static_cast<double>(replica.strategy.devices());
  const double phase_s = phase.time.total_s();
  if (phase_s <= 0.0) {
    return;
  }
  const technology::System& system = replica.setting.system;
  const Work work = devices / replica.strategy.pipeline_parallel * phase.work;
  const EnergyUse energy = energy_of(system, work, devices, phase_s);
  estimate.energy += energy;
  estimate.device_power_w +=
      device_power_w(work, energy, devices, phase_s) * phase_s / estimate.latency_s();
}

// The first tokens, and those after them, each at the clock that the power leaves it.
struct Phases {
  Spent prefill;
  Spent decode;
};

// At a time, of all replicas.
double requests_of(const parallel::Strategy& strategy) {
  return static_cast<double>(strategy.micro_batch) * strategy.micro_batches *
         strategy.data_parallel;
}

InferenceEstimate finish(const Replica& replica, const Phases& phases,
                         const InferenceMemory& memory) {
  const InferenceJob& job = replica.job();
  const parallel::Strategy& strategy = replica.strategy;
  InferenceEstimate estimate;
  estimate.latency = phases.prefill.time + phases.decode.time;
  for (std::size_t i = 0; i < inference_phase_count; ++i) {
    estimate.phase_s[i] = phases.prefill.phase_s[i] + phases.decode.phase_s[i];
  }
  estimate.first_token = phases.prefill.time;
  estimate.output_tokens = static_cast<double>(job.output);
  estimate.replicas = strategy.data_parallel;
  estimate.batch = requests_of(strategy);
  estimate.tokens_per_s = estimate.batch * estimate.output_tokens / estimate.latency_s();
  estimate.memory = memory;
  estimate.kept_in_l2 = kept_share(memory, replica.setting.system.device);
  estimate.prefixes = prefix_use(replica, static_cast<double>(job.prompt));
  estimate.verdict = verdict_of(memory);
  estimate.beyond_context =
      job.model.max_positions > 0 && job.prompt + job.output > job.model.max_positions;
  estimate.traits = traits_of(job, replica.setting.system, strategy,
                              static_cast<double>(job.prompt + job.output));
  return estimate;
}

// Of both phases, each at its clock.
void set_limit(InferenceEstimate& estimate, const InferenceParts& parts,
               const technology::Device& device) {
  estimate.prefill_clock_fraction = clock_fraction(parts.prefill.clock_step);
  estimate.decode_clock_fraction = clock_fraction(parts.decode.clock_step);
  estimate.unkept_power_w = std::max(parts.prefill.unkept_w, parts.decode.unkept_w);
  const double first = estimate.time_to_first_token_s() / estimate.latency_s();
  estimate.limit_uncertainty =
      first * limit_uncertainty(device, estimate.prefill_clock_fraction) +
      (1.0 - first) * limit_uncertainty(device, estimate.decode_clock_fraction);
}

InferenceEstimate estimate_from(InferenceClocks& clocks, const parallel::Strategy& strategy,
                                const InferenceParts& parts, const InferenceMemory& memory) {
  const Replica replica = {clocks.full(), strategy};
  const InferenceJob& job = replica.job();
  const double groups = strategy.micro_batches;
  const Replica prefill = {clocks.at(parts.prefill.clock_step), strategy};
  const Replica decode = {clocks.at(parts.decode.clock_step), strategy};
  Phases phases;
  add_request_overhead(phases.prefill, job);
  const PromptGroups prompts = prompt_groups(job, strategy);
  const auto prompt = static_cast<double>(job.prompt);
  add_phase(phases.prefill, InferencePhase::prefill_communication,
            (prompts.sequences * prompts.count) * load_ahead(prefill, prompt));
  add_passes(
      phases.prefill,
      with_loads(prefill, prompt, prompts.sequences, whole_passes(prefill, parts.prefill.parts)),
      prompts.count, true);
  if (job.stack.decodes_last_prompt_token) {
    add_passes(phases.prefill, iteration_cost(prefill, last_prompt_token(job, strategy)), groups,
               true);
  }
  if (job.speculation.drafter.on()) {
    const RequestLengths lengths = lengths_of(job);
    add_drafter_prompts(phases.prefill, prefill, prompts.sequences, lengths.prompt - lengths.hits,
                        lengths.hits);
  }
  if (job.output > 1) {
    add_passes(phases.decode, whole_passes(decode, parts.decode.parts), groups, false);
    add_draft(phases.decode, decode);
  }
  InferenceEstimate estimate = finish(replica, phases, memory);
  add_energy(estimate, prefill, phases.prefill);
  add_energy(estimate, decode, phases.decode);
  set_limit(estimate, parts, clocks.full().system.device);
  set_error_bar(estimate, job.uncertainty, static_cast<double>(strategy.devices()));
  return estimate;
}

InferenceMemory memory_of(const InferenceSetting& setting, const parallel::Strategy& strategy) {
  return inference_memory(setting.job, setting.system, strategy);
}

// By itself, where what stays in L2 depends on the strategy.
InferenceEstimate estimate_alone(const InferenceSetting& full, const parallel::Strategy& strategy,
                                 const InferenceMemory& memory) {
  const InferenceSetting setting = full.keeping(kept_share(memory, full.system.device));
  InferenceClocks clocks(setting);
  return estimate_from(clocks, strategy, settled_parts(clocks, strategy), memory);
}

}  // namespace

InferenceEstimate estimate_inference(const InferenceJob& job, const technology::System& system,
                                     const parallel::Strategy& strategy) {
  const InferenceSetting setting(job, system);
  return estimate_alone(setting, strategy, memory_of(setting, strategy));
}

namespace {

// Decode, token by token.
PassParts parts_by_token(const Replica& replica) {
  const InferenceJob& job = replica.job();
  const double yield = job.speculation.tokens_per_iteration();
  const double from = lengths_of(job).prompt;
  const double to = from + lengths_of(job).output - 1.0;
  PassParts decode;
  for (double context = from; context < to; context += yield) {
    Iteration iteration;
    iteration.decode = {static_cast<double>(replica.strategy.micro_batch),
                        static_cast<double>(job.speculation.draft) + 1.0, context};
    // The last tokens may need a part of an iteration only.
    const double times = std::min(1.0, (to - context) / yield);
    const PassParts pass = pass_parts(replica, iteration);
    decode.layer += times * pass.layer;
    decode.expert_layer += times * pass.expert_layer;
    decode.embedding += times * pass.embedding;
    decode.encoder += times * pass.encoder;
    decode.head += times * pass.head;
    decode.iterations += times;
    decode.tokens = pass.tokens;
    decode.sequences = pass.sequences;
  }
  return decode;
}

}  // namespace

InferenceEstimate estimate_inference_by_token(const InferenceJob& job,
                                              const technology::System& system,
                                              const parallel::Strategy& strategy) {
  const InferenceSetting full(job, system);
  const InferenceMemory memory = memory_of(full, strategy);
  const InferenceSetting setting = full.keeping(kept_share(memory, system.device));
  InferenceClocks clocks(setting);
  InferenceParts parts = settled_parts(clocks, strategy);
  parts.decode = settled(clocks, strategy, parts_by_token);
  return estimate_from(clocks, strategy, parts, memory);
}

namespace {

constexpr std::size_t most_remembered = 128;  // of several kB each

// Of a pass at the next slower clock, where a product takes another tile, or attention other parts.
constexpr double power_rise = 0.03;

}  // namespace

struct InferenceEstimator::Memo {
  Memo(InferenceJob job, const technology::System& system, const Memo* before)
      : setting(std::move(job), system), clocks(setting) {
    const technology::Device& device = system.device;
    setting.known =
        pass_memo(setting.job, device, before != nullptr ? before->setting.known : nullptr);
    may_break_limit = estimator::may_break_limit(system);
    survey = before != nullptr && before->survey->holds_for(setting.job, device)
                 ? before->survey
                 : std::make_shared<BatchSurvey>(setting.job, device);
  }

  // Of strategies with the same pass_key().
  const InferenceParts& parts_of(const parallel::Strategy& strategy);
  InferenceEstimate estimate(const parallel::Strategy& strategy, const InferenceMemory& memory);

  // The times of one kind of passes, as close as they were asked for.
  struct Looked {
    struct Near {
      BatchTimes times;
      int prefill_step = 0;
      int decode_step = 0;
    };
    std::optional<BatchTimes> quick;
    std::optional<Near> near;
    std::optional<double> unkept_w;
  };
  Looked::Near near(const parallel::Strategy& strategy);
  BatchAt at(const Looked::Near& near, const parallel::Strategy& strategy) {
    return {{clocks.at(near.prefill_step), strategy}, clocks.at(near.decode_step)};
  }
  Looked& look(const parallel::Strategy& strategy, const BatchSurvey::Known& known,
               Closeness closeness);
  LeastBatch looked_at(const parallel::Strategy& strategy, const BatchSurvey::Known& known,
                       Closeness closeness);
  LeastBatch looked_at(const parallel::Strategy& strategy, const BatchSurvey::Known& known,
                       const technology::Envelope& envelope);
  void set_least(const parallel::Strategy& strategy, const LeastBatch& bound);

  double unkept_w(const parallel::Strategy& strategy, const BatchSurvey::Known& known);

  InferenceSetting setting;
  InferenceClocks clocks;  // of it
  bool may_break_limit = false;
  std::shared_ptr<BatchSurvey> survey;
  std::map<parallel::Strategy, InferenceParts> parts;
  std::deque<parallel::Strategy> order;  // in which they were computed
  std::vector<Looked> looked;            // by the kind of passes that the survey says
  InferenceEstimate least;
};

const InferenceParts& InferenceEstimator::Memo::parts_of(const parallel::Strategy& strategy) {
  const parallel::Strategy key = pass_key(strategy);
  auto found = parts.find(key);
  if (found == parts.end()) {
    if (parts.size() >= most_remembered) {
      parts.erase(order.front());
      order.pop_front();
    }
    clocks.forget_if_many();
    found = parts.emplace(key, settled_parts(clocks, strategy)).first;
    order.push_back(key);
  }
  return found->second;
}

InferenceEstimate InferenceEstimator::Memo::estimate(const parallel::Strategy& strategy,
                                                     const InferenceMemory& memory) {
  if (kept_share(memory, setting.system.device) > 0.0) {
    return estimate_alone(setting, strategy, memory);
  }
  return estimate_from(clocks, strategy, parts_of(strategy), memory);
}

InferenceEstimator::Memo::Looked::Near InferenceEstimator::Memo::near(
    const parallel::Strategy& strategy) {
  clocks.forget_if_many();
  const auto phase = [&](const PhasePasses& passes) {
    const auto cost = [&](int step) {
      return pass_cost(setting.job, passes({clocks.at(step), strategy}));
    };
    const Cost full = cost(0);
    return full.time.total_s() > 0.0
               ? near_clock_step(
                     setting.system, full,
                     [&](int step) { return power_of_w(clocks.at(step).system, cost(step)); },
                     power_rise)
               : 0;
  };
  Looked::Near near = {{}, phase(prefill_passes), phase(decode_passes)};
  const Replica prefill = {clocks.at(near.prefill_step), strategy};
  const Replica decode = {clocks.at(near.decode_step), strategy};
  near.times = batch_times(prefill, prefill_passes(prefill), decode, decode_passes(decode));
  return near;
}

InferenceEstimator::Memo::Looked& InferenceEstimator::Memo::look(const parallel::Strategy& strategy,
                                                                 const BatchSurvey::Known& known,
                                                                 Closeness closeness) {
  looked.resize(survey->kinds_of_passes());
  Looked& of = looked[known.passes];
  if (closeness == Closeness::near && !of.near) {
    of.near = near(strategy);
  }
  if (closeness == Closeness::quick && !of.quick) {
    of.quick = batch_times({setting, strategy});
  }
  return of;
}

// As of its estimate.
double InferenceEstimator::Memo::unkept_w(const parallel::Strategy& strategy,
                                          const BatchSurvey::Known& known) {
  if (kept_share(known.memory, setting.system.device) > 0.0) {
    return estimate(strategy, known.memory).unkept_power_w;
  }
  looked.resize(survey->kinds_of_passes());
  std::optional<double>& of_passes = looked[known.passes].unkept_w;
  if (!of_passes) {
    of_passes = unkept_power_w(clocks, strategy);
  }
  return *of_passes;
}

LeastBatch InferenceEstimator::Memo::looked_at(const parallel::Strategy& strategy,
                                               const BatchSurvey::Known& known,
                                               Closeness closeness) {
  if (kept_share(known.memory, setting.system.device) > 0.0) {
    return {};  // estimated by itself
  }
  const Looked& of = look(strategy, known, closeness);
  const StageShares& shares = survey->shares(known);
  return closeness == Closeness::near
             ? least_batch(at(*of.near, strategy), shares, of.near->times)
             : least_batch({{setting, strategy}, setting}, shares, *of.quick);
}

LeastBatch InferenceEstimator::Memo::looked_at(const parallel::Strategy& strategy,
                                               const BatchSurvey::Known& known,
                                               const technology::Envelope& envelope) {
  if (kept_share(known.memory, setting.system.device) > 0.0) {
    return {};
  }
  look(strategy, known, Closeness::quick);
  const Looked& of = look(strategy, known, Closeness::near);
  return least_batch(at(*of.near, strategy), survey->shares(known), *of.quick, of.near->times,
                     envelope);
}

// What no getter of a bounded figure reads is left as it is.
void InferenceEstimator::Memo::set_least(const parallel::Strategy& strategy,
                                         const LeastBatch& bound) {
  const auto output = static_cast<double>(setting.job.output);
  least.latency = Charges::of(Resource::tensor_compute, bound.latency_s);
  least.first_token = Charges::of(Resource::tensor_compute, bound.first_token_s);
  least.output_tokens = output;
  least.replicas = strategy.data_parallel;
  least.batch = requests_of(strategy);
  least.tokens_per_s = least.batch * output / bound.latency_s;
  least.energy.tensor_j = bound.energy_j;
}

InferenceEstimator::InferenceEstimator(InferenceJob job, const technology::System& system,
                                       const InferenceEstimator* before)
    : memo_(std::make_unique<Memo>(std::move(job), system,
                                   before != nullptr ? before->memo_.get() : nullptr)) {}
InferenceEstimator::~InferenceEstimator() = default;
InferenceEstimator::InferenceEstimator(InferenceEstimator&&) noexcept = default;
InferenceEstimator& InferenceEstimator::operator=(InferenceEstimator&&) noexcept = default;

InferenceEstimate InferenceEstimator::operator()(const parallel::Strategy& strategy) {
  return memo_->estimate(strategy, memory_of(memo_->setting, strategy));
}

InferenceEstimate InferenceEstimator::if_fits(const parallel::Strategy& strategy) {
  const InferenceMemory memory = memory_of(memo_->setting, strategy);
  if (verdict_of(memory) == Verdict::fits) {
    return memo_->estimate(strategy, memory);
  }
  InferenceEstimate estimate;
  estimate.verdict = Verdict::does_not_fit;
  estimate.memory = memory;
  return estimate;
}

const InferenceEstimate& InferenceEstimator::settle(std::span<const parallel::Strategy> strategies,
                                                    std::size_t index) {
  const BatchSurvey::Known& known = memo_->survey->at(strategies, index, memo_->setting);
  memo_->least.memory = known.memory;
  memo_->least.verdict = verdict_of(memo_->least.memory);
  memo_->least.unkept_power_w = memo_->may_break_limit && memo_->least.verdict == Verdict::fits
                                    ? memo_->unkept_w(strategies[index], known)
                                    : 0.0;
  return memo_->least;
}

std::span<const LeastBatch> InferenceEstimator::least_batches(
    std::span<const parallel::Strategy> strategies) {
  return memo_->survey->least(strategies, memo_->setting);
}

const InferenceEstimate& InferenceEstimator::at_least(
    std::span<const parallel::Strategy> strategies, const LeastBatch& bound) {
  settle(strategies, bound.index);
  memo_->set_least(strategies[bound.index], bound);
  return memo_->least;
}

const InferenceEstimate& InferenceEstimator::at_least(
    std::span<const parallel::Strategy> strategies, std::size_t index, Closeness closeness) {
  if (settle(strategies, index).verdict == Verdict::fits) {
    const BatchSurvey::Known& known = memo_->survey->at(strategies, index, memo_->setting);
    memo_->set_least(strategies[index], memo_->looked_at(strategies[index], known, closeness));
  }
  return memo_->least;
}

const InferenceEstimate& InferenceEstimator::at_least(
    std::span<const parallel::Strategy> strategies, const LeastBatch& bound,
    const technology::Envelope& envelope) {
  const double certain = within_batch(envelope);
  return at_least(strategies, {.index = bound.index,
                               .first_token_s = certain * bound.first_token_s,
                               .latency_s = certain * bound.latency_s});
}

const InferenceEstimate& InferenceEstimator::at_least(
    std::span<const parallel::Strategy> strategies, std::size_t index,
    const technology::Envelope& envelope) {
  if (settle(strategies, index).verdict == Verdict::fits) {
    const BatchSurvey::Known& known = memo_->survey->at(strategies, index, memo_->setting);
    memo_->set_least(strategies[index], memo_->looked_at(strategies[index], known, envelope));
  }
  return memo_->least;
}

}  // namespace scalesweep::estimator
