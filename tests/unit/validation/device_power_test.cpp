#include "validation/cases/device_power.hpp"

#include <gtest/gtest.h>

namespace scalesweep::validation {
namespace {

// What was predicted of a case that ran on `device`.
struct Prediction {
  const char* device;
  double power_w;
  bool clock_lowered = false;
};

std::vector<CaseRow> rows_of(const std::vector<Prediction>& predictions) {
  std::vector<CaseRow> rows;
  for (const Prediction& prediction : predictions) {
    CaseRow row;
    row.device = prediction.device;
    row.design_power_w = 400.0;
    row.measured = 1.0;
    row.predicted.device_power_w = prediction.power_w;
    row.predicted.clock_lowered = prediction.clock_lowered;
    rows.push_back(row);
  }
  return rows;
}

TEST(DevicePower, IsSummedUpByDevice) {
  const std::vector<DevicePower> devices =
      power_by_device(rows_of({{"a", 100.0}, {"b", 440.0}, {"a", 300.0}, {"a", 400.0, true}}));

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

TEST(DevicePower, IsUnknownWithoutAPredictionOrADesignPower) {
  std::vector<CaseRow> rows = rows_of({{"a", 100.0}, {"b", 100.0}});
  rows[0].predicted.device_power_w.reset();
  rows[1].design_power_w = 0.0;

  EXPECT_FALSE(share_of_design_power(rows[0]));
  EXPECT_FALSE(share_of_design_power(rows[1]));
  EXPECT_TRUE(power_by_device(rows).empty());
}

TEST(DevicePower, OfCasesThatRanOutOfMemoryIsNotCounted) {
  std::vector<CaseRow> rows = rows_of({{"a", 100.0}, {"a", 300.0}});
  rows[0].measured.reset();
  const std::vector<DevicePower> devices = power_by_device(rows);

  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].count, 1U);
  EXPECT_DOUBLE_EQ(devices[0].lowest, 0.75);
}

}  // namespace
}  // namespace scalesweep::validation
