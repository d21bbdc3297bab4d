// A comparison of two studies for people and programs.
#pragma once

#include <string>

#include "analysis/diff/result.hpp"

namespace scalesweep::analysis {

// For a terminal of `width` columns (0: as wide as it gets).
std::string diff_text(const StudyDiff& diff, const std::string& from, const std::string& to,
                      std::size_t width);
std::string diff_json(const StudyDiff& diff, const std::string& from, const std::string& to);

}  // namespace scalesweep::analysis
