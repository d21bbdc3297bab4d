#include "cli/output/sheet.hpp"

#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

#include "analysis/words/text_table.hpp"
#include "core/contracts.hpp"
#include "core/documents/csv.hpp"

namespace scalesweep::cli {
namespace {

using analysis::display_width;
using analysis::padded;

void print_line(std::ostream& out, const Sheet& sheet, const std::vector<std::string>& texts,
                const std::vector<std::size_t>& widths) {
  std::string line = " ";
  for (std::size_t c = 0; c < texts.size(); ++c) {
    line +=
        (c == 0 ? " " : "  ") + padded(texts[c], widths[c], sheet.columns[c].align == Align::right);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  fmt::print(out, "{}\n", line);
}

void print_text(std::ostream& out, const Sheet& sheet) {
  std::vector<std::size_t> widths;
  std::vector<std::string> headers;
  for (std::size_t c = 0; c < sheet.columns.size(); ++c) {
    headers.push_back(sheet.columns[c].header);
    std::size_t width = sheet.show_header ? display_width(headers.back()) : 0;
    for (const auto& row : sheet.rows) {
      width = std::max(width, display_width(row[c].text));
    }
    widths.push_back(width);
  }
  if (!sheet.title.empty()) {
    fmt::print(out, "{}\n", sheet.title);
  }
  if (sheet.show_header) {
    print_line(out, sheet, headers, widths);
  }
  for (const auto& row : sheet.rows) {
    std::vector<std::string> texts;
    for (const Cell& cell : row) {
      texts.push_back(cell.text);
    }
    print_line(out, sheet, texts, widths);
  }
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

void print(std::ostream& out, const std::vector<Sheet>& sheets, Format format) {
  if (format == Format::csv) {
    SCALESWEEP_EXPECT(sheets.size() == 1);
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
    print_text(out, sheets[i]);
  }
}

}  // namespace scalesweep::cli
