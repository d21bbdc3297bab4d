#include "analysis/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/columns.hpp"
#include "analysis/query_choice.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "reduce/pareto.hpp"

namespace scalesweep::analysis {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Failure(ExitCode::bad_input, message);
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

// A column whose values have an order that means something.
void require_numbers(const store::StudyReader& reader, const store::Column& column,
                     const std::string& what) {
  const Meaning meaning = meaning_of(column, reader.axes()).meaning;
  if (meaning == Meaning::name || meaning == Meaning::truth) {
    refuse(fmt::format("{}: '{}' holds names, not numbers", what, column.name));
  }
}

void resolve_names(const store::StudyReader& reader, std::vector<std::string>& names,
                   const std::string& what) {
  for (std::string& name : names) {
    name = named_column(reader.schema(), name, what).name;
  }
}

void resolve_objectives(const store::StudyReader& reader, QueryOptions& options) {
  if (options.objectives.empty()) {
    options.objectives = default_objectives(reader);
  }
  if (options.objectives.empty()) {
    refuse("--frontier: this study names no objectives; give them with --minimize and --maximize");
  }
  if (options.objectives.size() > reduce::max_objectives) {
    refuse(fmt::format("--frontier: at most {} objectives, not {}", reduce::max_objectives,
                       options.objectives.size()));
  }
  std::vector<std::string> names;
  for (Objective& objective : options.objectives) {
    const char* const what =
        objective.direction == Direction::minimize ? "--minimize" : "--maximize";
    const store::Column& column = named_column(reader.schema(), objective.column, what);
    require_numbers(reader, column, what);
    objective.column = column.name;
    if (std::find(names.begin(), names.end(), column.name) != names.end()) {
      refuse(fmt::format("{}: '{}' is named twice", what, column.name));
    }
    names.push_back(column.name);
  }
}

// Columns as numbers: what their values mean; of names their place in the list of labels.
Columns values_of(const store::StudyReader& reader, const std::vector<std::string>& names,
                  const store::Table& table, std::size_t first) {
  const std::vector<ColumnMeaning> meanings = meanings_of(reader, names);
  Columns result(names.size());
  for (std::size_t c = 0; c < names.size(); ++c) {
    result[c].resize(table.rows());
    for (std::size_t i = 0; i < table.rows(); ++i) {
      result[c][i] = value_of(meanings[c], table.number(first + c, i));
    }
  }
  return result;
}

std::vector<std::string> columns_of(const std::vector<SortKey>& keys) {
  std::vector<std::string> names;
  for (const SortKey& key : keys) {
    names.push_back(key.column);
  }
  return names;
}

std::size_t most_of(const QueryOptions& options) {
  return options.limit ? static_cast<std::size_t>(*options.limit)
                       : std::numeric_limits<std::size_t>::max();
}

SortedRows sorter_of(const QueryOptions& options) {
  std::vector<bool> descending;
  for (const SortKey& key : options.sort) {
    descending.push_back(key.descending);
  }
  return {descending, most_of(options)};
}

// Axes that vary and whose values do not compete with each other.
std::vector<std::string> workloads_of(const store::StudyReader& reader) {
  std::vector<std::string> names;
  for (const store::AxisValues& axis : reader.axes()) {
    const bool is_workload =
        std::find(workload_axes.begin(), workload_axes.end(), axis.name) != workload_axes.end();
    if (is_workload && std::max(axis.labels.size(), axis.values.size()) > 1) {
      names.push_back(axis.name);
    }
  }
  return names;
}

// The numbers of the rows that `best` or `frontier` keeps.
std::vector<std::int64_t> chosen_rows(const store::StudyReader& reader, const QueryOptions& options,
                                      RowCounts& counts) {
  std::vector<SortKey> values;
  if (options.best) {
    values.push_back(*options.best);
  }
  for (const Objective& objective :
       options.frontier ? options.objectives : std::vector<Objective>()) {
    values.push_back({objective.column, objective.direction == Direction::maximize});
  }
  const std::vector<std::string> value_names = columns_of(values);
  std::vector<std::string> columns = options.per;
  columns.insert(columns.end(), value_names.begin(), value_names.end());
  BestRows best(static_cast<std::size_t>(options.top));
  FrontierRows frontier;
  const RowSelection selection(reader, options.rows);
  counts = selection.scan(columns, [&](const RowSlice& slice) {
    const Groups groups =
        group_rows(values_of(reader, options.per, slice.table, 0), slice.rows.size());
    Columns numbers = values_of(reader, value_names, slice.table, options.per.size());
    for (std::size_t c = 0; c < values.size(); ++c) {
      if (values[c].descending) {
        std::transform(numbers[c].begin(), numbers[c].end(), numbers[c].begin(), std::negate<>());
      }
    }
    if (options.frontier) {
      frontier.add(groups, numbers, slice.rows);
    } else {
      best.add(groups, numbers.front(), slice.rows);
    }
  });
  return options.frontier ? frontier.rows() : best.rows();
}

std::vector<std::int64_t> sorted_rows(const store::StudyReader& reader, const QueryOptions& options,
                                      const std::vector<std::int64_t>& rows) {
  const std::vector<std::string> names = columns_of(options.sort);
  SortedRows sorted = sorter_of(options);
  sorted.add(values_of(reader, names, read_rows(reader, names, rows), 0), rows);
  return sorted.rows();
}

std::vector<std::int64_t> sorted_rows(const store::StudyReader& reader, const QueryOptions& options,
                                      RowCounts& counts) {
  const std::vector<std::string> names = columns_of(options.sort);
  SortedRows sorted = sorter_of(options);
  counts = RowSelection(reader, options.rows).scan(names, [&](const RowSlice& slice) {
    sorted.add(values_of(reader, names, slice.table, 0), slice.rows);
  });
  return sorted.rows();
}

void show_rows(const store::StudyReader& reader, const std::vector<std::string>& columns,
               const std::vector<std::int64_t>& rows,
               const std::function<void(const store::Table&)>& show) {
  constexpr std::size_t at_once = 1 << 16;
  for (std::size_t first = 0; first < rows.size(); first += at_once) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(first);
    const std::size_t count = std::min(at_once, rows.size() - first);
    show(read_rows(reader, columns, {begin, begin + static_cast<std::ptrdiff_t>(count)}));
  }
}

// In the order of the file, without a list of the rows.
QueryCounts show_as_they_come(const store::StudyReader& reader, const QueryPlan& plan,
                              const std::function<void(const store::Table&)>& show) {
  QueryCounts counts;
  const std::size_t most = most_of(plan.options);
  std::size_t shown = 0;
  counts.rows =
      RowSelection(reader, plan.options.rows).scan(plan.columns, [&](const RowSlice& slice) {
        if (shown == most) {
          return;
        }
        store::Table rows = slice.table;
        if (rows.rows() > most - shown) {
          rows.resize(most - shown);
        }
        shown += rows.rows();
        show(rows);
      });
  counts.chosen = counts.rows.selected;
  counts.shown = static_cast<std::int64_t>(shown);
  return counts;
}

}  // namespace

SortKey sort_key(const std::string& text) {
  return text.starts_with('-') ? SortKey{text.substr(1), true} : SortKey{text, false};
}

std::vector<Objective> default_objectives(const store::StudyReader& reader) {
  std::vector<Objective> result;
  const auto found = reader.root_attributes().find("objectives");
  if (found != reader.root_attributes().end()) {
    for (const std::string& name : split(found->second, ',')) {
      if (!trim(name).empty()) {
        result.push_back({std::string(trim(name)), Direction::minimize});
      }
    }
  }
  for (const TimeColumn& time : time_columns) {
    if (!result.empty() || find_column(reader.schema(), time.name) == nullptr) {
      continue;
    }
    for (const std::string_view name : time.objectives) {
      if (find_column(reader.schema(), name) != nullptr) {
        result.push_back({std::string(name), Direction::minimize});
      }
    }
  }
  return result;
}

std::vector<std::string> default_columns(const store::StudyReader& reader, bool with_status) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    if (find_column(reader.schema(), name) != nullptr) {
      add_once(names, std::string(name));
    }
  };
  add(point_id_column);
  for (const store::AxisValues& axis : reader.axes()) {
    if (std::max(axis.labels.size(), axis.values.size()) > 1) {
      add(axis.name);
    }
  }
  for (const std::string_view name : strategy_columns) {
    add(name);
  }
  for (const TimeColumn& time : time_columns) {
    add(time.name);
  }
  for (const Objective& objective : default_objectives(reader)) {
    add(objective.column);
  }
  if (with_status) {
    add(status_column);
  }
  return names;
}

QueryPlan plan_query(const store::StudyReader& reader, const QueryOptions& options) {
  QueryPlan plan{options, {}};
  QueryOptions& resolved = plan.options;
  if (resolved.best && resolved.frontier) {
    refuse("--best and --frontier are two choices of rows; give one of them");
  }
  if (!resolved.per.empty() && !resolved.best && !resolved.frontier) {
    refuse("--per makes groups for --best or --frontier; give one of them");
  }
  if (!resolved.objectives.empty() && !resolved.frontier) {
    refuse(
        "--minimize and --maximize are for --frontier; for the best rows of one column there is "
        "--best");
  }
  if (resolved.top < 1) {
    refuse(fmt::format("--top takes a number from 1, not {}", resolved.top));
  }
  resolve_names(reader, resolved.per, "--per");
  for (SortKey& key : resolved.sort) {
    key.column = named_column(reader.schema(), key.column, "--sort").name;
  }
  if (resolved.best) {
    const store::Column& column = named_column(reader.schema(), resolved.best->column, "--best");
    require_numbers(reader, column, "--best");
    resolved.best->column = column.name;
  }
  if (resolved.frontier) {
    resolve_objectives(reader, resolved);
    if (resolved.per.empty()) {
      resolved.per = workloads_of(reader);
    }
  }
  plan.columns = resolved.select;
  resolve_names(reader, plan.columns, "--select");
  if (plan.columns.empty()) {
    plan.columns = default_columns(reader, !RowSelection(reader, resolved.rows).only_feasible());
    for (const Objective& objective : resolved.objectives) {
      add_once(plan.columns, objective.column);
    }
    if (resolved.best) {
      add_once(plan.columns, resolved.best->column);
    }
    for (const SortKey& key : resolved.sort) {
      add_once(plan.columns, key.column);
    }
  }
  return plan;
}

QueryCounts run_query(const store::StudyReader& reader, const QueryPlan& plan,
                      const std::function<void(const store::Table&)>& show) {
  const QueryOptions& options = plan.options;
  const bool chooses = options.best || options.frontier;
  if (!chooses && options.sort.empty()) {
    return show_as_they_come(reader, plan, show);
  }
  QueryCounts counts;
  std::vector<std::int64_t> rows;
  if (chooses) {
    rows = chosen_rows(reader, options, counts.rows);
    counts.chosen = static_cast<std::int64_t>(rows.size());
    if (!options.sort.empty()) {
      rows = sorted_rows(reader, options, rows);
    }
  } else {
    rows = sorted_rows(reader, options, counts.rows);
    counts.chosen = counts.rows.selected;
  }
  rows.resize(std::min(rows.size(), most_of(options)));
  counts.shown = static_cast<std::int64_t>(rows.size());
  show_rows(reader, plan.columns, rows, show);
  return counts;
}

}  // namespace scalesweep::analysis
