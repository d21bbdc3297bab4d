// The axes of several studies as those of one. Private to union.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/file/union/input.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::analysis {

struct JoinedAxis {
  store::AxisValues axis;
  // Of each study: the place in `axis` of each of its own values; where it has no such axis, of the
  // one value that all its points have.
  std::vector<std::vector<std::int32_t>> places;
};

// First the axis that names the studies, then those of the first study, and those that others have
// beside them where these have them. Names are the same by themselves, quantities by their values.
// Throws Failure(bad_input) where an axis has other units in another study; names both files.
std::vector<JoinedAxis> joined_axes(const std::vector<Input>& inputs);

// Groups of axes that vary together in each of the studies and still do.
std::string joined_together(const std::vector<Input>& inputs, const std::vector<JoinedAxis>& axes);

}  // namespace scalesweep::analysis
