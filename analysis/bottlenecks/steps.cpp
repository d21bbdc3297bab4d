#include "analysis/bottlenecks/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/bottlenecks/tables.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/selection/slice.hpp"

namespace scalesweep::analysis {
std::vector<Path> paths_of(const Grid& grid, const std::vector<std::int64_t>& best_rows) {
  std::vector<Path> paths;
  for (std::size_t cell = 0; cell < grid.size(); ++cell) {
    std::vector<std::int32_t> panel = grid.coordinates(cell);
    const std::int32_t value = panel.back();
    panel.pop_back();
    if (value == 0) {
      paths.push_back({panel, cell, {}});
    }
    paths.back().rows.push_back(best_rows[cell]);
  }
  return paths;
}

std::vector<Step> steps_of(const StudyLayout& layout, const std::vector<Path>& paths) {
  if (!has_order(layout)) {
    return {};
  }
  std::vector<Step> steps;
  for (const Path& path : paths) {
    bool started = false;
    Step step{.path = &path};
    for (std::size_t value = 0; value < path.rows.size(); ++value) {
      if (path.rows[value] < 0) {
        continue;
      }
      step.to = value;
      step.to_row = static_cast<std::size_t>(path.rows[value]);
      if (started) {
        steps.push_back(step);
      }
      step.from = step.to;
      step.from_row = step.to_row;
      started = true;
    }
  }
  return steps;
}

store::Schema step_schema(const StudyLayout& layout, const std::string& number) {
  store::Schema schema = {count_column(number, "number of the row, from 0")};
  for (const std::size_t axis : layout.panels) {
    schema.push_back(axis_column(layout, axis));
  }
  for (const std::string side : {"from", "to"}) {
    store::Column column = axis_column(layout, layout.along);
    column.long_name = side + " " + column.long_name;
    column.description = fmt::format("{} value of the two between which it changes",
                                     side == "from" ? "first" : "second");
    column.name = side + "_" + column.name;
    schema.push_back(column);
  }
  schema.push_back(count_column(
      "skipped_values",
      "values in between of which there is no point: nothing fits, or [search] left them out"));
  schema.push_back(count_column("from_point_id", "best point at the first value"));
  schema.push_back(count_column("to_point_id", "best point at the second value"));
  return schema;
}

std::size_t add_step(store::Table& table, const Step& step,
                     const std::vector<std::int64_t>& point_ids) {
  const auto number = static_cast<std::int64_t>(table.rows());
  std::size_t column = 0;
  table.values<std::int64_t>(column++).push_back(number);
  for (const std::int32_t index : step.path->panel) {
    table.values<std::int32_t>(column++).push_back(index);
  }
  table.values<std::int32_t>(column++).push_back(static_cast<std::int32_t>(step.from));
  table.values<std::int32_t>(column++).push_back(static_cast<std::int32_t>(step.to));
  const std::size_t skipped = step.to - step.from - 1;
  table.values<std::int64_t>(column++).push_back(static_cast<std::int64_t>(skipped));
  table.values<std::int64_t>(column++).push_back(point_ids[step.from_row]);
  table.values<std::int64_t>(column++).push_back(point_ids[step.to_row]);
  return column;
}

std::vector<Quantity> quantities_along(const StudyLayout& layout, const ResultTable& points) {
  const store::AxisValues& axis = layout.axes[layout.along];
  if (is_quantity(axis)) {
    Quantity quantity{axis.name, axis.units.empty() ? "1" : axis.units, {}, true};
    for (const std::int64_t index : integers(points.table, points.schema, axis.name)) {
      quantity.values.push_back(axis.values[static_cast<std::size_t>(index)]);
    }
    return {quantity};
  }
  std::vector<Quantity> quantities;
  for (const std::size_t along : layout.along_axes) {
    for (const store::Column& column : points.schema) {
      const bool is_there =
          std::any_of(quantities.begin(), quantities.end(),
                      [&](const Quantity& quantity) { return quantity.name == column.name; });
      if (!is_there && has_role(column, role::axis_of, layout.axes[along].name)) {
        quantities.push_back({column.name, column.units,
                              numbers(points.table, points.schema, column.name), false,
                              of_role(column, role::rate_of)});
      }
    }
  }
  if (quantities.empty()) {
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    quantities.push_back({"", "1", std::vector<double>(points.table.rows(), unknown), false});
  }
  return quantities;
}

double quantity_at(const Quantity& quantity, const Step& step, double place) {
  const double from = quantity.values[step.from_row];
  const double to = quantity.values[step.to_row];
  // Clocks of two devices that differ by less than this are one rate to a reader, and what changed
  // is something else: "at 989 TFLOP/s, between 989 and 989" would say nothing.
  const double least_change = quantity.is_axis ? 0.0 : 0.01;  // relative
  if (std::isnan(from) || std::isnan(to) ||
      std::abs(to - from) <= least_change * std::max(std::abs(from), std::abs(to))) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return from > 0.0 && to > 0.0 ? from * std::pow(to / from, place) : from + place * (to - from);
}

}  // namespace scalesweep::analysis
