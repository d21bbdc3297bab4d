#include "parallel/placement.hpp"

#include <algorithm>
#include <numeric>

namespace scalesweep::parallel {

Group group_of(const Strategy& strategy, Dimension dimension, std::int64_t scale_up_domain) {
  const std::int64_t tp = strategy.tensor_parallel;
  if (dimension == Dimension::tensor) {
    // A group that does not fill whole domains is spread as evenly as its size allows.
    const std::int64_t inner = std::gcd(tp, scale_up_domain);
    return tp <= scale_up_domain ? Group{tp, 1} : Group{inner, tp / inner};
  }
  const std::int64_t dp = strategy.data_parallel;
  const std::int64_t replicas_per_domain = std::max<std::int64_t>(1, scale_up_domain / tp);
  const std::int64_t inner = std::gcd(dp, replicas_per_domain);
  return dp <= replicas_per_domain ? Group{dp, 1} : Group{inner, dp / inner};
}

Link stage_link(const Strategy& strategy, std::int64_t scale_up_domain) {
  const std::int64_t devices =
      std::int64_t{strategy.tensor_parallel} * strategy.data_parallel * strategy.pipeline_parallel;
  return devices <= scale_up_domain ? Link::scale_up : Link::scale_out;
}

}  // namespace scalesweep::parallel
