#include "estimator/run/renewal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scalesweep::estimator {
namespace {

constexpr double negligible = 1e-17;

// 1 + n / a + n (n - 1) / a^2 + ..., one over Erlang's formula of a = `offered` and n servers, or
// any part of the sum that is not below `most`. Its terms rise while n > a and fall from there, so
// that those that count are some sqrt(a), however many servers there are; at most some 40 `most`.
double inverse_busy_share(double offered, double servers, double most) {
  double sum = 1.0;
  double term = 1.0;
  for (double n = servers; n >= 1.0 && term > negligible * sum && sum < most; n -= 1.0) {
    term *= n / offered;
    sum += term;
  }
  return sum;
}

}  // namespace

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

double all_busy_share(double offered, double servers) {
  if (offered <= 0.0) {
    return 0.0;
  }
  return 1.0 / inverse_busy_share(offered, servers, std::numeric_limits<double>::infinity());
}

double fewest_spares(double offered, double share) {
  if (offered <= 0.0) {
    return 0.0;
  }
  const auto too_few = [&](double spares) {
    return inverse_busy_share(offered, spares + 1.0, 1.0 / share) < 1.0 / share;
  };
  double few = -1.0;
  double enough = 0.0;
  while (too_few(enough)) {
    few = enough;
    enough = 2.0 * enough + 1.0;
  }
  // Beyond 2^53 not every whole number is one of those that doubles hold.
  while (true) {
    const double middle = few + std::floor((enough - few) / 2.0);
    if (middle <= few || middle >= enough) {
      return enough;
    }
    (too_few(middle) ? few : enough) = middle;
  }
}

double mean_beyond(double mean, double held) {
  if (mean <= 0.0) {
    return 0.0;
  }
  // The sum over those on the side of `held` that has less of the distribution, away from it. From
  // sum (k - held) p(k) over all k, which is mean - held, follows the other side.
  const bool above = held >= mean;
  double share = std::exp(held * std::log(mean) - mean - std::lgamma(held + 1.0));
  double sum = 0.0;
  for (double off = 1.0; above || off <= held; off += 1.0) {
    share *= above ? mean / (held + off) : (held - off + 1.0) / mean;
    sum += off * share;
    if (!(off * share > negligible * sum)) {
      break;
    }
  }
  return above ? sum : mean - held + sum;
}

}  // namespace scalesweep::estimator
