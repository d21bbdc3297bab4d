#include "analysis/transitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "analysis/columns.hpp"
#include "analysis/slice.hpp"
#include "analysis/tables.hpp"

namespace scalesweep::analysis {
namespace {

// Two consecutive values of the axis at which something is feasible.
struct Step {
  const Path* path = nullptr;
  std::size_t from = 0;  // indices of the axis
  std::size_t to = 0;
  std::size_t from_row = 0;  // rows of the best table
  std::size_t to_row = 0;
};

std::vector<Step> steps_of(const std::vector<Path>& paths) {
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

store::Column value_column(const std::string& name, const std::string& units,
                           const std::string& long_name, const std::string& description) {
  return {name, store::ColumnType::f64, units, long_name, description, {}};
}

store::Column count_column(const std::string& name, const std::string& description) {
  return {name, store::ColumnType::i64, "1", name, description, {}};
}

// The columns that both tables begin with: number, panel axes, the two values, the two points.
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
  schema.push_back(count_column("skipped_values", "values in between at which nothing fits"));
  schema.push_back(count_column("from_point_id", "best point at the first value"));
  schema.push_back(count_column("to_point_id", "best point at the second value"));
  return schema;
}

// Fills the columns of step_schema and returns the number of the next one.
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

// One level at which a limit is named: single resources, or groups of them.
struct Level {
  std::vector<std::string> names;  // in the table's labels
  std::function<std::size_t(const Attribution&)> dominant;
  std::function<const std::vector<double>&(const Attribution&)> shares;
};

std::vector<Level> levels_of(const Resources& resources) {
  return {
      {resources.groups, [](const Attribution& a) { return a.group; },
       [](const Attribution& a) -> const std::vector<double>& { return a.group_shares; }},
      {resources.names, [](const Attribution& a) { return a.resource; },
       [](const Attribution& a) -> const std::vector<double>& { return a.shares; }},
  };
}

// The value of a quantity axis at a place between two of its values; NaN for names.
double value_at(const store::AxisValues& axis, const Step& step, double fraction) {
  if (!is_quantity(axis)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return axis.values[step.from] + fraction * (axis.values[step.to] - axis.values[step.from]);
}

// Groups and resources, each name once: a resource without a group is a group of the same name.
std::vector<std::string> limit_names(const Resources& resources) {
  std::vector<std::string> limits = resources.groups;
  for (const std::string& name : resources.names) {
    if (std::find(limits.begin(), limits.end(), name) == limits.end()) {
      limits.push_back(name);
    }
  }
  return limits;
}

store::Schema transition_schema(const StudyLayout& layout, const Resources& resources) {
  const std::vector<std::string> limits = limit_names(resources);
  const store::AxisValues& axis = layout.axes[layout.along];
  store::Schema schema = step_schema(layout, "transition");
  const auto add_name = [&](const std::string& name, const std::string& description,
                            const std::vector<std::string>& labels) {
    schema.push_back({name, store::ColumnType::i32, "", name, description, labels});
  };
  add_name("level", "whether single resources or groups of them are compared",
           {"group", "resource"});
  add_name(
      "from_limit",
      fmt::format("what has the largest share of the {} at the first value", layout.time.words),
      limits);
  add_name("to_limit", "what has the largest share at the second value", limits);
  for (const std::string limit : {"from", "to"}) {
    for (const std::string when : {"before", "after"}) {
      schema.push_back(
          value_column(fmt::format("{}_limit_share_{}", limit, when), "1",
                       fmt::format("share of {}_limit {}", limit, when),
                       fmt::format("share of {}_limit in the {} at the {} value", limit,
                                   layout.time.words, when == "before" ? "first" : "second")));
    }
  }
  schema.push_back(value_column("crossing_index", "1", "place of the change",
                                "place at which to_limit overtakes from_limit, in steps of the "
                                "axis from its value 0; shares taken as straight lines between"));
  schema.push_back(value_column("crossing_value", axis.units, "value at the change",
                                "value of the axis there, where it is a quantity; else NaN"));
  return schema;
}

// Fills the columns of transition_schema from `column` on.
void add_transition(store::Table& table, std::size_t column, const Step& step, std::size_t level,
                    const Level& names, const Attribution& before, const Attribution& after,
                    const std::vector<std::string>& limits, const store::AxisValues& axis) {
  const std::size_t from = names.dominant(before);
  const std::size_t to = names.dominant(after);
  const auto label_of = [&](std::size_t index) {
    const auto place = std::find(limits.begin(), limits.end(), names.names[index]);
    return static_cast<std::size_t>(place - limits.begin());
  };
  for (const std::size_t value : {level, label_of(from), label_of(to)}) {
    table.values<std::int32_t>(column++).push_back(static_cast<std::int32_t>(value));
  }
  const std::vector<double>& was = names.shares(before);
  const std::vector<double>& is = names.shares(after);
  const double fraction = crossing(was[from], was[to], is[from], is[to]);
  const double place =
      static_cast<double>(step.from) + fraction * static_cast<double>(step.to - step.from);
  for (const double value :
       {was[from], is[from], was[to], is[to], place, value_at(axis, step, fraction)}) {
    table.values<double>(column++).push_back(value);
  }
}

}  // namespace

std::vector<Path> paths_of(const Grid& grid, const std::vector<std::int64_t>& best_rows) {
  std::vector<Path> paths;
  for (std::size_t cell = 0; cell < grid.size(); ++cell) {
    std::vector<std::int32_t> panel = grid.coordinates(cell);
    const std::int32_t value = panel.back();
    panel.pop_back();
    if (value == 0) {
      paths.push_back({panel, {}});
    }
    paths.back().rows.push_back(best_rows[cell]);
  }
  return paths;
}

std::vector<Attribution> attributions(const ResultTable& table, const Resources& resources) {
  std::vector<std::vector<double>> shares;
  for (const std::string& name : resources.names) {
    shares.push_back(numbers(table.table, table.schema, "share_" + name));
  }
  std::vector<Attribution> result;
  std::vector<double> row_shares(shares.size());
  for (std::size_t row = 0; row < table.table.rows(); ++row) {
    for (std::size_t i = 0; i < shares.size(); ++i) {
      row_shares[i] = shares[i][row];
    }
    result.push_back(attribute(resources, row_shares));
  }
  return result;
}

ResultTable transition_table(const StudyLayout& layout, const Resources& resources,
                             const ResultTable& best, const std::vector<Path>& paths) {
  ResultTable result;
  result.name = "transitions";
  result.description = "changes of what limits the best strategy between neighbouring values of " +
                       layout.axes[layout.along].name;
  result.schema = transition_schema(layout, resources);
  result.table = store::Table(result.schema);
  const std::vector<Attribution> limits = attributions(best, resources);
  const auto ids = integers(best.table, best.schema, std::string(point_id_column));
  const std::vector<Level> levels = levels_of(resources);
  for (const Step& step : steps_of(paths)) {
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const Attribution& before = limits[step.from_row];
      const Attribution& after = limits[step.to_row];
      if (levels[level].dominant(before) != levels[level].dominant(after)) {
        const std::size_t column = add_step(result.table, step, ids);
        add_transition(result.table, column, step, level, levels[level], before, after,
                       limit_names(resources), layout.axes[layout.along]);
      }
    }
  }
  return result;
}

ResultTable strategy_change_table(const StudyLayout& layout, const ResultTable& best,
                                  const std::vector<Path>& paths) {
  ResultTable result;
  result.name = "strategy_changes";
  result.description = "changes of the best strategy between neighbouring values of " +
                       layout.axes[layout.along].name;
  result.schema = step_schema(layout, "change");
  std::vector<std::vector<std::int64_t>> strategy;
  for (const std::string& name : layout.strategy) {
    strategy.push_back(integers(best.table, best.schema, name));
    for (const std::string side : {"from_", "to_"}) {
      store::Column column = layout.schema[*layout.column(name)];
      column.name = side + name;
      column.type = store::ColumnType::i64;
      if (!column.labels.empty()) {
        column.type = store::ColumnType::i32;
      }
      result.schema.push_back(column);
    }
  }
  result.table = store::Table(result.schema);
  const auto ids = integers(best.table, best.schema, std::string(point_id_column));
  for (const Step& step : steps_of(paths)) {
    bool changed = false;
    for (const std::vector<std::int64_t>& values : strategy) {
      changed = changed || values[step.from_row] != values[step.to_row];
    }
    if (!changed) {
      continue;
    }
    std::size_t column = add_step(result.table, step, ids);
    for (const std::vector<std::int64_t>& values : strategy) {
      for (const std::size_t row : {step.from_row, step.to_row}) {
        if (result.schema[column].type == store::ColumnType::i32) {
          result.table.values<std::int32_t>(column).push_back(
              static_cast<std::int32_t>(values[row]));
        } else {
          result.table.values<std::int64_t>(column).push_back(values[row]);
        }
        ++column;
      }
    }
  }
  return result;
}

}  // namespace scalesweep::analysis
