#include "technology/derive/clock.hpp"

#include <cmath>

#include "core/contracts.hpp"

namespace scalesweep::technology {

Volts supply_for(const VoltageCurve& curve, Volts supply, double fraction) {
  SCALESWEEP_EXPECT(curve.threshold < supply && fraction > 0.0 && fraction <= 1.0);
  if (supply <= curve.minimum) {
    return supply;
  }
  // With s = fraction (V0 - Vt)^2 / V0 the law is V^2 - (2 Vt + s) V + Vt^2 = 0; the larger root is
  // the one above the threshold.
  const double threshold = curve.threshold.si();
  const double over = supply.si() - threshold;
  const double half = threshold + 0.5 * fraction * over * over / supply.si();
  const Volts volts = Volts::si(half + std::sqrt(half * half - threshold * threshold));
  return volts < curve.minimum ? curve.minimum : volts;
}

Device at_clock(const Device& device, double fraction) {
  SCALESWEEP_EXPECT(fraction > 0.0 && fraction <= 1.0);
  if (fraction == 1.0) {
    return device;  // to the last bit
  }
  const bool known = device.supply.si() > 0.0;
  return at_clock_and_supply(device, fraction,
                             known ? supply_for(device.voltage, device.supply, fraction) : Volts());
}

Device at_clock_and_supply(const Device& device, double fraction, Volts supply) {
  Device other = device;
  other.clock *= fraction;
  other.active_power *= fraction;
  for (FlopPerSecond& peak : other.tensor_peak) {
    peak *= fraction;
  }
  other.vector_peak *= fraction;
  other.l2.bandwidth *= fraction;
  other.shared.bandwidth *= fraction;
  if (device.memory_in_cores) {
    other.dram.bandwidth *= fraction;
  }
  if (device.supply.si() <= 0.0) {
    return other;
  }
  other.supply = supply;
  const double relative = other.supply / device.supply;
  const double squared = relative * relative;
  for (JoulesPerFlop& energy : other.tensor_energy) {
    energy *= squared;
  }
  other.active_power *= squared;
  other.vector_energy *= squared;
  other.l2.energy *= squared;
  other.shared.energy *= squared;
  if (device.memory_in_cores) {
    other.dram.energy *= squared;
  }
  other.leakage_power *= relative;
  other.idle_power += other.leakage_power - device.leakage_power;
  return other;
}

}  // namespace scalesweep::technology
