// Rows of a query as an aligned table for a terminal. Private to query_output.
#pragma once

#include <iosfwd>
#include <memory>

#include "analysis/query_output.hpp"

namespace scalesweep::analysis {

// Names and units in the head; the columns on the right that have no room are left out and named.
std::unique_ptr<RowWriter> make_text_writer(std::ostream& out, const store::StudyReader& reader,
                                            const QueryPlan& plan, const TextStyle& style);

// Columns of text with one or two lines of head, cut to `width` columns (0: not at all), and a line
// that names what was cut.
struct TextColumn {
  std::string name;
  std::string units;  // "" for none
  bool right = false;
  std::vector<std::string> cells;
};
std::string aligned(const std::vector<TextColumn>& columns, std::size_t width);

}  // namespace scalesweep::analysis
