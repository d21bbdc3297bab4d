#include "analysis/findings/tables/operators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/bottlenecks/table_of.hpp"
#include "analysis/bottlenecks/tables.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/findings/tables/table_spec.hpp"
#include "analysis/words/text_table.hpp"
#include "analysis/words/words.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

constexpr std::size_t most_panels = 4;  // in text; the rest is in the files

// <phase>_<operator>_flop and so on: of one execution of an operator.
constexpr std::array<std::string_view, 5> operator_figures = {"flop", "bytes", "intensity", "time",
                                                              "bound"};

// Columns of one operator in the best table, in the order of operator_figures.
struct OperatorColumns {
  std::string name;  // "decode query key value"
  std::array<std::size_t, operator_figures.size()> columns{};
};

std::vector<OperatorColumns> operators_of(const ResultTable& best) {
  constexpr std::string_view mark = "_intensity";
  std::vector<OperatorColumns> found;
  for (const store::Column& column : best.schema) {
    if (!column.name.ends_with(mark)) {
      continue;
    }
    const std::string base = column.name.substr(0, column.name.size() - mark.size());
    OperatorColumns one{base, {}};
    one.name = words(base);
    bool complete = true;
    for (std::size_t i = 0; i < operator_figures.size(); ++i) {
      const auto place = find_column(best, fmt::format("{}_{}", base, operator_figures[i]));
      complete = complete && place.has_value();
      one.columns[i] = place.value_or(0);
    }
    if (complete) {
      found.push_back(one);
    }
  }
  return found;
}

bool exists(const ResultTable& best, const OperatorColumns& one, std::size_t row) {
  return !std::isnan(best.table.number(one.columns[3], row));
}

// "tensor", "DRAM"
std::string bound_words(const std::string& resource) {
  const std::string text = words(resource);
  return text.substr(0, text.find(" compute"));
}

std::string cell_of(const AnalysisResult& result, const OperatorColumns& one, std::size_t row) {
  const ResultTable& best = result[tables::best];
  if (!exists(best, one, row)) {
    return "-";
  }
  return fmt::format("{:.4g} {}", 1e6 * best.table.number(one.columns[3], row),
                     bound_words(label(result.axes, best, one.columns[4], row).value_or("")));
}

std::string panel_title(const AnalysisResult& result, std::size_t combination) {
  std::vector<std::string> parts;
  for (const std::string& name : result.panels) {
    parts.push_back(cell_text(result.axes, result[tables::coverage],
                              column_of(result[tables::coverage], name), combination));
  }
  return parts.empty() ? "" : "  " + join(parts, " + ") + "\n";
}

// Of the rows of the best table of one panel, -1 where nothing is feasible.
std::string panel_text(const AnalysisResult& result, const std::vector<OperatorColumns>& operators,
                       const std::vector<std::string>& values,
                       const std::vector<std::int64_t>& rows, std::size_t width) {
  using Align = TextTable::Align;
  using Role = TextTable::Role;
  TextTable table;
  table.add_column("operator", Align::left);
  for (const char* header : {"FLOP", "bytes", "FLOP/byte"}) {
    table.add_column(header, Align::right, Role::series);
  }
  for (const std::string& value : values) {
    table.add_column(value + " (us)", Align::left, Role::series);
  }
  const ResultTable& best = result[tables::best];
  for (const OperatorColumns& one : operators) {
    const auto first = std::find_if(rows.begin(), rows.end(), [&](std::int64_t row) {
      return row >= 0 && exists(best, one, static_cast<std::size_t>(row));
    });
    if (first == rows.end()) {
      continue;
    }
    std::vector<std::string> cells = {one.name};
    for (std::size_t i = 0; i < 3; ++i) {
      cells.push_back(fmt::format(
          "{:.4g}", best.table.number(one.columns[i], static_cast<std::size_t>(*first))));
    }
    for (const std::int64_t row : rows) {
      cells.push_back(row < 0 ? "-" : cell_of(result, one, static_cast<std::size_t>(row)));
    }
    table.add_row(cells);
  }
  return table.text(width);
}

// One row per best point and operator; without a schema where the study has no such columns.
ResultTable operator_table(const TableInputs& in) {
  const StudyLayout& layout = in.reading.shown;
  const ResultTable& best = in.best;
  struct Row {
    std::size_t best;
    std::size_t which;
  };
  const std::vector<OperatorColumns> operators = operators_of(best);
  if (operators.empty()) {
    return {};
  }
  std::vector<std::string> names;
  for (const OperatorColumns& one : operators) {
    names.push_back(one.name);
  }
  std::vector<Row> rows;
  for (std::size_t row = 0; row < best.table.rows(); ++row) {
    for (std::size_t i = 0; i < operators.size(); ++i) {
      if (exists(best, operators[i], row)) {
        rows.push_back({row, i});
      }
    }
  }
  const auto of_best = [&](const std::string& name) {
    return [&best, column = column_of(best, name)](const Row& row) {
      return best.table.number(column, row.best);
    };
  };
  const auto figure = [&](std::size_t i) {
    return [&best, &operators, i](const Row& row) {
      return best.table.number(operators[row.which].columns[i], row.best);
    };
  };
  const std::string id(point_id_column);
  TableOf<Row> table("every operator of the best points: one execution on one device");
  table.column(best.schema[column_of(best, id)], of_best(id));
  std::vector<std::size_t> axes = layout.panels;
  axes.push_back(layout.along);
  for (const std::size_t axis : axes) {
    table.column(axis_column(layout, axis), of_best(layout.axes[axis].name));
  }
  table.column(name_column("operator", "operator", "phase and operator", names), &Row::which);
  const auto& first = operators.front().columns;
  for (std::size_t i = 0; i + 1 < operator_figures.size(); ++i) {
    const std::string name(operator_figures[i]);
    const store::Column& column = best.schema[first[i]];
    table.column(number_column(name, name, column.description, column.units), figure(i));
  }
  const store::Column& bound = best.schema[first.back()];
  table.column(name_column("bound", "bound", bound.description, bound.labels),
               figure(first.size() - 1));
  return table.of(rows);
}

}  // namespace

extern constinit const TableSpec operators_spec = {"operators", SeenIn::report, operator_table};

std::string operators_text(const AnalysisResult& result, std::size_t width) {
  const std::vector<OperatorColumns> operators = operators_of(result[tables::best]);
  const store::AxisValues* along = find_axis(result.axes, result.along);
  if (operators.empty() || along == nullptr || result[tables::best].table.rows() == 0) {
    return "";
  }
  const std::vector<std::string>& values = along->labels;
  const std::size_t panels = result.best_rows.size() / values.size();
  std::string text = paragraph(fmt::format("Operators of the best points: one execution on one "
                                           "device; FLOP and bytes at the first {}",
                                           words(result.along)),
                               width)
                         .substr(2);
  std::size_t shown = 0;
  std::size_t left_out = 0;
  for (std::size_t panel = 0; panel < panels; ++panel) {
    const auto begin =
        result.best_rows.begin() + static_cast<std::ptrdiff_t>(panel * values.size());
    const std::vector<std::int64_t> rows(begin, begin + static_cast<std::ptrdiff_t>(values.size()));
    if (std::all_of(rows.begin(), rows.end(), [](std::int64_t row) { return row < 0; })) {
      continue;
    }
    if (++shown > most_panels) {
      ++left_out;
      continue;
    }
    text += panel_title(result, panel * values.size()) +
            panel_text(result, operators, values, rows, width) + "\n";
  }
  if (left_out > 0) {
    text += fmt::format("  ... {} more combinations in the operators table\n\n", left_out);
  }
  return text;
}

}  // namespace scalesweep::analysis
