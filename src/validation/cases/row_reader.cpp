#include "validation/cases/row_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "core/contracts.hpp"
#include "core/text.hpp"

namespace scalesweep::validation {
namespace {

using technology::Precision;

// In SI units, with room: beyond them an error in percent may be no number.
constexpr double least_measured = 1e-30;
constexpr double most_measured = 1e30;

std::vector<std::string> format_names() {
  std::vector<std::string> names = technology::precision_names.list();
  names.emplace_back("nvfp4");
  return names;
}

}  // namespace

RowReader::RowReader(const CsvTable& table, std::size_t row, const catalog::Catalog& catalog,
                     Diagnostics& diagnostics)
    : table_(table), row_(row), catalog_(catalog), diagnostics_(diagnostics) {}

void RowReader::error(std::string_view column, const std::string& message) {
  ++mistakes_;
  const std::string whole = fmt::format("{}: {}", column, message);
  if (problem_.empty()) {
    problem_ = whole;
  }
  diagnostics_.error(table_.position(row_, column), whole);
}

std::optional<double> RowReader::number(std::string_view column) {
  const std::string& cell = text(column);
  if (cell.empty()) {
    return std::nullopt;
  }
  double value = 0.0;
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (code == std::errc::invalid_argument || end != cell.data() + cell.size() || !(value > 0.0) ||
      !std::isfinite(value)) {
    error(column, fmt::format("'{}' is not a positive number", cell));
    return std::nullopt;
  }
  if (value < least_measured || value > most_measured) {
    error(column, fmt::format("'{}' is out of range; a number lies between {} and {}", cell,
                              least_measured, most_measured));
    return std::nullopt;
  }
  return value;
}

double RowReader::required_number(std::string_view column) {
  if (!has(column)) {
    error(column, "is required: a positive number");
  }
  return number(column).value_or(1.0);
}

std::int64_t RowReader::integer(std::string_view column, std::optional<std::int64_t> otherwise,
                                std::int64_t at_least) {
  const std::string& cell = text(column);
  if (cell.empty()) {
    if (!otherwise) {
      error(column, fmt::format("is required: a whole number of at least {}", at_least));
    }
    return otherwise.value_or(at_least);
  }
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (code != std::errc() || end != cell.data() + cell.size() || value < at_least ||
      value > std::numeric_limits<std::int32_t>::max()) {
    error(column, fmt::format("'{}' is not a whole number of at least {}", cell, at_least));
    return at_least;
  }
  return value;
}

bool RowReader::boolean(std::string_view column, bool otherwise) {
  const std::string& cell = text(column);
  if (!cell.empty() && cell != "true" && cell != "false") {
    error(column, fmt::format("'{}' is neither true nor false", cell));
  }
  return cell.empty() ? otherwise : cell == "true";
}

Precision RowReader::precision(std::string_view column, Precision otherwise) {
  const std::string& cell = text(column);
  const std::optional<Precision> found = technology::precision_from(cell);
  if (!cell.empty() && !found) {
    error(column,
          fmt::format("no number format is called '{}'{}", cell, suggestion(cell, format_names())));
  }
  return found.value_or(otherwise);
}

std::size_t RowReader::choice(std::string_view column, std::span<const std::string_view> words) {
  const std::string& cell = text(column);
  const auto found = std::find(words.begin(), words.end(), cell);
  if (cell.empty()) {
    return 0;
  }
  if (found == words.end()) {
    const std::vector<std::string> known(words.begin(), words.end());
    error(column, fmt::format("'{}' is none of {}", cell, join(known, ", ")));
    return 0;
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::string RowReader::entry(std::string_view column, catalog::Section section) {
  const std::string& name = text(column);
  if (name.empty()) {
    error(column, "is required: a name of the catalog");
    return "";
  }
  if (!catalog_.has(section, name)) {
    error(column, fmt::format("the catalog has no {} '{}'{}", column, name,
                              catalog_.suggestion(section, name)));
    return "";
  }
  return *catalog_.canonical(section, name);
}

std::optional<std::pair<std::string, double>> RowReader::value_of(const config::Key& key) {
  const std::string_view column = key.name();
  const bool is_required = key.need == config::Need::required;
  if (!has(column) && !is_required) {
    return std::nullopt;
  }
  const int before = mistakes_;
  std::pair<std::string, double> value;
  if (key.kind == config::KeyKind::integer) {
    value.second = static_cast<double>(integer(column, std::nullopt, key.zero ? 0 : 1));
  } else if (key.kind == config::KeyKind::number) {
    value.second = required_number(column);
  } else if (const auto& others = key.names.others;
             std::find(others.begin(), others.end(), text(column)) != others.end()) {
    value.first = text(column);
  } else if (!key.names.section.empty()) {
    value.first = entry(column, *catalog::section_names.find(key.names.section));
  } else if (!key.words.empty()) {
    value.first = key.words[choice(column, key.words)];
  } else {
    value.first = technology::name_of(precision(column, Precision::bf16));
  }
  return mistakes_ == before ? std::optional(value) : std::nullopt;
}

void RowReader::read_key(void* job, keys::Target target, std::string_view column) {
  for (const keys::Row& row : keys::axis_rows()) {
    const auto setter = std::find_if(row.set.begin(), row.set.end(),
                                     [&](const keys::Setter& one) { return one.target == target; });
    if (row.key.name() == column && setter != row.set.end()) {
      if (const auto value = value_of(row.key)) {
        setter->set(job, {0, value->first, value->second, catalog_});
      }
      return;
    }
  }
  SCALESWEEP_EXPECT(false);  // no key of this job has the name
}

bool has_columns(const CsvTable& table, std::span<const std::string_view> columns,
                 Diagnostics& diagnostics) {
  bool good = true;
  for (const std::string_view column : columns) {
    if (!table.has(column)) {
      diagnostics.error(table.header_position(), fmt::format("the column '{}' is missing{}", column,
                                                             suggestion(column, table.columns())));
      good = false;
    }
  }
  return good;
}

}  // namespace scalesweep::validation
