// What a system costs and emits: of making it, and of running it.
#pragma once

#include <optional>
#include <string>

#include "core/quantity.hpp"
#include "technology/device.hpp"
#include "technology/memory.hpp"
#include "technology/package.hpp"

namespace scalesweep::technology {

// Making wafers of a logic node.
struct Process {
  std::string name;  // "N5"
  Usd wafer_price;
  Metres wafer_diameter;
  PerSquareMetre defect_density;  // D0
  double clustering = 3.0;        // alpha of the negative binomial yield
  double repairable_share = 0.0;  // of the die area where a defect costs one core, not the die
  KilogramsCo2PerArea carbon;     // of a processed wafer
  std::optional<double> die_yield = std::nullopt;  // in place of what defects leave
};

// Assumptions about buying and running; every one is catalog data that a study can override.
struct Economics {
  std::string name;
  UsdPerJoule energy_price;
  double power_usage_effectiveness = 1.0;  // power of the site over that of the computers
  KilogramsCo2PerJoule grid_carbon;
  Seconds lifetime;          // over which capital and embodied carbon are written off
  double utilization = 1.0;  // fraction of the lifetime spent on such work
  double interest = 0.0;     // cost of capital, 1/year; at 0 it is written off in equal parts

  // What is sold over what it takes: design, software and profit of the maker are on its dies.
  double silicon_markup = 1.0;  // price of dies over making them
  // Whether that holds also where the price of a product says what its maker asks.
  bool one_silicon_markup = false;
  // In place of a markup: what the maker of any device asks beside what making its dies takes, or
  // the price of a derived device, memory and package in it.
  std::optional<Usd> margin = std::nullopt;
  std::optional<Usd> device_price = std::nullopt;
  // In place of what the catalog says of every process, memory and package: the last two as they
  // are sold in a device.
  std::optional<Usd> wafer_price = std::nullopt;
  std::optional<PerSquareMetre> defect_density = std::nullopt;
  std::optional<double> die_yield = std::nullopt;  // in place of what defects leave
  std::optional<UsdPerByte> memory_price = std::nullopt;
  std::optional<Usd> package_price = std::nullopt;
  std::optional<double> memory_markup = std::nullopt;  // in place of parts_markup
  double parts_markup = 1.0;    // price of memory and package in a device over making them
  double network_markup = 1.0;  // price of network equipment over its catalogued cost
  double rental_markup = 1.0;   // what renting asks for capital over what the owner paid

  // By the power of all that stands in the site at once (critical power).
  UsdPerWatt facility_cost;   // building, electrical and cooling plant
  Seconds facility_lifetime;  // over which they are written off
  UsdPerWatt delivery_cost;   // supplies, regulators, cold plates: written off with the device

  Usd server_cost;             // per accelerator: host, board, chassis
  Watts server_power;          // per accelerator: the same
  KilogramsCo2 server_carbon;  // per accelerator, embodied
};

}  // namespace scalesweep::technology
