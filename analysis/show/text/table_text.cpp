#include "analysis/show/text/table_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/words/text_lines.hpp"
#include "analysis/words/text_table.hpp"
#include "analysis/words/value_text.hpp"
#include "analysis/words/words.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

constexpr std::size_t most_plain_rows = 8;  // the rest is in the files

// A column as a person reads it: names in words, shares in percent, numbers in one unit.
struct ColumnText {
  TextTable::Align align = TextTable::Align::right;
  TextTable::Role role = TextTable::Role::fact;
  std::string units;
  std::vector<std::string> cells;
};

ColumnText names_text(const AnalysisResult& result, const ResultTable& table, std::size_t column,
                      std::size_t rows) {
  const bool is_axis = axis_of(result.axes, table.schema[column].name) != nullptr;
  ColumnText text;
  text.align = TextTable::Align::left;
  text.role = is_axis ? TextTable::Role::key : TextTable::Role::fact;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string name = cell_text(result.axes, table, column, row);
    text.cells.push_back(name.empty() ? "-" : is_axis ? name : words(name));
  }
  return text;
}

ColumnText numbers_text(const ResultTable& table, std::size_t column, std::size_t rows) {
  const store::Column& what = table.schema[column];
  std::vector<double> values;
  for (std::size_t row = 0; row < rows; ++row) {
    values.push_back(table.table.number(column, row));
  }
  const bool is_share = has_role(what, share_role);
  const NumberScale scale = is_share ? NumberScale{0.01, "%"} : scale_for(values, what.units);
  ColumnText text;
  text.units = scale.units;
  for (const double value : values) {
    text.cells.push_back(shown_number(value, scale));
  }
  return text;
}

std::string section_text(const AnalysisResult& result, const ResultTable& table,
                         std::size_t width) {
  const std::size_t rows = table.table.rows();
  const std::size_t shown = std::min(rows, most_plain_rows);
  TextTable text;
  std::vector<std::vector<std::string>> lines(shown);
  for (std::size_t column = 0; column < table.schema.size(); ++column) {
    const store::Column& what = table.schema[column];
    const bool has_names = label(result.axes, table, column, 0).has_value();
    const ColumnText one =
        has_names ? names_text(result, table, column, shown) : numbers_text(table, column, shown);
    text.add_column(what.long_name == what.name ? words(what.name) : what.long_name, one.align,
                    one.role, one.units);
    for (std::size_t row = 0; row < shown; ++row) {
      lines[row].push_back(one.cells[row]);
    }
  }
  for (std::vector<std::string>& line : lines) {
    text.add_row(std::move(line));
  }
  const std::string title = table.title.empty() ? words(table.name) : table.title;
  return paragraph(fmt::format("{}: {}", title, table.description), width).substr(2) +
         text.text(width) +
         (shown < rows ? fmt::format("  ... {} more in the {} table\n", rows - shown, table.name)
                       : "") +
         "\n";
}

}  // namespace

std::string plain_tables_text(const AnalysisResult& result, std::size_t width) {
  std::string text;
  for (const ResultTable& table : result.tables) {
    if (table.seen_in == SeenIn::everywhere && table.table.rows() > 0) {
      text += section_text(result, table, width);
    }
  }
  return text;
}

}  // namespace scalesweep::analysis
