// Which axes and which fields of a strategy matter at all: Sobol indices of the logarithm of the
// best time, exactly, over all combinations (factorial.hpp).
#pragma once

#include <string>
#include <vector>

#include "analysis/bottlenecks/result.hpp"
#include "analysis/effects/strategies.hpp"
#include "analysis/file/study_layout.hpp"

namespace scalesweep::analysis {

struct Effects {
  ResultTable effects;             // one row per axis, then per field of the strategy
  ResultTable interactions;        // one row per pair of axes
  std::vector<std::string> notes;  // what was left out, and why
};

// `better` by cell of `grid`: what the best strategy comes to there; infinity where nothing is
// feasible. Every level weighs the same, and levels stay in the study as they were chosen: an axis
// with a wider range matters more. Combinations that are missing make levels fall out
// (complete_part), which is noted; where then fewer than two factors vary, indices have nothing to
// compare: they are NaN, which is noted too. A field of the strategy is one more factor beside all
// axes: the best time with the field at each of its values.
Effects effects_of(const StudyLayout& layout, const Grid& grid, const std::vector<double>& better,
                   const std::vector<FieldBests>& fields);

}  // namespace scalesweep::analysis
