#include "analysis/verdict/standing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace scalesweep::analysis {
namespace {

Contender contender(double value, double error_bar) {
  Contender point;
  point.value = value;
  point.error_bar = error_bar;
  return point;
}

Standing standing(double value, double error_bar, FollowsTime follows = FollowsTime::as_time,
                  Direction direction = Direction::minimize) {
  return standing_of(contender(value, error_bar), contender(10.0, error_bar), follows, direction);
}

TEST(Standing, AGapIsAPartOfTheBest) {
  EXPECT_DOUBLE_EQ(gap_of(12.0, 10.0, Direction::minimize), 0.2);
  EXPECT_DOUBLE_EQ(gap_of(8.0, 10.0, Direction::maximize), 0.2);
  EXPECT_DOUBLE_EQ(gap_of(0.0, 0.0, Direction::minimize), 0.0);
  EXPECT_TRUE(std::isinf(gap_of(1.0, 0.0, Direction::minimize)));
}

TEST(Standing, WithinOnePercentIsATie) {
  EXPECT_EQ(standing(10.09, 0.001), Standing::tie);
  EXPECT_EQ(standing(9.91, 0.001, FollowsTime::as_its_rate, Direction::maximize), Standing::tie);
  EXPECT_EQ(standing(9.91, 0.001), Standing::tie);
  EXPECT_EQ(standing(9.5, 0.1), Standing::near_tie);  // better, and beside what is better known
}

// 10 (1 + 0.1) = 11 and v (1 - 0.1): they meet at 12.22.
TEST(Standing, BeyondDoubtIsOutsideBothErrorBars) {
  EXPECT_EQ(standing(12.2, 0.1), Standing::near_tie);
  EXPECT_EQ(standing(12.3, 0.1), Standing::apart);
}

TEST(Standing, NothingIsBeyondDoubtOfWhatNobodyMeasured) {
  Contender best = contender(10.0, 0.1);
  Contender other = contender(12.3, 0.1);
  const auto standing = [&] {
    return standing_of(other, best, FollowsTime::as_time, Direction::minimize);
  };
  other.is_measured = false;
  EXPECT_EQ(standing(), Standing::unmeasured);
  std::swap(other.is_measured, best.is_measured);
  EXPECT_EQ(standing(), Standing::unmeasured);
  other.value = 12.2;
  EXPECT_EQ(standing(), Standing::near_tie) << "they overlap";
}

// 10 / (1 + 0.1) = 9.09 and v / (1 - 0.1): they meet at 8.18.
TEST(Standing, RatesAreJudgedByTheInverseOfTheirTimes) {
  EXPECT_EQ(standing(8.2, 0.1, FollowsTime::as_its_rate, Direction::maximize), Standing::near_tie);
  EXPECT_EQ(standing(8.1, 0.1, FollowsTime::as_its_rate, Direction::maximize), Standing::apart);
}

TEST(Standing, WhatIsCertainIsApartWhereItIsNoTie) {
  EXPECT_EQ(standing(10.2, error_bar_of(0.3, FollowsTime::no), FollowsTime::no), Standing::apart);
}

TEST(Standing, WithoutAnErrorBarNobodyKnows) {
  EXPECT_EQ(standing(12.0, std::nan("")), Standing::unknown);
}

}  // namespace
}  // namespace scalesweep::analysis
