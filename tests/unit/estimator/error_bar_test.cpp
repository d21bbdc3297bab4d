// What a power limit adds to error bars.
#include "estimator/error_bar.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "estimator/inference/estimate.hpp"
#include "estimator/training/estimate.hpp"

namespace scalesweep::estimator {
namespace {

using technology::Trait;

constexpr auto limit_trait = static_cast<std::size_t>(Trait::power_limit_not_measured);

technology::Device limited_to(double limit_w, double measured_w = 800.0) {
  technology::Device device;
  device.thermal_design_power = Watts::si(limit_w);
  device.lowest_measured_power = Watts::si(measured_w);
  return device;
}

// Between a clock in proportion to the limit and one to its cube root.
TEST(LimitUncertainty, IsWhatBothLawsOfTheClockLeaveOpen) {
  EXPECT_NEAR(limit_uncertainty(limited_to(100.0), 0.2), 1.0, 1e-12);  // 8^(1/3) - 1
  EXPECT_NEAR(limit_uncertainty(limited_to(400.0), 0.5), std::cbrt(2.0) - 1.0, 1e-12);
}

// No limit takes more from a time than it has.
TEST(LimitUncertainty, IsNoMoreThanTheLimitSlowsDown) {
  EXPECT_NEAR(limit_uncertainty(limited_to(100.0), 0.98), 1.0 / 0.98 - 1.0, 1e-12);
}

TEST(LimitUncertainty, IsNoneWhereNoLimitBindsOrSuchWereMeasured) {
  EXPECT_EQ(limit_uncertainty(limited_to(100.0), 1.0), 0.0);
  EXPECT_EQ(limit_uncertainty(limited_to(800.0), 0.5), 0.0);
  EXPECT_EQ(limit_uncertainty(limited_to(900.0), 0.5), 0.0);
  EXPECT_EQ(limit_uncertainty(limited_to(400.0, 0.0), 0.5), 0.0) << "a derived device";
  EXPECT_EQ(limit_uncertainty(limited_to(0.0), 0.5), 0.0) << "no limit is known";
}

technology::Uncertainty measured() {
  technology::Uncertainty uncertainty;
  uncertainty.single_node.relative = 0.3;
  for (technology::TraitUncertainty& trait : uncertainty.traits) {
    trait.added = 9.0;  // of what else was not measured
  }
  return uncertainty;
}

TEST(ErrorBar, IsWiderByWhatTheLimitAdds) {
  TrainingEstimate estimate;
  set_error_bar(estimate, measured(), 8.0);
  EXPECT_EQ(estimate.relative_uncertainty, 0.3);
  EXPECT_EQ(estimate.least_known, technology::trait_count);
  EXPECT_TRUE(estimate.traits.none());

  estimate.limit_uncertainty = 0.4;
  set_error_bar(estimate, measured(), 8.0);
  EXPECT_DOUBLE_EQ(estimate.relative_uncertainty, 0.5);
  EXPECT_EQ(estimate.least_known, limit_trait);
  EXPECT_TRUE(estimate.traits[limit_trait]);
  EXPECT_EQ(technology::name_of(Trait::power_limit_not_measured), "power limit not measured");
}

TEST(ErrorBar, IsNotKnownWithoutEntriesWhateverTheLimit) {
  InferenceEstimate estimate;
  estimate.limit_uncertainty = 0.4;
  set_error_bar(estimate, {}, 8.0);
  EXPECT_EQ(estimate.relative_uncertainty, 0.0);
}

}  // namespace
}  // namespace scalesweep::estimator
