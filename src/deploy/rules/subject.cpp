#include "deploy/rules/subject.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "deploy/rules/programs/engine_conditions.hpp"
#include "estimator/inference/job.hpp"
#include "estimator/training/job.hpp"
#include "study/kinds/serving.hpp"
#include "study/kinds/workload_kind.hpp"
#include "workload/framework.hpp"

namespace scalesweep::deploy {
namespace {

constexpr std::int64_t block = 128;

bool is_in_blocks(const Subject& subject, technology::Precision format) {
  return format == technology::Precision::fp8 && subject.recipe == workload::Recipe::block;
}

// Whether layers of experts have a part that all tensor-parallel ranks share.
bool has_plain_layers(const workload::TransformerModel& model) {
  return !model.experts.on() || model.expert_layers() < model.layers;
}

// A width that tensor parallelism cuts into parts that are no whole blocks.
std::string broken_blocks(std::int64_t width) {
  return fmt::format("{} % ({} * tensor_parallel) != 0", width, block);
}

}  // namespace

std::vector<std::string_view> linear_formats(const study::Point& point) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < point.job.multiplied.size(); ++i) {
    const std::string_view name = technology::name_of(point.job.multiplied[i]);
    const bool is_linear = i != study::of_activations;
    if (is_linear && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

Subject subject_of(const study::Study& study, const study::Point& point,
                   const workload::Framework* stack) {
  const technology::Device& device = point.system.system->device;
  if (&study.kind() == &study::training_kind()) {
    const auto& job = study::work_of<estimator::TrainingJob>(point.job);
    const estimator::PrecisionPolicy& precision = job.precision;
    return {job.model,
            device,
            precision.linear,
            precision.linear,
            precision.activations,
            stack == nullptr
                ? job.recipe()
                : workload::recipe_for(technology::name_of(precision.linear), precision.recipe,
                                       stack->training.replicas.fp8_recipe),
            precision.gradients,
            precision.moments,
            job.sequence};
  }
  const bool is_service = &study.kind() == &study::serving_kind();
  const estimator::InferenceJob& job =
      is_service ? study::work_of<estimator::ServingJob>(point.job).inference
                 : study::work_of<estimator::InferenceJob>(point.job);
  const workload::LinearPart experts = workload::LinearPart::experts;
  return {job.model,
          device,
          job.precision.operands,
          job.precision.operands_of(experts),
          job.precision.activations,
          stack == nullptr
              ? job.recipe(experts)
              : workload::recipe_for(technology::name_of(job.precision.operands_of(experts)),
                                     job.precision.recipe, stack->serving.fp8_recipe)};
}

// engine_conditions.hpp: of what is told of subjects here.
std::string expert_blocks(const Subject& subject, std::string_view cut) {
  const workload::TransformerModel& model = subject.model;
  if (!model.experts.on() || !is_in_blocks(subject, subject.experts)) {
    return "";
  }
  return model.experts.ffn % block != 0
             ? std::string(any_layout)
             : fmt::format("({}) and {}", cut, broken_blocks(model.experts.ffn));
}

std::string mlp_blocks(const Subject& subject) {
  const workload::TransformerModel& model = subject.model;
  if (!is_in_blocks(subject, subject.linear)) {
    return "";
  }
  std::string layouts = has_plain_layers(model) ? broken_blocks(model.ffn) : "";
  if (model.experts.shared_ffn > 0) {
    layouts += fmt::format("{}(expert_parallel == 1 and {})", layouts.empty() ? "" : " or ",
                           broken_blocks(model.experts.shared_ffn));
  }
  return layouts;
}

std::string head_blocks(const Subject& subject) {
  const workload::TransformerModel& model = subject.model;
  if (!is_in_blocks(subject, subject.linear)) {
    return "";
  }
  if (model.latent.on()) {
    const workload::LatentAttention& latent = model.latent;
    const std::int64_t query = model.heads * (latent.rope_dim + latent.nope_dim);
    const std::int64_t output = model.heads * latent.value_dim;
    return fmt::format("tensor_parallel > 1 and ({} or {})", broken_blocks(query),
                       broken_blocks(output));
  }
  std::string keys = broken_blocks(model.kv_heads * model.head_dim);
  if (model.head_dim % block != 0) {  // a head alone is no whole block
    keys = fmt::format("tensor_parallel > {} or {}", model.kv_heads, keys);
  } else {
    keys = fmt::format("tensor_parallel <= {} and {}", model.kv_heads, keys);
  }
  return fmt::format("tensor_parallel > 1 and ({} or ({}))",
                     broken_blocks(model.heads * model.head_dim), keys);
}

std::string uneven_copies(const Subject& subject) {
  return subject.model.experts.on()
             ? fmt::format(
                   "redundant_experts > 0 and ({} + redundant_experts) % expert_parallel != 0",
                   subject.model.experts.count)
             : "";
}

std::string undivided_experts(const Subject& subject) {
  return subject.model.experts.on()
             ? fmt::format("redundant_experts == 0 and {} % expert_parallel != 0",
                           subject.model.experts.count)
             : "";
}

std::string shared_caches_of_heads(const Subject& subject) {
  return subject.model.latent.on() ? "" : "decode_context_parallel > 1";
}

std::string shared_queries(const Subject& subject) {
  const workload::TransformerModel& model = subject.model;
  return model.latent.on() || model.kv_heads <= 0
             ? ""
             : fmt::format("decode_context_parallel > 1 and {} % decode_context_parallel != 0",
                           model.heads / model.kv_heads);
}

std::string multiplied_in(const Subject& subject, technology::Precision format) {
  return any_if(subject.linear == format || subject.experts == format);
}

}  // namespace scalesweep::deploy
