#include "study/kinds/training/run_plans.hpp"

#include <array>

#include "core/contracts.hpp"

namespace scalesweep::study {
namespace {

using estimator::RunPlan;

// The word of an axis, which the spec has checked.
template <typename Names>
auto known(const Names& names, const AxisValue& value) {
  const auto found = names.find(value.label);
  SCALESWEEP_EXPECT(found.has_value());
  return *found;
}

constexpr auto axis_rules = std::to_array<AxisRule<RunPlan>>({
    {"accelerators", [](RunPlan& p, const AxisValue& v) { p.devices = v.number; }},
    {"failure_factor", [](RunPlan& p, const AxisValue& v) { p.failure_factor = v.number; }},
    {"checkpoint",
     [](RunPlan& p, const AxisValue& v) {
       p.checkpoint = known(estimator::checkpoint_kind_names, v);
     }},
    {"checkpoint_interval", [](RunPlan& p, const AxisValue& v) { p.interval_s = v.number; }},
    {"recovery",
     [](RunPlan& p, const AxisValue& v) { p.recovery = known(estimator::recovery_names, v); }},
    {"spares", [](RunPlan& p, const AxisValue& v) { p.spare_share = v.number; }},
    {"token_size", [](RunPlan& p, const AxisValue& v) { p.token_bytes = v.number; }},
    {"pixel_size", [](RunPlan& p, const AxisValue& v) { p.pixel_bytes = v.number; }},
});

}  // namespace

bool asks_for_runs(const space::Spec& spec) {
  return space::find_axis(spec.axes, "tokens") || space::find_axis(spec.axes, "steps");
}

RunPlans::RunPlans(const StudyAxes& axes)
    : tokens_(axes.find("tokens")),
      steps_(axes.find("steps")),
      reliability_(axes.find("reliability")),
      storage_(axes.find("storage")),
      rules_(axes, axis_rules) {}

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
