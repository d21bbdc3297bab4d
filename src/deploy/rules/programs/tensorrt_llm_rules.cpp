// What TensorRT-LLM refuses.
#include <array>

#include "deploy/rules/program_rules.hpp"
#include "deploy/rules/programs/engine_conditions.hpp"

namespace scalesweep::deploy {
namespace {

constexpr auto rules = std::to_array<Rule>({
    {uneven_copies, "experts and redundant ones together that expert_parallel does not divide",
     "tensorrt_llm/llmapi/llm_args.py:372 of 5978a465"},
    {undivided_experts, "experts that expert_parallel does not divide",
     "tensorrt_llm/_torch/modules/fused_moe/interface.py:371 of 5978a465"},
    {[](const Subject&) -> std::string {
       return "redundant_experts > 0 and expert_parallel <= tensor_parallel";
     },
     "redundant experts without data-parallel attention",
     "tensorrt_llm/_torch/modules/fused_moe/interface.py:329 and fused_moe_wide_ep.py:79 of "
     "5978a465"},
});

}  // namespace

std::span<const Rule> tensorrt_llm_rules() {
  return rules;
}

}  // namespace scalesweep::deploy
