#include "estimator/run/renewal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scalesweep::estimator {

double elapsed_s(const Renewal& job, double interval_s) {
  const double rate = job.failures_per_s;
  if (rate <= 0.0) {
    return interval_s + job.stop_s;
  }
  return std::exp(rate * (job.restart_s + job.behind_s)) *
         std::expm1(rate * (interval_s + job.stop_s)) / rate;
}

double best_interval_s(const Renewal& job) {
  const double rate = job.failures_per_s;
  if (rate <= 0.0) {
    return std::numeric_limits<double>::infinity();
  }
  const double stop = rate * job.stop_s;
  if (stop <= 0.0) {
    return 0.0;
  }
  // g(x) = ln(1 - x) + x + stop falls from `stop` and is concave; both starts lie beyond its root,
  // from where Newton's steps never cross it.
  double x = std::min(std::sqrt(2.0 * stop), -std::expm1(-1.0 - stop));
  for (int step = 0; step < 50; ++step) {
    const double change = (std::log1p(-x) + x + stop) * (1.0 - x) / x;
    x += change;
    if (std::fabs(change) <= 1e-12 * x) {
      break;
    }
  }
  return x / rate;
}

double all_busy_share(double offered, int servers) {
  if (offered <= 0.0) {
    return 0.0;
  }
  double inverse = 1.0;
  for (int n = 1; n <= servers; ++n) {
    inverse = 1.0 + inverse * n / offered;
  }
  return 1.0 / inverse;
}

int fewest_spares(double offered, double share) {
  int spares = 0;
  while (all_busy_share(offered, spares + 1) > share) {
    ++spares;
  }
  return spares;
}

double mean_beyond(double mean, int held) {
  if (mean <= 0.0) {
    return 0.0;
  }
  double beyond = mean - held;
  for (int n = 0; n < held; ++n) {
    beyond += (held - n) * std::exp(n * std::log(mean) - mean - std::lgamma(n + 1.0));
  }
  return std::max(0.0, beyond);
}

}  // namespace scalesweep::estimator
