#include "analysis/frontier/error_bars.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "analysis/file/columns.hpp"

namespace scalesweep::analysis {
namespace {

constexpr std::array<std::string_view, 5> written_off = {
    "cost_per_step", "cost_per_million_tokens", "embodied_carbon_per_step",
    "operational_carbon_per_step", "carbon_per_million_tokens"};

template <typename Names>
bool is_one_of(const std::string& name, const Names& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

FollowsTime follows_time(const store::Column& column) {
  if (column.units == "s" || is_one_of(column.name, written_off)) {
    return FollowsTime::as_time;
  }
  const bool is_known = std::any_of(
      resource_rates.begin(), resource_rates.end(),
      [&](const ResourceRate& rate) { return rate.column == column.name; });  // of the device
  const bool is_rate = !is_known && (column.units == "s-1" || column.name == "request_rate");
  return is_rate || column.name == "model_flop_utilization" ? FollowsTime::as_its_rate
                                                            : FollowsTime::no;
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
