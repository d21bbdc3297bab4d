#include "analysis/frontier/thinning.hpp"

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

TEST(Thinning, PartsMergeToTheWholeWhateverTheirSizes) {
  std::mt19937_64 random(2);
  std::lognormal_distribution<double> values(0.0, 2.0);
  Thinning whole(300);
  std::vector<Thinning> parts(3, Thinning(300));
  for (std::int64_t id = 0; id < 9000; ++id) {
    const std::vector<double> point = {values(random), id % 50 == 0 ? 0.0 : values(random)};
    const std::int64_t group = id % 2;
    whole.add(group, point, id, id);
    // The last part gets few and has fine cells.
    parts[id % 100 == 0 ? 2 : static_cast<std::size_t>(id % 2)].add(group, point, id, id);
  }
  Thinning merged(300);
  merged.merge(parts[2]);
  merged.merge(parts[0]);
  merged.merge(parts[1]);

  EXPECT_LE(merged.rows().size(), 300u);
  EXPECT_EQ(merged.rows(), whole.rows());
}

}  // namespace
}  // namespace scalesweep::analysis
