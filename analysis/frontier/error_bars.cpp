#include "analysis/frontier/error_bars.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/file/columns.hpp"

namespace scalesweep::analysis {
FollowsTime follows_time(const store::Column& column) {
  if (column.units == "s" || has_role(column, role::as_time)) {
    return FollowsTime::as_time;
  }
  const bool is_known = !of_role(column, role::rate_of).empty();  // of the device
  const bool is_rate = column.units == "s-1" && !is_known;
  return is_rate || has_role(column, role::as_rate) ? FollowsTime::as_its_rate : FollowsTime::no;
}

const store::Column* error_bar_column(const store::Schema& schema, const store::Column& figure) {
  const std::string kind = of_role(figure, role::bar_of);
  const store::Column* const own =
      kind.empty() ? nullptr : column_with(schema, role::uncertainty_of, kind);
  return own != nullptr ? own : column_with(schema, role::uncertainty);
}

Ends ends_of(double value, FollowsTime follows, Direction direction, double u) {
  double low = value;
  double high = value;
  const double least = std::max(0.0, 1.0 - u);
  // An infinite time stays one, whatever its error bar.
  switch (std::isfinite(value) ? follows : FollowsTime::no) {
    case FollowsTime::no:
      break;
    case FollowsTime::as_time:
      low = value * least;
      high = value * (1.0 + u);
      break;
    case FollowsTime::as_its_rate:
      low = value / (1.0 + u);
      high = least > 0.0 ? value / least : std::numeric_limits<double>::infinity();
      break;
  }
  if (low > high) {
    std::swap(low, high);  // of a negative number
  }
  return direction == Direction::minimize ? Ends{low, high} : Ends{-high, -low};
}

}  // namespace scalesweep::analysis
