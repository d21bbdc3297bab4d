// Which members stand for a frontier where a picture or a list has no room for all of them. Tables
// always hold all.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/frontier/result.hpp"

namespace scalesweep::analysis {

// Of all frontiers together: more marks than this hide each other in a picture.
inline constexpr std::size_t most_pictured = 200;

struct ShownFrontier {
  std::vector<std::size_t> rows;    // of rank 1, in the table of all frontiers' rows; ascending
  std::size_t members = 0;          // of rank 1, shown or not
  double epsilon = 0.0;             // how far others are from those shown (thinned_members)
  std::vector<std::size_t> behind;  // of the ranks behind, each thinned as the frontier is
};

// By group: about `most` members of all together, each frontier as many as another until it has
// all it needs, and never fewer than one more than the objectives and its knee.
std::vector<ShownFrontier> shown_frontiers(const FrontierResult& frontiers, std::size_t most);

// Some frontiers as one.
ShownFrontier together(const std::vector<ShownFrontier>& frontiers);

// thinning_words; empty where all members are shown.
std::string shown_words(const ShownFrontier& shown);

}  // namespace scalesweep::analysis
