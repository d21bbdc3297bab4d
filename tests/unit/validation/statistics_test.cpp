#include "validation/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace scalesweep::validation {
namespace {

TEST(ErrorStatistics, SummariseSignedErrors) {
  const std::vector<double> errors = {0.1, -0.2, 0.3, -0.4, 0.0};
  const ErrorStatistics statistics = error_statistics(errors);

  EXPECT_EQ(statistics.count, 5U);
  EXPECT_DOUBLE_EQ(statistics.mean_absolute, 0.2);
  EXPECT_DOUBLE_EQ(statistics.median_absolute, 0.2);
  EXPECT_DOUBLE_EQ(statistics.p90_absolute, 0.36);
  EXPECT_NEAR(statistics.bias, -0.04, 1e-15);
}

TEST(ErrorStatistics, OfNothingIsZero) {
  EXPECT_EQ(error_statistics({}).count, 0U);
  EXPECT_EQ(error_statistics({}).mean_absolute, 0.0);
}

TEST(Ranks, AreSharedByEqualValues) {
  EXPECT_EQ(ranks(std::vector<double>{30.0, 10.0, 20.0}), (std::vector<double>{3.0, 1.0, 2.0}));
  EXPECT_EQ(ranks(std::vector<double>{5.0, 1.0, 5.0, 5.0, 9.0}),
            (std::vector<double>{3.0, 1.0, 3.0, 3.0, 5.0}));
}

TEST(RankCorrelation, IsThatOfTheOrder) {
  const std::vector<double> rising = {1.0, 2.0, 3.0, 4.0};
  EXPECT_DOUBLE_EQ(*rank_correlation(rising, std::vector<double>{1.0, 10.0, 11.0, 1000.0}), 1.0);
  EXPECT_DOUBLE_EQ(*rank_correlation(rising, std::vector<double>{9.0, 7.0, 5.0, 3.0}), -1.0);
  // Without ties 1 - 6 sum(d^2) / (n (n^2 - 1)): d = 1, 1, 1, 1 gives 1 - 24 / 60.
  EXPECT_DOUBLE_EQ(*rank_correlation(rising, std::vector<double>{2.0, 1.0, 4.0, 3.0}), 0.6);
}

TEST(RankCorrelation, CorrelatesSharedRanksOfTies) {
  // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: covariance 4.5, variances 4.5 and 5.
  EXPECT_DOUBLE_EQ(*rank_correlation(std::vector<double>{1.0, 2.0, 2.0, 3.0},
                                     std::vector<double>{1.0, 2.0, 3.0, 4.0}),
                   4.5 / std::sqrt(4.5 * 5.0));
}

TEST(RankCorrelation, OfOneValueIsNotKnown) {
  EXPECT_FALSE(rank_correlation({}, {}));
  EXPECT_FALSE(rank_correlation(std::vector<double>{1.0}, std::vector<double>{2.0}));
  EXPECT_FALSE(rank_correlation(std::vector<double>{1.0, 1.0}, std::vector<double>{2.0, 3.0}));
}

TEST(Coverage, IsTheShareWithinOneAndTwoErrorBars) {
  Coverage coverage;
  EXPECT_EQ(coverage.share_within_one(), 0.0);
  coverage.add(0.1, 0.1);
  coverage.add(-0.15, 0.1);
  coverage.add(0.21, 0.1);
  coverage.add(-0.21, 0.4);
  EXPECT_EQ(coverage.count, 4U);
  EXPECT_DOUBLE_EQ(coverage.share_within_one(), 0.5);
  EXPECT_DOUBLE_EQ(coverage.share_within_two(), 0.75);
}

TEST(Concordance, CountsPairsInTheSameOrderLessThoseThatAreNot) {
  const std::vector<double> rising = {1.0, 2.0, 3.0, 4.0};
  EXPECT_DOUBLE_EQ(*concordance(rising, std::vector<double>{1.0, 10.0, 11.0, 1000.0}), 1.0);
  EXPECT_DOUBLE_EQ(*concordance(rising, std::vector<double>{9.0, 7.0, 5.0, 3.0}), -1.0);
  // One pair of six stands the other way round.
  EXPECT_DOUBLE_EQ(*concordance(rising, std::vector<double>{2.0, 1.0, 3.0, 4.0}), 4.0 / 6.0);
  // A tie in one list: five pairs of six are left there.
  EXPECT_DOUBLE_EQ(*concordance(rising, std::vector<double>{1.0, 2.0, 2.0, 3.0}),
                   5.0 / std::sqrt(6.0 * 5.0));
  EXPECT_FALSE(concordance(rising, std::vector<double>{1.0, 1.0, 1.0, 1.0}));
  EXPECT_FALSE(concordance({}, {}));
}

}  // namespace
}  // namespace scalesweep::validation
