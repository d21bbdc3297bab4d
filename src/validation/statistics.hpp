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

// Of relative errors with the error bar of each, as a normal distribution has 68 % within one and
// 95 % within two of them.
struct Coverage {
  std::size_t count = 0;
  std::size_t within_one = 0;  // errors not above their bar
  std::size_t within_two = 0;  // not above twice their bar

  void add(double error, double bar);
  double share_within_one() const;  // 0 of none
  double share_within_two() const;
};

ErrorStatistics error_statistics(std::span<const double> errors);

// Ranks from 1; equal values share the mean of the ranks that they take up.
std::vector<double> ranks(std::span<const double> values);

// Correlation of the ranks of two equally long lists (Spearman 1904; with ties, Pearson's
// correlation of the shared ranks). Nothing if one of them has fewer than two different values.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

// Kendall's tau-b of two equally long lists (Kendall 1945): pairs in the same order less pairs in
// the other one, over the geometric mean of the pairs that are no tie in either. Nothing if one of
// them has fewer than two different values.
std::optional<double> concordance(std::span<const double> a, std::span<const double> b);

}  // namespace scalesweep::validation
