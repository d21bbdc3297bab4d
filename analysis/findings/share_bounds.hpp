// A search for shares of budgets that ends at the ranges it was given.
#pragma once

#include <string>
#include <vector>

#include "analysis/bottlenecks/result.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// Sentences: which share of how many best devices is the lowest or highest that [allocate] of the
// spec in the file allows. Empty without a search, and for a file without its spec.
std::vector<std::string> shares_at_bounds(const store::StudyReader& reader,
                                          const AnalysisResult& result);

}  // namespace scalesweep::analysis
