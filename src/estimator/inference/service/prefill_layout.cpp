#include "estimator/inference/service/prefill_layout.hpp"

#include <algorithm>

#include "estimator/error_bar.hpp"
#include "estimator/inference/inference_memory.hpp"
#include "estimator/parts/power/power_limit.hpp"

namespace scalesweep::estimator {

parallel::Strategy group_of_replicas(parallel::Strategy strategy) {
  strategy.data_parallel = replicas_in_step(strategy);
  return strategy;
}

namespace {

// Of a replica; at least one, or it would not be tried.
double prompts_held(const ServingJob& job, const RequestMix& mix, const technology::System& system,
                    const parallel::Strategy& group) {
  const InferenceJob held = held_job(job.inference, group, {mix.prompt, 1.0, mix.fresh_part});
  return std::max(1.0, inference_memory(held, system, group).largest_batch_per_replica);
}

}  // namespace

// While it is busy: a limit acts faster than prompts come.
PrefillLayout settled_layout(const ServingJob& job, const RequestMix& mix,
                             const InferenceSetting& full, const parallel::Strategy& group) {
  const auto at = [&](const InferenceSetting& setting, double clock) {
    PrefillLayout layout = {prompt_pool(job, mix, {setting, group}), setting.system};
    layout.prompts.system = nullptr;
    layout.prompts.clock_fraction = clock;
    layout.prompts.places = prompts_held(job, mix, setting.system, group);
    return layout;
  };
  PrefillLayout layout = at(full, 1.0);
  const auto power_w = [](const PrefillLayout& one) {
    return power_of_w(one.system, one.prompts.pass);
  };
  const technology::Device& device = layout.system.device;
  const double full_w = power_w(layout);
  if (!exceeds_power(full_w, device)) {
    return layout;
  }
  PrefillLayout slower = at_settled_clock<PrefillLayout>(
      device, full_w, [&](int step) { return at(full.at_clock_step(step), clock_fraction(step)); },
      power_w, expected_clock_step(layout.system, layout.prompts.pass));
  PromptPool& prompts = slower.prompts;
  if (prompts.clock_fraction <= clock_fraction(slowest_step(device))) {
    prompts.unkept_w = unkept_power_w(device, slowest_step(device), power_w(slower));
  }
  prompts.limit_uncertainty = limit_uncertainty(device, prompts.clock_fraction);
  return slower;
}

}  // namespace scalesweep::estimator
