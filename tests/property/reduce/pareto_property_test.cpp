// Frontiers and bests against definitions that are too slow to use, on values with many ties.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "reduce/pareto.hpp"
#include "reduce/top_k.hpp"

namespace scalesweep::reduce {
namespace {

struct Rows {
  std::vector<std::vector<double>> columns;
  std::vector<std::int64_t> ids;  // distinct, in no order

  std::size_t size() const { return ids.size(); }
  Rows at(const std::vector<std::size_t>& chosen) const {
    Rows result;
    result.columns.resize(columns.size());
    for (const std::size_t row : chosen) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        result.columns[c].push_back(columns[c][row]);
      }
      result.ids.push_back(ids[row]);
    }
    return result;
  }
};

std::vector<std::size_t> frontier(const Rows& rows) {
  const std::vector<std::span<const double>> views(rows.columns.begin(), rows.columns.end());
  return pareto_frontier(views, rows.ids);
}

// A small range makes ties and equal rows, a large one long frontiers.
Rows arbitrary_rows(std::size_t objectives) {
  const int range = *rc::gen::element(2, 4, 20, 1000);
  const auto count = *rc::gen::inRange<std::size_t>(0, 120);
  Rows rows;
  for (std::size_t o = 0; o < objectives; ++o) {
    rows.columns.push_back(*rc::gen::container<std::vector<double>>(
        count, rc::gen::map(rc::gen::inRange(0, range), [range](int value) {
          return value == range - 1 ? std::numeric_limits<double>::infinity()
                                    : static_cast<double>(value);
        })));
  }
  rows.ids = *rc::gen::unique<std::vector<std::int64_t>>(
      count, rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 40));
  return rows;
}

bool beats(const Rows& rows, std::size_t a, std::size_t b) {
  bool better = false;
  for (const std::vector<double>& column : rows.columns) {
    if (column[a] > column[b]) {
      return false;
    }
    better = better || column[a] < column[b];
  }
  return better || rows.ids[a] < rows.ids[b];
}

std::vector<std::size_t> frontier_by_definition(const Rows& rows) {
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    bool beaten = false;
    for (std::size_t other = 0; other < rows.size(); ++other) {
      beaten = beaten || (other != row && beats(rows, other, row));
    }
    if (!beaten) {
      kept.push_back(row);
    }
  }
  std::sort(kept.begin(), kept.end(),
            [&](std::size_t a, std::size_t b) { return rows.ids[a] < rows.ids[b]; });
  return kept;
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

std::vector<std::size_t> best_by_definition(const Rows& rows,
                                            const std::vector<std::int64_t>& group, std::size_t k) {
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < rows.size(); ++row) {
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
