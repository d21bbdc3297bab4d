// How many points of a study can be launched with their own frameworks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "study/study.hpp"

namespace scalesweep::deploy {

// Of one framework, among the points that are looked at.
struct Launchable {
  std::string framework;  // "torchtitan 0.2.2"
  std::int64_t points = 0;
  std::int64_t refused = 0;
  // What it lacks or refuses with its source, the most frequent first: a point may have several.
  std::vector<std::pair<std::string, std::int64_t>> reasons;
};

// Those of frameworks that can be launched, in the order of the study, with at most so many points
// that are spread evenly over it; none of kinds that nothing launches.
std::vector<Launchable> launchable(const study::Study& study, std::int64_t most_points);

}  // namespace scalesweep::deploy
