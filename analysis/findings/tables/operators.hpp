// What every operator takes on the best points, and what bounds it.
#pragma once

#include <string>

#include "analysis/bottlenecks/result.hpp"

namespace scalesweep::analysis {

// A table for each combination of panels: FLOP, bytes and intensity once, time and bound by value
// of the axis that the study is read along.
std::string operators_text(const AnalysisResult& result, std::size_t width);

}  // namespace scalesweep::analysis
