#include "technology/derive/voltage.hpp"

#include <algorithm>
#include <cmath>

#include "core/contracts.hpp"

namespace scalesweep::technology {
namespace {

// (V − Vt)² / V, the shape of the clock.
double frequency_shape(double voltage, double threshold) {
  const double overdrive = std::max(0.0, voltage - threshold);
  return overdrive * overdrive / voltage;
}

// The voltage above the threshold where a V (V − Vt)² + b V = budget, 0 if there is none. The left
// side is convex and rises, so Newton's method falls onto the root from any point above it.
double voltage_for_power(double cubic, double linear, double threshold, double budget) {
  if (budget <= linear * threshold) {
    return 0.0;
  }
  double voltage = threshold + std::cbrt(budget / cubic);  // cubic term alone is above the budget
  for (int iteration = 0; iteration < 60; ++iteration) {
    const double over = voltage - threshold;
    const double power = cubic * voltage * over * over + linear * voltage;
    const double slope = cubic * over * (3.0 * voltage - threshold) + linear;
    const double step = (power - budget) / slope;
    voltage -= step;
    if (std::abs(step) < 1e-14 * voltage) {
      break;
    }
  }
  return voltage;
}

}  // namespace

double relative_frequency(const VoltageCurve& curve, Volts voltage) {
  return frequency_shape(voltage.si(), curve.threshold.si()) /
         frequency_shape(curve.nominal.si(), curve.threshold.si());
}

OperatingPoint at_voltage(const VoltageCurve& curve, Volts voltage, Watts nominal_dynamic,
                          Watts nominal_leakage) {
  SCALESWEEP_EXPECT(curve.threshold < voltage);
  const double relative = voltage / curve.nominal;
  OperatingPoint point;
  point.feasible = true;
  point.unbounded_voltage = point.voltage = voltage;
  point.frequency = relative_frequency(curve, voltage);
  point.limit = VoltageLimit::maximum;
  point.dynamic_power = nominal_dynamic * (point.frequency * relative * relative);
  point.leakage_power = nominal_leakage * relative;
  return point;
}

OperatingPoint settle(const VoltageCurve& curve, Watts budget, Watts nominal_dynamic,
                      Watts nominal_leakage) {
  SCALESWEEP_EXPECT(curve.threshold < curve.nominal && curve.minimum <= curve.maximum);
  SCALESWEEP_EXPECT(nominal_dynamic.si() > 0.0 && nominal_leakage.si() >= 0.0);
  const double nominal_v = curve.nominal.si();
  const double threshold_v = curve.threshold.si();
  const double nominal_over = nominal_v - threshold_v;
  const double linear = nominal_leakage.si() / nominal_v;

  OperatingPoint point;
  const double unbounded =
      voltage_for_power(nominal_dynamic.si() / (nominal_v * nominal_over * nominal_over), linear,
                        threshold_v, budget.si());
  point.unbounded_voltage = Volts::si(unbounded);
  if (unbounded >= curve.minimum.si()) {
    point.voltage = std::min(point.unbounded_voltage, curve.maximum);
    point.limit =
        point.unbounded_voltage > curve.maximum ? VoltageLimit::maximum : VoltageLimit::power;
    point.frequency = relative_frequency(curve, point.voltage);
  } else {
    // At the held voltage the clock takes what leakage leaves; without leakage that is
    // f(V) (V / minimum)².
    point.voltage = curve.minimum;
    point.limit = VoltageLimit::minimum;
    const double at_minimum = curve.minimum.si() / nominal_v;
    const double room_w = budget.si() - linear * curve.minimum.si();
    point.frequency = std::max(0.0, room_w / (nominal_dynamic.si() * at_minimum * at_minimum));
  }
  const double relative = point.voltage / curve.nominal;
  point.dynamic_power = nominal_dynamic * (point.frequency * relative * relative);
  point.leakage_power = nominal_leakage * relative;
  point.feasible = point.frequency > 0.0;
  return point;
}

}  // namespace scalesweep::technology
