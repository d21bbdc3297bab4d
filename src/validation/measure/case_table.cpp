#include "validation/measure/case_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/contracts.hpp"
#include "core/documents/csv.hpp"

namespace scalesweep::validation {

std::vector<std::string_view> written_columns(const std::vector<CaseCells>& rows) {
  std::set<std::string_view> used;
  for (const CaseCells& row : rows) {
    for (const auto& cell : row) {
      used.insert(cell.first);
    }
  }
  std::vector<std::string_view> columns;
  for (const std::string_view column : written_kernel_columns) {
    if (used.erase(column) > 0) {
      columns.push_back(column);
    }
  }
  columns.insert(columns.end(), used.begin(), used.end());
  return columns;
}

std::vector<std::string_view> listed_columns(const std::vector<CaseCells>& rows) {
  std::vector<std::string_view> columns(written_kernel_columns.begin(),
                                        written_kernel_columns.end());
  for (const std::string_view column : written_columns(rows)) {
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
      columns.push_back(column);
    }
  }
  return columns;
}

std::string case_text(const std::vector<std::string_view>& columns,
                      const std::vector<CaseCells>& rows) {
  std::string text = fmt::format("{}\n", fmt::join(columns, ","));
  for (const CaseCells& row : rows) {
    SCALESWEEP_EXPECT(std::all_of(row.begin(), row.end(), [&columns](const auto& cell) {
      return std::find(columns.begin(), columns.end(), cell.first) != columns.end();
    }));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto cell = row.find(columns[i]);
      text += i == 0 ? "" : ",";
      text += cell == row.end() ? "" : csv_field(cell->second);
    }
    text += "\n";
  }
  return text;
}

std::string seconds_cell(double seconds) {
  return fmt::format("{:.6g}", seconds);
}

std::string number_cell(double number) {
  return fmt::format("{:.15g}", number);
}

}  // namespace scalesweep::validation
