// How fast a study goes and how large it gets, from a short timed sample of it. Uses the clock: for
// plans, never for results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study/study.hpp"

namespace scalesweep::study {

struct Sample {
  std::int64_t points = 0;            // evaluated
  std::int64_t ranges = 0;            // pieces of the study they were taken from
  double points_per_second = 0.0;     // of one core: evaluated, and compressed as rows are stored
  double kept_fraction = 1.0;         // rows per point under the policy of the study
  double bytes_per_row = 0.0;         // in memory
  double stored_bytes_per_row = 0.0;  // compressed
  std::string keep;                   // the policy in words
};

// Evaluates and compresses pieces of one chunk each, of several where counts are bounded, chosen at
// random (always the same ones), until `seconds` have passed. What stays of a whole study under
// best or frontier is less than of pieces.
Sample measure_sample(const Study& study, double seconds);

// A point in words: one entry per axis, then per dimension of the strategy.
struct CoordinateText {
  std::string name;
  std::string label;
};
std::vector<CoordinateText> coordinates(const Study& study, const Point& point);

}  // namespace scalesweep::study
