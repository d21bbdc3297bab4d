// A training step put together from its parts: the pipeline schedule, data-parallel communication
// and the optimizer around the layer costs.
//
// Narayanan et al. 2021 (arXiv:2104.04473) for 1F1B and the interleaved schedule, Qi et al.
// (arXiv:2401.10241) for the zero-bubble one, DeepSeek-V3 (arXiv:2412.19437) for DualPipe.
#pragma once

#include <array>
#include <cstdint>

#include "estimator/parts/stages.hpp"
#include "estimator/training/data_parallel.hpp"
#include "estimator/training/estimate.hpp"
#include "estimator/training/layer_cost.hpp"
#include "estimator/training/stage_cost.hpp"

namespace scalesweep::estimator {

// What a step is put together from, all at one clock. Names what others hold.
struct StepParts {
  const Stages& stages;
  const Cost& transfer;                // pipeline_transfer()
  const GradientTransfers& gradients;  // of the fullest stage, as is ...
  const OptimizerWork& optimizer;
  double straggling = 0.0;  // straggling()
};

struct StepSums {
  double micro_batches = 1.0;
  std::size_t rhythm = 0;  // the kind of stage that sets it: each of the micro-batches takes ...
  std::array<double, phase_count> stage_phase_s{};
  // ... and what comes once a step: what gradients and weights add to the passes, the optimizer,
  // waiting for the other stages, for the slowest device of all, and for those with more to encode.
  Cost data_communication{};
  Cost optimizer{};
  Cost bubble{};
  Cost stragglers{};
  Cost uneven_inputs{};
  Charges time{};     // of all
  Work total_work{};  // of all devices together

  // What a phase takes beside what it takes in every micro-batch; null if nothing.
  const Cost* once(Phase phase) const;
  double phase_s(Phase phase) const;
};

StepSums step_sums(const Setting& setting, const StepParts& parts);

// The same with what it is made of.
struct StepCost : StepSums {
  StageShares shares;
  StageShare slowest{};  // the stage that sets the rhythm
  StageCost stage{};     // and what a micro-batch takes on it
};
StepCost step_cost(const Setting& setting, const LayerCosts& costs);

// Of a step, what its slowest device adds: it lasts as long as there, and the expected largest of n
// normal draws lies about sqrt(2 ln n) deviations above their mean.
double straggling(double jitter, std::int64_t devices);

// Model FLOP of a step, recomputation not counted, and those over the peak of the devices in its
// time.
double model_flop(const TrainingJob& job);
double utilization(double model_flop, const Setting& setting, const technology::Device& device,
                   double step_s);

// The whole estimate but what is known of the clock and of measured cases: what plain and factored
// path share.
TrainingEstimate compose(const Setting& setting, const StepParts& parts, const MemoryUse& memory,
                         double model_flop);

}  // namespace scalesweep::estimator
