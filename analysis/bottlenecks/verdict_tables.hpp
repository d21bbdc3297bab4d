// Result tables of verdicts.
#pragma once

#include "analysis/bottlenecks/result.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/verdict/verdict.hpp"

namespace scalesweep::analysis {

// One row per question. Of one without an answer numbers are NaN, ids and names -1, which stands
// for none.
ResultTable verdict_table(const StudyLayout& layout, const Verdicts& verdicts);

// One row per question and runner-up, nearest first.
ResultTable runner_up_table(const StudyLayout& layout, const Verdicts& verdicts);

}  // namespace scalesweep::analysis
