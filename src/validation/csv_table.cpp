#include "validation/csv_table.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>

namespace scalesweep::validation {
namespace {

// libcsv hands over field by field; records end with a callback of their own.
struct Collector {
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record;
};

void on_field(void* data, std::size_t size, void* collector) {
  static_cast<Collector*>(collector)->record.emplace_back(static_cast<const char*>(data), size);
}

void on_record(int, void* collector) {
  auto* to = static_cast<Collector*>(collector);
  to->records.push_back(std::move(to->record));
  to->record.clear();
}

// Line on which each record starts: quoted fields may hold line breaks.
std::vector<int> record_lines(const std::vector<std::vector<std::string>>& records) {
  std::vector<int> lines;
  int line = 1;
  for (const auto& record : records) {
    lines.push_back(line++);
    for (const std::string& field : record) {
      line += static_cast<int>(std::count(field.begin(), field.end(), '\n'));
    }
  }
  return lines;
}

}  // namespace

std::optional<CsvTable> CsvTable::parse(const std::string& file, const std::string& text,
                                        Diagnostics& diagnostics) {
  csv_parser parser;
  csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
  Collector collector;
  const std::size_t read =
      csv_parse(&parser, text.data(), text.size(), on_field, on_record, &collector);
  const bool good = read == text.size() && csv_fini(&parser, on_field, on_record, &collector) == 0;
  const std::string problem = csv_strerror(csv_error(&parser));
  csv_free(&parser);
  const std::vector<int> lines = record_lines(collector.records);
  if (!good) {
    diagnostics.error({file, lines.empty() ? 1 : lines.back() + 1, 1},
                      fmt::format("not a CSV file: {}", problem));
    return std::nullopt;
  }
  if (collector.records.empty()) {
    diagnostics.error({file, 1, 1}, "the file is empty; its first line must name the columns");
    return std::nullopt;
  }
  CsvTable table;
  table.file_ = file;
  table.columns_ = std::move(collector.records.front());
  for (std::size_t i = 1; i < collector.records.size(); ++i) {
    std::vector<std::string>& record = collector.records[i];
    if (record.size() != table.columns_.size()) {
      diagnostics.error({file, lines[i], 1},
                        fmt::format("{} fields where the header names {} columns", record.size(),
                                    table.columns_.size()));
      continue;
    }
    table.rows_.push_back(std::move(record));
    table.lines_.push_back(lines[i]);
  }
  return table;
}

bool CsvTable::has(std::string_view column) const {
  return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
}

const std::string& CsvTable::cell(std::size_t row, std::string_view column) const {
  static const std::string empty;
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  return found == columns_.end() ? empty
                                 : rows_[row][static_cast<std::size_t>(found - columns_.begin())];
}

SourcePosition CsvTable::position(std::size_t row, std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  const bool known = found != columns_.end();
  return {file_, lines_[row], known ? static_cast<int>(found - columns_.begin()) + 1 : 1};
}

}  // namespace scalesweep::validation
