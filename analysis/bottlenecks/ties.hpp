// What limits the layouts that tie with the best one of a combination.
//
// A difference of at most 1 % is one that nobody would choose by (`tie` in verdict/verdict.hpp), so
// which of such layouts is the best is chance, and so is what limits it. What holds for one of them
// alone is no property of the technology: shares are ranges over them, and what limits a
// combination has changed between two values only where no layout that ties has at one of them what
// leads at the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/bottlenecks/doubt.hpp"
#include "analysis/bottlenecks/scan.hpp"
#include "analysis/bottlenecks/steps.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/verdict/attribution.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// What leads in one of them at least: a bit of each resource, or of each group.
using Leaders = std::uint64_t;

// Of groups, then of single resources, as tables number them.
enum class LimitLevel : std::size_t { group, resource };
inline constexpr std::size_t level_count = 2;

// The layouts of one combination that tie.
struct Ties {
  std::size_t layouts = 0;  // the best included; 0: nothing is feasible
  // Of the time, by group or resource.
  std::array<std::vector<ShareRange>, level_count> shares;
  std::array<Leaders, level_count> leaders = {};

  bool agree(LimitLevel level) const;  // on what leads
};

// By cell of the grid of the scan. Layouts of other budgets, which a search went through, do not
// tie: they are other devices.
std::vector<Ties> find_ties(const store::StudyReader& reader, const StudyLayout& layout,
                            const Resources& resources, const Scan& scan);

// Those of one layout each, where no other may take its place.
std::vector<Ties> ties_of(const std::vector<Attribution>& limits);

// What may be said of a lead: none is firm where another layout that ties has another leader, and
// nobody knows where the file does not keep them.
Firm firm_over(Firm firm, const Ties& ties, LimitLevel level, bool are_known);

// Changes of what leads along paths, from value to value. Values at which layouts that tie disagree
// belong to either side.
struct LeaderChanges {
  std::vector<Step> told;  // the nearest two values at which no layout has what leads at the other
  std::size_t untold = 0;  // of the best points alone, between neighbours
};

// `limits` and `ties` by row of the best points.
LeaderChanges leader_changes(const StudyLayout& layout, const std::vector<Path>& paths,
                             const std::vector<Attribution>& limits, const std::vector<Ties>& ties,
                             LimitLevel level);

// What limits each value of a path where changes are told as above: the leaders that all layouts
// from change to change share, of several all of them. 0 where nothing is feasible; of values
// without an order those of each value.
std::vector<Leaders> leaders_along(const StudyLayout& layout, const Path& path,
                                   const std::vector<Ties>& ties, LimitLevel level);

}  // namespace scalesweep::analysis
