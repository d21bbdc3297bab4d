// Error bars of estimates: what the catalog says of a device, framework and scale, by what a point
// has (traits.hpp), and what a power limit adds where none so low was measured.
#pragma once

#include <cstddef>

#include "technology/device.hpp"
#include "technology/uncertainty.hpp"

namespace scalesweep::estimator {

// Relative, of a time in which a device runs at this share of its full clock, since its limit is
// below all that its die was measured at; 0 elsewhere. Nobody knows which law the clock follows
// there: it may fall as the limit does, where the voltage is at its lowest, or as its cube root,
// where the voltage falls with it. The model has one of them or something between, so that a time
// may be off by what is between both, and no more than the limit slows the device down.
double limit_uncertainty(const technology::Device& device, double clock_fraction);

// The same with what a limit adds to a point that has the trait.
technology::Uncertainty at_limit(technology::Uncertainty uncertainty, double limit_uncertainty);

// Sets what an estimate of so many devices, with its traits, has by `uncertainty`.
template <typename Estimate>
void set_error_bar(Estimate& estimate, const technology::Uncertainty& uncertainty, double devices) {
  const auto set = [&](const technology::Uncertainty& of) {
    estimate.least_known = technology::least_known(of, devices, estimate.traits);
    estimate.relative_uncertainty = technology::relative_uncertainty(of, devices, estimate.traits);
  };
  if (estimate.limit_uncertainty <= 0.0) {
    set(uncertainty);
    return;
  }
  estimate.traits.set(static_cast<std::size_t>(technology::Trait::power_limit_not_measured));
  set(at_limit(uncertainty, estimate.limit_uncertainty));
}

}  // namespace scalesweep::estimator
