// The share of prompts that caches of all sizes find, of how far back what comes back was used last
// (stack distances: Mattson et al., "Evaluation techniques for storage hierarchies", IBM Systems
// Journal 9, 1970).
#pragma once

#include <vector>

#include "estimator/reuse/prefix_tiers.hpp"

namespace scalesweep::estimator {

// Tokens that come back: a cache of D tokens finds none of them, of D + tokens all.
struct Reuse {
  double distance = 0.0;  // distinct tokens used since, D
  double tokens = 0.0;
  double weight = 1.0;  // how many such there are
};

// Over so many tokens of prompts, in the same measure. A point wherever the slope changes; the
// distances need no order.
HitCurve hit_curve_of(const std::vector<Reuse>& reuses, double prompts);

}  // namespace scalesweep::estimator
