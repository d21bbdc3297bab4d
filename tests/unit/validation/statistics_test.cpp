#include "validation/statistics.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace scalesweep::validation
