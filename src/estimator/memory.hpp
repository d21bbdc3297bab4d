// Bytes on the fullest device: weights, gradients, optimizer states, saved activations.
// Korthikanti et al. 2022 (arXiv:2205.05198), sections 4 and 5, generalised through the list of
// saved tensors in workload/layer.hpp; ZeRO as Rajbhandari et al. 2020 (arXiv:1910.02054).
#pragma once

#include "estimator/layer_cost.hpp"

namespace scalesweep::estimator {

// Micro-batches whose activations stage `stage` holds at once, in units of a whole stage.
double micro_batches_in_flight(const parallel::Strategy& strategy, int stage);

// Parameters that one device of a pipeline stage holds.
double stage_parameters(const workload::TransformerModel& model, const parallel::Strategy& strategy,
                        int stage);

// Bytes of optimizer states per parameter, before sharding.
double optimizer_state_bytes(const TrainingJob& job);

MemoryUse stage_memory(const TrainingJob& job, const parallel::Strategy& strategy,
                       const workload::SavedActivations& saved, int stage);

// The larger of first and last stage: the ones between hold less than the first.
MemoryUse peak_memory(const TrainingJob& job, const parallel::Strategy& strategy,
                      const workload::SavedActivations& saved);

// Device memory that tensors may use: the driver's context, library workspaces and communication
// buffers take about 2 GB on current stacks.
double usable_memory_bytes(const technology::Device& device);

}  // namespace scalesweep::estimator
