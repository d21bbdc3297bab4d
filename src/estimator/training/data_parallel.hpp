// What replicas of a stage exchange, and the optimizer: plain data parallelism and ZeRO.
//
// Rajbhandari et al. 2020 (arXiv:1910.02054) for ZeRO; Zhao et al. 2023 (arXiv:2304.11277) for
// fully sharded data parallelism and hybrid sharding.
#pragma once

#include "estimator/parts/cost.hpp"
#include "estimator/parts/stages.hpp"
#include "estimator/training/job.hpp"
#include "estimator/training/states/parameters.hpp"

namespace scalesweep::estimator {

// How long the passes of one micro-batch through one stage take, with what they communicate: what
// transfers can hide behind.
struct PassTimes {
  Charges forward;
  Charges backward;
};

// Of transfers beside them: whole, or what they add.
struct PassTransfers {
  Cost forward;
  Cost backward;
  Cost total() const { return forward + backward; }
};

// What ZeRO sends with one micro-batch of one stage. ZeRO-2: gradients are scattered, since no
// device keeps whole ones until the next. ZeRO-3: weights are gathered for the forward and again
// for the backward pass, gradients scattered after it, each behind the kernels of the layer before;
// one layer's have nothing to hide behind.
struct WeightTransfers {
  PassTransfers whole;
  double alone = 1.0;  // share with nothing to hide behind
};
WeightTransfers weight_transfers(const Setting& setting, const StageShare& share);
// The same of any model; of the setting's job its formats, optimizer and stack count.
WeightTransfers weight_transfers(const Setting& setting, const HeldWeights& weights);

// What they add to the passes, beside which they take this share of the cores.
PassTransfers exposed(const WeightTransfers& transfers, const PassTimes& passes, double core_share);

// Once a step, of one stage: gradients are reduced bucket by bucket behind the last backward pass,
// updated weights gathered behind the next forward pass, and copies of tied embeddings kept equal.
// With hybrid sharding the shards are reduced among groups, layer by layer behind the same pass
// (arXiv:2304.11277, section 3.2.2). No clock of the device changes it.
struct GradientTransfers {
  Cost open;  // what there is nothing to hide behind
  Cost behind_forward;
  Cost behind_backward;
};
GradientTransfers gradient_transfers(const Setting& setting, const StageShare& share);
GradientTransfers gradient_transfers(const Setting& setting, const HeldWeights& weights);

// What they add to a step, beside whose passes they take this share of the cores.
Cost exposed(const GradientTransfers& transfers, const PassTimes& passes, double core_share);

// The optimizer over the device's shard, but for what it multiplies (matrix_updates.hpp). Of the
// system, this depends on the layouts that its matrix units take only.
struct OptimizerWork {
  double updated = 0.0;        // parameters
  double cleared_bytes = 0.0;  // of gradients, after it
  // To and from DRAM, or where its states live there, between the device and its host.
  double moved_bytes = 0.0;
};
OptimizerWork optimizer_work(const Setting& setting, const StageShare& share);
OptimizerWork optimizer_work(const Setting& setting, const HeldWeights& weights);
Charges optimizer_time(const Setting& setting, double moved_bytes);
Cost optimizer_cost(const Setting& setting, const OptimizerWork& work);

}  // namespace scalesweep::estimator
