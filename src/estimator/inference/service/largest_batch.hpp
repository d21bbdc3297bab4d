// The search for the number of sequences at which a service keeps its limits.
#pragma once

#include <functional>
#include <optional>

#include "estimator/inference/job.hpp"
#include "estimator/inference/service/open_service.hpp"
#include "estimator/inference/service/steady_state.hpp"

namespace scalesweep::estimator {

inline constexpr double batch_tolerance = 1e-6;  // of a number of sequences, relative

struct FoundBatch {
  SteadyState state;
  Pressure pressure;  // of the first state that is too much, or of this one if it does not hold
  bool holds = true;
  FullBatch full = {};     // of requests that arrive at random: the places that the engine has
  bool is_capped = false;  // those are fewer than there could be
};

// Of a state that has as many sequences as what is looked for, or more: whether it is known now
// that nobody wants to know what that is. Null: everybody does.
using IsEnough = std::function<bool(const SteadyState&)>;

// The most sequences that keep the limits: whole ones for each replica, or less than one where an
// engine that is not always busy keeps them and one that is does not. With all places taken no
// limit on the first token is kept: requests wait for one without end. Nothing where the search was
// left.
//
// A service that is found to be nearly full takes the places that serve the most.
std::optional<FoundBatch> largest_batch(OpenService& service, const ServingLimits& limits,
                                        const IsEnough& is_enough = nullptr);

// A number of sequences and what a growing function is there.
struct BatchPoint {
  double batch = 0.0;
  double value = 0.0;
};

// The state with the most sequences for which `value` is not above 0: it is not at `low`, and is at
// `high`. Found to the tolerance, of the batch or of the value.
SteadyState below_zero(const std::function<SteadyState(double)>& state_at, BatchPoint low,
                       BatchPoint high, const std::function<double(const SteadyState&)>& value);

// The same among whole numbers: `low` is the state at one of them.
SteadyState whole_below_zero(const std::function<SteadyState(double)>& state_at, SteadyState low,
                             BatchPoint low_at, BatchPoint high,
                             const std::function<double(const SteadyState&)>& value);

}  // namespace scalesweep::estimator
