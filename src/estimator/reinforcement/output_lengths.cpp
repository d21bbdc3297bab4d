#include "estimator/reinforcement/output_lengths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/contracts.hpp"

namespace scalesweep::estimator {
namespace {

constexpr int halvings = 100;

// Of a normal law.
double below(double deviations) {
  return 0.5 * std::erfc(-deviations / std::sqrt(2.0));
}

// E[min(X, c)^n] of a log-normal X: exp(n m + n^2 s^2 / 2) F((ln c - m - n s^2) / s)
// + c^n (1 - F((ln c - m) / s)), with F the normal law (partial moments of a log-normal law).
double cut_moment(double n, double log_mean, double log_spread, double cut) {
  const double whole = std::exp(n * log_mean + 0.5 * n * n * log_spread * log_spread);
  if (std::isinf(cut)) {
    return whole;
  }
  const double z = (std::log(cut) - log_mean) / log_spread;
  return whole * below(z - n * log_spread) + std::pow(cut, n) * below(-z);
}

}  // namespace

OutputLengths::OutputLengths(double mean, double spread, double most)
    : mean_(mean), most_(most > 0.0 ? most : std::numeric_limits<double>::infinity()) {
  SCALESWEEP_EXPECT(mean > 0.0 && spread >= 0.0);
  if (spread <= 0.0 || mean_ >= most_) {
    mean_ = std::min(mean_, most_);
    mean_square_ = mean_ * mean_;
    return;
  }
  log_spread_ = std::sqrt(std::log1p(spread * spread));
  log_mean_ = std::log(mean) - 0.5 * log_spread_ * log_spread_;
  if (!std::isinf(most_)) {
    // The mean of what comes out grows with that of the law, from less than `mean` to the limit.
    double low = log_mean_;
    double high = std::log(most_) + 10.0 * log_spread_;
    for (int i = 0; i < halvings; ++i) {
      const double middle = 0.5 * (low + high);
      (cut_moment(1.0, middle, log_spread_, most_) < mean ? low : high) = middle;
    }
    log_mean_ = 0.5 * (low + high);
  }
  mean_square_ = cut_moment(2.0, log_mean_, log_spread_, most_);
}

double OutputLengths::running(double tokens) const {
  if (tokens <= 0.0) {
    return 1.0;
  }
  if (log_spread_ <= 0.0) {
    return tokens < mean_ ? 1.0 : 0.0;
  }
  return tokens < most_ ? below(-(std::log(tokens) - log_mean_) / log_spread_) : 0.0;
}

double OutputLengths::mean_up_to(double tokens) const {
  if (tokens <= 0.0) {
    return 0.0;
  }
  return log_spread_ <= 0.0 ? std::min(mean_, tokens)
                            : cut_moment(1.0, log_mean_, log_spread_, std::min(tokens, most_));
}

double OutputLengths::longest(double answers) const {
  if (log_spread_ <= 0.0) {
    return mean_;
  }
  const double share = expected_beyond_longest / std::max(1.0, answers);
  if (!std::isinf(most_) && running(std::nextafter(most_, 0.0)) >= share) {
    return most_;
  }
  double low = 0.0;
  double high = 40.0;  // deviations
  for (int i = 0; i < halvings; ++i) {
    const double middle = 0.5 * (low + high);
    (below(-middle) > share ? low : high) = middle;
  }
  return std::min(most_, std::exp(log_mean_ + log_spread_ * low));
}

}  // namespace scalesweep::estimator
