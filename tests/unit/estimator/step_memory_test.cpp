#include "estimator/explain/step_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "estimator/training/training.hpp"
#include "support/examples.hpp"
#include "support/pipelined_strategy.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Recompute;
using parallel::Schedule;
using parallel::Strategy;
using test::strategy_of;

TimelineSlice slice(PassKind pass, int micro_batch, double start_s, int chunk = 0) {
  return {Phase::forward, pass, chunk, micro_batch, start_s, 1.0};
}

TEST(HeldLevels, RiseWithForwardAndFallBehindBackward) {
  const std::vector<TimelineSlice> stage = {
      slice(PassKind::forward, 0, 1.0),  slice(PassKind::forward, 1, 2.0),
      slice(PassKind::backward, 0, 5.0), slice(PassKind::backward, 0, 6.0),
      slice(PassKind::backward, 1, 8.0), slice(PassKind::backward, -1, 9.0)};
  const std::vector<std::pair<double, double>> expected = {
      {0.0, 0.0}, {1.0, 1.0}, {2.0, 2.0}, {7.0, 1.0}, {9.0, 0.0}};
  std::vector<std::pair<double, double>> levels;
  for (const HeldLevel& level : held_levels(stage, 1)) {
    levels.emplace_back(level.start_s, level.micro_batches);
  }
  EXPECT_EQ(levels, expected);
}

TEST(HeldLevels, FallWithTheGradientsOfWeightsWhereThoseWait) {
  const std::vector<TimelineSlice> stage = {slice(PassKind::forward, 0, 0.0),
                                            slice(PassKind::backward, 0, 1.0),
                                            slice(PassKind::weights, 0, 4.0)};
  const std::vector<HeldLevel> levels = held_levels(stage, 2);
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_DOUBLE_EQ(levels[0].micro_batches, 0.5);  // one chunk of two
  EXPECT_DOUBLE_EQ(levels[1].start_s, 5.0);
  EXPECT_DOUBLE_EQ(levels[1].micro_batches, 0.0);
}

class StepMemory : public ::testing::Test {
 protected:
  StepMemory() { job_.model = test::gpt(6144, 48, 64); }
  std::vector<StageMemory> of(const Strategy& strategy) {
    job_.global_batch = strategy.micro_batches;
    const Setting setting = {job_, system_, strategy};
    return step_memory(setting, step_timeline(setting));
  }
  // What the fullest stage holds at its peak is the memory of the estimate.
  void expect_peak_of_the_estimate(const Strategy& strategy) {
    const std::vector<StageMemory> stages = of(strategy);
    double peak = 0.0;
    for (const StageMemory& stage : stages) {
      EXPECT_DOUBLE_EQ(stage.peak_micro_batches(), stage.estimated_micro_batches);
      EXPECT_DOUBLE_EQ(stage.levels.back().micro_batches, 0.0);
      EXPECT_GE(stage.beside_bytes, 0.0);
      peak = std::max(peak, stage.bytes_with(stage.peak_micro_batches()));
    }
    const TrainingEstimate estimate = estimate_training({job_, system_, strategy});
    EXPECT_NEAR(peak, estimate.memory.total_bytes(), 1e-9 * peak);
  }
  const technology::System system_ = test::example_system();
  TrainingJob job_;
};

TEST_F(StepMemory, PeaksAtTheEstimate) {
  expect_peak_of_the_estimate(strategy_of(4, 1, 16));
  expect_peak_of_the_estimate(strategy_of(4, 1, 2));
  expect_peak_of_the_estimate(strategy_of(1, 1, 4));
  expect_peak_of_the_estimate(strategy_of(4, 2, 16));
  expect_peak_of_the_estimate(strategy_of(4, 3, 8));
}

TEST_F(StepMemory, PeaksAtTheEstimateWithRecomputation) {
  for (const Recompute recompute : {Recompute::selective, Recompute::full}) {
    for (const int chunks : {1, 2}) {
      Strategy strategy = strategy_of(4, chunks, 8);
      strategy.recompute = recompute;
      strategy.sequence_parallel = true;
      expect_peak_of_the_estimate(strategy);
    }
  }
}

TEST_F(StepMemory, OffloadedActivationsDoNotComeAndGo) {
  Strategy strategy = strategy_of(4, 1, 8);
  strategy.offload_activations = true;
  for (const StageMemory& stage : of(strategy)) {
    EXPECT_EQ(stage.kept_bytes, 0.0);
    EXPECT_DOUBLE_EQ(stage.beside_bytes, stage.estimate.activations_bytes);
  }
}

// With as many micro-batches as stages all of them go forward before any goes back, on every stage;
// the closed form has the warm-up of more micro-batches, which later stages begin with fewer of.
TEST_F(StepMemory, OfAsManyMicroBatchesAsStagesIsThatOfAllOnEveryStage) {
  const std::vector<StageMemory> stages = of(strategy_of(4, 2, 4));
  EXPECT_DOUBLE_EQ(stages[0].peak_micro_batches(), stages[0].estimated_micro_batches);
  EXPECT_DOUBLE_EQ(stages[3].peak_micro_batches(), 4.0);
  EXPECT_DOUBLE_EQ(stages[3].estimated_micro_batches, 2.5);
}

// Stage s puts off the weight gradients of s micro-batches, whose activations it holds meanwhile:
// as many as the first stage holds, where the closed form has those of 1F1B.
TEST_F(StepMemory, OfWaitingWeightGradientsIsThatOfTheFirstStageEverywhere) {
  Strategy strategy = strategy_of(4, 1, 16);
  strategy.schedule = Schedule::zero_bubble;
  const std::vector<StageMemory> stages = of(strategy);
  for (std::size_t s = 0; s < stages.size(); ++s) {
    EXPECT_DOUBLE_EQ(stages[s].peak_micro_batches(), 4.0);
    EXPECT_DOUBLE_EQ(stages[s].estimated_micro_batches, 4.0 - static_cast<double>(s));
  }
}

}  // namespace
}  // namespace scalesweep::estimator
