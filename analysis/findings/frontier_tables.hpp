// Result tables of frontiers.
#pragma once

#include <cstdint>

#include "analysis/file/layout.hpp"
#include "analysis/findings/analyze.hpp"
#include "analysis/frontier/frontier.hpp"
#include "analysis/frontier/shown_members.hpp"

namespace scalesweep::analysis {

// What a frontier tells of each member: rank where more than one is asked for, beyond_doubt where
// the study has error bars, knee and crowding.
store::Schema member_schema(std::int32_t ranks, bool error_bars);

// That of all members, groups one after the other.
store::Table member_table(const FrontierResult& frontiers);

// Adds it to the rows of all members, and which of them pictures show.
void add_frontier_columns(ResultTable& members, const FrontierResult& frontiers,
                          const std::vector<ShownFrontier>& shown);

// One row per group: `per`, the columns that tell groups apart, then its sizes and measures.
// `members` is the table above.
ResultTable frontier_group_table(const StudyLayout& layout, const std::vector<std::string>& per,
                                 const FrontierResult& frontiers,
                                 const std::vector<ShownFrontier>& shown,
                                 const ResultTable& members);

}  // namespace scalesweep::analysis
