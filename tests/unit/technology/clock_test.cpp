#include "technology/derive/clock.hpp"

#include <gtest/gtest.h>

#include "support/example_system.hpp"

namespace scalesweep::technology {
namespace {

constexpr VoltageCurve curve = {Volts::si(0.75), Volts::si(0.3), Volts::si(0.5), Volts::si(0.9)};

Device device_at(double supply_v) {
  Device device = test::example_system().device;
  device.voltage = curve;
  device.supply = Volts::si(supply_v);
  device.leakage_power = Watts::si(30.0);
  return device;
}

TEST(Clock, TheSupplyIsTheOneAtWhichTheLawGivesTheClock) {
  for (const double fraction : {0.999, 0.9, 0.7, 0.55}) {
    const Volts volts = supply_for(curve, Volts::si(0.8), fraction);
    EXPECT_NEAR(relative_frequency(curve, volts) / relative_frequency(curve, Volts::si(0.8)),
                fraction, 1e-12);
  }
}

TEST(Clock, BelowTheMinimumTheSupplyStays) {
  EXPECT_EQ(supply_for(curve, Volts::si(0.75), 0.1), curve.minimum);
  EXPECT_EQ(supply_for(curve, Volts::si(0.45), 0.5), Volts::si(0.45));  // was below it already
}

TEST(Clock, RatesFallWithTheClockAndEnergiesWithTheVoltage) {
  const Device full = device_at(0.75);
  const Device slower = at_clock(full, 0.7);
  const double volts = slower.supply / full.supply;
  ASSERT_LT(volts, 0.9);
  EXPECT_NEAR(slower.clock / full.clock, 0.7, 1e-12);
  EXPECT_NEAR(slower.tensor_peak[0] / full.tensor_peak[0], 0.7, 1e-12);
  EXPECT_NEAR(slower.vector_peak / full.vector_peak, 0.7, 1e-12);
  EXPECT_NEAR(slower.l2.bandwidth / full.l2.bandwidth, 0.7, 1e-12);
  EXPECT_NEAR(slower.shared.bandwidth / full.shared.bandwidth, 0.7, 1e-12);
  EXPECT_NEAR(slower.tensor_energy[0] / full.tensor_energy[0], volts * volts, 1e-12);
  EXPECT_NEAR(slower.vector_energy / full.vector_energy, volts * volts, 1e-12);
  EXPECT_NEAR(slower.l2.energy / full.l2.energy, volts * volts, 1e-12);
  EXPECT_NEAR(slower.leakage_power / full.leakage_power, volts, 1e-12);
  EXPECT_NEAR((slower.idle_power - slower.leakage_power).si(), 50.0, 1e-9);
  EXPECT_EQ(slower.dram.bandwidth, full.dram.bandwidth);
  EXPECT_EQ(slower.dram.energy, full.dram.energy);
  EXPECT_EQ(slower.kernel_latency, full.kernel_latency);
  EXPECT_EQ(slower.thermal_design_power, full.thermal_design_power);
}

TEST(Clock, WithoutAKnownSupplyTheVoltageStays) {
  const Device full = test::example_system().device;
  const Device slower = at_clock(full, 0.5);
  EXPECT_NEAR(slower.tensor_peak[0] / full.tensor_peak[0], 0.5, 1e-12);
  EXPECT_EQ(slower.tensor_energy[0], full.tensor_energy[0]);
  EXPECT_EQ(slower.idle_power, full.idle_power);
}

}  // namespace
}  // namespace scalesweep::technology
