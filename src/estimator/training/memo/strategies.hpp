// What no device decides of the strategies of a job: computed once, and then for all systems.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "estimator/parts/stages.hpp"
#include "estimator/training/data_parallel.hpp"
#include "estimator/training/estimate.hpp"
#include "estimator/training/layer_cost.hpp"

namespace scalesweep::estimator {

// Strategies with the same number of something share it; numbers begin with 1, 0 is unknown.
struct KnownStrategy {
  MemoryUse memory;
  std::uint32_t shares = 0;  // a place in those of the job
  std::uint32_t layers = 0;  // what layers cost: of neighbours
  // Of those that fit somewhere.
  std::uint32_t stages = 0;     // Stages
  std::uint32_t gradients = 0;  // GradientTransfers
  OptimizerWork optimizer;
};

// Of the systems it depends on the layouts that their matrix units take.
class JobStrategies {
 public:
  JobStrategies(TrainingJob job, const technology::System& system);

  // Whether it holds for another job on another system, too.
  bool hold_for(TrainingJob job, const technology::System& system) const;

  // Of strategies[index], on one of those systems. `strategies` must stay where it is
  // and what it is.
  const KnownStrategy& at(std::span<const parallel::Strategy> strategies, std::size_t index,
                          const technology::System& system);
  // The same of one that fits: all of it.
  const KnownStrategy& fitting_at(std::span<const parallel::Strategy> strategies, std::size_t index,
                                  const technology::System& system);
  const StageShares& shares(const KnownStrategy& known) const { return shares_[known.shares]; }

 private:
  // Strategies that share something, with fields that do not matter for it as they are by default.
  struct Key {
    parallel::Strategy strategy;
    std::uint32_t shares;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  // Keys that were numbered last; one that was forgotten gets another number.
  struct Numbers {
    std::unordered_map<Key, std::uint32_t, Hash> known;
    std::uint32_t last = 0;

    std::uint32_t of(const Key& key);
  };

  static Key stages_key(parallel::Strategy strategy, std::uint32_t shares);
  static Key gradients_key(parallel::Strategy strategy, std::uint32_t shares);
  void find_out(std::span<const parallel::Strategy> strategies, std::size_t index,
                const technology::System& system);
  std::uint32_t shares_of(const parallel::Strategy& strategy);

  TrainingJob job_;
  bool any_layout_;
  std::span<const parallel::Strategy> strategies_;
  std::vector<KnownStrategy> known_;
  std::vector<StageShares> shares_;  // distinct
  Numbers stages_;
  Numbers gradients_;
  std::uint32_t last_layers_ = 0;
  SavedLayers saved_;  // of the last number
};

}  // namespace scalesweep::estimator
