// What SGLang refuses.
#include <array>

#include "deploy/parts/vendors.hpp"
#include "deploy/rules/program_rules.hpp"
#include "deploy/rules/programs/engine_conditions.hpp"
#include "technology/device.hpp"

namespace scalesweep::deploy {
namespace {

using technology::Precision;

// Tensor parallelism cuts experts unless they are spread over its ranks.
std::string cut_experts(const Subject& subject) {
  return expert_blocks(subject, "expert_parallel == 1 or not experts_over_tensor");
}

constexpr auto rules = std::to_array<Rule>({
    {[](const Subject&) -> std::string { return "decode_context_parallel > 1"; },
     "decode context parallelism, which came as --dcp-size in 2026-08",
     "python/sglang/srt/server_args.py of 65d3b47f has no such option, of 001067ff it has",
     before("main-2026-08")},
    {cut_experts, "experts in fp8 with blocks of 128 that tensor_parallel cuts",
     "python/sglang/srt/layers/quantization/fp8.py:556 of a4a3d823, :580 of 5c8bd8b5",
     before("main")},
    // Kernels of AITER pad them since.
    {[](const Subject& s) -> std::string {
       return vendor_of(s.device.name) == Vendor::amd ? "" : cut_experts(s);
     },
     "experts in fp8 with blocks of 128 that tensor_parallel cuts",
     "python/sglang/srt/layers/quantization/fp8.py:908 of 65d3b47f", since("main")},
    {mlp_blocks, "an MLP in fp8 with blocks of 128 that tensor_parallel cuts",
     "python/sglang/srt/layers/quantization/fp8.py:252 and 263 of a4a3d823, :249 and 260 of "
     "5c8bd8b5, :382 and 393 of 65d3b47f"},
    {head_blocks, "heads in fp8 with blocks of 128 that tensor_parallel cuts",
     "python/sglang/srt/layers/quantization/fp8.py:252 and 263 of a4a3d823, :249 and 260 of "
     "5c8bd8b5, :382 and 393 of 65d3b47f"},
    {uneven_copies, "experts and redundant ones together that expert_parallel does not divide",
     "python/sglang/srt/eplb/expert_location.py:197 of a4a3d823, :204 of 5c8bd8b5, :203 of "
     "65d3b47f"},
    {undivided_experts, "experts that expert_parallel does not divide",
     "python/sglang/srt/layers/moe/fused_moe_triton/layer.py:157 of a4a3d823, :182 of 5c8bd8b5, "
     ":209 of 65d3b47f"},
    {[](const Subject& s) { return multiplied_in(s, Precision::mxfp8); },
     "mxfp8, which is no choice of --quantization",
     "python/sglang/srt/server_args.py:1442 of a4a3d823, :2301 of 5c8bd8b5", before("main")},
});

}  // namespace

std::span<const Rule> sglang_rules() {
  return rules;
}

}  // namespace scalesweep::deploy
