// Tables without a view of their own for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/bottlenecks/result.hpp"

namespace scalesweep::analysis {

// A section for each that is seen everywhere and has rows: its title and what it is of, its first
// rows with their units, how many more there are.
std::string plain_tables_text(const AnalysisResult& result, std::size_t width);

}  // namespace scalesweep::analysis
