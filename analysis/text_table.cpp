#include "analysis/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/contracts.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {

std::string paragraph(const std::string& text) {
  std::string result;
  std::string line = " ";
  for (const std::string& word : split(text, ' ')) {
    if (line.size() + 1 + word.size() > line_width) {
      result += line + "\n";
      line = "   ";
    }
    line += " " + word;
  }
  return result + line + "\n";
}

void TextTable::add_column(std::string header, Align align) {
  headers_.push_back(std::move(header));
  aligns_.push_back(align);
}

void TextTable::add_row(std::vector<std::string> cells) {
  SCALESWEEP_EXPECT(cells.size() == headers_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < headers_.size(); ++column) {
    std::size_t width = headers_[column].size();
    for (const std::vector<std::string>& row : rows_) {
      width = std::max(width, row[column].size());
    }
    widths.push_back(width);
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string result;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      result += aligns_[column] == Align::left
                    ? fmt::format("  {:<{}}", cells[column], widths[column])
                    : fmt::format("  {:>{}}", cells[column], widths[column]);
    }
    result.erase(result.find_last_not_of(' ') + 1);
    return result + "\n";
  };
  std::string result = line(headers_);
  for (const std::vector<std::string>& row : rows_) {
    result += line(row);
  }
  return result;
}

}  // namespace scalesweep::analysis
