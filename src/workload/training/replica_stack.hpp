// How a software stack trains copies of a model, whatever its kind: what replicas send, what the
// host takes for it, and the update of the weights.
#pragma once

#include "workload/recipe.hpp"

namespace scalesweep::workload {

struct ReplicaStack {
  // Gradients are reduced bucket by bucket behind the last backward pass.
  bool hides_data_communication = true;
  // The same for the reductions of ZeRO, which scatter.
  bool hides_sharded_reduction = true;
  // Host time that ZeRO-1 takes for the tensors of a layer once a step, to scatter, update and
  // gather them one by one.
  double sharded_layer_issue_s = 0.0;
  // Weights that ZeRO-1 updates are gathered behind the next forward pass.
  bool hides_weight_gather = false;
  // Host time for each rank of a group, beside that of the collective: of every collective, and of
  // those whose group crosses scale-up domains. The host of every rank waits for the others.
  double rank_issue_interval_s = 0.0;
  double crossing_issue_interval_s = 0.0;
  // Gradients go in collectives of this size at most; 0: in one.
  double gradient_bucket_bytes = 0.0;
  // How often the optimizer streams its states: 1 where one kernel updates everything.
  double optimizer_passes = 1.0;
  // How operands of fp8 are scaled where nobody says otherwise.
  Recipe fp8_recipe = Recipe::delayed;

  friend bool operator==(const ReplicaStack&, const ReplicaStack&) = default;
};

}  // namespace scalesweep::workload
