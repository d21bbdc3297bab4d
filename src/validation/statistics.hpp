// How far predictions are from measurements.
#pragma once

#include <cstddef>
#include <span>

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

}  // namespace scalesweep::validation
