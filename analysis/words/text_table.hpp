// Aligned columns for a terminal, in as many lines as its width asks for. What becomes of a table
// that is wider than the terminal is decided here, for every command.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/words/text_lines.hpp"

namespace scalesweep::analysis {

class TextTable {
 public:
  enum class Align { left, right };
  // What may become of a column where the table is too wide.
  enum class Role {
    value,   // it stays
    fact,    // may go before the table, where all rows share it
    key,     // says what the row is of: may go there too, or before the rows that share it
    series,  // one of several alike, side by side: they may go on in a block below
    detail,  // as a fact, and may be left out, the last of them first
    name,    // an id or a strategy: may be left out before any detail is
  };

  // Of a table without heads all headers are empty.
  void add_column(std::string header, Align align, Role role = Role::value, std::string units = "");
  // As many cells as there are columns.
  void add_row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // Two blanks between columns, each line indented by two; ends in a line break. What does not fit
  // into `width` (0: any width will do) is tried in turn: heads in several lines, what all rows
  // share told once before the table, further keys told before the rows that share them; names and
  // then details left out, which a line below tells with `way_out` behind it; cells of words in
  // several lines, the last of them below its row; what still stays in blocks, of numbered rows.
  // Nothing breaks but at blanks.
  std::string text(std::size_t width = line_width, std::string_view way_out = "") const;

 private:
  struct Layout;
  struct Widths;

  std::vector<std::size_t> columns_of(Role role) const;
  std::size_t width_of(std::size_t column, bool folded) const;
  std::size_t least_width_of(std::size_t column) const;
  bool is_shared(std::size_t column) const;
  std::string cell_with_units(std::size_t column, std::size_t row) const;
  std::string told(const std::vector<std::size_t>& columns, std::size_t row) const;
  Layout layout_for(std::size_t width) const;
  bool fits(const Layout& layout, std::size_t width) const;
  std::size_t fixed_width(const Layout& layout) const;
  Widths widths_for(const Layout& layout, const std::vector<std::size_t>& columns,
                    std::size_t width) const;
  std::string line_text(const std::vector<std::vector<std::string>>& cells,
                        const std::vector<std::size_t>& columns, const Widths& widths,
                        bool at_end) const;
  std::string head(const std::vector<std::size_t>& columns, const Widths& widths) const;
  std::string block(const Layout& layout, const std::vector<std::size_t>& columns,
                    std::size_t width) const;
  std::string blocks_of_series(const Layout& layout, std::size_t width) const;
  std::string blocks_of_numbered_rows(const Layout& layout, std::size_t width) const;
  std::string record(const Layout& layout, std::size_t width) const;

  std::vector<std::string> headers_;
  std::vector<std::string> units_;
  std::vector<Align> aligns_;
  std::vector<Role> roles_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace scalesweep::analysis
