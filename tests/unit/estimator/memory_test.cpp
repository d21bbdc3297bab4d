#include "estimator/memory.hpp"

#include <gtest/gtest.h>

#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Recompute;
using parallel::Strategy;

TrainingJob gpt3_job() {
  TrainingJob job;
  job.model = test::gpt3_175b();
  job.global_batch = 64;
  return job;
}

Strategy megatron_175b() {
  Strategy strategy;
  strategy.tensor_parallel = 8;
  strategy.pipeline_parallel = 8;
  strategy.chunks = 3;
  strategy.micro_batches = 64;
  strategy.recompute = Recompute::selective;
  strategy.sequence_parallel = true;
  return strategy;
}

TEST(InFlight, OneForwardOneBackwardHoldsOnePerStageBehind) {
  Strategy strategy = megatron_175b();
  strategy.chunks = 1;

  EXPECT_DOUBLE_EQ(micro_batches_in_flight(strategy, 0), 8.0);
  EXPECT_DOUBLE_EQ(micro_batches_in_flight(strategy, 7), 1.0);
  strategy.micro_batches = 3;
  EXPECT_DOUBLE_EQ(micro_batches_in_flight(strategy, 0), 3.0);
}

TEST(InFlight, InterleavingHoldsMore) {
  // p (1 + (p-1)/(p v)) of Korthikanti et al. 2022, section 4.2.3.
  EXPECT_DOUBLE_EQ(micro_batches_in_flight(megatron_175b(), 0), 8.0 * (1.0 + 7.0 / 24.0));
}

TEST(Parameters, EdgesOfTheModelStandOnTheirStages) {
  const workload::TransformerModel model = test::gpt3_175b();
  const Strategy strategy = megatron_175b();
  const double layers = 12.0 * model.layer_parameters() / 8.0;

  EXPECT_DOUBLE_EQ(stage_parameters(model, strategy, 3), layers);
  EXPECT_DOUBLE_EQ(stage_parameters(model, strategy, 0),
                   layers + model.embedding_parameters() / 8.0);
  EXPECT_DOUBLE_EQ(stage_parameters(model, strategy, 7), layers + model.head_parameters() / 8.0);
}

TEST(Memory, ZeroShardsTheOptimizerOnly) {
  const TrainingJob job = gpt3_job();
  Strategy strategy = megatron_175b();
  strategy.data_parallel = 4;
  const auto saved = workload::saved_activations(job.model, slice_of(job, strategy));
  const MemoryUse whole = peak_memory(job, strategy, saved);
  strategy.zero = 1;
  const MemoryUse sharded = peak_memory(job, strategy, saved);

  EXPECT_DOUBLE_EQ(sharded.optimizer_bytes, whole.optimizer_bytes / 4.0);
  EXPECT_DOUBLE_EQ(sharded.weights_bytes, whole.weights_bytes);
  EXPECT_DOUBLE_EQ(sharded.gradients_bytes, whole.gradients_bytes);
}

TEST(Memory, MixedPrecisionTakesEighteenBytesAParameter) {
  const TrainingJob job = gpt3_job();  // bf16 with fp32 gradients
  const Strategy strategy = megatron_175b();
  const MemoryUse memory = stage_memory(job, strategy, {}, 3);

  const double parameters = stage_parameters(job.model, strategy, 3);
  EXPECT_DOUBLE_EQ(memory.total_bytes(), 18.0 * parameters);
}

TEST(Memory, RecomputationKeepsLess) {
  const TrainingJob job = gpt3_job();
  Strategy strategy = megatron_175b();
  workload::Slice slice = slice_of(job, strategy);
  slice.flash_attention = false;
  const auto saved = workload::saved_activations(job.model, slice);
  const auto activations = [&](Recompute recompute) {
    strategy.recompute = recompute;
    return stage_memory(job, strategy, saved, 0).activations_bytes;
  };
  const double in_flight = micro_batches_in_flight(strategy, 0) * 12.0;

  EXPECT_DOUBLE_EQ(activations(Recompute::none),
                   in_flight * (saved.other_bytes + saved.attention_core_bytes));
  EXPECT_DOUBLE_EQ(activations(Recompute::selective),
                   in_flight * saved.other_bytes + saved.attention_core_bytes);
  EXPECT_DOUBLE_EQ(activations(Recompute::full),
                   in_flight * saved.input_bytes + saved.other_bytes + saved.attention_core_bytes);
}

}  // namespace
}  // namespace scalesweep::estimator
