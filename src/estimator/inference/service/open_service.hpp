// A service whose requests arrive at random, and how close its states come to its limits.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "estimator/inference/estimate.hpp"
#include "estimator/inference/job.hpp"
#include "estimator/inference/queueing/waits.hpp"
#include "estimator/inference/service/service.hpp"
#include "estimator/inference/service/steady_state.hpp"

namespace scalesweep::estimator {

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

// The most sequences of all replicas that it serves.
double most_open(const Service& service);

// Its states with all that requests wait for. The service outlives it.
class OpenService {
 public:
  explicit OpenService(const Service& service);
  // Where the state with the most sequences, of Service::at(), is known.
  OpenService(const Service& service, SteadyState with_most);

  const Service& service() const { return *service_; }
  double replicas() const { return service_->replicas(); }
  const FullBatch& full() const { return full_; }
  // The state that serves the most, with all places taken.
  const SteadyState& fullest() const { return fullest_; }
  // One with half as many sequences, which serves no more; nothing where those are below one.
  const std::optional<SteadyState>& half() const { return half_; }
  bool fewer_are_faster() const { return full_.batch < service_->most_batch; }

  // With so many sequences of all replicas.
  SteadyState at(double batch) const;

 private:
  void take_fastest();
  void add_waits(SteadyState& state) const;

  const Service* service_;
  FullBatch full_;
  SteadyState fullest_;
  std::optional<SteadyState> half_;
};

// Adds the limits on means over requests.
void consider_means(Pressure& most, const SteadyState& state, const ServingLimits& limits);

Pressure pressure_of(const OpenService& service, const SteadyState& state,
                     const ServingLimits& limits);

}  // namespace scalesweep::estimator
