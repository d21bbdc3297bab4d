#include "analysis/bottlenecks/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/file/columns.hpp"
#include "analysis/words/value_text.hpp"
#include "analysis/words/words.hpp"
#include "core/contracts.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {

const store::AxisValues* axis_of(const std::vector<store::AxisValues>& axes,
                                 const std::string& column) {
  for (const store::AxisValues& axis : axes) {
    if (column == axis.name || column == "from_" + axis.name || column == "to_" + axis.name) {
      return &axis;
    }
  }
  return nullptr;
}

std::optional<std::size_t> find_column(const ResultTable& table, const std::string& name) {
  for (std::size_t i = 0; i < table.schema.size(); ++i) {
    if (table.schema[i].name == name) {
      return i;
    }
  }
  return std::nullopt;
}

std::size_t column_of(const ResultTable& table, const std::string& name) {
  const auto found = find_column(table, name);
  SCALESWEEP_EXPECT(found.has_value());
  return found.value();
}

std::optional<std::string> label(const std::vector<store::AxisValues>& axes,
                                 const ResultTable& table, std::size_t column, std::size_t row) {
  const store::Column& description = table.schema[column];
  const store::AxisValues* axis = axis_of(axes, description.name);
  const std::vector<std::string>& labels = axis != nullptr ? axis->labels : description.labels;
  const double value = table.table.number(column, row);
  if (!labels.empty() && value < 0.0) {
    return "";
  }
  if (labels.empty() || value >= static_cast<double>(labels.size())) {
    return std::nullopt;
  }
  return labels[static_cast<std::size_t>(value)];
}

std::string cell_text(const std::vector<store::AxisValues>& axes, const ResultTable& table,
                      std::size_t column, std::size_t row) {
  if (const auto name = label(axes, table, column, row)) {
    return *name;
  }
  switch (table.schema[column].type) {
    case store::ColumnType::f64:
      return exact_number(table.table.values<double>(column)[row]);
    case store::ColumnType::f32:
      return exact_number(table.table.values<float>(column)[row]);
    case store::ColumnType::i64:
      return fmt::format("{}", table.table.values<std::int64_t>(column)[row]);
    case store::ColumnType::i32:
    case store::ColumnType::u8:
      break;
  }
  return fmt::format("{:.0f}", table.table.number(column, row));
}

std::string strategy_text(const std::vector<store::AxisValues>& axes,
                          const std::vector<std::string>& strategy, const ResultTable& table,
                          std::size_t row, const std::string& prefix) {
  std::vector<std::string> words;
  for (const std::string& name : strategy) {
    const std::size_t column = column_of(table, prefix + name);
    std::string word = label_word(name, table.schema[column], table.table.number(column, row),
                                  cell_text(axes, table, column, row));
    if (!word.empty()) {
      words.push_back(std::move(word));
    }
  }
  return join(words, " ");
}

std::string name_words(const AnalysisResult& result, const std::string& name) {
  const auto column = find_column(result[tables::best], name);
  if (!column || find_axis(result.axes, name) != nullptr) {
    return words(name);
  }
  const std::string& long_name = result[tables::best].schema[*column].long_name;
  return long_name.empty() || long_name == name ? words(name) : long_name;
}

std::vector<std::pair<std::string, std::string>> words_by_name(const AnalysisResult& result) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [name, text] : names_with_words()) {
    if (std::find(result.strategy.begin(), result.strategy.end(), name) == result.strategy.end()) {
      pairs.emplace_back(name, text);
    }
  }
  for (const std::string& name : result.strategy) {
    pairs.emplace_back(name, name_words(result, name));
  }
  return pairs;
}

std::string quantity_text(double value, const std::string& units, bool is_flop_rate) {
  if (units == "B s-1") {
    return with_si_prefix(value, "B/s");
  }
  if (is_flop_rate) {
    return with_si_prefix(value, "FLOP/s");
  }
  if (units.empty() || units == "1") {
    return fmt::format("{:.4g}", value);
  }
  return units == "W" || units == "Hz" ? with_si_prefix(value, units)
                                       : fmt::format("{:.4g} {}", value, units);
}

std::string crossing_quantity_text(const AnalysisResult& result, std::size_t row, double value) {
  const ResultTable& t = result[tables::transitions];
  const std::string name = cell_text(result.axes, t, column_of(t, "quantity"), row);
  if (const store::AxisValues* axis = find_axis(result.axes, name)) {
    for (std::size_t i = 0; i < axis->labels.size(); ++i) {
      const LabelParts parts = parts_of_label(axis->labels[i]);
      if (parts.number > 0.0 && axis->values[i] > 0.0) {
        return fmt::format("{:.4g}{}", value / axis->values[i] * parts.number, parts.unit);
      }
    }
  }
  const auto column = find_column(result[tables::best], name);
  return quantity_text(
      value, cell_text(result.axes, t, column_of(t, "quantity_units"), row),
      column && has_role(result[tables::best].schema[*column], role::rate_of, "tensor_compute"));
}

bool is_asked(const AnalysisResult& result, std::size_t row) {
  const auto place = [&](const std::string& axis) {
    return result[tables::coverage].table.number(column_of(result[tables::coverage], axis), row);
  };
  const auto is_panel = [&](const std::string& axis) {
    return std::find(result.panels.begin(), result.panels.end(), axis) != result.panels.end();
  };
  return std::all_of(result.together.begin(), result.together.end(),
                     [&](const std::vector<std::string>& group) {
                       const auto first = std::find_if(group.begin(), group.end(), is_panel);
                       return std::all_of(first, group.end(), [&](const std::string& axis) {
                         return !is_panel(axis) || place(axis) == place(*first);
                       });
                     });
}

}  // namespace scalesweep::analysis
