#include "estimator/training/data_parallel.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Strategy;

const Charges no_cover;

// Of a transfer that is hidden behind a long pass, all but one of 48 layers: what the first leaves
// open, and the cores that the others take from the pass.
constexpr double open_share = (1.0 + 0.1 * 47.0) / 48.0;

// 48 layers of 6144 on eight ranks of tensor parallelism; replicas stand across nodes of eight.
struct Replicas {
  technology::System system = test::example_system();
  TrainingJob job;
  Strategy strategy;
  StageShare share = {48.0, 0.0, true, true};

  explicit Replicas(int data_parallel, int zero) {
    job.model = test::gpt(6144, 48, 64);
    job.stack.replicas.hides_data_communication = false;
    job.stack.replicas.hides_sharded_reduction = false;
    system.scale_out().core_share = 0.1;
    strategy.tensor_parallel = 8;
    strategy.data_parallel = data_parallel;
    strategy.micro_batches = 4;
    strategy.zero = static_cast<std::uint8_t>(zero);
  }
  double parameters() const { return stage_parameters(job.model, strategy, share).total(); }
  Cost once(const Charges& pass = no_cover) const {
    return exposed(gradient_transfers({job, system, strategy}, share), {pass, pass},
                   system.scale_out().core_share);
  }
  Cost optimizer() const {
    const Setting setting = {job, system, strategy};
    return optimizer_cost(setting, optimizer_work(setting, share));
  }
  Cost of_weights(const Charges& forward, const Charges& backward) const {
    return exposed(weight_transfers({job, system, strategy}, share), {forward, backward},
                   system.scale_out().core_share)
        .total();
  }
};

TEST(Gradients, AreReducedOnceAStep) {
  const Replicas plain(16, 0);
  // A ring sends each byte twice, less a rank's own part; gradients are fp32.
  EXPECT_NEAR(plain.once().work[Amount::scale_out_bytes],
              2.0 * 15.0 / 16.0 * 4.0 * plain.parameters(), 1.0);
  EXPECT_EQ(Replicas(1, 0).once().time.total_s(), 0.0);
}

TEST(Gradients, FirstZeroStageScattersThemAndGathersWeights) {
  const Replicas first(16, 1);
  EXPECT_NEAR(first.once().work[Amount::scale_out_bytes],
              15.0 / 16.0 * (4.0 + 2.0) * first.parameters(), 1.0);
}

TEST(Gradients, OfTheFirstZeroStageAreIssuedLayerByLayer) {
  Replicas first(16, 1);
  const double free_s = first.once().time.total_s();
  first.job.stack.replicas.sharded_layer_issue_s = 1e-3;
  EXPECT_NEAR(first.once().time.total_s() - free_s, 48.0 * 1e-3, 1e-12);
  Replicas plain(16, 0);
  const double plain_s = plain.once().time.total_s();
  plain.job.stack.replicas.sharded_layer_issue_s = 1e-3;
  EXPECT_DOUBLE_EQ(plain.once().time.total_s(), plain_s);
}

TEST(Gradients, SecondZeroStageScattersThemOfEveryMicroBatch) {
  const Replicas second(16, 2);
  EXPECT_NEAR(second.of_weights(no_cover, no_cover).work[Amount::scale_out_bytes],
              15.0 / 16.0 * 4.0 * second.parameters(), 1.0);
  EXPECT_NEAR(second.once().work[Amount::scale_out_bytes], 15.0 / 16.0 * 2.0 * second.parameters(),
              1.0);
  // Of one micro-batch the same as the first stage.
  EXPECT_DOUBLE_EQ((second.of_weights(no_cover, no_cover) + second.once()).time.total_s(),
                   Replicas(16, 1).once().time.total_s());
}

TEST(Gradients, OfTheSecondZeroStageHideBehindTheBackwardPassWhereTheFrameworkDoesIt) {
  Replicas second(16, 2);
  const Charges long_pass = Charges::of(Resource::tensor_compute, 100.0);
  const double open_s = second.of_weights(no_cover, no_cover).time.total_s();
  EXPECT_DOUBLE_EQ(second.of_weights(long_pass, long_pass).time.total_s(), open_s);
  second.job.stack.replicas.hides_sharded_reduction = true;
  EXPECT_NEAR(second.of_weights(no_cover, long_pass).time.total_s(), open_s * open_share, 1e-12);
}

TEST(Gradients, AllButTheFirstLayersHideBehindTheBackwardPass) {
  Replicas plain(16, 0);
  const double open_s = plain.once().time.total_s();
  const Charges long_pass = Charges::of(Resource::tensor_compute, 10.0 * open_s);
  EXPECT_DOUBLE_EQ(plain.once(long_pass).time.total_s(), open_s);

  plain.job.stack.replicas.hides_data_communication = true;
  EXPECT_NEAR(plain.once(long_pass).time.total_s(), open_s * open_share, 1e-12);
  const Charges half = Charges::of(Resource::tensor_compute, 0.5 * open_s);
  EXPECT_NEAR(plain.once(half).time.total_s(), 0.5 * open_s, 1e-12);  // no longer than alone
}

TEST(Gradients, WeightsAreGatheredBehindTheNextStepWhereTheFrameworkDoesIt) {
  Replicas first(16, 1);
  const Charges long_pass = Charges::of(Resource::tensor_compute, 100.0);
  const double open_s = first.once(long_pass).time.total_s();
  first.job.stack.replicas.hides_weight_gather = true;
  EXPECT_DOUBLE_EQ(first.once(long_pass).time.total_s(), open_s);  // nothing may be hidden
  first.job.stack.replicas.hides_sharded_reduction = true;
  EXPECT_NEAR(first.once(long_pass).time.total_s(), open_s * open_share, 1e-12);
}

TEST(Gradients, HostsOfAllRanksWaitForEachOtherInEveryBucket) {
  Replicas plain(16, 0);
  const double free_s = plain.once().time.total_s();
  plain.job.stack.replicas.rank_issue_interval_s = 10e-6;
  EXPECT_NEAR(plain.once().time.total_s() - free_s, 16.0 * 10e-6, 1e-12);

  plain.job.stack.replicas.gradient_bucket_bytes = 1e9;
  const double buckets = std::ceil(4.0 * plain.parameters() / 1e9);
  ASSERT_GT(buckets, 1.0);
  EXPECT_NEAR(plain.once().time.total_s() - free_s, buckets * 16.0 * 10e-6, 1e-12);

  plain.job.stack.replicas.crossing_issue_interval_s = 5e-6;  // replicas are on different nodes
  EXPECT_NEAR(plain.once().time.total_s() - free_s, buckets * 16.0 * 15e-6, 1e-12);
  plain.strategy.tensor_parallel = 1;
  plain.strategy.data_parallel = 8;  // now they are not
  Replicas inside = plain;
  inside.job.stack.replicas.crossing_issue_interval_s = 0.0;
  EXPECT_DOUBLE_EQ(plain.once().time.total_s(), inside.once().time.total_s());
}

TEST(ShardedWeights, AreGatheredTwiceAndGradientsScatteredEveryMicroBatch) {
  const Replicas third(16, 3);
  const Cost open = third.of_weights(no_cover, no_cover);
  EXPECT_NEAR(open.work[Amount::scale_out_bytes],
              15.0 / 16.0 * (2.0 * 2.0 + 4.0) * third.parameters(), 1.0);
  EXPECT_EQ(third.once().time.total_s(), 0.0);  // nothing is left for the end of the step
  EXPECT_EQ(Replicas(16, 1).of_weights(no_cover, no_cover).time.total_s(), 0.0);
}

TEST(ShardedWeights, OfOneLayerHaveNothingToHideBehind) {
  const Replicas third(16, 3);
  const double open_s = third.of_weights(no_cover, no_cover).time.total_s();
  const Charges long_pass = Charges::of(Resource::tensor_compute, 10.0 * open_s);
  EXPECT_NEAR(third.of_weights(long_pass, long_pass).time.total_s(), open_s * open_share, 1e-12);
}

TEST(ShardedWeights, StayInsideANodeWithHybridSharding) {
  Replicas hybrid(32, 3);
  hybrid.strategy.tensor_parallel = 1;
  const double everywhere = hybrid.of_weights(no_cover, no_cover).work[Amount::scale_out_bytes];
  EXPECT_GT(everywhere, 0.0);
  hybrid.strategy.shard_group = 8;
  EXPECT_EQ(hybrid.of_weights(no_cover, no_cover).work[Amount::scale_out_bytes], 0.0);
  EXPECT_GT(hybrid.of_weights(no_cover, no_cover).work[Amount::scale_up_bytes], 0.0);
  // Each of four nodes has every shard: they sum theirs once a step.
  EXPECT_NEAR(hybrid.once().work[Amount::scale_out_bytes],
              2.0 * 3.0 / 4.0 * 4.0 * hybrid.parameters() / 8.0, 1.0);
}

TEST(ShardedWeights, AreSummedAmongGroupsBehindTheLastBackwardPass) {
  Replicas hybrid(32, 3);
  hybrid.strategy.tensor_parallel = 1;
  hybrid.strategy.shard_group = 8;
  const double open_s = hybrid.once().time.total_s();
  const Charges long_pass = Charges::of(Resource::tensor_compute, 10.0 * open_s);
  EXPECT_DOUBLE_EQ(hybrid.once(long_pass).time.total_s(), open_s);  // it hides nothing
  hybrid.job.stack.replicas.hides_data_communication = true;
  EXPECT_NEAR(hybrid.once(long_pass).time.total_s(), open_s * open_share, 1e-12);
  EXPECT_NEAR(hybrid.once().time.total_s(), open_s, 1e-12);  // nothing to hide behind
}

TEST(StateShards, SpreadOverReplicasOfTheirKind) {
  Strategy strategy;
  strategy.data_parallel = 16;
  strategy.context_parallel = 2;
  strategy.expert_parallel = 8;
  EXPECT_EQ(state_shards(strategy).dense, 1.0);
  strategy.zero = 1;
  EXPECT_EQ(state_shards(strategy).dense, 32.0);
  EXPECT_EQ(state_shards(strategy).routed, 4.0);
  // With four tensor-parallel ranks the eight take two of 32 replicas.
  strategy.tensor_parallel = 4;
  strategy.experts_over_tensor = true;
  EXPECT_EQ(state_shards(strategy).routed, 16.0);
}

TEST(TiedTable, IsSummedBetweenFirstAndLastStage) {
  Replicas pipeline(1, 0);
  pipeline.strategy.pipeline_parallel = 4;
  pipeline.share = {12.0, 0.0, true, false};
  ASSERT_TRUE(pipeline.job.model.tied_embeddings);
  EXPECT_GT(pipeline.once().work[Amount::scale_out_bytes], 0.0);
  pipeline.job.model.tied_embeddings = false;
  EXPECT_EQ(pipeline.once().work[Amount::scale_out_bytes], 0.0);
}

TEST(Optimizer, StreamsItsShardAsOftenAsTheFrameworkDoes) {
  Replicas first(16, 1);
  const double parameters = first.parameters();
  // Gradient read twice, weight written, three fp32 states read and written; gradients cleared.
  const double own = parameters / 16.0 * (2.0 * 4.0 + 2.0 + 2.0 * 3.0 * 4.0);
  const auto traffic = [&] { return first.optimizer().work[Amount::dram_bytes]; };
  EXPECT_NEAR(traffic(), own + 4.0 * parameters, 1.0);
  first.job.stack.replicas.optimizer_passes = 3.0;
  EXPECT_NEAR(traffic(), 3.0 * own + 4.0 * parameters, 1.0);
}

// Once a step, whatever the number of micro-batches: read as often as the recipe asks, written both
// ways round where units ask for it.
TEST(Optimizer, PreparesTheWeightsOfLinearLayers) {
  Replicas first(16, 1);
  first.share.embedding = first.share.head = false;
  const double parameters = first.parameters();
  const auto added = [&](technology::Precision linear, std::optional<workload::Recipe> recipe) {
    const auto traffic = [&] { return first.optimizer().work[Amount::dram_bytes]; };
    first.job.precision = mixed_precision(technology::Precision::bf16);
    const double plain = traffic();
    first.job.precision = mixed_precision(linear);
    first.job.precision.recipe = recipe;
    return (traffic() - plain) / parameters;
  };
  using technology::Precision;
  EXPECT_NEAR(added(Precision::fp8, workload::Recipe::delayed), 2.0 + 1.0, 1e-6);
  for (const Precision blocks : {Precision::fp4, Precision::mxfp8, Precision::mxfp4}) {
    first.system.device.tensor_peak[technology::index_of(blocks)] = FlopPerSecond{};
  }
  EXPECT_NEAR(added(Precision::bf16, {}), 0.0, 1e-9);
  EXPECT_NEAR(added(Precision::fp8, workload::Recipe::delayed), 2.0 + 2.0, 1e-6);
  EXPECT_NEAR(added(Precision::fp8, workload::Recipe::current), 4.0 + 2.0, 1e-6);
  EXPECT_NEAR(added(Precision::fp4, {}), 4.0 + 2.0 * (0.5 + 1.0 / 16.0), 1e-6);
}

TEST(Optimizer, InHostMemorySendsGradientsThereAndWeightsBack) {
  Replicas first(16, 1);
  first.strategy.offload_optimizer = true;
  first.system.device.host_bandwidth = BytesPerSecond::si(10e9);
  const Cost cost = first.optimizer();
  EXPECT_EQ(dominant(cost.time), Resource::host);
  EXPECT_NEAR(cost.time.total_s(), first.parameters() / 16.0 * (4.0 + 2.0) / 10e9, 1e-12);
}

}  // namespace
}  // namespace scalesweep::estimator
