#include "estimator/inference/service/serving.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "core/contracts.hpp"
#include "estimator/error_bar.hpp"
#include "estimator/inference/bounds/asked_rate.hpp"
#include "estimator/inference/queueing/percentiles.hpp"
#include "estimator/inference/queueing/queueing.hpp"
#include "estimator/inference/queueing/waits.hpp"
#include "estimator/inference/service/largest_batch.hpp"
#include "estimator/inference/service/open_service.hpp"
#include "estimator/inference/service/service.hpp"
#include "estimator/inference/service/steady_state.hpp"
#include "estimator/parts/power/energy.hpp"
#include "estimator/parts/power/power_limit.hpp"
#include "estimator/reuse/prefix_loads.hpp"
#include "estimator/reuse/session_rate.hpp"
#include "estimator/traits.hpp"

namespace scalesweep::estimator {
namespace {

FoundBatch at_arrival_rate(OpenService& service, const ServingJob& job) {
  FoundBatch found = *largest_batch(service, {});  // what it can do, whatever the limits
  if (!found.holds || found.state.request_rate < job.arrival_rate) {
    found.holds = false;
    // Of requests that queue without end no time to the first token says by how much.
    const ServingLimits of_tokens = {.time_per_output_token_s = job.limits.time_per_output_token_s,
                                     .output_token_s = job.limits.output_token_s};
    const CappedState limits = without_cap(service, found.state, of_tokens);
    const double asked = job.arrival_rate / found.state.request_rate;
    found.pressure.value = std::max(asked, limits.pressure.value);
    return found;
  }
  const auto too_fast = [&job](const SteadyState& state) {
    return state.request_rate / job.arrival_rate - 1.0;
  };
  if (too_fast(found.state) > 0.0) {
    // The fewest sequences of those at which this is the rate: it may fall where they become more.
    BatchPoint high = {found.state.batch, too_fast(found.state)};
    BatchPoint low = {0.0, -1.0};
    double own = fewer_sequences(high.batch / service.replicas());
    for (; own >= 1.0 && low.batch <= 0.0; own = fewer_sequences(own)) {
      const double batch = own * service.replicas();
      const BatchPoint at = {batch, too_fast(service.at(batch))};
      (at.value > 0.0 ? high : low) = at;
    }
    found.state = below_zero([&](double batch) { return service.at(batch); }, low, high, too_fast);
  }
  CappedState kept = best_cap(service, std::move(found.state), job.limits, Admission::at_once);
  found.state = std::move(kept.state);
  found.full = kept.places;
  found.is_capped = kept.is_capped(service);
  found.pressure = kept.pressure;
  found.holds = found.pressure.value <= 1.0;
  if (found.holds) {
    found.pressure.bound = ServingBound::arrivals;
  }
  return found;
}

// Where so many sequences miss the limit on the time per token, the most of those whole numbers for
// each replica that keep it: an engine that takes no more lets the others wait.
void cap_closed_loop(FoundBatch& found, const Service& service, const ServingJob& job) {
  const double limit_s = job.limits.time_per_output_token_s;
  const auto too_slow = [&](const SteadyState& state) {
    return state.time_per_output_token_s / limit_s - 1.0;
  };
  const double replicas = service.replicas();
  const double own = found.state.batch / replicas;
  if (limit_s <= 0.0 || too_slow(found.state) <= 0.0 || own <= 1.0) {
    return;
  }
  const auto at = [&](double places) { return service.at(Loop::closed, places * replicas); };
  SteadyState one = at(1.0);
  if (too_slow(one) > 0.0) {
    return;
  }
  const BatchPoint low = {1.0, too_slow(one)};
  const BatchPoint high = {std::ceil(own), too_slow(found.state)};
  found.state = whole_below_zero(at, std::move(one), low, high, too_slow);
  found.pressure.bound = ServingBound::time_per_output_token;
  found.is_capped = true;
}

FoundBatch in_closed_loop(const Service& service, const ServingJob& job) {
  const double concurrency = job.concurrency;
  const double most = std::min({service.most_batch, service.chunk_batch, concurrency});
  FoundBatch found;
  // Mixed engines hold a request from its first iteration on, and it is open before: on its way to
  // them. Of pools those that decode do.
  const double before_s = job.inference.stack.request_overhead_s;
  // Of sessions those are open, too, that think: N = rate x (response + think), the interactive
  // response time law (Denning and Buzen, ACM Computing Surveys 10, 1978).
  const double think_s = job.sessions.think_of_turn_s();
  const auto open_requests = [&](const SteadyState& state) {
    const double file_s = job.lengths == Lengths::fixed ? state.waiting_s : 0.0;
    return state.batch + state.arriving +
           state.request_rate *
               (think_s + (service.prefill_replicas() > 0.0 ? state.time_to_first_token_s
                                                            : before_s + file_s));
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
  if (service.demand->mix.decoded() > 0.0) {
    cap_closed_loop(found, service, job);
  }
  // The others wait for one to be done (Little).
  const double outside = concurrency - open_requests(found.state);
  if (outside > batch_tolerance * concurrency) {
    const double wait_s = outside / found.state.request_rate;
    found.state.waiting_s += wait_s;
    found.state.time_to_first_token_s += wait_s;
    if (!found.is_capped) {
      found.pressure.bound = found.state.batch >= service.most_batch * (1.0 - batch_tolerance)
                                 ? ServingBound::memory
                                 : ServingBound::throughput;
    }
  } else {
    found.pressure.bound = ServingBound::arrivals;
  }
  Pressure limits;
  consider_means(limits, found.state, service.demand->mix, job.limits);
  if (limits.value > 1.0) {
    found.pressure = limits;
    found.holds = false;
  }
  return found;
}

// In a closed loop the cap is what is in flight.
double cap_of(const FoundBatch& found, const Service& service) {
  const double places = found.full.batch > 0.0 ? found.full.batch : found.state.batch;
  return std::round(places / service.replicas());
}

ServingEstimate finish(const Demand& demand, const Service& service, const FoundBatch& found) {
  const SteadyState& state = found.state;
  ServingEstimate estimate;
  estimate.verdict = found.holds ? ServingVerdict::meets_limits : ServingVerdict::misses_limits;
  estimate.bound = found.pressure.bound;
  estimate.miss = found.holds ? 0.0 : found.pressure.value - 1.0;
  estimate.batch = state.batch;
  estimate.replicas = service.replicas();
  estimate.cap = found.is_capped ? cap_of(found, service) : 0.0;
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
      const double overhead_s = demand.job.inference.stack.request_overhead_s;
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
  estimate.memory = memory_with(demand, service.decode, state.batch + state.arriving);
  estimate.kept_in_l2 = service.kept(state.batch);
  estimate.prefixes = service.prompts
                          ? service.prompts->prefixes
                          : prefix_use({demand.setting, service.decode}, demand.mix.prompt);
  const technology::Device& device = demand.setting.system.device;
  estimate.clock_fraction = clock_fraction(state.clock_step);
  estimate.limit_uncertainty = limit_uncertainty(device, estimate.clock_fraction);
  estimate.prefill_limit_uncertainty = estimate.limit_uncertainty;
  estimate.energy = service.decode_energy(state);
  estimate.energy += service.prompt_energy(state);
  estimate.device_power_w = service.device_power_w(state);
  estimate.unkept_power_w =
      std::max(service.unkept_w, unkept_power_w(device, state.clock_step, estimate.device_power_w));
  if (service.prompts) {
    const PromptPool& prompts = *service.prompts;
    estimate.prefill_strategy = prompts.strategy;
    estimate.prefill_clock_fraction = prompts.clock_fraction;
    estimate.prefill_unkept_power_w = prompts.unkept_w;
    estimate.prefill_limit_uncertainty = prompts.limit_uncertainty;
  }
  return estimate;
}

// Whether one way to serve is better than another: it keeps the limits, or misses them by less;
// then the faster one.
bool serves_better(const ServingEstimate& a, const ServingEstimate& b) {
  if (a.verdict != b.verdict) {
    return a.verdict < b.verdict;
  }
  return a.verdict == ServingVerdict::misses_limits && a.miss != b.miss
             ? a.miss < b.miss
             : a.request_rate > b.request_rate;
}

using KnownSplits = std::map<std::int32_t, ServingEstimate>;  // by the groups for prompts

std::int32_t best_split_of(const KnownSplits& known) {
  const auto worse = [](const auto& a, const auto& b) { return serves_better(b.second, a.second); };
  return std::max_element(known.begin(), known.end(), worse)->first;
}

// The split of the groups of replicas that serves best what comes. What prompts allow grows with
// their part and what the others decode falls with it, so that the best is between: of the parts
// that are known to be worse than one inside, the next is as far from one end as that is from the
// other (Kiefer, "Sequential minimax search for a maximum", Proc. AMS 4, 1953). What is left at the
// end is tried one by one, since whole sequences make steps.
template <class EstimateSplit>
ServingEstimate best_split_for(std::int32_t groups, const EstimateSplit& estimate_split) {
  constexpr std::int32_t few = 4;
  KnownSplits known;
  const auto at = [&](std::int32_t prefill_groups) -> const ServingEstimate& {
    auto found = known.find(prefill_groups);
    if (found == known.end()) {
      found = known.emplace(prefill_groups, estimate_split(prefill_groups)).first;
    }
    return found->second;
  };
  std::int32_t low = 1;
  std::int32_t high = groups - 1;
  std::int32_t inside = low + (high - low) * 3 / 8;
  while (high - low > few) {
    std::int32_t next = low + high - inside;
    if (next == inside) {
      ++next;
    }
    const std::int32_t left = std::min(inside, next);
    const std::int32_t right = std::max(inside, next);
    const bool go_right = serves_better(at(right), at(left));
    (go_right ? low : high) = go_right ? left : right;
    inside = go_right ? right : left;
  }
  for (std::int32_t split = low; split <= high; ++split) {
    at(split);
  }
  // Steps of tiles make a few splits better than both of their neighbours.
  for (std::int32_t away = groups / 8; away >= 1; away /= 2) {
    const std::int32_t best = best_split_of(known);
    at(std::max(1, best - away));
    at(std::min(groups - 1, best + away));
  }
  return known.at(best_split_of(known));
}

// The split of the groups of replicas that serves most. What a group for prompts takes and what one
// that decodes serves hardly change with the split, so that the best is where all of them are busy:
// between a split whose prompts are too few and one that has too many, the next is where those two
// would meet, and the middle where that is one of them. What is left at the end is tried.
template <class EstimateSplit>
ServingEstimate fastest_split(std::int32_t groups, const EstimateSplit& estimate_split) {
  constexpr std::int32_t few = 3;
  constexpr double busy = 0.995;  // of the most that a group was seen to serve
  KnownSplits known;
  double of_prompts = 0.0;  // requests a second of a group, at most
  double of_tokens = 0.0;
  const auto try_at = [&](std::int32_t prefill_groups) {
    if (!known.contains(prefill_groups)) {
      const ServingEstimate& at =
          known.emplace(prefill_groups, estimate_split(prefill_groups)).first->second;
      of_prompts = std::max(of_prompts, at.request_rate / prefill_groups);
      of_tokens = std::max(of_tokens, at.request_rate / (groups - prefill_groups));
    }
  };
  std::int32_t low = 1;
  std::int32_t high = groups - 1;
  try_at(low);
  try_at(high);
  for (bool was_end = false; high - low > few;) {
    const double meet = groups * of_tokens / (of_prompts + of_tokens);
    const auto middle = std::isfinite(meet) ? static_cast<std::int32_t>(std::lround(meet)) : low;
    const std::int32_t near = std::clamp(middle, low + 1, high - 1);
    const std::int32_t next = was_end || known.contains(near) ? low + (high - low) / 2 : near;
    was_end = next == low + 1 || next == high - 1;
    try_at(next);
    const bool tokens_are_busy = known.at(next).request_rate >= busy * of_tokens * (groups - next);
    (tokens_are_busy ? high : low) = next;
  }
  for (std::int32_t split = low; split <= high; ++split) {
    try_at(split);
  }
  return known.at(best_split_of(known));
}

// What is estimated: the service of a strategy, with a pool of its own for prompts where there is
// one. All of it outlives it.
struct Question {
  const ServingJob& job;
  const technology::System& system;
  const parallel::Strategy& strategy;
  const PrefillPool* pool;
  const std::shared_ptr<PassMemo>& known;
  const AskedRate* asked = nullptr;  // null: whatever it serves
};

// Whether a state serves less than is asked for.
IsEnough leaves(const Question& question, const Service& service) {
  if (question.asked == nullptr || service.may_keep) {
    return nullptr;
  }
  const Loop loop = question.job.concurrency > 0.0 ? Loop::closed : Loop::open;
  return [of = AskedService(service, loop, *question.asked, question.pool == nullptr)](
             const SteadyState& state) mutable { return of.is_less(state); };
}

// Nothing where it serves less than is asked for.
std::optional<FoundBatch> found_in(const Question& question, const Service& service) {
  const ServingJob& job = question.job;
  const IsEnough is_enough = leaves(question, service);
  if (job.concurrency > 0.0) {
    FoundBatch found = in_closed_loop(service, job);
    return is_enough && is_enough(found.state) ? std::nullopt : std::optional(std::move(found));
  }
  if (job.arrival_rate > 0.0) {
    const bool is_left =
        is_enough &&
        arrives_less(job, (*question.asked)(least_idle_energy(
                              question.system, static_cast<double>(question.strategy.devices()))));
    if (is_left) {
      return std::nullopt;
    }
    OpenService open(service);
    return at_arrival_rate(open, job);
  }
  SteadyState most = service.at(Loop::open, most_open(service));
  if (is_enough && is_enough(most)) {
    return std::nullopt;
  }
  OpenService open(service, std::move(most));
  return largest_batch(open, job.limits, is_enough);
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr InferenceMemory unknown_memory = {unknown, unknown, unknown, unknown, unknown,
                                            unknown, unknown, unknown, unknown};

ServingEstimate no_service(ServingVerdict verdict, const InferenceMemory& memory) {
  ServingEstimate estimate;
  estimate.verdict = verdict;
  estimate.batch = unknown;
  estimate.request_rate = unknown;
  estimate.tokens_per_s = unknown;
  estimate.time_to_first_token_s = unknown;
  estimate.waiting_s = unknown;
  estimate.time_per_output_token_s = unknown;
  estimate.median_token_gap_s = unknown;
  estimate.first_token_s.fill(unknown);
  estimate.output_token_s.fill(unknown);
  estimate.memory = memory;
  return estimate;
}

std::optional<ServingEstimate> estimate_of(const Question& question, const Demand& demand,
                                           const Service& service) {
  if (service.most_batch < service.replicas()) {
    ServingEstimate estimate = no_service(ServingVerdict::does_not_fit,
                                          memory_with(demand, service.decode, service.replicas()));
    estimate.replicas = service.replicas();
    return estimate;
  }
  const std::optional<FoundBatch> found = found_in(question, service);
  return found ? std::optional(finish(demand, service, *found)) : std::nullopt;
}

// Some of the replicas of the strategy process prompts.
std::optional<ServingEstimate> estimate_split(Question question, const Demand& demand) {
  const parallel::Strategy& strategy = question.strategy;
  // Replicas that share the experts of a layer stay in one pool.
  const std::int32_t together = replicas_in_step(strategy);
  const std::int32_t groups = strategy.data_parallel / together;
  const auto split = [&](std::int32_t prefill_groups) {
    return *estimate_of(question, demand,
                        pools_service(demand, strategy, prefill_groups * together));
  };
  if (groups < 2) {
    return no_service(ServingVerdict::too_few_replicas, unknown_memory);
  }
  if (question.asked != nullptr && split_serves_less(demand, strategy, *question.asked)) {
    return std::nullopt;
  }
  question.asked = nullptr;
  const ServingJob& job = question.job;
  if (job.prefill_share > 0.0) {
    return split(static_cast<std::int32_t>(
        std::clamp(std::round(job.prefill_share * groups), 1.0, groups - 1.0)));
  }
  return job.arrival_rate > 0.0 || job.concurrency > 0.0 ? best_split_for(groups, split)
                                                         : fastest_split(groups, split);
}

bool limits_tokens(const ServingLimits& limits) {
  return limits.time_per_output_token_s > 0.0 || limits.output_token_s != Percentiles{};
}

// As many devices for prompts as the others keep busy. Where tokens are limited, caches that are
// sent sooner leave more of the limit to iterations: the layout that does is tried as well.
template <class EstimateWith>
ServingEstimate best_beside(const Question& question, const ServingEstimate& free,
                            const SendingS& sending, const EstimateWith& with) {
  const PrefillPool& pool = *question.pool;
  const auto decoding = static_cast<double>(question.strategy.devices());
  const auto of_device = [&](const ServingEstimate& e) {
    return e.verdict == ServingVerdict::meets_limits
               ? e.request_rate / (decoding + e.prefill_devices())
               : 0.0;
  };
  ServingEstimate best = *with(pool.beside(free.request_rate, decoding, sending));
  if (!limits_tokens(question.job.limits)) {
    return best;
  }
  const PoolSize soonest = pool.soonest_without_end(sending);
  if (soonest.layout == pool.without_end().layout) {
    return best;
  }
  const ServingEstimate sooner = *with(soonest);
  if (sooner.verdict == ServingVerdict::meets_limits) {
    ServingEstimate other =
        *with(pool.beside(sooner.request_rate, decoding, sending, sending(soonest.prompts())));
    if (of_device(other) > of_device(best)) {
      best = std::move(other);
    }
  }
  return best;
}

// Devices of their own process prompts.
std::optional<ServingEstimate> estimate_beside(Question question, const Demand& demand) {
  const PrefillPool& pool = *question.pool;
  const auto with = [&](const PoolSize& size) {
    return estimate_of(question, demand, pools_service(demand, question.strategy, size.prompts()));
  };
  if (pool.layouts().empty()) {
    return no_service(
        pool.was_tried() ? ServingVerdict::does_not_fit : ServingVerdict::too_few_replicas,
        unknown_memory);
  }
  const SendingS sending = [&](const PromptPool& prompts) {
    return sending_s(demand.mix, prompts, {demand.setting, question.strategy});
  };
  if (pool.devices() > 0) {
    return with(pool.of_all_devices(sending));
  }
  // With fewer devices for prompts no more is served.
  const PoolSize without_end = pool.without_end();
  const std::optional<ServingEstimate> free = with(without_end);
  question.asked = nullptr;
  if (!free) {
    return std::nullopt;
  }
  return free->verdict == ServingVerdict::meets_limits ? best_beside(question, *free, sending, with)
                                                       : with({without_end.layout, 1});
}

std::optional<ServingEstimate> estimate_at(const Question& question) {
  const ServingJob& job = question.job;
  SCALESWEEP_EXPECT(!job.requests.empty());
  SCALESWEEP_EXPECT(job.concurrency == 0.0 || job.concurrency >= 1.0);
  const Demand demand(job, question.system, question.known);
  std::optional<ServingEstimate> estimate =
      question.pool != nullptr ? estimate_beside(question, demand)
      : job.batching == Batching::disaggregated
          ? estimate_split(question, demand)
          : estimate_of(question, demand, mixed_service(demand, question.strategy));
  if (!estimate) {
    return std::nullopt;
  }
  const auto positions = static_cast<double>(job.inference.model.max_positions);
  estimate->beyond_context = positions > 0.0 && demand.mix.longest > positions;
  estimate->traits =
      traits_of(job.inference, question.system, question.strategy, demand.mix.longest,
                question.pool != nullptr || job.batching == Batching::disaggregated);
  const auto devices = static_cast<double>(question.strategy.devices());
  // Prompts may have a limit of their own.
  const technology::Traits of_prompts = estimate->traits;
  set_error_bar(*estimate, job.inference.uncertainty, devices);
  ServingEstimate first;
  first.traits = of_prompts;
  first.limit_uncertainty = estimate->prefill_limit_uncertainty;
  set_error_bar(first, job.first_token_uncertainty, devices);
  estimate->first_token_uncertainty = first.relative_uncertainty;
  return estimate;
}

// What caches find of sessions follows from what is served, and that from it. With all found that
// they hold of one session no less is served.
std::optional<ServingEstimate> estimate_sessions(const Question& question) {
  const ServingJob& job = question.job;
  const auto with = [&](double request_rate) {
    return with_session_hits(job, question.strategy, request_rate);
  };
  const auto estimate_with = [&](const ServingJob& found, const AskedRate* asked) {
    return estimate_at(
        {found, question.system, question.strategy, question.pool, question.known, asked});
  };
  const ServingJob all_found = with(job.arrival_rate);
  std::optional<ServingEstimate> most = estimate_with(all_found, question.asked);
  if (!most || job.arrival_rate > 0.0) {
    return most;
  }
  return at_own_rate(
      std::move(*most), job.concurrency > 0.0,
      [&](double request_rate) { return *estimate_with(with(request_rate), nullptr); },
      [&](double request_rate) {
        ServingJob arriving = with(request_rate);
        arriving.arrival_rate = request_rate;
        return *estimate_with(arriving, nullptr);
      });
}

}  // namespace

std::optional<ServingEstimate> estimate_if_asked_for(
    const ServingJob& job, const technology::System& system, const parallel::Strategy& strategy,
    const PrefillPool* pool, const std::shared_ptr<PassMemo>& known, const AskedRate& asked) {
  if (finds_sessions(job)) {
    return estimate_sessions({job, system, strategy, pool, known, asked ? &asked : nullptr});
  }
  if (job.inference.prefixes.curve) {
    return estimate_if_asked_for(with_prefix_hits(job, strategy), system, strategy, pool, known,
                                 asked);
  }
  return estimate_at({job, system, strategy, pool, known, asked ? &asked : nullptr});
}

ServingEstimate estimate_serving(const ServingJob& job, const technology::System& system,
                                 const parallel::Strategy& strategy, const PrefillPool* pool,
                                 const std::shared_ptr<PassMemo>& known) {
  return *estimate_if_asked_for(job, system, strategy, pool, known, nullptr);
}

}  // namespace scalesweep::estimator
