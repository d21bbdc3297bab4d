// Closed forms of Zipf's law against its sums.
#include "workload/recommendation/row_popularity.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace scalesweep::workload {
namespace {

double sum_of(int n, double skew) {
  double sum = 0.0;
  for (int i = 1; i <= n; ++i) {
    sum += std::pow(i, -skew);
  }
  return sum;
}

TEST(RowPopularity, SharesAreThoseOfTheSums) {
  constexpr int rows = 20000;
  for (const double skew : {0.0, 0.5, 0.9, 1.0, 1.05, 1.5}) {
    for (const int kept : {1, 2, 10, 300, 5000, 20000}) {
      const double exact = sum_of(kept, skew) / sum_of(rows, skew);
      EXPECT_NEAR(most_popular_share(rows, kept, skew), exact, 0.03 * exact) << skew << " " << kept;
    }
  }
  EXPECT_EQ(most_popular_share(100.0, 0.0, 1.0), 0.0);
  EXPECT_EQ(most_popular_share(100.0, 200.0, 1.0), 1.0);
}

// Rows that draws are expected to reach: sum of 1 - (1 - p_i)^n.
TEST(RowPopularity, DistinctRowsAreNearThoseOfDraws) {
  constexpr int rows = 20000;
  for (const double skew : {0.5, 1.05}) {
    for (const double lookups : {100.0, 2000.0, 100000.0}) {
      const double all = sum_of(rows, skew);
      double exact = 0.0;
      for (int i = 1; i <= rows; ++i) {
        exact += 1.0 - std::pow(1.0 - std::pow(i, -skew) / all, lookups);
      }
      const double found = distinct_rows(rows, lookups, skew);
      EXPECT_GE(found, 0.95 * exact) << skew << " " << lookups;
      EXPECT_LE(found, 1.45 * exact) << skew << " " << lookups;
    }
  }
  EXPECT_EQ(distinct_rows(1000.0, 10.0, 0.0), 10.0);
  EXPECT_EQ(distinct_rows(3.0, 1e6, 1.05), 3.0);
}

}  // namespace
}  // namespace scalesweep::workload
