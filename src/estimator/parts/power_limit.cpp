#include "estimator/parts/power_limit.hpp"

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
int steps_for(double excess) {
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

double power_of_w(const technology::System& system, const Cost& of_one_device) {
  const double time_s = of_one_device.time.total_s();
  const EnergyUse energy = energy_of(system, of_one_device.work, 1.0, time_s);
  return device_power_w(system, of_one_device.work, energy, 1.0, time_s);
}

int settled_clock_step(double limit_w, int fast_step, double fast_w,
                       const std::function<double(int)>& power_w) {
  const auto at = [limit_w](int step, double w) { return Tried{step, std::log(w / limit_w)}; };
  const auto tried = [&](int step) { return at(step, power_w(step)); };
  Tried fast = at(fast_step, fast_w);
  if (fast.excess <= 0.0 || fast_step >= slowest_clock_step) {
    return fast_step;
  }
  Tried slow = tried(std::min(fast_step + steps_for(fast.excess), slowest_clock_step));
  while (slow.excess > 0.0 && slow.step < slowest_clock_step) {
    fast = slow;
    slow = tried(std::min(2 * slow.step, slowest_clock_step));
  }
  // The secant, and every third time the middle, which ends the search whatever the curve is like.
  for (int trial = 1; slow.excess <= 0.0 && slow.step - fast.step > 1; ++trial) {
    const int guess = trial % 3 == 0 ? (fast.step + slow.step) / 2 : crossing(fast, slow);
    const Tried next = tried(std::clamp(guess, fast.step + 1, slow.step - 1));
    (next.excess > 0.0 ? fast : slow) = next;
  }
  return slow.step;
}

}  // namespace scalesweep::estimator
