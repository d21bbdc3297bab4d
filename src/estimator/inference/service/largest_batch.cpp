#include "estimator/inference/service/largest_batch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace scalesweep::estimator {
namespace {

constexpr int most_trials = 80;

// Between two points of a growing function that is 0 at the line through them; the middle every
// third time, and where there is no line.
double next_guess(const BatchPoint& low, const BatchPoint& high, int trial) {
  const double slope = (high.value - low.value) / (high.batch - low.batch);
  const double guess = low.batch - low.value / slope;
  const bool useless =
      trial % 3 == 0 || !std::isfinite(guess) || guess <= low.batch || guess >= high.batch;
  return useless ? 0.5 * (low.batch + high.batch) : guess;
}

// The search of one service within its limits.
class Batches {
 public:
  Batches(const OpenService& service, const ServingLimits& limits, const IsEnough& is_enough)
      : service_(service), limits_(limits), is_enough_(is_enough) {}

  std::optional<FoundBatch> largest();

 private:
  struct Tried {
    SteadyState state;
    Pressure pressure;
    double own;  // sequences of a replica

    bool holds() const { return pressure.value <= 1.0; }
    BatchPoint point() const { return {own, pressure.excess()}; }
  };
  Tried tried(SteadyState state) const {
    const Pressure pressure = pressure_of(service_, state, limits_);
    const double own = state.batch / service_.replicas();
    return {std::move(state), pressure, own};
  }
  Tried at(double own) const { return tried(service_.at(own * service_.replicas())); }
  // Of one that has as many sequences as the largest batch, or more.
  bool is_left_at(const Tried& much) const { return is_enough_ && is_enough_(much.state); }
  std::optional<FoundBatch> whole(Tried low, Tried high) const;
  std::optional<FoundBatch> whole_below(Tried high) const;
  std::optional<FoundBatch> part_of_one(const Tried& one) const;
  FoundBatch fastest(FoundBatch found) const;

  const OpenService& service_;
  const ServingLimits& limits_;
  const IsEnough& is_enough_;
};

// Whole sequences for each replica: `low` keeps the limits, `high` does not.
std::optional<FoundBatch> Batches::whole(Tried low, Tried high) const {
  BatchPoint from = low.point();
  BatchPoint to = high.point();
  for (int trial = 1; to.batch - from.batch > 1.0; ++trial) {
    const double guess = std::floor(next_guess(from, to, trial));
    Tried next = at(std::clamp(guess, from.batch + 1.0, to.batch - 1.0));
    if (next.holds()) {
      from = next.point();
      low = std::move(next);
    } else {
      if (is_left_at(next)) {
        return std::nullopt;
      }
      to = next.point();
      high = std::move(next);
    }
  }
  Pressure pressure = high.pressure;
  pressure.value = 1.0;
  return fastest({std::move(low.state), pressure, true, service_.full()});
}

// The fewest whole ones keep the limits, or less than one does.
std::optional<FoundBatch> Batches::whole_below(Tried high) const {
  Tried one = at(1.0);
  return one.holds() ? whole(std::move(one), std::move(high)) : part_of_one(one);
}

// Half as many sequences, as long as those are served faster altogether and keep the limits, for
// what comes faster may also wait longer.
FoundBatch Batches::fastest(FoundBatch found) const {
  double own = std::floor(0.5 * found.state.batch / service_.replicas());
  while (own >= 1.0) {
    SteadyState state = service_.at(own * service_.replicas());
    if (state.request_rate <= found.state.request_rate ||
        pressure_of(service_, state, limits_).value > 1.0) {
      break;
    }
    found.state = std::move(state);
    found.pressure.bound = ServingBound::throughput;
    own = std::floor(0.5 * own);
  }
  return found;
}

std::optional<FoundBatch> Batches::part_of_one(const Tried& one) const {
  if (is_left_at(one)) {
    return std::nullopt;
  }
  const double little = 1e-3 * service_.replicas();
  Tried idle = tried(service_.at(little));
  if (!idle.holds()) {
    return FoundBatch{std::move(idle.state), idle.pressure, false, service_.full()};
  }
  return FoundBatch{
      below_zero(
          [&](double batch) { return service_.at(batch); }, {little, idle.pressure.excess()},
          {service_.replicas(), one.pressure.excess()},
          [&](const SteadyState& state) { return pressure_of(service_, state, limits_).excess(); }),
      one.pressure, true, service_.full()};
}

std::optional<FoundBatch> Batches::largest() {
  Tried fullest = tried(service_.fullest());
  if (is_left_at(fullest)) {
    return std::nullopt;
  }
  if (fullest.holds()) {
    const ServingBound bound =
        service_.fewer_are_faster() ? ServingBound::throughput : ServingBound::memory;
    return FoundBatch{std::move(fullest.state), {0.0, bound}, true, service_.full()};
  }
  if (!service_.half()) {
    return whole_below(std::move(fullest));
  }
  Tried half = tried(*service_.half());
  if (half.holds()) {
    return whole(std::move(half), std::move(fullest));
  }
  return is_left_at(half) ? std::nullopt : whole_below(std::move(half));
}

}  // namespace

SteadyState below_zero(const std::function<SteadyState(double)>& state_at, BatchPoint low,
                       BatchPoint high, const std::function<double(const SteadyState&)>& value) {
  SteadyState state;
  bool found = false;
  for (int trial = 1; trial < most_trials || !found; ++trial) {
    // A little below, or every guess might be a little above.
    const double aim = 0.5 * batch_tolerance;
    const double batch =
        next_guess({low.batch, low.value + aim}, {high.batch, high.value + aim}, trial);
    SteadyState tried = state_at(batch);
    const BatchPoint point = {batch, value(tried)};
    if (point.value > 0.0) {
      high = point;
    } else {
      low = point;
      state = std::move(tried);
      found = true;
    }
    if (found &&
        (low.value >= -batch_tolerance || high.batch - low.batch <= batch_tolerance * high.batch)) {
      break;
    }
  }
  return state;
}

std::optional<FoundBatch> largest_batch(const OpenService& service, const ServingLimits& limits,
                                        const IsEnough& is_enough) {
  return Batches(service, limits, is_enough).largest();
}

}  // namespace scalesweep::estimator
