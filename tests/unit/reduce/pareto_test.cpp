#include "reduce/frontier/pareto.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace scalesweep::reduce {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const double nan = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

std::vector<std::size_t> frontier(const std::vector<std::vector<double>>& columns,
                                  const std::vector<std::int64_t>& ids) {
  const std::vector<std::span<const double>> views(columns.begin(), columns.end());
  return pareto_frontier(views, ids);
}

TEST(Pareto, OneObjectiveKeepsTheSmallest) {
  EXPECT_THAT(frontier({{3.0, 1.0, 2.0}}, {0, 1, 2}), ElementsAre(1));
}

TEST(Pareto, OneObjectiveTiesGoToTheSmallerId) {
  EXPECT_THAT(frontier({{1.0, 1.0, 1.0}}, {7, 3, 5}), ElementsAre(1));
}

TEST(Pareto, TwoObjectivesKeepWhatNobodyDominates) {
  EXPECT_THAT(frontier({{1.0, 2.0, 3.0, 2.0}, {3.0, 2.0, 1.0, 3.0}}, {0, 1, 2, 3}),
              ElementsAre(0, 1, 2));
}

TEST(Pareto, BetterInOneAndEqualInTheOtherDominates) {
  EXPECT_THAT(frontier({{1.0, 1.0}, {2.0, 1.0}}, {0, 1}), ElementsAre(1));
  EXPECT_THAT(frontier({{1.0, 1.0}, {2.0, 2.0}, {2.0, 1.0}}, {0, 1}), ElementsAre(1));
  EXPECT_THAT(frontier({{1.0, 1.0}, {2.0, 2.0}, {2.0, 2.0}, {5.0, 4.0}}, {0, 1}), ElementsAre(1));
}

TEST(Pareto, EqualRowsLeaveTheSmallestIdForEveryNumberOfObjectives) {
  for (std::size_t objectives = 1; objectives <= max_objectives; ++objectives) {
    const std::vector<std::vector<double>> columns(objectives, {1.0, 1.0, 1.0});
    EXPECT_THAT(frontier(columns, {9, 4, 6}), ElementsAre(1)) << objectives;
  }
}

TEST(Pareto, ThreeObjectivesReplaceAStepAtTheSameSecondObjective) {
  // The third row has the second's second objective and a smaller third one: both stay, and the
  // fourth is dominated by the third only.
  EXPECT_THAT(
      frontier({{1.0, 2.0, 3.0, 4.0}, {5.0, 2.0, 2.0, 3.0}, {1.0, 4.0, 3.0, 3.5}}, {0, 1, 2, 3}),
      ElementsAre(0, 1, 2));
}

TEST(Pareto, ResultIsInOrderOfIdNotOfPlace) {
  EXPECT_THAT(frontier({{1.0, 2.0, 3.0}, {3.0, 2.0, 1.0}}, {30, 20, 10}), ElementsAre(2, 1, 0));
}

TEST(Pareto, NanIsNeverOnTheFrontier) {
  EXPECT_THAT(frontier({{nan, 1.0}, {0.0, 1.0}}, {0, 1}), ElementsAre(1));
  EXPECT_THAT(frontier({{0.0, 1.0}, {0.0, 1.0}, {nan, 1.0}}, {0, 1}), ElementsAre(1));
  EXPECT_THAT(frontier({{nan}}, {0}), IsEmpty());
}

TEST(Pareto, InfinityIsANumber) {
  EXPECT_THAT(frontier({{infinity, 1.0}, {0.0, 1.0}}, {0, 1}), ElementsAre(0, 1));
  EXPECT_THAT(frontier({{infinity, 1.0}, {1.0, 1.0}}, {0, 1}), ElementsAre(1));
}

TEST(Pareto, NegativeZeroEqualsZero) {
  EXPECT_THAT(frontier({{0.0, -0.0}, {1.0, 1.0}}, {0, 1}), ElementsAre(0));
}

TEST(Pareto, NoRowsNoFrontier) {
  EXPECT_THAT(frontier({{}, {}}, {}), IsEmpty());
}

}  // namespace
}  // namespace scalesweep::reduce
