#include "core/documents/csv_table.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <limits>
#include <sstream>
#include <utility>

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

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

// Fed line by line, so that a record knows its line although quoted fields may hold line breaks and
// blank lines may stand between records.
struct CsvReader::Parser {
  Parser() { csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI); }
  ~Parser() { csv_free(&parser); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // False if the text is no CSV.
  bool feed(std::string_view piece) {
    ++line;
    collector.start = inside ? collector.start : line;
    const std::size_t before = collector.records.size();
    if (csv_parse(&parser, piece.data(), piece.size(), on_field, on_record, &collector) !=
        piece.size()) {
      return false;
    }
    const bool blank = piece.find_first_not_of("\r\n") == std::string_view::npos;
    inside = collector.records.size() == before && (inside || !blank);
    return true;
  }

  csv_parser parser;
  Collector collector;
  int line = 0;
  bool inside = false;  // of a record that has not ended with its line
  bool ended = false;
};

CsvReader::CsvReader(std::string file, std::istream& text)
    : file_(std::move(file)), text_(text), parser_(std::make_unique<Parser>()) {}

CsvReader::~CsvReader() = default;

// Until so many are there, or the text ends; false if it is no CSV.
bool CsvReader::read_records(std::size_t wanted) {
  Parser& parser = *parser_;
  std::string piece;
  while (!parser.ended && parser.collector.records.size() < wanted) {
    if (!std::getline(text_, piece)) {
      parser.ended = true;
      return csv_fini(&parser.parser, on_field, on_record, &parser.collector) == 0;
    }
    if (!text_.eof()) {
      piece += '\n';
    }
    const bool marked = parser.line == 0 && piece.starts_with(byte_order_mark);
    if (!parser.feed(std::string_view(piece).substr(marked ? byte_order_mark.size() : 0))) {
      return false;
    }
  }
  return true;
}

constexpr std::size_t most_rows = std::numeric_limits<std::size_t>::max() - 1;

std::optional<CsvTable> CsvReader::next(std::size_t most, Diagnostics& diagnostics) {
  Collector& collector = parser_->collector;
  const std::size_t header = columns_ ? 0 : 1;
  if (!read_records(std::min(most, most_rows) + header)) {
    const std::string problem = csv_strerror(csv_error(&parser_->parser));
    diagnostics.error({file_, collector.start, 1}, fmt::format("not a CSV file: {}", problem));
    return std::nullopt;
  }
  if (!columns_ && collector.records.empty()) {
    diagnostics.error({file_, 1, 1}, "the file is empty; its first line must name the columns");
    return std::nullopt;
  }
  if (!columns_) {
    columns_ = std::move(collector.records.front());
  }
  CsvTable table;
  table.file_ = file_;
  table.columns_ = *columns_;
  for (std::size_t i = header; i < collector.records.size(); ++i) {
    std::vector<std::string>& record = collector.records[i];
    std::string wrong;
    if (record.size() != table.columns_.size()) {
      wrong = fmt::format("{} fields where the header names {} columns", record.size(),
                          table.columns_.size());
      diagnostics.error({file_, collector.lines[i], 1}, wrong);
      record.resize(table.columns_.size());
    }
    table.rows_.push_back(std::move(record));
    table.problems_.push_back(wrong);
    table.lines_.push_back(collector.lines[i]);
  }
  collector.records.clear();
  collector.lines.clear();
  return table;
}

std::optional<CsvTable> CsvTable::parse(const std::string& file, const std::string& text,
                                        Diagnostics& diagnostics) {
  std::istringstream in(text);
  return CsvReader(file, in).next(most_rows, diagnostics);
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
