// Memory of TensorRT-LLM: tensorrt_llm/llmapi/llm_args.py:107 (graphs), 1699 (share) and
// tensorrt_llm/_torch/pyexecutor/_util.py:120 (of what is free after a run of the largest batch) at
// 5978a465 (1.3.0rc3). Pools of layers with windows are made in C++, which was not read.
#include <algorithm>

#include "deploy/memory/engines.hpp"

namespace scalesweep::deploy {

std::vector<std::int64_t> tensorrt_llm_graph_sizes(const ServingRun& run) {
  const std::int64_t most = std::max<std::int64_t>(1, run.sequences);
  std::vector<std::int64_t> sizes = {1, 2, 4};
  for (std::int64_t size = 8; size <= 128; size += 8) {
    sizes.push_back(size);
  }
  for (std::int64_t size = 256; size < most; size *= 2) {
    sizes.push_back(size);
  }
  std::erase_if(sizes, [&](std::int64_t size) { return size > most; });
  if (sizes.back() != most) {
    sizes.push_back(most);
  }
  return sizes;
}

EngineMemory tensorrt_llm_memory(const ServingRun& run) {
  const std::size_t sizes = run.pool == Pool::prefill ? 0 : tensorrt_llm_graph_sizes(run).size();
  return {.option = "kv_cache_config.free_gpu_memory_fraction",
          .share_of = ShareOf::free,
          .default_share = 0.9,
          .graph_sizes = static_cast<std::int64_t>(sizes),
          .graph_bytes = graph_bytes(run, sizes),
          .graphs_beside = false,
          .held_ratio = 1.0};
}

}  // namespace scalesweep::deploy
