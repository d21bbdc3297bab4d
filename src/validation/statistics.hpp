// How far predictions are from measurements.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace scalesweep::validation {

// Of relative errors predicted / measured - 1; all zero for none.
struct ErrorStatistics {
  std::size_t count = 0;
  double mean_absolute = 0.0;
  double median_absolute = 0.0;
  double p90_absolute = 0.0;
  double bias = 0.0;  // mean of the signed errors
};

ErrorStatistics error_statistics(std::span<const double> errors);

// Ranks from 1; equal values share the mean of the ranks that they take up.
std::vector<double> ranks(std::span<const double> values);

// Correlation of the ranks of two equally long lists (Spearman 1904; with ties, Pearson's
// correlation of the shared ranks). Nothing if one of them has fewer than two different values.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace scalesweep::validation
