// The frontier for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/bottlenecks/result.hpp"

namespace scalesweep::analysis {

// A few members that stand for all, what they are, and how far they do; "" for an empty frontier.
std::string frontier_text(const AnalysisResult& result, std::size_t width);

}  // namespace scalesweep::analysis
