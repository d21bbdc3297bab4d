// Where the rows of a query go.
#pragma once

#include <string>

#include "analysis/query/options.hpp"
#include "core/documents/csv_texts.hpp"
#include "core/enum_names.hpp"
#include "store/read/table.hpp"

namespace scalesweep::analysis {

class RowWriter {
 public:
  virtual ~RowWriter() = default;
  // Of the columns of a query, as they are stored.
  virtual void add(const store::Table& rows) = 0;
  virtual void finish(const QueryCounts& counts) = 0;
};

// Where a CSV file says of which units its columns are: nowhere, in a second line of its head, or
// in a file beside it (csv_metadata.hpp).
enum class CsvUnits { none, row, beside };
inline constexpr auto csv_units_names = enum_names<CsvUnits>("none", "row", "beside");

struct TextStyle {
  std::size_t width = 0;        // columns of the terminal; 0: as wide as it gets
  bool short_strategy = false;  // one column for all of a strategy: "TP8 PP16 DP8"
  CsvUnits units = CsvUnits::none;
  CsvTexts texts = CsvTexts::plain;
};

// "20 of 1,234 rows that match, ..." without a line break.
std::string counts_text(const QueryPlan& plan, const QueryCounts& counts);

}  // namespace scalesweep::analysis
