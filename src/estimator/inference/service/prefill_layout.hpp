// Replicas of one layout that do nothing but prompts, at the clock that those leave them.
#pragma once

#include "estimator/inference/job.hpp"
#include "estimator/inference/passes/inference_blocks.hpp"
#include "estimator/inference/service/steady_state.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// The replicas that share experts, or one: the least that a pool can have of a layout.
parallel::Strategy group_of_replicas(parallel::Strategy strategy);

// A group of replicas at the clock that its power leaves it while it is busy.
struct PrefillLayout {
  PromptPool prompts;  // of one group; refers to no system
  technology::System system;
  double capacity_without_end = 0.0;  // of so many groups that bursts reach none

  double devices() const { return static_cast<double>(prompts.strategy.devices()); }
};

// Of a setting at its full clock, in which L2 keeps what it keeps of the group's weights.
PrefillLayout settled_layout(const ServingJob& job, const RequestMix& mix,
                             const InferenceSetting& setting, const parallel::Strategy& group);

}  // namespace scalesweep::estimator
