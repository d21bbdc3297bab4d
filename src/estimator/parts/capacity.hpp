// What fits into the memory of a device.
#pragma once

#include <algorithm>
#include <cstdint>

#include "technology/device.hpp"

namespace scalesweep::estimator {

enum class Verdict : std::uint8_t { fits, does_not_fit };

// Device memory that tensors and the allocator's slack may use: the driver's context, library
// workspaces and communication buffers take about 2 GB on current stacks.
inline double usable_memory_bytes(const technology::Device& device) {
  constexpr double context_bytes = 2.0e9;
  return std::max(0.0, device.dram.capacity.si() - context_bytes);
}

}  // namespace scalesweep::estimator
