#include "estimator/training/power_limit.hpp"

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

  TrainingEstimate at(int clock_step) {
    ++calls;
    TrainingEstimate estimate;
    estimate.device_power_w =
        static_w + (1000.0 - static_w) * std::pow(clock_fraction(clock_step), exponent);
    estimate.model_flop_utilization = 0.5;
    return estimate;
  }
};

TrainingEstimate settle(Curve& curve, double limit_w) {
  const TrainingEstimate full = curve.at(0);
  return settle_clock(full, limit_w, [&](int clock_step) { return curve.at(clock_step); });
}

TEST(PowerLimit, SettlesAtTheHighestClockWithinIt) {
  for (const double exponent : {1.0, 2.0, 3.0}) {
    for (const double limit_w : {999.0, 700.0, 310.0}) {
      Curve curve{100.0, exponent};
      const TrainingEstimate settled = settle(curve, limit_w);
      const double exact = std::pow((limit_w - 100.0) / 900.0, 1.0 / exponent);
      EXPECT_LE(settled.device_power_w, limit_w);
      EXPECT_LE(settled.clock_fraction, exact);
      EXPECT_GT(settled.clock_fraction, exact * 0.999);
      EXPECT_DOUBLE_EQ(settled.model_flop_utilization, 0.5 * settled.clock_fraction);
      EXPECT_LE(curve.calls, 12);
    }
  }
}

TEST(PowerLimit, StopsWhereStaticPowerAloneExceedsIt) {
  Curve curve{400.0, 2.0};
  const TrainingEstimate settled = settle(curve, 300.0);
  EXPECT_NEAR(settled.clock_fraction, 0.05, 1e-4);
  EXPECT_GT(settled.device_power_w, 300.0);
}

TEST(PowerLimit, IsNoneWhereNoDesignPowerIsKnown) {
  TrainingEstimate estimate;
  estimate.device_power_w = 500.0;
  technology::Device device;
  EXPECT_FALSE(exceeds_power(estimate, device));
  device.thermal_design_power = Watts::si(500.0);
  EXPECT_FALSE(exceeds_power(estimate, device));
  device.thermal_design_power = Watts::si(499.0);
  EXPECT_TRUE(exceeds_power(estimate, device));
}

}  // namespace
}  // namespace scalesweep::estimator
