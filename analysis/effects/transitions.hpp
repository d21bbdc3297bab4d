// Where, along one axis, the limit of the best strategy changes.
#pragma once

#include <vector>

#include "analysis/bottlenecks/result.hpp"
#include "analysis/bottlenecks/steps.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/verdict/attribution.hpp"

namespace scalesweep::analysis {

// Of every row of a table that has share_<resource> columns.
std::vector<Attribution> attributions(const ResultTable& table, const Resources& resources);

// One row per change of the dominant group or resource: the shares on both sides, where the one
// overtakes the other (attribution.hpp says how that is interpolated) in steps of the axis and in
// the quantity that varies, the range of that within the error bars, and whether it is firm.
ResultTable transition_table(const StudyLayout& layout, const Resources& resources,
                             const ResultTable& best, const std::vector<Path>& paths);

}  // namespace scalesweep::analysis
