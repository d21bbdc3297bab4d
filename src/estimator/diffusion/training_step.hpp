// A training step of a diffusion model on one device: what comes behind its passes, which are those
// of training any transformer (estimator/training/data_parallel.hpp).
#pragma once

#include "estimator/diffusion/pass.hpp"
#include "estimator/training/data_parallel.hpp"

namespace scalesweep::estimator {

inline constexpr double average_bytes = 4.0;  // of a moving average: fp32

// The formats, optimizer and stack of a job, as replicas of any model have them.
TrainingJob replicated_job(const DiffusionJob& job, const parallel::Strategy& strategy);
// The transformer, cut by tensor parallelism, and what its optimizer keeps.
HeldWeights held_weights(const DiffusionJob& job, const parallel::Strategy& strategy);

// What replicas send, and what the optimizer streams, with the moving average of weights.
DiffusionUpdate diffusion_update(const DiffusionJob& job, const parallel::Strategy& strategy,
                                 const technology::System& system);

// Of the micro-batches of a step.
DiffusionCosts training_costs(const DiffusionJob& job, const parallel::Strategy& strategy,
                              const technology::System& system, const DiffusionTerms& terms);

}  // namespace scalesweep::estimator
