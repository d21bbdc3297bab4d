#include "analysis/words/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/contracts.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

constexpr std::size_t gap = 2;            // before every column
constexpr std::size_t few_series = 3;     // side by side, before keys go elsewhere
constexpr std::size_t least_folded = 20;  // columns for a cell that goes on in further lines
constexpr std::size_t hanging = 6;        // blanks before a cell that stands below its row

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

// Of the first `count` columns the last where it may be narrower, since lines below each other are
// easiest to read there; else the widest that may. `count` for none.
std::size_t next_to_fold(const std::vector<std::size_t>& widths,
                         const std::vector<std::size_t>& least, std::size_t count) {
  std::size_t next = count;
  for (std::size_t i = 0; i < count; ++i) {
    const bool may = widths[i] > least[i];
    if (may && (next == count || i + 1 == count || widths[i] > widths[next])) {
      next = i;
    }
  }
  return next;
}

}  // namespace

// Where the columns go.
struct TextTable::Layout {
  bool folded = false;                // heads in several lines
  std::vector<std::size_t> before;    // told once, before the table
  std::vector<std::size_t> headings;  // keys told before the rows that share them
  std::vector<std::size_t> left_out;
  std::vector<std::size_t> columns;  // the others, but series
};

// How wide columns that stand side by side are.
struct TextTable::Widths {
  std::vector<std::size_t> of;
  bool last_hangs = false;  // below its row
  bool fit = true;
};

void TextTable::add_column(std::string header, Align align, Role role, std::string units) {
  headers_.push_back(std::move(header));
  units_.push_back(std::move(units));
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
  const std::string& header = headers_[column];
  std::size_t width = std::max(folded ? longest_word(header) : display_width(header),
                               display_width(units_[column]));
  for (const std::vector<std::string>& row : rows_) {
    width = std::max(width, display_width(row[column]));
  }
  return width;
}

// Of a column whose cells may go on in further lines; else all of its width.
std::size_t TextTable::least_width_of(std::size_t column) const {
  const std::size_t width = width_of(column, true);
  if (aligns_[column] == Align::right) {
    return width;
  }
  std::size_t least = std::max(std::min(width, least_folded), longest_word(headers_[column]));
  for (const std::vector<std::string>& row : rows_) {
    least = std::max(least, longest_word(row[column]));
  }
  return least;
}

bool TextTable::is_shared(std::size_t column) const {
  return std::all_of(rows_.begin(), rows_.end(), [&](const std::vector<std::string>& row) {
    return row[column] == rows_.front()[column];
  });
}

std::string TextTable::cell_with_units(std::size_t column, std::size_t row) const {
  const std::string& units = units_[column];
  return units.empty() ? rows_[row][column] : fmt::format("{} {}", rows_[row][column], units);
}

// "model llama-3-70b, accelerators 8"
std::string TextTable::told(const std::vector<std::size_t>& columns, std::size_t row) const {
  std::vector<std::string> parts;
  for (const std::size_t column : columns) {
    parts.push_back(headers_[column] + " " + cell_with_units(column, row));
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
  // Moves columns in their order, as long as that is needed and some are left.
  const auto move = [&](const std::vector<std::size_t>& some, std::vector<std::size_t>& into) {
    for (const std::size_t column : some) {
      const auto found = std::find(layout.columns.begin(), layout.columns.end(), column);
      if (found != layout.columns.end() && layout.columns.size() > 1 && !fits(layout, width)) {
        into.push_back(column);
        layout.columns.erase(found);
      }
    }
  };
  std::vector<std::size_t> shared;
  for (std::size_t column = 0; rows_.size() > 1 && column < roles_.size(); ++column) {
    const bool movable = roles_[column] != Role::value && roles_[column] != Role::series;
    if (movable && is_shared(column)) {
      shared.push_back(column);
    }
  }
  move(shared, layout.before);
  move(columns_of(Role::key), layout.headings);
  move(columns_of(Role::name), layout.left_out);
  std::vector<std::size_t> details = columns_of(Role::detail);
  std::reverse(details.begin(), details.end());
  move(details, layout.left_out);
  std::sort(layout.left_out.begin(), layout.left_out.end());
  return layout;
}

TextTable::Widths TextTable::widths_for(const Layout& layout,
                                        const std::vector<std::size_t>& columns,
                                        std::size_t width) const {
  Widths widths;
  std::vector<std::size_t> least;
  std::size_t used = 0;
  for (const std::size_t column : columns) {
    widths.of.push_back(width_of(column, layout.folded));
    least.push_back(std::min(least_width_of(column), widths.of.back()));
    used += gap + widths.of.back();
  }
  const auto fold = [&](std::size_t count) {
    for (std::size_t i = 0; used > width && i < count;) {
      i = next_to_fold(widths.of, least, count);
      if (i < count) {
        const std::size_t less = std::min(used - width, widths.of[i] - least[i]);
        widths.of[i] -= less;
        used -= less;
      }
    }
  };
  const std::vector<std::size_t> natural = widths.of;
  fold(columns.size());
  const bool can_hang = columns.size() > 1 && least.back() < natural.back();
  if (used > width && can_hang) {
    widths.last_hangs = true;
    widths.of = natural;
    used = 0;
    for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
      used += gap + widths.of[i];
    }
    widths.of.back() = width > hanging ? width - hanging : 1;
    fold(columns.size() - 1);
  }
  widths.fit = used <= width;
  return widths;
}

// A row of cells; a cell that hangs stands below the others.
std::string TextTable::line_text(const std::vector<std::vector<std::string>>& cells,
                                 const std::vector<std::size_t>& columns, const Widths& widths,
                                 bool at_end) const {
  std::vector<std::vector<std::string>> side_by_side = cells;
  std::vector<Align> aligns;
  for (const std::size_t column : columns) {
    aligns.push_back(aligns_[column]);
  }
  std::string below;
  if (widths.last_hangs) {
    for (const std::string& line : side_by_side.back()) {
      below += line.empty() ? "" : std::string(hanging, ' ') + line + "\n";
    }
    side_by_side.pop_back();
  }
  return lines_text(side_by_side, widths.of, aligns, at_end) + below;
}

std::string TextTable::head(const std::vector<std::size_t>& columns, const Widths& widths) const {
  const auto all_empty = [&](const std::vector<std::string>& texts) {
    return std::all_of(columns.begin(), columns.end(),
                       [&](std::size_t column) { return texts[column].empty(); });
  };
  if (all_empty(headers_)) {
    return "";
  }
  std::vector<std::vector<std::string>> names;
  std::vector<std::vector<std::string>> units;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    names.push_back(lines_of(headers_[columns[i]], widths.of[i]));
    units.push_back({units_[columns[i]]});
  }
  return line_text(names, columns, widths, true) +
         (all_empty(units_) ? "" : line_text(units, columns, widths, true));
}

std::string TextTable::block(const Layout& layout, const std::vector<std::size_t>& columns,
                             std::size_t width) const {
  const Widths widths = widths_for(layout, columns, width);
  std::string text = head(columns, widths);
  std::vector<std::vector<std::string>> cells(columns.size());
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (!layout.headings.empty() &&
        (row == 0 || told(layout.headings, row) != told(layout.headings, row - 1))) {
      text += paragraph(told(layout.headings, row) + ":", width);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      cells[i] = lines_of(rows_[row][columns[i]], widths.of[i]);
    }
    text += line_text(cells, columns, widths, false);
  }
  return text;
}

std::string TextTable::blocks_of_series(const Layout& layout, std::size_t width) const {
  const std::vector<std::size_t> series = columns_of(Role::series);
  std::size_t widest = 0;
  for (const std::size_t column : series) {
    widest = std::max(widest, gap + width_of(column, layout.folded));
  }
  const std::size_t fixed = fixed_width(layout);
  const std::size_t room = width > fixed ? width - fixed : 0;
  const std::size_t fit = std::max<std::size_t>(room / widest, 1);
  const std::size_t blocks = (series.size() + fit - 1) / fit;
  const std::size_t each = (series.size() + blocks - 1) / blocks;  // of about equal width
  std::string text;
  for (std::size_t i = 0; i < blocks; ++i) {
    std::vector<std::size_t> columns = layout.columns;
    for (std::size_t k = i * each; k < std::min((i + 1) * each, series.size()); ++k) {
      columns.push_back(series[k]);
    }
    text += (i > 0 ? "\n" : "") + block(layout, columns, width);
  }
  return text;
}

// As many columns as there is room for beside the number of the row, the others below.
std::string TextTable::blocks_of_numbered_rows(const Layout& layout, std::size_t width) const {
  const std::string number_name = "row";
  const std::size_t number_width =
      std::max(number_name.size(), std::to_string(rows_.size()).size());
  std::string text;
  for (std::size_t first = 0; first < layout.columns.size();) {
    TextTable part;
    part.add_column(number_name, Align::right);
    std::vector<std::size_t> columns;
    std::size_t used = gap + number_width;
    for (std::size_t i = first; i < layout.columns.size(); ++i) {
      const std::size_t column = layout.columns[i];
      used += gap + width_of(column, layout.folded);
      if (!columns.empty() && used > width) {
        break;
      }
      columns.push_back(column);
      part.add_column(headers_[column], aligns_[column], Role::value, units_[column]);
    }
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      std::vector<std::string> cells = {std::to_string(row + 1)};
      for (const std::size_t column : columns) {
        cells.push_back(rows_[row][column]);
      }
      part.add_row(std::move(cells));
    }
    text += (first > 0 ? "\n" : "") + part.text(width);
    first += columns.size();
  }
  return text;
}

// The one row there is, a line for each of its cells.
std::string TextTable::record(const Layout& layout, std::size_t width) const {
  TextTable lines;
  lines.add_column("", Align::left);
  lines.add_column("", Align::left);
  for (const std::size_t column : layout.columns) {
    lines.add_row({headers_[column], cell_with_units(column, 0)});
  }
  return lines.text(width);
}

std::string TextTable::text(std::size_t width, std::string_view way_out) const {
  width = width == 0 ? std::numeric_limits<std::size_t>::max() : width;
  const Layout layout = layout_for(width);
  std::string text;
  if (!layout.before.empty()) {
    text += paragraph(told(layout.before, 0) + ":", width);
  }
  constexpr std::size_t few_columns = 2;  // no block has fewer
  const bool must_go_on = layout.columns.size() > few_columns && layout.headings.empty() &&
                          !widths_for(layout, layout.columns, width).fit;
  if (!columns_of(Role::series).empty()) {
    text += blocks_of_series(layout, width);
  } else if (must_go_on && rows_.size() == 1) {
    text += record(layout, width);
  } else {
    text +=
        must_go_on ? blocks_of_numbered_rows(layout, width) : block(layout, layout.columns, width);
  }
  std::vector<std::string> left_out;
  for (const std::size_t column : layout.left_out) {
    left_out.push_back(headers_[column]);
  }
  return left_out.empty()
             ? text
             : text +
                   paragraph(fmt::format("left out: {}; {}", join(left_out, ", "), way_out), width);
}

}  // namespace scalesweep::analysis
