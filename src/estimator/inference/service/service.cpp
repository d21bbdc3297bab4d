#include "estimator/inference/service/service.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimator/inference/inference_memory.hpp"
#include "estimator/parts/power/energy.hpp"
#include "estimator/parts/power/power_limit.hpp"

namespace scalesweep::estimator {
namespace {

parallel::Strategy pool_of(parallel::Strategy strategy, std::int32_t replicas) {
  strategy.data_parallel = replicas;
  return strategy;
}

}  // namespace

InferenceMemory memory_with(const Demand& demand, parallel::Strategy strategy, double batch) {
  const RequestMix& mix = demand.mix;
  const InferenceJob& job = demand.job.inference;
  // What requests have in common is kept once, and small beside all they have for themselves.
  InferenceJob held = held_job(job, strategy,
                               {mix.held_prompt * (1.0 - job.prefix_hits),
                                job.stack.held_output * mix.held_output, mix.fresh_part});
  held.prefix_hits = 0.0;
  const double groups = static_cast<double>(strategy.data_parallel) * strategy.micro_batches;
  strategy.micro_batch = static_cast<std::int32_t>(std::max(1.0, std::ceil(batch / groups)));
  held.batch = static_cast<std::int64_t>(strategy.micro_batch * groups);
  InferenceMemory memory = inference_memory(held, demand.setting.system, strategy);
  memory.cache_bytes *= batch / static_cast<double>(held.batch);
  return memory;
}

double most_batch(const Demand& demand, const parallel::Strategy& strategy, double set_aside) {
  double own = memory_with(demand, strategy, 1.0).largest_batch_per_replica;
  if (own > 1.0) {
    own = std::max(1.0, own - set_aside);
  }
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

const InferenceSetting& Demand::setting_at(int clock_step) const {
  if (clock_step == 0) {
    return setting;
  }
  const auto found = slower_.find(clock_step);
  return found != slower_.end()
             ? found->second
             : slower_.emplace(clock_step, setting.at_clock_step(clock_step)).first->second;
}

const PrefillLayout& Demand::prompts_of(const parallel::Strategy& strategy) const {
  const parallel::Strategy group = group_of_replicas(strategy);
  const auto found = prompts_.find(group);
  return found != prompts_.end()
             ? found->second
             : prompts_
                   .emplace(
                       group,
                       settled_layout(job, mix, setting.keeping(kept_weights(*this, group)), group))
                   .first->second;
}

SteadyState Service::at_clock(Loop loop, double batch, int clock_step) const {
  const InferenceSetting& at_this = demand->setting_at(clock_step);
  DecodePasses& passes = demand->passes_at(clock_step);
  const auto with = [&](const InferenceSetting& setting) {
    const Replica tokens = {setting, decode};
    return prompts ? disaggregated_state(demand->job, demand->mix, *prompts, tokens, passes, loop,
                                         batch)
                   : mixed_state(demand->job, demand->mix, tokens, loop, batch);
  };
  const double share = kept(batch);
  SteadyState state = share > 0.0 ? with(at_this.keeping(share)) : with(at_this);
  state.clock_step = clock_step;
  return state;
}

SteadyState Service::at(Loop loop, double batch) const {
  SteadyState state = at_clock(loop, batch, 0);
  const technology::System& system = demand->setting.system;
  const double full_w = device_power_w(state);
  if (!exceeds_power(full_w, system.device)) {
    return state;
  }
  const Cost mean = {state.iteration,
                     state.iteration.total_s() / running_devices(state) * state.work_per_s};
  return at_settled_clock<SteadyState>(
      system.device, full_w, [&](int step) { return at_clock(loop, batch, step); },
      [&](const SteadyState& at) { return device_power_w(at); }, expected_clock_step(system, mean));
}

double Service::running_devices(const SteadyState& state) const {
  return static_cast<double>(decode.devices()) *
         std::min(1.0, state.batch / replicas() * replicas_in_step(decode));
}

EnergyUse Service::decode_energy(const SteadyState& state) const {
  return energy_of_second(demand->setting_at(state.clock_step).system, state.work_per_s,
                          static_cast<double>(decode.devices()), running_devices(state));
}

// A pool of prompts runs while it has one.
EnergyUse Service::prompt_energy(const SteadyState& state) const {
  if (!prompts) {
    return {};
  }
  const auto devices = static_cast<double>(prompts->strategy.devices());
  return energy_of_second(*prompts->system, state.prompt_work_per_s, devices,
                          std::min(1.0, state.utilisation) * devices);
}

double Service::device_power_w(const SteadyState& state) const {
  return estimator::device_power_w(state.work_per_s, decode_energy(state),
                                   static_cast<double>(decode.devices()), 1.0);
}

void Service::keep_limit() {
  const technology::System& system = demand->setting.system;
  const double most = std::min(most_batch, chunk_batch) / replicas();
  if (most < 1.0 || !may_break_limit(system)) {
    return;
  }
  const int slowest = slowest_step(system.device);
  const auto unkept = [&](double own) {
    const SteadyState state = at_clock(Loop::open, own * replicas(), slowest);
    return unkept_power_w(system.device, slowest, device_power_w(state));
  };
  if (unkept(most) <= 0.0) {
    return;
  }
  unkept_w = unkept(1.0);
  if (unkept_w > 0.0) {
    return;
  }
  double low = 1.0;
  double high = std::ceil(most);
  while (high - low > 1.0) {
    const double middle = std::floor(0.5 * (low + high));
    (unkept(middle) > 0.0 ? high : low) = middle;
  }
  most_batch = low * replicas();
}

Service mixed_service(const Demand& demand, const parallel::Strategy& strategy) {
  Service service = {&demand, strategy};
  service.most_batch = most_batch(demand, strategy);
  service.may_keep = kept_weights(demand, strategy) > 0.0;
  service.chunk_batch = most_by_chunks(demand.job, demand.mix, strategy) * service.replicas();
  service.keep_limit();
  return service;
}

namespace {

// Parts of a sequence that room is set aside in, rounded up: splits whose caches arrive equally
// often, but for the last bits of a double, ask for the same passes.
constexpr double parts_of_a_place = 64.0;

// With all places taken as many caches arrive as ever do.
void set_room_aside(Service& service) {
  if (service.most_batch < service.replicas()) {
    return;
  }
  const SteadyState full = service.at(Loop::open, service.most_batch);
  const double arriving = full.arriving / std::max(1.0, full.utilisation) / service.replicas();
  const double aside = std::ceil(arriving * parts_of_a_place) / parts_of_a_place;
  service.most_batch = most_batch(*service.demand, service.decode, aside);
}

}  // namespace

Service pools_service(const Demand& demand, const parallel::Strategy& strategy,
                      std::int32_t prefill_replicas) {
  const parallel::Strategy prefill = pool_of(strategy, prefill_replicas);
  const PrefillLayout& layout = demand.prompts_of(strategy);
  PromptPool prompts = layout.prompts;
  prompts.strategy = prefill;
  prompts.system = &layout.system;
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
  set_room_aside(service);
  service.keep_limit();
  return service;
}

}  // namespace scalesweep::estimator
