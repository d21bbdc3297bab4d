#include "space/spec/workload_form.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace scalesweep::space {
namespace {

using config::TableCursor;
using config::ValueCursor;
using parallel::WorkloadKind;

constexpr std::string_view stored_example =
    "{ name = \"w4a16\", weights = \"int4\", operands = \"bf16\" }";

// The time of a draft is said, or follows from its layers.
void check_drafter(const TableCursor& workload) {
  if (workload.has("draft_model") && workload.has("draft_time")) {
    workload.error("draft_time",
                   "the time of a draft_model follows from its layers; leave one of both out");
  }
}

// A draft is checked in one iteration: how many of its tokens stay decides what it brings.
void check_speculation(const TableCursor& workload) {
  const bool drafts = workload.has("draft");
  const bool accepts = workload.has("acceptance");
  if (drafts && !accepts) {
    workload.error("draft",
                   "with a draft, say how likely each of its tokens is kept, for example "
                   "acceptance = 0.8");
  }
  check_drafter(workload);
  for (const char* key : {"acceptance", "draft_time", "draft_model"}) {
    if (!drafts && workload.has(key)) {
      workload.error(key, fmt::format("'{}' goes with draft, for example draft = 4", key));
    }
  }
}

// Without pools of their own for prefill a share of them changes nothing.
void check_prefill_share(const TableCursor& workload) {
  const auto batching = workload.value("batching");
  if (!workload.has("prefill_share")) {
    return;
  }
  const std::vector<ValueCursor> ways =
      batching ? batching->list_or_single() : std::vector<ValueCursor>{};
  const auto has_pools = [](const ValueCursor& way) {
    return way.form() == ValueCursor::Form::string && way.string() == "disaggregated";
  };
  if (std::none_of(ways.begin(), ways.end(), has_pools)) {
    workload.error("prefill_share",
                   "'prefill_share' goes with batching = \"disaggregated\"; leave it out");
  }
}

// Of replicas without work there are none where as many requests arrive all day.
void check_idle_replicas(const TableCursor& workload) {
  if (workload.has("replicas") && !workload.has("load_curve")) {
    workload.error("replicas",
                   "'replicas' goes with load_curve, for example load_curve = [0.3, 0.6, 1.0]");
  }
}

// Keys that change nothing without another one.
void check_adapters(const TableCursor& workload) {
  const bool has_any = workload.has("adapters");
  if (has_any && !workload.has("adapter_rank")) {
    workload.error("adapters", "with adapters, say their rank, for example adapter_rank = 16");
  }
  for (const char* key : {"adapter_rank", "adapter_layers", "adapter_skew"}) {
    if (!has_any && workload.has(key)) {
      workload.error(key, fmt::format("'{}' goes with adapters, for example adapters = 8", key));
    }
  }
}

// Sizes of images, or lengths of recordings, where there are none.
void check_images(const TableCursor& workload) {
  const auto goes_with = [&](const char* key, const char* inputs) {
    if (workload.has(key) && !workload.has(inputs)) {
      workload.error(key, fmt::format("'{0}' goes with {1}, for example {1} = 1", key, inputs));
    }
  };
  goes_with("image_width", "images");
  goes_with("image_height", "images");
  goes_with("recording_length", "recordings");
  if (workload.has("input_spread") && !workload.has("images") && !workload.has("recordings")) {
    workload.error("input_spread",
                   "'input_spread' goes with images or recordings, for example images = 1");
  }
}

// What is said of adapters where all weights are trained.
void check_tuning(const TableCursor& workload) {
  check_images(workload);
  for (const char* key : {"adapter_layers", "frozen_weights"}) {
    if (workload.has(key) && !workload.has("adapter_rank")) {
      workload.error(key, fmt::format("'{}' goes with adapters; say their rank, for example "
                                      "adapter_rank = 16",
                                      key));
    }
  }
}

void check_prefixes(const TableCursor& workload) {
  const char* bandwidth = "prefix_storage_bandwidth";
  bool stores = false;
  for (const char* key : {"prefix_hits_storage", "prefix_cache_storage"}) {
    stores = stores || workload.has(key);
    if (workload.has(key) && !workload.has(bandwidth)) {
      workload.error(key, fmt::format("with storage, say how fast each device reads it, for "
                                      "example {} = \"5 GB/s\"",
                                      bandwidth));
    }
  }
  if (workload.has(bandwidth) && !stores) {
    workload.error(bandwidth, fmt::format("'{}' goes with prefix_hits_storage or "
                                          "prefix_cache_storage",
                                          bandwidth));
  }
  const bool loads =
      stores || workload.has("prefix_hits_host") || workload.has("prefix_cache_host");
  if (workload.has("prefix_loading") && !loads) {
    workload.error("prefix_loading",
                   "nothing is loaded without a tier of the host or of storage, for example "
                   "prefix_hits_host = 0.3");
  }
}

void check_inference(const TableCursor& workload) {
  check_speculation(workload);
  check_adapters(workload);
  check_images(workload);
  check_prefixes(workload);
}

// Whether a list of words, or one, has this word.
bool names_word(const TableCursor& workload, const char* key, std::string_view word) {
  const auto value = workload.value(key);
  const std::vector<ValueCursor> words =
      value ? value->list_or_single() : std::vector<ValueCursor>{};
  return std::any_of(words.begin(), words.end(), [&](const ValueCursor& one) {
    return one.form() == ValueCursor::Form::string && one.string() == word;
  });
}

// Without devices of their own for rollouts, neither their share nor stale weights change anything.
void check_rollouts(const TableCursor& workload) {
  const bool separate = names_word(workload, "placement", "separate");
  for (const char* key : {"rollout_share", "staleness"}) {
    if (workload.has(key) && !separate) {
      workload.error(key,
                     fmt::format("'{}' goes with placement = \"separate\"; leave it out", key));
    }
  }
}

// What is asked of a step of training alone, or of the making of pictures.
void check_pictures(const TableCursor& workload) {
  const bool trains = names_word(workload, "work", "training");
  const bool makes = !workload.has("work") || names_word(workload, "work", "inference");
  for (const char* key : {"optimizer", "states", "weight_average", "latents"}) {
    if (workload.has(key) && !trains) {
      workload.error(key, fmt::format("'{}' goes with work = \"training\"; leave it out", key));
    }
  }
  if (workload.has("denoising_steps") && !makes) {
    workload.error("denoising_steps",
                   "'denoising_steps' goes with work = \"inference\": in training each picture "
                   "has one noise level a step; leave it out");
  }
}

void check_serving(const TableCursor& workload) {
  check_inference(workload);
  check_idle_replicas(workload);
  check_prefill_share(workload);
}

}  // namespace

std::vector<const Key*> WorkloadForm::keys_of(std::string_view table) const {
  std::vector<const Key*> keys;
  for (const Key* key : keys_in(table)) {
    if (key->variants == config::every_variant || (key->variants & rows) != 0) {
      keys.push_back(key);
    }
  }
  for (const Key& key : own_rows) {
    if (key.table() == table) {
      keys.push_back(&key);
    }
  }
  return keys;
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
      .instead = "write global_batch",
      .check = check_tuning};
  return form;
}

const WorkloadForm& inference_form() {
  static const WorkloadForm form = {.name = "inference",
                                    .rows = of(WorkloadKind::inference),
                                    .strategies = parallel::batch_rules(),
                                    .precision_example = stored_example,
                                    .refused_key = "global_batch",
                                    .instead = "write batch",
                                    .check = check_inference};
  return form;
}

const WorkloadForm& serving_form() {
  static const WorkloadForm form = {.name = "serving",
                                    .rows = of(WorkloadKind::serving),
                                    .strategies = parallel::service_rules(),
                                    .precision_example = stored_example,
                                    .refused_key = "batch",
                                    .instead = "the batch is found, the largest within the limits",
                                    .check = check_serving};
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
                                    .instead = "write batch",
                                    .check = check_pictures};
  return form;
}

const WorkloadForm& reinforcement_form() {
  static const WorkloadForm form = {.name = "reinforcement_learning",
                                    .rows = of(WorkloadKind::reinforcement_learning),
                                    .strategies = parallel::policy_rules(),
                                    .refused_key = "global_batch",
                                    .instead = "write prompts and samples",
                                    .check = check_rollouts};
  return form;
}

const WorkloadForms& workload_forms() {
  static const WorkloadForms forms = {&training_form(),  &inference_form(),
                                      &serving_form(),   &recommendation_form(),
                                      &diffusion_form(), &reinforcement_form()};
  return forms;
}

}  // namespace scalesweep::space
