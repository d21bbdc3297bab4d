#include "estimator/inference/service/serving.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "core/contracts.hpp"
#include "estimator/inference/queueing/percentiles.hpp"
#include "estimator/inference/queueing/queueing.hpp"
#include "estimator/inference/queueing/waits.hpp"
#include "estimator/inference/service/service.hpp"
#include "estimator/inference/service/steady_state.hpp"
#include "estimator/parts/power/energy.hpp"
#include "estimator/parts/power/power_limit.hpp"
#include "estimator/reuse/prefix_loads.hpp"
#include "estimator/traits.hpp"

namespace scalesweep::estimator {
namespace {

constexpr int most_trials = 80;
constexpr double tolerance = 1e-6;  // of a number of sequences, relative

// How close a state is to what must not be exceeded: 1 at the limit.
struct Pressure {
  double value = 0.0;
  ServingBound bound = ServingBound::memory;
  double finite = 0.0;  // the largest without waits that have no end

  void consider(double of, ServingBound by) {
    if (of > value) {
      value = of;
      bound = by;
    }
    if (std::isfinite(of)) {
      finite = std::max(finite, of);
    }
  }
  // What a line to the next guess goes through: above 0 beyond the limits.
  double excess() const { return std::isfinite(value) ? value - 1.0 : std::max(finite, 2.0) - 1.0; }
};

// A service whose requests arrive at random: its states with all that they wait for.
class OpenService {
 public:
  explicit OpenService(const Service& service) : service_(&service) {
    // No more than memory or chunks let it serve: what comes faster queues before the batch.
    const double most = service.most_batch / service.replicas();
    const double own = std::min(most, std::ceil(service.chunk_batch / service.replicas()));
    fullest_ = service.at(Loop::open, own * service.replicas());
    full_ = {service.most_batch, fullest_.request_rate};
    if (own < most) {
      full_.request_rate /= std::max(1.0, fullest_.utilisation);
    }
    take_fastest();
    add_waits(fullest_);
    if (half_) {
      add_waits(*half_);
    }
  }

  const Service& service() const { return *service_; }
  double replicas() const { return service_->replicas(); }
  const FullBatch& full() const { return full_; }
  // The state that serves the most, with all places taken.
  const SteadyState& fullest() const { return fullest_; }
  // One with half as many sequences, which serves no more; nothing where those are below one.
  const std::optional<SteadyState>& half() const { return half_; }
  bool fewer_are_faster() const { return full_.batch < service_->most_batch; }

  SteadyState at(double batch) const {
    SteadyState state = service_->at(Loop::open, batch);
    add_waits(state);
    return state;
  }

 private:
  // More sequences may be served more slowly altogether, where what a smaller batch works on is
  // still found in L2 or fills the tiles and waves of the GEMMs: half as many places, as long as
  // that is more.
  void take_fastest() {
    double own = std::floor(0.5 * fullest_.batch / replicas());
    for (; own >= 1.0; own = std::floor(0.5 * own)) {
      SteadyState state = service_->at(Loop::open, own * replicas());
      if (state.request_rate <= full_.request_rate) {
        half_ = std::move(state);
        break;
      }
      full_ = {state.batch, state.request_rate};
      fullest_ = std::move(state);
    }
  }
  void add_waits(SteadyState& state) const {
    const Demand& demand = *service_->demand;
    const double waits_s =
        first_token_waits(demand.job, demand.mix, state, full_, replicas()).mean_s();
    state.waiting_s = waits_s + state.traffic.ahead_s;
    state.time_to_first_token_s =
        waits_s + state.traffic.first_s + demand.job.inference.framework.serving.request_overhead_s;
  }

  const Service* service_;
  FullBatch full_;
  SteadyState fullest_;
  std::optional<SteadyState> half_;
};

// On the means over requests.
void consider_means(Pressure& most, const SteadyState& state, const ServingLimits& limits) {
  if (limits.time_to_first_token_s > 0.0) {
    most.consider(state.time_to_first_token_s / limits.time_to_first_token_s,
                  ServingBound::time_to_first_token);
  }
  if (limits.time_per_output_token_s > 0.0) {
    most.consider(state.time_per_output_token_s / limits.time_per_output_token_s,
                  ServingBound::time_per_output_token);
  }
}

Pressure pressure_of(const OpenService& service, const SteadyState& state,
                     const ServingLimits& limits) {
  Pressure most;
  most.consider(state.utilisation / highest_utilisation, ServingBound::throughput);
  consider_means(most, state, limits);
  if (limits.at_percentiles()) {
    const Demand& demand = *service.service().demand;
    const LatencyPercentiles times =
        latency_percentiles(demand.job, demand.mix, state, service.full(), service.replicas());
    for (const workload::RequestLatency& one : workload::request_latencies) {
      if (const double limit_s = percentile_of(limits, one); limit_s > 0.0) {
        most.consider(percentile_of(times, one) / limit_s,
                      one.time == workload::RequestTime::first_token
                          ? ServingBound::time_to_first_token
                          : ServingBound::time_per_output_token);
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
  FullBatch full = {};  // of requests that arrive at random
};

// A number of sequences and what a growing function is there.
struct Point {
  double batch = 0.0;
  double value = 0.0;
};

// The state with the most sequences for which `value` is not above 0: it is not at `low`, and is at
// `high`. Found to the tolerance, of the batch or of the value.
SteadyState below_zero(const std::function<SteadyState(double)>& state_at, Point low, Point high,
                       const std::function<double(const SteadyState&)>& value) {
  SteadyState state;
  bool found = false;
  for (int trial = 1; trial < most_trials || !found; ++trial) {
    const double aim = 0.5 * tolerance;  // a little below, or every guess might be a little above
    const double batch =
        next_guess(low.batch, low.value + aim, high.batch, high.value + aim, trial);
    SteadyState tried = state_at(batch);
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
Found whole_batch(const OpenService& service, const ServingLimits& limits, SteadyState kept,
                  Point low, Point high, ServingBound bound) {
  Found found{std::move(kept), {1.0, bound}, true, service.full()};
  for (int trial = 1; high.batch - low.batch > 1.0; ++trial) {
    const double guess =
        std::floor(next_guess(low.batch, low.value, high.batch, high.value, trial));
    const double own = std::clamp(guess, low.batch + 1.0, high.batch - 1.0);
    SteadyState state = service.at(own * service.replicas());
    const Pressure pressure = pressure_of(service, state, limits);
    if (pressure.value <= 1.0) {
      low = {own, pressure.excess()};
      found.state = std::move(state);
    } else {
      high = {own, pressure.excess()};
      found.pressure = pressure;
    }
  }
  return found;
}

// Half as many sequences, as long as those are served faster altogether and keep the limits, for
// what comes faster may also wait longer.
Found fastest_batch(const OpenService& service, const ServingLimits& limits, Found found) {
  double own = std::floor(0.5 * found.state.batch / service.replicas());
  while (own >= 1.0) {
    SteadyState state = service.at(own * service.replicas());
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
// engine that is not always busy keeps them and one that is does not. With all places taken no
// limit on the first token is kept: requests wait for one without end.
Found largest_batch(const OpenService& service, const ServingLimits& limits) {
  const SteadyState& fullest = service.fullest();
  const Pressure above = pressure_of(service, fullest, limits);
  if (above.value <= 1.0) {
    const ServingBound bound =
        service.fewer_are_faster() ? ServingBound::throughput : ServingBound::memory;
    return {fullest, {0.0, bound}, true, service.full()};
  }
  const double replicas = service.replicas();
  Point high = {fullest.batch / replicas, above.excess()};
  ServingBound bound = above.bound;
  const auto found_above = [&](SteadyState kept, const Pressure& pressure) {
    const Point low = {kept.batch / replicas, pressure.excess()};
    return fastest_batch(service, limits,
                         whole_batch(service, limits, std::move(kept), low, high, bound));
  };
  if (service.half()) {
    const Pressure of_half = pressure_of(service, *service.half(), limits);
    if (of_half.value <= 1.0) {
      return found_above(*service.half(), of_half);
    }
    high = {service.half()->batch / replicas, of_half.excess()};
    bound = of_half.bound;
  }
  SteadyState one = service.at(replicas);
  const Pressure of_one = pressure_of(service, one, limits);
  if (of_one.value <= 1.0) {
    return found_above(std::move(one), of_one);
  }
  const double little = 1e-3 * replicas;
  SteadyState idle = service.at(little);
  const Pressure least = pressure_of(service, idle, limits);
  if (least.value > 1.0) {
    return {std::move(idle), least, false, service.full()};
  }
  return {below_zero([&](double batch) { return service.at(batch); }, {little, least.excess()},
                     {replicas, of_one.excess()},
                     [&](const SteadyState& state) {
                       return pressure_of(service, state, limits).excess();
                     }),
          of_one, true, service.full()};
}

Found at_arrival_rate(const OpenService& service, const ServingJob& job) {
  Found found = largest_batch(service, {});  // what it can do, whatever the limits
  if (!found.holds || found.state.request_rate < job.arrival_rate) {
    found.holds = false;
    // Of requests that queue without end no time to the first token says by how much.
    const ServingLimits of_tokens = {.time_per_output_token_s = job.limits.time_per_output_token_s,
                                     .output_token_s = job.limits.output_token_s};
    const Pressure limits = pressure_of(service, found.state, of_tokens);
    const double asked = job.arrival_rate / found.state.request_rate;
    found.pressure.value = std::max(asked, limits.value);
    return found;
  }
  const auto too_fast = [&job](const SteadyState& state) {
    return state.request_rate / job.arrival_rate - 1.0;
  };
  if (too_fast(found.state) > 0.0) {
    found.state = below_zero([&](double batch) { return service.at(batch); }, {0.0, -1.0},
                             {found.state.batch, too_fast(found.state)}, too_fast);
  }
  found.pressure = pressure_of(service, found.state, job.limits);
  found.holds = found.pressure.value <= 1.0;
  if (found.holds) {
    found.pressure.bound = ServingBound::arrivals;
  }
  return found;
}

Found in_closed_loop(const Service& service, const ServingJob& job) {
  const double concurrency = job.concurrency;
  const double most = std::min({service.most_batch, service.chunk_batch, concurrency});
  Found found;
  // Mixed engines hold a request from its first iteration on; of pools those that decode do.
  const auto open_requests = [&](const SteadyState& state) {
    return service.prefill_replicas() > 0.0
               ? state.batch + state.request_rate * state.time_to_first_token_s
               : state.batch;
  };
  const auto too_many = [&](const SteadyState& state) {
    const double queued =
        service.prefill_replicas() > 0.0 ? state.utilisation / highest_utilisation - 1.0 : -1.0;
    return std::max(queued, open_requests(state) / concurrency - 1.0);
  };
  found.state = service.at(Loop::closed, most);
  if (too_many(found.state) > 0.0) {
    found.state = below_zero([&](double batch) { return service.at(Loop::closed, batch); },
                             {0.0, -1.0}, {most, too_many(found.state)}, too_many);
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
  Pressure limits;
  consider_means(limits, found.state, job.limits);
  if (limits.value > 1.0) {
    found.pressure = limits;
    found.holds = false;
  }
  return found;
}

// `pool`: of other devices than those of the strategy; null where there is none.
ServingEstimate finish(const Demand& demand, const parallel::Strategy& strategy,
                       const Service& service, const PoolSize* pool, const Found& found) {
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
    if (!std::isfinite(state.waiting_s)) {
      // What is left to say: of requests that have a place.
      const double overhead_s = demand.job.inference.framework.serving.request_overhead_s;
      const FirstTokenWaits waits =
          first_token_waits(demand.job, demand.mix, state, found.full, service.replicas());
      const double before_s = waits.rest_s + waits.prompts.mean_s;
      estimate.waiting_s = before_s + state.traffic.ahead_s;
      estimate.time_to_first_token_s = before_s + state.traffic.first_s + overhead_s;
    }
  } else {
    estimate.first_token_s.fill(std::numeric_limits<double>::quiet_NaN());
    estimate.output_token_s.fill(std::numeric_limits<double>::quiet_NaN());
  }
  estimate.prefill_replicas = service.prefill_replicas();
  estimate.iteration = state.iteration;
  estimate.phase_s = state.phase_s;
  estimate.memory = memory_with(demand, service.decode, state.batch);
  estimate.kept_in_l2 = service.kept(state.batch);
  estimate.prefixes = service.prompts
                          ? service.prompts->prefixes
                          : prefix_use({demand.setting, service.decode}, demand.mix.prompt);
  const technology::System& system = demand.setting.system;
  const Work work = pool == nullptr ? state.work_per_s + state.prompt_work_per_s : state.work_per_s;
  estimate.energy = energy_of(system, work, devices, 1.0);
  estimate.device_power_w = device_power_w(work, estimate.energy, devices, 1.0);
  if (service.prompts) {
    estimate.prefill_strategy = service.prompts->strategy;
  }
  if (pool != nullptr) {
    estimate.energy +=
        energy_of(pool->layout->system, state.prompt_work_per_s, pool->devices(), 1.0);
    estimate.prefill_clock_fraction = pool->layout->clock_fraction;
  }
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

// What is estimated: the service of a strategy, with a pool of its own for prompts where there is
// one. All of it outlives it.
struct Question {
  const ServingJob& job;
  const technology::System& system;
  const parallel::Strategy& strategy;
  const PrefillPool* pool;
  const Search& search;
  const std::shared_ptr<PassMemo>& known;
};

ServingEstimate estimate_of(const Question& question, const Demand& demand, const Service& service,
                            const PoolSize* pool = nullptr) {
  if (service.most_batch < service.replicas()) {
    ServingEstimate estimate;
    estimate.verdict = ServingVerdict::does_not_fit;
    estimate.replicas = service.replicas();
    estimate.prefill_replicas = service.prefill_replicas();
    estimate.memory = memory_with(demand, service.decode, service.replicas());
    return estimate;
  }
  return finish(demand, question.strategy, service, pool, question.search(service));
}

// Some of the replicas of the strategy process prompts.
ServingEstimate estimate_split(const Question& question, const Demand& demand) {
  const parallel::Strategy& strategy = question.strategy;
  // Replicas that share the experts of a layer stay in one pool.
  const std::int32_t together = replicas_in_step(strategy);
  const std::int32_t groups = strategy.data_parallel / together;
  const auto split = [&](std::int32_t prefill_groups) {
    return estimate_of(question, demand,
                       pools_service(demand, strategy, prefill_groups * together));
  };
  if (groups < 2) {
    ServingEstimate estimate;
    estimate.verdict = ServingVerdict::too_few_replicas;
    return estimate;
  }
  const double share = question.job.prefill_share;
  return share > 0.0 ? split(static_cast<std::int32_t>(
                           std::clamp(std::round(share * groups), 1.0, groups - 1.0)))
                     : best_split(groups, split);
}

// Devices of their own process prompts; as many of them as the others keep busy where their number
// is open.
ServingEstimate estimate_beside(const Question& question, const Demand& demand) {
  const PrefillPool& pool = *question.pool;
  const auto with = [&](const PoolSize& size) {
    return estimate_of(question, demand, pools_service(demand, question.strategy, size.prompts()),
                       &size);
  };
  if (pool.layouts().empty()) {
    ServingEstimate estimate;
    estimate.verdict =
        pool.was_tried() ? ServingVerdict::does_not_fit : ServingVerdict::too_few_replicas;
    return estimate;
  }
  if (pool.devices() > 0) {
    return with(pool.of_all_devices());
  }
  const PoolSize without_end = pool.without_end();
  const ServingEstimate free = with(without_end);
  return free.verdict == ServingVerdict::meets_limits
             ? with(
                   pool.beside(free.request_rate, static_cast<double>(question.strategy.devices())))
             : with({without_end.layout, 1});
}

ServingEstimate estimate_at(const Question& question) {
  const ServingJob& job = question.job;
  SCALESWEEP_EXPECT(!job.requests.empty());
  const Demand demand(job, question.system, question.known);
  ServingEstimate estimate =
      question.pool != nullptr ? estimate_beside(question, demand)
      : job.batching == Batching::disaggregated
          ? estimate_split(question, demand)
          : estimate_of(question, demand, mixed_service(demand, question.strategy));
  const auto positions = static_cast<double>(job.inference.model.max_positions);
  estimate.beyond_context = positions > 0.0 && demand.mix.longest > positions;
  estimate.traits = traits_of(job.inference, question.system, question.strategy, demand.mix.longest,
                              question.pool != nullptr || job.batching == Batching::disaggregated);
  estimate.least_known = technology::least_known(job.inference.uncertainty, estimate.traits);
  estimate.relative_uncertainty = technology::relative_uncertainty(
      job.inference.uncertainty, static_cast<double>(question.strategy.devices()), estimate.traits);
  return estimate;
}

// At the clock that the power leaves: iterations of prefill and decode follow each other faster
// than a power limit acts, so that their mean sets it.
ServingEstimate estimate_with(const Question& question) {
  ServingEstimate estimate = estimate_at(question);
  const technology::System& system = question.system;
  if (!exceeds_power(estimate.device_power_w, system.device)) {
    return estimate;
  }
  return at_settled_clock<ServingEstimate>(
      system.device.thermal_design_power.si(), estimate.device_power_w,
      [&](int step) {
        const technology::System slower = at_clock_step(system, step);
        ServingEstimate at = estimate_at({question.job, slower, question.strategy, question.pool,
                                          question.search, question.known});
        at.clock_fraction = clock_fraction(step);
        return at;
      },
      [](const ServingEstimate& at) { return at.device_power_w; });
}

}  // namespace

ServingEstimate estimate_serving(const ServingJob& job, const technology::System& system,
                                 const parallel::Strategy& strategy, const PrefillPool* pool,
                                 const std::shared_ptr<PassMemo>& known) {
  if (job.inference.prefixes.curve) {
    return estimate_serving(with_prefix_hits(job, strategy), system, strategy, pool, known);
  }
  SCALESWEEP_EXPECT(job.concurrency == 0.0 || job.concurrency >= 1.0);
  const Search search = [&job](const Service& service) {
    if (job.concurrency > 0.0) {
      return in_closed_loop(service, job);
    }
    const OpenService open(service);
    return job.arrival_rate > 0.0 ? at_arrival_rate(open, job) : largest_batch(open, job.limits);
  };
  return estimate_with({job, system, strategy, pool, search, known});
}

}  // namespace scalesweep::estimator
