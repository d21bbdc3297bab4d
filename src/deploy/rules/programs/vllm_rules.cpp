// What vLLM refuses.
#include <array>

#include "deploy/parts/vendors.hpp"
#include "deploy/rules/program_rules.hpp"
#include "deploy/rules/programs/engine_conditions.hpp"
#include "technology/device.hpp"

namespace scalesweep::deploy {
namespace {

using technology::Precision;

// 0.11 balances experts on CUDA alone, later versions on ROCm as well.
bool has_balancer(const Subject& subject, bool with_amd) {
  const Vendor vendor = vendor_of(subject.device.name);
  return vendor == Vendor::nvidia || (with_amd && vendor == Vendor::amd);
}

constexpr auto rules = std::to_array<Rule>({
    {[](const Subject& s) { return expert_blocks(s, "expert_parallel == 1"); },
     "experts in fp8 with blocks of 128 that tensor_parallel cuts",
     "vllm/model_executor/layers/quantization/fp8.py:513 of be22bb6f, :637 of 2a69949b, :636 of "
     "ab7521d7, :534 of 017e9f44"},
    {mlp_blocks, "an MLP in fp8 with blocks of 128 that tensor_parallel cuts",
     "vllm/model_executor/layers/quantization/utils/fp8_utils.py:761 and 778 of be22bb6f, :1217 "
     "and "
     "1236 of 017e9f44"},
    {head_blocks, "heads in fp8 with blocks of 128 that tensor_parallel cuts",
     "vllm/model_executor/layers/quantization/utils/fp8_utils.py:761 and 778 of be22bb6f, :1217 "
     "and "
     "1236 of 017e9f44"},
    {uneven_copies, "experts and redundant ones together that expert_parallel does not divide",
     "vllm/model_executor/layers/fused_moe/layer.py:1019 of be22bb6f, :366 of 2a69949b, :202 of "
     "ab7521d7, :256 of 017e9f44"},
    {[](const Subject& s) -> std::string {
       return has_balancer(s, false) ? "" : "redundant_experts > 0";
     },
     "redundant experts on devices without CUDA", "vllm/config/parallel.py:423 of be22bb6f",
     before("0.19")},
    {[](const Subject& s) -> std::string {
       return has_balancer(s, true) ? "" : "redundant_experts > 0";
     },
     "redundant experts on devices without CUDA or ROCm",
     "vllm/config/parallel.py:364 of 2a69949b, :494 of 017e9f44", since("0.19")},
    {shared_caches_of_heads, "decode context parallelism without latent attention",
     "vllm/v1/worker/gpu_model_runner.py:4117 of be22bb6f, which backends of latent attention "
     "alone "
     "meet",
     before("0.19")},
    {shared_queries, "query heads of a key-value head that decode_context_parallel does not divide",
     "vllm/config/model.py:1148 of 2a69949b, :1233 of ab7521d7, :1409 of 017e9f44", since("0.19")},
    {[](const Subject& s) { return multiplied_in(s, Precision::mxfp8); },
     "mxfp8, which is none of its methods",
     "vllm/model_executor/layers/quantization/__init__.py:9 of be22bb6f", before("0.19")},
});

}  // namespace

std::span<const Rule> vllm_rules() {
  return rules;
}

}  // namespace scalesweep::deploy
