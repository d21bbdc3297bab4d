// What is said about the members of one frontier once they are known. Private to analysis.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/frontier/error_bars.hpp"
#include "analysis/frontier/frontier.hpp"
#include "reduce/frontier/frontier_builder.hpp"
#include "reduce/hypervolume.hpp"

namespace scalesweep::analysis {

// Members with their objectives as the study means them. Where they have error bars, these are the
// last column of `members`.
FrontierGroup finished_group(const std::vector<Objective>& objectives, reduce::RankedRows members,
                             bool error_bars);

// FrontierGroup::beyond_doubt. `optimistic` holds what can put a member in doubt: better ends, then
// the error bars.
void judge_members(FrontierGroup& group, const std::vector<Objective>& objectives,
                   const std::vector<FollowsTime>& follows, const reduce::RankedRows& optimistic);

// Knee, crowding, ideal, reference and hypervolume.
void measure_group(FrontierGroup& group, const std::vector<Objective>& objectives,
                   std::int64_t hypervolume_steps = reduce::hypervolume_steps);

// Sentences about what could not be measured, and objectives that were NaN.
void add_notes_of_groups(FrontierResult& result);

}  // namespace scalesweep::analysis
