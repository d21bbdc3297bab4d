// What several studies keep of their points, as one rule. Private to union.
#pragma once

#include <string>
#include <vector>

#include "analysis/file/union/input.hpp"
#include "analysis/file/union/joined_axes.hpp"

namespace scalesweep::analysis {

// The rule of which all studies keep at least the points: of each study, and of each combination of
// the axes that make groups in all of them or have one value in a study. A text that is no rule
// where there is none, as of a best and a frontier or of other objectives; readers then say that
// they do not know what was dropped.
std::string joined_keep(const std::vector<Input>& inputs, const std::vector<JoinedAxis>& axes);

}  // namespace scalesweep::analysis
