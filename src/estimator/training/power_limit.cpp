#include "estimator/training/power_limit.hpp"

#include <algorithm>
#include <cmath>

#include "technology/derive/clock.hpp"

namespace scalesweep::estimator {
namespace {

// A clock that was tried, with the logarithm of its power over the limit: above 0 it is too fast.
struct Tried {
  int step = 0;
  double excess = 0.0;
};

// Where the line through both crosses 0, rounded to the slower clock.
int crossing(const Tried& fast, const Tried& slow) {
  const double slope = (slow.excess - fast.excess) / (slow.step - fast.step);
  return static_cast<int>(std::ceil(fast.step - fast.excess / slope));
}

// Power falls at least as the clock does, mostly as its square: dynamic power with V^2 f.
int first_guess(double excess) {
  const double halvings = excess / (2.0 * std::log(2.0));
  return static_cast<int>(
      std::ceil(std::clamp(halvings * clock_steps_per_halving, 1.0, double{slowest_clock_step})));
}

}  // namespace

double clock_fraction(int clock_step) {
  return std::exp2(-clock_step / clock_steps_per_halving);
}

technology::System at_clock_step(technology::System system, int clock_step) {
  system.device = technology::at_clock(system.device, clock_fraction(clock_step));
  return system;
}

TrainingEstimate settle_clock(const TrainingEstimate& full, double limit_w,
                              const std::function<TrainingEstimate(int)>& at_step) {
  const auto excess = [limit_w](const TrainingEstimate& estimate) {
    return std::log(estimate.device_power_w / limit_w);
  };
  Tried fast = {0, excess(full)};
  Tried slow = {first_guess(fast.excess), 0.0};
  TrainingEstimate settled = at_step(slow.step);
  slow.excess = excess(settled);
  while (slow.excess > 0.0 && slow.step < slowest_clock_step) {
    fast = slow;
    slow.step = std::min(2 * slow.step, slowest_clock_step);
    settled = at_step(slow.step);
    slow.excess = excess(settled);
  }
  // The secant, and every third time the middle, which ends the search whatever the curve is like.
  for (int trial = 1; slow.excess <= 0.0 && slow.step - fast.step > 1; ++trial) {
    const int guess = trial % 3 == 0 ? (fast.step + slow.step) / 2 : crossing(fast, slow);
    Tried next = {std::clamp(guess, fast.step + 1, slow.step - 1), 0.0};
    const TrainingEstimate estimate = at_step(next.step);
    next.excess = excess(estimate);
    if (next.excess > 0.0) {
      fast = next;
    } else {
      slow = next;
      settled = estimate;
    }
  }
  settled.clock_fraction = clock_fraction(slow.step);
  settled.model_flop_utilization *= settled.clock_fraction;  // of the peak at the full clock
  return settled;
}

}  // namespace scalesweep::estimator
