// What changed between two studies: what they are made of, which points they have in common and
// how far these differ, and what becomes of the answers.
//
// Points are matched by what they are, the values of axes and the strategy, not by their ids, which
// shift when an axis gets another value. Memory grows with the number of rows: some 60 bytes each.
#pragma once

#include <string>

#include "analysis/diff/result.hpp"
#include "analysis/file/reading.hpp"

namespace scalesweep::analysis {

struct DiffOptions {
  bool answers = true;  // analyse both studies and compare
  ReadingOptions reading = {};
};

// Throws Failure as StudyReader does.
StudyDiff diff_studies(const std::string& from, const std::string& to, const DiffOptions& options);

}  // namespace scalesweep::analysis
