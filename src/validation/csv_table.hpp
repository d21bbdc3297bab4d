// A CSV file with a header line (RFC 4180, by libcsv): cells by column name, each with its place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"

namespace scalesweep::validation {

class CsvTable {
 public:
  // Nothing, with a diagnostic, if the text is no CSV or has no header.
  static std::optional<CsvTable> parse(const std::string& file, const std::string& text,
                                       Diagnostics& diagnostics);

  std::size_t rows() const { return rows_.size(); }
  bool has(std::string_view column) const;
  const std::vector<std::string>& columns() const { return columns_; }
  // "" for an absent column or an empty cell.
  const std::string& cell(std::size_t row, std::string_view column) const;
  // Line of the row and position of the column's field in it (counted in fields from 1).
  SourcePosition position(std::size_t row, std::string_view column) const;
  SourcePosition header_position() const { return {file_, 1, 1}; }

 private:
  std::string file_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<int> lines_;
};

}  // namespace scalesweep::validation
