// What replicas of a stage exchange and the optimizer does, as the parts of a step that passes and
// updates share: their functions are in data_parallel.hpp.
#pragma once

#include "estimator/parts/cost.hpp"

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

// Once a step, of one stage: gradients are reduced bucket by bucket behind the last backward pass,
// updated weights gathered behind the next forward pass, and copies of tied embeddings kept equal.
// With hybrid sharding the shards are reduced among groups, layer by layer behind the same pass
// (arXiv:2304.11277, section 3.2.2). No clock of the device changes it.
struct GradientTransfers {
  Cost open;  // what there is nothing to hide behind
  Cost behind_forward;
  Cost behind_backward;
};

// The optimizer over the device's shard, but for what it multiplies (matrix_updates.hpp). Of the
// system, this depends on the layouts that its matrix units take only.
struct OptimizerWork {
  double updated = 0.0;        // parameters
  double cleared_bytes = 0.0;  // of gradients, after it
  // To and from DRAM, or where its states live there, between the device and its host.
  double moved_bytes = 0.0;
};

}  // namespace scalesweep::estimator
