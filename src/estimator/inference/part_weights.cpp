#include "estimator/inference/part_weights.hpp"

namespace scalesweep::estimator {

double apart_bytes(const InferenceJob& job, const workload::TransformerModel& model,
                   const parallel::Strategy& strategy, const StageShare& share) {
  double bytes = 0.0;
  if (job.precision.is_uniform()) {
    return bytes;
  }
  for (std::size_t i = 0; i < workload::linear_part_names.size(); ++i) {
    const auto part = workload::LinearPart(i);
    bytes += part_parameters(model, strategy, share, part) *
             (job.weight_bytes(part) - job.weight_bytes());
  }
  return bytes;
}

}  // namespace scalesweep::estimator
