#include "reduce/pareto.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

#include "core/contracts.hpp"

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

// Sort-filter skyline: Chomicki, Godfrey, Gryz and Liang, "Skyline with presorting", ICDE 2003.
// Kept rows lie densely, objective after objective, and the one that dominated last is tried
// first.
Rows frontier_of_many(Objectives objectives, const Rows& sorted) {
  const std::size_t width = objectives.size();
  std::vector<double> kept_values;
  Rows kept;
  std::vector<double> candidate(width);
  const auto covered_by = [&](std::size_t k) {
    const double* better = kept_values.data() + k * width;
    for (std::size_t o = 0; o < width; ++o) {
      if (better[o] > candidate[o]) {
        return false;
      }
    }
    return true;
  };
  std::size_t last_dominator = 0;
  for (const std::size_t row : sorted) {
    for (std::size_t o = 0; o < width; ++o) {
      candidate[o] = objectives[o][row];
    }
    if (!kept.empty() && covered_by(last_dominator)) {
      continue;
    }
    std::size_t k = 0;
    while (k < kept.size() && !covered_by(k)) {
      ++k;
    }
    if (k < kept.size()) {
      last_dominator = k;
      continue;
    }
    kept.push_back(row);
    kept_values.insert(kept_values.end(), candidate.begin(), candidate.end());
  }
  return kept;
}

}  // namespace

std::vector<std::size_t> pareto_frontier(Objectives objectives, std::span<const std::int64_t> ids) {
  SCALESWEEP_EXPECT(!objectives.empty() && objectives.size() <= max_objectives);
  for ([[maybe_unused]] const std::span<const double> column : objectives) {
    SCALESWEEP_EXPECT(column.size() == ids.size());
  }
  const Rows sorted = sorted_rows(objectives, ids);
  Rows kept;
  switch (objectives.size()) {
    case 1:
      kept.assign(sorted.begin(), sorted.begin() + (sorted.empty() ? 0 : 1));
      break;
    case 2:
      kept = frontier_of_two(objectives, sorted);
      break;
    case 3:
      kept = frontier_of_three(objectives, sorted);
      break;
    default:
      kept = frontier_of_many(objectives, sorted);
  }
  std::sort(kept.begin(), kept.end(),
            [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
  return kept;
}

}  // namespace scalesweep::reduce
