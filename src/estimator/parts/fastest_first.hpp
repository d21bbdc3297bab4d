// Bounds of strategies in the order in which they are followed.
#pragma once

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

namespace scalesweep::estimator {

// From the least `time` on, of equals the first strategy; each learns the least energy of itself
// and all that follow.
template <typename Bound>
void order_fastest_first(std::vector<Bound>& bounds, double Bound::*time) {
  std::sort(bounds.begin(), bounds.end(), [time](const Bound& a, const Bound& b) {
    return std::tie(a.*time, a.index) < std::tie(b.*time, b.index);
  });
  double rest_j = std::numeric_limits<double>::infinity();
  std::for_each(bounds.rbegin(), bounds.rend(), [&rest_j](Bound& bound) {
    rest_j = std::min(rest_j, bound.energy_j);
    bound.energy_of_rest_j = rest_j;
  });
}

}  // namespace scalesweep::estimator
