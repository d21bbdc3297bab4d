// The clock that a device settles at when what it runs would take more than its thermal design
// power: the highest one within it. One law for catalogued and derived devices, for training,
// prefill, decode and serving.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "estimator/parts/power/energy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// Clocks are tried on a grid, as devices have one: step n is 2^(-n / 1000) of the full clock, 0.07
// % between neighbours, down to 5 %, where static power must be what exceeds the limit.
inline constexpr double clock_steps_per_halving = 1000.0;
inline constexpr int slowest_clock_step = 4322;
double clock_fraction(int clock_step);
technology::System at_clock_step(technology::System system, int clock_step);

// Whether a device that would take `power_w` has to slow down; never where no limit is known.
inline bool exceeds_power(double power_w, const technology::Device& device) {
  const double limit_w = device.thermal_design_power.si();
  return limit_w > 0.0 && power_w > limit_w;
}

// Average power of one device while it does this.
double power_of_w(const technology::System& system, const Cost& of_one_device);

// Where a device that does this at its full clock, and then exceeds its limit, would keep within it
// if time that the clock sets grew as the clock falls and nothing else changed: a first guess.
int expected_clock_step(const technology::System& system, const Cost& of_one_device);

// The first step after `fast_step` at which power_w(step) keeps within limit_w, where that step
// takes fast_w, which is more, and power falls from step to step; slowest_clock_step if none does.
// The search begins at `guess` where there is one. Pure in what power_w returns: the same steps are
// tried whatever was computed before.
int settled_clock_step(double limit_w, int fast_step, double fast_w,
                       const std::function<double(int)>& power_w, std::optional<int> guess = {});

// A step of a coarse grid (`near_steps` apart) that the same settles at or after, and near it;
// systems that differ a little share it. power_w(step) falls from step to step, but may rise by
// this share where kernels change their tiles.
inline constexpr int near_steps = 16;  // 1.1 % of the clock
int near_clock_step(const technology::System& system, const Cost& of_one_device,
                    const std::function<double(int)>& power_w, double rise = 0.0);

// Sums in another order differ in their last digits: a bound is taken to be so much lower.
inline constexpr double sums_rounded = 1.0 - 1e-9;
// The power at a clock that a limit sets is as near below the limit as the next clock is to it:
// some tenths of a percent.
inline constexpr double nearly_all_power = 0.98;

// What passes of one device take: `passes` of them are run by all devices of a system together.
struct PassWork {
  const Work& work;  // of one, or less
  double pass_s;     // or less, at the clock of the system
  double passes;
};
// Joules at least of so many devices that run these in `total_s` seconds or more. A device that
// slows down spends its thermal design power on the passes, and those take as long or longer.
double least_energy_j(const technology::System& system, const PassWork& of, double devices,
                      double total_s);

// What `at` estimates at that step, each step once.
template <typename Estimate>
Estimate at_settled_clock(double limit_w, double full_w, const std::function<Estimate(int)>& at,
                          const std::function<double(const Estimate&)>& power_w,
                          std::optional<int> guess = {}) {
  std::map<int, Estimate> tried;
  const int step = settled_clock_step(
      limit_w, 0, full_w,
      [&](int one) { return power_w(tried.insert_or_assign(one, at(one)).first->second); }, guess);
  return std::move(tried.at(step));
}

}  // namespace scalesweep::estimator
