#include "space/read/workload_form.hpp"

#include <algorithm>
#include <cmath>

namespace scalesweep::space {
namespace {

using parallel::WorkloadKind;

constexpr std::string_view stored_example =
    "{ name = \"w4a16\", weights = \"int4\", operands = \"bf16\" }";

// Devices that train where a share of all has rollouts of its own; at least one of each.
std::int64_t trainers_of(std::int64_t accelerators, double rollout_share) {
  const auto rollouts =
      static_cast<std::int64_t>(std::llround(static_cast<double>(accelerators) * rollout_share));
  const std::int64_t own = rollout_share > 0.0 ? std::max<std::int64_t>(1, rollouts) : 0;
  return std::max<std::int64_t>(1, accelerators - own);
}

// Sequences of an update, and the devices that train.
void set_policy_shape(const JobValues& at, parallel::JobShape& job) {
  const auto samples = static_cast<std::int64_t>(at.number("prompts", 1.0)) *
                       static_cast<std::int64_t>(at.number("samples", 1.0));
  const bool separate = at.label("placement") == "separate";
  job.global_batch =
      std::max<std::int64_t>(1, samples / static_cast<std::int64_t>(at.number("updates", 1.0)));
  job.accelerators =
      trainers_of(job.accelerators, separate ? at.number("rollout_share", 0.0) : 0.0);
}

const Axis* axis_named(std::span<const Axis> axes, std::string_view name) {
  const auto found =
      std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name == name; });
  return found == axes.end() ? nullptr : &*found;
}

}  // namespace

std::optional<std::size_t> JobValues::place(std::string_view axis) const {
  const Axis* const found = axis_named(axes, axis);
  return found == nullptr ? std::nullopt
                          : std::optional(static_cast<std::size_t>(index[found - axes.data()]));
}

double JobValues::number(std::string_view axis, double otherwise) const {
  const auto at = place(axis);
  return at ? axis_named(axes, axis)->values[*at] : otherwise;
}

std::string_view JobValues::label(std::string_view axis) const {
  const auto at = place(axis);
  return at ? std::string_view(axis_named(axes, axis)->labels[*at]) : std::string_view();
}

std::vector<const Key*> WorkloadForm::keys_of(std::string_view table) const {
  std::vector<const Key*> found;
  for (const Key* key : keys_in(table)) {
    if (key->variants == config::every_variant || (key->variants & rows) != 0) {
      found.push_back(key);
    }
  }
  for (const keys::Row& row : own_rows) {
    if (row.key.table() == table) {
      found.push_back(&row.key);
    }
  }
  return found;
}

bool WorkloadForm::has(std::string_view workload_key) const {
  const std::vector<const Key*> keys = keys_of("workload");
  return std::any_of(keys.begin(), keys.end(),
                     [&](const Key* key) { return key->name() == workload_key; });
}

const WorkloadForm& training_form() {
  static const WorkloadForm form = {
      .name = "training",
      .rows = of(WorkloadKind::training),
      .precision_example = "{ name = \"lean\", linear = \"fp8\", moments = \"bf16\" }",
      .refused_key = "batch",
      .instead = "write global_batch"};
  return form;
}

const WorkloadForm& inference_form() {
  static const WorkloadForm form = {.name = "inference",
                                    .rows = of(WorkloadKind::inference),
                                    .strategies = parallel::batch_rules(),
                                    .precision_example = stored_example,
                                    .refused_key = "global_batch",
                                    .instead = "write batch"};
  return form;
}

const WorkloadForm& serving_form() {
  static const WorkloadForm form = {.name = "serving",
                                    .rows = of(WorkloadKind::serving),
                                    .strategies = parallel::service_rules(),
                                    .precision_example = stored_example,
                                    .refused_key = "batch",
                                    .instead = "the batch is found, the largest within the limits"};
  return form;
}

const WorkloadForm& recommendation_form() {
  static const WorkloadForm form = {.name = "recommendation",
                                    .rows = of(WorkloadKind::recommendation),
                                    .strategies = parallel::table_rules(),
                                    .model_key = "recommender",
                                    .has_layers = false,
                                    .refused_key = "global_batch",
                                    .instead = "write batch"};
  return form;
}

const WorkloadForm& diffusion_form() {
  static const WorkloadForm form = {.name = "diffusion",
                                    .rows = of(WorkloadKind::diffusion),
                                    .strategies = parallel::image_rules(),
                                    .trained_strategies = parallel::trained_image_rules(),
                                    .model_key = "diffusion_model",
                                    .refused_key = "global_batch",
                                    .instead = "write batch"};
  return form;
}

const WorkloadForm& reinforcement_form() {
  static const WorkloadForm form = {.name = "reinforcement_learning",
                                    .rows = of(WorkloadKind::reinforcement_learning),
                                    .strategies = parallel::policy_rules(),
                                    .set_shape = set_policy_shape,
                                    .refused_key = "global_batch",
                                    .instead = "write prompts and samples"};
  return form;
}

const WorkloadForms& workload_forms() {
  static const WorkloadForms forms = {&training_form(),  &inference_form(),
                                      &serving_form(),   &recommendation_form(),
                                      &diffusion_form(), &reinforcement_form()};
  return forms;
}

}  // namespace scalesweep::space
