#include "analysis/effects/phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "analysis/bottlenecks/doubt.hpp"
#include "analysis/bottlenecks/tables.hpp"
#include "analysis/effects/transitions.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/file/table_values.hpp"
#include "analysis/words/words.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::size_t> varying(const StudyLayout& layout) {
  std::vector<std::size_t> axes;
  for (const std::size_t axis : layout.along_axes) {
    if (layout.axes[axis].labels.size() > 1) {
      axes.push_back(axis);
    }
  }
  // What is built before what is asked, the preferred ones first.
  const auto add = [&](auto wanted) {
    for (const std::size_t axis : layout.panels) {
      const bool known = std::find(axes.begin(), axes.end(), axis) != axes.end();
      if (!known && wanted(layout.axes[axis].name)) {
        axes.push_back(axis);
      }
    }
  };
  for (const std::string_view preferred : along_preference) {
    add([&](const std::string& name) { return name == preferred; });
  }
  add([](const std::string& name) { return !is_workload_axis(name); });
  add([](const std::string&) { return true; });
  return axes;
}

std::vector<std::size_t> named_axes(const StudyLayout& layout,
                                    const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const std::size_t axis : varying(layout)) {
    names.push_back(layout.axes[axis].name);
  }
  std::vector<std::size_t> axes;
  for (const std::string& name : wanted) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      refuse(layout.is_axis(name)
                 ? fmt::format("a phase diagram over '{}': the axis has one value, or is "
                               "searched; those that vary are {}",
                               name, join(names, ", "))
                 : fmt::format("a phase diagram over '{}': the study has no such axis{}", name,
                               suggestion(name, names)));
    }
    axes.push_back(*layout.axis(name));
  }
  if (axes.size() != 2 || axes[0] == axes[1]) {
    refuse("a phase diagram is over two different axes");
  }
  return axes;
}

store::Schema phase_schema(const StudyLayout& layout, const std::vector<std::size_t>& axes,
                           const Resources& resources, const Grid& grid) {
  store::Schema schema = {
      count_column("point_id", "best point", "the best point of the cell; -1: nothing feasible")};
  for (const std::size_t axis : grid.axes()) {
    schema.push_back(axis_column(layout, axis));
  }
  std::vector<std::string> groups = resources.groups;
  groups.emplace_back("none");
  std::vector<std::string> names = resources.names;
  names.emplace_back("none");
  const auto add = [&](const std::string& name, const std::string& description) {
    schema.push_back(number_column(name, description));
  };
  schema.push_back(name_column(
      "dominant_group", "bottleneck",
      fmt::format("group with the largest share of the {}", layout.time.words), groups));
  add("dominant_group_share", "its share");
  add("group_margin", "its share less that of the second group");
  schema.push_back(name_column(
      "dominant_resource", "dominant resource",
      fmt::format("resource with the largest share of the {}", layout.time.words), names));
  add("dominant_share", "its share");
  add("dominant_margin", "its share less that of the second resource");
  schema.push_back(firm_column("firm", "whether the group leads by more than one error bar"));
  for (const std::size_t axis : axes) {
    add("crossing_" + layout.axes[axis].name,
        "where on the way to the next value another group takes over, in steps of the axis");
  }
  return schema;
}

double group_margin(const Attribution& a) {
  double second = 0.0;
  for (std::size_t group = 0; group < a.group_shares.size(); ++group) {
    second = group == a.group ? second : std::max(second, a.group_shares[group]);
  }
  return a.group_shares[a.group] - second;
}

// Where another group takes over between two neighbours, in steps from the first; NaN: nowhere.
double boundary(const Attribution& here, const Attribution& next) {
  if (here.group == next.group) {
    return nan;
  }
  return crossing({here.group_shares[here.group], here.group_shares[next.group],
                   next.group_shares[here.group], next.group_shares[next.group]});
}

void add_limits(store::Table& table, std::size_t column, const Resources& resources,
                const Attribution* limits, double error) {
  const auto add_name = [&](std::size_t index) {
    table.values<std::int32_t>(column++).push_back(static_cast<std::int32_t>(index));
  };
  const auto add_number = [&](double value) { table.values<double>(column++).push_back(value); };
  add_name(limits != nullptr ? limits->group : resources.groups.size());
  add_number(limits != nullptr ? limits->group_shares[limits->group] : nan);
  add_number(limits != nullptr ? group_margin(*limits) : nan);
  add_name(limits != nullptr ? limits->resource : resources.names.size());
  add_number(limits != nullptr ? limits->shares[limits->resource] : nan);
  add_number(limits != nullptr ? limits->margin() : nan);
  const Firm firm = limits != nullptr ? leads_firmly(limits->group_shares, error) : Firm::unknown;
  add_name(static_cast<std::size_t>(firm));
}

}  // namespace

std::vector<std::size_t> phase_axes(const StudyLayout& layout,
                                    const std::vector<std::string>& wanted) {
  if (!wanted.empty()) {
    return named_axes(layout, wanted);
  }
  std::vector<std::size_t> axes = varying(layout);
  if (axes.size() < 2) {
    return {};
  }
  axes.resize(2);
  return axes;
}

ResultTable phase_table(const StudyLayout& layout, const std::vector<std::size_t>& axes,
                        const Resources& resources, const ResultTable& best, const Grid& grid,
                        const std::vector<std::int64_t>& best_rows) {
  ResultTable result;
  if (axes.empty()) {
    return result;
  }
  result.name = "phases";
  result.description =
      fmt::format("what limits the best strategy over {} and {}", words(layout.axes[axes[0]].name),
                  words(layout.axes[axes[1]].name));
  result.schema = phase_schema(layout, axes, resources, grid);
  result.table = store::Table(result.schema);
  const std::vector<Attribution> limits = attributions(best, resources);
  const auto ids = integers(best.table, best.schema, std::string(point_id_column));
  const std::vector<double> errors = relative_errors(best);
  const auto limits_of = [&](std::size_t cell) {
    return best_rows[cell] < 0 ? nullptr : &limits[static_cast<std::size_t>(best_rows[cell])];
  };
  for (std::size_t cell = 0; cell < grid.size(); ++cell) {
    const std::vector<std::int32_t> at = grid.coordinates(cell);
    const std::int64_t row = best_rows[cell];
    const Attribution* here = limits_of(cell);
    std::size_t column = 0;
    result.table.values<std::int64_t>(column++).push_back(
        row < 0 ? -1 : ids[static_cast<std::size_t>(row)]);
    for (const std::int32_t index : at) {
      result.table.values<std::int32_t>(column++).push_back(index);
    }
    add_limits(result.table, column, resources, here,
               row < 0 ? nan : errors[static_cast<std::size_t>(row)]);
    column = result.schema.size() - axes.size();
    for (const std::size_t axis : axes) {
      const auto place = static_cast<std::size_t>(
          std::find(grid.axes().begin(), grid.axes().end(), axis) - grid.axes().begin());
      std::vector<std::int32_t> next = at;
      const bool has_next =
          static_cast<std::size_t>(++next[place]) < layout.axes[axis].labels.size();
      const Attribution* there = has_next ? limits_of(grid.cell(next)) : nullptr;
      const double on_the_way = here != nullptr && there != nullptr ? boundary(*here, *there) : nan;
      result.table.values<double>(column++).push_back(at[place] + on_the_way);
    }
  }
  return result;
}

}  // namespace scalesweep::analysis
