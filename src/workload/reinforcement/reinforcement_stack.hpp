// How a software stack runs an iteration of reinforcement learning, beside how its engines train
// and serve.
#pragma once

namespace scalesweep::workload {

struct ReinforcementStack {
  // Rates of its rollouts and its updates over those of the same engines alone. Replicas and
  // micro-batches are uneven, hosts score and hand over.
  double iteration_share = 1.0;

  friend bool operator==(const ReinforcementStack&, const ReinforcementStack&) = default;
};

}  // namespace scalesweep::workload
