#include "estimator/training/step.hpp"

#include <gtest/gtest.h>

#include "estimator/explain/explain_training.hpp"
#include "estimator/training/training.hpp"
#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Recompute;
using parallel::Strategy;

TrainingJob job_of(std::int64_t global_batch) {
  TrainingJob job;
  job.model = test::gpt(6144, 48, 64);
  job.global_batch = global_batch;
  return job;
}

Strategy strategy_of(int tp, int pp, int dp, int micro_batch, int micro_batches) {
  Strategy strategy;
  strategy.tensor_parallel = tp;
  strategy.pipeline_parallel = pp;
  strategy.data_parallel = dp;
  strategy.micro_batch = micro_batch;
  strategy.micro_batches = micro_batches;
  return strategy;
}

double phase(const TrainingEstimate& estimate, Phase which) {
  return estimate.phase_s[static_cast<std::size_t>(which)];
}

// The slowest of 64 devices: sqrt(2 ln 64) = 2.884 deviations.
TEST(Step, WaitsForTheSlowestDevice) {
  const technology::System system = test::example_system();
  TrainingJob job = job_of(16);
  const auto step = [&](const Strategy& strategy) {
    return estimate_training({job, system, strategy});
  };
  const Strategy many = strategy_of(8, 4, 2, 1, 8);
  Strategy one = strategy_of(1, 1, 1, 1, 16);
  const double even_s = step(many).step_time_s();
  const double alone_s = step(one).step_time_s();
  job.stack.step_jitter = 0.01;
  EXPECT_NEAR(step(many).step_time_s() / even_s, 1.02884, 1e-5);
  EXPECT_NEAR(phase(step(many), Phase::stragglers), 0.02884 * even_s, 1e-5 * even_s);
  EXPECT_EQ(step(one).step_time_s(), alone_s);
}

TEST(Step, BubbleIsOneMicroBatchPerStageAhead) {
  const technology::System system = test::example_system();
  const TrainingJob job = job_of(16);
  Strategy strategy = strategy_of(8, 4, 1, 1, 16);
  const TrainingEstimate plain = estimate_training({job, system, strategy});
  const double stages = plain.step_time_s() - phase(plain, Phase::data_communication) -
                        phase(plain, Phase::optimizer);

  // Three stages ahead: two in the middle and one at the edge that is not the slowest, all shorter.
  EXPECT_LT(phase(plain, Phase::bubble) / stages, 3.0 / (16.0 + 3.0));
  EXPECT_GT(phase(plain, Phase::bubble) / stages, 0.9 * 3.0 / (16.0 + 3.0));

  strategy.chunks = 3;
  const TrainingEstimate interleaved = estimate_training({job, system, strategy});
  EXPECT_LT(phase(interleaved, Phase::bubble), phase(plain, Phase::bubble) / 2.5);
  EXPECT_GT(phase(interleaved, Phase::pipeline_communication),
            2.9 * phase(plain, Phase::pipeline_communication));
}

TEST(Step, FullRecomputationRepeatsTheForwardPassOfTheLayers) {
  const technology::System system = test::example_system();
  const TrainingJob job = job_of(4);
  Strategy strategy = strategy_of(8, 1, 1, 4, 1);
  strategy.recompute = Recompute::full;
  const TrainingEstimate estimate = estimate_training({job, system, strategy});
  const LayerCosts costs = layer_costs({job, system, strategy});

  EXPECT_NEAR(phase(estimate, Phase::recompute),
              48.0 * costs.layer.forward[PassPart::compute].time.total_s(), 1e-12);
}

TEST(Step, SequenceParallelismTradesReductionsForGathersOfEqualBytes) {
  const technology::System system = test::example_system();
  const TrainingJob job = job_of(4);
  Strategy strategy = strategy_of(8, 1, 1, 4, 1);
  const LayerCosts reduced = layer_costs({job, system, strategy});
  strategy.sequence_parallel = true;
  const LayerCosts scattered = layer_costs({job, system, strategy});

  EXPECT_DOUBLE_EQ(reduced.layer.forward.communication().work[Amount::scale_up_bytes],
                   scattered.layer.forward.communication().work[Amount::scale_up_bytes]);
  EXPECT_LT(scattered.layer.forward[PassPart::compute].time.total_s(),
            reduced.layer.forward[PassPart::compute].time.total_s());
}

TEST(Step, CommunicationHidesBehindGradientsOnlyWhereTheFrameworkDoesIt) {
  const technology::System system = test::example_system();
  TrainingJob job = job_of(64);
  const Strategy strategy = strategy_of(8, 1, 8, 2, 4);
  const double hidden = estimate_training({job, system, strategy}).step_time_s();
  job.stack.hides_tensor_communication = false;
  const double tensor = estimate_training({job, system, strategy}).step_time_s();
  job.stack.replicas.hides_data_communication = false;
  const double both = estimate_training({job, system, strategy}).step_time_s();

  EXPECT_LT(hidden, tensor);
  EXPECT_LT(tensor, both);
}

TEST(Step, AHostThatIssuesSlowlySetsTheTime) {
  const technology::System system = test::example_system();
  TrainingJob job = job_of(8);
  job.model = test::gpt(1024, 24, 16);
  const Strategy strategy = strategy_of(8, 1, 1, 1, 8);
  job.stack.issue_interval_s = 1e-3;
  job.stack.backward_issue_interval_s = 1e-3;
  const TrainingEstimate estimate = estimate_training({job, system, strategy});

  EXPECT_EQ(dominant(estimate.step), Resource::latency);
}

TEST(Step, ReportsThatMemoryIsTooSmall) {
  technology::System system = test::example_system();
  const TrainingJob job = job_of(4);
  const Strategy strategy = strategy_of(8, 1, 1, 4, 1);
  const double needed = estimate_training({job, system, strategy}).memory.total_bytes();

  system.device.dram.capacity = Bytes::si(needed + 2e9);  // 2 GB are the driver's
  EXPECT_EQ(estimate_training({job, system, strategy}).verdict, Verdict::fits);
  system.device.dram.capacity = Bytes::si(needed + 1.9e9);
  const TrainingEstimate estimate = estimate_training({job, system, strategy});
  EXPECT_EQ(estimate.verdict, Verdict::does_not_fit);
  EXPECT_GT(estimate.step_time_s(), 0.0);
}

TEST(Step, UtilizationIsModelFlopOverPeak) {
  const technology::System system = test::example_system();
  const TrainingJob job = job_of(4);
  const TrainingEstimate estimate = estimate_training({job, system, strategy_of(8, 1, 1, 4, 1)});
  const double flop = 4.0 * workload::model_flop_per_sequence(job.model, 2048);

  EXPECT_NEAR(estimate.model_flop_utilization, flop / (estimate.step_time_s() * 8 * 300e12), 1e-12);
}

TEST(Step, EnergyIsWorkTimesItsPriceAndIdlePowerTimesTime) {
  const technology::System system = test::example_system();
  const TrainingJob job = job_of(4);
  const TrainingEstimate estimate = estimate_training({job, system, strategy_of(8, 1, 1, 4, 1)});

  EXPECT_NEAR(estimate.energy.idle_j, 8 * 80.0 * estimate.step_time_s(), 1e-6);
  EXPECT_EQ(estimate.energy.static_j, 0.0);
  // GEMMs alone: model FLOP, of which flash attention does only the causal half and repeats one
  // GEMM in five.
  EXPECT_NEAR(estimate.energy.tensor_j /
                  (4.0 * workload::model_flop_per_sequence(job.model, 2048) * 0.6e-12),
              1.0, 0.12);
}

TEST(Explain, TermsSumToTheStep) {
  const technology::System system = test::example_system();
  const TrainingJob job = job_of(64);
  Strategy strategy = strategy_of(8, 2, 2, 2, 16);
  strategy.sequence_parallel = true;
  strategy.zero = 1;
  for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
    strategy.recompute = recompute;
    const Explanation explanation = explain_training({job, system, strategy});
    double sum_s = 0.0;
    for (const Term& term : explanation.terms) {
      sum_s += term.step_s();
    }
    const double step_s = estimate_training({job, system, strategy}).step_time_s();
    EXPECT_NEAR(sum_s / step_s, 1.0, 1e-12);
    EXPECT_DOUBLE_EQ(explanation.estimate.step_time_s(), step_s);
  }
}

}  // namespace
}  // namespace scalesweep::estimator
