#include "estimator/training/encoder/uneven_inputs.hpp"

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
  constexpr std::array exactly = {0.0,    0.0,    0.5642, 0.8463, 1.0294, 1.1630,
                                  1.2672, 1.3522, 1.4236, 1.4850, 1.5388, 1.5864,
                                  1.6292, 1.6680, 1.7034, 1.7359, 1.7660};
  if (draws < static_cast<std::int64_t>(exactly.size())) {
    return draws < 1 ? 0.0 : exactly[static_cast<std::size_t>(draws)];
  }
  const double logarithm = std::log(static_cast<double>(draws));
  const double leading = std::sqrt(2.0 * logarithm);
  return leading -
         (std::log(logarithm) + std::log(4.0 * std::numbers::pi) - 2.0 * std::numbers::egamma) /
             (2.0 * leading);
}

UnevenInputs::Shares UnevenInputs::shares() const {
  const double both_s = std::hypot(forward_s, backward_s);
  if (spread <= 0.0 || both_s <= 0.0) {
    return {};
  }
  // Of the replica with the most to encode, a micro-batch in the mean.
  const double most =
      expected_largest(replicas) * (in_step ? 1.0 : 1.0 / std::sqrt(micro_batches)) * spread;
  if (others_s <= 0.0) {
    return {.forward = micro_batches * most, .backward = micro_batches * most};
  }
  // The mean of max(X, others_s), where X is normal with a deviation of one_s, less what the slower
  // one takes without it.
  const double one_s = spread * both_s;
  const double z = (stage_s + most * (forward_s + backward_s) - others_s) / one_s;
  const double longer = below(z);
  const double varied = density(z) * spread / both_s;
  const bool slowest = stage_s > others_s;
  Shares shares;
  shares.forward = micro_batches * (longer * most + varied * forward_s);
  shares.backward = micro_batches * (longer * most + varied * backward_s);
  shares.stage = micro_batches * (longer - (slowest ? 1.0 : 0.0));
  shares.others = micro_batches * ((slowest ? 1.0 : 0.0) - longer);
  return shares;
}

}  // namespace scalesweep::estimator
