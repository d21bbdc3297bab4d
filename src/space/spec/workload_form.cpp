#include "space/spec/workload_form.hpp"

#include <algorithm>

namespace scalesweep::space {
namespace {

using parallel::WorkloadKind;

constexpr std::string_view stored_example =
    "{ name = \"w4a16\", weights = \"int4\", operands = \"bf16\" }";

}  // namespace

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
                                    .refused_key = "global_batch",
                                    .instead = "write batch"};
  return form;
}

const WorkloadForm& diffusion_form() {
  static const WorkloadForm form = {.name = "diffusion",
                                    .rows = of(WorkloadKind::diffusion),
                                    .strategies = parallel::picture_rules(),
                                    .trained_strategies = parallel::trained_picture_rules(),
                                    .model_key = "diffusion_model",
                                    .refused_key = "global_batch",
                                    .instead = "write batch"};
  return form;
}

const WorkloadForm& reinforcement_form() {
  static const WorkloadForm form = {.name = "reinforcement_learning",
                                    .rows = of(WorkloadKind::reinforcement_learning),
                                    .strategies = parallel::policy_rules(),
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
