#include "study/kinds/training/power_limit.hpp"

#include <fmt/format.h>

#include "estimator/parts/power/power_limit.hpp"

namespace scalesweep::study {

std::string broken_power_limit(const estimator::TrainingEstimate& step, Watts limit,
                               Hertz full_clock) {
  constexpr double rounded = 1.0 + 1e-9;
  static const double slowest = estimator::clock_fraction(estimator::slowest_clock_step);
  const double limit_w = limit.si();
  const bool is_broken = limit_w > 0.0 && step.clock_fraction < rounded * slowest &&
                         step.busy_power_w > rounded * limit_w;
  return is_broken
             ? fmt::format(
                   "a device takes {:.4g} W at its slowest clock, {:.3g} MHz; its power limit is "
                   "{:.4g} W",
                   step.busy_power_w, 1e-6 * step.clock_fraction * full_clock.si(), limit_w)
             : "";
}

}  // namespace scalesweep::study
