// The operators of a diffusion model's transformer that one device runs.
#pragma once

#include "workload/diffusion/diffusion.hpp"

namespace scalesweep::workload {

// Of one layer of a kind, without what is sent.
DiffusionPasses diffusion_layer(const DiffusionModel& model, DiffusionLayer kind,
                                const DiffusionSlice& slice);
// Before and behind all layers: patches, text and time step come in, patches go out.
DiffusionPasses diffusion_ends(const DiffusionModel& model, const DiffusionSlice& slice);

}  // namespace scalesweep::workload
