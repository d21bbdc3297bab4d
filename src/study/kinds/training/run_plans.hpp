// What a study asks of whole runs: the axes of [run], tokens and steps.
#pragma once

#include <array>
#include <optional>

#include "estimator/run/run_plan.hpp"
#include "space/read/spec.hpp"
#include "study/columns/schema.hpp"
#include "study/resolve/point_axes.hpp"

namespace scalesweep::study {

// A checkpoint is not written before the next one is due.
inline constexpr std::array<KindStatus, 1> training_statuses = {{{"checkpoint_too_slow", true}}};

// Whether the spec asks for more than a step.
bool asks_for_runs(const space::Spec& spec);

class RunPlans {
 public:
  explicit RunPlans(const StudyAxes& axes);

  // Of steps of so many tokens; nothing where a step is all that is asked for.
  std::optional<estimator::RunPlan> at(const PointAxes& point, double step_tokens) const;

 private:
  AxisPosition tokens_;
  AxisPosition steps_;
  AxisPosition reliability_;
  AxisPosition storage_;
  AxisRules<estimator::RunPlan> rules_;
};

}  // namespace scalesweep::study
