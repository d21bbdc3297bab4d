#include "estimator/training/states/memory.hpp"

#include <gtest/gtest.h>

#include "estimator/training/data_parallel.hpp"
#include "estimator/training/states/parameters.hpp"
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
  const auto parameters = [&](bool embedding, bool head) {
    return stage_parameters(model, strategy, {12.0, 0.0, embedding, head}).total();
  };

  EXPECT_DOUBLE_EQ(parameters(false, false), layers);
  EXPECT_DOUBLE_EQ(parameters(true, false), layers + model.embedding_parameters() / 8.0);
  EXPECT_DOUBLE_EQ(parameters(false, true), layers + model.head_parameters() / 8.0);
}

MemoryUse peak_of(const TrainingJob& job, const Strategy& strategy) {
  const technology::System system = test::example_system();
  return peak_memory(job, strategy, saved_layers({job, system, strategy}),
                     stage_shares(job.model, strategy, job.stack.stage_balance));
}

TEST(Memory, EachZeroStageShardsOneKindMore) {
  const TrainingJob job = gpt3_job();
  Strategy strategy = megatron_175b();
  strategy.data_parallel = 4;
  const MemoryUse whole = peak_of(job, strategy);
  strategy.zero = 1;
  const MemoryUse first = peak_of(job, strategy);
  strategy.zero = 2;
  const MemoryUse second = peak_of(job, strategy);
  strategy.zero = 3;
  const MemoryUse third = peak_of(job, strategy);

  EXPECT_DOUBLE_EQ(first.optimizer_bytes, whole.optimizer_bytes / 4.0);
  EXPECT_DOUBLE_EQ(first.weights_bytes, whole.weights_bytes);
  EXPECT_DOUBLE_EQ(first.gradients_bytes, whole.gradients_bytes);
  EXPECT_DOUBLE_EQ(second.gradients_bytes, whole.gradients_bytes / 4.0);
  EXPECT_DOUBLE_EQ(second.weights_bytes, whole.weights_bytes);
  // The shard, and two of the layers (the embedding is one) whole.
  EXPECT_DOUBLE_EQ(third.weights_bytes, whole.weights_bytes * (1.0 + 3.0 * 2.0 / 13.0) / 4.0);
}

TEST(Memory, HybridShardingSpreadsOverTheGroupOnly) {
  const TrainingJob job = gpt3_job();
  Strategy strategy = megatron_175b();
  strategy.data_parallel = 16;
  strategy.zero = 3;
  const double all = peak_of(job, strategy).optimizer_bytes;
  strategy.shard_group = 8;

  EXPECT_DOUBLE_EQ(peak_of(job, strategy).optimizer_bytes, 2.0 * all);
}

TEST(Memory, MixedPrecisionTakesEighteenBytesAParameter) {
  const TrainingJob job = gpt3_job();  // bf16 with fp32 gradients
  const Strategy strategy = megatron_175b();
  const StageShare middle = {12.0, 0.0, false, false, 3};
  const MemoryUse memory = stage_memory(job, strategy, {}, middle);

  EXPECT_DOUBLE_EQ(memory.total_bytes(),
                   18.0 * stage_parameters(job.model, strategy, middle).total());
  EXPECT_DOUBLE_EQ(memory.states_bytes, memory.total_bytes());
}

TEST(Memory, ShorterMomentsTakeLess) {
  TrainingJob job = gpt3_job();
  job.precision.moments = technology::Precision::bf16;

  EXPECT_DOUBLE_EQ(optimizer_state_bytes(job, megatron_175b(), whole_model(job.model)), 8.0);
}

TEST(Memory, OffloadedTensorsLeaveTheDevice) {
  const TrainingJob job = gpt3_job();
  Strategy strategy = megatron_175b();
  const MemoryUse kept = peak_of(job, strategy);
  strategy.offload_optimizer = true;
  strategy.offload_activations = true;
  const MemoryUse offloaded = peak_of(job, strategy);

  EXPECT_EQ(offloaded.optimizer_bytes, 0.0);
  EXPECT_LT(offloaded.activations_bytes, 0.2 * kept.activations_bytes);
}

TEST(Memory, RecomputationKeepsLess) {
  const TrainingJob job = gpt3_job();
  Strategy strategy = megatron_175b();
  workload::Slice slice = slice_of(job, strategy);
  slice.flash_attention = false;
  SavedLayers layers;
  layers.layer = workload::saved_activations(job.model, slice);
  const workload::SavedActivations& saved = layers.layer;
  const auto activations = [&](Recompute recompute) {
    strategy.recompute = recompute;
    return stage_memory(job, strategy, layers, {12.0, 0.0, true, false}).activations_bytes;
  };
  const double in_flight = micro_batches_in_flight(strategy, 0) * 12.0;

  EXPECT_DOUBLE_EQ(activations(Recompute::none),
                   in_flight * (saved.kept_bytes + saved.dropped_bytes));
  EXPECT_DOUBLE_EQ(activations(Recompute::selective),
                   in_flight * saved.kept_bytes + saved.dropped_bytes);
  EXPECT_DOUBLE_EQ(activations(Recompute::full),
                   in_flight * saved.input_bytes + saved.kept_bytes + saved.dropped_bytes);
  strategy.recompute_every = 2;
  EXPECT_DOUBLE_EQ(activations(Recompute::full),
                   0.5 * in_flight * (saved.input_bytes + saved.kept_bytes + saved.dropped_bytes) +
                       saved.kept_bytes + saved.dropped_bytes);
}

// One stage with the embedding, and what changes where the framework does something.
struct Stage {
  TrainingJob job = gpt3_job();
  Strategy strategy = megatron_175b();
  StageShare share = {12.0, 0.0, true, false};

  MemoryUse memory() const { return stage_memory(job, strategy, {}, share); }
};

TEST(FrameworkMemory, GradientOfTheEmbeddingMayStayBesideTheAccumulatedOne) {
  Stage stage;
  const double without = stage.memory().gradients_bytes;
  stage.job.stack.keeps_embedding_gradient = true;
  const double table = stage.job.model.embedding_parameters() / 8.0 * 2.0;
  EXPECT_DOUBLE_EQ(stage.memory().gradients_bytes, without + table);
  stage.share.embedding = false;
  const double middle = stage.memory().gradients_bytes;
  stage.job.stack.keeps_embedding_gradient = false;
  EXPECT_DOUBLE_EQ(stage.memory().gradients_bytes, middle);
}

TEST(FrameworkMemory, WeightsMayBeGatheredThroughACopy) {
  Stage stage;
  stage.strategy.data_parallel = 4;
  stage.job.stack.gathers_through_copy = true;
  const double parameters = stage_parameters(stage.job.model, stage.strategy, stage.share).total();
  const auto extra = [&] {
    const MemoryUse memory = stage.memory();
    return memory.states_bytes - memory.weights_bytes - memory.gradients_bytes -
           memory.optimizer_bytes;
  };
  EXPECT_EQ(extra(), 0.0);  // nothing is gathered
  stage.strategy.zero = 1;
  EXPECT_NEAR(extra(), (1.0 + 0.25) * 2.0 * parameters, 1.0);
}

TEST(FrameworkMemory, ReplicasKeepGradientsBesideTheAccumulatedOnes) {
  Stage stage;
  stage.job.stack.extra_gradient_bytes = 2.0;
  const double parameters = stage_parameters(stage.job.model, stage.strategy, stage.share).total();
  EXPECT_NEAR(stage.memory().gradients_bytes, 4.0 * parameters, 1.0);
  stage.strategy.data_parallel = 4;
  EXPECT_NEAR(stage.memory().gradients_bytes, 6.0 * parameters, 1.0);
}

TEST(FrameworkMemory, HiddenStatesAndFixedTensorsStayToTheEndOfAStep) {
  Stage stage;
  const MemoryUse without = stage.memory();
  stage.job.stack.held_hidden_states = 3.0;
  stage.job.stack.fixed_memory_bytes = 1e9;
  const double aside = 1e9 + 3.0 * 2048.0 * 12288.0 * 2.0;
  const MemoryUse with = stage.memory();
  EXPECT_NEAR(with.states_bytes - without.states_bytes, aside, 1.0);
  EXPECT_NEAR(with.activations_bytes - without.activations_bytes, aside, 1.0);
  EXPECT_NEAR(with.total_bytes() - without.total_bytes(), aside, 1.0);  // counted once
}

TEST(FrameworkMemory, TheAllocatorHoldsAShareOfTheActivationsMore) {
  TrainingJob job = gpt3_job();
  const MemoryUse exact = peak_of(job, megatron_175b());
  EXPECT_DOUBLE_EQ(exact.reserved_bytes, exact.total_bytes());
  job.stack.allocator_slack = 0.2;
  const MemoryUse slack = peak_of(job, megatron_175b());
  EXPECT_DOUBLE_EQ(slack.total_bytes(), exact.total_bytes());
  EXPECT_DOUBLE_EQ(slack.reserved_bytes, exact.total_bytes() + 0.2 * exact.activations_bytes);
}

}  // namespace
}  // namespace scalesweep::estimator
