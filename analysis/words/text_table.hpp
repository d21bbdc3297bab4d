// Aligned columns for a terminal, in as many lines as its width asks for.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace scalesweep::analysis {

// Columns of a terminal that texts keep within where nothing else is known: one less than the usual
// 80, since some terminals break a line that is full.
inline constexpr std::size_t line_width = 79;

// Columns that a text takes: bytes that continue a character of UTF-8 take none.
std::size_t display_width(const std::string& text);

// With blanks up to `width` columns of a terminal: before it, so that it stands to the right, or
// behind it.
std::string padded(const std::string& text, std::size_t width, bool right);

// Lines indented by two, all but the first by four; ends in a line break.
std::string paragraph(const std::string& text, std::size_t width = line_width);

class TextTable {
 public:
  enum class Align { left, right };
  // What may become of a column where the table is too wide.
  enum class Role {
    value,   // it stays; of the last column, if it is to the left, cells go on in further lines
    fact,    // may go before the table, where all rows share it
    key,     // says what the row is of: may go there too, or before the rows that share it
    series,  // one of several alike, side by side: they may go on in a block below
  };

  void add_column(std::string header, Align align, Role role = Role::value);
  // As many cells as there are columns.
  void add_row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // Two blanks between columns, each line indented by two; ends in a line break. What does not fit
  // is tried in turn: heads in several lines, what all rows share told once before the table,
  // further keys told before the rows that share them, series in blocks.
  std::string text(std::size_t width = line_width) const;

 private:
  struct Layout;

  std::vector<std::size_t> columns_of(Role role) const;
  std::size_t width_of(std::size_t column, bool folded) const;
  bool is_shared(std::size_t column) const;
  std::string told(const std::vector<std::size_t>& columns, std::size_t row) const;
  Layout layout_for(std::size_t width) const;
  bool fits(const Layout& layout, std::size_t width) const;
  std::size_t fixed_width(const Layout& layout) const;
  std::string block(const Layout& layout, const std::vector<std::size_t>& columns,
                    std::size_t width) const;

  std::vector<std::string> headers_;
  std::vector<Align> aligns_;
  std::vector<Role> roles_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace scalesweep::analysis
