#include "workload/recommendation/row_popularity.hpp"

#include <algorithm>
#include <cmath>

namespace scalesweep::workload {
namespace {

// Sum of i^-skew for i from 1 to n: the integral from 1/2 to n + 1/2 (midpoint rule), with the
// first term as it is.
double zipf_sum(double n, double skew) {
  if (n <= 1.0) {
    return n;
  }
  const double from = 1.5;
  const double to = n + 0.5;
  constexpr double nearly_one = 1e-6;
  const double power = 1.0 - skew;
  const double rest = std::abs(power) < nearly_one
                          ? std::log(to / from)
                          : (std::pow(to, power) - std::pow(from, power)) / power;
  return 1.0 + rest;
}

}  // namespace

double most_popular_share(double rows, double kept, double skew) {
  if (kept >= rows) {
    return 1.0;
  }
  if (kept <= 0.0) {
    return 0.0;
  }
  return skew == 0.0 ? kept / rows : zipf_sum(kept, skew) / zipf_sum(rows, skew);
}

double distinct_rows(double rows, double lookups, double skew) {
  if (skew == 0.0) {
    return std::min(rows, lookups);
  }
  // lookups * k^-skew / sum = 1.
  const double expected = std::pow(lookups / zipf_sum(rows, skew), 1.0 / skew);
  const double hot = std::clamp(expected, 0.0, rows);
  const double others = lookups * (1.0 - most_popular_share(rows, hot, skew));
  return std::min({rows, lookups, hot + others});
}

}  // namespace scalesweep::workload
