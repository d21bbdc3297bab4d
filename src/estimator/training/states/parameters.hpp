// What one device of a stage holds and trains: weights, and states beside them.
//
// Rajbhandari et al. 2020 (arXiv:1910.02054) for ZeRO.
#pragma once

#include "estimator/parts/stages.hpp"
#include "estimator/training/job.hpp"
#include "workload/layer.hpp"

namespace scalesweep::estimator {

// The shards of a slice, and nothing else of it.
workload::Slice shards_of(const parallel::Strategy& strategy);

// Those with gradients and states: all of the stage, or adapters beside weights that stay as they
// are; of an encoder as the tuning says.
StageParameters trained_parameters(const TrainingJob& job, const parallel::Strategy& strategy,
                                   const StageShare& share);

// Of those, what stands beside weights of the language model.
StageParameters adapters_of(const TrainingJob& job, const parallel::Strategy& strategy,
                            StageShare share);

// Of all weights of the stage, adapters not counted, the mean of a parameter in memory.
double weight_bytes(const TrainingJob& job, const parallel::Strategy& strategy,
                    const StageShare& share);

// What an optimizer keeps of a parameter, the mean of the trained ones of the stage: its moments
// and factors, master weights where the stored ones are shorter, fp32 gradients beside 16-bit ones.
double optimizer_state_bytes(const TrainingJob& job, const parallel::Strategy& strategy,
                             const StageShare& share);

// One moment of a parameter, as the optimizer keeps it.
double one_moment_bytes(const TrainingJob& job);

// Its moments and factors alone.
double moment_bytes(const TrainingJob& job, const parallel::Strategy& strategy,
                    const StageShare& share);

// What a device holds before replicas share anything, whatever its layers are: what ZeRO, the
// reduction of gradients and the optimizer ask of a model.
struct HeldWeights {
  StageParameters all;
  StageParameters of_layers;  // of these, without embedding and head
  StageParameters trained;
  StageParameters trained_of_layers;
  StageParameters adapters;
  double layers = 0.0;
  double weight_bytes = 0.0;  // of a parameter, the mean of all but adapters
  double moment_bytes = 0.0;  // of a trained one
};
HeldWeights held_weights(const TrainingJob& job, const parallel::Strategy& strategy,
                         const StageShare& share);

// Of the kinds of stages, the first with the most parameters that are trained; points into
// `shares`. What comes once a step is that of this one.
const StageShare& fullest_stage(const TrainingJob& job, const parallel::Strategy& strategy,
                                const StageShares& shares);

// Over how many devices ZeRO spreads what belongs to each of the two kinds.
struct StateShards {
  double dense = 1.0;
  double routed = 1.0;
};
StateShards state_shards(const parallel::Strategy& strategy);

// Parameters whose states one device keeps and updates.
double own_parameters(const StageParameters& parameters, const StateShards& shards);

// Parameters of which a device keeps weights, gradients and states. ZeRO-3 holds its shard and the
// one of `layers` that is being computed with, the next one gathered ahead of it.
struct KeptParameters {
  double weights = 0.0;
  double gradients = 0.0;
  double states = 0.0;
};
KeptParameters kept_parameters(const parallel::Strategy& strategy, const StageParameters& all,
                               const StageParameters& trained, double layers);

}  // namespace scalesweep::estimator
