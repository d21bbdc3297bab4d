// What devices send each other in inference: messages of a layer by how the model is cut. What
// tensor-parallel ranks hold and send that share a cache along the sequence.
#include "estimator/inference/passes/inference_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "estimator/inference/drafter.hpp"
#include "estimator/inference/inference.hpp"
#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/passes/iteration.hpp"
#include "estimator/inference/service/serving.hpp"
#include "estimator/parts/collective.hpp"
#include "estimator/traits.hpp"
#include "support/examples.hpp"
#include "support/small_service.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::CollectiveKind;
using parallel::Strategy;
using workload::LayerKind;
using workload::PartialOutputs;
using workload::TokenGroup;

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

// A library that a stack names reduces its sums, with the share of fixed times that the stack
// leaves of them; gathers stay with the general one.
TEST(LayerMessages, AreReducedByTheLibraryOfTheStack) {
  InferenceJob job;
  job.stack.collective_latency_share = 0.5;
  technology::System system = test::example_system();
  system.scale_up_domain() = 8;
  system.scale_up().one_shot_efficiency = 0.5;
  Strategy strategy;
  strategy.tensor_parallel = 4;
  const auto cost = [&](CollectiveKind kind) {
    const InferenceSetting setting(job, system);
    const Message message = {"sums", kind,
                             Replica{setting, strategy}.group(parallel::Dimension::tensor), 1e5};
    return message_cost(message, setting).cost.time.total_s();
  };
  const double reduced_s = cost(CollectiveKind::all_reduce);
  const double gathered_s = cost(CollectiveKind::all_gather);
  system.device.all_reduce.emplace().one_shot = {.latency = Seconds::si(4e-6),
                                                 .peer_latency = Seconds::si(1e-6),
                                                 .share = 0.5,
                                                 .from = {},
                                                 .up_to = {Bytes(), Bytes::si(1e6), Bytes()}};
  EXPECT_EQ(cost(CollectiveKind::all_gather), gathered_s);
  EXPECT_NE(cost(CollectiveKind::all_reduce), reduced_s);
  EXPECT_NEAR(cost(CollectiveKind::all_reduce),
              0.5 * (4e-6 + 3 * 1e-6) + 3 * 1e5 / (0.5 * 300e9) + job.stack.kernel_gap_s, 1e-15);
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

// Experts of a library: six passes over tokens, and copies of others as well.
technology::System with_library() {
  technology::System system = test::example_system();
  system.scale_up_domain() = 8;
  technology::ExpertKernels kernels;
  kernels.layer_latency = Seconds::si(10e-6);
  kernels.token_passes = 6.0;
  kernels.all_copies = true;
  system.device.experts = {kernels};
  return system;
}

TEST(ExpertLibraries, PassOverTheTokensThatADeviceIsGiven) {
  using workload::ExpertDispatch;
  InferenceJob job;
  job.model = model_with_experts();
  const auto slice = [&](ExpertDispatch of_prompts, ExpertDispatch of_others, int devices,
                         TokenGroup prompts = {}) {
    job.stack.expert_dispatch = of_prompts;
    job.stack.decode_expert_dispatch = of_others;
    const InferenceSetting setting(job, with_library());
    return slice_of({setting, spread(devices)}, prompts, {tokens, 1, 100});
  };
  const workload::InferenceSlice all =
      slice(ExpertDispatch::low_latency, ExpertDispatch::all_gather, 8);
  EXPECT_EQ(all.expert_token_passes, 6.0);
  EXPECT_TRUE(all.all_expert_copies);
  double none = 1.0;  // of its 8 experts among the 8 of a token, of 64
  for (int i = 0; i < 8; ++i) {
    none *= (56.0 - i) / (64.0 - i);
  }
  const double busiest = workload::busiest_expert_load(job.model, all);
  for (const ExpertDispatch dispatch :
       {ExpertDispatch::by_routing, ExpertDispatch::all_to_all, ExpertDispatch::hierarchical,
        ExpertDispatch::low_latency}) {
    const workload::InferenceSlice some = slice(ExpertDispatch::all_gather, dispatch, 8);
    EXPECT_NEAR(some.expert_token_passes, std::min(6.0, 6.0 * (1.0 - none) * busiest), 1e-9);
    EXPECT_LT(some.expert_token_passes, 6.0);
    EXPECT_FALSE(some.all_expert_copies);
    EXPECT_EQ(slice(dispatch, dispatch, 1).expert_token_passes, 6.0);
    // Prompts go their own way, and tokens that are decoded beside them go along.
    EXPECT_EQ(slice(ExpertDispatch::all_gather, dispatch, 8, {1, 100, 0}).expert_token_passes, 6.0);
    EXPECT_LT(slice(dispatch, ExpertDispatch::all_gather, 8, {1, 100, 0}).expert_token_passes, 6.0);
  }
}

TEST(ExpertLibraries, ChooseExpertsInTheirOwnTime) {
  InferenceJob job;
  job.model = model_with_experts();
  const auto choices = [&](const technology::System& system) {
    const InferenceSetting setting(job, system);
    const workload::InferenceSlice slice = slice_of({setting, {}}, {}, {tokens, 1, 100});
    const auto operators = inference_layer_operators(job.model, slice, LayerKind::experts);
    return std::count_if(operators.begin(), operators.end(), [](const workload::Operator& op) {
      return op.name() == "choose experts";
    });
  };
  EXPECT_EQ(choices(with_library()), 0);
  EXPECT_EQ(choices(test::example_system()), 1);
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

// 32 heads; 8 of keys and values, or a latent of 512 + 64.
InferenceJob grouped() {
  InferenceJob job;
  job.model = test::llama(4096, 32, 32, 8, 14336, 128256);
  job.prompt = 500;
  job.output = 201;
  return job;
}

InferenceJob latent() {
  InferenceJob job = grouped();
  job.model.latent = {1536, 512, 64, 128, 128};
  return job;
}

Strategy shared(int tensor_parallel, int ranks) {
  Strategy strategy = test::layout_of(tensor_parallel);
  strategy.decode_context_parallel = ranks;
  return strategy;
}

technology::System system_of_eight() {
  technology::System system = test::example_system();
  system.scale_up_domain() = 8;
  return system;
}

std::vector<Message> messages(const InferenceJob& job, const Strategy& strategy,
                              const TokenGroup& prefill, const TokenGroup& decode,
                              workload::Mixer mixer = workload::Mixer::attention) {
  const InferenceSetting setting(job, system_of_eight());
  const Replica replica = {setting, strategy};
  std::vector<Message> all = layer_messages(replica, slice_of(replica, prefill, decode),
                                            workload::LayerKind::dense, mixer);
  std::erase_if(all, [](const Message& one) { return one.name == "reduce sums"; });
  return all;
}

TEST(SharedCache, RanksHoldAPartOfTheTokensByHand) {
  const technology::System system = system_of_eight();
  const auto cache = [&](const InferenceJob& job, const Strategy& strategy) {
    return inference_memory(job, system, strategy).cache_bytes;
  };
  EXPECT_DOUBLE_EQ(cache(latent(), shared(8, 1)), 701 * 576 * 2.0 * 32) << "a copy on each";
  EXPECT_DOUBLE_EQ(cache(latent(), shared(8, 4)), 701 * 576 * 2.0 * 32 / 4);
  EXPECT_DOUBLE_EQ(cache(latent(), shared(8, 8)), 701 * 576 * 2.0 * 32 / 8);
  // 16 ranks have 8 heads of keys, each twice.
  EXPECT_DOUBLE_EQ(cache(grouped(), shared(16, 2)), 701 * 2 * 128 * 2.0 * 32 / 2);
  InferenceJob paged = latent();
  paged.stack.page_tokens = 16;  // 87.6 tokens are six pages of each rank
  EXPECT_DOUBLE_EQ(cache(paged, shared(8, 8)), 6 * 16 * 576 * 2.0 * 32);
  InferenceJob states = latent();  // of which each rank has its heads, as ever
  states.model.linear = {
      .layers = 24, .heads = 16, .key_heads = 16, .key_dim = 128, .value_dim = 64};
  const double state = 16.0 / 8 * 128 * 64 * 4;
  EXPECT_DOUBLE_EQ(cache(states, shared(8, 8)), 8 * 701 * 576 * 2.0 / 8 + 24 * state);
}

TEST(SharedCache, MoreRequestsFitWhereThereAreCopies) {
  const technology::System system = system_of_eight();
  const auto most = [&](InferenceJob job, const Strategy& strategy) {
    job.prompt = 30000;
    job.prefill_chunk = 2048;
    return inference_memory(job, system, strategy).largest_batch_per_replica;
  };
  EXPECT_GT(most(latent(), shared(8, 8)), 7.0 * most(latent(), shared(8, 1)));
  InferenceJob large = grouped();  // Llama-3 70B
  large.model = test::llama(8192, 80, 64, 8, 28672, 128256);
  EXPECT_GT(most(large, shared(16, 2)), 1.8 * most(large, shared(16, 1)));
}

TEST(SharedCache, QueriesAreGatheredAndOutputsScatteredByHand) {
  const TokenGroup decode = {10, 1, 1000};
  EXPECT_TRUE(messages(latent(), shared(8, 1), {}, decode).empty());
  const auto sent = messages(latent(), shared(8, 8), {}, decode);
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(sent[0].name, "gather queries");
  EXPECT_EQ(sent[0].kind, CollectiveKind::all_gather);
  EXPECT_EQ(sent[0].bytes, 10.0 * 32 * 576 * 2);
  EXPECT_EQ(sent[0].group.size(), 8);
  EXPECT_EQ(sent[1].name, "gather log sums");
  EXPECT_EQ(sent[1].bytes, 10.0 * 32 * 8 * 4);
  EXPECT_EQ(sent[2].name, "scatter outputs");
  EXPECT_EQ(sent[2].kind, CollectiveKind::reduce_scatter);
  EXPECT_EQ(sent[2].bytes, 10.0 * 32 * 512 * 2);
  // Two of 16 ranks with two heads each.
  const auto heads = messages(grouped(), shared(16, 2), {}, decode);
  ASSERT_EQ(heads.size(), 3U);
  EXPECT_EQ(heads[0].bytes, 10.0 * 4 * 128 * 2);
  EXPECT_EQ(heads[0].group.size(), 2);
  EXPECT_EQ(heads[1].bytes, 10.0 * 4 * 2 * 4);
  EXPECT_EQ(heads[2].bytes, 10.0 * 4 * 128 * 2);
  EXPECT_TRUE(messages(latent(), shared(8, 8), {}, decode, workload::Mixer::linear).empty());
}

TEST(SharedCache, OutputsMayGoToTheRanksOfTheirHeads) {
  InferenceJob job = latent();
  job.stack.partial_outputs = PartialOutputs::all_to_all;
  const TokenGroup decode = {10, 1, 1000};
  const auto sent = messages(job, shared(8, 8), {}, decode);
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[1].kind, CollectiveKind::all_to_all);
  EXPECT_EQ(sent[1].bytes, 10.0 * 32 * (512 * 2 + 4));
  job.stack.own_group_queries = true;
  const auto helix = messages(job, shared(8, 8), {}, decode);
  ASSERT_EQ(helix.size(), 1U);
  EXPECT_EQ(helix[0].name, "exchange outputs");
  // Keys and values have no latent that queries could be made of twice.
  InferenceJob heads = grouped();
  heads.stack = job.stack;
  EXPECT_EQ(messages(heads, shared(16, 2), {}, decode).size(), 2U);
}

TEST(SharedCache, PromptsGatherTheLatentsThatAreCached) {
  const auto sent = messages(latent(), shared(8, 8), {2, 100, 1000}, {});
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].name, "gather latents");
  EXPECT_EQ(sent[0].bytes, 2.0 * 1000 * 576 * 2);
  EXPECT_TRUE(messages(latent(), shared(8, 8), {2, 100, 0}, {}).empty());
  const auto heads = messages(grouped(), shared(16, 2), {2, 100, 1000}, {});
  ASSERT_EQ(heads.size(), 3U);
  EXPECT_EQ(heads[0].bytes, 200.0 * 4 * 128 * 2) << "queries of prompts as those of decode";
}

TEST(SharedCache, QueriesThatEachRankMakesTakeWeights) {
  InferenceJob job = latent();
  const technology::System system = system_of_eight();
  const double plain = inference_memory(job, system, shared(8, 8)).weights_bytes;
  job.stack.own_group_queries = true;
  // Of seven other ranks with four heads each: 192 of a query out of 1536, 128 x 512 of its keys.
  EXPECT_NEAR(inference_memory(job, system, shared(8, 8)).weights_bytes - plain,
              7.0 * 32 * 2 * (4 * 192 * 1536 + 4 * 128 * 512), 1.0);
  EXPECT_DOUBLE_EQ(inference_memory(job, system, shared(8, 1)).weights_bytes, plain);
}

double iteration_s(const InferenceJob& job, const Strategy& strategy, double sequences,
                   double cached) {
  const InferenceSetting setting(job, system_of_eight());
  return iteration_cost({setting, strategy}, {{}, {sequences, 1, cached}}).total().time.total_s();
}

TEST(SharedCache, LongContextsAreDecodedFasterAndShortOnesNot) {
  for (const PartialOutputs way : {PartialOutputs::reduce_scatter, PartialOutputs::all_to_all}) {
    InferenceJob job = latent();
    job.stack.partial_outputs = way;
    EXPECT_LT(iteration_s(job, shared(8, 8), 16, 200000),
              0.5 * iteration_s(job, shared(8, 1), 16, 200000));
    EXPECT_LT(iteration_s(job, shared(8, 8), 16, 200000),
              iteration_s(job, shared(8, 4), 16, 200000));
    EXPECT_GT(iteration_s(job, shared(8, 8), 16, 100), iteration_s(job, shared(8, 1), 16, 100));
    InferenceJob heads = grouped();
    heads.stack = job.stack;
    EXPECT_LT(iteration_s(heads, shared(16, 2), 64, 200000),
              iteration_s(heads, shared(16, 1), 64, 200000));
  }
}

// The difference is what the messages take, and the part of each rank.
TEST(SharedCache, AShortContextTakesTheMessagesMore) {
  const InferenceJob job = latent();
  const InferenceSetting setting(job, system_of_eight());
  const TokenGroup decode = {16, 1, 100};
  const Replica alone = {setting, shared(8, 1)};
  const Replica eight = {setting, shared(8, 8)};
  double sent_s = 0.0;
  for (const Message& message : messages(job, shared(8, 8), {}, decode)) {
    sent_s += 32 * message_cost(message, setting).cost.time.total_s();
  }
  EXPECT_NEAR(iteration_cost(eight, {{}, decode}).communication.time.total_s() -
                  iteration_cost(alone, {{}, decode}).communication.time.total_s(),
              sent_s, 1e-9);
}

TEST(SharedCache, NothingOfItWhereRanksShareNone) {
  InferenceJob other = latent();
  other.stack.partial_outputs = PartialOutputs::all_to_all;
  other.stack.own_group_queries = true;
  const InferenceEstimate plain = estimate_inference(latent(), system_of_eight(), shared(8, 1));
  const InferenceEstimate same = estimate_inference(other, system_of_eight(), shared(8, 1));
  EXPECT_EQ(same.latency_s(), plain.latency_s());
  EXPECT_EQ(same.memory.total_bytes(), plain.memory.total_bytes());
}

TEST(SharedCache, ADeviceTakesItsPartOfACacheThatTravels) {
  ServingJob job = test::small_service(2000);
  job.inference.model.latent = {1536, 512, 64, 128, 128};
  job.batching = Batching::disaggregated;
  job.prefill_share = 0.5;
  job.most_sequences = 4;
  const technology::System system = test::example_system();
  Strategy strategy = shared(8, 8);
  strategy.data_parallel = 2;
  const ServingEstimate estimate = estimate_serving(job, system, strategy);
  const double bytes = 576 * 2.0 * 32 * 2000 / 8;
  const double sent_s = transfer_cost(bytes, {1, 2}, system).time.total_s();
  EXPECT_NEAR(estimate.time_per_output_token_s, estimate.iteration_s() + sent_s / 199.0, 1e-12);
}

TEST(SharedCache, ADrafterSharesAsFarAsItHasCopies) {
  const Drafter small = drafter_of(test::llama(1024, 4, 16, 4, 4096, 32000));
  EXPECT_EQ(drafter_strategy(small, shared(8, 8)).decode_context_parallel, 2);
  Drafter windowed = small;
  windowed.model.local = {.window = 256, .layers = 2};
  EXPECT_EQ(drafter_strategy(windowed, shared(8, 8)).decode_context_parallel, 1);
}

TEST(SharedCache, HasTheErrorBarsOfContextParallelism) {
  const auto has = [](const Strategy& strategy) {
    return traits_of(latent(), system_of_eight(), strategy, 700.0, false)
        .test(static_cast<std::size_t>(technology::Trait::context_parallelism));
  };
  EXPECT_TRUE(has(shared(8, 8)));
  EXPECT_FALSE(has(shared(8, 1)));
}

}  // namespace
}  // namespace scalesweep::estimator
