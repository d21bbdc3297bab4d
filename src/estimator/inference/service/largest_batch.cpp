#include "estimator/inference/service/largest_batch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace scalesweep::estimator {
namespace {

constexpr int most_trials = 80;
constexpr double part_tolerance = 1e-3;  // of a mean number of sequences

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
    CappedState under;
    double own;  // sequences of a replica

    bool holds() const { return under.pressure.value <= 1.0; }
    BatchPoint point() const { return {own, under.pressure.excess()}; }
  };
  Tried tried(SteadyState state) const {
    const double own = state.batch / service_.replicas();
    return {best_cap(service_, std::move(state), limits_, Admission::from_queue), own};
  }
  Tried at(double own) const { return tried(service_.at(own * service_.replicas())); }
  // Of one that has as many sequences as the largest batch, or more.
  bool is_left_at(const Tried& much) const { return is_enough_ && is_enough_(much.under.state); }
  Pressure binding(const Tried& high) const;
  FoundBatch found(Tried at, const Pressure& pressure) const;
  bool narrow(Tried& low, Tried& high) const;
  std::optional<FoundBatch> whole(Tried low, Tried high) const;
  Tried part_between(const Tried& low, const Tried& high, double tolerance) const;
  std::optional<FoundBatch> part_of_one(const Tried& one) const;
  FoundBatch fastest(FoundBatch found) const;

  const OpenService& service_;
  const ServingLimits& limits_;
  const IsEnough& is_enough_;
};

// What keeps more from being served. With all places taken requests wait for one without end, which
// no limit allows: where that is all, it is the places that are too few.
Pressure Batches::binding(const Tried& high) const {
  Pressure pressure = high.under.pressure;
  if (high.under.state.batch >= service_.full().batch) {
    pressure = pressure_with_a_place(service_, high.under.state, limits_);
    if (pressure.value <= 1.0) {
      pressure.bound =
          service_.fewer_are_faster() ? ServingBound::throughput : ServingBound::memory;
    }
  }
  pressure.value = 1.0;
  return pressure;
}

FoundBatch Batches::found(Tried at, const Pressure& pressure) const {
  return {std::move(at.under.state), pressure, true, at.under.places, at.under.is_capped(service_)};
}

// To neighbours among whole sequences for each replica: `low` keeps the limits, `high` does not.
// False where the search is left.
bool Batches::narrow(Tried& low, Tried& high) const {
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
        return false;
      }
      to = next.point();
      high = std::move(next);
    }
  }
  return true;
}

// Whole sequences for each replica, then their mean.
std::optional<FoundBatch> Batches::whole(Tried low, Tried high) const {
  if (!narrow(low, high)) {
    return std::nullopt;
  }
  Pressure pressure = binding(high);
  low = part_between(low, high, part_tolerance);
  if (low.under.pressure.value > 1.0 - 2.0 * part_tolerance) {
    pressure.bound = low.under.pressure.bound;
  }
  return fastest(found(std::move(low), pressure));
}

// Fewer sequences, where those are served faster altogether and keep the limits. What comes faster
// may wait longer, and prompts may come faster than a pool takes them: as many then as it allows.
FoundBatch Batches::fastest(FoundBatch found) const {
  const double own = std::floor(found.state.batch / service_.replicas());
  const ServedBatch best = own > 1.0 ? service_.fastest(own) : ServedBatch{};
  if (best.rate <= found.state.request_rate) {
    return found;
  }
  Tried fewer = at(best.own);
  if (!fewer.holds()) {
    Tried low = at(fewer_sequences(fewer.own));
    if (!low.holds() || !narrow(low, fewer)) {
      return found;
    }
    fewer = part_between(low, fewer, part_tolerance);
    if (fewer.under.state.request_rate <= found.state.request_rate) {
      return found;
    }
  }
  const Pressure pressure = {found.pressure.value, ServingBound::throughput};
  return this->found(std::move(fewer), pressure);
}

std::optional<FoundBatch> Batches::part_of_one(const Tried& one) const {
  if (is_left_at(one)) {
    return std::nullopt;
  }
  const double little = 1e-3;
  Tried idle = at(little);
  if (!idle.holds()) {
    return FoundBatch{std::move(idle.under.state), idle.under.pressure, false, idle.under.places};
  }
  return found(part_between(idle, one, batch_tolerance), binding(one));
}

Batches::Tried Batches::part_between(const Tried& low, const Tried& high, double tolerance) const {
  Tried best = low;
  BatchPoint from = low.point();
  BatchPoint to = high.point();
  for (int trial = 1; trial < most_trials && from.value < -tolerance &&
                      to.batch - from.batch > tolerance * to.batch;
       ++trial) {
    // A little below, or every guess might be a little above.
    const double aim = 0.5 * tolerance;
    Tried next = at(next_guess({from.batch, from.value + aim}, {to.batch, to.value + aim}, trial));
    (next.holds() ? from : to) = next.point();
    if (next.holds()) {
      best = std::move(next);
    }
  }
  return best;
}

std::optional<FoundBatch> Batches::largest() {
  Tried fullest = tried(service_.fullest());
  if (is_left_at(fullest)) {
    return std::nullopt;
  }
  if (fullest.holds()) {
    const ServingBound bound =
        service_.fewer_are_faster() ? ServingBound::throughput : ServingBound::memory;
    return fastest(found(std::move(fullest), {0.0, bound}));
  }
  Tried high = std::move(fullest);
  while (high.own > 1.0) {
    Tried next = at(fewer_sequences(high.own));
    if (next.holds()) {
      return whole(std::move(next), std::move(high));
    }
    if (is_left_at(next)) {
      return std::nullopt;
    }
    high = std::move(next);
  }
  return part_of_one(high);
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

SteadyState whole_below_zero(const std::function<SteadyState(double)>& state_at, SteadyState low,
                             BatchPoint low_at, BatchPoint high,
                             const std::function<double(const SteadyState&)>& value) {
  for (int trial = 1; high.batch - low_at.batch > 1.0; ++trial) {
    const double guess = std::floor(next_guess(low_at, high, trial));
    const double batch = std::clamp(guess, low_at.batch + 1.0, high.batch - 1.0);
    SteadyState tried = state_at(batch);
    const BatchPoint point = {batch, value(tried)};
    if (point.value > 0.0) {
      high = point;
    } else {
      low_at = point;
      low = std::move(tried);
    }
  }
  return low;
}

std::optional<FoundBatch> largest_batch(OpenService& service, const ServingLimits& limits,
                                        const IsEnough& is_enough) {
  constexpr double nearly_full = 0.9;
  std::optional<FoundBatch> found = Batches(service, limits, is_enough).largest();
  const bool may_be_more =
      found && found->state.request_rate >= nearly_full * service.full().request_rate;
  return may_be_more && service.take_fastest_of_all()
             ? Batches(service, limits, is_enough).largest()
             : found;
}

}  // namespace scalesweep::estimator
