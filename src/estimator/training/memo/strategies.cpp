#include "estimator/training/memo/strategies.hpp"

#include <algorithm>
#include <utility>

#include "estimator/parts/mixed_hash.hpp"
#include "estimator/training/states/memory.hpp"

namespace scalesweep::estimator {
namespace {

// Some 10 MB.
constexpr std::size_t most_numbered = 65536;

}  // namespace

// Nothing here is computed from the uncertainty, which is that of the device, too.
JobStrategies::JobStrategies(TrainingJob job, const technology::System& system)
    : job_(std::move(job)), any_layout_(technology::scales_blocks(system.device)) {
  job_.uncertainty = {};
}

bool JobStrategies::hold_for(TrainingJob job, const technology::System& system) const {
  job.uncertainty = {};
  return any_layout_ == technology::scales_blocks(system.device) && job_ == job;
}

const KnownStrategy& JobStrategies::at(std::span<const parallel::Strategy> strategies,
                                       std::size_t index, const technology::System& system) {
  if (strategies.data() != strategies_.data() || strategies.size() != strategies_.size()) {
    strategies_ = strategies;
    known_.assign(strategies.size(), {});
  }
  if (known_[index].layers == 0) {
    find_out(strategies, index, system);
  }
  return known_[index];
}

const KnownStrategy& JobStrategies::fitting_at(std::span<const parallel::Strategy> strategies,
                                               std::size_t index,
                                               const technology::System& system) {
  at(strategies, index, system);
  KnownStrategy& known = known_[index];
  if (known.stages == 0) {
    const parallel::Strategy& strategy = strategies[index];
    known.stages = stages_.of(stages_key(strategy, known.shares));
    known.gradients = gradients_.of(gradients_key(strategy, known.shares));
    known.optimizer =
        optimizer_work({job_, system, strategy}, fullest_stage(job_, strategy, shares(known)));
  }
  return known;
}

void JobStrategies::find_out(std::span<const parallel::Strategy> strategies, std::size_t index,
                             const technology::System& system) {
  const parallel::Strategy& strategy = strategies[index];
  const Setting setting = {job_, system, strategy};
  KnownStrategy& known = known_[index];
  const bool as_before = index > 0 && last_layers_ > 0 &&
                         known_[index - 1].layers == last_layers_ &&
                         layer_key(strategies[index - 1]) == layer_key(strategy);
  if (!as_before) {
    ++last_layers_;
    saved_ = saved_layers(setting);
  }
  known.layers = last_layers_;
  known.shares = shares_of(strategy);
  known.memory = peak_memory(job_, strategy, saved_, shares_[known.shares]);
}

// Replicas matter to a stage where ZeRO sends among them with every micro-batch.
JobStrategies::Key JobStrategies::stages_key(parallel::Strategy strategy, std::uint32_t shares) {
  const parallel::Strategy plain;
  strategy.chunks = plain.chunks;  // known by their shares
  strategy.micro_batches = plain.micro_batches;
  strategy.offload_optimizer = plain.offload_optimizer;
  if (strategy.zero < 2) {
    strategy.zero = plain.zero;
    strategy.shard_group = plain.shard_group;
    strategy.data_parallel = layer_key(strategy).data_parallel;
  }
  return {strategy, shares};
}

JobStrategies::Key JobStrategies::gradients_key(parallel::Strategy strategy, std::uint32_t shares) {
  const parallel::Strategy plain;
  strategy.context_exchange = plain.context_exchange;
  strategy.schedule = plain.schedule;
  strategy.sequence_parallel = plain.sequence_parallel;
  strategy.micro_batch = plain.micro_batch;
  strategy.chunks = plain.chunks;
  strategy.micro_batches = plain.micro_batches;
  strategy.recompute = plain.recompute;
  strategy.recompute_every = plain.recompute_every;
  strategy.offload_activations = plain.offload_activations;
  strategy.offload_optimizer = plain.offload_optimizer;
  return {strategy, shares};
}

std::uint32_t JobStrategies::Numbers::of(const Key& key) {
  if (known.size() >= most_numbered) {
    known.clear();
  }
  const auto [place, is_new] = known.emplace(key, last + 1);
  last += is_new ? 1 : 0;
  return place->second;
}

// Of fields that are varied most.
std::size_t JobStrategies::Hash::operator()(const Key& key) const {
  const parallel::Strategy& s = key.strategy;
  std::size_t hash = key.shares;
  for (const std::int32_t field :
       {s.tensor_parallel, s.context_parallel, s.expert_parallel, s.micro_batch,
        s.pipeline_parallel, s.data_parallel, static_cast<std::int32_t>(s.recompute),
        s.recompute_every, std::int32_t{s.zero}, s.shard_group}) {
    hash = mixed(hash, static_cast<std::uint64_t>(field));
  }
  return hash;
}

// Neighbours often have the same; there are few in all.
std::uint32_t JobStrategies::shares_of(const parallel::Strategy& strategy) {
  const StageShares shares = stage_shares(job_.model, strategy, job_.stack.stage_balance);
  const auto found = std::find(shares_.begin(), shares_.end(), shares);
  if (found != shares_.end()) {
    return static_cast<std::uint32_t>(found - shares_.begin());
  }
  shares_.push_back(shares);
  return static_cast<std::uint32_t>(shares_.size() - 1);
}

}  // namespace scalesweep::estimator
