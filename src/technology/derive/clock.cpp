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
  Device slower = device;
  slower.clock *= fraction;
  slower.active_power *= fraction;
  for (FlopPerSecond& peak : slower.tensor_peak) {
    peak *= fraction;
  }
  slower.vector_peak *= fraction;
  slower.l2.bandwidth *= fraction;
  slower.shared.bandwidth *= fraction;
  if (device.memory_in_cores) {
    slower.dram.bandwidth *= fraction;
  }
  if (device.supply.si() <= 0.0) {
    return slower;
  }
  slower.supply = supply_for(device.voltage, device.supply, fraction);
  const double relative = slower.supply / device.supply;
  const double squared = relative * relative;
  for (JoulesPerFlop& energy : slower.tensor_energy) {
    energy *= squared;
  }
  slower.active_power *= squared;
  slower.vector_energy *= squared;
  slower.l2.energy *= squared;
  slower.shared.energy *= squared;
  if (device.memory_in_cores) {
    slower.dram.energy *= squared;
  }
  slower.leakage_power *= relative;
  slower.idle_power += slower.leakage_power - device.leakage_power;
  return slower;
}

}  // namespace scalesweep::technology
