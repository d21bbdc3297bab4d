// What is said about the members of one frontier once they are known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/frontier/error_bars.hpp"
#include "analysis/frontier/result.hpp"
#include "reduce/frontier/frontier_builder.hpp"
#include "reduce/hypervolume.hpp"

namespace scalesweep::analysis {

// Members with their objectives as the study means them. The last columns of `members` are so many
// error bars and, where there are any, whether nothing of a member was measured nowhere.
FrontierGroup finished_group(const std::vector<Objective>& objectives, reduce::RankedRows members,
                             std::size_t error_bars);

// FrontierGroup::beyond_doubt. `optimistic` holds what can put a member in doubt: better ends, then
// the error bars.
void judge_members(FrontierGroup& group, const std::vector<Objective>& objectives,
                   const std::vector<Follows>& follows, const reduce::RankedRows& optimistic);

// Knee, crowding, ideal, reference and hypervolume.
void measure_group(FrontierGroup& group, const std::vector<Objective>& objectives,
                   std::int64_t hypervolume_steps = reduce::hypervolume_steps);

// Sentences about what could not be measured, and objectives that were NaN.
void add_notes_of_groups(FrontierResult& result);

// Members of rank 1 that stand for all of them in a picture, at most `most` (reduce::thinned):
// indices into the group's rows. `epsilon`, if given, gets how far others are from them at most, as
// a share of each objective's range.
std::vector<std::size_t> thinned_members(const FrontierResult& result, const FrontierGroup& group,
                                         std::size_t most, double* epsilon = nullptr);

// "120 of 3,502 members stand for all: ..." by what thinned_members gave.
std::string thinning_words(std::size_t shown, std::size_t members, double epsilon);

}  // namespace scalesweep::analysis
