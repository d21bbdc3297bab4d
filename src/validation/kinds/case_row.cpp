#include "validation/kinds/case_row.hpp"

namespace scalesweep::validation {
namespace {

std::optional<double> gigabytes(RowReader& row, std::string_view column) {
  const std::optional<double> value = row.number(column);
  return value ? std::optional(*value * bytes_per_gb) : std::nullopt;
}

}  // namespace

MemoryFigures read_measured_memory(RowReader& row) {
  return {gigabytes(row, "memory_states_gb"), gigabytes(row, "memory_allocated_gb"),
          gigabytes(row, "memory_reserved_gb")};
}

std::optional<double> CaseRow::error() const {
  if (!predicted.value || !measured) {
    return std::nullopt;
  }
  return *predicted.value / *measured - 1.0;
}

std::optional<double> CaseRow::time_error() const {
  if (!predicted.value || !measured) {
    return std::nullopt;
  }
  return (is_rate ? *measured / *predicted.value : *predicted.value / *measured) - 1.0;
}

}  // namespace scalesweep::validation
