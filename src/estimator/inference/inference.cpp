#include "estimator/inference/inference.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "estimator/inference/drafter.hpp"
#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/iteration.hpp"
#include "estimator/inference/pass_kernels.hpp"
#include "estimator/parts/energy.hpp"
#include "estimator/parts/power_limit.hpp"
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
            Charges::of(Resource::latency, job.framework.serving.request_overhead_s));
}

struct Lengths {
  double prompt, hits, output;
};

Lengths lengths_of(const InferenceJob& job) {
  const auto prompt = static_cast<double>(job.prompt);
  // The last token of a prompt is computed even where the cache has all of it.
  const double hits = std::min(prompt * job.cached_share(), prompt - 1.0);
  return {prompt, hits, static_cast<double>(job.output)};
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

Verdict verdict_of(const InferenceMemory& memory) {
  return memory.total_bytes() <= memory.usable_bytes ? Verdict::fits : Verdict::does_not_fit;
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
  estimate.batch =
      static_cast<double>(strategy.micro_batch) * strategy.micro_batches * strategy.data_parallel;
  estimate.tokens_per_s = estimate.batch * estimate.output_tokens / estimate.latency_s();
  estimate.memory = memory;
  estimate.kept_in_l2 = kept_share(memory, replica.setting.system.device);
  estimate.prefixes = prefix_use(replica, static_cast<double>(job.prompt));
  estimate.verdict = verdict_of(memory);
  estimate.beyond_context =
      job.model.max_positions > 0 && job.prompt + job.output > job.model.max_positions;
  estimate.traits = traits_of(job, replica.setting.system, strategy,
                              static_cast<double>(job.prompt + job.output));
  estimate.least_known = technology::least_known(job.uncertainty, estimate.traits);
  estimate.relative_uncertainty = technology::relative_uncertainty(
      job.uncertainty, static_cast<double>(strategy.devices()), estimate.traits);
  return estimate;
}

bool decodes_last(const InferenceJob& job) {
  return job.framework.serving.decodes_last_prompt_token;
}

// How the prompts of a replica go through its stages.
struct PromptGroups {
  double sequences = 1.0;  // of one micro-batch
  double count = 1.0;
};

PromptGroups prompt_groups(const Replica& replica) {
  const InferenceJob& job = replica.job();
  const parallel::Strategy& strategy = replica.strategy;
  PromptGroups groups = {static_cast<double>(strategy.micro_batch),
                         static_cast<double>(strategy.micro_batches)};
  const double limit = job.framework.serving.pipeline_prompt_tokens;
  if (strategy.pipeline_parallel == 1 || limit <= 0.0) {
    return groups;
  }
  while (groups.sequences * static_cast<double>(job.prompt) > limit &&
         std::fmod(groups.sequences, 2.0) == 0.0) {
    groups.sequences /= 2.0;
    groups.count *= 2.0;
  }
  return groups;
}

// A setting at the clocks that were tried.
class Clocks {
 public:
  explicit Clocks(const InferenceSetting& full) : full_(full) {}

  // Holds until what was tried is forgotten.
  const InferenceSetting& at(int step) {
    if (step == 0) {
      return full_;
    }
    auto found = slower_.find(step);
    if (found == slower_.end()) {
      found = slower_.emplace(step, full_.at_clock_step(step)).first;
    }
    return found->second;
  }
  void forget_if_many() {
    if (slower_.size() >= most) {
      slower_.clear();
    }
  }
  const InferenceSetting& full() const { return full_; }

 private:
  static constexpr std::size_t most = 256;

  const InferenceSetting& full_;
  std::map<int, InferenceSetting> slower_;
};

// What one layer takes in all passes of a phase, at the clock that the power leaves them.
struct PhaseParts {
  PassParts parts;
  int clock_step = 0;
};

// For prefill and for all tokens after the first.
struct InferenceParts {
  PhaseParts prefill;
  PhaseParts decode;
};

// Of a device while a pass goes through its stage, however many stages there are.
Cost pass_cost(const Replica& replica, const PassParts& parts) {
  const workload::TransformerModel& model = replica.job().model;
  const auto experts = static_cast<double>(model.expert_layers());
  IterationCost through = (static_cast<double>(model.layers) - experts) * parts.layer;
  through += experts * parts.expert_layer;
  through += parts.embedding;
  through += parts.head;
  return through.total();
}

// A phase lasts longer than a power limit takes to act, and sets its own clock.
PhaseParts settled(Clocks& clocks, const parallel::Strategy& strategy,
                   const std::function<PassParts(const Replica&)>& parts) {
  const Replica replica = {clocks.full(), strategy};
  PhaseParts full;
  full.parts = parts(replica);
  const technology::System& system = replica.setting.system;
  const Cost pass = pass_cost(replica, full.parts);
  if (pass.time.total_s() <= 0.0) {  // one output token: nothing is left to decode
    return full;
  }
  const double full_w = power_of_w(system, pass);
  if (!exceeds_power(full_w, system.device)) {
    return full;
  }
  return at_settled_clock<PhaseParts>(
      system.device.thermal_design_power.si(), full_w,
      [&](int step) { return PhaseParts{parts({clocks.at(step), strategy}), step}; },
      [&](const PhaseParts& phase) {
        const Replica slower = {clocks.at(phase.clock_step), strategy};
        return power_of_w(slower.setting.system, pass_cost(slower, phase.parts));
      },
      expected_clock_step(system, pass));
}

InferenceParts inference_parts(Clocks& clocks, const parallel::Strategy& strategy) {
  const InferenceJob& job = clocks.full().job;
  const Lengths lengths = lengths_of(job);
  const double last = decodes_last(job) ? 1.0 : 0.0;
  return {settled(clocks, strategy,
                  [&](const Replica& replica) {
                    return prefill_parts(replica, prompt_groups(replica).sequences,
                                         lengths.prompt - last - lengths.hits, lengths.hits,
                                         replica.job().chunk_tokens(replica.strategy));
                  }),
          settled(clocks, strategy, [&](const Replica& replica) {
            return decode_parts(replica, replica.strategy.micro_batch, lengths.prompt,
                                lengths.prompt + lengths.output - 1.0);
          })};
}

InferenceEstimate estimate_from(Clocks& clocks, const parallel::Strategy& strategy,
                                const InferenceParts& parts, const InferenceMemory& memory) {
  const Replica replica = {clocks.full(), strategy};
  const InferenceJob& job = replica.job();
  const double groups = strategy.micro_batches;
  const Replica prefill = {clocks.at(parts.prefill.clock_step), strategy};
  const Replica decode = {clocks.at(parts.decode.clock_step), strategy};
  Phases phases;
  add_request_overhead(phases.prefill, job);
  const PromptGroups prompts = prompt_groups(replica);
  const auto prompt = static_cast<double>(job.prompt);
  add_phase(phases.prefill, InferencePhase::prefill_communication,
            Charges::of(Resource::host,
                        prompts.sequences * prompts.count * load_ahead_s(prefill, prompt)));
  add_passes(
      phases.prefill,
      with_loads(prefill, prompt, prompts.sequences, whole_passes(prefill, parts.prefill.parts)),
      prompts.count, true);
  if (decodes_last(job)) {
    Iteration last;
    last.decode = {static_cast<double>(replica.strategy.micro_batch), 1.0,
                   static_cast<double>(job.prompt) - 1.0};
    add_passes(phases.prefill, iteration_cost(prefill, last), groups, true);
  }
  if (job.speculation.drafter.on()) {
    const Lengths lengths = lengths_of(job);
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
  estimate.prefill_clock_fraction = clock_fraction(parts.prefill.clock_step);
  estimate.decode_clock_fraction = clock_fraction(parts.decode.clock_step);
  return estimate;
}

InferenceMemory memory_of(const InferenceSetting& setting, const parallel::Strategy& strategy) {
  return inference_memory(setting.job, setting.system, strategy);
}

// By itself, where what stays in L2 depends on the strategy.
InferenceEstimate estimate_alone(const InferenceSetting& full, const parallel::Strategy& strategy,
                                 const InferenceMemory& memory) {
  const InferenceSetting setting = full.keeping(kept_share(memory, full.system.device));
  Clocks clocks(setting);
  return estimate_from(clocks, strategy, inference_parts(clocks, strategy), memory);
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
  Clocks clocks(setting);
  InferenceParts parts = inference_parts(clocks, strategy);
  parts.decode = settled(clocks, strategy, parts_by_token);
  return estimate_from(clocks, strategy, parts, memory);
}

namespace {

// What the parts of a pass depend on. Tensor-parallel ranks are innermost, so that where they stand
// does not depend on the others; context and expert groups do.
parallel::Strategy pass_key(const parallel::Strategy& strategy) {
  parallel::Strategy key = strategy;
  key.micro_batches = 1;
  if (strategy.context_parallel == 1 && strategy.expert_parallel == 1) {
    key.pipeline_parallel = std::min(strategy.pipeline_parallel, 2);  // prompts may be cut in one
    key.data_parallel = 1;
  }
  return key;
}

constexpr std::size_t most_remembered = 128;  // of several kB each

}  // namespace

struct InferenceEstimator::Memo {
  Memo(InferenceJob job, const technology::System& system, const Memo* before)
      : setting(std::move(job), system), clocks(setting) {
    setting.known = before != nullptr && before->setting.known->holds_for(setting.job, system.device)
                        ? before->setting.known
                        : std::make_shared<PassMemo>(setting.job, system.device);
  }

  InferenceEstimate estimate(const parallel::Strategy& strategy, const InferenceMemory& memory);

  InferenceSetting setting;
  Clocks clocks;  // of it
  std::map<parallel::Strategy, InferenceParts> parts;
  std::deque<parallel::Strategy> order;  // in which they were computed
};

InferenceEstimate InferenceEstimator::Memo::estimate(const parallel::Strategy& strategy,
                                                     const InferenceMemory& memory) {
  if (kept_share(memory, setting.system.device) > 0.0) {
    return estimate_alone(setting, strategy, memory);
  }
  const parallel::Strategy key = pass_key(strategy);
  auto found = parts.find(key);
  if (found == parts.end()) {
    if (parts.size() >= most_remembered) {
      parts.erase(order.front());
      order.pop_front();
    }
    clocks.forget_if_many();
    found = parts.emplace(key, inference_parts(clocks, strategy)).first;
    order.push_back(key);
  }
  return estimate_from(clocks, strategy, found->second, memory);
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

}  // namespace scalesweep::estimator
