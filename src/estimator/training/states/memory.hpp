// Bytes on the fullest device: weights, gradients, optimizer states, saved activations.
// Korthikanti et al. 2022 (arXiv:2205.05198), sections 4 and 5, generalised through the list of
// saved tensors in workload/layer.hpp; ZeRO as Rajbhandari et al. 2020 (arXiv:1910.02054).
#pragma once

#include "estimator/parts/stages.hpp"
#include "estimator/training/estimate.hpp"
#include "estimator/training/layer_cost.hpp"

namespace scalesweep::estimator {

// Micro-batches whose activations stage `stage` holds at once, in units of a whole stage.
double micro_batches_in_flight(const parallel::Strategy& strategy, std::int64_t stage);

// What a layer keeps of one micro-batch under a recomputation policy (a mean over layers where only
// every n-th is recomputed).
double kept_bytes(const workload::SavedActivations& saved, const parallel::Strategy& strategy);

// The same of all layers of a stage.
double kept_bytes(const SavedLayers& saved, const StageShare& share,
                  const parallel::Strategy& strategy);

MemoryUse stage_memory(const TrainingJob& job, const parallel::Strategy& strategy,
                       const SavedLayers& saved, const StageShare& share);

Verdict verdict_of(const MemoryUse& memory, const technology::Device& device);

// Of the stage that holds most.
MemoryUse peak_memory(const TrainingJob& job, const parallel::Strategy& strategy,
                      const SavedLayers& saved, const StageShares& shares);

}  // namespace scalesweep::estimator
