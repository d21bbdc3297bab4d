#include "deploy/rules/programs/megatron_core.hpp"

#include <fmt/format.h>

#include "workload/model.hpp"

namespace scalesweep::deploy {

std::string uneven_heads(const Subject& subject) {
  return fmt::format("{} % tensor_parallel != 0", subject.model.heads);
}

std::string uneven_query_groups(const Subject& subject) {
  const workload::TransformerModel& model = subject.model;
  return model.latent.on() ? "" : fmt::format("{} % tensor_parallel != 0", model.kv_heads);
}

std::string uneven_or_thin_query_groups(const Subject& subject) {
  const workload::TransformerModel& model = subject.model;
  return model.latent.on()
             ? ""
             : fmt::format("{0} % tensor_parallel != 0 and tensor_parallel % {0} != 0",
                           model.kv_heads);
}

std::string uneven_experts(const Subject& subject) {
  return subject.model.experts.on()
             ? fmt::format("{} % expert_parallel != 0", subject.model.experts.count)
             : "";
}

std::string experts_of_whole_sequences(const Subject& subject) {
  return subject.model.experts.on() ? "tensor_parallel > 1 and not sequence_parallel" : "";
}

std::string biases_of_cut_experts(const Subject& subject) {
  return subject.model.experts.on() && subject.model.biases
             ? "tensor_parallel > 1 and not experts_over_tensor"
             : "";
}

std::string heads_exchanged_unevenly(const Subject& subject) {
  const workload::TransformerModel& model = subject.model;
  return fmt::format(
      "context_parallel > 1 and context_exchange == 'all_to_all' and "
      "({} % (tensor_parallel * context_parallel) != 0 or "
      "{} % (tensor_parallel * context_parallel) != 0)",
      model.heads, model.latent.on() ? model.heads : model.kv_heads);
}

std::string uneven_chunks(const Subject& subject) {
  const std::int64_t layers = subject.model.layers;
  return fmt::format(
      "chunks > 1 and (first_stage_layers > 0 or last_stage_layers > 0) and "
      "(first_stage_layers % chunks != 0 or last_stage_layers % chunks != 0 or "
      "({0} - first_stage_layers - last_stage_layers) % chunks != 0)",
      layers);
}

std::string offloads_and_recomputes(const Subject& /*subject*/) {
  return "offload_activations and recompute != 'none'";
}

std::string narrow_moments_of_whole_states(const Subject& subject) {
  const bool narrow = subject.moments != technology::Precision::fp32;
  return fmt::format("zero == 0 and context_parallel * data_parallel > 1{}",
                     narrow ? "" : " and offload_optimizer");
}

std::string uneven_expert_shards(const Subject& subject) {
  return subject.model.experts.on()
             ? "shard_group > 0 and "
               "((not experts_over_tensor and shard_group % expert_parallel != 0) or "
               "(experts_over_tensor and shard_group * tensor_parallel % expert_parallel != 0))"
             : "";
}

}  // namespace scalesweep::deploy
