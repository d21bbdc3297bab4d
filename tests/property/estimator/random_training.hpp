// Training jobs, systems and strategies of every kind, drawn at random.
#pragma once

#include <optional>

#include "estimator/training/training.hpp"
#include "parallel/fields.hpp"
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
// For the same job on as many devices: any other in every field; one in which this field alone and
// what follows from it are others, if there is one.
parallel::Strategy any_other_strategy(const Example& example);
std::optional<parallel::Strategy> any_neighbour(const Example& example,
                                                const parallel::Field& field);
// Without a limit of power: rates then stay what they are.
Example any_unlimited_example();

TrainingEstimate estimate_of(const Example& example);
double step_s(const Example& example);

// Everything that a charge to `resource` is proportional to, `factor` times as fast.
void scale_rate(Example& example, Resource resource, double factor);
double scaled_step_s(Example example, Resource resource, double factor);

}  // namespace scalesweep::estimator::test
