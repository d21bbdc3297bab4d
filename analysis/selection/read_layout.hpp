// What a study holds, found out from its file and from what is asked of it.
#pragma once

#include <string>
#include <vector>

#include "analysis/file/study_layout.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

struct LayoutOptions {
  std::string along = {};                  // axes; empty: logic, or else the first that varies
  std::vector<Objective> objectives = {};  // empty: those of the study
  std::string where = {};                  // a condition over columns; empty: all rows
  ReadingOptions reading = {};
};

// Throws Failure(bad_input) in the user's terms: what is missing or unknown, and what there is.
StudyLayout read_layout(const store::StudyReader& reader, const LayoutOptions& options);

}  // namespace scalesweep::analysis
