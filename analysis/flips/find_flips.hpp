// Where the answers of a study would be others: between values of its axes, and at other prices.
//
//   Verdicts verdicts = find_verdicts(reader, layout, per, where);
//   find_flips(reader, layout, where, verdicts);
#pragma once

#include <string>

#include "analysis/file/study_layout.hpp"
#include "analysis/verdict/verdict.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// Fills axis_flips, break_evens, tornado and flips of the answers, which find_verdicts found with
// the same condition. Assumptions are priced again where the file has the parts of the cost and
// what is assumed; break-evens where the cost of a million tokens is what is minimised, which takes
// one more pass over the feasible rows.
void find_flips(const store::StudyReader& reader, const StudyLayout& layout,
                const std::string& where, Verdicts& verdicts);

}  // namespace scalesweep::analysis
