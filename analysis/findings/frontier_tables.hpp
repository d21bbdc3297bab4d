// Result tables of frontiers.
#pragma once

#include "analysis/bottlenecks/result.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/frontier/result.hpp"
#include "analysis/frontier/shown_members.hpp"
#include "analysis/verdict/attribution.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// Adds the columns of member_table to the rows of all members, and which of them pictures show.
void add_frontier_columns(ResultTable& members, const FrontierResult& frontiers,
                          const std::vector<ShownFrontier>& shown);

// For pages with filters: what the frontier of any chosen values of the axes can be made of, by one
// more pass over the study. `request` is that of its frontier. `members` is empty where there are
// more of them than `most`.
CellFrontiers cell_frontiers(const store::StudyReader& reader, const StudyLayout& layout,
                             const Resources& resources, FrontierRequest request,
                             std::size_t most = CellFrontiers::most_members);

}  // namespace scalesweep::analysis
