// What Megatron-Bridge refuses: what Megatron-Core does at the commit of its submodule, and
// validate() of its ConfigContainer.
#include <array>

#include "deploy/parts/vendors.hpp"
#include "deploy/rules/program_rules.hpp"
#include "deploy/rules/programs/megatron_core.hpp"
#include "technology/device.hpp"

namespace scalesweep::deploy {
namespace {

using technology::Precision;

constexpr auto rules = std::to_array<Rule>({
    {uneven_heads, "heads that tensor_parallel does not divide",
     "megatron/core/transformer/transformer_config.py:1325 of Megatron-Core cd4afffa"},
    {uneven_query_groups, "groups of keys and values that tensor_parallel does not divide",
     "megatron/core/transformer/transformer_config.py:806 of Megatron-Core 0d8e0714",
     before("0.3")},
    {uneven_or_thin_query_groups,
     "groups of keys and values that neither divide tensor_parallel nor are a multiple of it",
     "megatron/core/transformer/transformer_config.py:1343 of Megatron-Core cd4afffa",
     since("0.3")},
    {uneven_experts, "experts that expert_parallel does not divide",
     "megatron/core/transformer/moe/moe_layer.py:185 of Megatron-Core cd4afffa"},
    {experts_of_whole_sequences, "experts with tensor parallelism but no sequence parallelism",
     "megatron/core/transformer/moe/moe_layer.py:620 of Megatron-Core cd4afffa"},
    {biases_of_cut_experts, "biases of experts that tensor parallelism cuts",
     "megatron/core/transformer/transformer_config.py:2282 of Megatron-Core cd4afffa"},
    {heads_exchanged_unevenly,
     "all-to-all context parallelism that does not divide the heads of a tensor-parallel rank, or "
     "those of its keys and values",
     "transformer_engine/pytorch/attention/dot_product_attention/context_parallel.py:4246 of "
     "Transformer Engine d0067d0d"},
    {uneven_chunks,
     "chunks that do not divide the layers of a stage where the first or the last has its own",
     "megatron/core/transformer/transformer_config.py:2007 of Megatron-Core cd4afffa"},
    {offloads_and_recomputes, "activations in host memory together with recomputation",
     "megatron/core/transformer/transformer_config.py:1721 of Megatron-Core cd4afffa"},
    {narrow_moments_of_whole_states,
     "moments in fewer bits, or the optimizer on the host, without the distributed optimizer "
     "(ZeRO stage 0)",
     "megatron/core/optimizer/optimizer_config.py:436 of Megatron-Core cd4afffa"},
    {[](const Subject& s) -> std::string {
       return s.linear == Precision::fp4 && vendor_of(s.device.name) != Vendor::nvidia
                  ? std::string(any_layout)
                  : "";
     },
     "fp4 on other devices than those of NVIDIA from Blackwell on",
     "transformer_engine/pytorch/quantization.py:207 of Transformer Engine d0067d0d"},
    {[](const Subject&) -> std::string { return "zero >= 2 and rank_order == 'tp-cp-ep-pp-dp'"; },
     "FSDP with replicas as the outermost ranks (dist.use_tp_pp_dp_mapping)",
     "src/megatron/bridge/training/config.py:1115 of 51885cf1"},
    {uneven_expert_shards, "replicas of experts that the groups of sharded weights do not divide",
     "src/megatron/bridge/training/initialize.py:467 of 51885cf1"},
});

}  // namespace

std::span<const Rule> bridge_rules() {
  return rules;
}

}  // namespace scalesweep::deploy
