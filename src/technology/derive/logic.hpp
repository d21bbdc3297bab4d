// A logic process node as factors: logic, SRAM and analog scale separately, because they do.
#pragma once

#include <string>

#include "technology/derive/voltage.hpp"

namespace scalesweep::technology {

// All factors are relative to the reference node of the series (1 there). At its nominal voltage
// every node runs a circuit at the same clock (foundries state power "at iso-speed").
struct LogicNode {
  std::string name;               // "N5"
  std::string series;             // "foundry": whose factors these are
  double logic_density = 1.0;     // gates per area
  double sram_density = 1.0;      // bits per area
  double analog_density = 1.0;    // interfaces and analog circuits per area
  double switching_energy = 1.0;  // of one operation at nominal voltage
  double leakage = 1.0;           // of the same circuit at nominal voltage
  VoltageCurve voltage;
};

// `steps` steps beyond `last`: every factor changes again by what it changed from `previous` to
// `last`. Arithmetic, no forecast.
LogicNode extrapolate(const LogicNode& last, const LogicNode& previous, int steps);

}  // namespace scalesweep::technology
