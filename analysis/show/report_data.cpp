// The data of a report as JSON text. Written by hand rather than through a document: columns of
// numbers are most of it, and their digits are what its size is made of.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/frontier/shown_members.hpp"
#include "analysis/show/report.hpp"
#include "analysis/show/verdict_text.hpp"
#include "core/version.hpp"

namespace scalesweep::analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr double largest_exact = 9007199254740992.0;  // 2^53: what JavaScript counts to

// JSON with "<" spelled so that no text can end the element that the data stand in.
std::string safe_json(const std::string& json) {
  std::string safe;
  for (const char c : json) {
    safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  }
  return safe;
}

std::string text_json(const Json& value) {
  return safe_json(value.dump(-1, ' ', true, Json::error_handler_t::replace));
}

// A column as a reader of the page sees it: numbers, or places in a list of labels.
struct Shown {
  std::string name;
  std::string units;
  std::string long_name;
  std::string description;
  std::string role;                 // share_role of what people read in percent
  std::string axis;                 // whose labels the places are in
  std::vector<std::string> labels;  // of its own
  std::vector<std::string> values;  // as JSON
};

std::string number_json(const ResultTable& table, std::size_t column, std::size_t row,
                        bool for_pictures) {
  const store::ColumnType type = table.schema[column].type;
  if (type == store::ColumnType::i64) {
    const std::int64_t value = table.table.values<std::int64_t>(column)[row];
    const bool exact = std::abs(static_cast<double>(value)) < largest_exact;
    return exact ? fmt::format("{}", value) : fmt::format("\"{}\"", value);
  }
  const double value = table.table.number(column, row);
  if (!std::isfinite(value)) {
    return "null";
  }
  if (type == store::ColumnType::f32 && !for_pictures) {
    return fmt::format("{}", static_cast<float>(value));
  }
  return for_pictures ? fmt::format("{:.6g}", value) : fmt::format("{}", value);
}

// Of results by what they are declared as, of columns of the study by what they are for.
bool is_part_of_one(const store::Column& column) {
  return has_role(column, share_role) || has_role(column, role::allocated) ||
         has_role(column, role::utilization) || has_role(column, role::uncertainty) ||
         !of_role(column, role::uncertainty_of).empty();
}

Shown shown_column(const AnalysisResult& result, const ResultTable& table, std::size_t column,
                   const std::vector<std::size_t>& rows, bool for_pictures) {
  const store::Column& description = table.schema[column];
  Shown shown{description.name,
              description.units,
              description.long_name,
              description.description,
              is_part_of_one(description) ? share_role : "",
              "",
              {},
              {}};
  const store::AxisValues* axis = axis_of(result.axes, description.name);
  if (axis != nullptr) {
    shown.axis = axis->name;
  } else {
    shown.labels = description.labels;
  }
  for (const std::size_t row : rows) {
    shown.values.push_back(number_json(table, column, row, for_pictures));
  }
  return shown;
}

// The strategy in words as a column: few different texts, many rows.
Shown strategy_column(const AnalysisResult& result, const ResultTable& table,
                      const std::string& prefix, const std::vector<std::size_t>& rows) {
  Shown shown{
      prefix + "strategy", "", prefix.empty() ? "strategy" : "", "in short", "", "", {}, {}};
  std::map<std::string, std::size_t> places;
  for (const std::size_t row : rows) {
    const std::string text = strategy_text(result.axes, result.strategy, table, row, prefix);
    const auto [found, added] = places.emplace(text, places.size());
    if (added) {
      shown.labels.push_back(text);
    }
    shown.values.push_back(fmt::format("{}", found->second));
  }
  return shown;
}

bool has_strategy(const AnalysisResult& result, const ResultTable& table,
                  const std::string& prefix) {
  return !result.strategy.empty() &&
         std::all_of(result.strategy.begin(), result.strategy.end(), [&](const std::string& name) {
           return find_column(table, prefix + name).has_value();
         });
}

std::string column_json(const Shown& shown) {
  Json head = {{"name", shown.name}};
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) {
      head[key] = text;
    }
  };
  add("units", shown.units);
  add("long_name", shown.long_name);
  add("description", shown.description);
  add("role", shown.role);
  add("axis", shown.axis);
  if (!shown.labels.empty()) {
    head["labels"] = shown.labels;
  }
  std::string text = text_json(head);
  text.pop_back();
  const bool constant =
      !shown.values.empty() && std::all_of(shown.values.begin(), shown.values.end(),
                                           [&](const auto& v) { return v == shown.values[0]; });
  if (constant) {
    return text + ",\"all\":" + shown.values[0] + "}";
  }
  return fmt::format("{},\"values\":[{}]}}", text, fmt::join(shown.values, ","));
}

// Columns that views ask for by name; others are in the analysis tables as well.
bool is_needed(const AnalysisResult& result, const std::string& name) {
  const auto in = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const store::AxisValues* axis = axis_of(result.axes, name);
  const bool varies = axis != nullptr && axis->labels.size() > 1;
  const bool attribution = name.starts_with("share_") || name.starts_with("dominant_") ||
                           name.starts_with("group_share_") || name.starts_with("second_");
  return varies || attribution || name == point_id_column || name == result.better ||
         in(columns_of(result.objectives)) || name == "strategy" || name == "knee" ||
         name == "beyond_doubt" || name == "relative_uncertainty" || name == "shown" ||
         name == "rank";
}

// Which columns of a table are in the page.
enum class Columns {
  all,
  needed,            // is_needed
  needed_in_filters  // what is told of a member of a frontier that is found under a filter
};

bool is_in_page(const AnalysisResult& result, const std::string& name, Columns columns) {
  if (columns != Columns::needed_in_filters) {
    return columns == Columns::all || is_needed(result, name);
  }
  const std::vector<std::string>& per = result.cell_frontiers->per;
  const bool is_part = name.starts_with("share_") || name.starts_with("group_share_") ||
                       name.starts_with("second_") || name.starts_with("dominant_group");
  return std::find(per.begin(), per.end(), name) != per.end() ||
         (is_needed(result, name) && !is_part);
}

std::vector<std::size_t> every(const std::vector<std::size_t>& rows, std::size_t step) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < rows.size(); i += step) {
    kept.push_back(rows[i]);
  }
  return kept;
}

// Whether a view of the page shows the table as a whole, so that it has no section of its own.
bool has_own_view(const ResultTable& table) {
  return table.seen_in == SeenIn::own_views || table.seen_in == SeenIn::pictures;
}

// What a table of the page is made of.
struct Rows {
  std::vector<std::size_t> all;
  std::vector<std::size_t> few;    // that stand for all where there is no room for all; empty: none
  Columns columns = Columns::all;  // at most, whatever the room
};

Rows all_rows(const ResultTable& table) {
  Rows rows;
  rows.all.resize(table.table.rows());
  std::iota(rows.all.begin(), rows.all.end(), std::size_t{0});
  return rows;
}

Rows member_rows(const AnalysisResult& result) {
  Rows rows;
  const ResultTable& frontier = result[tables::frontier];
  const auto rank = find_column(frontier, "rank");
  for (std::size_t row = 0; row < frontier.table.rows(); ++row) {
    if (!rank || frontier.table.number(*rank, row) == 1.0) {
      rows.all.push_back(row);
    }
  }
  rows.few = together(shown_frontiers(result.frontiers, most_pictured)).rows;
  return rows;
}

// Of the ranks behind the frontier, what a picture shows.
Rows rows_behind(const AnalysisResult& result) {
  return {together(shown_frontiers(result.frontiers, most_pictured)).behind, {}, Columns::needed};
}

std::vector<std::string> columns_json(const AnalysisResult& result, const ResultTable& table,
                                      const std::vector<std::size_t>& rows, Columns which) {
  const bool for_pictures = table.seen_in == SeenIn::pictures;
  std::vector<std::string> columns;
  for (const std::string prefix : {"", "from_", "to_"}) {
    if (has_strategy(result, table, prefix)) {
      columns.push_back(column_json(strategy_column(result, table, prefix, rows)));
    }
  }
  for (std::size_t column = 0; column < table.schema.size(); ++column) {
    if (is_in_page(result, table.schema[column].name, which)) {
      columns.push_back(column_json(shown_column(result, table, column, rows, for_pictures)));
    }
  }
  return columns;
}

std::size_t bytes_of(const std::vector<std::string>& columns) {
  std::size_t bytes = 0;
  for (const std::string& column : columns) {
    bytes += column.size() + 1;
  }
  return bytes;
}

// About what the columns of some rows would take, told by a few hundred of them.
std::size_t estimated_bytes(const AnalysisResult& result, const ResultTable& table,
                            const std::vector<std::size_t>& rows, Columns which) {
  constexpr std::size_t most_rows = 400;
  const std::vector<std::size_t> some = every(rows, 1 + rows.size() / most_rows);
  const std::size_t bytes = bytes_of(columns_json(result, table, some, which));
  return some.empty() ? bytes : bytes * rows.size() / some.size();
}

// A table within its budget: whole, or without columns that no view asks for, or with the rows that
// stand for all, or with every second, third, ... row.
std::string table_json(const AnalysisResult& result, const ResultTable& table, const Rows& rows,
                       std::size_t most_bytes) {
  const bool trimmed = estimated_bytes(result, table, rows.all, rows.columns) > most_bytes;
  const bool has_others = rows.columns == Columns::all && has_strategy(result, table, "");
  const Columns which = trimmed && has_others ? Columns::needed : rows.columns;
  const auto bytes_with = [&](const std::vector<std::size_t>& some) {
    return trimmed ? estimated_bytes(result, table, some, which) : 0;
  };
  const bool too_many = bytes_with(rows.all) > most_bytes && !rows.few.empty();
  const std::vector<std::size_t>& wanted = too_many ? rows.few : rows.all;
  const std::vector<std::size_t> kept =
      every(wanted, std::max<std::size_t>(1, (bytes_with(wanted) + most_bytes - 1) / most_bytes));
  const std::vector<std::string> columns = columns_json(result, table, kept, which);
  Json head = {
      {"description", table.description}, {"rows", kept.size()}, {"all_rows", rows.all.size()}};
  if (!table.title.empty()) {
    head["title"] = table.title;
  }
  if (has_own_view(table)) {
    head["own_view"] = true;
  }
  if (trimmed) {
    head["trimmed"] = true;
  }
  std::string text = text_json(head);
  text.pop_back();
  return fmt::format("{},\n\"columns\":[{}]}}", text, fmt::join(columns, ",\n"));
}

// Rows in which the page finds the frontier under a filter: all or none, since a part of them has
// another frontier. Such a table may be larger than others.
Rows cell_rows(const AnalysisResult& result, std::size_t table_bytes) {
  constexpr std::size_t times_larger = 4;
  const ResultTable& members = result.cell_frontiers->members;
  Rows rows = all_rows(members);
  const auto bytes = [&] { return estimated_bytes(result, members, rows.all, rows.columns); };
  if (bytes() > table_bytes) {
    rows.columns = Columns::needed_in_filters;
  }
  return bytes() > times_larger * table_bytes ? Rows{} : rows;
}

Json axes_json(const AnalysisResult& result) {
  Json axes = Json::object();
  for (const store::AxisValues& axis : result.axes) {
    Json entry = {{"labels", axis.labels}};
    if (!axis.units.empty()) {
      entry["units"] = axis.units;
    }
    if (!axis.values.empty()) {
      entry["values"] = axis.values;
    }
    entry["description"] = axis.description;
    axes[axis.name] = std::move(entry);
  }
  return axes;
}

// What is taken, what is best where that is another, and what comes next.
Json points_json(const Verdict& verdict) {
  Json points = Json::array();
  const auto add = [&](const char* what, const Contender& point, const std::string& words) {
    points.push_back({{"what", what}, {"id", fmt::format("{}", point.id)}, {"words", words}});
  };
  if (verdict.is_answered()) {
    add("taken", verdict.taken, verdict.taken.layout);
  }
  if (verdict.best.row >= 0 && verdict.best.id != verdict.taken.id) {
    add("best", verdict.best, verdict.best.layout);
  }
  for (const RunnerUp& other : verdict.others) {
    add("next", other.point, fmt::format("{}", fmt::join(other.point.labels, ", ")));
  }
  return points;
}

// The best point of each phase of the run that is best.
Json phase_points_json(const Recipes& recipes, const RecipeAnswer& answer) {
  Json points = Json::array();
  if (!answer.runs.empty()) {
    for (const RecipePhase& phase : answer.runs.front().phases) {
      points.push_back(
          {{"what", "best"},
           {"id", fmt::format("{}", phase.id)},
           {"words", fmt::format("{}: {}", recipes.phases[static_cast<std::size_t>(phase.phase)],
                                 phase.layout)}});
    }
  }
  return points;
}

Json verdict_json(const Verdicts& verdicts) {
  Json answers = Json::array();
  const auto add = [&](const VerdictSheet& sheet, Json points) {
    Json lines = Json::array();
    for (const VerdictLine& line : sheet.lines) {
      lines.push_back({{"label", line.label}, {"texts", line.texts}});
    }
    answers.push_back({{"question", sheet.question},
                       {"choice", sheet.choice},
                       {"lines", std::move(lines)},
                       {"points", std::move(points)}});
  };
  for (const RecipeAnswer& answer : verdicts.recipes.answers) {
    add(recipe_sheet(verdicts, answer), phase_points_json(verdicts.recipes, answer));
  }
  for (const DrawnAnswer& answer : verdicts.drawn) {
    add(drawn_sheet(verdicts, answer), Json::array());
  }
  for (const Verdict& verdict : verdicts.answers) {
    if (verdicts.drawn.empty()) {
      add(verdict_sheet(verdicts, verdict), points_json(verdict));
    }
  }
  return {{"aim", verdict_aim(verdicts)},
          {"notes", verdict_notes(verdicts)},
          {"answers", std::move(answers)}};
}

Json head_json(const AnalysisResult& result, const SourceTexts& texts,
               const std::vector<std::string>& commands) {
  Json head;
  head["format"] = "scalesweep-report";
  head["version"] = 1;
  head["program"] = "scalesweep " + build_info().version;
  head["study"] = {{"file", result.source.file.filename().string()},
                   {"title", result.source.title},
                   {"sha256", result.source.sha256},
                   {"identity", result.source.identity},
                   {"rows", result.source.rows},
                   {"points", result.source.points},
                   {"counts", result.source.counts},
                   {"coverage_is_whole", result.coverage_is_whole}};
  head["along"] = result.along;
  head["panels"] = result.panels;
  head["phase_axes"] = result.phase_axes;
  head["objectives"] = columns_of(result.objectives);
  head["maximized"] = Json::array();
  for (const Objective& objective : result.objectives) {
    if (objective.direction == Direction::maximize) {
      head["maximized"].push_back(objective.column);
    }
  }
  head["time"] = result.time;
  head["better"] = result.better;
  head["better_words"] = result.better_words;
  head["resources"] = result.resources;
  Json groups = Json::object();
  for (const std::string& resource : result.resources) {
    groups[resource] = group_of(resource);
  }
  head["group_of"] = std::move(groups);
  head["groups"] = result.groups;
  head["workloads"] = workload_axes();
  head["words"] = Json::object();
  for (const auto& [name, text] : words_by_name(result)) {
    head["words"][name] = text;
  }
  head["axes"] = axes_json(result);
  head["frontier_is_whole"] = result.frontier_is_whole;
  if (const auto& cells = result.cell_frontiers) {
    head["cell_frontiers"] = {
        {"per", cells->per}, {"rows", cells->rows}, {"are_whole", cells->are_whole}};
  }
  head["verdict"] = verdict_json(result.verdicts);
  head["findings"] = result.findings;
  head["notes"] = result.notes;
  head["spec"] = texts.spec;
  head["provenance"] = texts.provenance;
  head["commands"] = commands;
  return head;
}

}  // namespace

std::string report_data(const AnalysisResult& result, const SourceTexts& texts,
                        const std::vector<std::string>& commands, std::size_t table_bytes,
                        const std::string& explanations) {
  std::string text = text_json(head_json(result, texts, commands));
  text.pop_back();
  text += ",\n\"explanations\":" + safe_json(explanations);
  text += ",\n\"tables\":{";
  std::string separator;
  const auto add = [&](const std::string& name, const ResultTable& table, const Rows& rows,
                       std::size_t most_bytes) {
    text += fmt::format("{}\n{}:{}", separator, text_json(name),
                        table_json(result, table, rows, most_bytes));
    separator = ",";
  };
  for (const ResultTable* table : tables_of(result)) {
    const bool is_frontier = table->name == tables::frontier;
    add(table->name, *table, is_frontier ? member_rows(result) : all_rows(*table), table_bytes);
  }
  if (result.frontiers.ranks > 1) {
    ResultTable behind = result[tables::frontier];
    behind.seen_in = SeenIn::report;
    add("frontier_behind", behind, rows_behind(result), table_bytes);
  }
  if (result.cell_frontiers) {
    const ResultTable& members = result.cell_frontiers->members;
    const Rows rows = cell_rows(result, table_bytes);
    if (!rows.all.empty()) {
      // Their size is decided.
      add(members.name, members, rows, std::numeric_limits<std::size_t>::max());
    }
  }
  return text + "\n}}\n";
}

}  // namespace scalesweep::analysis
