// A study without a single feasible point: what came closest.
#pragma once

#include <string>
#include <vector>

#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// Sentences: the point that misses the limits by least, or that holds the largest batch, with its
// coordinates. Empty where a point is feasible, and where the file has no such columns.
std::vector<std::string> closest_points(const store::StudyReader& reader);

}  // namespace scalesweep::analysis
