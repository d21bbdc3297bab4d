// What inference and serving have in common: the job, checks, the reason of what does not fit.
#pragma once

#include <string>
#include <vector>

#include "estimator/inference/inference.hpp"
#include "study/kinds/job_parts.hpp"
#include "study/kinds/workload_kind.hpp"

namespace scalesweep::study {

class InferenceJobs {
 public:
  InferenceJobs(const space::Spec& spec, const StudyAxes& axes);

  estimator::InferenceJob at(const PointAxes& point) const;

 private:
  AxisRules<estimator::InferenceJob> rules_;
  AxisPosition model_;
  AxisPosition precision_;
  // By model and by value of the axis precision: a checkpoint is one of a model.
  std::vector<std::vector<estimator::InferencePrecision>> precisions_;
  Uncertainties uncertainties_;
};

void check_inference(const space::Spec& spec, const catalog::Catalog& catalog,
                     Diagnostics& diagnostics);

// Of a batch or of a service.
Multiplied multiplied_by(const estimator::InferenceJob& job);

// "the largest batch that fits is 12, of one replica 3"
std::string memory_reason(const estimator::RequestCounts& requests);

}  // namespace scalesweep::study
