// Results for the terminal: aligned text, CSV or JSON.
#pragma once

#include <string>

#include "analysis/bottlenecks/result.hpp"
#include "analysis/words/format.hpp"
#include "analysis/words/text_table.hpp"

namespace scalesweep::analysis {

// `width`: columns that tables of text keep within.
std::string format_analysis(const AnalysisResult& result, Format format,
                            std::size_t width = line_width);

}  // namespace scalesweep::analysis
