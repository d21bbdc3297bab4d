#include "validation/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/contracts.hpp"

namespace scalesweep::validation {
namespace {

// Linear interpolation between order statistics (Hyndman and Fan, type 7), as NumPy and R default.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double at = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void Coverage::add(double error, double bar) {
  SCALESWEEP_EXPECT(bar > 0.0);
  ++count;
  within_one += std::fabs(error) <= bar ? 1 : 0;
  within_two += std::fabs(error) <= 2.0 * bar ? 1 : 0;
}

double Coverage::share_within_one() const {
  return share(within_one, count);
}

double Coverage::share_within_two() const {
  return share(within_two, count);
}

ErrorStatistics error_statistics(std::span<const double> errors) {
  ErrorStatistics statistics;
  statistics.count = errors.size();
  if (errors.empty()) {
    return statistics;
  }
  std::vector<double> absolute;
  for (const double error : errors) {
    absolute.push_back(std::fabs(error));
    statistics.mean_absolute += std::fabs(error);
    statistics.bias += error;
  }
  const auto n = static_cast<double>(errors.size());
  statistics.mean_absolute /= n;
  statistics.bias /= n;
  std::sort(absolute.begin(), absolute.end());
  statistics.median_absolute = quantile(absolute, 0.5);
  statistics.p90_absolute = quantile(absolute, 0.9);
  return statistics;
}

std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) {
      ++end;
    }
    const double shared = 0.5 * static_cast<double>(first + 1 + end);
    for (; first < end; ++first) {
      result[order[first]] = shared;
    }
  }
  return result;
}

std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b) {
  SCALESWEEP_EXPECT(a.size() == b.size());
  const std::vector<double> ranks_a = ranks(a);
  const std::vector<double> ranks_b = ranks(b);
  const double mean = 0.5 * (static_cast<double>(a.size()) + 1.0);
  double both = 0.0;
  double only_a = 0.0;
  double only_b = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (ranks_a[i] - mean) * (ranks_b[i] - mean);
    only_a += (ranks_a[i] - mean) * (ranks_a[i] - mean);
    only_b += (ranks_b[i] - mean) * (ranks_b[i] - mean);
  }
  if (only_a <= 0.0 || only_b <= 0.0) {
    return std::nullopt;
  }
  return both / std::sqrt(only_a * only_b);
}

std::optional<double> concordance(std::span<const double> a, std::span<const double> b) {
  SCALESWEEP_EXPECT(a.size() == b.size());
  const auto order = [](double x, double y) { return (x > y) - (x < y); };
  int same = 0;  // less those in the other order
  int no_tie_in_a = 0;
  int no_tie_in_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = i + 1; j < a.size(); ++j) {
      const int in_a = order(a[i], a[j]);
      const int in_b = order(b[i], b[j]);
      same += in_a * in_b;
      no_tie_in_a += in_a != 0 ? 1 : 0;
      no_tie_in_b += in_b != 0 ? 1 : 0;
    }
  }
  if (no_tie_in_a == 0 || no_tie_in_b == 0) {
    return std::nullopt;
  }
  return same / std::sqrt(static_cast<double>(no_tie_in_a) * no_tie_in_b);
}

}  // namespace scalesweep::validation
