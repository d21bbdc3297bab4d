// What nanotron refuses.
#include <fmt/format.h>

#include <array>

#include "deploy/rules/program_rules.hpp"
#include "workload/model.hpp"

namespace scalesweep::deploy {
namespace {

// Its Llama and Qwen2: rotary positions, three matrices, heads as wide as hidden / heads.
bool is_llama(const workload::TransformerModel& model) {
  return model.gated_ffn && !model.learned_positions && !model.latent.on() && !model.linear.on() &&
         !model.local.on() && !model.sparse.on() && !model.parallel_blocks &&
         model.head_dim * model.heads == model.hidden;
}

constexpr auto rules = std::to_array<Rule>({
    {[](const Subject& s) { return any_if(!is_llama(s.model)); },
     "a model that is built as neither Llama nor Qwen2, with heads as wide as hidden / heads",
     "src/nanotron/trainer.py:99 of 4799d247, :111 of 2411b022; models/llama.py:180 of 4799d247, "
     ":258 of 2411b022"},
    {[](const Subject& s) { return any_if(s.model.experts.on() || s.model.qkv_biases); },
     "models with experts or with biases of queries, keys and values (Qwen2, which came later)",
     "src/nanotron/trainer.py:99 of 4799d247", before("main")},
    {[](const Subject&) -> std::string { return "recompute == 'full'"; },
     "full recomputation (recompute_layer, which came later)",
     "src/nanotron/config/parallelism_config.py of 4799d247, :35 of 2411b022 has it",
     before("main")},
    {[](const Subject&) -> std::string { return "context_parallel > 1"; },
     "context parallelism (context_parallel_size, which came later)",
     "src/nanotron/config/parallelism_config.py of 4799d247, :39 of 2411b022 has it",
     before("main")},
    {[](const Subject&) -> std::string { return "context_parallel > 1"; },
     "context parallelism of a model that is not loaded from a checkpoint",
     "src/nanotron/trainer.py:1053 of 2411b022", since("main")},
    {[](const Subject& s) -> std::string {
       return fmt::format("{} % tensor_parallel != 0", s.model.kv_heads);
     },
     "keys and values whose heads tensor_parallel does not divide",
     "src/nanotron/models/llama.py:274 of 4799d247, :352 of 2411b022; config/config.py:543 of "
     "2411b022"},
    {[](const Subject&) -> std::string {
       return "pipeline_parallel > 1 and micro_batches < pipeline_parallel - 1";
     },
     "fewer micro-batches than the other stages of a pipeline",
     "src/nanotron/parallel/pipeline_parallel/engine.py:237 of 4799d247, :253 of 2411b022"},
});

}  // namespace

std::span<const Rule> nanotron_rules() {
  return rules;
}

}  // namespace scalesweep::deploy
