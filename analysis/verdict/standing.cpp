#include "analysis/verdict/standing.hpp"

#include <cmath>
#include <limits>

namespace scalesweep::analysis {

double gap_of(double value, double best, Direction direction) {
  if (!(best > 0.0) || !std::isfinite(best)) {
    return value == best ? 0.0 : std::numeric_limits<double>::infinity();
  }
  return direction == Direction::minimize ? value / best - 1.0 : 1.0 - value / best;
}

double error_bar_of(double time_error, FollowsTime follows) {
  return follows == FollowsTime::no ? 0.0 : time_error;
}

Standing standing_of(const Contender& other, const Contender& best, FollowsTime follows,
                     Direction direction) {
  if (std::fabs(gap_of(other.value, best.value, direction)) <= tie) {
    return Standing::tie;
  }
  if (std::isnan(other.error_bar) || std::isnan(best.error_bar)) {
    return Standing::unknown;
  }
  const Ends worse = ends_of(other.value, follows, direction, other.error_bar);
  const Ends better = ends_of(best.value, follows, direction, best.error_bar);
  if (better.pessimistic >= worse.optimistic) {
    return Standing::near_tie;
  }
  return other.is_measured && best.is_measured ? Standing::apart : Standing::unmeasured;
}

}  // namespace scalesweep::analysis
