#include "estimator/inference/serving.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "core/contracts.hpp"
#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/queueing/percentiles.hpp"
#include "estimator/inference/queueing/queueing.hpp"
#include "estimator/inference/steady_state.hpp"
#include "estimator/parts/energy.hpp"
#include "estimator/parts/power_limit.hpp"

namespace scalesweep::estimator {
namespace {

constexpr int most_trials = 80;
constexpr double tolerance = 1e-6;  // of a number of sequences, relative

// What all ways to run a service have in common.
struct Demand {
  Demand(const ServingJob& job_, const technology::System& system)
      : job(job_), mix(mix_of(job_)), setting(job_.inference, system) {}

  const ServingJob& job;
  RequestMix mix;
  InferenceSetting setting;
};

// The memory of a replica that decodes, with so many sequences of all replicas.
InferenceMemory memory_with(const Demand& demand, parallel::Strategy strategy, double batch) {
  const RequestMix& mix = demand.mix;
  InferenceJob held = demand.job.inference;
  // What requests have in common is kept once, and small beside all they have for themselves.
  held.prompt = static_cast<std::int64_t>(
      std::ceil(std::max(1.0, mix.held_prompt * (1.0 - held.prefix_hits))));
  held.output = static_cast<std::int64_t>(
      std::ceil(std::max(1.0, held.framework.serving.held_output * mix.held_output)));
  held.prefix_hits = 0.0;
  if (held.chunk_tokens() <= 0.0) {  // one prompt at a time is the least that an iteration takes
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

// One way to run the service: how many sequences it holds, and what it does with any number of
// them. The demand outlives it.
struct Service {
  const Demand* demand;
  parallel::Strategy decode;
  std::optional<parallel::Strategy> prefill = {};  // of two pools
  double most_batch = 0.0;                         // of all replicas; 0: nothing fits
  double chunk_batch = 0.0;  // at which prompts come as fast as chunks take them
  bool may_keep = false;     // L2 holds the weights of a device

  double replicas() const { return decode.data_parallel; }  // that decode
  double prefill_replicas() const { return prefill ? prefill->data_parallel : 0.0; }
  // Of weights and the caches of so many sequences, what stays in L2.
  double kept(double batch) const {
    return may_keep ? kept_share(memory_with(*demand, decode, batch), demand->setting.system.device)
                    : 0.0;
  }
  SteadyState at(Loop loop, double batch) const {
    const double share = kept(batch);
    return share > 0.0 ? at(loop, batch, demand->setting.keeping(share))
                       : at(loop, batch, demand->setting);
  }
  SteadyState at(Loop loop, double batch, const InferenceSetting& setting) const {
    const Replica tokens = {setting, decode};
    if (!prefill) {
      return mixed_state(demand->job, demand->mix, tokens, loop, batch);
    }
    const Replica prompts = {setting, *prefill};
    return disaggregated_state(demand->job, demand->mix, prompts, tokens, loop, batch);
  }
};

// With one sequence.
bool keeps_weights(const Demand& demand, const parallel::Strategy& strategy) {
  return kept_share(memory_with(demand, strategy, 1.0), demand.setting.system.device) > 0.0;
}

Service mixed_service(const Demand& demand, const parallel::Strategy& strategy) {
  Service service = {&demand, strategy};
  service.most_batch = most_batch(demand, strategy);
  service.may_keep = keeps_weights(demand, strategy);
  service.chunk_batch = most_by_chunks(demand.job, demand.mix, strategy) * service.replicas();
  return service;
}

parallel::Strategy pool_of(parallel::Strategy strategy, std::int32_t replicas) {
  strategy.data_parallel = replicas;
  return strategy;
}

Service pools_service(const Demand& demand, const parallel::Strategy& strategy,
                      std::int32_t prefill_replicas) {
  Service service = {&demand, pool_of(strategy, strategy.data_parallel - prefill_replicas),
                     pool_of(strategy, prefill_replicas)};
  if (most_batch(demand, *service.prefill) >= 1.0) {
    service.most_batch = most_batch(demand, service.decode);
  }
  service.may_keep = keeps_weights(demand, strategy);
  service.chunk_batch = std::numeric_limits<double>::infinity();
  return service;
}

// Replicas that share the experts of a layer stay in one pool: pools have a multiple of so many.
std::int32_t replicas_of_experts(const parallel::Strategy& strategy) {
  const std::int32_t sharing = strategy.replicas_of_experts();
  return sharing / std::gcd(sharing, strategy.context_parallel);
}

// How close a state is to what must not be exceeded: 1 at the limit.
struct Pressure {
  double value = 0.0;
  ServingBound bound = ServingBound::memory;
};

// What must not be exceeded, and what to hold a state against.
struct Bounds {
  ServingLimits limits;
  FullBatch full = {};  // read where limits are at percentiles
};

Pressure pressure_of(const Service& service, const SteadyState& state, const Bounds& bounds) {
  const ServingLimits& limits = bounds.limits;
  Pressure most;
  const auto consider = [&most](double value, ServingBound bound) {
    if (value > most.value) {
      most = {value, bound};
    }
  };
  consider(state.utilisation / highest_utilisation, ServingBound::throughput);
  if (limits.time_to_first_token_s > 0.0) {
    consider(state.time_to_first_token_s / limits.time_to_first_token_s,
             ServingBound::time_to_first_token);
  }
  if (limits.time_per_output_token_s > 0.0) {
    consider(state.time_per_output_token_s / limits.time_per_output_token_s,
             ServingBound::time_per_output_token);
  }
  if (limits.at_percentiles()) {
    const Demand& demand = *service.demand;
    const LatencyPercentiles times =
        latency_percentiles(demand.job, demand.mix, state, bounds.full, service.replicas());
    for (std::size_t i = 0; i < percentile_count; ++i) {
      if (limits.first_token_s[i] > 0.0) {
        consider(times.first_token_s[i] / limits.first_token_s[i],
                 ServingBound::time_to_first_token);
      }
      if (limits.output_token_s[i] > 0.0) {
        consider(times.output_token_s[i] / limits.output_token_s[i],
                 ServingBound::time_per_output_token);
      }
    }
  }
  return most;
}

// Between two points of a growing function that is 0 at the line through them; the middle every
// third time, and where there is no line.
double next_guess(double low, double low_value, double high, double high_value, int trial) {
  const double slope = (high_value - low_value) / (high - low);
  const double guess = low - low_value / slope;
  const bool useless = trial % 3 == 0 || !std::isfinite(guess) || guess <= low || guess >= high;
  return useless ? 0.5 * (low + high) : guess;
}

struct Found {
  SteadyState state;
  Pressure pressure;  // of the first state that is too much, or of this one if it does not hold
  bool holds = true;
  FullBatch full = {};
};

// A number of sequences and what a growing function is there.
struct Point {
  double batch = 0.0;
  double value = 0.0;
};

// The state with the most sequences for which `value` is not above 0: it is not at `low`, and is at
// `high`. Found to the tolerance, of the batch or of the value.
SteadyState below_zero(const Service& service, Loop loop, Point low, Point high,
                       const std::function<double(const SteadyState&)>& value) {
  SteadyState state;
  bool found = false;
  for (int trial = 1; trial < most_trials || !found; ++trial) {
    const double aim = 0.5 * tolerance;  // a little below, or every guess might be a little above
    const double batch =
        next_guess(low.batch, low.value + aim, high.batch, high.value + aim, trial);
    SteadyState tried = service.at(loop, batch);
    const Point point = {batch, value(tried)};
    if (point.value > 0.0) {
      high = point;
    } else {
      low = point;
      state = std::move(tried);
      found = true;
    }
    if (found && (low.value >= -tolerance || high.batch - low.batch <= tolerance * high.batch)) {
      break;
    }
  }
  return state;
}

// Whole sequences for each replica: `low` keeps the limits, `high` does not.
Found whole_batch(const Service& service, const Bounds& limits, SteadyState kept, Point low,
                  Point high, ServingBound bound) {
  Found found{std::move(kept), {1.0, bound}, true, limits.full};
  for (int trial = 1; high.batch - low.batch > 1.0; ++trial) {
    const double guess =
        std::floor(next_guess(low.batch, low.value, high.batch, high.value, trial));
    const double own = std::clamp(guess, low.batch + 1.0, high.batch - 1.0);
    SteadyState state = service.at(Loop::open, own * service.replicas());
    const Pressure pressure = pressure_of(service, state, limits);
    if (pressure.value <= 1.0) {
      low = {own, pressure.value - 1.0};
      found.state = std::move(state);
    } else {
      high = {own, pressure.value - 1.0};
      found.pressure = pressure;
    }
  }
  return found;
}

// More sequences may be served more slowly altogether, where what a smaller batch works on is
// still found in L2 or fills the tiles and waves of the GEMMs: half as many, as long as that is
// more and keeps the limits, for what comes faster may also wait longer.
Found fastest_batch(const Service& service, const Bounds& limits, Found found) {
  double own = std::floor(0.5 * found.state.batch / service.replicas());
  while (own >= 1.0) {
    SteadyState state = service.at(Loop::open, own * service.replicas());
    if (state.request_rate <= found.state.request_rate ||
        pressure_of(service, state, limits).value > 1.0) {
      break;
    }
    found.state = std::move(state);
    found.pressure.bound = ServingBound::throughput;
    own = std::floor(0.5 * own);
  }
  return found;
}

// The most sequences that keep the limits: whole ones for each replica, or less than one where an
// engine that is not always busy keeps them and one that is does not.
Found largest_batch(const Service& service, const ServingLimits& asked) {
  const double most = service.most_batch / service.replicas();
  SteadyState full = service.at(Loop::open, most * service.replicas());
  const Bounds limits = {asked, {full.batch, full.request_rate}};
  const Pressure above = pressure_of(service, full, limits);
  if (above.value <= 1.0) {
    return fastest_batch(service, limits, {std::move(full), {}, true, limits.full});
  }
  SteadyState one = service.at(Loop::open, service.replicas());
  const Pressure of_one = pressure_of(service, one, limits);
  if (of_one.value <= 1.0) {
    return fastest_batch(service, limits,
                         whole_batch(service, limits, std::move(one), {1.0, of_one.value - 1.0},
                                     {most, above.value - 1.0}, above.bound));
  }
  const double little = 1e-3 * service.replicas();
  SteadyState idle = service.at(Loop::open, little);
  const Pressure least = pressure_of(service, idle, limits);
  if (least.value > 1.0) {
    return {std::move(idle), least, false, limits.full};
  }
  const auto excess = [&](const SteadyState& state) {
    return pressure_of(service, state, limits).value - 1.0;
  };
  return {below_zero(service, Loop::open, {little, least.value - 1.0},
                     {service.replicas(), of_one.value - 1.0}, excess),
          of_one, true, limits.full};
}

Found at_arrival_rate(const Service& service, const ServingJob& job) {
  Found found = largest_batch(service, {});  // what it can do, whatever the limits
  if (!found.holds || found.state.request_rate < job.arrival_rate) {
    found.holds = false;
    // Of requests that queue without end no percentile says by how much.
    const ServingLimits means = {job.limits.time_to_first_token_s,
                                 job.limits.time_per_output_token_s};
    const Pressure limits = pressure_of(service, found.state, {means});
    const double asked = job.arrival_rate / found.state.request_rate;
    found.pressure.value = std::max(asked, limits.value);
    return found;
  }
  found.full = {found.state.batch, found.state.request_rate};
  const auto excess = [&job](const SteadyState& state) {
    return state.request_rate / job.arrival_rate - 1.0;
  };
  if (excess(found.state) > 0.0) {
    found.state = below_zero(service, Loop::open, {0.0, -1.0},
                             {found.state.batch, excess(found.state)}, excess);
  }
  found.pressure = pressure_of(service, found.state, {job.limits, found.full});
  found.holds = found.pressure.value <= 1.0;
  if (found.holds) {
    found.pressure.bound = ServingBound::arrivals;
  }
  return found;
}

Found in_closed_loop(const Service& service, double concurrency) {
  const double most = std::min({service.most_batch, service.chunk_batch, concurrency});
  Found found;
  // Mixed engines hold a request from its first iteration on; of pools those that decode do.
  const auto open_requests = [&](const SteadyState& state) {
    return service.prefill_replicas() > 0.0
               ? state.batch + state.request_rate * state.time_to_first_token_s
               : state.batch;
  };
  const auto excess = [&](const SteadyState& state) {
    const double queued =
        service.prefill_replicas() > 0.0 ? state.utilisation / highest_utilisation - 1.0 : -1.0;
    return std::max(queued, open_requests(state) / concurrency - 1.0);
  };
  found.state = service.at(Loop::closed, most);
  if (excess(found.state) > 0.0) {
    found.state =
        below_zero(service, Loop::closed, {0.0, -1.0}, {most, excess(found.state)}, excess);
  }
  // The others wait for one to be done (Little).
  const double outside = concurrency - open_requests(found.state);
  if (outside > tolerance * concurrency) {
    const double wait_s = outside / found.state.request_rate;
    found.state.waiting_s += wait_s;
    found.state.time_to_first_token_s += wait_s;
    found.pressure.bound = found.state.batch >= service.most_batch * (1.0 - tolerance)
                               ? ServingBound::memory
                               : ServingBound::throughput;
  } else {
    found.pressure.bound = ServingBound::arrivals;
  }
  return found;
}

ServingEstimate finish(const Demand& demand, const parallel::Strategy& strategy,
                       const Service& service, const Found& found) {
  const SteadyState& state = found.state;
  const auto devices = static_cast<double>(strategy.devices());
  ServingEstimate estimate;
  estimate.verdict = found.holds ? ServingVerdict::meets_limits : ServingVerdict::misses_limits;
  estimate.bound = found.pressure.bound;
  estimate.miss = found.holds ? 0.0 : found.pressure.value - 1.0;
  estimate.batch = state.batch;
  estimate.replicas = service.replicas();
  estimate.request_rate = state.request_rate;
  estimate.tokens_per_s = state.request_rate * demand.mix.output;
  estimate.time_to_first_token_s = state.time_to_first_token_s;
  estimate.waiting_s = state.waiting_s;
  estimate.time_per_output_token_s = state.time_per_output_token_s;
  estimate.median_token_gap_s = state.median_token_gap_s;
  if (found.full.batch > 0.0) {
    const LatencyPercentiles times =
        latency_percentiles(demand.job, demand.mix, state, found.full, service.replicas());
    estimate.first_token_s = times.first_token_s;
    estimate.output_token_s = times.output_token_s;
  }
  estimate.prefill_replicas = service.prefill_replicas();
  estimate.iteration = state.iteration;
  estimate.phase_s = state.phase_s;
  estimate.memory = memory_with(demand, service.decode, state.batch);
  estimate.kept_in_l2 = service.kept(state.batch);
  const technology::System& system = demand.setting.system;
  estimate.energy = energy_of(system, state.work_per_s, devices, 1.0);
  estimate.device_power_w = device_power_w(state.work_per_s, estimate.energy, devices, 1.0);
  return estimate;
}

// The split of the groups of replicas with the highest throughput: the smallest prefill pool that
// does not hold the others back, or one group less.
template <class EstimateSplit>
ServingEstimate best_split(std::int32_t groups, const EstimateSplit& estimate_split) {
  const auto prefill_binds = [](const ServingEstimate& e) {
    return e.bound == ServingBound::throughput || e.bound == ServingBound::time_to_first_token;
  };
  const auto better = [](const ServingEstimate& a, const ServingEstimate& b) {
    if (a.verdict != b.verdict) {
      return a.verdict < b.verdict;
    }
    return a.verdict == ServingVerdict::misses_limits ? a.miss < b.miss
                                                      : a.request_rate > b.request_rate;
  };
  std::int32_t low = 1;
  std::int32_t high = groups - 1;
  ServingEstimate best = estimate_split(low);
  const auto consider = [&](std::int32_t prefill_groups) {
    const ServingEstimate estimate = estimate_split(prefill_groups);
    if (better(estimate, best)) {
      best = estimate;
    }
    return estimate;
  };
  if (high == low || !prefill_binds(best)) {
    return best;
  }
  consider(high);
  while (high - low > 1) {
    const std::int32_t middle = low + (high - low) / 2;
    (prefill_binds(consider(middle)) ? low : high) = middle;
  }
  return best;
}

using Search = std::function<Found(const Service&)>;

ServingEstimate estimate_at(const ServingJob& job, const technology::System& system,
                            const parallel::Strategy& strategy, const Search& search) {
  SCALESWEEP_EXPECT(!job.requests.empty());
  const Demand demand(job, system);
  const auto estimate_of = [&](const Service& service) {
    if (service.most_batch < service.replicas()) {
      ServingEstimate estimate;
      estimate.verdict = ServingVerdict::does_not_fit;
      estimate.replicas = service.replicas();
      estimate.prefill_replicas = service.prefill_replicas();
      estimate.memory = memory_with(demand, service.decode, service.replicas());
      return estimate;
    }
    return finish(demand, strategy, service, search(service));
  };
  const std::int32_t together = replicas_of_experts(strategy);
  const std::int32_t groups = strategy.data_parallel / together;
  const auto split = [&](std::int32_t prefill_groups) {
    return estimate_of(pools_service(demand, strategy, prefill_groups * together));
  };
  ServingEstimate estimate;
  if (job.batching != Batching::disaggregated) {
    estimate = estimate_of(mixed_service(demand, strategy));
  } else if (groups < 2) {
    estimate.verdict = ServingVerdict::too_few_replicas;
  } else if (job.prefill_share > 0.0) {
    const double wanted = std::round(job.prefill_share * groups);
    estimate = split(static_cast<std::int32_t>(std::clamp(wanted, 1.0, groups - 1.0)));
  } else {
    estimate = best_split(groups, split);
  }
  const auto positions = static_cast<double>(job.inference.model.max_positions);
  estimate.beyond_context = positions > 0.0 && demand.mix.longest > positions;
  estimate.relative_uncertainty =
      technology::at_scale(job.inference.uncertainty, static_cast<double>(strategy.devices()));
  return estimate;
}

// At the clock that the power leaves: iterations of prefill and decode follow each other faster
// than a power limit acts, so that their mean sets it.
ServingEstimate estimate_with(const ServingJob& job, const technology::System& system,
                              const parallel::Strategy& strategy, const Search& search) {
  ServingEstimate estimate = estimate_at(job, system, strategy, search);
  if (!exceeds_power(estimate.device_power_w, system.device)) {
    return estimate;
  }
  std::map<int, ServingEstimate> tried;
  const auto power_w = [&](int step) {
    ServingEstimate& at = tried[step];
    at = estimate_at(job, at_clock_step(system, step), strategy, search);
    at.clock_fraction = clock_fraction(step);
    return at.device_power_w;
  };
  const int step = settled_clock_step(system.device.thermal_design_power.si(), 0,
                                      estimate.device_power_w, power_w);
  return tried.at(step);
}

}  // namespace

ServingEstimate estimate_serving(const ServingJob& job, const technology::System& system,
                                 const parallel::Strategy& strategy) {
  return estimate_with(job, system, strategy, [&job](const Service& service) {
    return job.arrival_rate > 0.0 ? at_arrival_rate(service, job)
                                  : largest_batch(service, job.limits);
  });
}

ServingEstimate estimate_at_concurrency(const ServingJob& job, double concurrency,
                                        const technology::System& system,
                                        const parallel::Strategy& strategy) {
  SCALESWEEP_EXPECT(concurrency >= 1.0);
  return estimate_with(job, system, strategy, [concurrency](const Service& service) {
    return in_closed_loop(service, concurrency);
  });
}

}  // namespace scalesweep::estimator
