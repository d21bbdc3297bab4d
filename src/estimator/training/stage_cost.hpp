// What one micro-batch takes on each stage of a pipeline: the layers that it holds and its edge of
// the model, recomputation, and what runs beside the passes.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

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

// Whether full recomputation of a layer saves what it leaves out at its end: not where the host
// sets the time of the pass, nor where transfers hide behind what is left out.
bool stops_early(const Setting& setting, const BlockCost& layer);

// Of a layer's tensor-parallel communication in the forward pass, what full recomputation repeats:
// all, or where it stops early all but the last reduction, which takes as long as a gather.
double repeated_tensor_share(const Setting& setting, const BlockCost& layer);

// Activations to the next stage, or gradients back, of one chunk of a micro-batch; and both of all
// its chunks. Every tensor-parallel rank sends its share; without sequence parallelism the
// receivers gather the shares again (Narayanan et al. 2021, section 4.1). Sends that run beside
// kernels only cost their call.
Cost pipeline_transfer(const Setting& setting);
Cost pipeline_transfers(const Setting& setting);

// Of a StageCost without transfers between stages, what a step is put together from.
struct StageSums {
  Cost total;
  PassTimes passes;
  Charges weight_gradients;
  std::array<double, phase_count> phase_s{};

  StageSums& add(double n, const StageSums& o);
};

// Of a stage that holds one of each and nothing else, with nothing beside its passes: where nothing
// hides behind them, a stage takes the sum of what it holds.
struct StageUnits {
  StageSums layer;
  StageSums expert_layer;
  StageSums prediction;
  StageSums embedding;
  StageSums encoder;
  StageSums head;
};
StageUnits stage_units(const Setting& setting, const LayerCosts& costs);

// The stages of a pipeline: what strategies share that differ in the number of micro-batches, in
// chunks that deal out the same layers, or in what comes once a step.
struct Stages {
  std::vector<StageSums> kinds;  // those of the shares
  std::size_t slowest = 0;
  std::size_t fullest = 0;  // with the most parameters
  // Of all stages together.
  Cost total;
  Charges backward;
  Charges weight_gradients;
  // Of the encoder, for one micro-batch on a stage that has it, and the kind that this is.
  PassTimes encoder;
  std::size_t encoding = 0;
  MatrixUpdates updates;  // of the fullest, before they are shared out
};
// Replaces what `stages` held. The units are stage_units() of the same.
void set_stages(Stages& stages, const Setting& setting, const LayerCosts& costs,
                const StageUnits& units, const StageShares& shares);

}  // namespace scalesweep::estimator
