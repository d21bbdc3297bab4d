// Rows with many ties, and what a frontier is by definition: too slow to use, and plainly right.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace scalesweep::reduce::testing {

struct Rows {
  std::vector<std::vector<double>> columns;
  std::vector<std::int64_t> ids;  // distinct, in no order

  std::size_t size() const { return ids.size(); }
  std::vector<std::span<const double>> views() const { return {columns.begin(), columns.end()}; }
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

enum class Shape { independent, correlated, against_each_other };

// What a study may hold: ties, equal rows, infinities, zeros of both signs and NaN.
inline double arbitrary_value(int value, int range) {
  if (value == range - 1) {
    return std::numeric_limits<double>::infinity();
  }
  if (value == range - 2) {
    return -std::numeric_limits<double>::infinity();
  }
  if (value == range - 3) {
    return std::nan("");
  }
  return value == range - 4 ? -0.0 : static_cast<double>(value);
}

// A small range makes ties and equal rows, a large one long frontiers.
inline Rows arbitrary_rows(std::size_t objectives, std::size_t most_rows = 120) {
  const int range = *rc::gen::element(5, 7, 20, 1000);
  const auto shape =
      *rc::gen::element(Shape::independent, Shape::correlated, Shape::against_each_other);
  const auto count = *rc::gen::inRange<std::size_t>(0, most_rows);
  Rows rows;
  for (std::size_t o = 0; o < objectives; ++o) {
    rows.columns.push_back(*rc::gen::container<std::vector<double>>(
        count, rc::gen::map(rc::gen::inRange(0, range),
                            [range](int value) { return arbitrary_value(value, range); })));
  }
  for (std::size_t row = 0; row < count && shape != Shape::independent; ++row) {
    const double first = rows.columns[0][row];
    for (std::size_t o = 1; o < objectives; ++o) {
      double& value = rows.columns[o][row];
      value = shape == Shape::correlated ? first + std::floor(value / 8.0) : value - first;
    }
  }
  rows.ids = *rc::gen::unique<std::vector<std::int64_t>>(
      count, rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 40));
  return rows;
}

inline bool has_nan(const Rows& rows, std::size_t row) {
  return std::any_of(rows.columns.begin(), rows.columns.end(),
                     [row](const std::vector<double>& column) { return std::isnan(column[row]); });
}

// Whether a is nowhere worse than b and better somewhere, or equal with the smaller id.
inline bool beats(const Rows& rows, std::size_t a, std::size_t b) {
  bool better = false;
  for (const std::vector<double>& column : rows.columns) {
    if (!(column[a] <= column[b])) {
      return false;
    }
    better = better || column[a] < column[b];
  }
  return better || rows.ids[a] < rows.ids[b];
}

inline void sort_by_id(const Rows& rows, std::vector<std::size_t>& places) {
  std::sort(places.begin(), places.end(),
            [&](std::size_t a, std::size_t b) { return rows.ids[a] < rows.ids[b]; });
}

inline std::vector<std::size_t> frontier_by_definition(const Rows& rows) {
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    bool beaten = has_nan(rows, row);
    for (std::size_t other = 0; other < rows.size(); ++other) {
      beaten = beaten || (other != row && beats(rows, other, row));
    }
    if (!beaten) {
      kept.push_back(row);
    }
  }
  sort_by_id(rows, kept);
  return kept;
}

// Frontier after frontier; equal rows count as the one with the smallest id.
inline std::vector<std::int32_t> ranks_by_definition(const Rows& rows, std::int32_t most) {
  std::vector<std::int32_t> ranks(rows.size(), 0);
  std::vector<std::size_t> left;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    bool repeated = has_nan(rows, row);
    for (std::size_t other = 0; other < rows.size(); ++other) {
      const bool equal =
          std::all_of(rows.columns.begin(), rows.columns.end(),
                      [&](const std::vector<double>& c) { return c[row] == c[other]; });
      repeated = repeated || (equal && rows.ids[other] < rows.ids[row]);
    }
    if (!repeated) {
      left.push_back(row);
    }
  }
  for (std::int32_t rank = 1; rank <= most; ++rank) {
    for (const std::size_t place : frontier_by_definition(rows.at(left))) {
      ranks[left[place]] = rank;
    }
    std::erase_if(left, [&](std::size_t row) { return ranks[row] != 0; });
  }
  return ranks;
}

}  // namespace scalesweep::reduce::testing
