// Rows of a query as an aligned table for a terminal. Private to output.
#pragma once

#include <iosfwd>
#include <memory>

#include "analysis/writers/row_writer.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// Names and units in the head; the columns on the right that have no room are left out and named.
std::unique_ptr<RowWriter> make_text_writer(std::ostream& out, const store::StudyReader& reader,
                                            const QueryPlan& plan, const TextStyle& style);

}  // namespace scalesweep::analysis
