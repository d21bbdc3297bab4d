#include "analysis/thinning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace scalesweep::analysis {
namespace {

using ::testing::ElementsAre;

TEST(Thinning, KeepsTheSmallestIdOfACell) {
  Thinning thinning(10);

  thinning.add(0, std::vector<double>{1.0, 1.0}, 7, 70);
  thinning.add(0, std::vector<double>{1.0, 1.0001}, 3, 30);
  thinning.add(0, std::vector<double>{8.0, 1.0}, 9, 90);

  EXPECT_THAT(thinning.rows(), ElementsAre(30, 90));
}

TEST(Thinning, GroupsDoNotMix) {
  Thinning thinning(10);

  thinning.add(0, std::vector<double>{1.0}, 1, 1);
  thinning.add(1, std::vector<double>{1.0}, 2, 2);

  EXPECT_THAT(thinning.rows(), ElementsAre(1, 2));
}

TEST(Thinning, TakesValuesWithoutALogarithm) {
  Thinning thinning(10);

  thinning.add(0, std::vector<double>{0.0}, 1, 1);
  thinning.add(0, std::vector<double>{-5.0}, 2, 2);
  thinning.add(0, std::vector<double>{INFINITY}, 3, 3);

  EXPECT_THAT(thinning.rows(), ElementsAre(1));
}

TEST(Thinning, IsBoundedAndDoesNotDependOnTheOrder) {
  struct Point {
    std::vector<double> values;
    std::int64_t id = 0;
  };
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> values(0.0, 2.0);
  std::vector<Point> points;
  for (std::int64_t id = 0; id < 20000; ++id) {
    points.push_back({{values(random), values(random)}, id});
  }
  Thinning forward(500);
  Thinning shuffled(500);

  for (const Point& point : points) {
    forward.add(0, point.values, point.id, point.id);
  }
  std::shuffle(points.begin(), points.end(), random);
  for (const Point& point : points) {
    shuffled.add(0, point.values, point.id, point.id);
  }

  EXPECT_LE(forward.rows().size(), 500u);
  EXPECT_GE(forward.rows().size(), 100u);
  EXPECT_EQ(forward.rows(), shuffled.rows());
}

}  // namespace
}  // namespace scalesweep::analysis
