// A training step put together from its parts: the pipeline schedule, data-parallel communication
// and the optimizer around the layer costs.
//
// Narayanan et al. 2021 (arXiv:2104.04473) for 1F1B and the interleaved schedule, Qi et al.
// (arXiv:2401.10241) for the zero-bubble one, DeepSeek-V3 (arXiv:2412.19437) for DualPipe.
#pragma once

#include <cstdint>

#include "estimator/parts/stages.hpp"
#include "estimator/training/data_parallel.hpp"
#include "estimator/training/estimate.hpp"
#include "estimator/training/layer_cost.hpp"

namespace scalesweep::estimator {

// What each phase takes.
struct PhaseCosts : Indexed<PhaseCosts, Phase, Cost, phase_count> {};

// One micro-batch on one stage. Summed over the stage's layers and its edge of the model.
struct StageCost {
  PhaseCosts phases;      // none of those that come once a step
  Cost weight_gradients;  // what the stage takes less where they wait
  // The whole passes, recomputation and all that they communicate included: what data-parallel
  // communication can hide behind.
  PassTimes passes;

  Cost total() const { return phases.sum(); }
};

// All that a stage holds, for one micro-batch.
BlockCost blocks_of(const LayerCosts& costs, const StageShare& share);

// `transfers` is what pipeline_transfers() gives, the same for every stage.
StageCost stage_cost(const Setting& setting, const LayerCosts& costs, const StageShare& share,
                     const Cost& transfers);

struct StepCost {
  StageShares shares;
  StageShare slowest{};  // of a pipeline: the stage that sets the rhythm ...
  StageCost stage{};     // ... and its costs, for each of ...
  double micro_batches = 1.0;
  // The stage with the most parameters: its gradients hide behind its own passes.
  StageShare fullest{};
  PassTimes fullest_passes{};
  // ... and what comes once a step: what gradients and weights add to the passes, the optimizer,
  // waiting for the other stages, and for the slowest device of all.
  Cost data_communication{};
  Cost optimizer{};
  Cost bubble{};
  Cost stragglers{};
  Charges time{};     // of all
  Work total_work{};  // of all devices together

  // What a phase takes beside what it takes in every micro-batch; null if nothing.
  const Cost* once(Phase phase) const;
  double phase_s(Phase phase) const;
};

// Of a step, what its slowest device adds: it lasts as long as there, and the expected largest of n
// normal draws lies about sqrt(2 ln n) deviations above their mean.
double straggling(double jitter, std::int64_t devices);

// Whether full recomputation of a layer saves what it leaves out at its end: not where the host
// sets the time of the pass, nor where transfers hide behind what is left out.
bool stops_early(const Setting& setting, const BlockCost& layer);

// Of a layer's tensor-parallel communication in the forward pass, what full recomputation repeats:
// all, or where it stops early all but the last reduction, which takes as long as a gather.
double repeated_tensor_share(const Setting& setting, const BlockCost& layer);

// Activations to the next stage and gradients back, all chunks of one micro-batch.
Cost pipeline_transfers(const Setting& setting);

StepCost step_cost(const Setting& setting, const LayerCosts& costs);

// Model FLOP of a step, recomputation not counted, and those over the peak of the devices in its
// time.
double model_flop(const TrainingJob& job);
double utilization(double model_flop, const Setting& setting, const technology::Device& device,
                   double step_s);

// The whole estimate from the layer costs and the memory, all at the clock of the system: what
// plain and factored path share.
TrainingEstimate compose(const Setting& setting, const LayerCosts& costs, const MemoryUse& memory);

}  // namespace scalesweep::estimator
