#include "validation/device_power.hpp"

#include <gtest/gtest.h>

#include "support/examples.hpp"

namespace scalesweep::validation {
namespace {

// What was predicted of a case that ran on `device`.
struct Prediction {
  const char* device;
  double power_w;
  double clock_fraction = 1.0;
};

std::vector<TrainingCase> cases_of(const std::vector<Prediction>& predictions) {
  std::vector<TrainingCase> cases;
  for (const Prediction& prediction : predictions) {
    TrainingCase c;
    c.system = test::example_system();  // 400 W
    c.system.device.name = prediction.device;
    c.measured_step_s = 1.0;
    cases.push_back(c);
  }
  return cases;
}

std::vector<CaseResult> results_of(const std::vector<TrainingCase>& cases,
                                   const std::vector<Prediction>& predictions) {
  std::vector<CaseResult> results;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    estimator::TrainingEstimate estimate;
    estimate.device_power_w = predictions[i].power_w;
    estimate.clock_fraction = predictions[i].clock_fraction;
    results.push_back({&cases[i], estimate});
  }
  return results;
}

TEST(DevicePower, IsSummedUpByDevice) {
  const std::vector<Prediction> predictions = {
      {"a", 100.0}, {"b", 440.0}, {"a", 300.0}, {"a", 400.0, 0.9}};
  const std::vector<TrainingCase> cases = cases_of(predictions);
  const std::vector<DevicePower> devices = power_by_device(results_of(cases, predictions));

  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].device, "a");
  EXPECT_EQ(devices[0].count, 3U);
  EXPECT_DOUBLE_EQ(devices[0].mean, (0.25 + 0.75 + 1.0) / 3.0);
  EXPECT_DOUBLE_EQ(devices[0].lowest, 0.25);
  EXPECT_DOUBLE_EQ(devices[0].highest, 1.0);
  EXPECT_EQ(devices[0].above, 0U);
  EXPECT_EQ(devices[0].below_half, 1U);
  EXPECT_EQ(devices[0].limited, 1U);
  EXPECT_EQ(devices[1].device, "b");
  EXPECT_DOUBLE_EQ(devices[1].lowest, 1.1);
  EXPECT_EQ(devices[1].above, 1U);
}

TEST(DevicePower, IsUnknownWithoutAnEstimateOrADesignPower) {
  const std::vector<Prediction> predictions = {{"a", 100.0}, {"b", 100.0}};
  std::vector<TrainingCase> cases = cases_of(predictions);
  cases[1].system.device.thermal_design_power = Watts::si(0.0);
  std::vector<CaseResult> results = results_of(cases, predictions);
  results[0].estimate.reset();

  EXPECT_FALSE(share_of_design_power(results[0]));
  EXPECT_FALSE(share_of_design_power(results[1]));
  EXPECT_TRUE(power_by_device(results).empty());
}

TEST(DevicePower, OfCasesThatRanOutOfMemoryIsNotCounted) {
  const std::vector<Prediction> predictions = {{"a", 100.0}, {"a", 300.0}};
  std::vector<TrainingCase> cases = cases_of(predictions);
  cases[0].measured_step_s = 0.0;
  const std::vector<DevicePower> devices = power_by_device(results_of(cases, predictions));

  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].count, 1U);
  EXPECT_DOUBLE_EQ(devices[0].lowest, 0.75);
}

}  // namespace
}  // namespace scalesweep::validation
