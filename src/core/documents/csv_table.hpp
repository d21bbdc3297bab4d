// A CSV file with a header line (RFC 4180, by libcsv): cells by column name, each with its place.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"

namespace scalesweep {

class CsvTable {
 public:
  // Nothing, with a diagnostic, if the text is no CSV or has no header.
  static std::optional<CsvTable> parse(const std::string& file, const std::string& text,
                                       Diagnostics& diagnostics);

  const std::string& file() const { return file_; }
  // Rows with too many or too few fields are among them: cut or filled up to the header's columns,
  // reported when they were read, and marked by problem().
  std::size_t rows() const { return rows_.size(); }
  bool has(std::string_view column) const;
  const std::vector<std::string>& columns() const { return columns_; }
  // "" for an absent column or an empty cell.
  const std::string& cell(std::size_t row, std::string_view column) const;
  const std::vector<std::string>& fields(std::size_t row) const { return rows_[row]; }
  // Why the row as a whole cannot be used; "" if it can.
  const std::string& problem(std::size_t row) const { return problems_[row]; }
  // Line of the row and position of the column's field in it (counted in fields from 1).
  SourcePosition position(std::size_t row, std::string_view column) const;
  SourcePosition header_position() const { return {file_, 1, 1}; }

 private:
  friend class CsvReader;

  std::string file_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::string> problems_;
  std::vector<int> lines_;
};

// The same, some rows at a time, of a file that need not fit into memory.
class CsvReader {
 public:
  // `text` outlives it.
  CsvReader(std::string file, std::istream& text);
  ~CsvReader();
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  // The next rows, at most so many, below the header; none at the end, the first time too where
  // there are none at all. Nothing, with a diagnostic, where the text is no CSV or has no header.
  std::optional<CsvTable> next(std::size_t most, Diagnostics& diagnostics);

 private:
  struct Parser;

  bool read_records(std::size_t wanted);

  std::string file_;
  std::istream& text_;
  std::unique_ptr<Parser> parser_;
  std::optional<std::vector<std::string>> columns_;
};

}  // namespace scalesweep
