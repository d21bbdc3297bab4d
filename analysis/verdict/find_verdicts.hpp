// The verdicts of a study: one pass over its rows, then the few that are told.
//
//   const store::StudyReader reader("quick.h5");
//   const StudyLayout layout = read_layout(reader, {});
//   const Verdicts verdicts = find_verdicts(reader, layout, questions_of(layout), "");
#pragma once

#include <string>
#include <vector>

#include "analysis/file/study_layout.hpp"
#include "analysis/verdict/verdict.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// Columns whose combinations of values are questions where nobody names others.
std::vector<std::string> questions_of(const StudyLayout& layout);

// By the first objective of the layout. `per`: columns of integers or names; `where`: a condition,
// whose other rows are as if they were not in the study.
Verdicts find_verdicts(const store::StudyReader& reader, const StudyLayout& layout,
                       const std::vector<std::string>& per, const std::string& where);

}  // namespace scalesweep::analysis
