// Training jobs, systems and strategies of every kind, drawn at random.
#pragma once

#include "estimator/training/training.hpp"
#include "parallel/strategy.hpp"

namespace scalesweep::estimator::test {

struct Example {
  TrainingJob job;
  technology::System system;
  parallel::Strategy strategy;
};

// To be called inside rc::check.
double log_uniform(double low, double high);
Example any_example();
// Without a limit of power: rates then stay what they are.
Example any_unlimited_example();

TrainingEstimate estimate_of(const Example& example);
double step_s(const Example& example);

// Everything that a charge to `resource` is proportional to, `factor` times as fast.
void scale_rate(Example& example, Resource resource, double factor);
double scaled_step_s(Example example, Resource resource, double factor);

}  // namespace scalesweep::estimator::test
