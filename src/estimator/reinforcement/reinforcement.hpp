// Estimates of an iteration of reinforcement learning, one strategy of its training after the
// other.
//
// An iteration: an engine answers all prompts (rollout.hpp); models read the answers (scoring); the
// policy, and with PPO a critic, is updated on them (Schulman et al., arXiv:1707.06347; without one
// GRPO, Shao et al., arXiv:2402.03300); the engine gets the new weights. On the same devices these
// follow each other (Sheng et al., HybridFlow, arXiv:2409.19256); on devices of their own, rollouts
// with weights that are some iterations old run beside the rest (Fu et al., AReaL,
// arXiv:2505.24298).
//
// Training is that of training.hpp, decode and prefill are the passes of inference; nothing of
// either is estimated here. Pure: the same arguments give the same bits.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "estimator/reinforcement/estimate.hpp"
#include "estimator/reinforcement/job.hpp"
#include "estimator/reinforcement/rollout_engine.hpp"
#include "estimator/reinforcement/trainers.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// Plainly, from the beginning.
ReinforcementEstimate estimate_reinforcement(const ReinforcementJob& job,
                                             const technology::System& system,
                                             const parallel::Strategy& strategy);

// What an iteration is made of.
struct ReinforcementExplanation {
  ReinforcementEstimate estimate;
  TrainingParts training;
  RolloutRun rollouts;
  Cost weights;
};
ReinforcementExplanation explain_reinforcement(const ReinforcementJob& job,
                                               const technology::System& system,
                                               const parallel::Strategy& strategy);

// The same, with what strategies share computed once: rollouts, and what TrainingEstimator shares.
class ReinforcementEstimator {
 public:
  // `before`: one of another system or job, of which training takes over what holds here; may be
  // null.
  ReinforcementEstimator(ReinforcementJob job, const technology::System& system,
                         const ReinforcementEstimator* before = nullptr);
  ReinforcementEstimator(const ReinforcementEstimator&) = delete;
  ReinforcementEstimator& operator=(const ReinforcementEstimator&) = delete;

  const ReinforcementJob& job() const { return job_; }

  // Of strategies[index], one of many: `strategies` must stay where it is.
  ReinforcementEstimate operator()(std::span<const parallel::Strategy> strategies,
                                   std::size_t index);
  // Where it does not fit, no more than the memory, or as much of it as already exceeds it.
  ReinforcementEstimate if_fits(std::span<const parallel::Strategy> strategies, std::size_t index);
  ReinforcementExplanation explain(const parallel::Strategy& strategy);

 private:
  struct Parts;

  Parts parts_of(std::span<const parallel::Strategy> strategies, std::size_t index);
  ReinforcementEstimate compose(const Parts& parts, const parallel::Strategy& strategy) const;
  void set_memory(ReinforcementMemory& memory, const Parts& parts,
                  const parallel::Strategy& strategy) const;
  void set_time(ReinforcementEstimate& estimate, const Parts& parts) const;
  void set_energy(ReinforcementEstimate& estimate, const Parts& parts,
                  const parallel::Strategy& strategy) const;

  ReinforcementJob job_;
  technology::System system_;
  Trainers trainers_;
  RolloutEngine engine_;
};

// False where an engine of rollouts has no room for a sequence: of the iteration nothing is known
// then but its memory and devices, and its time is NaN.
inline bool has_time(const ReinforcementEstimate& estimate) {
  return !std::isnan(estimate.iteration_s());
}

}  // namespace scalesweep::estimator
