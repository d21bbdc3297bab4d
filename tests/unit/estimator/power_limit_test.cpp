#include "estimator/parts/power_limit.hpp"

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

int settled(Curve& curve, double limit_w, int fast = 0) {
  return settled_clock_step(limit_w, fast, curve.power_w(fast),
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
