#include "validation/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace scalesweep::validation {
namespace {

// Linear interpolation between order statistics (Hyndman and Fan, type 7), as NumPy and R default.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double at = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

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

}  // namespace scalesweep::validation
