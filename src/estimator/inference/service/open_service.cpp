#include "estimator/inference/service/open_service.hpp"

#include <utility>

#include "estimator/inference/queueing/percentiles.hpp"
#include "estimator/inference/queueing/queueing.hpp"

namespace scalesweep::estimator {

// No more than memory or chunks let it serve: what comes faster queues before the batch.
double most_open(const Service& service) {
  const double most = service.most_batch / service.replicas();
  return std::min(most, std::ceil(service.chunk_batch / service.replicas())) * service.replicas();
}

OpenService::OpenService(const Service& service)
    : OpenService(service, service.at(Loop::open, most_open(service))) {}

// Of what comes faster than chunks take it a part is left behind.
double OpenService::served_rate(const SteadyState& state) const {
  return std::isfinite(service_->chunk_batch)
             ? state.request_rate / std::max(1.0, state.utilisation)
             : state.request_rate;
}

OpenService::OpenService(const Service& service, SteadyState with_most)
    : service_(&service),
      fastest_([this](double own) { return served_rate(bare(own * replicas())); }) {
  fullest_ = std::move(with_most);
  full_ = {service.most_batch, served_rate(fullest_)};
  bare_.emplace(fullest_.batch, fullest_);
  take_fastest();
  add_waits(fullest_, full_);
}

// More sequences may be served more slowly altogether, where what a smaller batch works on is
// still found in L2: fewer places, as long as that is more. What steps of tiles change is left to
// fastest().
void OpenService::take_fastest() {
  double own = fewer_sequences(fullest_.batch / replicas());
  for (; own >= 1.0; own = fewer_sequences(own)) {
    const SteadyState& state = bare(own * replicas());
    if (served_rate(state) <= full_.request_rate) {
      break;
    }
    full_ = {state.batch, served_rate(state)};
    fullest_ = state;
  }
}

bool OpenService::take_fastest_of_all() {
  const double own = std::floor(fullest_.batch / replicas());
  const ServedBatch best = own > 1.0 ? fastest_.at_most(own) : ServedBatch{};
  if (best.rate <= full_.request_rate) {
    return false;
  }
  fullest_ = bare(best.own * replicas());
  full_ = {fullest_.batch, best.rate};
  add_waits(fullest_, full_);
  return true;
}

const SteadyState& OpenService::bare(double batch) const {
  const auto found = bare_.find(batch);
  return found != bare_.end() ? found->second
                              : bare_.emplace(batch, service_->at(Loop::open, batch)).first->second;
}

SteadyState OpenService::at(double batch) const {
  SteadyState state = bare(batch);
  add_waits(state, full_);
  return state;
}

FullBatch OpenService::capped(double own) const {
  const double batch = own * replicas();
  return batch >= fullest_.batch ? FullBatch{std::min(batch, full_.batch), full_.request_rate}
                                 : FullBatch{batch, served_rate(bare(batch))};
}

void OpenService::add_waits(SteadyState& state, const FullBatch& places) const {
  const Demand& demand = *service_->demand;
  const double waits_s =
      first_token_waits(demand.job, demand.mix, state, places, replicas()).mean_s();
  state.waiting_s = waits_s + state.traffic.ahead_s;
  state.time_to_first_token_s =
      waits_s + state.traffic.first_s + demand.job.inference.stack.request_overhead_s;
}

void consider_means(Pressure& most, const SteadyState& state, const RequestMix& mix,
                    const ServingLimits& limits) {
  if (limits.time_to_first_token_s > 0.0) {
    most.consider(state.time_to_first_token_s / limits.time_to_first_token_s,
                  ServingBound::time_to_first_token);
  }
  if (limits.time_per_output_token_s > 0.0 && mix.decoded() > 0.0) {
    most.consider(state.time_per_output_token_s / limits.time_per_output_token_s,
                  ServingBound::time_per_output_token);
  }
}

namespace {

ServingBound bound_of(workload::RequestTime time) {
  return time == workload::RequestTime::first_token ? ServingBound::time_to_first_token
                                                    : ServingBound::time_per_output_token;
}

bool limits_first_tokens(const ServingLimits& limits) {
  return limits.time_to_first_token_s > 0.0 || limits.first_token_s != Percentiles{};
}

CappedState with_places(const OpenService& service, SteadyState state, const ServingLimits& limits,
                        const FullBatch& places) {
  const Demand& demand = *service.service().demand;
  CappedState capped = {std::move(state), places, {}};
  Pressure& most = capped.pressure;
  most.consider(capped.state.utilisation / highest_utilisation, ServingBound::throughput);
  consider_means(most, capped.state, demand.mix, limits);
  if (!limits.at_percentiles()) {
    return capped;
  }
  const LatencyPercentiles times =
      latency_percentiles(demand.job, demand.mix, capped.state, places, service.replicas());
  for (const workload::RequestLatency& one : workload::request_latencies) {
    const double limit_s = percentile_of(limits, one);
    if (limit_s <= 0.0) {
      continue;
    }
    const double pressure = percentile_of(times, one) / limit_s;
    most.consider(pressure, bound_of(one.time));
    if (one.time == workload::RequestTime::output_token) {
      capped.of_tokens.consider(pressure, bound_of(one.time));
    }
  }
  return capped;
}

}  // namespace

CappedState without_cap(const OpenService& service, SteadyState state,
                        const ServingLimits& limits) {
  return with_places(service, std::move(state), limits, service.full());
}

// Fewer places make tokens faster and waits longer, so that what is too many and what is too few
// close in on each other.
CappedState best_cap(const OpenService& service, SteadyState state, const ServingLimits& limits,
                     Admission admission) {
  CappedState free = without_cap(service, std::move(state), limits);
  if (free.of_tokens.value <= 1.0) {
    return free;
  }
  const double own = free.state.batch / service.replicas();
  const bool may_be_full = admission == Admission::from_queue && !limits_first_tokens(limits);
  const double least = may_be_full ? std::max(1.0, std::ceil(own)) : std::floor(own) + 1.0;
  const auto at = [&](double places) {
    SteadyState with = free.state;
    const FullBatch full = service.capped(places);
    service.add_waits(with, full);
    return with_places(service, std::move(with), limits, full);
  };
  double few = least;
  double many = std::floor(free.places.batch / service.replicas());
  if (few >= many) {
    return free;
  }
  CappedState capped = at(few);
  if (capped.of_tokens.value > 1.0) {
    return capped.pressure.value < free.pressure.value ? capped : free;
  }
  while (capped.pressure.value > 1.0 && many - few > 1.0) {
    const double middle =
        std::clamp(std::floor(own + std::sqrt((few - own) * (many - own))), few + 1.0, many - 1.0);
    CappedState next = at(middle);
    const bool too_many = next.of_tokens.value > 1.0;
    if (too_many && next.pressure.value > next.of_tokens.value) {
      break;  // fewer wait longer still
    }
    (too_many ? many : few) = middle;
    if (!too_many) {
      capped = std::move(next);
    }
  }
  return capped.pressure.value < free.pressure.value ? capped : free;
}

Pressure pressure_with_a_place(const OpenService& service, const SteadyState& state,
                               const ServingLimits& limits) {
  constexpr double plenty = 1e9;
  const FullBatch places = {plenty * service.full().batch, plenty * service.full().request_rate};
  SteadyState placed = state;
  service.add_waits(placed, places);
  ServingLimits others = limits;
  others.output_token_s = {};
  Pressure most = with_places(service, std::move(placed), others, places).pressure;
  const ServingLimits tokens = {.output_token_s = limits.output_token_s};
  const Pressure of_tokens = without_cap(service, state, tokens).of_tokens;
  most.consider(of_tokens.value, of_tokens.bound);
  return most;
}

}  // namespace scalesweep::estimator
