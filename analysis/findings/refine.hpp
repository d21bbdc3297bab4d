// A follow-up study that looks closer at where the bottleneck moves: the spec of the study, with
// new values on the axis between those at which it moves.
#pragma once

#include <string>
#include <vector>

#include "analysis/bottlenecks/result.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

struct RefinedSpec {
  std::string text;                // a spec that `run` takes
  std::vector<std::string> added;  // the new values, as the spec has them
};

// Of the spec in the file, as the user wrote it: only the list of the axis grows, by three values
// between each two neighbours at which the dominant group changes, in equal ratios; integers are
// rounded, to multiples of what divides both where they are far enough apart, and none is added
// that is there. Throws Failure(bad_input) with the way out: for an axis of names, which have
// nothing in between; where nothing changes; for a file without its spec; where the spec cannot be
// extended as text.
RefinedSpec refine_spec(const store::StudyReader& reader, const AnalysisResult& result);

}  // namespace scalesweep::analysis
