#include "reduce/spread.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/contracts.hpp"
#include "reduce/frontier/kernels.hpp"

namespace scalesweep::reduce {
namespace {

enum class Signs { positive, negative, mixed };

Signs signs_of(std::span<const double> column) {
  const auto is_positive = [](double value) { return value > 0.0; };
  const auto is_negative = [](double value) { return value < 0.0; };
  if (std::all_of(column.begin(), column.end(), is_positive)) {
    return Signs::positive;
  }
  return std::all_of(column.begin(), column.end(), is_negative) ? Signs::negative : Signs::mixed;
}

double scaled(double value, Signs signs) {
  switch (signs) {
    case Signs::positive:
      return std::log(value);
    case Signs::negative:
      return -std::log(-value);
    case Signs::mixed:
      break;
  }
  return value;
}

std::vector<double> normalised_column(std::span<const double> column) {
  const Signs signs = signs_of(column);
  std::vector<double> values;
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const double value : column) {
    values.push_back(scaled(value, signs));
    if (std::isfinite(values.back())) {
      least = std::min(least, values.back());
      most = std::max(most, values.back());
    }
  }
  // Halves, so that the range of the largest numbers stays finite.
  const double range = most * 0.5 - least * 0.5;
  for (double& value : values) {
    if (!std::isfinite(value)) {
      value = value > 0.0 ? 1.0 : 0.0;
    } else {
      value = range > 0.0 ? (value * 0.5 - least * 0.5) / range : 0.0;
    }
  }
  return values;
}

// Rows that any thinned frontier shows: the best of every objective, ties by the other objectives
// and then by id, and the knee.
std::vector<std::size_t> landmarks(const Columns& columns, std::span<const std::int64_t> ids) {
  std::vector<std::size_t> rows;
  const auto add = [&](std::size_t row) {
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) {
      rows.push_back(row);
    }
  };
  for (const std::vector<double>& column : columns) {
    std::size_t best = 0;
    for (std::size_t row = 1; row < ids.size(); ++row) {
      if (column[row] < column[best] || (column[row] == column[best] && ids[row] < ids[best])) {
        best = row;
      }
    }
    add(best);
  }
  if (const auto at_knee = knee(columns, ids)) {
    add(*at_knee);
  }
  return rows;
}

// Rows that stand for all within epsilon; more than `most` of them: it stops.
std::vector<std::size_t> cover(const Columns& columns, const std::vector<std::size_t>& order,
                               const std::vector<std::size_t>& first, double epsilon,
                               std::size_t most) {
  std::vector<std::size_t> kept;
  Columns kept_columns(columns.size());
  const auto keep = [&](std::size_t row) {
    kept.push_back(row);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      kept_columns[i].push_back(columns[i][row]);
    }
  };
  for (const std::size_t row : first) {
    keep(row);
  }
  std::vector<double> limit(columns.size());
  std::vector<const double*> views(columns.size());
  for (const std::size_t row : order) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      limit[i] = columns[i][row] + epsilon;
      views[i] = kept_columns[i].data();
    }
    if (!any_covers(views, kept.size(), limit)) {
      keep(row);
    }
    if (kept.size() > most) {
      break;
    }
  }
  return kept;
}

}  // namespace

Columns normalised(std::span<const std::span<const double>> objectives) {
  Columns columns;
  for (const std::span<const double> column : objectives) {
    columns.push_back(normalised_column(column));
  }
  return columns;
}

std::optional<std::size_t> knee(const Columns& columns, std::span<const std::int64_t> ids) {
  const auto varies = [](const std::vector<double>& column) {
    return std::any_of(column.begin(), column.end(), [](double value) { return value != 0.0; });
  };
  if (ids.size() < 3 || std::count_if(columns.begin(), columns.end(), varies) < 2) {
    return std::nullopt;
  }
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < ids.size(); ++row) {
    double sum = 0.0;
    for (const std::vector<double>& column : columns) {
      sum += column[row];
    }
    if (sum < least || (sum == least && ids[row] < ids[best])) {
      least = sum;
      best = row;
    }
  }
  return best;
}

std::vector<double> crowding(const Columns& columns) {
  const std::size_t rows = columns.front().size();
  std::vector<double> distances(rows, 0.0);
  std::vector<std::size_t> order(rows);
  for (const std::vector<double>& column : columns) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return column[a] < column[b]; });
    for (std::size_t place = 0; place < rows && rows > 1; ++place) {
      const double here = column[order[place]];
      const double before = place == 0 ? here : column[order[place - 1]];
      const double after = place + 1 == rows ? here : column[order[place + 1]];
      const bool at_end = place == 0 || place + 1 == rows;
      distances[order[place]] += (at_end ? 2.0 : 1.0) * (after - before);
    }
  }
  return distances;
}

ThinnedRows thinned(const Columns& columns, std::span<const std::int64_t> ids, std::size_t most) {
  SCALESWEEP_EXPECT(most >= columns.size() + 2);
  ThinnedRows result;
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
  result.rows = order;
  if (ids.size() <= most) {
    return result;
  }
  const std::vector<std::size_t> first = landmarks(columns, ids);
  double too_small = 0.0;
  result.epsilon = 1.0;  // any row is within 1 of any other
  result.rows = cover(columns, order, first, result.epsilon, most);
  for (int halving = 0; halving < 20; ++halving) {
    const double epsilon = 0.5 * (too_small + result.epsilon);
    std::vector<std::size_t> kept = cover(columns, order, first, epsilon, most);
    if (kept.size() > most) {
      too_small = epsilon;
    } else {
      result = {std::move(kept), epsilon};
    }
  }
  std::sort(result.rows.begin(), result.rows.end(),
            [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
  return result;
}

}  // namespace scalesweep::reduce
