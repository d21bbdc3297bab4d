#include "validation/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <optional>
#include <random>
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

// As it is defined, pair by pair.
std::optional<double> plain_concordance(const std::vector<double>& a,
                                        const std::vector<double>& b) {
  const auto order = [](double x, double y) { return (x > y) - (x < y); };
  double same = 0.0;
  double no_tie_in_a = 0.0;
  double no_tie_in_b = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = i + 1; j < a.size(); ++j) {
      same += order(a[i], a[j]) * order(b[i], b[j]);
      no_tie_in_a += order(a[i], a[j]) != 0 ? 1.0 : 0.0;
      no_tie_in_b += order(b[i], b[j]) != 0 ? 1.0 : 0.0;
    }
  }
  return no_tie_in_a == 0.0 || no_tie_in_b == 0.0
             ? std::nullopt
             : std::optional(same / std::sqrt(no_tie_in_a * no_tie_in_b));
}

TEST(Concordance, IsThatOfAllPairs) {
  std::mt19937 random(1);
  for (int draw = 0; draw < 300; ++draw) {
    // Few values, so that many are tied, up to many.
    const int values = 1 + draw % 40;
    std::vector<double> a;
    std::vector<double> b;
    for (int i = 0; i < draw % 57; ++i) {
      a.push_back(static_cast<double>(random() % static_cast<unsigned>(values)));
      b.push_back(static_cast<double>(random() % static_cast<unsigned>(values)));
    }
    EXPECT_EQ(concordance(a, b), plain_concordance(a, b)) << draw;
  }
}

TEST(Concordance, OfMorePairsThanAnIntegerCounts) {
  std::vector<double> rising(200'000);
  std::iota(rising.begin(), rising.end(), 1.0);
  EXPECT_EQ(concordance(rising, rising), 1.0);
}

}  // namespace
}  // namespace scalesweep::validation
