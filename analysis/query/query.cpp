#include "analysis/query/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/file/columns.hpp"
#include "analysis/query/choice.hpp"
#include "analysis/query/frontier.hpp"
#include "analysis/selection/kept_points.hpp"
#include "core/contracts.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "space/objective.hpp"

namespace scalesweep::analysis {
namespace {

// One value at all points: it would tell nothing of a row.
bool is_constant_axis(const store::StudyReader& reader, const std::string& name) {
  const store::AxisValues* axis = find_axis(reader.axes(), name);
  return axis != nullptr && value_count(*axis) <= 1;
}

// A column whose values have an order that means something.
void require_numbers(const store::StudyReader& reader, const store::Column& column,
                     const std::string& what) {
  const Meaning meaning = meaning_of(column, reader.axes()).meaning;
  if (meaning == Meaning::name || meaning == Meaning::truth) {
    refuse(fmt::format("{}: '{}' holds names, not numbers", what, column.name));
  }
}

void resolve_names(const store::Schema& schema, std::vector<std::string>& names,
                   const std::string& what) {
  for (std::string& name : names) {
    name = named_column(schema, name, what).name;
  }
}

// Columns as numbers: what their values mean; of names their place in the list of labels.
Columns values_of(const std::vector<ColumnMeaning>& meanings, const store::Table& table) {
  Columns result(meanings.size());
  for (std::size_t c = 0; c < meanings.size(); ++c) {
    result[c].resize(table.rows());
    for (std::size_t i = 0; i < table.rows(); ++i) {
      result[c][i] = value_of(meanings[c], table.number(c, i));
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

// The rows that `best` keeps.
ChosenRows best_rows(const store::StudyReader& reader, const QueryOptions& options,
                     RowCounts& counts) {
  std::vector<std::string> columns = options.per;
  columns.push_back(options.best->column);
  const std::vector<ColumnMeaning> meanings = meanings_of(reader, columns);
  BestRows best(static_cast<std::size_t>(options.top));
  counts = RowSelection(reader, options.rows).scan(columns, [&](const RowSlice& slice) {
    Columns keys = values_of(meanings, slice.table);
    std::vector<double> values = std::move(keys.back());
    keys.pop_back();
    if (options.best->descending) {
      std::transform(values.begin(), values.end(), values.begin(), std::negate<>());
    }
    best.add(group_rows(keys, slice.rows.size()), values, slice.rows);
  });
  return {best.rows(), {}, store::Table{store::Schema{}}};
}

// Columns of the chosen rows at `places`: what choosing told of them, and the rest from the study.
store::Table read_chosen(const store::StudyReader& reader, const store::Schema& schema,
                         const ChosenRows& chosen, const std::vector<std::size_t>& places,
                         const ReadingOptions& how) {
  std::vector<std::string> stored;
  for (const store::Column& column : schema) {
    if (find_column(chosen.schema, column.name) == nullptr) {
      stored.push_back(column.name);
    }
  }
  std::vector<std::int64_t> rows;
  for (const std::size_t place : places) {
    rows.push_back(chosen.rows[place]);
  }
  const store::Table read = read_rows(reader, stored, rows, how);
  store::Table told = chosen.told;
  told.select(places);
  store::Table result(schema);
  for (std::size_t c = 0, next = 0; c < schema.size(); ++c) {
    const store::Column* column = find_column(chosen.schema, schema[c].name);
    if (column == nullptr) {
      copy_column(read, next++, result, c, schema[c].type);
    } else {
      const auto place = static_cast<std::size_t>(column - chosen.schema.data());
      copy_column(told, place, result, c, schema[c].type);
    }
  }
  return result;
}

std::vector<std::size_t> all_places(const ChosenRows& chosen) {
  std::vector<std::size_t> places(chosen.rows.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

// Places of the chosen rows in the order asked for.
std::vector<std::size_t> sorted_places(const store::StudyReader& reader, const QueryPlan& plan,
                                       const ChosenRows& chosen) {
  const store::Schema schema = schema_of(plan.available, columns_of(plan.options.sort));
  const std::vector<std::size_t> all = all_places(chosen);
  const store::Table table = read_chosen(reader, schema, chosen, all, plan.options.rows.reading);
  std::map<std::int64_t, std::size_t> place_of;
  for (const std::size_t place : all) {
    place_of[chosen.rows[place]] = place;
  }
  SortedRows sorted = sorter_of(plan.options);
  sorted.add(values_of(meanings_of(schema, reader.axes()), table), chosen.rows);
  std::vector<std::size_t> places;
  for (const std::int64_t row : sorted.rows()) {
    places.push_back(place_of[row]);
  }
  return places;
}

// All selected rows in the order asked for.
ChosenRows sorted_rows(const store::StudyReader& reader, const QueryOptions& options,
                       RowCounts& counts) {
  const std::vector<std::string> names = columns_of(options.sort);
  const std::vector<ColumnMeaning> meanings = meanings_of(reader, names);
  SortedRows sorted = sorter_of(options);
  counts = RowSelection(reader, options.rows).scan(names, [&](const RowSlice& slice) {
    sorted.add(values_of(meanings, slice.table), slice.rows);
  });
  return {sorted.rows(), {}, store::Table{store::Schema{}}};
}

void show_rows(const store::StudyReader& reader, const QueryPlan& plan, const ChosenRows& chosen,
               const std::vector<std::size_t>& places,
               const std::function<void(const store::Table&)>& show) {
  // Rows in another order than that of the file may lie all over it: reading some takes almost as
  // long as reading all, so that they are few times many.
  constexpr std::size_t bytes_at_once = std::size_t{128} << 20;
  const auto row_bytes = static_cast<std::size_t>(store::row_bytes(plan.schema)) + 1;
  const std::size_t at_once = bytes_at_once / row_bytes + 1;
  for (std::size_t first = 0; first < places.size(); first += at_once) {
    const auto begin = places.begin() + static_cast<std::ptrdiff_t>(first);
    const auto count = static_cast<std::ptrdiff_t>(std::min(at_once, places.size() - first));
    show(read_chosen(reader, plan.schema, chosen, {begin, begin + count},
                     plan.options.rows.reading));
  }
}

// Why there is nothing to show, and the way out.
void note_nothing(const QueryOptions& options, QueryCounts& counts) {
  std::int64_t others = 0;
  for (const auto& [status, count] : counts.rows.other_statuses) {
    others += count;
  }
  if (counts.rows.selected == 0 && others > 0) {
    counts.notes.push_back(fmt::format(
        "none of the {} rows that would be selected is feasible; --all-statuses shows them",
        with_thousands(others)));
  } else if (counts.rows.selected == 0 && counts.rows.rows > 0) {
    counts.notes.push_back(
        "no row fulfils the condition; what has no value (NaN), as the times of what is not "
        "feasible, fulfils none");
  } else if (counts.chosen == 0 && options.best) {
    counts.notes.push_back(
        fmt::format("none of the selected rows has a value of {}", options.best->column));
  }
}

// That the best rows of a column are its worst; "" where they are not.
std::string worst_note(const store::StudyReader& reader, const QueryOptions& options) {
  const store::Column* const column =
      options.best ? find_column(reader.schema(), options.best->column) : nullptr;
  if (column == nullptr) {
    return "";
  }
  const bool most = options.best->descending;
  const Objective asked = {column->name, most ? Direction::maximize : Direction::minimize};
  return space::direction_problem(asked, column->better, "").empty()
             ? ""
             : fmt::format("the {} {} is the worst; --best {}{} takes the best",
                           most ? "most" : "least", column->name, most ? "" : "-", column->name);
}

// What the answer lacks where the file does not keep all that it was asked of; "" for nothing.
std::string kept_note(const store::StudyReader& reader, const QueryPlan& plan) {
  const KeptPoints kept(reader);
  if (kept.are_all()) {
    return "";
  }
  const QueryOptions& options = plan.options;
  const bool only_feasible = RowSelection(reader, options.rows).only_feasible();
  Question asked{options.objectives, options.per, options.rows.where, !options.rows.ids.empty()};
  if (options.frontier) {
    asked.depth = options.ranks;
    const auto is_shown = [&](const char* name) {
      return std::find(plan.columns.begin(), plan.columns.end(), name) != plan.columns.end();
    };
    if (!kept.hold_frontier(asked)) {
      return kept.note("the frontier is of these alone, and others may be better");
    }
    return kept.are_all_feasible() || !is_shown("beyond_doubt")
               ? kept.not_searched_note()
               : kept.note("whether a member is beyond doubt is judged by these alone");
  }
  if (only_feasible && kept.are_all_feasible()) {
    return "";
  }
  if (!options.best) {
    return kept.note("these alone can be shown");
  }
  asked.objectives = {
      {options.best->column, options.best->descending ? Direction::maximize : Direction::minimize}};
  asked.depth = options.top;
  return only_feasible && kept.hold_best(asked)
             ? kept.not_searched_note()
             : kept.note("the best are of these alone, and others may be better");
}

// In the order of the file, without a list of the rows.
QueryCounts show_as_they_come(const store::StudyReader& reader, const QueryPlan& plan,
                              const std::function<void(const store::Table&)>& show) {
  QueryCounts counts;
  const std::size_t most = most_of(plan.options);
  std::size_t shown = 0;
  const auto show_slice = [&](const RowSlice& slice) {
    store::Table rows = slice.table;
    if (rows.rows() > most - shown) {
      rows.resize(most - shown);
    }
    shown += rows.rows();
    show(rows);
  };
  counts.rows = RowSelection(reader, plan.options.rows).scan(plan.columns, show_slice, most);
  counts.chosen = counts.rows.selected;
  counts.shown = static_cast<std::int64_t>(shown);
  note_nothing(plan.options, counts);
  return counts;
}

}  // namespace

SortKey sort_key(const std::string& text) {
  return text.starts_with('-') ? SortKey{text.substr(1), true} : SortKey{text, false};
}

std::vector<std::string> default_columns(const store::StudyReader& reader, bool with_status) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    if (find_column(reader.schema(), name) != nullptr) {
      add_once(names, std::string(name));
    }
  };
  add(point_id_column);
  add(store::study_axis);
  add(store::own_id_column);
  for (const store::AxisValues& axis : reader.axes()) {
    if (value_count(axis) > 1) {
      add(axis.name);
    }
  }
  for (const std::string& name : strategy_columns(reader.schema())) {
    add(name);
  }
  for (const std::string& name : main_columns(reader.schema())) {
    add(name);
  }
  for (const Objective& objective : default_objectives(reader)) {
    if (!is_constant_axis(reader, objective.column)) {
      add(objective.column);
    }
  }
  if (with_status) {
    add(status_column);
  }
  return names;
}

namespace {

std::vector<std::string> columns_to_show(const store::StudyReader& reader,
                                         const QueryOptions& options, bool with_status) {
  std::vector<std::string> names = default_columns(reader, with_status);
  if (options.ranks > 1) {
    names.insert(names.begin(), "rank");
  }
  for (const Objective& objective : options.objectives) {
    if (!is_constant_axis(reader, objective.column)) {
      add_once(names, objective.column);
    }
  }
  if (options.best) {
    add_once(names, options.best->column);
  }
  for (const SortKey& key : options.sort) {
    add_once(names, key.column);
  }
  return names;
}

// With all columns of a strategy, or all there are, for the one word.
std::vector<std::string> spelled_out(const store::StudyReader& reader,
                                     const std::vector<std::string>& select) {
  const std::vector<std::string> strategy = strategy_columns(reader.schema());
  std::vector<std::string> names;
  for (const std::string& name : select) {
    if (name == all_word) {
      for (const store::Column& column : reader.schema()) {
        add_once(names, column.name);
      }
      continue;
    }
    const bool is_all = name == strategy_word && !strategy.empty();
    for (const std::string& column : is_all ? strategy : std::vector<std::string>{name}) {
      add_once(names, column);
    }
  }
  return names;
}

}  // namespace

QueryPlan plan_query(const store::StudyReader& reader, const QueryOptions& options) {
  QueryPlan plan;
  plan.options = options;
  QueryOptions& resolved = plan.options;
  if (resolved.best && resolved.frontier) {
    refuse("--best and --frontier are two choices of rows; give one of them");
  }
  SCALESWEEP_EXPECT(resolved.frontier || (resolved.ranks == 1 && !resolved.thin));
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
  const bool only_feasible = RowSelection(reader, resolved.rows).only_feasible();
  resolve_names(reader.schema(), resolved.per, "--per");
  plan.available = reader.schema();
  if (resolved.best) {
    const store::Column& column = named_column(reader.schema(), resolved.best->column, "--best");
    require_numbers(reader, column, "--best");
    resolved.best->column = column.name;
  }
  if (resolved.frontier) {
    resolve_frontier(reader, resolved);
    const store::Schema told = frontier_columns(reader, resolved);
    plan.available.insert(plan.available.end(), told.begin(), told.end());
  }
  for (SortKey& key : resolved.sort) {
    key.column = named_column(plan.available, key.column, "--sort").name;
  }
  plan.columns = spelled_out(reader, resolved.select);
  resolve_names(plan.available, plan.columns, "--select");
  if (plan.columns.empty()) {
    plan.columns = columns_to_show(reader, resolved, !only_feasible);
  }
  plan.schema = schema_of(plan.available, plan.columns);
  plan.meanings = meanings_of(plan.schema, reader.axes());
  return plan;
}

namespace {

// In an order that is asked for, or of those that are chosen.
QueryCounts show_chosen(const store::StudyReader& reader, const QueryPlan& plan,
                        const std::function<void(const store::Table&)>& show) {
  const QueryOptions& options = plan.options;
  const bool chooses = options.best || options.frontier;
  QueryCounts counts;
  ChosenRows chosen;
  if (options.frontier) {
    chosen = frontier_rows(reader, options, counts);
  } else if (options.best) {
    chosen = best_rows(reader, options, counts.rows);
    counts.chosen = static_cast<std::int64_t>(chosen.rows.size());
  } else {
    chosen = sorted_rows(reader, options, counts.rows);
    counts.chosen = counts.rows.selected;
  }
  const bool to_sort = chooses && !options.sort.empty();
  std::vector<std::size_t> places =
      to_sort ? sorted_places(reader, plan, chosen) : all_places(chosen);
  places.resize(std::min(places.size(), most_of(options)));
  counts.shown = static_cast<std::int64_t>(places.size());
  show_rows(reader, plan, chosen, places, show);
  note_nothing(options, counts);
  return counts;
}

}  // namespace

QueryCounts run_query(const store::StudyReader& reader, const QueryPlan& plan,
                      const std::function<void(const store::Table&)>& show) {
  const QueryOptions& options = plan.options;
  const bool as_they_come = !options.best && !options.frontier && options.sort.empty();
  QueryCounts counts =
      as_they_come ? show_as_they_come(reader, plan, show) : show_chosen(reader, plan, show);
  for (const std::string& note : {worst_note(reader, options), kept_note(reader, plan)}) {
    if (!note.empty()) {
      counts.notes.insert(counts.notes.begin(), note);
    }
  }
  return counts;
}

}  // namespace scalesweep::analysis
