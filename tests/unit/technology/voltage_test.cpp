#include "technology/derive/voltage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace scalesweep::technology {
namespace {

VoltageCurve curve_of(double nominal, double threshold, double minimum, double maximum) {
  return {Volts::si(nominal), Volts::si(threshold), Volts::si(minimum), Volts::si(maximum)};
}

const VoltageCurve example = curve_of(0.75, 0.06, 0.55, 1.0);

TEST(Settle, NominalBudgetGivesNominalPoint) {
  const OperatingPoint point = settle(example, Watts::si(250), Watts::si(200), Watts::si(50));

  EXPECT_TRUE(point.feasible);
  EXPECT_NEAR(point.voltage.si(), 0.75, 1e-12);
  EXPECT_NEAR(point.frequency, 1.0, 1e-12);
  EXPECT_EQ(point.limit, VoltageLimit::power);
}

TEST(Settle, UsesTheWholeBudgetBetweenTheLimits) {
  for (const double budget : {150.0, 200.0, 300.0, 400.0}) {
    const OperatingPoint point = settle(example, Watts::si(budget), Watts::si(200), Watts::si(50));
    EXPECT_EQ(point.limit, VoltageLimit::power) << budget;
    EXPECT_NEAR((point.dynamic_power + point.leakage_power).si(), budget, 1e-9 * budget);
  }
}

TEST(Settle, StopsAtTheHighestVoltage) {
  const OperatingPoint point = settle(example, Watts::si(2000), Watts::si(200), Watts::si(50));

  EXPECT_EQ(point.limit, VoltageLimit::maximum);
  EXPECT_DOUBLE_EQ(point.voltage.si(), 1.0);
  EXPECT_GT(point.unbounded_voltage.si(), 1.0);
  EXPECT_DOUBLE_EQ(point.frequency, relative_frequency(example, Volts::si(1.0)));
  EXPECT_LT((point.dynamic_power + point.leakage_power).si(), 2000.0);
}

TEST(Settle, HoldsTheLowestVoltageAndClocksDown) {
  const OperatingPoint point = settle(example, Watts::si(20), Watts::si(200), Watts::si(0));

  EXPECT_EQ(point.limit, VoltageLimit::minimum);
  EXPECT_DOUBLE_EQ(point.voltage.si(), 0.55);
  // f(V) (V / Vmin)^2: the power of the unbounded point at the held voltage.
  const double ratio = point.unbounded_voltage / Volts::si(0.55);
  EXPECT_NEAR(point.frequency, relative_frequency(example, point.unbounded_voltage) * ratio * ratio,
              1e-12);
  EXPECT_NEAR(point.dynamic_power.si(), 20.0, 1e-9);
}

TEST(Settle, IsInfeasibleWhereLeakageTakesTheBudget) {
  const OperatingPoint point = settle(example, Watts::si(30), Watts::si(200), Watts::si(50));

  EXPECT_FALSE(point.feasible);
  EXPECT_NEAR(point.leakage_power.si(), 50.0 * 0.55 / 0.75, 1e-12);
}

TEST(Settle, IsContinuousAndRisesWithTheBudget) {
  double last = 0.0;
  for (double budget = 40.0; budget < 800.0; budget *= 1.001) {
    const OperatingPoint point = settle(example, Watts::si(budget), Watts::si(200), Watts::si(50));
    EXPECT_GE(point.frequency, last);
    if (last > 0.3) {
      EXPECT_LT(point.frequency, last * 1.005) << "jumps at " << budget << " W";
    }
    last = point.frequency;
  }
}

// DeepFlow's constants: 815 mm2, 300 W; cores take 0.30 of the area and 0.3745 of the power, 0.38
// mm2 and 0.13 W each at 1.33 GHz and 0.8 V, threshold 0.2 V, margin 0.35 V, 128 FLOP a cycle. A
// step of the node shrinks area to 0.67, power to 0.54 and voltage to 0.9.
struct LogicRow {
  double cores, volt, gigahertz, teraflop_per_s;
};

TEST(Settle, ReproducesDeepFlowLogicScaling) {
  constexpr std::array<LogicRow, 7> expected = {{{643, .868, 1.519, 125.02},
                                                 {960, .827, 1.682, 206.71},
                                                 {1433, .785, 1.873, 343.57},
                                                 {2139, .744, 2.099, 574.73},
                                                 {3192, .701, 2.371, 968.77},
                                                 {4765, .659, 2.703, 1648.88},
                                                 {7112, .615, 3.119, 2839.70}}};
  for (std::size_t step = 0; step < expected.size(); ++step) {
    const auto k = static_cast<double>(step);
    const double cores = std::floor(0.30 * 815 / (0.38 * std::pow(0.67, k)));
    const VoltageCurve curve = curve_of(0.8 * std::pow(0.9, k), 0.2, 0.55, 100.0);
    const OperatingPoint point = settle(curve, Watts::si(0.3745 * 300),
                                        Watts::si(cores * 0.13 * std::pow(0.54, k)), Watts::si(0));
    const double gigahertz = 1.33 * point.frequency;

    EXPECT_EQ(cores, expected[step].cores);
    EXPECT_NEAR(point.voltage.si(), expected[step].volt, 5e-4) << "step " << step;
    EXPECT_NEAR(gigahertz, expected[step].gigahertz, 5e-4) << "step " << step;
    EXPECT_NEAR(cores * 128 * gigahertz * 1e-3, expected[step].teraflop_per_s, 5e-3)
        << "step " << step;
  }
}

// The same law for DRAM interfaces: what 0.16 of 300 W leaves after static power drives the links.
struct DramRow {
  double stack_mm2, links_per_stack, stack_gibibyte, gigabit_per_s;
  double expected_gibibyte_per_s, expected_gibibyte;
};

TEST(Settle, ReproducesDeepFlowDramScaling) {
  constexpr std::array<DramRow, 5> rows = {{{100, 1024, 4, 1.38, 924.7, 16},
                                            {100, 1024, 8, 2.0, 1338, 32},
                                            {110, 1024, 16, 2.4, 1511, 48},
                                            {110, 1536, 24, 3.2, 2594, 72},
                                            {110, 2048, 32, 4.0, 4030, 96}}};
  constexpr std::array<double, 5> last_digit = {0.1, 1, 1, 1, 1};
  for (std::size_t step = 0; step < rows.size(); ++step) {
    const DramRow& row = rows[step];
    const auto k = static_cast<double>(step);
    const double stacks =
        std::min(std::floor((1230.0 - 815.0) / row.stack_mm2), std::floor(815 * 0.0248 / 5.0));
    const double links = std::min(stacks * row.links_per_stack, 4 * std::sqrt(815.0) * 0.5 * 400);
    const double gibibyte = stacks * row.stack_gibibyte;
    const double static_w = 0.6e-12 * gibibyte * 0x1p30 * 8;
    const double nominal_w = links * row.gigabit_per_s * 1e9 * 4.2e-12 * std::pow(0.7, k);
    const VoltageCurve curve = curve_of(1.2 * std::pow(0.95, k), 0.4, 1.0, 100.0);
    const OperatingPoint point =
        settle(curve, Watts::si(0.16 * 300 - static_w), Watts::si(nominal_w), Watts::si(0));
    const double byte_per_s = links * row.gigabit_per_s * 1e9 * point.frequency / 8;

    EXPECT_EQ(gibibyte, row.expected_gibibyte);
    EXPECT_NEAR(byte_per_s / 0x1p30, row.expected_gibibyte_per_s, 0.5 * last_digit[step])
        << "step " << step;
  }
}

}  // namespace
}  // namespace scalesweep::technology
