#include "estimator/inference/service/service.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimator/inference/inference_memory.hpp"

namespace scalesweep::estimator {
namespace {

parallel::Strategy pool_of(parallel::Strategy strategy, std::int32_t replicas) {
  strategy.data_parallel = replicas;
  return strategy;
}

}  // namespace

InferenceMemory memory_with(const Demand& demand, parallel::Strategy strategy, double batch) {
  const RequestMix& mix = demand.mix;
  InferenceJob held = demand.job.inference;
  // What requests have in common is kept once, and small beside all they have for themselves.
  held.prompt = static_cast<std::int64_t>(
      std::ceil(std::max(1.0, mix.held_prompt * (1.0 - held.prefix_hits))));
  held.output = static_cast<std::int64_t>(
      std::ceil(std::max(1.0, held.framework.serving.held_output * mix.held_output)));
  held.prefix_hits = 0.0;
  // One prompt at a time is the least that an iteration takes.
  if (held.chunk_tokens(strategy) <= 0.0) {
    held.prefill_chunk = static_cast<std::int64_t>(std::ceil(mix.fresh_part));
  }
  const double groups = static_cast<double>(strategy.data_parallel) * strategy.micro_batches;
  strategy.micro_batch = static_cast<std::int32_t>(std::max(1.0, std::ceil(batch / groups)));
  held.batch = static_cast<std::int64_t>(strategy.micro_batch * groups);
  InferenceMemory memory = inference_memory(held, demand.setting.system, strategy);
  memory.cache_bytes *= batch / static_cast<double>(held.batch);
  return memory;
}

double most_batch(const Demand& demand, const parallel::Strategy& strategy) {
  double own = memory_with(demand, strategy, 1.0).largest_batch_per_replica;
  if (demand.job.most_sequences > 0.0) {
    own = std::min(own, demand.job.most_sequences);
  }
  return own * strategy.data_parallel;
}

double kept_weights(const Demand& demand, const parallel::Strategy& strategy) {
  return kept_share(memory_with(demand, strategy, 1.0), demand.setting.system.device);
}

double Service::kept(double batch) const {
  return may_keep ? kept_share(memory_with(*demand, decode, batch), demand->setting.system.device)
                  : 0.0;
}

SteadyState Service::at(Loop loop, double batch) const {
  const auto with = [&](const InferenceSetting& setting) {
    const Replica tokens = {setting, decode};
    return prompts ? disaggregated_state(demand->job, demand->mix, *prompts, tokens, demand->passes,
                                         loop, batch)
                   : mixed_state(demand->job, demand->mix, tokens, loop, batch);
  };
  const double share = kept(batch);
  return share > 0.0 ? with(demand->setting.keeping(share)) : with(demand->setting);
}

Service mixed_service(const Demand& demand, const parallel::Strategy& strategy) {
  Service service = {&demand, strategy};
  service.most_batch = most_batch(demand, strategy);
  service.may_keep = kept_weights(demand, strategy) > 0.0;
  service.chunk_batch = most_by_chunks(demand.job, demand.mix, strategy) * service.replicas();
  return service;
}

Service pools_service(const Demand& demand, const parallel::Strategy& strategy,
                      std::int32_t prefill_replicas) {
  const parallel::Strategy prefill = pool_of(strategy, prefill_replicas);
  const double share = kept_weights(demand, strategy);
  const auto pool = [&](const InferenceSetting& setting) {
    return prompt_pool(demand.job, demand.mix, {setting, prefill});
  };
  PromptPool prompts = share > 0.0 ? pool(demand.setting.keeping(share)) : pool(demand.setting);
  prompts.system = &demand.setting.system;
  Service service =
      pools_service(demand, pool_of(strategy, strategy.data_parallel - prefill_replicas), prompts);
  if (most_batch(demand, prefill) < 1.0) {
    service.most_batch = 0.0;
  }
  return service;
}

Service pools_service(const Demand& demand, const parallel::Strategy& strategy,
                      const PromptPool& prompts) {
  Service service = {&demand, strategy, prompts};
  service.most_batch = most_batch(demand, strategy);
  service.may_keep = kept_weights(demand, strategy) > 0.0;
  service.chunk_batch = std::numeric_limits<double>::infinity();
  return service;
}

}  // namespace scalesweep::estimator
