#include "cli/output/sheet.hpp"

#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

#include "core/contracts.hpp"

namespace scalesweep::cli {
namespace {

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::size_t used = display_width(text);
  const std::string blanks(width > used ? width - used : 0, ' ');
  return align == Align::right ? blanks + text : text + blanks;
}

void print_line(std::ostream& out, const Sheet& sheet, const std::vector<std::string>& texts,
                const std::vector<std::size_t>& widths) {
  std::string line = " ";
  for (std::size_t c = 0; c < texts.size(); ++c) {
    line += (c == 0 ? " " : "  ") + padded(texts[c], widths[c], sheet.columns[c].align);
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

// RFC 4180: quotes around what holds a comma, a quote or a line break; quotes doubled.
std::string csv_field(const Json& value) {
  const std::string text = value.text() ? *value.text() : value.is_null() ? "" : value.dump();
  if (text.find_first_of(",\"\n\r") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  return quoted + "\"";
}

void print_csv(std::ostream& out, const Sheet& sheet) {
  for (std::size_t c = 0; c < sheet.columns.size(); ++c) {
    fmt::print(out, "{}{}", c == 0 ? "" : ",", sheet.columns[c].name);
  }
  fmt::print(out, "\n");
  for (const auto& row : sheet.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      fmt::print(out, "{}{}", c == 0 ? "" : ",", csv_field(row[c].value));
    }
    fmt::print(out, "\n");
  }
}

}  // namespace

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

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
