#include "analysis/file/study_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "analysis/file/columns.hpp"
#include "core/contracts.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "space/axes/workload_axes.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::analysis {
namespace {

template <typename Items>
std::optional<std::size_t> find_named(const Items& items, const std::string& name) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].name == name) {
      return i;
    }
  }
  return std::nullopt;
}

void check_objective(const StudyLayout& layout, const std::string& name) {
  const auto column = layout.column(name);
  if (!column) {
    refuse(fmt::format("no objective '{}': the study has no such column{}", name,
                       suggestion(name, names_of(layout.schema))));
  }
  const auto axis = layout.axis(name);
  const bool names_only = !axis && !layout.schema[*column].labels.empty();
  if (names_only || (axis && !is_quantity(layout.axes[*axis]))) {
    refuse(fmt::format("'{}' cannot be an objective: its values are names, not quantities", name));
  }
}

}  // namespace

bool is_quantity(const store::AxisValues& axis) {
  const auto is_number = [](const std::string& label) {
    char* end = nullptr;
    std::strtod(label.c_str(), &end);
    return !label.empty() && end == label.c_str() + label.size();
  };
  return !axis.units.empty() || std::all_of(axis.labels.begin(), axis.labels.end(), is_number);
}

bool has_order(const StudyLayout& layout) {
  return std::any_of(layout.along_axes.begin(), layout.along_axes.end(), [&](std::size_t axis) {
    return is_quantity(layout.axes[axis]) || space::has_order(layout.axes[axis].name);
  });
}

std::vector<std::int32_t> in_ascending_order(const store::AxisValues& axis) {
  std::vector<std::int32_t> order;
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    if (!std::isnan(axis.values[i])) {
      order.push_back(static_cast<std::int32_t>(i));
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return axis.values[static_cast<std::size_t>(a)] < axis.values[static_cast<std::size_t>(b)];
  });
  return order;
}

bool is_absent(const store::AxisValues& axis, std::size_t index) {
  return index < axis.labels.size() && axis.labels[index] == store::no_axis_value;
}

std::optional<std::size_t> StudyLayout::axis(const std::string& name) const {
  return find_named(axes, name);
}

std::optional<std::size_t> StudyLayout::column(const std::string& name) const {
  return find_named(schema, name);
}

std::vector<std::string> StudyLayout::group_of(const std::string& axis) const {
  const auto found = std::find_if(
      together.begin(), together.end(), [&axis](const std::vector<std::string>& group) {
        return std::find(group.begin(), group.end(), axis) != group.end();
      });
  return found != together.end() ? *found : std::vector<std::string>{axis};
}

std::int64_t StudyLayout::number_of(std::size_t axis, std::int64_t stored) const {
  const bool same = axis >= renumbered.size() || renumbered[axis].empty();
  return same ? stored : renumbered[axis].at(static_cast<std::size_t>(stored));
}

void check_objectives(const StudyLayout& layout, const std::vector<Objective>& objectives) {
  if (objectives.empty() || objectives.size() > most_objectives) {
    refuse(fmt::format("a frontier takes 1 to {} objectives, not {}", most_objectives,
                       objectives.size()));
  }
  const std::vector<std::string> columns = columns_of(objectives);
  for (const std::string& column : columns) {
    check_objective(layout, column);
    if (std::count(columns.begin(), columns.end(), column) > 1) {
      refuse(fmt::format("the objective '{}' is named twice", column));
    }
  }
}

Grid::Grid(const StudyLayout& layout, std::vector<std::size_t> axes) : axes_(std::move(axes)) {
  for (const std::size_t axis : axes_) {
    sizes_.push_back(layout.axes[axis].labels.size());
    size_ *= sizes_.back();
  }
}

std::size_t Grid::cell(const std::vector<std::int32_t>& coordinates) const {
  SCALESWEEP_EXPECT(coordinates.size() == axes_.size());
  std::size_t cell = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    cell = cell * sizes_[i] + static_cast<std::size_t>(coordinates[i]);
  }
  return cell;
}

std::vector<std::int32_t> Grid::coordinates(std::size_t cell) const {
  std::vector<std::int32_t> coordinates(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0;) {
    coordinates[i] = static_cast<std::int32_t>(cell % sizes_[i]);
    cell /= sizes_[i];
  }
  return coordinates;
}

}  // namespace scalesweep::analysis
