// What a step takes at least, from what its layers cost: enough to know of most strategies that
// another one is better, in a fraction of the time that a whole estimate takes.
#pragma once

#include "estimator/parts/stages.hpp"
#include "estimator/training/layer_cost.hpp"
#include "estimator/training/stage_cost.hpp"
#include "technology/derive/envelope.hpp"

namespace scalesweep::estimator {

// Seconds that one of each adds to its stage for one micro-batch, recomputed as the strategy says.
// What ZeRO-2 and ZeRO-3 send and what is offloaded is beside it: that only adds.
struct UnitTimes {
  double layer_s = 0.0;
  double expert_layer_s = 0.0;
  double prediction_s = 0.0;
  double embedding_s = 0.0;
  double encoder_s = 0.0;
  double head_s = 0.0;
};
UnitTimes unit_times(const StageUnits& units);

// The stages without what hides behind them: of the step that step_cost() puts together, gradients
// and weights that data parallelism sends are left out, and of other schedules than 1F1B what the
// stages wait for each other. Never more than the step at this clock or a slower one.
// `transfer_s` is that of a pipeline_transfer(); `slower_passes_s` what one micro-batch takes more
// at least in the passes of all layers together than its units say, wherever.
double least_step_s(const Setting& setting, const UnitTimes& units, const StageShares& shares,
                    double transfer_s, double optimizer_bytes, double slower_passes_s = 0.0);

// The kernels of blocks alone, at the clock of the system, for one micro-batch: what no network
// decides. Seconds.
struct KernelTimes {
  struct Block {
    double passes_s = 0.0;     // forward and backward
    double selective_s = 0.0;  // what recomputation repeats
    double full_s = 0.0;

    double with_recomputation_s(const parallel::Strategy& strategy) const;
  };
  Block layer;
  Block expert_layer;
  double prediction_s = 0.0;  // beside one more layer and one more head
  double embedding_s = 0.0;
  double head_s = 0.0;
  double encoder_s = 0.0;
  // Of one device in the passes of all layers, nothing recomputed.
  double pass_s = 0.0;
  Work pass_work;

  // What unit_times() is never below, with any network, at this clock or a slower one.
  UnitTimes units(const TrainingJob& job, const parallel::Strategy& strategy) const;
};
// `rates` are block_rates().
KernelTimes kernel_times(const Setting& setting, const BlockRates& rates, KernelMemo& memo);

// Joules of the whole system at least in a step that takes `step_s` or more: `pass_work` is that of
// one device for one micro-batch of all layers, or less, and `pass_s` what it takes, or less, both
// at the clock of the system, which the passes settle at, or below. A device that slows down spends
// its thermal design power on the passes, and those take as long or longer.
double least_energy_j(const Setting& setting, const Work& pass_work, double pass_s, double step_s);

// The same of every system of an envelope, of whose fastest one the setting is: the passes of all
// layers for one micro-batch take `near` at a clock that they would settle at, or below.
double least_energy_j(const Setting& setting, const technology::Envelope& envelope,
                      const Cost& near, double step_s);

}  // namespace scalesweep::estimator
