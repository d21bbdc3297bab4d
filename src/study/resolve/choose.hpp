// A point of a study by what it is rather than by its id.
#pragma once

#include <string>
#include <vector>

#include "study/study.hpp"

namespace scalesweep::study {

struct Setting {
  std::string name;   // of an axis or a dimension of the strategy
  std::string value;  // as the spec or a chart writes it
};

struct Choice {
  PointId id = 0;
  std::string how;  // a sentence: what was left open, and how it was chosen
};

// Axes that are not set take their first value, except `allocation`, whose values are tried like
// the strategies. Among those that agree with the settings: the one with the smallest step time or
// latency, or the largest throughput, that fits, else the best that does not, else the first.
// Throws Failure(usage) for an unknown name (with a suggestion) or value, and if no strategy
// agrees.
Choice choose_point(const Study& study, const std::vector<Setting>& settings);

}  // namespace scalesweep::study
