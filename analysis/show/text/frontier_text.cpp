#include "analysis/show/text/frontier_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/frontier/shown_members.hpp"
#include "analysis/words/text_table.hpp"
#include "analysis/words/value_text.hpp"
#include "analysis/words/words.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

using Align = TextTable::Align;

constexpr std::size_t most_members = 8;  // of all frontiers; the rest is in the files

std::string objective_words(const AnalysisResult& result) {
  std::vector<std::string> texts;
  for (const Objective& objective : result.objectives) {
    texts.push_back(name_words(result, objective.column) +
                    (objective.direction == Direction::maximize ? " (most)" : ""));
  }
  return join(texts, ", ");
}

std::string count_text(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", with_thousands(static_cast<std::int64_t>(count)),
                     count == 1 ? one : many);
}

// An axis of one value says nothing in a list.
bool is_constant(const AnalysisResult& result, const std::string& name) {
  const store::AxisValues* axis = find_axis(result.axes, name);
  return axis != nullptr && axis->labels.size() < 2;
}

// A column ready to print: the header with its unit and the cells.
struct PrintedColumn {
  std::string header;
  std::vector<std::string> cells;
};

PrintedColumn printed_column(const AnalysisResult& result, const ResultTable& table,
                             const std::string& name, const std::vector<std::size_t>& rows) {
  const std::size_t column = column_of(table, name);
  const store::Column& description = table.schema[column];
  PrintedColumn printed{name == "dominant_group" ? words(name) : name_words(result, name), {}};
  const bool is_real =
      description.type == store::ColumnType::f64 || description.type == store::ColumnType::f32;
  std::vector<double> values;
  for (const std::size_t row : rows) {
    values.push_back(table.table.number(column, row));
  }
  const NumberScale scale = scale_for(values, is_real ? description.units : "");
  if (!scale.units.empty()) {
    printed.header += fmt::format(" ({})", scale.units);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    printed.cells.push_back(is_real ? shown_number(values[i], scale)
                            : name == "dominant_group"
                                ? words(cell_text(result.axes, table, column, rows[i]))
                                : cell_text(result.axes, table, column, rows[i]));
  }
  return printed;
}

// Objectives, then axes that vary, then what limits a member and which one it is.
std::vector<std::string> column_names(const AnalysisResult& result) {
  std::vector<std::string> names;
  for (const std::string& objective : columns_of(result.objectives)) {
    if (!is_constant(result, objective)) {
      names.push_back(objective);
    }
  }
  std::vector<std::string> axes = result.panels;
  axes.insert(axes.end(), result.along_axes.begin(), result.along_axes.end());
  for (const std::string& axis : axes) {
    if (std::find(names.begin(), names.end(), axis) == names.end()) {
      names.push_back(axis);
    }
  }
  names.insert(names.end(), {"dominant_group", std::string(point_id_column)});
  return names;
}

// The best in the first objective first.
void sort_rows(const AnalysisResult& result, std::vector<std::size_t>& rows) {
  const Objective& objective = result.objectives.front();
  const std::size_t column = column_of(result[tables::frontier], objective.column);
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    const double left = result[tables::frontier].table.number(column, a);
    const double right = result[tables::frontier].table.number(column, b);
    return objective.direction == Direction::maximize ? left > right : left < right;
  });
}

// The first frontiers, as many as there is room for, and at least one.
std::vector<ShownFrontier> listed_frontiers(const AnalysisResult& result) {
  std::vector<ShownFrontier> listed;
  std::size_t members = 0;
  for (ShownFrontier& one : shown_frontiers(result.frontiers, most_members)) {
    if (!listed.empty() && members + one.rows.size() > most_members) {
      break;
    }
    sort_rows(result, one.rows);
    members += one.rows.size();
    listed.push_back(std::move(one));
  }
  return listed;
}

// Rows stand frontier by frontier; axes that do not tell frontiers apart go on from row to row.
TextTable::Role role_of(const AnalysisResult& result, const std::string& name) {
  if (find_axis(result.axes, name) == nullptr) {
    return TextTable::Role::value;
  }
  return find_column(result[tables::frontier_groups], name) ? TextTable::Role::key
                                                            : TextTable::Role::fact;
}

std::string member_rows(const AnalysisResult& result, const std::vector<std::size_t>& rows,
                        std::size_t width) {
  const ResultTable& frontier = result[tables::frontier];
  TextTable table;
  std::vector<PrintedColumn> columns;
  for (const std::string& name : column_names(result)) {
    columns.push_back(printed_column(result, frontier, name, rows));
    const bool is_name = !frontier.schema[column_of(frontier, name)].labels.empty();
    table.add_column(columns.back().header, is_name ? Align::left : Align::right,
                     role_of(result, name));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> cells;
    for (const PrintedColumn& column : columns) {
      cells.push_back(column.cells[i]);
    }
    table.add_row(cells);
  }
  std::string strategies;
  for (const std::size_t row : rows) {
    strategies += paragraph(
        fmt::format("{:.0f}: {}",
                    frontier.table.number(column_of(frontier, std::string(point_id_column)), row),
                    strategy_text(result.axes, result.strategy, frontier, row)),
        width);
  }
  return table.text(width) + "\n" + strategies;
}

}  // namespace

std::string frontier_text(const AnalysisResult& result, std::size_t width) {
  const ResultTable& frontier = result[tables::frontier];
  if (frontier.table.rows() == 0) {
    return "";
  }
  const std::size_t groups = result.frontiers.groups.size();
  const std::vector<ShownFrontier> listed = listed_frontiers(result);
  const ShownFrontier shown = together(listed);
  const std::size_t members = together(shown_frontiers(result.frontiers, most_members)).members;
  std::string text =
      paragraph(fmt::format("Frontier over {}: {}{}", objective_words(result),
                            count_text(members, "point", "points"),
                            groups > 1 ? fmt::format(" of {} frontiers", groups) : ""),
                width)
          .substr(2) +
      member_rows(result, shown.rows, width);
  const std::string standing = shown_words(shown);
  text += standing.empty() ? "" : "\n" + paragraph(standing, width);
  if (shown.rows.size() < members) {
    text += fmt::format(
        "  ... {} more{} in the frontier table\n",
        with_thousands(static_cast<std::int64_t>(members - shown.rows.size())),
        listed.size() < groups ? fmt::format(", {} more frontiers,", groups - listed.size()) : "");
  }
  if (frontier.table.rows() > members) {
    const std::int32_t ranks = result.frontiers.ranks;
    text += fmt::format("  {} of {} in the frontier table\n",
                        count_text(frontier.table.rows() - members, "point", "points"),
                        ranks == 2 ? "rank 2" : fmt::format("ranks 2 to {}", ranks));
  }
  return text;
}

}  // namespace scalesweep::analysis
