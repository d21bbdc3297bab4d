// A service whose requests arrive at random, and how close its states come to its limits.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "estimator/inference/estimate.hpp"
#include "estimator/inference/job.hpp"
#include "estimator/inference/queueing/waits.hpp"
#include "estimator/inference/service/fastest_batch.hpp"
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
  OpenService(const OpenService&) = delete;  // it refers to itself
  OpenService& operator=(const OpenService&) = delete;
  // Where the state with the most sequences, of Service::at(), is known.
  OpenService(const Service& service, SteadyState with_most);

  const Service& service() const { return *service_; }
  double replicas() const { return service_->replicas(); }
  const FullBatch& full() const { return full_; }
  // The state that serves the most, with all places taken.
  const SteadyState& fullest() const { return fullest_; }
  bool fewer_are_faster() const { return full_.batch < service_->most_batch; }

  // With so many sequences of all replicas.
  SteadyState at(double batch) const;
  // Of at most so many sequences of a replica, a whole number, those that are served fastest.
  ServedBatch fastest(double most_own) const { return fastest_.at_most(most_own); }
  // Where the engine takes no more than so many sequences of a replica at a time.
  FullBatch capped(double own) const;
  // Whether fewer places serve more, in steps of tiles: they are taken then. It costs a search,
  // and matters to a service that is nearly full.
  bool take_fastest_of_all();
  // Sets what requests wait for where the engine has these places.
  void add_waits(SteadyState& state, const FullBatch& places) const;

 private:
  void take_fastest();
  // Without the waits.
  const SteadyState& bare(double batch) const;
  double served_rate(const SteadyState& state) const;

  const Service* service_;
  FullBatch full_;
  SteadyState fullest_;
  // Known ones, which change no result.
  mutable std::map<double, SteadyState> bare_;
  mutable FastestBatch fastest_;
};

// Adds the limits on means over requests; there is none on tokens where none is after the first.
void consider_means(Pressure& most, const SteadyState& state, const RequestMix& mix,
                    const ServingLimits& limits);

// A state under a cap on the sequences that the engine takes at a time.
struct CappedState {
  SteadyState state;
  FullBatch places;
  Pressure pressure;
  Pressure of_tokens = {};  // the part of it that fewer places lower

  bool is_capped(const OpenService& service) const { return places.batch < service.full().batch; }
};

// With all places that there are.
CappedState without_cap(const OpenService& service, SteadyState state, const ServingLimits& limits);

enum class Admission {
  at_once,    // requests that find no place free wait for one, not without end
  from_queue  // where no limit is on the first token the batch may always be full
};

// As many places as keep the limits: fewer neighbours come and go where fewer have a place, which
// percentiles of the time per output token profit from, and requests wait longer for one. All of
// them where those keep the limits, or where no number does.
CappedState best_cap(const OpenService& service, SteadyState state, const ServingLimits& limits,
                     Admission admission);

// What keeps a state, all of whose places are taken, from its limits but the wait for a place.
Pressure pressure_with_a_place(const OpenService& service, const SteadyState& state,
                               const ServingLimits& limits);

}  // namespace scalesweep::estimator
