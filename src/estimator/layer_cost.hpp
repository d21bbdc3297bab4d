// What one device spends on one micro-batch of one transformer layer, of the embedding and of the
// output head: everything that depends on (tensor_parallel, micro_batch, sequence_parallel) only.
#pragma once

#include <string>
#include <vector>

#include "estimator/cost.hpp"
#include "estimator/training.hpp"
#include "parallel/placement.hpp"
#include "workload/layer.hpp"

namespace scalesweep::estimator {

// Kernels, the communication that stays exposed beside them, and what the device waits for the host
// where that issues more slowly than both run. Single charges of the last two may be negative where
// they take over what they hide or outlast (beyond() in cost.hpp); those of the total never are.
struct PassCost {
  Cost compute;
  Cost communication;
  Cost host_wait;

  Cost total() const { return compute + communication + host_wait; }
  PassCost& operator+=(const PassCost& o) {
    compute += o.compute;
    communication += o.communication;
    host_wait += o.host_wait;
    return *this;
  }
  friend PassCost operator*(double n, const PassCost& p) {
    return {n * p.compute, n * p.communication, n * p.host_wait};
  }
};

struct BlockCost {
  PassCost forward;
  PassCost backward;
  Cost attention_core;  // forward part that selective recomputation repeats
};

struct LayerCosts {
  BlockCost layer;
  BlockCost embedding;
  BlockCost head;
  workload::SavedActivations saved;
};

workload::Slice slice_of(const TrainingJob& job, const parallel::Strategy& strategy);

LayerCosts layer_costs(const TrainingJob& job, const technology::System& system,
                       const parallel::Strategy& strategy);

// The tensor-parallel collectives of one layer, per pass. Without sequence parallelism an
// all-reduce follows each row-parallel product (two per pass); with it each becomes a
// reduce-scatter and an all-gather precedes each column-parallel product (Korthikanti et al. 2022,
// figure 5).
parallel::Collective tensor_collective(const TrainingJob& job, const technology::System& system,
                                       const parallel::Strategy& strategy,
                                       parallel::CollectiveKind kind);

}  // namespace scalesweep::estimator
