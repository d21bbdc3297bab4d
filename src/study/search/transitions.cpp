#include "study/search/transitions.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "columns/roles.hpp"
#include "estimator/parts/charges.hpp"

namespace scalesweep::study {
namespace {

using Seconds = std::array<double, estimator::resource_count>;

// The first resource of the group that each is in.
const std::array<std::size_t, estimator::resource_count>& first_of_groups() {
  static const auto first = [] {
    std::array<std::size_t, estimator::resource_count> places{};
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::string group = columns::group_of(estimator::resource_names[i]);
      std::size_t place = 0;
      while (columns::group_of(estimator::resource_names[place]) != group) {
        ++place;
      }
      places[i] = place;
    }
    return places;
  }();
  return first;
}

std::size_t largest(const Seconds& seconds) {
  return static_cast<std::size_t>(std::max_element(seconds.begin(), seconds.end()) -
                                  seconds.begin());
}

}  // namespace

PointLimits limits_of(const store::Table& rows, const store::Schema& schema, std::size_t row) {
  Seconds seconds{};
  Seconds of_groups{};
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const std::string charge = "charge_" + std::string(estimator::resource_names[i]);
    seconds[i] = rows.values<double>(column_named(schema, charge))[row];
    of_groups[first_of_groups()[i]] += seconds[i];
  }
  return {largest(seconds), largest(of_groups)};
}

void find_changes(std::int32_t size, std::int64_t first,
                  const std::function<PointLimits(std::int32_t place)>& look_at) {
  const auto steps = static_cast<std::int32_t>(std::min<std::int64_t>(first, size)) - 1;
  const std::function<void(std::int32_t, const PointLimits&, std::int32_t, const PointLimits&)>
      between = [&](std::int32_t low, const PointLimits& at_low, std::int32_t high,
                    const PointLimits& at_high) {
        if (high - low < 2 || at_low == at_high) {
          return;
        }
        const std::int32_t middle = low + (high - low) / 2;
        const PointLimits at_middle = look_at(middle);
        between(low, at_low, middle, at_middle);
        between(middle, at_middle, high, at_high);
      };
  std::int32_t low = 0;
  PointLimits at_low = look_at(low);
  for (std::int32_t step = 1; step <= steps; ++step) {
    const auto high = static_cast<std::int32_t>(std::int64_t{size - 1} * step / steps);
    const PointLimits at_high = look_at(high);
    between(low, at_low, high, at_high);
    low = high;
    at_low = at_high;
  }
}

}  // namespace scalesweep::study
