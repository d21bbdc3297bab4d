// Waiting, in means: Poisson arrivals at one server (Kleinrock, Queueing Systems, volume 1, 1975,
// chapter 5).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace scalesweep::estimator {

// A queue that is full all the time never empties: more than this share of the server's time is
// not given out.
inline constexpr double highest_utilisation = 0.95;

// Mean wait before service in an M/G/1 queue, first come, first served: rate E[S^2] / (2 (1 -
// rate E[S])) (Pollaczek 1930, Khinchine 1932).
inline double mean_wait_s(double rate, double service_s, double service_square_s2) {
  const double utilisation = rate * service_s;
  return utilisation < 1.0 ? rate * service_square_s2 / (2.0 * (1.0 - utilisation))
                           : std::numeric_limits<double>::infinity();
}

// Rest of the interval that an arrival at any time falls into, E[T^2] / (2 E[T]): a share of the
// intervals lasts a_s, the rest b_s.
inline double residual_s(double share, double a_s, double b_s) {
  const double mean_s = share * a_s + (1.0 - share) * b_s;
  return mean_s > 0.0 ? (share * a_s * a_s + (1.0 - share) * b_s * b_s) / (2.0 * mean_s) : 0.0;
}

// Share of intervals in which something arrives, of `mean` Poisson arrivals in each.
inline double some_arrive(double mean) {
  return -std::expm1(-mean);
}

// The median number of Poisson arrivals (Choi, "On the medians of gamma distributions and an
// equation of Ramanujan", Proc. AMS 121, 1994).
inline double median_arrivals(double mean) {
  return mean > 0.0 ? std::max(0.0, std::floor(mean + 1.0 / 3.0 - 0.02 / mean)) : 0.0;
}

}  // namespace scalesweep::estimator
