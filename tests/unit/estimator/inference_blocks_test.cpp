// What devices send each other in inference: messages of a layer by how the model is cut.
#include "estimator/inference/passes/inference_blocks.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::CollectiveKind;
using workload::LayerKind;

constexpr double hidden = 1024.0;
constexpr double tokens = 10.0;

workload::TransformerModel model_with_experts() {
  workload::TransformerModel model = test::llama(1024, 4, 8, 8, 4096, 32000);
  model.experts.count = 64;
  model.experts.top_k = 8;
  model.experts.ffn = 512;
  return model;
}

std::vector<Message> messages(const workload::TransformerModel& model,
                              const parallel::Strategy& strategy, LayerKind kind,
                              const InferencePrecision& precision = {}) {
  InferenceJob job;
  job.model = model;
  job.precision = precision;
  technology::System system = test::example_system();
  system.scale_up_domain() = 8;
  const InferenceSetting setting(job, system);
  const workload::InferenceSlice slice = slice_of({setting, strategy}, {}, {tokens, 1, 100});
  return layer_messages({setting, strategy}, slice, kind);
}

parallel::Strategy spread(int experts) {
  parallel::Strategy strategy;
  strategy.data_parallel = experts;
  strategy.expert_parallel = experts;
  return strategy;
}

TEST(LayerMessages, ReduceSumsOnceForEachBlock) {
  parallel::Strategy strategy;
  EXPECT_TRUE(messages(model_with_experts(), strategy, LayerKind::dense).empty());
  strategy.tensor_parallel = 4;
  workload::TransformerModel model = model_with_experts();
  const auto two = messages(model, strategy, LayerKind::dense);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].kind, CollectiveKind::all_reduce);
  EXPECT_EQ(two[0].bytes, tokens * hidden * 2.0);
  EXPECT_EQ(two[0].group.size(), 4);
  model.parallel_blocks = true;
  EXPECT_EQ(messages(model, strategy, LayerKind::dense).size(), 1U);
  strategy.sequence_parallel = true;
  const auto halves = messages(model, strategy, LayerKind::dense);
  ASSERT_EQ(halves.size(), 2U);
  EXPECT_EQ(halves[0].kind, CollectiveKind::reduce_scatter);
  EXPECT_EQ(halves[1].kind, CollectiveKind::all_gather);
}

TEST(LayerMessages, BringTokensToExpertsQuantised) {
  const auto plain = messages(model_with_experts(), spread(8), LayerKind::experts);
  ASSERT_EQ(plain.size(), 2U);
  EXPECT_EQ(plain[0].kind, CollectiveKind::all_to_all);
  EXPECT_EQ(plain[0].bytes, tokens * 8.0 * hidden * 2.0);
  EXPECT_EQ(plain[1].bytes, plain[0].bytes);
  EXPECT_TRUE(messages(model_with_experts(), spread(8), LayerKind::dense).empty());
  const auto narrow = messages(model_with_experts(), spread(8), LayerKind::experts,
                               quantised(technology::Precision::fp8));
  EXPECT_EQ(narrow[0].bytes, 0.5 * plain[0].bytes);
  EXPECT_EQ(narrow[1].bytes, plain[1].bytes);
}

TEST(LayerMessages, CrossToLimitedNodesOnce) {
  workload::TransformerModel model = model_with_experts();
  EXPECT_EQ(messages(model, spread(32), LayerKind::experts).size(), 2U);
  model.experts.groups = 4;
  model.experts.node_limit = 2;
  const auto one_node = messages(model, spread(8), LayerKind::experts);
  ASSERT_EQ(one_node.size(), 2U);
  EXPECT_EQ(one_node[0].forwarded.bytes, 0.0);
  EXPECT_EQ(one_node[0].name, "tokens to experts");
  const auto sent = messages(model, spread(32), LayerKind::experts);
  ASSERT_EQ(sent.size(), 2U);
  const double copy = tokens * hidden * 2.0;
  EXPECT_EQ(sent[0].name, "tokens to experts by domain");
  EXPECT_NEAR(sent[0].bytes, copy * 2.0, 1e-6);
  EXPECT_EQ(sent[0].group.inner(), 1);
  EXPECT_EQ(sent[0].group.outer(), 4);
  // Of those nodes' 16 devices with two of 32 experts each, the ones that have one of the
  // token's 8.
  EXPECT_NEAR(sent[0].forwarded.bytes, copy * 16.0 * (1.0 - 24.0 * 23.0 / (32.0 * 31.0)), 1e-6);
  EXPECT_EQ(sent[0].forwarded.group.inner(), 8);
  EXPECT_EQ(sent[0].forwarded.group.outer(), 1);
  EXPECT_EQ(sent[1].bytes, sent[0].bytes);
}

std::vector<Message> dispatched(workload::ExpertDispatch prompts, workload::ExpertDispatch decode,
                                bool with_prompt) {
  InferenceJob job;
  job.model = model_with_experts();
  job.stack.expert_dispatch = prompts;
  job.stack.decode_expert_dispatch = decode;
  technology::System system = test::example_system();
  system.scale_up_domain() = 8;
  const InferenceSetting setting(job, system);
  const parallel::Strategy strategy = spread(32);
  const workload::TokenGroup prompt = {1, 5, 5};
  const workload::InferenceSlice slice = with_prompt
                                             ? slice_of({setting, strategy}, prompt, {})
                                             : slice_of({setting, strategy}, {}, {tokens, 1, 100});
  return layer_messages({setting, strategy}, slice, LayerKind::experts);
}

TEST(LayerMessages, TravelAsTheStackLetsThemInPrefillAndInDecode) {
  using enum workload::ExpertDispatch;
  EXPECT_EQ(dispatched(hierarchical, low_latency, true)[0].name, "tokens to experts by domain");
  const auto direct = dispatched(hierarchical, low_latency, false);
  EXPECT_EQ(direct[0].name, "tokens to experts, direct");
  EXPECT_TRUE(direct[0].direct);
  EXPECT_EQ(direct[0].bytes, tokens * 8.0 * hidden * 2.0);
  const auto all = dispatched(all_gather, all_gather, false);
  EXPECT_EQ(all[0].kind, CollectiveKind::all_gather);
  EXPECT_EQ(all[1].kind, CollectiveKind::reduce_scatter);
  EXPECT_EQ(all[0].bytes, tokens * 32.0 * hidden * 2.0);
}

TEST(LayerMessages, WaitForTheBusiestDevice) {
  workload::TransformerModel model = model_with_experts();
  const double even = messages(model, spread(8), LayerKind::experts)[1].bytes;
  model.experts.imbalance = 1.25;
  EXPECT_EQ(messages(model, spread(8), LayerKind::experts)[1].bytes, 1.25 * even);
}

TEST(LayerMessages, BetweenReplicasAloneWhereTensorParallelRanksHaveTheSameTokens) {
  parallel::Strategy strategy;
  strategy.tensor_parallel = strategy.expert_parallel = 4;
  strategy.data_parallel = 2;
  strategy.experts_over_tensor = true;
  EXPECT_EQ(messages(model_with_experts(), strategy, LayerKind::experts).size(), 2U);  // the sums
  strategy.expert_parallel = 8;
  const auto sent = messages(model_with_experts(), strategy, LayerKind::experts);
  ASSERT_EQ(sent.size(), 4U);
  EXPECT_EQ(sent[3].group.size(), 2);
  EXPECT_EQ(sent[3].bytes, tokens / 4.0 * 8.0 * hidden * 2.0);
  EXPECT_TRUE(sent[3].of_experts);
  EXPECT_FALSE(sent[1].of_experts);
  strategy.sequence_parallel = true;
  const auto parts = messages(model_with_experts(), strategy, LayerKind::experts);
  ASSERT_EQ(parts.size(), 4U);  // attention's scatter and gather
  EXPECT_EQ(parts[3].group.size(), 8);
  EXPECT_EQ(parts[3].bytes, sent[3].bytes);
}

InferenceBlock block_of(double kernels_s, double shared_s, double exchange_s) {
  InferenceBlock block;
  block.linear.time = Charges::of(Resource::tensor_compute, kernels_s);
  block.shared_experts = Charges::of(Resource::tensor_compute, shared_s);
  block.exchange.time = Charges::of(Resource::scale_out, exchange_s);
  return block;
}

TEST(ExchangeCover, IsWhatTheStackRunsBesideTheExchange) {
  using workload::ExchangeOverlap;
  const auto open_s = [](ExchangeOverlap beside, double core_share, double exchange_s) {
    return ExchangeCover{beside, core_share}.open(block_of(3.0, 1.0, exchange_s)).time.total_s();
  };
  EXPECT_DOUBLE_EQ(open_s(ExchangeOverlap::nothing, 0.0, 2.0), 2.0);
  EXPECT_DOUBLE_EQ(open_s(ExchangeOverlap::shared_experts, 0.0, 2.0), 1.0);
  EXPECT_DOUBLE_EQ(open_s(ExchangeOverlap::two_batches, 0.0, 2.0), 0.0);
  EXPECT_DOUBLE_EQ(open_s(ExchangeOverlap::two_batches, 0.1, 2.0), 0.2);  // cores it takes
  EXPECT_DOUBLE_EQ(open_s(ExchangeOverlap::two_batches, 0.1, 5.0), 2.0);
}

// A GEMM of 64 rows in strips of 16 reads its weights four times; products of experts once.
TEST(InferenceBlocks, StripsReadTheWeightsAgain) {
  InferenceJob job;
  job.model = model_with_experts();
  const InferenceSetting setting(job, test::example_system());
  const auto dram_bytes = [&](bool of_experts, double strip_rows) {
    workload::MatMul op{.name = "linear", .m = 64, .n = 65536, .k = 8192};
    op.part = of_experts ? workload::LinearPart::experts : workload::LinearPart::mlp;
    InferenceBlock block;
    block.add(setting, {{workload::Block::other, op}}, {0.0, strip_rows});
    return block.linear.work[Amount::dram_bytes];
  };
  const double weights = 2.0 * 65536.0 * 8192.0;
  EXPECT_NEAR(dram_bytes(false, 0.0), weights, 0.02 * weights);
  EXPECT_NEAR(dram_bytes(false, 16.0), 4.0 * weights, 0.02 * 4.0 * weights);
  EXPECT_NEAR(dram_bytes(false, 64.0), weights, 0.02 * weights);
  EXPECT_NEAR(dram_bytes(true, 16.0), weights, 0.02 * weights);
}

TEST(KnownProducts, CostAsMuchAsTheirOperators) {
  InferenceJob job;
  job.model = model_with_experts();
  job.precision = quantised(technology::Precision::fp8);
  const InferenceSetting setting(job, test::example_system());
  const workload::InferenceSlice slice = slice_of({setting, {}}, {2, 700, 100}, {tokens, 1, 100});
  KnownProducts known;
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts, LayerKind::dense}) {
    for (const workload::Operator& op : inference_layer_operators(job.model, slice, kind)) {
      const Cost cost = known.cost(op, setting);
      const Cost plain = operator_cost(op, setting);
      EXPECT_EQ(cost.time.values, plain.time.values) << op.name();
      EXPECT_EQ(cost.work.values, plain.work.values) << op.name();
    }
  }
}

}  // namespace
}  // namespace scalesweep::estimator
