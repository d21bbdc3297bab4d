// Where along an ordered axis another name becomes the best.
#include "analysis/flips/axis_flips.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "unit/analysis/analysed_study.hpp"

namespace scalesweep::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::names;
using testing::point;
using testing::TestStudy;
using testing::values;

// The time of memory A falls with the power to the -0.5, that of B with the -1; both take 10 s at
// 400 W.
TestStudy two_memories() {
  TestStudy study;
  study.axes = {values("power", {200, 800}, "W"), names("memory", {"A", "B"})};
  study.points = {point({0, 0}, 10.0 * std::sqrt(2.0), 0.0, 0.0), point({0, 1}, 20.0, 0.0, 0.0),
                  point({1, 0}, 10.0 / std::sqrt(2.0), 0.0, 0.0), point({1, 1}, 5.0, 0.0, 0.0)};
  return study;
}

TEST(AxisFlips, ChangeWhereBothAreEqual) {
  const AnalysisResult result = testing::analysed(two_memories());
  const Verdict& verdict = result.verdicts.answers.front();
  ASSERT_EQ(verdict.axis_flips.size(), 1U);
  const AxisFlip& flip = verdict.axis_flips.front();
  EXPECT_EQ(flip.along, "power");
  EXPECT_EQ(flip.changed, "memory");
  EXPECT_EQ(flip.before, 0);
  EXPECT_EQ(flip.after, 1);
  EXPECT_NEAR(flip.crossing, 400.0, 1e-9);
  EXPECT_NEAR(flip.gap_before, std::sqrt(2.0) - 1.0, 1e-12);
  EXPECT_THAT(verdict.flips, ElementsAre("B instead of A above about 400 W (power per accelerator, "
                                         "between 200 W and 800 W)"));
  EXPECT_EQ(testing::texts_of(result, result["axis_flips"], "after").front(), "B");
  EXPECT_NEAR(testing::numbers_of(result["axis_flips"], "crossing").front(), 400.0, 1e-9);
}

TEST(AxisFlips, WithoutTheOtherOnOneSideTheyAreBetweenTheTwo) {
  TestStudy study = two_memories();
  study.points[1].status = 1;
  const Verdict verdict = testing::analysed(study).verdicts.answers.front();
  ASSERT_EQ(verdict.axis_flips.size(), 1U);
  EXPECT_TRUE(std::isnan(verdict.axis_flips.front().crossing));
  EXPECT_THAT(verdict.flips, ElementsAre("B instead of A between 200 W and 800 W (power per "
                                         "accelerator)"));
}

TEST(AxisFlips, ATieOnBothSidesIsNotTold) {
  TestStudy study = two_memories();
  study.points = {point({0, 0}, 10.0, 0.0, 0.0), point({0, 1}, 10.05, 0.0, 0.0),
                  point({1, 0}, 5.02, 0.0, 0.0), point({1, 1}, 5.0, 0.0, 0.0)};
  const Verdict verdict = testing::analysed(study).verdicts.answers.front();
  EXPECT_EQ(verdict.axis_flips.size(), 1U);
  EXPECT_THAT(verdict.flips, IsEmpty());
}

TEST(AxisFlips, NoneWhereTheSameIsBestThroughout) {
  TestStudy study = two_memories();
  study.points[0] = point({0, 0}, 30.0, 0.0, 0.0);
  const AnalysisResult result = testing::analysed(study);
  EXPECT_THAT(result.verdicts.answers.front().axis_flips, IsEmpty());
  EXPECT_TRUE(result["axis_flips"].schema.empty());
}

}  // namespace
}  // namespace scalesweep::analysis
