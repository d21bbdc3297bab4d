// Whether what a point needs fits into the memory that an engine takes, as its own option says it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "deploy/deployment.hpp"
#include "estimator/inference/estimate.hpp"
#include "estimator/training/estimate.hpp"
#include "technology/device.hpp"

namespace scalesweep::deploy {

// What the share of an engine's option is of.
enum class ShareOf : std::uint8_t {
  device,       // of device memory, all that it takes: weights, activations, graphs, cache
  static_part,  // of device memory, weights and cache: activations and graphs need the rest
  free,         // of what weights, activations and graphs leave free, the cache
};

// Of one run of an engine.
struct EngineMemory {
  std::string_view option;
  ShareOf share_of = ShareOf::device;
  double default_share = 0.9;
  std::int64_t graph_sizes = 0;  // of batches that decode is captured for
  double graph_bytes = 0.0;      // of their graphs: an assumption
  bool graphs_beside = false;    // the share does not count them
  double padding_bytes = 0.0;    // of weights, that kernels want in whole tiles
  double sampler_bytes = 0.0;    // beside the activations of the estimate
  double held_ratio = 1.0;       // what it holds of a request over what the estimate does
};

// What one replica needs.
struct CacheDemand {
  estimator::InferenceMemory memory;  // with so many sequences
  double sequences = 1.0;
  double tokens_of_sequence = 1.0;  // prompt and output that the cache holds of one
};

// Caches take `held_ratio` times what the estimate needs. With the default share where it suffices,
// else with the smallest that does, else with the largest that there is, and then it does not fit.
MemoryCheck check_memory(const EngineMemory& engine, const CacheDemand& demand,
                         const technology::Device& device, std::string_view pool);

// Of a training step. No option of a framework limits what it takes.
MemoryCheck check_memory(const estimator::TrainingEstimate& estimate,
                         const technology::Device& device);

}  // namespace scalesweep::deploy
