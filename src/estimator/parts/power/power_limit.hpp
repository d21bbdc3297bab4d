// The clock that a device settles at when what it runs would take more than its thermal design
// power: the highest one within it. One law for catalogued and derived devices, for training,
// prefill, decode and serving.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "estimator/parts/power/energy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// Clocks are tried on a grid, as devices have one: step n is 2^(-n / 1000) of the full clock, 0.07
// % between neighbours, down to the lowest clock that can be set, or to 5 % where nobody knows it;
// static power must be what exceeds the limit there.
inline constexpr double clock_steps_per_halving = 1000.0;
inline constexpr int slowest_clock_step = 4322;
double clock_fraction(int clock_step);
// Of a device at its full clock: the last step that it has.
int slowest_step(const technology::Device& full);
technology::System at_clock_step(technology::System system, int clock_step);

// Whether a device that would take `power_w` has to slow down; never where no limit is known.
inline bool exceeds_power(double power_w, const technology::Device& device) {
  const double limit_w = device.thermal_design_power.si();
  return limit_w > 0.0 && power_w > limit_w;
}

// A limit that no clock keeps: what a device takes at its slowest one, where that is above its
// limit. 0 where the limit is kept, or none is known.
double unkept_power_w(const technology::Device& full, int clock_step, double power_w);
// Says so: what it takes, at which clock, and the limit.
std::string unkept_limit_text(const technology::Device& full, double unkept_w);
// Whether there may be work that breaks the limit: all that can run at the slowest clock at a time
// takes more than it. Where it does not no work needs to be looked at.
bool may_break_limit(const technology::System& full);

// Average power of one device while it does this.
double power_of_w(const technology::System& system, const Cost& of_one_device);

// Where a device that does this at its full clock, and then exceeds its limit, would keep within it
// if time that the clock sets grew as the clock falls and nothing else changed: a first guess.
int expected_clock_step(const technology::System& system, const Cost& of_one_device);

// The first step after `fast_step` at which power_w(step) keeps within the limit of a device, where
// that step takes fast_w, which is more, and power falls from step to step; slowest_step() if none
// does. The search begins at `guess` where there is one. Pure in what power_w returns: the same
// steps are tried whatever was computed before.
int settled_clock_step(const technology::Device& full, int fast_step, double fast_w,
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
Estimate at_settled_clock(const technology::Device& full, double full_w,
                          const std::function<Estimate(int)>& at,
                          const std::function<double(const Estimate&)>& power_w,
                          std::optional<int> guess = {}) {
  std::map<int, Estimate> tried;
  const int step = settled_clock_step(
      full, 0, full_w,
      [&](int one) { return power_w(tried.insert_or_assign(one, at(one)).first->second); }, guess);
  return std::move(tried.at(step));
}

}  // namespace scalesweep::estimator
