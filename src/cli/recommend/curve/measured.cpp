#include "cli/recommend/curve/measured.hpp"

#include <fmt/format.h>

#include "core/documents/csv_table.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"
#include "validation/cases/row_reader.hpp"

namespace scalesweep::cli {
namespace {

constexpr const char* user_column = "tokens_per_s_user";
constexpr const char* device_column = "tokens_per_s_device";
constexpr const char* label_column = "label";

}  // namespace

std::optional<std::vector<MeasuredPoint>> read_measured(const std::filesystem::path& file,
                                                        const catalog::Catalog& catalog,
                                                        Diagnostics& diagnostics) {
  const auto table = CsvTable::parse(file.string(), read_file(file), diagnostics);
  if (!table) {
    return std::nullopt;
  }
  for (const char* column : {user_column, device_column}) {
    if (!table->has(column)) {
      diagnostics.error(table->header_position(),
                        fmt::format("there is no column '{}'{}; a measured point has {}, {} and, "
                                    "where there are several series, {}",
                                    column, suggestion(column, table->columns()), user_column,
                                    device_column, label_column));
    }
  }
  if (diagnostics.has_errors()) {
    return std::nullopt;
  }
  std::vector<MeasuredPoint> points;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    validation::RowReader cells(*table, row, catalog, diagnostics);
    points.push_back({cells.required_number(user_column), cells.required_number(device_column),
                      cells.text(label_column)});
  }
  if (points.empty()) {
    diagnostics.error(table->header_position(), "it has no points; write one a line");
  }
  return diagnostics.has_errors() ? std::nullopt : std::optional(std::move(points));
}

}  // namespace scalesweep::cli
