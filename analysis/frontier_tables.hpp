// Result tables of frontiers.
#pragma once

#include "analysis/analyze.hpp"
#include "analysis/frontier.hpp"
#include "analysis/layout.hpp"

namespace scalesweep::analysis {

// Adds to the rows of all members, groups one after the other, what is known of each: beyond_doubt
// where the study has error bars, knee and crowding.
void add_frontier_columns(ResultTable& members, const FrontierResult& frontiers);

// One row per group: `per`, the columns that tell groups apart, then its sizes and measures.
// `members` is the table above.
ResultTable frontier_group_table(const StudyLayout& layout, const std::vector<std::string>& per,
                                 const FrontierResult& frontiers, const ResultTable& members);

}  // namespace scalesweep::analysis
