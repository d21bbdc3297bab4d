// The clock that a device settles at when a step would take more than its thermal design power on
// average: the highest one within it.
#pragma once

#include <functional>

#include "estimator/training/estimate.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// Clocks are tried on a grid, as devices have one: step n is 2^(-n / 1000) of the full clock, 0.07
// % between neighbours, down to 5 %, where static power must be what exceeds the limit.
inline constexpr double clock_steps_per_halving = 1000.0;
inline constexpr int slowest_clock_step = 4322;
double clock_fraction(int clock_step);
technology::System at_clock_step(technology::System system, int clock_step);

inline bool exceeds_power(const TrainingEstimate& estimate, const technology::Device& device) {
  const double limit_w = device.thermal_design_power.si();  // 0: none is known
  return limit_w > 0.0 && estimate.device_power_w > limit_w;
}

// `at_step` estimates at the n-th clock; `full` is its estimate at clock step 0, which exceeds the
// limit. Pure in what at_step returns: the same clocks are tried whatever was computed before.
TrainingEstimate settle_clock(const TrainingEstimate& full, double limit_w,
                              const std::function<TrainingEstimate(int)>& at_step);

}  // namespace scalesweep::estimator
