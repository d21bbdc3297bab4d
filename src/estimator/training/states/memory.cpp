#include "estimator/training/states/memory.hpp"

#include <algorithm>

#include "estimator/training/data_parallel.hpp"
#include "estimator/training/states/parameters.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Recompute;
using parallel::Schedule;

// What the one layer that is in its backward pass needs beyond what it kept.
double working_bytes(const workload::SavedActivations& saved, const parallel::Strategy& strategy) {
  if (strategy.recompute == Recompute::selective) {
    return saved.most_dropped_bytes;
  }
  return strategy.recompute == Recompute::full ? saved.most_bytes : 0.0;
}

// Weights, gradients and optimizer states.
void set_states(MemoryUse& memory, const TrainingJob& job, const parallel::Strategy& strategy,
                const StageShare& share) {
  const StageParameters parameters = stage_parameters(job.model, strategy, share);
  const StageParameters trained = trained_parameters(job, strategy, share);
  const StateShards shards = state_shards(strategy);
  const double own_trained = own_parameters(trained, shards);
  const double weight = technology::element_bytes(job.precision.weights);
  const double gradient = technology::element_bytes(job.precision.gradients);
  const double copies = strategy.schedule == Schedule::dual_pipe ? 2.0 : 1.0;
  const KeptParameters kept =
      kept_parameters(strategy, parameters, trained, held_layers(job.model, share));
  memory.weights_bytes = kept.weights * weight_bytes(job, strategy, share);
  if (job.tuning.rank > 0) {
    const StageParameters adapters = adapters_of(job, strategy, share);
    memory.weights_bytes +=
        (strategy.zero == 3 ? own_parameters(adapters, shards) : copies * adapters.total()) *
        weight;
  }
  memory.gradients_bytes = kept.gradients * gradient;
  if (strategy.replicas() > 1) {
    memory.gradients_bytes += kept.gradients * job.stack.extra_gradient_bytes;
  }
  memory.optimizer_bytes =
      strategy.offload_optimizer ? 0.0 : kept.states * optimizer_state_bytes(job, strategy, share);
  memory.states_bytes = memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes;
  if (strategy.zero == 1 && job.stack.gathers_through_copy) {
    memory.states_bytes += (trained.total() + own_trained) * weight;
  }
  if (share.embedding && !job.tuning.on() && job.stack.keeps_embedding_gradient) {
    const double whole = strategy.zero >= 2 ? shards.dense : 1.0;
    memory.gradients_bytes +=
        job.model.embedding_parameters() / strategy.tensor_parallel / whole * weight;
  }
}

// Hidden states of a whole micro-batch on one device.
double hidden_state_bytes(const TrainingJob& job, const parallel::Strategy& strategy) {
  return static_cast<double>(job.sequence) / strategy.context_parallel * strategy.micro_batch *
         static_cast<double>(job.model.hidden) *
         technology::element_bytes(job.precision.activations);
}

// Logits as computed and as the loss holds them in fp32.
double logits_bytes(const TrainingJob& job, const parallel::Strategy& strategy) {
  const double logits = static_cast<double>(job.sequence) / strategy.context_parallel *
                        strategy.micro_batch * static_cast<double>(job.model.vocab) /
                        static_cast<double>(strategy.tensor_parallel);
  return logits * (technology::element_bytes(job.precision.activations) + 4.0);
}

}  // namespace

double micro_batches_in_flight(const parallel::Strategy& strategy, std::int64_t stage) {
  const double p = strategy.pipeline_parallel;
  const double v = strategy.chunks;
  const double m = strategy.micro_batches;
  const double behind = p - static_cast<double>(stage) - 1;  // stages that come after this one
  if (strategy.schedule == Schedule::dual_pipe) {
    return std::min(m, p + 1.0);  // arXiv:2412.19437, table 2: the same on every stage
  }
  if (strategy.chunks == 1) {
    return std::min(m, behind + 1.0);
  }
  // Warm-up of the interleaved schedule in chunk passes: Narayanan et al. 2021 (arXiv:2104.04473),
  // section 2.2; on the first stage p (1 + (p-1)/(p v)) micro-batches, as in Korthikanti et al.
  return std::min(m, (2.0 * behind + (v - 1.0) * p + 1.0) / v);
}

double kept_bytes(const workload::SavedActivations& saved, const parallel::Strategy& strategy) {
  const double whole = saved.kept_bytes + saved.dropped_bytes;
  if (strategy.recompute == Recompute::selective) {
    return saved.kept_bytes;
  }
  if (strategy.recompute == Recompute::full) {
    const double recomputed = 1.0 / strategy.recompute_every;
    return recomputed * saved.input_bytes + (1.0 - recomputed) * whole;
  }
  return whole;
}

double kept_bytes(const SavedLayers& saved, const StageShare& share,
                  const parallel::Strategy& strategy) {
  return share.layers * kept_bytes(saved.layer, strategy) +
         share.expert_layers * kept_bytes(saved.expert_layer, strategy) +
         share.predictions * kept_bytes(saved.last_layer(), strategy) +
         share.encoders * kept_bytes(saved.encoder, strategy);
}

MemoryUse stage_memory(const TrainingJob& job, const parallel::Strategy& strategy,
                       const SavedLayers& saved, const StageShare& share) {
  MemoryUse memory;
  set_states(memory, job, strategy, share);
  const double kept = kept_bytes(saved, share, strategy);
  // Where there are layers of the model those of an encoder work on no more.
  const bool encodes_alone = share.encoders > 0.0 && share.all_layers() <= 0.0;
  const double working =
      std::max({share.layers > 0.0 ? working_bytes(saved.layer, strategy) : 0.0,
                share.expert_layers > 0.0 ? working_bytes(saved.expert_layer, strategy) : 0.0,
                encodes_alone ? working_bytes(saved.encoder, strategy) : 0.0});
  if (!strategy.offload_activations) {
    memory.activations_bytes = micro_batches_in_flight(strategy, share.first) * kept + working;
  } else {
    // The layer in work and the one that is on its way.
    memory.activations_bytes = 2.0 * kept / std::max(1.0, held_layers(job.model, share)) + working;
  }
  if (share.head) {
    memory.activations_bytes += (1.0 + share.predictions) * logits_bytes(job, strategy);
  }
  const double aside = job.stack.fixed_memory_bytes +
                       job.stack.held_hidden_states * hidden_state_bytes(job, strategy);
  memory.states_bytes += aside;
  memory.activations_bytes += aside;
  memory.reserved_bytes =
      std::max(memory.total_bytes() + job.stack.allocator_slack * memory.activations_bytes,
               memory.states_bytes);
  return memory;
}

Verdict verdict_of(const MemoryUse& memory, const technology::Device& device) {
  return memory.reserved_bytes <= usable_memory_bytes(device) ? Verdict::fits
                                                              : Verdict::does_not_fit;
}

MemoryUse peak_memory(const TrainingJob& job, const parallel::Strategy& strategy,
                      const SavedLayers& saved, const StageShares& shares) {
  MemoryUse most;
  for (const StageShare& share : shares.kinds()) {
    const MemoryUse memory = stage_memory(job, strategy, saved, share);
    if (memory.total_bytes() > most.total_bytes()) {
      most = memory;
    }
  }
  return most;
}

}  // namespace scalesweep::estimator
