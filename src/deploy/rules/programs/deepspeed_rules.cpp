// What Megatron-DeepSpeed (4efb479d, the same beside every DeepSpeed) and DeepSpeed refuse.
#include <fmt/format.h>

#include <array>

#include "deploy/rules/program_rules.hpp"
#include "deploy/rules/programs/megatron_core.hpp"
#include "workload/model.hpp"

namespace scalesweep::deploy {
namespace {

using technology::Precision;

// Its experts are as wide as the MLPs of all other layers, and the first ones are not plain.
bool has_other_experts(const workload::TransformerModel& model) {
  const workload::Experts& experts = model.experts;
  return experts.on() && (experts.dense_layers > 0 || experts.shared_ffn > 0 ||
                          (experts.every > 1 && experts.ffn != model.ffn));
}

// Without ZeRO: which mixes of activations and accumulated gradients have an optimizer.
std::string mixed_gradients(const Subject& subject, bool bf16_too) {
  const bool mixed = subject.gradients != subject.activations;
  const bool kept =
      !bf16_too && subject.activations == Precision::bf16 && subject.gradients == Precision::fp32;
  return mixed && !kept ? "zero == 0" : "";
}

constexpr auto rules = std::to_array<Rule>({
    {[](const Subject& s) { return any_if(s.model.latent.on()); }, "latent attention",
     "megatron/arguments.py:599 of Megatron-DeepSpeed 4efb479d has no option for it"},
    {[](const Subject& s) { return any_if(has_other_experts(s.model)); },
     "shared experts, leading layers without experts, and experts that are not as wide as other "
     "MLPs",
     "megatron/model/transformer.py:1063 to 1076 of Megatron-DeepSpeed 4efb479d"},
    {uneven_heads, "heads that tensor_parallel does not divide",
     "megatron/model/transformer.py:562 of Megatron-DeepSpeed 4efb479d"},
    {uneven_query_groups, "heads of keys and values that tensor_parallel does not divide",
     "megatron/model/transformer.py:566 of Megatron-DeepSpeed 4efb479d"},
    {[](const Subject& s) -> std::string {
       return fmt::format("{} % context_parallel != 0", s.model.heads);
     },
     "heads that its sequence parallelism (context_parallel) does not divide",
     "megatron/model/transformer.py:618 of Megatron-DeepSpeed 4efb479d"},
    {[](const Subject&) -> std::string {
       return "context_parallel > 1 and (tensor_parallel > 1 or pipeline_parallel > 1)";
     },
     "its sequence parallelism (context_parallel) together with tensor or pipeline parallelism",
     "megatron/core/parallel_state.py:146 of Megatron-DeepSpeed 4efb479d"},
    {[](const Subject&) -> std::string {
       return "schedule == 'zero_bubble' and tensor_parallel > 1 and sequence_parallel";
     },
     "the zero-bubble schedule together with sequence parallelism",
     "megatron/arguments.py:81 of Megatron-DeepSpeed 4efb479d"},
    {[](const Subject& s) -> std::string { return s.model.experts.on() ? "zero == 3" : ""; },
     "experts with ZeRO stage 3",
     "deepspeed/runtime/engine.py:1846 of DeepSpeed cf443004, 1793 of e4f6da96"},
    {[](const Subject& s) { return mixed_gradients(s, false); },
     "gradients that are accumulated in another format than the activations, without ZeRO",
     "deepspeed/runtime/engine.py:1420 of DeepSpeed e4f6da96", before("0.18")},
    {[](const Subject& s) { return mixed_gradients(s, true); },
     "gradients that are accumulated in another format than the activations, without ZeRO",
     "deepspeed/runtime/engine.py:1977 of DeepSpeed cf443004", since("0.18")},
    {[](const Subject&) -> std::string { return "offload_optimizer and zero == 0"; },
     "an optimizer on the host without ZeRO",
     "deepspeed/runtime/zero/config.py:164 of DeepSpeed cf443004"},
    {[](const Subject&) -> std::string { return "offload_activations and recompute != 'full'"; },
     "activations in host memory that are not the inputs of layers computed again",
     "deepspeed/runtime/activation_checkpointing/checkpointing.py of DeepSpeed cf443004"},
    {[](const Subject&) -> std::string {
       return "shard_group > 0 and (tensor_parallel > 1 or context_parallel > 1)";
     },
     "groups of sharded weights (MiCS) beside tensor or context parallelism: its groups are of "
     "consecutive ranks",
     "deepspeed/runtime/zero/mics_utils.py:74 of DeepSpeed cf443004"},
    {[](const Subject& s) { return any_if(s.moments != Precision::fp32); }, "moments in fewer bits",
     "megatron/optimizer/__init__.py:90 of Megatron-DeepSpeed 4efb479d asks no format of them"},
});

}  // namespace

std::span<const Rule> deepspeed_rules() {
  return rules;
}

}  // namespace scalesweep::deploy
