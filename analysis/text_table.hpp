// Aligned columns for a terminal.
#pragma once

#include <string>
#include <vector>

namespace scalesweep::analysis {

// Columns of a terminal that texts keep within.
inline constexpr std::size_t line_width = 79;

// Lines indented by two, all but the first by four; ends in a line break.
std::string paragraph(const std::string& text);

class TextTable {
 public:
  enum class Align { left, right };

  void add_column(std::string header, Align align);
  // As many cells as there are columns.
  void add_row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // Two blanks between columns, each line indented by two; ends in a line break.
  std::string text() const;

 private:
  std::vector<std::string> headers_;
  std::vector<Align> aligns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace scalesweep::analysis
