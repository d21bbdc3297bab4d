#include "study/kinds/training/run_plans.hpp"

namespace scalesweep::study {

using estimator::RunPlan;

bool asks_for_runs(const space::Spec& spec) {
  return space::find_axis(spec.axes, "tokens") || space::find_axis(spec.axes, "steps");
}

RunPlans::RunPlans(const StudyAxes& axes)
    : tokens_(axes.find("tokens")),
      steps_(axes.find("steps")),
      reliability_(axes.find("reliability")),
      storage_(axes.find("storage")),
      rules_(axes) {}

std::optional<RunPlan> RunPlans::at(const PointAxes& point, double step_tokens) const {
  if (!tokens_ && !steps_) {
    return std::nullopt;
  }
  RunPlan plan;
  rules_.apply(point, plan);
  plan.tokens = tokens_ ? point[*tokens_].number : point[*steps_].number * step_tokens;
  const catalog::Catalog& catalog = point.catalog();
  plan.reliability =
      catalog.reliability(point.label_or(reliability_, catalog::default_reliability));
  plan.storage = catalog.storage(point.label_or(storage_, catalog::default_storage));
  return plan;
}

}  // namespace scalesweep::study
