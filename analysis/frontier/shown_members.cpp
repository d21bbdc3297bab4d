#include "analysis/frontier/shown_members.hpp"
#include "analysis/frontier/groups.hpp"

#include <algorithm>

namespace scalesweep::analysis {
namespace {

std::size_t members_of(const FrontierGroup& group) {
  return static_cast<std::size_t>(std::count(group.ranks.begin(), group.ranks.end(), 1));
}

// The most that one frontier may show, so that all show `most` together: those that have less
// leave theirs to the others.
std::size_t fair_share(std::vector<std::size_t> members, std::size_t most) {
  std::sort(members.begin(), members.end());
  std::size_t left = most;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::size_t share = left / (members.size() - i);
    if (members[i] > share) {
      return share;
    }
    left -= members[i];
  }
  return most;
}

struct RankRows {
  FrontierGroup group;              // as if nothing were before them
  std::vector<std::size_t> places;  // in the group that they are from
};

RankRows rows_of_rank(const FrontierGroup& group, std::int32_t rank) {
  RankRows result;
  result.group.objectives.resize(group.objectives.size());
  for (std::size_t place = 0; place < group.rows.size(); ++place) {
    if (group.ranks[place] != rank) {
      continue;
    }
    result.places.push_back(place);
    result.group.rows.push_back(group.rows[place]);
    result.group.ranks.push_back(1);
    for (std::size_t i = 0; i < group.objectives.size(); ++i) {
      result.group.objectives[i].push_back(group.objectives[i][place]);
    }
  }
  return result;
}

}  // namespace

std::vector<ShownFrontier> shown_frontiers(const FrontierResult& frontiers, std::size_t most) {
  std::vector<std::size_t> members;
  for (const FrontierGroup& group : frontiers.groups) {
    members.push_back(members_of(group));
  }
  const std::size_t share = std::max(fair_share(members, most), frontiers.objectives.size() + 2);
  std::vector<ShownFrontier> all;
  std::size_t first = 0;
  for (const FrontierGroup& group : frontiers.groups) {
    ShownFrontier shown;
    shown.members = members_of(group);
    for (const std::size_t place : thinned_members(frontiers, group, share, &shown.epsilon)) {
      shown.rows.push_back(first + place);
    }
    for (std::int32_t rank = 2; rank <= frontiers.ranks; ++rank) {
      const RankRows behind = rows_of_rank(group, rank);
      if (behind.places.empty()) {
        break;
      }
      for (const std::size_t place : thinned_members(frontiers, behind.group, share)) {
        shown.behind.push_back(first + behind.places[place]);
      }
    }
    std::sort(shown.rows.begin(), shown.rows.end());
    std::sort(shown.behind.begin(), shown.behind.end());
    first += group.rows.size();
    all.push_back(std::move(shown));
  }
  return all;
}

ShownFrontier together(const std::vector<ShownFrontier>& frontiers) {
  ShownFrontier all;
  for (const ShownFrontier& one : frontiers) {
    all.rows.insert(all.rows.end(), one.rows.begin(), one.rows.end());
    all.behind.insert(all.behind.end(), one.behind.begin(), one.behind.end());
    all.members += one.members;
    all.epsilon = std::max(all.epsilon, one.epsilon);
  }
  return all;
}

std::string shown_words(const ShownFrontier& shown) {
  return shown.rows.size() < shown.members
             ? thinning_words(shown.rows.size(), shown.members, shown.epsilon)
             : "";
}

}  // namespace scalesweep::analysis
