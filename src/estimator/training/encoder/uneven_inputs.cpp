#include "estimator/training/encoder/uneven_inputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace scalesweep::estimator {
namespace {

double below(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}
double density(double z) {
  return std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
}

}  // namespace

double expected_largest(std::int64_t draws) {
  constexpr std::array exactly = {0.0, 0.0, std::numbers::inv_sqrtpi,
                                  1.5 * std::numbers::inv_sqrtpi};
  if (draws < static_cast<std::int64_t>(exactly.size())) {
    return draws < 1 ? 0.0 : exactly[static_cast<std::size_t>(draws)];
  }
  const double logarithm = std::log(static_cast<double>(draws));
  const double leading = std::sqrt(2.0 * logarithm);
  return leading -
         (std::log(logarithm) + std::log(4.0 * std::numbers::pi) - 2.0 * std::numbers::egamma) /
             (2.0 * leading);
}

double UnevenInputs::longer_s() const {
  const double one_s = spread * std::hypot(forward_s, backward_s);
  if (one_s <= 0.0) {
    return 0.0;
  }
  // Of the replica with the most to encode, a micro-batch in the mean.
  const double drawn = in_step ? 1.0 : 1.0 / std::sqrt(micro_batches);
  const double most_s =
      stage_s + expected_largest(replicas) * drawn * spread * (forward_s + backward_s);
  if (others_s <= 0.0) {
    return micro_batches * (most_s - stage_s);
  }
  // The mean of max(X, others_s), where X is normal around most_s with a deviation of one_s.
  const double ahead_s = most_s - others_s;
  const double z = ahead_s / one_s;
  const double mean_s = others_s + ahead_s * below(z) + one_s * density(z);
  return micro_batches * std::max(0.0, mean_s - std::max(stage_s, others_s));
}

}  // namespace scalesweep::estimator
