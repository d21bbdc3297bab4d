// The engine of rollouts on some devices: its layouts, and what each takes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "estimator/inference/passes/inference_blocks.hpp"
#include "estimator/inference/passes/phases.hpp"
#include "estimator/reinforcement/estimate.hpp"
#include "estimator/reinforcement/job.hpp"
#include "estimator/reinforcement/rollout.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// The devices of an engine, and what each of them holds beside it.
struct RolloutDevices {
  std::int64_t count = 1;
  double held_bytes = 0.0;

  friend auto operator<=>(const RolloutDevices&, const RolloutDevices&) = default;
};

// All answers of an iteration.
struct RolloutRun {
  bool fits = false;
  RolloutLayout layout;
  Cost prompts;  // of one device
  RolloutCost answers;
  double weights_bytes = 0.0;  // of a device
  double cache_bytes = 0.0;    // of as many sequences as run at a time
  double usable_bytes = 0.0;
  int clock_step = 0;
  double power_w = 0.0;   // of a device, in decode
  double unkept_w = 0.0;  // the same where no clock keeps its limit; else 0

  double total_s() const {
    return prompts.time.total_s() + answers.full.time.total_s() + answers.tail.time.total_s();
  }
};

// Engines have replicas of tensor-parallel devices; more of these than a scale-up domain has only
// where nothing less fits.
class RolloutEngine {
 public:
  RolloutEngine(const ReinforcementJob& job, const technology::System& system);
  RolloutEngine(const RolloutEngine&) = delete;
  RolloutEngine& operator=(const RolloutEngine&) = delete;

  const OutputLengths& lengths() const { return lengths_; }
  const InferenceSetting& setting() const { return setting_; }
  // Of each layout that fits, at least one: where none does, that which lacks least. Holds until
  // the engine ends.
  const std::vector<RolloutRun>& on(const RolloutDevices& devices);

 private:
  std::vector<RolloutRun> layouts(const RolloutDevices& devices);
  RolloutRun run(const RolloutDevices& devices, std::int64_t tensor_parallel);
  void answer(RolloutRun& run, const ReplicaLoad& load);
  double held_tokens() const;

  const ReinforcementJob job_;
  OutputLengths lengths_;
  InferenceSetting setting_;
  InferenceClocks clocks_;
  std::map<RolloutDevices, std::vector<RolloutRun>> known_;
};

}  // namespace scalesweep::estimator
