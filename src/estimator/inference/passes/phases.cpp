#include "estimator/inference/passes/phases.hpp"

#include <algorithm>
#include <cmath>

#include "estimator/parts/power/power_limit.hpp"

namespace scalesweep::estimator {
namespace {

constexpr std::size_t most_clocks = 256;

}  // namespace

RequestLengths lengths_of(const InferenceJob& job) {
  const auto prompt = static_cast<double>(job.prompt);
  // The last token of a prompt is computed even where the cache has all of it.
  const double hits = std::min(prompt * job.cached_share(), prompt - 1.0);
  return {prompt, hits, static_cast<double>(job.output)};
}

PromptGroups prompt_groups(const InferenceJob& job, const parallel::Strategy& strategy) {
  PromptGroups groups = {static_cast<double>(strategy.micro_batch),
                         static_cast<double>(strategy.micro_batches)};
  const double limit = job.stack.pipeline_prompt_tokens;
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

PassParts prefill_passes(const Replica& replica) {
  const InferenceJob& job = replica.job();
  const RequestLengths lengths = lengths_of(job);
  const double last = job.stack.decodes_last_prompt_token ? 1.0 : 0.0;
  return prefill_parts(replica, prompt_groups(job, replica.strategy).sequences,
                       lengths.prompt - last - lengths.hits, lengths.hits,
                       job.chunk_tokens(replica.strategy));
}

PassParts decode_passes(const Replica& replica) {
  const RequestLengths lengths = lengths_of(replica.job());
  return decode_parts(replica, replica.strategy.micro_batch, lengths.prompt,
                      lengths.prompt + lengths.output - 1.0);
}

Iteration last_prompt_token(const InferenceJob& job, const parallel::Strategy& strategy) {
  Iteration last;
  last.decode = {static_cast<double>(strategy.micro_batch), 1.0,
                 static_cast<double>(job.prompt) - 1.0};
  return last;
}

Cost pass_cost(const InferenceJob& job, const PassParts& parts) {
  const auto experts = static_cast<double>(job.model.expert_layers());
  Cost through = (static_cast<double>(job.model.layers) - experts) * parts.layer.total();
  through.add(experts, parts.expert_layer.total());
  through += parts.embedding.total();
  through += parts.encoder.total();
  through += parts.head.total();
  return through;
}

const InferenceSetting& InferenceClocks::at(int step) {
  if (step == 0) {
    return full_;
  }
  auto found = slower_.find(step);
  if (found == slower_.end()) {
    found = slower_.emplace(step, full_.at_clock_step(step)).first;
  }
  return found->second;
}

void InferenceClocks::forget_if_many() {
  if (slower_.size() >= most_clocks) {
    slower_.clear();
  }
}

PhaseParts settled(InferenceClocks& clocks, const parallel::Strategy& strategy,
                   const PhasePasses& passes) {
  const InferenceJob& job = clocks.full().job;
  const technology::System& system = clocks.full().system;
  PhaseParts full;
  full.parts = passes({clocks.full(), strategy});
  const Cost pass = pass_cost(job, full.parts);
  if (pass.time.total_s() <= 0.0) {  // one output token: nothing is left to decode
    return full;
  }
  const double full_w = power_of_w(system, pass);
  if (!exceeds_power(full_w, system.device)) {
    return full;
  }
  const auto power_w = [&](const PhaseParts& phase) {
    return power_of_w(clocks.at(phase.clock_step).system, pass_cost(job, phase.parts));
  };
  PhaseParts slower = at_settled_clock<PhaseParts>(
      system.device, full_w,
      [&](int step) {
        return PhaseParts{passes({clocks.at(step), strategy}), step};
      },
      power_w, expected_clock_step(system, pass));
  if (slower.clock_step >= slowest_step(system.device)) {
    slower.unkept_w = unkept_power_w(system.device, slower.clock_step, power_w(slower));
  }
  return slower;
}

// Power falls with the clock: where the slowest one keeps the limit, the one that settles does.
double unkept_power_w(InferenceClocks& clocks, const parallel::Strategy& strategy) {
  const technology::Device& device = clocks.full().system.device;
  const int slowest = slowest_step(device);
  const InferenceSetting& setting = clocks.at(slowest);
  double unkept_w = 0.0;
  for (const auto& passes : {prefill_passes, decode_passes}) {
    const Cost pass = pass_cost(setting.job, passes({setting, strategy}));
    if (pass.time.total_s() > 0.0) {
      unkept_w =
          std::max(unkept_w, unkept_power_w(device, slowest, power_of_w(setting.system, pass)));
    }
  }
  return unkept_w;
}

InferenceParts settled_parts(InferenceClocks& clocks, const parallel::Strategy& strategy) {
  return {settled(clocks, strategy, prefill_passes), settled(clocks, strategy, decode_passes)};
}

}  // namespace scalesweep::estimator
