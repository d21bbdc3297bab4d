#include "validation/device_order.hpp"

#include <gtest/gtest.h>

namespace scalesweep::validation {
namespace {

// A step of 1,000 tokens on ten devices: 100 tokens of each in so many seconds.
CaseRow step(const std::string& device, double measured, double predicted,
             const std::string& precision = "bf16") {
  CaseRow row;
  row.device = device;
  row.precision = precision;
  row.shape = "model";
  row.lengths = "4096";
  row.gpus = 10;
  row.tokens = 1000.0;
  row.measured = measured;
  row.predicted.value = predicted;
  return row;
}

std::vector<DeviceOrder> orders(const std::vector<CaseRow>& rows) {
  std::vector<const CaseRow*> pointers;
  pointers.reserve(rows.size());
  for (const CaseRow& row : rows) {
    pointers.push_back(&row);
  }
  return device_orders(pointers);
}

TEST(DeviceOrder, PutsTheFastestAsMeasuredFirst) {
  const auto found = orders({step("a", 4.0, 4.4), step("b", 1.0, 1.2), step("c", 2.0, 1.9)});
  ASSERT_EQ(found.size(), 1U);
  const DeviceOrder& order = found.front();
  EXPECT_EQ(order.precision, "bf16");
  EXPECT_EQ(order.pairs(), 3U);
  ASSERT_EQ(order.devices.size(), 3U);
  EXPECT_EQ(order.devices[0].device, "b");
  EXPECT_EQ(order.devices[1].device, "c");
  EXPECT_DOUBLE_EQ(order.devices[1].measured, 50.0) << "tokens per second of one device";
  EXPECT_DOUBLE_EQ(*order.tau, 1.0);
  EXPECT_TRUE(order.inverted.empty());
}

TEST(DeviceOrder, TellsPairsThatAreInverted) {
  // c leads a by 1.25 and is put behind it by 2: beyond what was measured; b by 2, put 1.6 behind.
  const auto found = orders({step("a", 5.0, 2.0), step("b", 2.0, 3.2), step("c", 4.0, 4.0)});
  ASSERT_EQ(found.size(), 1U);
  const std::vector<InvertedPair>& inverted = found.front().inverted;
  ASSERT_EQ(inverted.size(), 2U);
  EXPECT_EQ(inverted[0].faster, "b");
  EXPECT_EQ(inverted[0].slower, "a");
  EXPECT_DOUBLE_EQ(inverted[0].measured_lead, 2.5);
  EXPECT_DOUBLE_EQ(inverted[0].predicted_lead, 2.0 / 3.2);
  EXPECT_FALSE(inverted[0].beyond_measured());
  EXPECT_EQ(inverted[1].faster, "c");
  EXPECT_TRUE(inverted[1].beyond_measured());
  EXPECT_DOUBLE_EQ(*found.front().tau, -1.0 / 3.0);
}

TEST(DeviceOrder, IsOfTheBestCaseOfEachDevice) {
  const auto found =
      orders({step("a", 4.0, 4.0), step("a", 1.0, 3.0), step("b", 2.0, 2.0), step("c", 3.0, 5.0)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().devices.front().device, "a");
  EXPECT_DOUBLE_EQ(found.front().devices.front().measured, 100.0);
  EXPECT_DOUBLE_EQ(found.front().devices.front().predicted, 100.0 / 3.0);
}

TEST(DeviceOrder, OfSeveralFormatsIsAlsoOfAllTogether) {
  const auto found = orders(
      {step("a", 4.0, 4.0), step("b", 2.0, 2.0), step("c", 1.0, 1.0, "fp8"), step("c", 3.0, 3.0)});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].precision, "bf16");
  EXPECT_EQ(found[1].precision, "any");
  EXPECT_EQ(found[0].devices[0].device, "b");
  EXPECT_EQ(found[1].devices[0].device, "c");
}

TEST(DeviceOrder, NeedsThreeDevicesOfOneModelAndOneLength) {
  CaseRow other = step("c", 1.0, 1.0);
  other.lengths = "8192";
  EXPECT_TRUE(orders({step("a", 4.0, 4.0), step("b", 2.0, 2.0), other}).empty());
  CaseRow unmeasured = step("c", 1.0, 1.0);
  unmeasured.measured.reset();
  EXPECT_TRUE(orders({step("a", 4.0, 4.0), step("b", 2.0, 2.0), unmeasured}).empty());
  EXPECT_EQ(orders({step("a", 4.0, 4.0), step("b", 2.0, 2.0), step("c", 1.0, 1.0)}).size(), 1U);
}

TEST(DeviceOrder, OfRatesIsThatOfOneDevice) {
  const auto rate = [](const std::string& device, double measured, std::int64_t gpus) {
    CaseRow row = step(device, measured, measured);
    row.is_rate = true;
    row.gpus = gpus;
    return row;
  };
  const auto found = orders({rate("a", 800.0, 8), rate("b", 300.0, 1), rate("c", 400.0, 2)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().devices[0].device, "b");
  EXPECT_DOUBLE_EQ(found.front().devices[2].measured, 100.0);
}

}  // namespace
}  // namespace scalesweep::validation
