#include "estimator/explain/step_timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "estimator/training/training.hpp"
#include "support/examples.hpp"
#include "support/pipeline_simulation.hpp"
#include "support/pipelined_strategy.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Schedule;
using parallel::Strategy;
using test::strategy_of;

double seconds_of(const PassSeconds& takes, PassKind kind) {
  return kind == PassKind::forward    ? takes.forward_s
         : kind == PassKind::backward ? takes.backward_s
                                      : takes.weights_s;
}

double end_s(const Strategy& strategy, const std::vector<PassSeconds>& stages) {
  double end = 0.0;
  const auto passes = scheduled_passes(strategy, stages);
  for (std::size_t s = 0; s < passes.size(); ++s) {
    const StagePass& last = passes[s].back();
    end = std::max(end, last.start_s + seconds_of(stages[s], last.kind));
  }
  return end;
}

// The closed forms of the papers, stages being alike.
TEST(PipelineSchedule, EndsWhenThePapersSay) {
  const std::vector<PassSeconds> alike(4, {1.0, 2.5, 0.0});
  EXPECT_NEAR(end_s(strategy_of(4, 1, 8), alike), (8 + 3) * 3.5, 1e-9);
  EXPECT_NEAR(end_s(strategy_of(4, 1, 2), alike), (2 + 3) * 3.5, 1e-9);
  EXPECT_NEAR(end_s(strategy_of(4, 3, 8), alike), (3 * 8 + 3) * 3.5, 1e-9);
  Strategy waiting = strategy_of(4, 1, 8);
  waiting.schedule = Schedule::zero_bubble;
  const std::vector<PassSeconds> split(4, {1.0, 1.0, 1.0});
  EXPECT_NEAR(end_s(waiting, split), 8 * 3.0 + 3 * (1.0 + 1.0 - 1.0), 1e-9);
}

TEST(PipelineSchedule, OfUnevenStagesIsThatOfTheSimulation) {
  const std::vector<PassSeconds> stages = {{1.5, 2.0, 0.0}, {1.0, 2.0, 0.0}, {1.0, 3.0, 0.0}};
  std::vector<std::vector<test::ChunkPasses>> simulated;
  for (const PassSeconds& stage : stages) {
    simulated.emplace_back(2, test::ChunkPasses{stage.forward_s, stage.backward_s, 0.0});
  }
  for (const int micro_batches : {3, 6, 12}) {
    EXPECT_NEAR(end_s(strategy_of(3, 2, micro_batches), stages),
                test::PipelineSimulation(simulated, micro_batches).run().time_s, 1e-9);
  }
}

TEST(PipelineSchedule, HasEveryPassOnceAndInTurn) {
  Strategy strategy = strategy_of(4, 1, 6);
  strategy.schedule = Schedule::zero_bubble;
  const std::vector<PassSeconds> stages(4, {1.0, 1.5, 0.5});
  for (const std::vector<StagePass>& passes : scheduled_passes(strategy, stages)) {
    EXPECT_EQ(passes.size(), 3U * 6U);
    for (std::size_t i = 1; i < passes.size(); ++i) {
      EXPECT_GE(passes[i].start_s,
                passes[i - 1].start_s + seconds_of(stages[0], passes[i - 1].kind) - 1e-12);
    }
  }
  EXPECT_FALSE(has_order(Schedule::dual_pipe));
}

class Timelines : public ::testing::Test {
 protected:
  Timelines() { job_.model = test::gpt(6144, 48, 64); }
  StepTimeline of(const Strategy& strategy) {
    job_.global_batch = strategy.micro_batches;
    return step_timeline({job_, system_, strategy});
  }
  const technology::System system_ = test::example_system();
  TrainingJob job_;
};

TEST_F(Timelines, EndAtTheStepTime) {
  Strategy waiting = strategy_of(4, 1, 16);
  waiting.schedule = Schedule::zero_bubble;
  Strategy alone = strategy_of(1, 1, 4);
  alone.recompute = parallel::Recompute::full;
  const std::array<std::pair<Strategy, double>, 4> strategies = {{
      {strategy_of(4, 1, 16), 1e-9},
      {alone, 1e-9},
      {strategy_of(4, 2, 16), 0.01},
      {waiting, 0.01},
  }};
  for (const auto& [strategy, tolerance] : strategies) {
    const StepTimeline timeline = of(strategy);
    EXPECT_NEAR(timeline.end_s, timeline.step_s, tolerance * timeline.step_s);
  }
}

TEST_F(Timelines, HaveLanesThatDoNotOverlap) {
  for (const int chunks : {1, 2}) {
    const StepTimeline timeline = of(strategy_of(4, chunks, 8));
    ASSERT_EQ(timeline.stages.size(), 4U);
    for (const std::vector<TimelineSlice>& stage : timeline.stages) {
      double end = 0.0;
      for (const TimelineSlice& slice : stage) {
        EXPECT_GE(slice.start_s, end - 1e-12);
        EXPECT_GT(slice.duration_s, 0.0);
        end = slice.start_s + slice.duration_s;
      }
      EXPECT_NEAR(end, timeline.end_s, 1e-9 * end);
    }
  }
}

// The last stage, which has the head, sets the rhythm: each of its phases is that of the estimate.
TEST_F(Timelines, OfTheSlowestStageSumToThePhases) {
  const Strategy strategy = strategy_of(4, 1, 8);
  const StepTimeline timeline = of(strategy);
  const TrainingEstimate estimate = estimate_training({job_, system_, strategy});
  std::array<double, phase_count> sums{};
  for (const TimelineSlice& slice : timeline.stages.back()) {
    sums[static_cast<std::size_t>(slice.phase)] += slice.duration_s;
  }
  const auto bubble = static_cast<std::size_t>(Phase::bubble);
  sums[bubble] = timeline.end_s;
  for (std::size_t i = 0; i < phase_count; ++i) {
    sums[bubble] -= i == bubble ? 0.0 : sums[i];
  }
  for (std::size_t i = 0; i < phase_count; ++i) {
    EXPECT_NEAR(sums[i], estimate.phase_s[i], 1e-9 * timeline.end_s)
        << phase_names[static_cast<Phase>(i)];
  }
}

}  // namespace
}  // namespace scalesweep::estimator
