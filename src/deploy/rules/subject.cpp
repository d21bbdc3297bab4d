#include "deploy/rules/subject.hpp"

#include <algorithm>

#include "estimator/inference/job.hpp"
#include "estimator/training/job.hpp"
#include "study/kinds/serving.hpp"
#include "study/kinds/workload_kind.hpp"

namespace scalesweep::deploy {

std::vector<std::string_view> linear_formats(const study::Point& point) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < point.job.multiplied.size(); ++i) {
    const std::string_view name = technology::name_of(point.job.multiplied[i]);
    const bool is_linear = i != study::of_activations;
    if (is_linear && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

Subject subject_of(const study::Study& study, const study::Point& point) {
  const technology::Device& device = point.system.system->device;
  if (&study.kind() == &study::training_kind()) {
    const auto& job = study::work_of<estimator::TrainingJob>(point.job);
    const estimator::PrecisionPolicy& precision = job.precision;
    return {job.model,
            device,
            precision.linear,
            precision.linear,
            precision.activations,
            job.recipe(),
            precision.gradients,
            precision.moments};
  }
  const bool is_service = &study.kind() == &study::serving_kind();
  const estimator::InferenceJob& job =
      is_service ? study::work_of<estimator::ServingJob>(point.job).inference
                 : study::work_of<estimator::InferenceJob>(point.job);
  const workload::LinearPart experts = workload::LinearPart::experts;
  return {job.model,
          device,
          job.precision.operands,
          job.precision.operands_of(experts),
          job.precision.activations,
          job.recipe(experts)};
}

}  // namespace scalesweep::deploy
