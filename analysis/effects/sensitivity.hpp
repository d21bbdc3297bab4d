// What an improvement of one resource would save at each best point, and which is the next to make.
#pragma once

#include "analysis/bottlenecks/result.hpp"
#include "analysis/bottlenecks/steps.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/verdict/attribution.hpp"

namespace scalesweep::analysis {

// One row per point of `best` and resource: its elasticity, which is its share of the time (Euler's
// theorem: work fixed, the time is homogeneous of degree one in inverse rates and latencies), what
// 10 % more of it saves with the strategy held (gain_of_ten_percent: first order, and a lower
// bound on what the best of all strategies would gain once its own charges scale so), and its rank.
ResultTable sensitivity_table(const StudyLayout& layout, const Resources& resources,
                              const ResultTable& best);

// One row per resource, over all best points: the mean and the largest gain, and at how many of
// them it is the one that gains most, the next improvement.
ResultTable improvement_table(const StudyLayout& layout, const Resources& resources,
                              const ResultTable& best);

// The same for every combination of panels; without a schema where there is only one.
ResultTable panel_improvement_table(const StudyLayout& layout, const Resources& resources,
                                    const ResultTable& best, const std::vector<Path>& paths);

}  // namespace scalesweep::analysis
