// The value of --keep.
#pragma once

#include <string>
#include <vector>

#include "space/read/spec.hpp"

namespace scalesweep::cli {

// "all", "feasible", "frontier", "best=3", "best=3:logic,memory". Throws Failure(usage) with the
// closest word for a misspelt policy or axis.
space::Keep parse_keep(const std::string& text, const std::vector<space::Axis>& axes);

// The value of --counts for a policy: "exact" or "bounded". Throws Failure(usage) where the policy
// has nothing to skip.
space::Counts parse_counts(const std::string& text, const space::Keep& keep);

}  // namespace scalesweep::cli
