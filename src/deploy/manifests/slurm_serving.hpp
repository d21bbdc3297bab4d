// A job of Slurm with one step for each server of each pool, and one for what is before them.
//
// Read: doc/man/man1/srun.1 of SchedMD/slurm at 284c3b95; of TensorRT-LLM at 5978a465
// examples/disaggregated/slurm/simple_example/launch.slurm and README.md,
// tensorrt_llm/llmapi/disagg_utils.py and trtllm-llmapi-launch; of SGLang at 65d3b47f
// docs/advanced_features/pd_disaggregation.md and sgl_model_gateway.md; of vLLM at 017e9f44
// docs/features/nixl_connector_usage.md and tests/v1/kv_connector/nixl_integration.
#pragma once

#include <span>
#include <string>

#include "deploy/manifests/pool_command.hpp"

namespace scalesweep::deploy {

std::string slurm_serving(std::span<const PoolCommand> pools, const Engine& engine);

// `text` as a file that a shell writes: no line of it ends it.
std::string here_document(const std::string& name, const std::string& text);

}  // namespace scalesweep::deploy
