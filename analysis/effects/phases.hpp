// The axes of phase diagrams: what limits the best strategy over the plane of two of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/file/study_layout.hpp"

namespace scalesweep::analysis {

// The two axes of the plane: those that `wanted` names, or else the axis along which the study is
// read and the first of the others that varies, technology before what is asked. Both are axes of
// the cells whose best points are known, and do not advance together. Empty where there are no
// such two. Throws Failure(bad_input) for names that are none.
std::vector<std::size_t> phase_axes(const StudyLayout& layout,
                                    const std::vector<std::string>& wanted);

}  // namespace scalesweep::analysis
