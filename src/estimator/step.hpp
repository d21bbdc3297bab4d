// A training step put together from its parts: the pipeline schedule, data-parallel communication
// and the optimizer around the layer costs.
//
// Narayanan et al. 2021 (arXiv:2104.04473) for 1F1B and the interleaved schedule.
#pragma once

#include "estimator/layer_cost.hpp"

namespace scalesweep::estimator {

// One micro-batch on the slowest stage. Summed over the stage's layers and its edge of the model.
struct StageCost {
  Cost forward;
  Cost backward;
  Cost recompute;
  Cost tensor_communication;
  Cost pipeline_communication;
  // What a data-parallel reduction can hide behind: the whole backward pass of the last
  // micro-batch, recomputation and tensor communication included.
  Charges cover;

  Cost total() const {
    return forward + backward + recompute + tensor_communication + pipeline_communication;
  }
};

struct StepCost {
  StageCost stage;
  bool has_embedding = true;  // whether the slowest stage is the first ...
  bool has_head = true;       // ... or the last, or both
  double layers = 0.0;        // of that stage
  double micro_batches = 1.0;
  double bubble_micro_batches = 0.0;  // waiting, in units of `stage`
  Cost data_communication;            // beyond what is hidden
  Cost optimizer;
  Work total_work;  // of all devices together
};

// Activations to the next stage and gradients back, all chunks of one micro-batch.
Cost pipeline_transfers(const TrainingJob& job, const technology::System& system,
                        const parallel::Strategy& strategy);

StepCost step_cost(const TrainingJob& job, const technology::System& system,
                   const parallel::Strategy& strategy, const LayerCosts& costs);

// The whole estimate from the layer costs, all at the clock of `system`: what plain and factored
// path share.
TrainingEstimate compose(const TrainingJob& job, const technology::System& system,
                         const parallel::Strategy& strategy, const LayerCosts& costs);

}  // namespace scalesweep::estimator
