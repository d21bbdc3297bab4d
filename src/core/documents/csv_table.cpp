#include "core/documents/csv_table.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>

namespace scalesweep {
namespace {

// libcsv hands over field by field; records end with a callback of their own.
struct Collector {
  std::vector<std::vector<std::string>> records;
  std::vector<int> lines;  // on which each record starts
  std::vector<std::string> record;
  int start = 1;
};

void on_field(void* data, std::size_t size, void* collector) {
  static_cast<Collector*>(collector)->record.emplace_back(static_cast<const char*>(data), size);
}

void on_record(int, void* collector) {
  auto* to = static_cast<Collector*>(collector);
  to->records.push_back(std::move(to->record));
  to->lines.push_back(to->start);
  to->record.clear();
}

// Feeds line by line, so that a record knows its line although quoted fields may hold line breaks
// and blank lines may stand between records. False if the text is no CSV.
bool parse_lines(csv_parser& parser, std::string_view text, Collector& collector) {
  bool inside = false;  // of a record that has not ended with its line
  for (int line = 1; !text.empty(); ++line) {
    const std::string_view fed = text.substr(0, text.find('\n') + 1);
    const std::string_view piece = fed.empty() ? text : fed;
    text.remove_prefix(piece.size());
    collector.start = inside ? collector.start : line;
    const std::size_t before = collector.records.size();
    if (csv_parse(&parser, piece.data(), piece.size(), on_field, on_record, &collector) !=
        piece.size()) {
      return false;
    }
    const bool blank = piece.find_first_not_of("\r\n") == std::string_view::npos;
    inside = collector.records.size() == before && (inside || !blank);
  }
  return csv_fini(&parser, on_field, on_record, &collector) == 0;
}

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

std::optional<CsvTable> CsvTable::parse(const std::string& file, const std::string& text,
                                        Diagnostics& diagnostics) {
  csv_parser parser;
  csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
  Collector collector;
  const bool marked = std::string_view(text).substr(0, byte_order_mark.size()) == byte_order_mark;
  const bool good = parse_lines(
      parser, std::string_view(text).substr(marked ? byte_order_mark.size() : 0), collector);
  const std::string problem = csv_strerror(csv_error(&parser));
  csv_free(&parser);
  if (!good) {
    diagnostics.error({file, collector.start, 1}, fmt::format("not a CSV file: {}", problem));
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
    std::string wrong;
    if (record.size() != table.columns_.size()) {
      wrong = fmt::format("{} fields where the header names {} columns", record.size(),
                          table.columns_.size());
      diagnostics.error({file, collector.lines[i], 1}, wrong);
      record.resize(table.columns_.size());
    }
    table.rows_.push_back(std::move(record));
    table.problems_.push_back(wrong);
    table.lines_.push_back(collector.lines[i]);
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

}  // namespace scalesweep
