// How fast a block of logic may be clocked under a power budget: the voltage-frequency law.
//
//   f ∝ (V − Vt)² / V,  dynamic power ∝ f V²,  leakage ∝ V
//
// (alpha-power law with alpha = 2: Sakurai and Newton, IEEE JSSC 25(2), 1990, as DeepFlow uses it:
// Ardalani et al., "DeepFlow: A Cross-Stack Pathfinding Framework for Distributed AI Systems", ACM
// TODAES 2024; without leakage the voltage solves V(V − Vt)² = (P / P_nominal) Vn (Vn − Vt)².)
#pragma once

#include <cstdint>
#include <string_view>

#include "core/enum_names.hpp"
#include "core/quantity.hpp"

namespace scalesweep::technology {

struct VoltageCurve {
  Volts nominal;    // where the nominal clock is reached
  Volts threshold;  // Vt: the clock is 0 there
  Volts minimum;    // lowest supply that works; below it the clock falls at constant voltage
  Volts maximum;    // highest supply that is reliable

  friend bool operator==(const VoltageCurve&, const VoltageCurve&) = default;
};

// Clock at a voltage as a multiple of the nominal clock.
double relative_frequency(const VoltageCurve& curve, Volts voltage);

// What set the voltage: the power budget, the highest or the lowest supply.
enum class VoltageLimit : std::uint8_t { power, maximum, minimum };
inline constexpr auto voltage_limit_names =
    enum_names<VoltageLimit>("power budget", "maximum voltage", "minimum voltage");
constexpr std::string_view name_of(VoltageLimit limit) {
  return voltage_limit_names[limit];
}

struct OperatingPoint {
  bool feasible = false;    // false: leakage alone takes the budget
  Volts unbounded_voltage;  // where the budget is used up exactly, 0 if infeasible
  Volts voltage;            // supply
  double frequency = 0.0;   // multiple of the nominal clock
  VoltageLimit limit = VoltageLimit::power;
  Watts dynamic_power;
  Watts leakage_power;
};

// The fastest point whose dynamic and leakage power stay within `budget`; the nominal powers are
// those at the nominal voltage and clock. Without leakage, below the minimum voltage the clock is
// f(V) (V / minimum)²: the same power at the held voltage.
OperatingPoint settle(const VoltageCurve& curve, Watts budget, Watts nominal_dynamic,
                      Watts nominal_leakage);

// The point at `voltage`, of the curve or above its threshold, whatever that takes.
OperatingPoint at_voltage(const VoltageCurve& curve, Volts voltage, Watts nominal_dynamic,
                          Watts nominal_leakage);

}  // namespace scalesweep::technology
