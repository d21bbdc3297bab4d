#include "estimator/reinforcement/trainers.hpp"

#include <algorithm>
#include <cmath>

#include "estimator/parts/collective.hpp"
#include "parallel/placement.hpp"

namespace scalesweep::estimator {
namespace {

constexpr std::size_t at(Phase phase) {
  return static_cast<std::size_t>(phase);
}

// Of one of the models, what an update trains on.
TrainingJob training_job(const ReinforcementJob& job, const workload::TransformerModel& model) {
  TrainingJob training = job.training;
  training.model = model;
  training.sequence = job.prompt + job.output;
  training.global_batch = job.prompts * job.samples / job.updates;
  return training;
}

std::optional<TrainingEstimator> estimator_of(
    const ReinforcementJob& job, const std::optional<workload::TransformerModel>& model,
    const technology::System& system, const std::optional<TrainingEstimator>* before) {
  if (!model) {
    return std::nullopt;
  }
  const TrainingEstimator* known = before != nullptr && *before ? &**before : nullptr;
  return std::optional<TrainingEstimator>(std::in_place, training_job(job, *model), system, known);
}

double state_bytes(const TrainingEstimate& step) {
  return step.memory.gradients_bytes + step.memory.optimizer_bytes;
}

}  // namespace

// What passes send and wait for is shared out as their work is, one part forward and two backward,
// and what is computed again beside them: by the times of their kernels a faster kernel would leave
// the others more of it.
double forward_share(const TrainingEstimate& step, const parallel::Strategy& strategy) {
  const auto& phases = step.phase_s;
  const double kernels =
      phases[at(Phase::forward)] + phases[at(Phase::backward)] + phases[at(Phase::recompute)];
  const double gradients = strategy.zero < 3 ? phases[at(Phase::data_communication)] : 0.0;
  const double once = phases[at(Phase::optimizer)] + gradients;
  const double total = step.step_time_s();
  const double again =
      strategy.recompute == parallel::Recompute::full ? 1.0 / strategy.recompute_every : 0.0;
  const double beside = std::max(0.0, total - once - kernels) / (3.0 + again);
  return (phases[at(Phase::forward)] + beside) / total;
}

parallel::Strategy layout_of(const workload::TransformerModel& model,
                             const parallel::Strategy& strategy) {
  const std::int64_t t = strategy.tensor_parallel;
  const std::int64_t stages = std::int64_t{strategy.pipeline_parallel} * strategy.chunks;
  const bool cuts =
      model.heads % t == 0 && model.ffn % t == 0 && model.kv_heads % t == 0 &&
      model.layers % stages == 0 && strategy.first_stage_layers == 0 &&
      strategy.last_stage_layers == 0 &&
      (strategy.expert_parallel == 1 ||
       (model.experts.count > 0 && model.experts.count % strategy.expert_parallel == 0));
  if (cuts) {
    return strategy;
  }
  parallel::Strategy replicas;
  replicas.data_parallel = static_cast<std::int32_t>(strategy.devices());
  replicas.recompute = strategy.recompute;
  replicas.recompute_every = strategy.recompute_every;
  replicas.zero = strategy.zero;
  replicas.offload_optimizer = strategy.offload_optimizer;
  replicas.offload_activations = strategy.offload_activations;
  return replicas;
}

double TrainedModel::device_j() const {
  return times * step.device_power_w * step.step_time_s() * static_cast<double>(layout.devices());
}

double TrainingParts::seconds() const {
  double sum_s = scoring.total_s() + policy.times * policy.step.step_time_s();
  if (critic) {
    sum_s += critic->times * critic->step.step_time_s();
  }
  return sum_s;
}

double TrainingParts::device_j() const {
  return scoring_device_j + policy.device_j() + (critic ? critic->device_j() : 0.0);
}

double TrainingParts::unkept_power_w() const {
  double most_w = policy.step.unkept_power_w;
  for (const std::optional<TrainedModel>* const other : {&critic, &reward}) {
    most_w = *other ? std::max(most_w, (*other)->step.unkept_power_w) : most_w;
  }
  return most_w;
}

double TrainingParts::kept_bytes() const {
  const auto of = [](const TrainedModel& model) {
    return model.step.memory.weights_bytes + state_bytes(model.step);
  };
  return of(policy) + (critic ? of(*critic) : 0.0) + frozen_bytes;
}

Trainers::Trainers(const ReinforcementJob& job, const technology::System& system,
                   const Trainers* before)
    : job_(job),
      policy_(training_job(job, job.training.model), system,
              before != nullptr ? &before->policy_ : nullptr),
      critic_(
          estimator_of(job, job.critic, system, before != nullptr ? &before->critic_ : nullptr)),
      reward_(
          estimator_of(job, job.reward, system, before != nullptr ? &before->reward_ : nullptr)) {}

// A layout of its own shares the sequences of an update among more replicas, of which some then
// have less than a whole one: its steps are as many less.
TrainedModel Trainers::model(TrainingEstimator& estimator, const workload::TransformerModel& model,
                             const parallel::Strategy& strategy) const {
  TrainedModel trained;
  trained.layout = layout_of(model, strategy);
  const double batch = job_.all_samples() / static_cast<double>(job_.updates);
  if (trained.layout != strategy) {
    trained.layout.micro_batches =
        static_cast<std::int32_t>(std::ceil(batch / trained.layout.data_parallel));
  }
  trained.step = estimator(trained.layout);
  trained.times = static_cast<double>(job_.updates);
  return trained;
}

TrainingParts Trainers::operator()(std::span<const parallel::Strategy> strategies,
                                   std::size_t index) {
  const parallel::Strategy& strategy = strategies[index];
  const auto updates = static_cast<double>(job_.updates);
  const auto epochs = static_cast<double>(job_.epochs);
  TrainingParts parts;
  parts.policy = {policy_(strategies, index), strategy, updates * epochs};
  const auto score = [&](const TrainingEstimate& step, const parallel::Strategy& layout,
                         double models) {
    const double forward = models * updates * forward_share(step, layout);
    parts.scoring.add(forward, step.step);
    parts.scoring_energy.add(forward, step.energy);
    parts.scoring_device_j += TrainedModel{step, layout, forward}.device_j();
  };
  // Engines of rollouts round otherwise than those of training, which read the samples once more
  // for the probabilities that updates start from.
  score(parts.policy.step, strategy, job_.has_reference ? 2.0 : 1.0);
  const MemoryUse& own = parts.policy.step.memory;
  parts.frozen_bytes = job_.has_reference ? own.weights_bytes : 0.0;
  if (critic_) {
    parts.critic = model(*critic_, *job_.critic, strategy);
    parts.critic->times *= epochs;
    score(parts.critic->step, parts.critic->layout, 1.0);
  }
  if (reward_) {
    parts.reward = model(*reward_, *job_.reward, strategy);
    score(parts.reward->step, parts.reward->layout, 1.0);
    parts.frozen_bytes += parts.reward->step.memory.weights_bytes;
  }
  return parts;
}

const MemoryUse& Trainers::least_memory(std::span<const parallel::Strategy> strategies,
                                        std::size_t index) {
  return policy_.settle(strategies, index).memory;
}

// Models take turns: their activations are never there at the same time. A micro-batch holds the
// longest answer, where that is more than its mean ones together.
void Trainers::set_memory(ReinforcementMemory& memory, const TrainingParts& parts,
                          const parallel::Strategy& strategy, double longest_output) const {
  const double mean = static_cast<double>(job_.prompt + job_.output);
  const double longest = static_cast<double>(job_.prompt) + longest_output;
  const double stretch = std::max(1.0, longest / (mean * strategy.micro_batch));
  const double fixed = job_.training.stack.fixed_memory_bytes;  // whatever the length
  const auto working = [&](const MemoryUse& of) {
    const double slack = of.reserved_bytes - of.total_bytes();
    return std::max(0.0, (of.activations_bytes - fixed) * stretch + fixed + slack);
  };
  const MemoryUse& policy = parts.policy.step.memory;
  memory.weights_bytes = policy.weights_bytes + parts.frozen_bytes;
  memory.states_bytes = state_bytes(parts.policy.step);
  memory.activations_bytes = working(policy);
  if (parts.critic) {
    memory.weights_bytes += parts.critic->step.memory.weights_bytes;
    memory.states_bytes += state_bytes(parts.critic->step);
    memory.activations_bytes =
        std::max(memory.activations_bytes, working(parts.critic->step.memory));
  }
}

Cost weight_move(const ReinforcementJob& job, const technology::System& system,
                 const parallel::Strategy& strategy, const RolloutLayout& rollouts) {
  const parallel::Levels levels = levels_of(system);
  // What a device of the engine gets.
  const double bytes = job.training.model.parameters() * job.rollouts.weight_bytes() /
                       static_cast<double>(rollouts.tensor_parallel);
  if (job.is_separate()) {
    return transfer_cost(bytes, parallel::group_of(job.devices, levels).neighbours(), system);
  }
  const std::int64_t cut = std::int64_t{strategy.tensor_parallel} * strategy.pipeline_parallel;
  const std::int64_t shards = strategy.zero == 3 ? strategy.devices() : cut;
  return shards <= rollouts.tensor_parallel
             ? Cost{}
             : collective_cost({.kind = parallel::CollectiveKind::all_gather,
                                .group = parallel::group_of(shards, levels),
                                .bytes = bytes},
                               system)
                   .cost;
}

}  // namespace scalesweep::estimator
