// Capital cost and embodied carbon of a device and a system, and their rates over its life.
//
// Dies per wafer and negative binomial yield: Cunningham, "The use and evaluation of yield models
// in integrated circuit manufacturing", IEEE Trans. Semiconductor Manufacturing 3(2), 1990; Feng
// and Ma, "Chiplet Actuary" (DAC 2022) for packages. Carbon: Gupta et al., "ACT: Designing
// Sustainable Computer Systems with an Architectural Carbon Modeling Tool" (ISCA 2022).
#pragma once

#include "technology/economics.hpp"

namespace scalesweep::technology {

// Whole dies on a round wafer: pi d^2 / 4 A - pi d / sqrt(2 A). May be below 1: then none fits.
double dies_per_wafer(Metres wafer_diameter, SquareMetres die_area);

// (1 + A D0 / alpha)^-alpha over the area where a defect kills the die.
double die_yield(const Process& process, SquareMetres die_area);

// `steps` steps beyond `last`, by what price, defects and carbon changed from `previous` to `last`.
Process extrapolate(const Process& last, const Process& previous, int steps);

// What making one device takes, before any markup.
struct DeviceCost {
  double die_yield = 1.0;
  double dies_per_wafer = 0.0;
  Usd dies;     // all good dies of the device
  Usd memory;   // all stacks
  Usd package;  // carrier, assembly and what assembly loses
  KilogramsCo2 dies_carbon;
  KilogramsCo2 memory_carbon;
  KilogramsCo2 package_carbon;

  Usd total() const { return dies + memory + package; }
  KilogramsCo2 total_carbon() const { return dies_carbon + memory_carbon + package_carbon; }
};
DeviceCost device_cost(const Device& device, const Process& process, const MemoryTechnology& memory,
                       const Package& package);

// Of one accelerator of a system with everything that is bought for it, and what a step then costs:
// cost = capital_per_second * time * devices + energy * energy_price * PUE, carbon likewise.
struct Ownership {
  DeviceCost device;
  Usd device_price;
  Usd network_price;
  Usd server_price;                // share of one accelerator
  KilogramsCo2 server_carbon;      // the same, embodied
  Usd capital;                     // device, networks and server share, per accelerator
  KilogramsCo2 embodied;           // per accelerator
  double capital_usd_per_s = 0.0;  // of use, per accelerator
  double embodied_kg_per_s = 0.0;
  double energy_usd_per_j = 0.0;  // at the wall, PUE included
  double energy_kg_per_j = 0.0;
  double server_power_w = 0.0;  // beside the device, per accelerator
};
Ownership ownership_of(const DeviceCost& device, const System& system, const Economics& economics);

}  // namespace scalesweep::technology
