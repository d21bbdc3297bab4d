// Rows of a query as an aligned table for a terminal. Private to query_output.
#pragma once

#include <iosfwd>
#include <memory>

#include "analysis/writers/output.hpp"

namespace scalesweep::analysis {

// Names and units in the head; the columns on the right that have no room are left out and named.
std::unique_ptr<RowWriter> make_text_writer(std::ostream& out, const store::StudyReader& reader,
                                            const QueryPlan& plan, const TextStyle& style);

struct TextColumn {
  std::string name;
  std::string units;  // "" for none
  bool right = false;
  std::vector<std::string> cells;
  bool wanted = false;  // what was asked for: the last to be left out
};
// Columns of text under their names and units. Where they are wider than `width` columns (0: any
// width will do) long names are broken after a "_", then columns are left out from the right, and
// a line says which, and the way out.
std::string aligned(const std::vector<TextColumn>& columns, std::size_t width,
                    std::string_view way_out);

inline constexpr std::string_view choose_columns = "choose with --select";

}  // namespace scalesweep::analysis
