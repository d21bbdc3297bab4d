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

struct EngineMemory {
  std::string_view option;
  ShareOf share_of = ShareOf::device;
  double default_share = 0.9;
  std::string_view source;  // of the default
};

// What CUDA graphs of decode take of a device: an assumption, 0.5 to 3 GB in logs of engines.
inline constexpr double graph_bytes = 1.0e9;

// What one replica needs.
struct CacheDemand {
  estimator::InferenceMemory memory;  // with so many sequences
  double sequences = 1.0;
  double tokens_of_sequence = 1.0;  // prompt and output that the cache holds of one
};

// With the default share where it suffices, else with the smallest that does, else with the largest
// that there is, and then it does not fit.
MemoryCheck check_memory(const EngineMemory& engine, const CacheDemand& demand,
                         const technology::Device& device, std::string_view pool);

// Of a training step. No option of a framework limits what it takes.
MemoryCheck check_memory(const estimator::TrainingEstimate& estimate,
                         const technology::Device& device);

}  // namespace scalesweep::deploy
