// What training takes of an iteration: updates of the policy and of a critic, and forward passes of
// all that score its samples.
#pragma once

#include <optional>
#include <span>

#include "estimator/reinforcement/estimate.hpp"
#include "estimator/reinforcement/job.hpp"
#include "estimator/training/training.hpp"

namespace scalesweep::estimator {

// Of a step of training, the part that a forward pass alone takes: of all that comes with its
// passes (communication, bubbles, waiting) as much as forward kernels are of theirs. What comes
// once a step with gradients is no part of it, but for weights that ZeRO-3 gathers.
double forward_share(const TrainingEstimate& step, const parallel::Strategy& strategy);

// How a model of another shape is laid out on the devices of this strategy: alike where that cuts
// it evenly, else in replicas alone.
parallel::Strategy layout_of(const workload::TransformerModel& model,
                             const parallel::Strategy& strategy);

// One model that is trained: a step of its own.
struct TrainedModel {
  TrainingEstimate step;
  parallel::Strategy layout;
  double times = 0.0;  // in an iteration, each of as many sequences as an update has

  double device_j() const;  // of an iteration, what devices themselves burn
};

struct TrainingParts {
  TrainedModel policy;
  std::optional<TrainedModel> critic = std::nullopt;
  std::optional<TrainedModel> reward = std::nullopt;  // which reads alone
  Charges scoring;
  EnergyUse scoring_energy;
  double scoring_device_j = 0.0;  // the part of it that devices themselves burn
  double frozen_bytes = 0.0;      // of a device: weights of models that are not trained

  double seconds() const;
  // Joules that devices themselves burn: of networks only what a device takes.
  double device_j() const;
  double kept_bytes() const;      // of a device while nothing is trained
  double unkept_power_w() const;  // of all models: TrainingEstimate has it
};

class Trainers {
 public:
  Trainers(const ReinforcementJob& job, const technology::System& system,
           const Trainers* before = nullptr);

  // `strategies` must stay where it is.
  TrainingParts operator()(std::span<const parallel::Strategy> strategies, std::size_t index);
  // Of the policy alone, no more than its memory: what it takes at least.
  const MemoryUse& least_memory(std::span<const parallel::Strategy> strategies, std::size_t index);
  // What devices hold while they train.
  void set_memory(ReinforcementMemory& memory, const TrainingParts& parts,
                  const parallel::Strategy& strategy, double longest_output) const;

 private:
  TrainedModel model(TrainingEstimator& estimator, const workload::TransformerModel& model,
                     const parallel::Strategy& strategy) const;

  const ReinforcementJob job_;
  TrainingEstimator policy_;
  std::optional<TrainingEstimator> critic_;
  std::optional<TrainingEstimator> reward_;
};

// Weights from the layout of training to that of rollouts: gathered by the devices that have both,
// or sent to the others.
Cost weight_move(const ReinforcementJob& job, const technology::System& system,
                 const parallel::Strategy& strategy, const RolloutLayout& rollouts);

}  // namespace scalesweep::estimator
