// What layers of a job cost on a system at the clocks that were tried: what strategies have in
// common that share them, and systems whose networks differ where no layer reaches.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "estimator/training/bounds/bound.hpp"
#include "estimator/training/kernel_sums.hpp"
#include "estimator/training/layer_cost.hpp"

namespace scalesweep::estimator {

// A job on a system at the clocks that were tried.
class ClockedJob {
 public:
  struct Clocked {
    technology::System system;
    BlockRates rates;
  };

  ClockedJob(TrainingJob job, const technology::System& system);

  const TrainingJob& job() const { return job_; }
  const Clocked& at(int step);  // stays where it is
  const technology::System& full() const { return full_.system; }
  Setting setting(const parallel::Strategy& strategy, int step) {
    return {job_, at(step).system, strategy};
  }

 private:
  TrainingJob job_;
  Clocked full_;
  std::map<int, Clocked> slower_;
};

// The layer costs of strategies that share them. What a function returns holds until it is called
// again.
class ClockedLayers {
 public:
  // `strategy`: any of those; `kernels` outlive it.
  ClockedLayers(std::shared_ptr<ClockedJob> on, KernelMemo& kernels,
                const parallel::Strategy& strategy);

  // Whether it holds for the same job on another system, too; then it is of that from now on.
  bool carry_over(const std::shared_ptr<ClockedJob>& to);

  // What layers cost at a clock.
  const LayerCosts& costs(int step);

  // What one device spends for one micro-batch on the passes of all layers. They last longer than a
  // power limit takes to act, so that they set the clock; waiting for other stages, gradients and
  // the optimizer take less.
  const Cost& pass(int step);
  double pass_power_w(int step);

  // Where the passes keep within the power limit.
  int pass_step();

  // A clock that the passes settle at or below, and near it: of a coarse grid, where other systems
  // with the same device have asked what kernels take.
  int near_step();

  // stage_units() and what they take, recomputed as the strategy says.
  const StageUnits& units(const parallel::Strategy& strategy, int step);
  const UnitTimes& times(const parallel::Strategy& strategy, int step);

  // pipeline_transfer() of the strategy. Groups of stages lie where the numbers of stages and of
  // replicas put them.
  const Cost& transfer(const parallel::Strategy& strategy);

 private:
  static constexpr std::size_t most_clocks = 256;

  struct Recomputed {
    std::tuple<int, parallel::Recompute, std::int32_t> policy;  // at this clock
    StageUnits units;
    UnitTimes times;
  };

  const Recomputed& recomputed(const parallel::Strategy& strategy, int step);
  // Whether the full clock is too fast for the passes.
  bool slows_down();

  std::shared_ptr<ClockedJob> on_;
  KernelMemo* kernels_;
  parallel::Strategy strategy_;
  std::optional<int> pass_step_;
  std::optional<int> near_step_;
  std::map<int, LayerCosts> costs_;
  std::vector<std::pair<int, Cost>> passes_;
  std::vector<Recomputed> recomputed_;
  std::vector<std::pair<std::pair<std::int32_t, std::int32_t>, Cost>> transfers_;
};

// Those that were asked for last. Strategies that share them are neighbours in the enumeration, and
// systems that differ in their outer networks alone come one after the other: the memory is
// constant.
class KnownLayers {
 public:
  // `kernels` outlive it.
  explicit KnownLayers(KernelMemo& kernels) : kernels_(kernels) {}

  // Of strategies that JobStrategies gives this number; holds until the next call.
  ClockedLayers& of(std::uint32_t number, const parallel::Strategy& strategy,
                    const std::shared_ptr<ClockedJob>& on);

 private:
  static constexpr std::size_t most = 512;

  struct Place {
    std::uint32_t number = 0;
    std::optional<ClockedLayers> layers;
  };

  KernelMemo& kernels_;
  std::vector<Place> places_ = std::vector<Place>(most);
};

}  // namespace scalesweep::estimator
