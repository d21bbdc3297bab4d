#include "study/columns/outcome_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "space/axes/workload_axes.hpp"

namespace scalesweep::study {
namespace {

// So many groups, or more than anybody counts.
std::int64_t group_count(const std::vector<std::string>& names,
                         const std::vector<space::Axis>& axes) {
  constexpr std::int64_t many = std::int64_t{1} << 40U;
  std::int64_t groups = 1;
  for (const std::string& name : names) {
    const auto size = static_cast<std::int64_t>(axes[*space::find_axis(axes, name)].size());
    groups = groups > many / size ? many : groups * size;
  }
  return groups;
}

// The column whose role says that it tells of this status.
std::string nearest_column(const store::Schema& schema, const std::string& status) {
  for (const store::Column& column : schema) {
    const std::vector<std::string> roles = split(column.role, ' ');
    if (std::find(roles.begin(), roles.end(), "nearest:" + status) != roles.end()) {
      return column.name;
    }
  }
  return "";
}

}  // namespace

store::OutcomeTables outcome_tables(const std::vector<space::Axis>& axes,
                                    const store::Schema& schema,
                                    const std::vector<std::string>& statuses) {
  store::OutcomeTables outcomes;
  std::vector<std::string> left_out;
  const auto add = [&](const std::string& name, const std::vector<std::string>& of) {
    if (const std::int64_t groups = group_count(of, axes); groups > most_groups) {
      left_out.push_back(fmt::format("{} of {}: {}, more than {}", name, join(of, ", "),
                                     with_thousands(groups), with_thousands(most_groups)));
    } else {
      outcomes.tables.push_back({name, of});
    }
  };
  std::vector<std::string> varying;
  for (const space::Axis& axis : axes) {
    if (axis.size() > 1 && !axis.searched) {
      add(axis.name, {axis.name});
      if (axis.name != space::searched_axis) {
        varying.push_back(axis.name);
      }
    }
  }
  add("questions", space::varying_workload_axes(axes));
  add("combinations", varying);
  outcomes.left_out = join(left_out, "; ");
  for (const std::string& status : statuses) {
    outcomes.nearest.push_back(nearest_column(schema, status));
  }
  return outcomes;
}

StatusTally::StatusTally(std::size_t statuses)
    : counts(statuses, 0), nearest(statuses, unknown_distance) {}

void StatusTally::clear() {
  std::fill(counts.begin(), counts.end(), 0);
  std::fill(nearest.begin(), nearest.end(), unknown_distance);
}

OutcomeCounter::OutcomeCounter(store::OutcomeNumbers numbers)
    : numbers_(std::move(numbers)),
      points_(static_cast<std::size_t>(numbers_.cells()), 0),
      nearest_(points_.size(), unknown_distance) {}

void OutcomeCounter::add(std::span<const std::int32_t> axis_index, const StatusTally& tally) {
  for (std::size_t table = 0; table < numbers_.tables(); ++table) {
    const auto first = static_cast<std::size_t>(numbers_.first_cell(table, axis_index));
    for (std::size_t status = 0; status < tally.counts.size(); ++status) {
      if (tally.counts[status] == 0) {
        continue;
      }
      const std::size_t cell = first + status;
      if (points_[cell] == 0) {
        touched_.push_back(static_cast<std::int64_t>(cell));
      }
      points_[cell] += tally.counts[status];
      nearest_[cell] = std::fmin(nearest_[cell], tally.nearest[status]);
    }
  }
}

void OutcomeCounter::move_to(store::Outcomes& outcomes) {
  std::sort(touched_.begin(), touched_.end());
  store::Outcomes counted;
  for (const std::int64_t touched : touched_) {
    const auto cell = static_cast<std::size_t>(touched);
    counted.push_back({touched, points_[cell], nearest_[cell]});
    points_[cell] = 0;
    nearest_[cell] = unknown_distance;
  }
  touched_.clear();
  store::add_outcomes(outcomes, counted);
}

}  // namespace scalesweep::study
