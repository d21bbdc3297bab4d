// A device at a lower clock, as a power limit sets it.
#pragma once

#include "technology/device.hpp"

namespace scalesweep::technology {

// What power limits lower a clock to at most: there static power must be what exceeds them.
inline constexpr double least_clock_fraction = 0.05;

// The supply at which the clock is `fraction` of that at `supply`: f ~ (V - Vt)^2 / V (voltage.hpp)
// solved for V, not below the curve's minimum, where the clock falls at constant voltage.
Volts supply_for(const VoltageCurve& curve, Volts supply, double fraction);

// The device at `fraction` (above 0, at most 1) of its clock. Cores, L2 and shared memory run
// slower; their energies fall with the square of the voltage, leakage with the voltage. DRAM, links
// and the fixed time of a kernel stay. Where the supply is not known the voltage stays as well.
Device at_clock(const Device& device, double fraction);

// The same at any supply and fraction, also above its rated ones; `supply` is not asked for where
// that of the device is not known.
Device at_clock_and_supply(const Device& device, double fraction, Volts supply);

}  // namespace scalesweep::technology
