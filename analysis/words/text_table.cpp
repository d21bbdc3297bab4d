#include "analysis/words/text_table.hpp"

#include <algorithm>

#include "core/contracts.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

constexpr std::size_t gap = 2;            // before every column
constexpr std::size_t few_series = 3;     // side by side, before keys go elsewhere
constexpr std::size_t least_folded = 20;  // columns for a cell that goes on in further lines

// A text in lines of at most `width` where its blanks allow that.
std::vector<std::string> lines_of(const std::string& text, std::size_t width) {
  std::vector<std::string> lines = {""};
  for (const std::string& word : split(text, ' ')) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (display_width(line) + 1 + display_width(word) <= width) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& word : split(text, ' ')) {
    longest = std::max(longest, display_width(word));
  }
  return longest;
}

// One row in as many lines as its tallest cell has; `at_end`: shorter cells stand at the bottom.
std::string lines_text(const std::vector<std::vector<std::string>>& cells,
                       const std::vector<std::size_t>& widths,
                       const std::vector<TextTable::Align>& aligns, bool at_end) {
  std::size_t height = 0;
  for (const std::vector<std::string>& cell : cells) {
    height = std::max(height, cell.size());
  }
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    std::string one;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t above = at_end ? height - cells[i].size() : 0;
      const bool is_there = line >= above && line - above < cells[i].size();
      one += std::string(gap, ' ') + padded(is_there ? cells[i][line - above] : "", widths[i],
                                            aligns[i] == TextTable::Align::right);
    }
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  }
  return text;
}

}  // namespace

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return right ? blanks + text : text + blanks;
}

std::string paragraph(const std::string& text, std::size_t width) {
  std::string result;
  std::string line = " ";
  for (const std::string& word : split(text, ' ')) {
    if (display_width(line) + 1 + display_width(word) > width && line != " " && line != "   ") {
      result += line + "\n";
      line = "   ";
    }
    line += " " + word;
  }
  return result + line + "\n";
}

// Where the columns go.
struct TextTable::Layout {
  bool folded = false;                // heads in several lines
  std::vector<std::size_t> before;    // keys told once, before the table
  std::vector<std::size_t> headings;  // keys told before the rows that share them
  std::vector<std::size_t> columns;   // the others, but series
};

void TextTable::add_column(std::string header, Align align, Role role) {
  headers_.push_back(std::move(header));
  aligns_.push_back(align);
  roles_.push_back(role);
}

void TextTable::add_row(std::vector<std::string> cells) {
  SCALESWEEP_EXPECT(cells.size() == headers_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> TextTable::columns_of(Role role) const {
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < roles_.size(); ++column) {
    if (roles_[column] == role) {
      columns.push_back(column);
    }
  }
  return columns;
}

std::size_t TextTable::width_of(std::size_t column, bool folded) const {
  std::size_t width = folded ? longest_word(headers_[column]) : display_width(headers_[column]);
  for (const std::vector<std::string>& row : rows_) {
    width = std::max(width, display_width(row[column]));
  }
  return width;
}

bool TextTable::is_shared(std::size_t column) const {
  return std::all_of(rows_.begin(), rows_.end(), [&](const std::vector<std::string>& row) {
    return row[column] == rows_.front()[column];
  });
}

// "model llama-3-70b, accelerators 8"
std::string TextTable::told(const std::vector<std::size_t>& columns, std::size_t row) const {
  std::vector<std::string> parts;
  for (const std::size_t column : columns) {
    parts.push_back(headers_[column] + " " + rows_[row][column]);
  }
  return join(parts, ", ");
}

std::size_t TextTable::fixed_width(const Layout& layout) const {
  std::size_t width = 0;
  for (const std::size_t column : layout.columns) {
    width += gap + width_of(column, layout.folded);
  }
  return width;
}

bool TextTable::fits(const Layout& layout, std::size_t width) const {
  const std::vector<std::size_t> series = columns_of(Role::series);
  std::size_t widest = 0;
  for (const std::size_t column : series) {
    widest = std::max(widest, gap + width_of(column, layout.folded));
  }
  return fixed_width(layout) + std::min(series.size(), few_series) * widest <= width;
}

TextTable::Layout TextTable::layout_for(std::size_t width) const {
  Layout layout;
  for (std::size_t column = 0; column < roles_.size(); ++column) {
    if (roles_[column] != Role::series) {
      layout.columns.push_back(column);
    }
  }
  if (fits(layout, width)) {
    return layout;
  }
  layout.folded = true;
  const auto move = [&](std::size_t column, std::vector<std::size_t>& into) {
    into.push_back(column);
    layout.columns.erase(std::find(layout.columns.begin(), layout.columns.end(), column));
  };
  const bool many = rows_.size() > 1;
  for (std::size_t column = 0; !fits(layout, width) && column < roles_.size(); ++column) {
    const bool movable = roles_[column] == Role::key || roles_[column] == Role::fact;
    if (many && movable && is_shared(column)) {
      move(column, layout.before);
    }
  }
  for (const std::size_t key : columns_of(Role::key)) {
    const bool is_there =
        std::find(layout.columns.begin(), layout.columns.end(), key) != layout.columns.end();
    if (is_there && !fits(layout, width)) {
      move(key, layout.headings);
    }
  }
  return layout;
}

std::string TextTable::block(const Layout& layout, const std::vector<std::size_t>& columns,
                             std::size_t width) const {
  std::vector<std::size_t> widths;
  std::vector<Align> aligns;
  std::size_t used = 0;
  for (const std::size_t column : columns) {
    widths.push_back(width_of(column, layout.folded));
    aligns.push_back(aligns_[column]);
    used += gap + widths.back();
  }
  if (used > width && !columns.empty() && aligns.back() == Align::left) {
    const std::size_t others = used - widths.back();
    widths.back() = std::max(width > others ? width - others : 0, least_folded);
  }
  std::vector<std::vector<std::string>> cells;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    cells.push_back(lines_of(headers_[columns[i]], widths[i]));
  }
  std::string text = lines_text(cells, widths, aligns, true);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (!layout.headings.empty() &&
        (row == 0 || told(layout.headings, row) != told(layout.headings, row - 1))) {
      text += paragraph(told(layout.headings, row) + ":", width);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string& cell = rows_[row][columns[i]];
      cells[i] =
          i + 1 == columns.size() ? lines_of(cell, widths[i]) : std::vector<std::string>{cell};
    }
    text += lines_text(cells, widths, aligns, false);
  }
  return text;
}

std::string TextTable::text(std::size_t width) const {
  const Layout layout = layout_for(width);
  std::string text;
  if (!layout.before.empty()) {
    text += paragraph(told(layout.before, 0) + ":", width);
  }
  const std::vector<std::size_t> series = columns_of(Role::series);
  std::size_t widest = 0;
  for (const std::size_t column : series) {
    widest = std::max(widest, gap + width_of(column, layout.folded));
  }
  const std::size_t fixed = fixed_width(layout);
  const std::size_t room = width > fixed ? width - fixed : 0;
  const std::size_t fit = series.empty() ? 1 : std::max<std::size_t>(room / widest, 1);
  const std::size_t blocks = std::max<std::size_t>((series.size() + fit - 1) / fit, 1);
  const std::size_t each = (series.size() + blocks - 1) / blocks;  // of about equal width
  for (std::size_t i = 0; i < blocks; ++i) {
    std::vector<std::size_t> columns = layout.columns;
    for (std::size_t k = i * each; k < std::min((i + 1) * each, series.size()); ++k) {
      columns.push_back(series[k]);
    }
    text += (i > 0 ? "\n" : "") + block(layout, columns, width);
  }
  return text;
}

}  // namespace scalesweep::analysis
