#include "study/rows/keep.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <span>

#include "core/failure.hpp"
#include "core/text.hpp"
#include "reduce/frontier/pareto.hpp"
#include "reduce/top_k.hpp"
#include "space/stored_rules.hpp"
#include "store/versions/former_names.hpp"
#include "store/versions/former_study.hpp"
#include "study/columns/schema.hpp"

namespace scalesweep::study {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The name of the time that charges sum to, which stands before them.
std::string time_of(const store::Schema& schema) {
  return schema[column_named(schema, "status") + 1].name;
}

// The rows of each group, whose numbers are dense from 0.
std::vector<std::vector<std::size_t>> rows_by_number(const std::vector<std::int64_t>& numbers) {
  std::vector<std::vector<std::size_t>> rows;
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    const auto group = static_cast<std::size_t>(numbers[row]);
    rows.resize(std::max(rows.size(), group + 1));
    rows[group].push_back(row);
  }
  return rows;
}

std::vector<std::vector<double>> columns_of(const std::vector<std::vector<double>>& columns,
                                            const std::vector<std::size_t>& rows) {
  std::vector<std::vector<double>> chosen(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (const std::size_t row : rows) {
      chosen[c].push_back(columns[c][row]);
    }
  }
  return chosen;
}

bool holds_numbers(const store::Column& column) {
  return column.labels.empty() && column.name != "point_id";
}

}  // namespace

KeepRule::KeepRule(space::Keep keep, std::vector<space::Objective> objectives,
                   std::vector<space::Axis> axes, store::Schema schema)
    : keep_(std::move(keep)),
      objectives_(std::move(objectives)),
      axes_(std::move(axes)),
      schema_(std::move(schema)),
      status_column_(column_named(schema_, "status")) {}

// Null where it is measured.
const space::Axis* KeepRule::axis_of(const space::Objective& objective) const {
  const auto axis = space::find_axis(axes_, objective.column);
  return axis ? &axes_[*axis] : nullptr;
}

double KeepRule::value_of(const space::Objective& objective, std::size_t column,
                          const space::Axis* axis, const store::Table& rows,
                          std::size_t row) const {
  const double number = rows.number(column, row);
  return objective.to_minimize(axis != nullptr ? axis->values[static_cast<std::size_t>(number)]
                                               : number);
}

// NaN where the row is not ok: neither the best nor the frontier take those.
std::vector<double> KeepRule::values_of(const space::Objective& objective,
                                        const store::Table& rows) const {
  const std::size_t column = column_named(schema_, objective.column);
  const space::Axis* const axis = axis_of(objective);
  const auto& status = rows.values<std::uint8_t>(status_column_);
  std::vector<double> values(rows.rows(), nan);
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (status[row] == index_of(Status::ok)) {
      values[row] = value_of(objective, column, axis, rows, row);
    }
  }
  return values;
}

std::size_t KeepRule::deciding_count() const {
  return keep_.policy == space::KeepPolicy::best ? 1 : objectives_.size();
}

std::vector<double> KeepRule::deciding_values(const store::Table& rows, std::size_t row) const {
  std::vector<double> values;
  for (std::size_t i = 0; i < deciding_count(); ++i) {
    const space::Objective& objective = objectives_[i];
    values.push_back(value_of(objective, column_named(schema_, objective.column),
                              axis_of(objective), rows, row));
  }
  return values;
}

double KeepRule::best_objective(const store::Table& rows, std::size_t first_row) const {
  const space::Objective& objective = objectives_.front();
  const std::size_t column = column_named(schema_, objective.column);
  const space::Axis* const axis = axis_of(objective);
  const auto& status = rows.values<std::uint8_t>(status_column_);
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t row = first_row; row < status.size(); ++row) {
    if (status[row] == index_of(Status::ok)) {
      smallest = std::min(smallest, value_of(objective, column, axis, rows, row));
    }
  }
  return smallest;
}

// Rows of the same values of the axes that make the groups have the same number.
std::vector<std::int64_t> KeepRule::groups(const store::Table& rows) const {
  std::vector<std::vector<std::int64_t>> keys;
  for (const std::string& axis : keep_.per) {
    const std::size_t column = column_named(schema_, axis);
    std::vector<std::int64_t> key(rows.rows());
    for (std::size_t row = 0; row < key.size(); ++row) {
      key[row] = static_cast<std::int64_t>(rows.number(column, row));
    }
    keys.push_back(std::move(key));
  }
  const std::vector<std::span<const std::int64_t>> spans(keys.begin(), keys.end());
  return reduce::group_numbers(spans, rows.rows());
}

std::vector<std::size_t> KeepRule::best(const store::Table& rows) const {
  return reduce::best_per_group(values_of(objectives_.front(), rows), groups(rows),
                                rows.values<std::int64_t>(0),
                                static_cast<std::size_t>(keep_.best_count));
}

std::vector<std::size_t> KeepRule::frontier(const store::Table& rows) const {
  std::vector<std::vector<double>> values;
  for (const space::Objective& objective : objectives_) {
    values.push_back(values_of(objective, rows));
  }
  std::vector<std::size_t> kept;
  for (const std::vector<std::size_t>& group : rows_by_number(groups(rows))) {
    const std::vector<std::vector<double>> own = columns_of(values, group);
    const std::vector<std::span<const double>> spans(own.begin(), own.end());
    std::vector<std::int64_t> ids;
    for (const std::size_t row : group) {
      ids.push_back(rows.values<std::int64_t>(0)[row]);
    }
    for (const std::size_t place : reduce::pareto_frontier(spans, ids)) {
      kept.push_back(group[place]);
    }
  }
  std::sort(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) {
    return rows.values<std::int64_t>(0)[a] < rows.values<std::int64_t>(0)[b];
  });
  return kept;
}

std::vector<std::size_t> KeepRule::select(const store::Table& rows) const {
  switch (keep_.policy) {
    case space::KeepPolicy::best:
      return best(rows);
    case space::KeepPolicy::frontier:
      return frontier(rows);
    case space::KeepPolicy::all:
    case space::KeepPolicy::feasible:
      break;
  }
  const auto& status = rows.values<std::uint8_t>(status_column_);
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < status.size(); ++row) {
    if (keeps_all() || status[row] == index_of(Status::ok)) {
      kept.push_back(row);
    }
  }
  return kept;
}

std::optional<store::RowSelector> selector_of(store::StudyDescription study) {
  store::use_present_names(study);
  const auto text = study.root_attributes.find("keep");
  const std::string policy =
      text == study.root_attributes.end() ? space::keep_json({}) : text->second;
  const std::optional<space::Keep> keep = space::keep_of_json(policy);
  const auto objectives = study.root_attributes.find("objectives");
  if (!keep || objectives == study.root_attributes.end()) {
    refuse(
        fmt::format("the study keeps rows by a rule that is not known here: '{}'; merge "
                    "it with the program that ran it",
                    policy));
  }
  std::vector<space::Axis> axes;
  for (const store::AxisValues& values : study.axes) {
    space::Axis axis;
    axis.name = values.name;
    axis.labels = values.labels;
    axis.values = values.values;
    axes.push_back(std::move(axis));
  }
  auto rule = std::make_shared<const KeepRule>(*keep, space::objectives_of_json(objectives->second),
                                               std::move(axes), study.schema);
  if (!rule->is_global()) {
    return std::nullopt;
  }
  return [rule](const store::Table& rows) { return rule->select(rows); };
}

std::string objective_problem(const space::Objective& objective,
                              const std::vector<space::Axis>& axes, const store::Schema& schema) {
  const std::string name = store::column_now(objective.column);
  std::vector<std::string> known;
  for (const store::Column& column : schema) {
    const auto axis = space::find_axis(axes, column.name);
    const bool number = axis ? axes[*axis].kind != space::AxisKind::name : holds_numbers(column);
    if (column.name == name) {
      return number ? space::direction_problem(objective, column.better)
                    : fmt::format("'{}' has no order; name something measured, such as {}", name,
                                  time_of(schema));
    }
    if (number) {
      known.push_back(column.name);
    }
  }
  const auto near = closest(name, known);
  return fmt::format("a study has no column '{}'; {}", name,
                     near ? fmt::format("did you mean '{}'?", *near)
                          : fmt::format("for example {}, energy_per_token, memory_total or "
                                        "accelerators",
                                        time_of(schema)));
}

}  // namespace scalesweep::study
