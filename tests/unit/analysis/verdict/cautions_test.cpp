// What a verdict warns of.
#include "analysis/verdict/why/cautions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace scalesweep::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LeastKnown, IsToldOfAPointThatHasWhatNoCaseHas) {
  store::Column column;
  column.name = "least_known";
  column.type = store::ColumnType::u8;
  column.labels = {"offload to hosts", "DualPipe", "none"};
  column.role = "least_known";
  const store::Schema schema = {column};
  store::Table points(schema);
  points.values<std::uint8_t>(0) = {1, 2};
  EXPECT_THAT(least_known_of(points, schema, 0),
              ElementsAre("no measured case has DualPipe, which widens the error bar (least_known "
                          "says it of each point)"));
  EXPECT_THAT(least_known_of(points, schema, 1), IsEmpty());
}

TEST(LeastKnown, IsNotToldOfAFileWithoutIt) {
  EXPECT_THAT(least_known_of(store::Table(store::Schema()), {}, 0), IsEmpty());
}

}  // namespace
}  // namespace scalesweep::analysis
