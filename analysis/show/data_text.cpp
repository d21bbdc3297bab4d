#include "analysis/show/data_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/file/study_layout.hpp"
#include "core/documents/csv.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

nlohmann::ordered_json json_cell(const AnalysisResult& result, const ResultTable& table,
                                 std::size_t column, std::size_t row) {
  if (const auto name = label(result.axes, table, column, row)) {
    return name->empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(*name);
  }
  if (table.schema[column].type == store::ColumnType::i64) {
    return table.table.values<std::int64_t>(column)[row];
  }
  const double value = table.table.number(column, row);
  const bool is_whole = table.schema[column].type != store::ColumnType::f64 &&
                        table.schema[column].type != store::ColumnType::f32;
  if (is_whole) {
    return static_cast<std::int64_t>(value);
  }
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

}  // namespace

std::string csv_text(const AnalysisResult& result, const ResultTable& table, CsvTexts texts) {
  std::vector<std::string> fields;
  for (const store::Column& column : table.schema) {
    fields.push_back(csv_field(column.name));
  }
  std::string text = join(fields, ",") + "\n";
  for (std::size_t row = 0; row < table.table.rows(); ++row) {
    for (std::size_t column = 0; column < fields.size(); ++column) {
      const bool is_text = label(result.axes, table, column, row).has_value();
      fields[column] =
          csv_field(cell_text(result.axes, table, column, row), is_text ? texts : CsvTexts::plain);
    }
    text += join(fields, ",") + "\n";
  }
  return text;
}

std::string csv_text(const AnalysisResult& result, CsvTexts texts) {
  std::string text;
  for (const ResultTable* table : tables_of(result)) {
    if (table->seen_in != SeenIn::pictures) {
      text += fmt::format("{}# {}\n{}", text.empty() ? "" : "\n", table->name,
                          csv_text(result, *table, texts));
    }
  }
  return text;
}

std::string json_text(const AnalysisResult& result) {
  nlohmann::ordered_json document;
  document["study"] = {{"file", result.source.file.string()}, {"title", result.source.title},
                       {"identity", result.source.identity},  {"sha256", result.source.sha256},
                       {"points", result.source.points},      {"counts", result.source.counts}};
  document["along"] = result.along;
  document["panels"] = result.panels;
  document["objectives"] = columns_of(result.objectives);
  document["findings"] = result.findings;
  document["notes"] = result.notes;
  for (const ResultTable* table : tables_of(result)) {
    if (table->seen_in == SeenIn::pictures) {
      continue;
    }
    auto rows = nlohmann::ordered_json::array();
    for (std::size_t row = 0; row < table->table.rows(); ++row) {
      nlohmann::ordered_json object;
      for (std::size_t column = 0; column < table->schema.size(); ++column) {
        object[table->schema[column].name] = json_cell(result, *table, column, row);
      }
      rows.push_back(std::move(object));
    }
    document[table->name] = std::move(rows);
  }
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace scalesweep::analysis
