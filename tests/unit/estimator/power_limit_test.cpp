#include "estimator/parts/power/power_limit.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace scalesweep::estimator {
namespace {

// A device that takes `static_w` and, of the rest of 1,000 W, what falls with this power of the
// clock.
struct Curve {
  double static_w = 0.0;
  double exponent = 2.0;
  int calls = 0;

  double power_w(int clock_step) {
    ++calls;
    return static_w + (1000.0 - static_w) * std::pow(clock_fraction(clock_step), exponent);
  }
};

technology::Device limited_to(double limit_w) {
  technology::Device device;
  device.clock = Hertz::si(2e9);
  device.thermal_design_power = Watts::si(limit_w);
  return device;
}

int settled(Curve& curve, double limit_w, int fast = 0) {
  return settled_clock_step(limited_to(limit_w), fast, curve.power_w(fast),
                            [&](int clock_step) { return curve.power_w(clock_step); });
}

TEST(PowerLimit, SettlesAtTheHighestClockWithinIt) {
  for (const double exponent : {1.0, 2.0, 3.0}) {
    for (const double limit_w : {999.0, 700.0, 310.0}) {
      Curve curve{100.0, exponent};
      const int step = settled(curve, limit_w);
      const int calls = curve.calls;
      const double exact = std::pow((limit_w - 100.0) / 900.0, 1.0 / exponent);
      EXPECT_LE(curve.power_w(step), limit_w);
      EXPECT_GT(curve.power_w(step - 1), limit_w);
      EXPECT_LE(clock_fraction(step), exact);
      EXPECT_GT(clock_fraction(step), exact * 0.999);
      EXPECT_LE(calls, 12);
    }
  }
}

// Wherever the search begins, it ends at the same clock; beside it in a few trials.
TEST(PowerLimit, AGuessSavesTrialsAndChangesNothing) {
  Curve curve{100.0, 2.0};
  const int right = settled(curve, 500.0);
  for (const int guess : {1, right - 40, right - 1, right, right + 1, right + 40, 4000}) {
    Curve again{100.0, 2.0};
    const auto power_w = [&](int step) { return again.power_w(step); };
    EXPECT_EQ(settled_clock_step(limited_to(500.0), 0, 1000.0, power_w, guess), right) << guess;
    if (std::abs(guess - right) <= 1) {
      EXPECT_LE(again.calls, 4) << guess;
    }
  }
}

// 1 s of matrix units that take 500 J at the full clock, and 0.5 s of DRAM that takes 100 J.
TEST(PowerLimit, ExpectsThatWhatTheClockSetsGetsLonger) {
  technology::System system;
  system.device.thermal_design_power = Watts::si(300.0);
  system.device.dram.energy = JoulesPerByte::si(1e-12);
  Cost cost;
  cost.time = Charges::of(Resource::tensor_compute, 1.0);
  cost.time += Charges::of(Resource::dram, 0.5);
  cost.work[Amount::tensor_joules] = 500.0;
  cost.work[Amount::dram_bytes] = 100e12;
  // Without a voltage to lower: 600 J in 2 s.
  EXPECT_NEAR(clock_fraction(expected_clock_step(system, cost)), 1.0 / 1.5, 1e-3);
}

TEST(PowerLimit, GoesOnFromAClockThatIsTooFast) {
  Curve curve{100.0, 2.0};
  const int from_full = settled(curve, 500.0);
  EXPECT_EQ(settled(curve, 500.0, from_full - 50), from_full);
  EXPECT_EQ(settled(curve, 500.0, from_full), from_full);  // already within
}

TEST(PowerLimit, StopsWhereStaticPowerAloneExceedsIt) {
  Curve curve{400.0, 2.0};
  EXPECT_EQ(settled(curve, 300.0), slowest_clock_step);
  EXPECT_NEAR(clock_fraction(slowest_clock_step), 0.05, 1e-4);
}

// The first step that is no slower than what can be set, at which the search ends.
TEST(PowerLimit, StopsAtTheLowestClockThatCanBeSet) {
  technology::Device device = limited_to(300.0);
  EXPECT_EQ(slowest_step(device), slowest_clock_step);
  device.lowest_clock = Hertz::si(0.5e9);
  const int slowest = slowest_step(device);
  EXPECT_EQ(slowest, 2000);  // a quarter
  Curve curve{290.0, 1.0};
  const auto power_w = [&](int step) { return curve.power_w(step); };
  EXPECT_EQ(settled_clock_step(device, 0, 1000.0, power_w), slowest);
  EXPECT_EQ(settled_clock_step(device, 0, 1000.0, power_w, 4000), slowest);
  EXPECT_EQ(settled_clock_step(device, slowest, 500.0, power_w), slowest);
  device.lowest_clock = Hertz::si(3e9);
  EXPECT_EQ(slowest_step(device), 0);
}

TEST(PowerLimit, IsNotKeptWhereTheSlowestClockTakesMore) {
  technology::Device device = limited_to(300.0);
  device.lowest_clock = Hertz::si(0.5e9);
  EXPECT_EQ(unkept_power_w(device, 2000, 301.0), 301.0);
  EXPECT_EQ(unkept_power_w(device, 2000, 300.0), 0.0);
  EXPECT_EQ(unkept_power_w(device, 1999, 301.0), 0.0) << "a slower clock is left";
  EXPECT_EQ(unkept_power_w(limited_to(0.0), slowest_clock_step, 301.0), 0.0) << "no limit is known";
  EXPECT_EQ(unkept_limit_text(device, 301.26),
            "a device takes 301.3 W at its slowest clock, 500 MHz; its power limit is 300 W");
}

// All at a time at a tenth of the clock: 100 W at rest, 10 of cores, 50 of DRAM, 1 of each link.
TEST(PowerLimit, MayBreakWhereAllAtATimeTakesMore) {
  technology::System system;
  technology::Device& device = system.device;
  device = limited_to(163.0);
  device.lowest_clock = Hertz::si(0.2e9);
  device.idle_power = Watts::si(100.0);
  device.tensor_peak[0] = FlopPerSecond::si(1e14);
  device.tensor_energy[0] = JoulesPerFlop::si(0.6e-12);
  device.vector_peak = FlopPerSecond::si(1e13);
  device.vector_energy = JoulesPerFlop::si(4e-12);
  device.dram.bandwidth = BytesPerSecond::si(1e12);
  device.dram.energy = JoulesPerByte::si(50e-12);
  for (technology::LinkLevel& level : system.levels) {
    level.link.bandwidth = BytesPerSecond::si(1e11);
    level.link.device_energy = JoulesPerByte::si(10e-12);
  }
  EXPECT_FALSE(may_break_limit(system));
  device.thermal_design_power = Watts::si(161.0);
  EXPECT_TRUE(may_break_limit(system));
  device.thermal_design_power = Watts::si(0.0);
  EXPECT_FALSE(may_break_limit(system));
}

TEST(PowerLimit, IsNoneWhereNoDesignPowerIsKnown) {
  technology::Device device;
  EXPECT_FALSE(exceeds_power(500.0, device));
  device.thermal_design_power = Watts::si(500.0);
  EXPECT_FALSE(exceeds_power(500.0, device));
  device.thermal_design_power = Watts::si(499.0);
  EXPECT_TRUE(exceeds_power(500.0, device));
}

}  // namespace
}  // namespace scalesweep::estimator
