// Exact Pareto frontiers of a study, one for each group of its points, in one pass over its chunks
// by several threads. Memory grows with the frontiers, not with the study.
//
//   FrontierRequest request;
//   request.objectives = {{"step_time", Direction::minimize}, {"capital_cost"}};
//   request.where = "tensor_parallel <= 8";
//   request.per = {"model"};
//   FrontierResult result = find_frontier(reader, request);
#pragma once

#include "analysis/frontier/result.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// Throws Failure(bad_input) in the user's terms: a column that is not there (with a suggestion),
// has no order or is named twice; a condition that no feasible point fulfils; an objective that is
// NaN for all of them (refuse_missing). Failure(io) for damage. An objective that is constant is
// noted.
FrontierResult find_frontier(const store::StudyReader& reader, const FrontierRequest& request);

}  // namespace scalesweep::analysis
