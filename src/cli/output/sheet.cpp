#include "cli/output/sheet.hpp"

#include <fmt/ostream.h>

#include <ostream>

#include "analysis/words/text_table.hpp"
#include "cli/output/printable.hpp"
#include "cli/output/terminal.hpp"
#include "core/contracts.hpp"
#include "core/documents/csv.hpp"

namespace scalesweep::cli {
namespace {

void print_text(std::ostream& out, const Sheet& sheet, std::size_t width) {
  using analysis::TextTable;
  TextTable table;
  for (const SheetColumn& column : sheet.columns) {
    table.add_column(
        sheet.show_header ? column.header : "",
        column.align == Align::right ? TextTable::Align::right : TextTable::Align::left,
        sheet.show_header ? TextTable::Role::fact : TextTable::Role::value);
  }
  for (const auto& row : sheet.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) {
      cells.push_back(cell.text);
    }
    table.add_row(std::move(cells));
  }
  if (!sheet.title.empty()) {
    fmt::print(out, "{}", analysis::within(sheet.title + "\n", width));
  }
  fmt::print(out, "{}", table.text(width));
}

Json to_json(const Sheet& sheet) {
  std::vector<Json> rows;
  for (const auto& row : sheet.rows) {
    Json::Members members;
    for (std::size_t c = 0; c < row.size(); ++c) {
      members.emplace_back(sheet.columns[c].name, row[c].value);
    }
    rows.push_back(Json::object(std::move(members)));
  }
  return rows;
}

std::string csv_text(const Json& value) {
  return csv_field(value.text() ? *value.text() : value.is_null() ? "" : value.dump());
}

void print_csv(std::ostream& out, const Sheet& sheet) {
  for (std::size_t c = 0; c < sheet.columns.size(); ++c) {
    fmt::print(out, "{}{}", c == 0 ? "" : ",", sheet.columns[c].name);
  }
  fmt::print(out, "\n");
  for (const auto& row : sheet.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      fmt::print(out, "{}{}", c == 0 ? "" : ",", csv_text(row[c].value));
    }
    fmt::print(out, "\n");
  }
}

}  // namespace

void print(std::ostream& out, const std::vector<Sheet>& sheets, Format format, std::size_t width) {
  if (format == Format::csv) {
    SCALESWEEP_EXPECT(sheets.size() == 1);
    const RawOutput raw(out);
    print_csv(out, sheets.front());
    return;
  }
  if (format == Format::json) {
    Json::Members all;
    for (const Sheet& sheet : sheets) {
      all.emplace_back(sheet.name, to_json(sheet));
    }
    fmt::print(out, "{}\n", Json::object(std::move(all)).dump(2));
    return;
  }
  for (std::size_t i = 0; i < sheets.size(); ++i) {
    if (i > 0) {
      fmt::print(out, "\n");
    }
    print_text(out, sheets[i], width);
  }
}

void print(const Streams& streams, const std::vector<Sheet>& sheets, Format format) {
  print(streams.out, sheets, format, terminal_width(streams));
}

}  // namespace scalesweep::cli
