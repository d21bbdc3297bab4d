// What Megatron-LM refuses: validate_args of megatron/training/arguments.py, __post_init__ of
// TransformerConfig and OptimizerConfig, and the first forward pass. Rules that the enumeration of
// layouts keeps as well stand here too: imported layouts do not come from it.
#include <fmt/format.h>

#include <array>

#include "deploy/parts/vendors.hpp"
#include "deploy/rules/program_rules.hpp"
#include "deploy/rules/programs/megatron_core.hpp"
#include "technology/device.hpp"
#include "workload/model.hpp"

namespace scalesweep::deploy {
namespace {

using technology::Precision;

// Neither dealt out evenly, nor with the embedding and the head counted as a layer each.
std::string listed_parts(const Subject& subject) {
  const std::int64_t layers = subject.model.layers;
  return fmt::format(
      "first_stage_layers == 0 and last_stage_layers == 0 and "
      "{} % (pipeline_parallel * chunks) != 0 and {} % (pipeline_parallel * chunks) != 0",
      layers, layers + 2);
}

// Of bf16 gradients --grad-reduce-in-bf16 says it, of fp16 nothing.
bool are_accumulated_otherwise(const Subject& subject) {
  return subject.gradients != Precision::fp32 && subject.gradients != subject.activations;
}

constexpr auto rules = std::to_array<Rule>({
    {uneven_heads, "heads that tensor_parallel does not divide",
     "megatron/core/transformer/transformer_config.py:1446 of d98e8a64"},
    {uneven_query_groups, "groups of keys and values that tensor_parallel does not divide",
     "megatron/core/transformer/transformer_config.py:758 of 0d7e02bd", before("0.16")},
    {uneven_or_thin_query_groups,
     "groups of keys and values that neither divide tensor_parallel nor are a multiple of it",
     "megatron/core/transformer/transformer_config.py:1462 of d98e8a64", since("0.16")},
    {uneven_experts, "experts that expert_parallel does not divide",
     "megatron/training/arguments.py:1657 of d98e8a64"},
    {experts_of_whole_sequences, "experts with tensor parallelism but no sequence parallelism",
     "megatron/core/transformer/moe/moe_layer.py:636 of d98e8a64"},
    {[](const Subject& s) {
       return any_if(s.model.experts.on() && s.activations != Precision::bf16);
     },
     "experts whose activations are not in bf16",
     "megatron/training/arguments.py:877 and 1041 of 0d7e02bd", before("0.16")},
    {[](const Subject& s) { return any_if(s.model.experts.on() && s.model.biases); },
     "experts with biases", "megatron/core/transformer/transformer_config.py:946 of 5cb6dbb3",
     before("0.15")},
    {biases_of_cut_experts, "biases of experts that tensor parallelism cuts",
     "megatron/core/transformer/transformer_config.py:2612 of d98e8a64", since("0.15")},
    {heads_exchanged_unevenly,
     "all-to-all context parallelism that does not divide the heads of a tensor-parallel rank, or "
     "those of its keys and values",
     "transformer_engine/pytorch/attention/dot_product_attention/context_parallel.py:4246 of "
     "Transformer Engine d0067d0d"},
    {[](const Subject& s) -> std::string {
       return s.model.prediction_layers > 0 ? "context_parallel > 1" : "";
     },
     "context parallelism with multi-token prediction",
     "megatron/training/arguments.py:973 of 5cb6dbb3", before("0.14")},
    {listed_parts,
     "layers that do not divide into parts, with embedding and head or without, for which "
     "--pipeline-model-parallel-layout came in 0.13",
     "megatron/training/arguments.py:500 of 5cb6dbb3", before("0.13")},
    {[](const Subject&) -> std::string {
       return "first_stage_layers > 0 and last_stage_layers > 0 and pipeline_parallel == 2";
     },
     "a first and a last stage with layers of their own and none between them",
     "megatron/core/transformer/transformer_config.py:824 of 5cb6dbb3", before("0.13")},
    {uneven_chunks,
     "chunks that do not divide the layers of a stage where the first or the last has its own",
     "megatron/core/transformer/transformer_config.py:2307 to 2361 of d98e8a64"},
    {[](const Subject&) -> std::string { return "offload_activations"; },
     "activations in host memory, for which --cpu-offloading-num-layers came in 0.16",
     "megatron/training/arguments.py of 0d7e02bd has no such option", before("0.16")},
    {offloads_and_recomputes, "activations in host memory together with recomputation",
     "megatron/core/transformer/transformer_config.py:1896 of d98e8a64", since("0.16")},
    {narrow_moments_of_whole_states,
     "moments in fewer bits, or the optimizer on the host, without the distributed optimizer "
     "(ZeRO stage 0)",
     "megatron/core/optimizer/__init__.py:1057 of d98e8a64, optimizer_config.py:170 of 5cb6dbb3"},
    {[](const Subject& s) { return any_if(s.moments == Precision::bf16); },
     "moments in bf16, which --exp-avg-dtype takes since 0.13",
     "megatron/training/arguments.py:2689 of 5cb6dbb3", before("0.13")},
    {[](const Subject& s) {
       return any_if(s.moments != Precision::fp32 && s.moments != Precision::fp16 &&
                     s.moments != Precision::bf16 && s.moments != Precision::fp8);
     },
     "moments in other formats than fp32, fp16, bf16 and fp8",
     "megatron/training/arguments.py:3675 of d98e8a64"},
    {[](const Subject& s) { return any_if(are_accumulated_otherwise(s)); },
     "gradients in 16 bits of another kind than the activations",
     "megatron/training/arguments.py:1194 to 1217 of d98e8a64"},
    {[](const Subject& s) {
       return any_if(s.linear == Precision::fp8 && s.recipe == workload::Recipe::block);
     },
     "fp8 with scales of blocks, which --fp8-recipe takes since 0.13",
     "megatron/training/arguments.py:1067 of 5cb6dbb3", before("0.13")},
    {[](const Subject& s) { return any_if(s.linear == Precision::fp4); },
     "linear layers in fp4, for which --fp4-format came in 0.15",
     "megatron/training/arguments.py of 5cb6dbb3 has no such option", before("0.15")},
    {[](const Subject& s) {
       return any_if(s.linear == Precision::fp4 && vendor_of(s.device.name) != Vendor::nvidia);
     },
     "fp4 on other devices than those of NVIDIA from Blackwell on",
     "transformer_engine/pytorch/quantization.py:207 of Transformer Engine d0067d0d"},
    {[](const Subject&) -> std::string { return "shard_group > 0"; },
     "weights that are sharded over some of the replicas, which its FSDP takes from 0.14 on",
     "megatron/core/distributed/custom_fsdp of 5cb6dbb3 reads no number of instances",
     before("0.14")},
    {uneven_expert_shards, "replicas of experts that the groups of sharded weights do not divide",
     "megatron/core/parallel_state.py:1448 of d98e8a64", since("0.14")},
});

}  // namespace

std::span<const Rule> megatron_rules() {
  return rules;
}

}  // namespace scalesweep::deploy
