// What each engine says of memory in its own sources, for one run. Bytes of the fullest device.
#pragma once

#include <cstdint>
#include <vector>

#include "deploy/memory/engine_memory.hpp"
#include "deploy/parts/serving_run.hpp"

namespace scalesweep::deploy {

EngineMemory vllm_memory(const ServingRun& run);
EngineMemory sglang_memory(const ServingRun& run);
EngineMemory tensorrt_llm_memory(const ServingRun& run);

// Sizes of batches that decode is captured in graphs for, in rising order.
std::vector<std::int64_t> vllm_graph_sizes(const ServingRun& run);
std::vector<std::int64_t> sglang_graph_sizes(const ServingRun& run);
std::vector<std::int64_t> tensorrt_llm_graph_sizes(const ServingRun& run);

// What graphs of so many sizes take of a device: 0.33 MB a layer and size, a third to three times
// of that. Assumed after one log: 0.60 GB for 52 sizes of Qwen3-8B, 36 layers, on a GB300 (SGLang
// 65d3b47f, .claude/skills/clean-startup-log/SKILL.md:264).
double graph_bytes(const ServingRun& run, std::size_t sizes);

// The largest batch that SGLang is told to capture.
std::int64_t largest_graph(const ServingRun& run);

// Layers of a model by what they keep of a request, and what that takes of a device.
struct CacheLayers {
  std::int64_t whole = 0;    // attend to all
  std::int64_t local = 0;    // attend to the latest `window` tokens
  std::int64_t linear = 0;   // keep a state
  std::int64_t window = 0;   // tokens
  double token_bytes = 0.0;  // of one token in a layer that attends
  double state_bytes = 0.0;  // of a layer that keeps a state

  bool is_hybrid() const { return (whole > 0) + (local > 0) + (linear > 0) > 1; }
};
CacheLayers cache_layers(const ServingRun& run);

// What an engine holds of a request of so many tokens, over what the estimate does: 1 where all
// layers are alike. `wide_groups`: layers of several kinds count as alike up to 1.5 times as many
// of one (before 1.25).
double vllm_pages_ratio(const CacheLayers& layers, double tokens, bool latent, bool wide_groups);
double sglang_pools_ratio(const CacheLayers& layers, double tokens, bool reuses_prefixes);

}  // namespace scalesweep::deploy
