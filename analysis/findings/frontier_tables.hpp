// Result tables of frontiers.
#pragma once

#include "analysis/bottlenecks/result.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/frontier/result.hpp"
#include "analysis/frontier/shown_members.hpp"

namespace scalesweep::analysis {

// Adds the columns of member_table to the rows of all members, and which of them pictures show.
void add_frontier_columns(ResultTable& members, const FrontierResult& frontiers,
                          const std::vector<ShownFrontier>& shown);

// One row per group: `per`, the columns that tell groups apart, then its sizes and measures.
// `members` is the table above.
ResultTable frontier_group_table(const StudyLayout& layout, const std::vector<std::string>& per,
                                 const FrontierResult& frontiers,
                                 const std::vector<ShownFrontier>& shown,
                                 const ResultTable& members);

}  // namespace scalesweep::analysis
