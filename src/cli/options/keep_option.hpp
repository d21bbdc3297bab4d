// The value of --keep.
#pragma once

#include <string>
#include <vector>

#include "space/spec/spec.hpp"

namespace scalesweep::cli {

// "all", "feasible", "frontier", "best=3", "best=3:logic,memory". Throws Failure(usage) with the
// closest word for a misspelt policy or axis.
space::Keep parse_keep(const std::string& text, const std::vector<space::Axis>& axes);

}  // namespace scalesweep::cli
