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

OpenService::OpenService(const Service& service, SteadyState with_most)
    : service_(&service), fullest_(std::move(with_most)) {
  full_ = {service.most_batch, fullest_.request_rate};
  if (fullest_.batch < service.most_batch) {
    full_.request_rate /= std::max(1.0, fullest_.utilisation);
  }
  take_fastest();
  add_waits(fullest_);
  if (half_) {
    add_waits(*half_);
  }
}

SteadyState OpenService::at(double batch) const {
  SteadyState state = service_->at(Loop::open, batch);
  add_waits(state);
  return state;
}

// More sequences may be served more slowly altogether, where what a smaller batch works on is
// still found in L2 or fills the tiles and waves of the GEMMs: half as many places, as long as
// that is more.
void OpenService::take_fastest() {
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

void OpenService::add_waits(SteadyState& state) const {
  const Demand& demand = *service_->demand;
  const double waits_s =
      first_token_waits(demand.job, demand.mix, state, full_, replicas()).mean_s();
  state.waiting_s = waits_s + state.traffic.ahead_s;
  state.time_to_first_token_s =
      waits_s + state.traffic.first_s + demand.job.inference.framework.serving.request_overhead_s;
}

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

}  // namespace scalesweep::estimator
