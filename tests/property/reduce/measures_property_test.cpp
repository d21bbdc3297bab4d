// Volumes, knees and thinned frontiers against their definitions.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "property/reduce/arbitrary_rows.hpp"
#include "reduce/hypervolume.hpp"
#include "reduce/spread.hpp"

namespace scalesweep::reduce {
namespace {

using testing::Rows;

// Rows of small whole numbers, so that a volume is a number of unit cells.
Rows grid_rows(std::size_t objectives, int range, std::size_t most_rows) {
  const auto count = *rc::gen::inRange<std::size_t>(0, most_rows);
  Rows rows;
  for (std::size_t o = 0; o < objectives; ++o) {
    rows.columns.push_back(*rc::gen::container<std::vector<double>>(
        count, rc::gen::map(rc::gen::inRange(0, range + 1),
                            [](int value) { return static_cast<double>(value); })));
  }
  for (std::size_t row = 0; row < count; ++row) {
    rows.ids.push_back(static_cast<std::int64_t>(row));
  }
  return rows;
}

// Cells of the box from 0 to `range` whose lower corner some row is nowhere worse than.
double dominated_cells(const Rows& rows, int range) {
  std::vector<int> cell(rows.columns.size(), 0);
  double count = 0.0;
  while (true) {
    bool dominated = false;
    for (std::size_t row = 0; row < rows.size() && !dominated; ++row) {
      dominated = true;
      for (std::size_t i = 0; i < cell.size(); ++i) {
        dominated = dominated && rows.columns[i][row] <= cell[i];
      }
    }
    count += dominated ? 1.0 : 0.0;
    std::size_t i = 0;
    while (i < cell.size() && ++cell[i] == range) {
      cell[i++] = 0;
    }
    if (i == cell.size()) {
      return count;
    }
  }
}

RC_GTEST_PROP(Hypervolume, IsTheNumberOfDominatedCells, ()) {
  const auto objectives = *rc::gen::inRange<std::size_t>(1, 7);
  const int range = objectives <= 3 ? 8 : objectives == 4 ? 5 : 3;
  const Rows rows = grid_rows(objectives, range, 25);
  const std::vector<double> reference(objectives, range);
  RC_ASSERT(hypervolume(rows.views(), reference) == dominated_cells(rows, range));
}

TEST(HypervolumeTest, GivesUpAfterSoManyStepsAndNotBefore) {
  Rows rows;
  rows.columns.resize(5);
  for (int row = 0; row < 60; ++row) {
    for (std::size_t i = 0; i < 5; ++i) {
      rows.columns[i].push_back(0.5 + 0.4 * std::sin(row * (1.3 + static_cast<double>(i))));
    }
  }
  const std::vector<double> reference(5, 1.0);
  EXPECT_FALSE(hypervolume(rows.views(), reference, 100).has_value());
  const auto volume = hypervolume(rows.views(), reference);
  ASSERT_TRUE(volume.has_value());
  EXPECT_GT(*volume, 0.0);
  EXPECT_LT(*volume, 1.0);
}

TEST(HypervolumeTest, LongFrontiersAreForThreeObjectivesOnly) {
  const std::size_t rows = hypervolume_rows + 1;
  const std::vector<std::vector<double>> columns(4, std::vector<double>(rows, 0.5));
  const std::vector<std::span<const double>> views(columns.begin(), columns.end());
  EXPECT_FALSE(hypervolume(views, std::vector<double>(4, 1.0)).has_value());
  EXPECT_EQ(hypervolume(std::span(views).first(3), std::vector<double>(3, 1.0)), 0.125);
}

TEST(HypervolumeTest, RowsBehindTheReferenceAndNanAddNothing) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> columns = {{1.0, 3.0, std::nan(""), 0.5, infinity},
                                                    {1.0, 0.0, 0.0, 2.0, 0.0}};
  const std::vector<std::span<const double>> views(columns.begin(), columns.end());
  EXPECT_EQ(hypervolume(views, std::vector<double>{3.0, 2.0}), 2.0);
}

double worse_by(const Columns& columns, std::size_t row, std::size_t than) {
  double most = 0.0;
  for (const std::vector<double>& column : columns) {
    most = std::max(most, column[row] - column[than]);
  }
  return most;
}

RC_GTEST_PROP(Thinned, EveryRowIsWithinEpsilonOfOneThatStays, ()) {
  const auto objectives = *rc::gen::inRange<std::size_t>(1, 5);
  const Rows rows = grid_rows(objectives, 50, 120);
  const Columns columns = normalised(rows.views());
  const auto most = *rc::gen::inRange<std::size_t>(objectives + 2, 30);
  const ThinnedRows thin = thinned(columns, rows.ids, most);
  RC_ASSERT(thin.rows.size() <= most);
  RC_ASSERT(std::is_sorted(thin.rows.begin(), thin.rows.end()));
  RC_ASSERT((thin.epsilon == 0.0) == (rows.size() <= most) || thin.epsilon < 1e-5);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    double nearest = 2.0;
    for (const std::size_t kept : thin.rows) {
      nearest = std::min(nearest, worse_by(columns, kept, row));
    }
    RC_ASSERT(nearest <= thin.epsilon + 1e-12);
  }
  for (const std::vector<double>& column : columns) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const double best = column[*std::min_element(
          thin.rows.begin(), thin.rows.end(),
          [&](std::size_t a, std::size_t b) { return column[a] < column[b]; })];
      RC_ASSERT(best <= column[row]);
    }
  }
}

Columns scaled(const std::vector<std::vector<double>>& columns) {
  return normalised(std::vector<std::span<const double>>(columns.begin(), columns.end()));
}

TEST(Normalised, LogarithmsOfOneSignAndElseALine) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Columns columns = scaled({{1.0, 10.0, 100.0},
                                  {-100.0, -10.0, -1.0},
                                  {0.0, 10.0, 100.0},
                                  {7.0, 7.0, 7.0},
                                  {1.0, 4.0, infinity}});
  EXPECT_DOUBLE_EQ(columns[0][1], 0.5);
  EXPECT_DOUBLE_EQ(columns[1][1], 0.5);
  EXPECT_DOUBLE_EQ(columns[2][1], 0.1);
  EXPECT_EQ(columns[3], (std::vector<double>{0.0, 0.0, 0.0}));
  EXPECT_EQ(columns[4], (std::vector<double>{0.0, 1.0, 1.0}));
}

TEST(Knee, IsTheRowFarthestBelowTheLineBetweenTheEnds) {
  // In logarithms (0, 3), (1, 1), (3, 0): the second is farthest.
  const Columns columns = scaled({{1.0, 10.0, 1000.0}, {1000.0, 10.0, 1.0}});
  const std::vector<std::int64_t> ids = {4, 2, 7};
  EXPECT_EQ(knee(columns, ids), 1);
}

TEST(Knee, TiesGoToTheSmallerIdAndTwoRowsHaveNone) {
  const Columns columns = scaled({{0.0, 1.0, 2.0, 3.0}, {3.0, 2.0, 1.0, 0.0}});
  EXPECT_EQ(knee(columns, std::vector<std::int64_t>{4, 2, 1, 7}), 2);
  EXPECT_FALSE(knee(scaled({{0.0, 1.0}, {1.0, 0.0}}), std::vector<std::int64_t>{0, 1}));
  EXPECT_FALSE(
      knee(scaled({{0.0, 1.0, 2.0}, {1.0, 1.0, 1.0}}), std::vector<std::int64_t>{0, 1, 2}));
}

TEST(Crowding, AddsTheDistancesBetweenNeighbours) {
  const std::vector<double> distances = crowding({{0.0, 0.25, 1.0}, {1.0, 0.5, 0.0}});
  EXPECT_DOUBLE_EQ(distances[0], 2 * 0.25 + 2 * 0.5);
  EXPECT_DOUBLE_EQ(distances[1], 1.0 + 1.0);
  EXPECT_DOUBLE_EQ(distances[2], 2 * 0.75 + 2 * 0.5);
  EXPECT_EQ(crowding({{0.0}, {0.0}}), (std::vector<double>{0.0}));
}

}  // namespace
}  // namespace scalesweep::reduce
