// Phase diagrams: what limits the best strategy over the plane of two axes.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/bottlenecks/result.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/verdict/attribution.hpp"

namespace scalesweep::analysis {

// The two axes of the plane: those that `wanted` names, or else the axis along which the study is
// read and the first of the others that varies, technology before what is asked. Empty where fewer
// than two vary. Throws Failure(bad_input) for names that are no axes.
std::vector<std::size_t> phase_axes(const StudyLayout& layout,
                                    const std::vector<std::string>& wanted);

// One row per cell of the plane and combination of the other varying axes: the best point, what
// dominates it, and where on the way to the next cell along each of the two axes another group
// takes over (crossing_<axis>, in steps of the axis; NaN where none does). `best_rows` by cell of
// `grid`: rows of `best`, -1 where nothing is feasible; then point_id is -1 and dominant_group
// "none".
ResultTable phase_table(const StudyLayout& layout, const std::vector<std::size_t>& axes,
                        const Resources& resources, const ResultTable& best, const Grid& grid,
                        const std::vector<std::int64_t>& best_rows);

}  // namespace scalesweep::analysis
