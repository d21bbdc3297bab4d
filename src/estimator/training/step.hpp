// A training step put together from its parts: the pipeline schedule, data-parallel communication
// and the optimizer around the layer costs.
//
// Narayanan et al. 2021 (arXiv:2104.04473) for 1F1B and the interleaved schedule, Qi et al.
// (arXiv:2401.10241) for the zero-bubble one, DeepSeek-V3 (arXiv:2412.19437) for DualPipe.
#pragma once

#include "estimator/training/data_parallel.hpp"
#include "estimator/training/layer_cost.hpp"
#include "estimator/training/stages.hpp"

namespace scalesweep::estimator {

// One micro-batch on one stage. Summed over the stage's layers and its edge of the model.
struct StageCost {
  Cost forward;
  Cost backward;
  Cost recompute;
  Cost tensor_communication;
  Cost context_communication;
  Cost expert_communication;
  Cost pipeline_communication;
  Cost
      weight_communication;  // ZeRO-3: weights gathered, gradients scattered, beyond what is hidden
  Cost offload;              // to host memory and back, beyond what is hidden
  Cost weight_gradients;     // what the stage takes less where they wait
  // The whole passes, recomputation and all that they communicate included: what data-parallel
  // communication can hide behind.
  PassTimes passes;

  Cost layer_communication() const {
    return tensor_communication + context_communication + expert_communication;
  }
  Cost total() const {
    return forward + backward + recompute + tensor_communication + context_communication +
           expert_communication + pipeline_communication + weight_communication + offload;
  }
};

// `transfers` is what pipeline_transfers() gives, the same for every stage.
StageCost stage_cost(const TrainingJob& job, const technology::System& system,
                     const parallel::Strategy& strategy, const LayerCosts& costs,
                     const StageShare& share, const Cost& transfers);

struct StepCost {
  StageShares shares;
  StageShare slowest;  // of a pipeline: the stage that sets the rhythm ...
  StageCost stage;     // ... and its costs
  double micro_batches = 1.0;
  Charges bubble;           // waiting for the other stages
  Cost data_communication;  // once a step, beyond what is hidden
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
