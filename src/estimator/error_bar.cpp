#include "estimator/error_bar.hpp"

#include <algorithm>
#include <cmath>

namespace scalesweep::estimator {

double limit_uncertainty(const technology::Device& device, double clock_fraction) {
  const double limit_w = device.thermal_design_power.si();
  const double measured_w = device.lowest_measured_power.si();
  if (limit_w <= 0.0 || limit_w >= measured_w || clock_fraction >= 1.0) {
    return 0.0;
  }
  // As clocks: (limit / measured) to (limit / measured)^(1/3), either side of their mean.
  return std::min(std::cbrt(measured_w / limit_w), 1.0 / clock_fraction) - 1.0;
}

technology::Uncertainty at_limit(technology::Uncertainty uncertainty, double limit_uncertainty) {
  uncertainty.traits[static_cast<std::size_t>(technology::Trait::power_limit_not_measured)].added =
      limit_uncertainty;
  return uncertainty;
}

}  // namespace scalesweep::estimator
