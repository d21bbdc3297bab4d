// What one step of a job costs and emits on a system that is owned.
#pragma once

#include <array>
#include <limits>
#include <numeric>

#include "technology/cost.hpp"

namespace scalesweep::study {

struct StepPrice {
  double capital_usd = 0.0;  // price of the whole system, not of a step
  // The part of it that a step uses up, by technology::Capital.
  std::array<double, technology::capital_count> parts_usd{};
  // Of technology::Repricing, which are no further parts.
  std::array<double, technology::repricing_count> repricing_usd{};
  double energy_usd = 0.0;      // devices, networks and servers, as the site pays for it
  double embodied_kg = 0.0;     // CO2 equivalent of making the system that a step uses up
  double operational_kg = 0.0;  // CO2 equivalent of the energy

  double written_off_usd() const {
    return std::accumulate(parts_usd.begin(), parts_usd.end(), 0.0);
  }
  // With the maker's margin taken the other way; NaN where nothing tells.
  double otherwise_usd() const { return cost_usd() - parts_usd.front() + repricing_usd.front(); }
  double cost_usd() const { return written_off_usd() + energy_usd; }
  double carbon_kg() const { return embodied_kg + operational_kg; }
  StepPrice& operator+=(const StepPrice& o);
};

// Where the catalog does not know what a system costs.
inline constexpr double unknown_price = std::numeric_limits<double>::quiet_NaN();
inline constexpr StepPrice no_price = [] {
  StepPrice price = {unknown_price, {}, {}, unknown_price, unknown_price, unknown_price};
  price.parts_usd.fill(unknown_price);
  price.repricing_usd.fill(unknown_price);
  return price;
}();

// `energy_j` is that of all devices and networks; servers add their power over the whole step.
StepPrice step_price(const technology::Ownership& ownership, double step_s, double devices,
                     double energy_j);

}  // namespace scalesweep::study
