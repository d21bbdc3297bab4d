// What every operator takes on the best points, and what bounds it.
#pragma once

#include <string>

#include "analysis/bottlenecks/result.hpp"
#include "analysis/file/study_layout.hpp"

namespace scalesweep::analysis {

// One row per best point and operator; without a schema where the study has no such columns.
ResultTable operator_table(const StudyLayout& layout, const ResultTable& best);

// A table for each combination of panels: FLOP, bytes and intensity once, time and bound by value
// of the axis that the study is read along.
std::string operators_text(const AnalysisResult& result, std::size_t width);

}  // namespace scalesweep::analysis
