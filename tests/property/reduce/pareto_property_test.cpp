// Frontiers and bests against definitions that are too slow to use, on values with many ties.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "property/reduce/arbitrary_rows.hpp"
#include "reduce/frontier/pareto.hpp"
#include "reduce/top_k.hpp"

namespace scalesweep::reduce {
namespace {

using testing::arbitrary_rows;
using testing::beats;
using testing::frontier_by_definition;
using testing::Rows;

std::vector<std::size_t> frontier(const Rows& rows) {
  const std::vector<std::span<const double>> views(rows.columns.begin(), rows.columns.end());
  return pareto_frontier(views, rows.ids);
}

RC_GTEST_PROP(ParetoProperty, EqualsItsDefinition, ()) {
  const auto objectives = *rc::gen::inRange<std::size_t>(1, max_objectives + 1);
  const Rows rows = arbitrary_rows(objectives);
  RC_ASSERT(frontier(rows) == frontier_by_definition(rows));
}

RC_GTEST_PROP(ParetoProperty, FrontierOfFrontiersIsTheFrontier, ()) {
  const auto objectives = *rc::gen::inRange<std::size_t>(1, max_objectives + 1);
  const Rows rows = arbitrary_rows(objectives);
  const auto parts = *rc::gen::container<std::vector<int>>(rows.size(), rc::gen::inRange(0, 4));
  std::vector<std::size_t> survivors;
  for (int part = 0; part < 4; ++part) {
    std::vector<std::size_t> members;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (parts[row] == part) {
        members.push_back(row);
      }
    }
    for (const std::size_t local : frontier(rows.at(members))) {
      survivors.push_back(members[local]);
    }
  }
  std::vector<std::size_t> merged;
  for (const std::size_t local : frontier(rows.at(survivors))) {
    merged.push_back(survivors[local]);
  }
  RC_ASSERT(merged == frontier(rows));
}

RC_GTEST_PROP(ParetoProperty, LongerListsEqualTheirDefinition, ()) {
  const auto objectives = *rc::gen::inRange<std::size_t>(3, max_columns + 1);
  const Rows rows = arbitrary_rows(objectives, 900);
  RC_ASSERT(frontier(rows) == frontier_by_definition(rows));
}

RC_GTEST_PROP(ParetoProperty, OrderOfRowsDoesNotMatter, ()) {
  const auto objectives = *rc::gen::inRange<std::size_t>(1, max_objectives + 1);
  const Rows rows = arbitrary_rows(objectives);
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t row = order.size(); row > 1; --row) {
    std::swap(order[row - 1], order[*rc::gen::inRange<std::size_t>(0, row)]);
  }
  std::vector<std::size_t> back;
  for (const std::size_t place : frontier(rows.at(order))) {
    back.push_back(order[place]);
  }
  RC_ASSERT(back == frontier(rows));
}

// What is smallest in the negative is largest.
RC_GTEST_PROP(ParetoProperty, MaximisingIsMinimisingTheNegative, ()) {
  Rows rows = arbitrary_rows(1);
  for (double& value : rows.columns[0]) {
    value = -value;
  }
  const std::vector<std::size_t> kept = frontier(rows);
  for (const double value : rows.columns[0]) {
    RC_ASSERT(std::isnan(value) || (kept.size() == 1 && -rows.columns[0][kept[0]] >= -value));
  }
}

RC_GTEST_PROP(RankProperty, EqualsItsDefinition, ()) {
  const auto objectives = *rc::gen::inRange<std::size_t>(1, max_columns + 1);
  const auto most = *rc::gen::inRange(1, 6);
  const Rows rows = arbitrary_rows(objectives, 80);
  RC_ASSERT(dominance_ranks(rows.views(), rows.ids, most) ==
            testing::ranks_by_definition(rows, most));
}

std::vector<std::size_t> best_by_definition(const Rows& rows,
                                            const std::vector<std::int64_t>& group, std::size_t k) {
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (testing::has_nan(rows, row)) {
      continue;
    }
    std::size_t better = 0;
    for (std::size_t other = 0; other < rows.size(); ++other) {
      better += other != row && group[other] == group[row] && beats(rows, other, row) ? 1 : 0;
    }
    if (better < k) {
      kept.push_back(row);
    }
  }
  std::sort(kept.begin(), kept.end(),
            [&](std::size_t a, std::size_t b) { return rows.ids[a] < rows.ids[b]; });
  return kept;
}

RC_GTEST_PROP(TopKProperty, EqualsItsDefinitionAndMerges, ()) {
  const Rows rows = arbitrary_rows(1);
  const auto group =
      *rc::gen::container<std::vector<std::int64_t>>(rows.size(), rc::gen::inRange(-2, 3));
  const auto k = *rc::gen::inRange<std::size_t>(1, 6);
  const auto kept = best_per_group(rows.columns[0], group, rows.ids, k);
  RC_ASSERT(kept == best_by_definition(rows, group, k));

  const auto cut = *rc::gen::inRange<std::size_t>(0, rows.size() + 1);
  std::vector<std::size_t> survivors;
  for (const bool low : {true, false}) {
    const std::size_t first = low ? 0 : cut;
    const std::size_t count = low ? cut : rows.size() - cut;
    const std::span<const double> objective(rows.columns[0]);
    const std::span<const std::int64_t> groups(group);
    const std::span<const std::int64_t> ids(rows.ids);
    for (const std::size_t local :
         best_per_group(objective.subspan(first, count), groups.subspan(first, count),
                        ids.subspan(first, count), k)) {
      survivors.push_back(first + local);
    }
  }
  const Rows left = rows.at(survivors);
  std::vector<std::int64_t> left_group;
  for (const std::size_t row : survivors) {
    left_group.push_back(group[row]);
  }
  std::vector<std::size_t> merged;
  for (const std::size_t local : best_per_group(left.columns[0], left_group, left.ids, k)) {
    merged.push_back(survivors[local]);
  }
  RC_ASSERT(merged == kept);
}

}  // namespace
}  // namespace scalesweep::reduce
