// Cells of one row of a case file as values. Every mistake goes to the diagnostics with its file,
// line and column; the first one of a row makes the row unusable.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "catalog/catalog.hpp"
#include "core/diagnostic.hpp"
#include "core/documents/csv_table.hpp"
#include "keys/row.hpp"
#include "technology/precision.hpp"

namespace scalesweep::validation {

class RowReader {
 public:
  RowReader(const CsvTable& table, std::size_t row, const catalog::Catalog& catalog,
            Diagnostics& diagnostics);

  const std::string& text(std::string_view column) const { return table_.cell(row_, column); }
  bool has(std::string_view column) const { return !text(column).empty(); }
  // Whether the table has the column, filled here or not.
  bool knows(std::string_view column) const { return table_.has(column); }

  // A positive number; nothing where the cell is empty.
  std::optional<double> number(std::string_view column);
  // The same, where an empty cell is a mistake; 1 then.
  double required_number(std::string_view column);
  // A whole number; an empty cell is `otherwise`, and a mistake if there is none.
  std::int64_t integer(std::string_view column, std::optional<std::int64_t> otherwise,
                       std::int64_t at_least = 1);
  bool boolean(std::string_view column, bool otherwise);
  technology::Precision precision(std::string_view column, technology::Precision otherwise);
  // Which of `words` the cell is; 0 where it is empty.
  std::size_t choice(std::string_view column, std::span<const std::string_view> words);
  // The canonical name of a name of the catalog; "" and an error if it is unknown or missing.
  std::string entry(std::string_view column, catalog::Section section);

  // Columns that are keys of [workload] of a spec: checked as their rows say, and set in the job
  // where the cell is not empty.
  template <typename Job>
  void read_keys(Job& job, std::initializer_list<std::string_view> columns) {
    for (const std::string_view column : columns) {
      read_key(&job, keys::target_of<Job>, column);
    }
  }

  const catalog::Catalog& catalog() const { return catalog_; }

  void error(std::string_view column, const std::string& message);
  bool good() const { return problem_.empty(); }
  // The first mistake, "column: what is wrong"; "" if there is none.
  const std::string& problem() const { return problem_; }

 private:
  void read_key(void* job, keys::Target target, std::string_view column);
  // The value that a key takes; nothing where the cell is empty or has a mistake.
  std::optional<std::pair<std::string, double>> value_of(const config::Key& key);

  const CsvTable& table_;
  std::size_t row_;
  const catalog::Catalog& catalog_;
  Diagnostics& diagnostics_;
  std::string problem_;
  int mistakes_ = 0;
};

// Reports each of `columns` that the table does not have; true if it has them all.
bool has_columns(const CsvTable& table, std::span<const std::string_view> columns,
                 Diagnostics& diagnostics);

}  // namespace scalesweep::validation
