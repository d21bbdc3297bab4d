// What a batch of a diffusion model takes of a device's memory.
#pragma once

#include "estimator/diffusion/estimate.hpp"
#include "estimator/diffusion/job.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// Encoders and decoder stay on every device beside its part of the transformer. The decoder takes a
// frame at a time, and layers one after the other.
DiffusionMemory diffusion_memory(const DiffusionJob& job, const parallel::Strategy& strategy,
                                 const technology::Device& device);

}  // namespace scalesweep::estimator
