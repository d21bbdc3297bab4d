// What becomes of the answers: members of the frontier, best strategies and transitions that one of
// two studies has. Private to diff.
#pragma once

#include <string>

#include "analysis/diff/match.hpp"
#include "analysis/diff/result.hpp"
#include "analysis/file/reading.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// Analyses both; where that cannot be done a note says why.
void compare_answers(const std::string& from, const std::string& to,
                     const store::StudyReader& before, const store::StudyReader& after,
                     const Matching& matching, const ReadingOptions& how, StudyDiff& diff);

}  // namespace scalesweep::analysis
