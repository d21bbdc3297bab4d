#include "space/axes/halton.hpp"

#include <gtest/gtest.h>

namespace scalesweep::space {
namespace {

TEST(Halton, ReversesTheDigitsInAPrimeForEachDimension) {
  EXPECT_DOUBLE_EQ(halton(0, 0), 0.0);
  EXPECT_DOUBLE_EQ(halton(1, 0), 0.5);
  EXPECT_DOUBLE_EQ(halton(2, 0), 0.25);
  EXPECT_DOUBLE_EQ(halton(3, 0), 0.75);
  EXPECT_DOUBLE_EQ(halton(5, 1), 2.0 / 3.0 + 1.0 / 9.0);  // 12 in base 3
  EXPECT_DOUBLE_EQ(halton(1, 2), 0.2);
  EXPECT_DOUBLE_EQ(halton(7, 5), 7.0 / 13.0);
}

TEST(Halton, FillsEvenly) {
  int below_a_quarter = 0;
  for (int i = 1; i <= 400; ++i) {
    below_a_quarter += halton(i, 3) < 0.25 ? 1 : 0;
  }
  EXPECT_NEAR(below_a_quarter, 100, 5);
}

}  // namespace
}  // namespace scalesweep::space
