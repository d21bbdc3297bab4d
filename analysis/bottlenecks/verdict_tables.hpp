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

// One row per question and neighbouring values of an ordered axis between which the best value of
// another axis changes. This and the two below have no schema where they would have no row.
ResultTable axis_flip_table(const StudyLayout& layout, const Verdicts& verdicts);

// One row per question, assumption and direction in which another choice then costs less, nearest
// first.
ResultTable break_even_table(const StudyLayout& layout, const Verdicts& verdicts);

// One row per question and assumption, the largest difference first.
ResultTable tornado_table(const StudyLayout& layout, const Verdicts& verdicts);

// One row per question without its draw and choice, the one that is most often the best first; no
// schema where nothing is drawn.
ResultTable draw_table(const StudyLayout& layout, const Verdicts& verdicts);

// One row per question without its phase and combination of what is chosen that has all phases, the
// best first; and one for each phase of those. No schema where a run has no phases.
ResultTable recipe_table(const StudyLayout& layout, const Verdicts& verdicts);
ResultTable recipe_phase_table(const StudyLayout& layout, const Verdicts& verdicts);

}  // namespace scalesweep::analysis
