// Decode context parallelism: neighbours among the tensor-parallel ranks, which would hold copies
// of the same keys and values, share them along the sequence.
#pragma once

#include <cstdint>
#include <string>

namespace scalesweep::workload {
struct TransformerModel;
}

namespace scalesweep::parallel {

// The rule that these sizes break, as a user reads it; empty: none. What vLLM demands
// (vllm/config/parallel.py at 00193b82b0e2; vllm/config/model.py as 1CatAI/1Cat-vLLM ae13773a0 has
// it: at most tensor_parallel over the kv_heads), and that a group joins no ranks of two heads.
// vLLM asserts against windows (vllm/v1/core/single_type_kv_cache_manager.py of the same); SGLang
// has models with an indexer in open pull requests (31821, 39330), and serves layers with a state
// beside latent attention (docs.sglang.io/docs/advanced_features/dcp.md: Kimi K3): states stay as
// they are.
std::string broken_cache_rule(const workload::TransformerModel& model, std::int64_t tensor_parallel,
                              std::int64_t context_parallel, std::int64_t decode_context_parallel);

// The most of `wanted` ranks that a model of these may share a cache over; 1: it has no copies.
std::int64_t shared_cache_ranks(const workload::TransformerModel& model,
                                std::int64_t tensor_parallel, std::int64_t wanted);

}  // namespace scalesweep::parallel
