// A table over two columns of a study: for each pair of their values the least, mean, greatest or
// median value of a third, or how many rows there are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/selection/rows.hpp"
#include "core/documents/csv_texts.hpp"
#include "store/read/reader.hpp"
#include "store/read/table.hpp"

namespace scalesweep::analysis {

enum class PivotStatistic { min, mean, max, count, median };

struct PivotOptions {
  RowFilter rows;
  std::string down;    // column whose values make the rows
  std::string across;  // and the columns
  std::string value;   // may be empty with count
  PivotStatistic with = PivotStatistic::min;
};

struct PivotTable {
  std::string down, across, value;                      // names of columns
  std::string units;                                    // of the values; "" for counts
  std::vector<std::string> down_labels, across_labels;  // in the order of their values
  std::vector<double> values;        // down x across; NaN where there is no value
  std::vector<std::int64_t> counts;  // values that each is of
  RowCounts rows;
  std::vector<std::string> notes;  // sentences on what it is of
};

// Memory is that of the table; of medians also 8 bytes for each selected row. Throws
// Failure(bad_input) for columns that are not there, that hold no numbers, or that have too many
// different values.
PivotTable pivot(const store::StudyReader& reader, const PivotOptions& options);

// For a terminal of `width` columns (0: as wide as it gets).
std::string pivot_text(const PivotTable& table, std::size_t width);
// One line for each row of the table, a field for each column.
std::string pivot_csv(const PivotTable& table, CsvTexts texts = CsvTexts::plain);
// A list of objects, one for each pair that has values.
std::string pivot_json(const PivotTable& table);

}  // namespace scalesweep::analysis
