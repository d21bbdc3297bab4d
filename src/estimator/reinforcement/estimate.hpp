// What is estimated of an iteration of reinforcement learning.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/enum_names.hpp"
#include "estimator/parts/capacity.hpp"
#include "estimator/parts/charges.hpp"
#include "estimator/parts/power/energy.hpp"

namespace scalesweep::estimator {

// The seconds of an iteration. What others hide is no part of them.
enum class ReinforcementPhase {
  prompts,  // prefill, and caches that new weights make anew
  rollout,  // decode, while at least half of the places of the batch are taken
  tail,     // decode, then
  scoring,  // forward passes of policy, reference, critic and reward model
  policy,   // updates
  critic,   // the same
  weights,  // from the layout of training to that of rollouts
  states,   // to the host and back
};
inline constexpr auto reinforcement_phase_names = enum_names<ReinforcementPhase>(
    "prompts", "rollout", "tail", "scoring", "policy", "critic", "weights", "states");
inline constexpr std::size_t reinforcement_phase_count = reinforcement_phase_names.size();

// Seconds and their causes, by phase.
struct ReinforcementCharges {
  std::array<Charges, reinforcement_phase_count> phases = {};

  Charges& operator[](ReinforcementPhase phase) { return phases[static_cast<std::size_t>(phase)]; }
  Charges total() const {
    Charges sum;
    for (const Charges& phase : phases) {
      sum += phase;
    }
    return sum;
  }
};

// How the policy answers.
struct RolloutLayout {
  std::int64_t devices = 0;
  std::int64_t tensor_parallel = 1;
  double sequences = 0.0;       // of a replica at a time, at most
  double most_sequences = 0.0;  // that its cache holds
  double replicas() const {
    return static_cast<double>(devices) / static_cast<double>(tensor_parallel);
  }
};

struct ReinforcementMemory {  // bytes on a device
  // Of devices that train:
  double weights_bytes = 0.0;      // of the policy and all that score
  double states_bytes = 0.0;       // gradients and states of the optimizer
  double activations_bytes = 0.0;  // of the longest answer, and what the allocator keeps
  double usable_bytes = 0.0;
  // Of devices that answer, with what stays there of training:
  double rollout_weights_bytes = 0.0;
  double cache_bytes = 0.0;  // of as many sequences as run at a time
  double rollout_usable_bytes = 0.0;

  double training_bytes() const { return weights_bytes + states_bytes + activations_bytes; }
  double rollout_bytes() const { return rollout_weights_bytes + cache_bytes; }
  double total_bytes() const { return std::max(training_bytes(), rollout_bytes()); }
  // More than there is, where there is less left; below 0 where both fit.
  double short_bytes() const {
    return std::max(training_bytes() - usable_bytes, rollout_bytes() - rollout_usable_bytes);
  }
};

struct ReinforcementEstimate {
  Verdict verdict = Verdict::fits;
  Charges iteration;  // sums to the time of an iteration
  std::array<double, reinforcement_phase_count> phase_s{};
  double rollout_s = 0.0;   // prompts and decode, hidden or not
  double tail_s = 0.0;      // of it
  double training_s = 0.0;  // scoring and updates
  double weights_s = 0.0;
  double step_s = 0.0;          // of one update of the policy
  double utilization = 0.0;     // of the matrix units while the policy is updated
  double moved_bytes = 0.0;     // weights in the formats of rollouts
  double longest_output = 0.0;  // tokens
  RolloutLayout rollouts;
  double samples = 0.0;       // of an iteration
  std::int64_t trainers = 0;  // devices
  ReinforcementMemory memory;
  EnergyUse energy;
  double device_power_w = 0.0;  // average of one device over the iteration
  double unkept_power_w = 0.0;  // of a device whose limit no clock keeps (power_limit.hpp); else 0
  double iteration_s() const { return iteration.total_s(); }
};

}  // namespace scalesweep::estimator
