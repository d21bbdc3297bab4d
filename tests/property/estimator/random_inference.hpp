// Inference jobs, systems and strategies of every kind, drawn at random.
#pragma once

#include "estimator/inference/inference.hpp"
#include "estimator/inference/service/serving.hpp"
#include "parallel/strategy.hpp"

namespace scalesweep::estimator::test {

struct InferenceExample {
  InferenceJob job;
  technology::System system;
  parallel::Strategy strategy;
};

// To be called inside rc::check.
InferenceExample any_inference();
// A service on the same; limits are not set.
Drafter any_drafter();
ServingJob any_service(const InferenceExample& example);

InferenceEstimate estimate_of(const InferenceExample& example);
double latency_s(const InferenceExample& example);

// Everything that a charge to `resource` is proportional to, `factor` times as fast.
void scale_rate(InferenceExample& example, Resource resource, double factor);

}  // namespace scalesweep::estimator::test
