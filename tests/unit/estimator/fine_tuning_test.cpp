// Adapters beside frozen weights: memory, transfers, time and checkpoints.
#include <gtest/gtest.h>

#include "estimator/run/whole_run.hpp"
#include "estimator/training/data_parallel.hpp"
#include "estimator/training/states/memory.hpp"
#include "estimator/training/states/parameters.hpp"
#include "estimator/training/training.hpp"
#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

constexpr double layers = 80, h = 8192, kv = 1024, ffn = 28672, vocab = 128256;
constexpr double adapters_of_rank_16 =
    layers * 16.0 * (2.0 * (h + h) + 2.0 * (h + kv) + 3.0 * (h + ffn));

TrainingJob llama_70b(std::int64_t rank) {
  TrainingJob job;
  job.model = test::llama(8192, 80, 64, 8, 28672, 128256);
  job.sequence = 4096;
  job.global_batch = 32;
  job.tuning.rank = rank;
  return job;
}

parallel::Strategy on(int tensor, int data, int zero = 0) {
  parallel::Strategy strategy;
  strategy.tensor_parallel = tensor;
  strategy.data_parallel = data;
  strategy.micro_batches = 32 / data;
  strategy.zero = static_cast<std::int8_t>(zero);
  return strategy;
}

MemoryUse memory_of(const TrainingJob& job, const parallel::Strategy& strategy) {
  return stage_memory(job, strategy, {}, whole_model(job.model));
}

TEST(FineTuning, StatesAreThoseOfAdaptersAlone) {
  const TrainingJob job = llama_70b(16);
  const StageShare whole = whole_model(job.model);
  const parallel::Strategy one = on(1, 1);
  const double weights = stage_parameters(job.model, one, whole).total();
  const MemoryUse memory = memory_of(job, one);

  EXPECT_DOUBLE_EQ(trained_parameters(job, one, whole).total(), adapters_of_rank_16);
  EXPECT_DOUBLE_EQ(memory.weights_bytes, 2.0 * (weights + adapters_of_rank_16));
  EXPECT_DOUBLE_EQ(memory.gradients_bytes, 4.0 * adapters_of_rank_16);
  EXPECT_DOUBLE_EQ(memory.optimizer_bytes, 12.0 * adapters_of_rank_16);
}

// QLoRA: the linear layers of the layers in 4.127 bits, the tables in 16.
TEST(FineTuning, NarrowWeightsTakeAQuarter) {
  TrainingJob job = llama_70b(16);
  job.tuning.frozen = workload::FrozenWeights::nf4;
  const StageShare whole = whole_model(job.model);
  const parallel::Strategy one = on(1, 1);
  const double all = stage_parameters(job.model, one, whole).total();
  const double tables = 2.0 * vocab * h;
  const double bytes = (all - tables) * 4.127 / 8.0 + tables * 2.0;

  EXPECT_NEAR(weight_bytes(job, one, whole) * all / bytes, 1.0, 1e-6);
  EXPECT_NEAR(memory_of(job, one).weights_bytes / (bytes + 2.0 * adapters_of_rank_16), 1.0, 1e-6);
}

TEST(FineTuning, ShardedWeightsAreGatheredAndNoGradientsOfThemSent) {
  const technology::System system = test::example_system();
  const TrainingJob full = llama_70b(0);
  TrainingJob tuned = llama_70b(16);
  const StageShare whole = whole_model(full.model);
  const parallel::Strategy strategy = on(1, 32, 3);
  const auto sent = [&](const TrainingJob& job) {
    return weight_transfers({job, system, strategy}, whole).whole;
  };
  // Gathered forward and backward; with the adapters 0.3 % more. Scattered, they are as little.
  const double all = sent(full).forward.time.total_s();
  EXPECT_NEAR(sent(tuned).forward.time.total_s() / all, 1.0, 0.01);
  EXPECT_NEAR(sent(tuned).backward.time.total_s() / all, 1.0, 0.02);
  EXPECT_GT(sent(full).backward.time.total_s(), 2.5 * all);
  tuned.tuning.frozen = workload::FrozenWeights::nf4;
  EXPECT_LT(sent(tuned).forward.time.total_s(), 0.35 * all);
}

TEST(FineTuning, TakesTwoThirdsOfAStep) {
  const technology::System system = test::example_system();
  const parallel::Strategy strategy = on(8, 4);
  const TrainingJob full = llama_70b(0);
  TrainingJob tuned = llama_70b(16);
  const double full_s = estimate_training({full, system, strategy}).step_time_s();
  const double tuned_s = estimate_training({tuned, system, strategy}).step_time_s();
  EXPECT_LT(tuned_s, 0.8 * full_s);
  EXPECT_GT(tuned_s, 0.6 * full_s);
  tuned.tuning.frozen = workload::FrozenWeights::nf4;
  EXPECT_GT(estimate_training({tuned, system, strategy}).step_time_s(), tuned_s);
  // Shorter documents attend to less.
  TrainingJob packed = full;
  packed.model.document = 256;
  EXPECT_LT(estimate_training({packed, system, strategy}).step_time_s(), full_s);
}

TEST(FineTuning, ACheckpointHoldsAdaptersAlone) {
  const technology::System system = test::example_system();
  const auto checkpoint = [&](const TrainingJob& job) {
    RunPlan plan;
    plan.devices = 32.0;
    plan.tokens = 1e9;
    const parallel::Strategy strategy = on(8, 4);
    const RunEstimator run(plan, job, system);
    return run(estimate_training({job, system, strategy}), strategy).checkpoint.bytes;
  };
  const TrainingJob tuned = llama_70b(16);
  EXPECT_NEAR(checkpoint(tuned) / (12.0 * adapters_of_rank_16), 1.0, 1e-9);
  EXPECT_GT(checkpoint(llama_70b(0)), 100.0 * checkpoint(tuned));
}

}  // namespace
}  // namespace scalesweep::estimator
