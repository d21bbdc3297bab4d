#include "validation/measure/case_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/contracts.hpp"
#include "core/documents/csv.hpp"

namespace scalesweep::validation {

std::string case_text(const std::vector<std::string_view>& columns,
                      const std::vector<CaseCells>& rows) {
  std::string text = fmt::format("{}\n", fmt::join(columns, ","));
  for (const CaseCells& row : rows) {
    for (const auto& cell : row) {
      SCALESWEEP_EXPECT(std::find(columns.begin(), columns.end(), cell.first) != columns.end());
    }
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
