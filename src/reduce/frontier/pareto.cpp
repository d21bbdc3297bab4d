#include "reduce/frontier/pareto.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "core/contracts.hpp"
#include "reduce/frontier/divide.hpp"

namespace scalesweep::reduce {
namespace {

using Objectives = std::span<const std::span<const double>>;
using Rows = std::vector<std::size_t>;

bool has_nan(Objectives objectives, std::size_t row) {
  return std::any_of(objectives.begin(), objectives.end(),
                     [row](std::span<const double> column) { return std::isnan(column[row]); });
}

// Rows in lexicographic order of their objectives, then by id: whatever comes later can neither
// dominate what came before nor be preferred to it among equals. So a row stays exactly if no kept
// row before it is as good or better in every objective.
Rows sorted_rows(Objectives objectives, std::span<const std::int64_t> ids) {
  Rows rows;
  rows.reserve(ids.size());
  for (std::size_t row = 0; row < ids.size(); ++row) {
    if (!has_nan(objectives, row)) {
      rows.push_back(row);
    }
  }
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    for (const std::span<const double> column : objectives) {
      if (column[a] != column[b]) {
        return column[a] < column[b];
      }
    }
    return ids[a] < ids[b];
  });
  return rows;
}

Rows frontier_of_two(Objectives objectives, const Rows& sorted) {
  const std::span<const double> second = objectives[1];
  Rows kept;
  for (const std::size_t row : sorted) {
    if (kept.empty() || second[row] < second[kept.back()]) {
      kept.push_back(row);
    }
  }
  return kept;
}

// Kung, Luccio and Preparata, "On finding the maxima of a set of vectors", J. ACM 22 (1975) 469:
// sweep along the first objective and keep the staircase of the other two in a balanced tree.
Rows frontier_of_three(Objectives objectives, const Rows& sorted) {
  const std::span<const double> second = objectives[1];
  const std::span<const double> third = objectives[2];
  std::map<double, double> stairs;  // ascending second objective, descending third
  Rows kept;
  for (const std::size_t row : sorted) {
    auto after = stairs.upper_bound(second[row]);
    if (after != stairs.begin() && std::prev(after)->second <= third[row]) {
      continue;
    }
    kept.push_back(row);
    if (after != stairs.begin() && std::prev(after)->first == second[row]) {
      --after;
    }
    while (after != stairs.end() && after->second >= third[row]) {
      after = stairs.erase(after);
    }
    stairs.emplace_hint(after, second[row], third[row]);
  }
  return kept;
}

// One row, that with the smallest id, for those that are equal in all objectives.
Rows without_equals(Objectives objectives, const Rows& sorted) {
  const auto equal = [&](std::size_t a, std::size_t b) {
    return std::all_of(objectives.begin(), objectives.end(),
                       [&](std::span<const double> column) { return column[a] == column[b]; });
  };
  Rows distinct;
  std::unique_copy(sorted.begin(), sorted.end(), std::back_inserter(distinct), equal);
  return distinct;
}

Rows frontier_of_many(Objectives objectives, const Rows& sorted) {
  const Rows distinct = without_equals(objectives, sorted);
  std::vector<std::vector<double>> columns(objectives.size());
  for (std::size_t o = 0; o < objectives.size(); ++o) {
    columns[o].reserve(distinct.size());
    for (const std::size_t row : distinct) {
      columns[o].push_back(objectives[o][row]);
    }
  }
  Rows kept;
  for (const std::uint32_t place : frontier_by_division(columns)) {
    kept.push_back(distinct[place]);
  }
  return kept;
}

// Of rows in the order of sorted_rows: those on the frontier, in the same order.
Rows frontier_of_sorted(Objectives objectives, const Rows& sorted) {
  switch (objectives.size()) {
    case 1:
      return {sorted.begin(), sorted.begin() + (sorted.empty() ? 0 : 1)};
    case 2:
      return frontier_of_two(objectives, sorted);
    case 3:
      return frontier_of_three(objectives, sorted);
    default:
      return frontier_of_many(objectives, sorted);
  }
}

void check_arguments([[maybe_unused]] Objectives objectives,
                     [[maybe_unused]] std::span<const std::int64_t> ids) {
  SCALESWEEP_EXPECT(!objectives.empty() && objectives.size() <= max_columns);
  for ([[maybe_unused]] const std::span<const double> column : objectives) {
    SCALESWEEP_EXPECT(column.size() == ids.size());
  }
}

}  // namespace

std::vector<std::size_t> pareto_frontier(Objectives objectives, std::span<const std::int64_t> ids) {
  check_arguments(objectives, ids);
  Rows kept = frontier_of_sorted(objectives, sorted_rows(objectives, ids));
  std::sort(kept.begin(), kept.end(),
            [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
  return kept;
}

std::vector<std::int32_t> dominance_ranks(Objectives objectives, std::span<const std::int64_t> ids,
                                          std::int32_t most) {
  check_arguments(objectives, ids);
  SCALESWEEP_EXPECT(most >= 1);
  std::vector<std::int32_t> ranks(ids.size(), 0);
  Rows left = without_equals(objectives, sorted_rows(objectives, ids));
  for (std::int32_t rank = 1; rank <= most && !left.empty(); ++rank) {
    for (const std::size_t row : frontier_of_sorted(objectives, left)) {
      ranks[row] = rank;
    }
    std::erase_if(left, [&](std::size_t row) { return ranks[row] != 0; });
  }
  return ranks;
}

}  // namespace scalesweep::reduce
