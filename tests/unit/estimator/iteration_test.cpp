// One iteration: it is the sum of its operators, its messages and what the host adds.
#include "estimator/inference/passes/iteration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "estimator/explain/iteration_operators.hpp"
#include "estimator/inference/service/decode_passes.hpp"
#include "estimator/parts/collective.hpp"
#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::RankOrder;
using parallel::Strategy;

workload::TransformerModel llama_8b() {
  return test::llama(4096, 32, 32, 8, 14336, 128256);
}

workload::TransformerModel deepseek() {
  workload::TransformerModel model = test::llama(7168, 61, 128, 128, 18432, 129280);
  model.latent = {1536, 512, 64, 128, 128};
  model.experts.count = 256;
  model.experts.top_k = 8;
  model.experts.ffn = 2048;
  model.experts.shared_ffn = 2048;
  model.experts.dense_layers = 3;
  return model;
}

InferenceJob job_of(workload::TransformerModel model) {
  InferenceJob job;
  job.model = std::move(model);
  return job;
}

double seconds(const Cost& cost) {
  return cost.time.total_s();
}

TEST(Iteration, IsTheSumOfItsOperators) {
  workload::TransformerModel windowed = llama_8b();
  windowed.local = {.window = 512, .layers = 24};
  workload::TransformerModel hybrid = windowed;  // all four variants, and both spans
  hybrid.local.layers = 4;
  hybrid.linear = {.layers = 24, .heads = 32, .key_heads = 16, .key_dim = 128, .value_dim = 128};
  hybrid.linear.chunk = 64;
  hybrid.bare_layers = 8;
  workload::TransformerModel sparse = deepseek();
  sparse.sparse = {.index_heads = 64, .index_dim = 128, .top_k = 256};
  for (const workload::TransformerModel& model :
       {llama_8b(), windowed, deepseek(), hybrid, sparse}) {
    for (const int tp : {1, 4}) {
      const InferenceSetting setting(job_of(model), test::example_system());
      Strategy strategy;
      strategy.tensor_parallel = tp;
      const Iteration iteration = {{2, 700, 100}, {9, 1, 1500}};
      double sum_s = 0.0, messages_s = 0.0;
      for (const IterationOperator& op : iteration_operators({setting, strategy}, iteration)) {
        sum_s += op.times * seconds(op.once);
        messages_s += op.message ? op.times * seconds(op.once) : 0.0;
        EXPECT_EQ(op.bound, dominant(op.once.time)) << op.name;
      }
      const IterationCost cost = iteration_cost({setting, strategy}, iteration);
      EXPECT_NEAR(seconds(cost.total()) / sum_s, 1.0, 1e-9);
      EXPECT_NEAR(seconds(cost.communication), messages_s, 1e-9 * sum_s);
      EXPECT_EQ(messages_s > 0.0, tp > 1);
      EXPECT_EQ(seconds(cost.host), 0.0);
      EXPECT_EQ(seconds(cost.pipeline), 0.0);
    }
  }
}

// 24 of 32 layers have a state: what is cached counts in the other eight alone.
TEST(Iteration, StatesTakeAsLongWhateverIsCached) {
  workload::TransformerModel model = llama_8b();
  const auto seconds_of = [](const workload::TransformerModel& of, double cached) {
    const InferenceSetting setting(job_of(of), test::example_system());
    return seconds(iteration_cost({setting, {}}, {{}, {9, 1, cached}}).total());
  };
  const double attending_s = seconds_of(model, 64000) - seconds_of(model, 1500);
  ASSERT_GT(attending_s, 0.0);
  model.linear = {.layers = 24, .heads = 32, .key_heads = 16, .key_dim = 128, .value_dim = 128};
  EXPECT_NEAR((seconds_of(model, 64000) - seconds_of(model, 1500)) / attending_s, 0.25, 1e-9);
  model.linear.layers = 32;
  EXPECT_EQ(seconds_of(model, 64000), seconds_of(model, 1500));
}

Strategy spread_experts() {
  Strategy strategy;
  strategy.data_parallel = strategy.expert_parallel = 64;
  return strategy;
}

IterationCost expert_layer(workload::ExchangeOverlap beside, const Iteration& iteration,
                           double hidden_share = 1.0) {
  InferenceJob job = job_of(deepseek());
  job.stack.exchange_hidden_share = hidden_share;
  job.stack.exchange_beside = beside;
  const InferenceSetting setting(job, test::example_system());
  return pass_parts({setting, spread_experts()}, iteration).expert_layer;
}

// Two halves one after the other, each with its exchange beside the other's kernels: twice what one
// half takes of whichever lasts longer. With prompts the exchange takes cores from the kernels.
TEST(Iteration, HalvesOfABatchHideEachOthersExchange) {
  using workload::ExchangeOverlap;
  const double core_share = test::example_system().scale_up().core_share;
  ASSERT_GT(core_share, 0.0);
  struct Work {
    Iteration whole, half;
    double core_share;
  };
  for (const Work& work : {Work{{{16, 2048, 0}, {}}, {{8, 2048, 0}, {}}, core_share},
                           Work{{{}, {256, 1, 4000}}, {{}, {128, 1, 4000}}, 0.0}}) {
    const IterationCost one = expert_layer(ExchangeOverlap::nothing, work.whole);
    const IterationCost half = expert_layer(ExchangeOverlap::nothing, work.half);
    const double exchange_s = seconds(half.communication);
    const double kernels_s = seconds(half.total()) - exchange_s;
    const double expected_s = 2.0 * std::max(kernels_s + work.core_share * exchange_s, exchange_s);
    ASSERT_LT(expected_s, seconds(one.total()));
    EXPECT_NEAR(
        seconds(expert_layer(ExchangeOverlap::two_batches, work.whole).total()) / expected_s, 1.0,
        1e-9);
    // Of which a part may be waited for.
    const double hidden_s = 0.75 * exchange_s;
    const double part_s =
        2.0 * (std::max(kernels_s + work.core_share * hidden_s, hidden_s) + 0.25 * exchange_s);
    EXPECT_NEAR(
        seconds(expert_layer(ExchangeOverlap::two_batches, work.whole, 0.75).total()) / part_s, 1.0,
        1e-9);
  }
}

// Parts of a prompt that its chunks do not divide: none begins before the prompt does, where a
// window would be left without keys.
TEST(Iteration, PromptsOfUnevenChunksHaveKeysInEveryPart) {
  workload::TransformerModel windowed = llama_8b();
  windowed.local = {.window = 128, .layers = 16};
  InferenceJob job = job_of(windowed);
  job.stack.flash_attention = false;
  const InferenceSetting setting(job, test::example_system());
  const double short_s = seconds(prefill_cost({setting, {}}, 6.0, 773.0, 0.0, 773.0).total());
  const Cost uneven = prefill_cost({setting, {}}, 6.0, 780.0, 0.0, 773.0).total();
  EXPECT_NEAR(seconds(uneven) / short_s, 1.0, 0.2);
  for (const double s : uneven.time.values) {
    EXPECT_GE(s, 0.0);
  }
}

TEST(Iteration, ABatchThatIsSlowerInHalvesStaysWhole) {
  using workload::ExchangeOverlap;
  const Iteration one = {{}, {1, 1, 100}};
  EXPECT_DOUBLE_EQ(seconds(expert_layer(ExchangeOverlap::two_batches, one).total()),
                   seconds(expert_layer(ExchangeOverlap::nothing, one).total()));
}

TEST(Iteration, WhatHidesExchangesIsInTheListOfOperators) {
  using workload::ExchangeOverlap;
  const Iteration iteration = {{2, 700, 100}, {90, 1, 1500}};
  double before_s = 1e300;
  for (const ExchangeOverlap beside :
       {ExchangeOverlap::nothing, ExchangeOverlap::shared_experts, ExchangeOverlap::two_batches}) {
    InferenceJob job = job_of(deepseek());
    job.stack.exchange_beside = beside;
    const InferenceSetting setting(job, test::example_system());
    const Replica replica = {setting, spread_experts()};
    double sum_s = 0.0;
    for (const IterationOperator& op : iteration_operators(replica, iteration)) {
      sum_s += op.times * seconds(op.once);
    }
    EXPECT_NEAR(seconds(iteration_cost(replica, iteration).total()) / sum_s, 1.0, 1e-9);
    EXPECT_LT(sum_s, before_s);
    before_s = sum_s;
    // Over lengths as well, where attention is not summed alone.
    const IterationCost decode = decode_cost(replica, 90, 1500, 1501);
    EXPECT_NEAR(
        seconds(decode.total()) / seconds(iteration_cost(replica, {{}, {90, 1, 1500}}).total()),
        1.0, 1e-9);
  }
}

TEST(Iteration, OperatorsOfDecodeAreBoundByMemoryAndThoseOfPrefillAreNot) {
  const InferenceSetting setting(job_of(llama_8b()), test::example_system());
  const auto up = [&](const Iteration& iteration) {
    const auto list = iteration_operators({setting, {}}, iteration);
    return *std::find_if(list.begin(), list.end(),
                         [](const IterationOperator& op) { return op.name == "mlp up"; });
  };
  const IterationOperator decode = up({{}, {1, 1, 100}});
  EXPECT_EQ(decode.bound, Resource::dram);
  EXPECT_DOUBLE_EQ(decode.times, 32);
  EXPECT_DOUBLE_EQ(decode.flop, 2.0 * 4096 * 2 * 14336);
  EXPECT_NEAR(decode.intensity(), 1.0, 0.01);  // two FLOP for every two bytes of weights
  EXPECT_EQ(up({{1, 4096, 0}, {}}).bound, Resource::tensor_compute);
}

TEST(Iteration, AHostThatIssuesSlowlySetsTheTime) {
  InferenceJob job = job_of(llama_8b());
  job.stack.decode_issue_interval_s = 1e-3;
  job.stack.iteration_overhead_s = 2e-3;
  job.stack.sequence_overhead_s = 1e-4;
  const InferenceSetting setting(job, test::example_system());
  const Iteration iteration = {{}, {4, 1, 100}};
  double operators = 0.0;
  for (const IterationOperator& op : iteration_operators({setting, {}}, iteration)) {
    operators += op.times;
  }
  const IterationCost cost = iteration_cost({setting, {}}, iteration);
  EXPECT_NEAR(seconds(cost.total()), operators * 1e-3 + 2e-3 + 4e-4, 1e-9);
  EXPECT_GT(seconds(cost.host), 0.5 * seconds(cost.total()));
}

TEST(Iteration, StagesShareTheLayersAndSendBetweenThem) {
  const technology::System system = test::example_system();
  const InferenceSetting setting(job_of(llama_8b()), system);
  const Iteration iteration = {{}, {16, 1, 1000}};
  Strategy strategy;
  const IterationCost whole = iteration_cost({setting, strategy}, iteration);
  strategy.pipeline_parallel = 4;
  const IterationCost cut = iteration_cost({setting, strategy}, iteration);
  const double send_s = seconds(transfer_cost(16.0 * 4096 * 2, {2, 1}, system));
  EXPECT_NEAR(seconds(cut.pipeline), 3.0 * send_s, 1e-15);
  EXPECT_NEAR(seconds(cut.total()), seconds(whole.total()) + 3.0 * send_s, 1e-12);
  EXPECT_GT(cut.slowest_stage.total_s(), seconds(whole.total()) / 4.0);
  EXPECT_LT(cut.slowest_stage.total_s(), seconds(whole.total()) / 2.0);
}

TEST(Iteration, WhatL2HoldsIsNotReadFromMemory) {
  technology::System system = test::example_system();
  const Iteration iteration = {{}, {1, 1, 100}};
  const auto other = [&] {
    return iteration_cost({InferenceSetting(job_of(llama_8b()), system), {}}, iteration).other;
  };
  EXPECT_EQ(other().work[Amount::dram_bytes], 0.0);
  system.device.l2.capacity = Bytes::si(1e3);
  EXPECT_GT(other().work[Amount::dram_bytes], 0.0);
}

TEST(Iteration, ExpertsThatAreNotReachedAreNotRead) {
  const InferenceSetting setting(job_of(deepseek()), test::example_system());
  Strategy strategy;
  strategy.tensor_parallel = 8;
  const auto linear_bytes = [&](double sequences) {
    return iteration_cost({setting, strategy}, {{}, {sequences, 1, 100}})
        .linear.work[Amount::dram_bytes];
  };
  // One token reads 8 of 256 experts.
  EXPECT_LT(linear_bytes(1), 0.15 * linear_bytes(512));
  EXPECT_NEAR(linear_bytes(1024) / linear_bytes(512), 1.0, 0.1);
}

TEST(Iteration, DecodeTimeOfASpanIsTheSumOfItsParts) {
  const InferenceSetting setting(job_of(llama_8b()), test::example_system());
  const Replica model = {setting, {}};
  const double whole_s = seconds(decode_cost(model, 8, 1000, 1500).total());
  const double parts_s = seconds(decode_cost(model, 8, 1000, 1200).total()) +
                         seconds(decode_cost(model, 8, 1200, 1500).total());
  EXPECT_NEAR(parts_s / whole_s, 1.0, 1e-3);
  EXPECT_EQ(seconds(decode_cost(model, 8, 1000, 1000).total()), 0.0);
  EXPECT_EQ(seconds(decode_cost(model, 0, 1000, 1500).total()), 0.0);
}

TEST(Iteration, PartsOfAPromptReadTheWeightsAgain) {
  const InferenceSetting setting(job_of(llama_8b()), test::example_system());
  const Replica model = {setting, {}};
  const IterationCost whole = prefill_cost(model, 1, 4096, 0, 0);
  const IterationCost parts = prefill_cost(model, 1, 4096, 0, 256);
  EXPECT_GT(seconds(parts.total()), seconds(whole.total()));
  // 16 times the weights of the layers, 13.9 GB, at least.
  EXPECT_GT(parts.linear.work[Amount::dram_bytes], 16.0 * 13.9e9);
  // Blocks on the diagonal are computed whole, which is less where more is cached.
  EXPECT_NEAR(parts.attention.work[Amount::tensor_flop] / whole.attention.work[Amount::tensor_flop],
              1.0, 0.05);
  EXPECT_NEAR(parts.linear.work[Amount::tensor_flop] / whole.linear.work[Amount::tensor_flop], 1.0,
              0.01);
}

TEST(Iteration, ChunksTakeOnePromptAfterAnother) {
  const InferenceSetting setting(job_of(llama_8b()), test::example_system());
  const Replica model = {setting, {}};
  // Parts of one prompt do not read what the cache has of the others.
  const IterationCost one = prefill_cost(model, 1, 4096, 100, 512);
  const IterationCost many = prefill_cost(model, 32, 4096, 100, 512);
  EXPECT_NEAR(many.attention.work[Amount::dram_bytes],
              32.0 * one.attention.work[Amount::dram_bytes], 1.0);
  EXPECT_NEAR(seconds(many.total()) / seconds(one.total()), 32.0, 1e-9);
  // Short ones go together, as many as a chunk holds.
  const IterationCost two = prefill_cost(model, 2, 512, 100, 0);
  const IterationCost eight = prefill_cost(model, 8, 512, 100, 1024);
  EXPECT_NEAR(seconds(eight.total()) / seconds(two.total()), 4.0, 1e-9);

  const workload::TokenGroup part = first_prompts(32, 4096, 100, 1000);  // 132 parts of 131072
  EXPECT_DOUBLE_EQ(part.sequences, 1.0);
  EXPECT_DOUBLE_EQ(part.new_tokens, 131072.0 / 132.0);
  EXPECT_DOUBLE_EQ(part.cached_tokens, 100.0);
  const workload::TokenGroup all = first_prompts(3, 512, 0, 1e6);
  EXPECT_DOUBLE_EQ(all.sequences, 3.0);
  EXPECT_DOUBLE_EQ(all.new_tokens, 512.0);
}

// Passes of decoding that are met again are those that would be computed anew.
void expect_same(const Cost& a, const Cost& b) {
  EXPECT_EQ(a.time.values, b.time.values);
  EXPECT_EQ(a.work.values, b.work.values);
}

InferenceJob small_with_experts() {
  InferenceJob job;
  job.model = test::llama(1024, 8, 8, 8, 4096, 32000);
  job.model.experts.count = 64;
  job.model.experts.top_k = 8;
  job.model.experts.ffn = 512;
  job.model.experts.dense_layers = 2;
  return job;
}

// Layouts that share the parts of their passes, and others beside them.
std::vector<Strategy> layouts() {
  std::vector<Strategy> all;
  for (const RankOrder order : {RankOrder::tp_cp_ep_dp_pp, RankOrder::tp_pp_cp_ep_dp}) {
    for (const std::int32_t stages : {1, 2}) {
      for (const std::int32_t replicas : {8, 16}) {
        for (const std::int32_t experts : {1, 8}) {
          for (const std::int32_t groups : {1, 2}) {
            Strategy strategy;
            strategy.tensor_parallel = 2;
            strategy.expert_parallel = experts;
            strategy.rank_order = order;
            strategy.pipeline_parallel = stages;
            strategy.data_parallel = replicas;
            strategy.micro_batches = groups;
            all.push_back(strategy);
          }
        }
      }
    }
  }
  return all;
}

TEST(DecodePasses, AreThoseThatWouldBeComputedAnew) {
  technology::System system = test::example_system();
  system.scale_up_domain() = 4;
  const InferenceSetting plain(small_with_experts(), system);
  const InferenceSetting keeping = plain.keeping(0.5);
  DecodePasses passes;
  for (int round = 0; round < 2; ++round) {
    for (const InferenceSetting* setting : {&plain, &keeping}) {
      for (const Strategy& strategy : layouts()) {
        for (const double sequences : {0.5, 1.0, 48.0}) {
          const Replica replica = {*setting, strategy};
          const workload::TokenGroup decode = {sequences, 1.0, 900.0};
          const IterationCost known = passes.at(replica, decode);
          const IterationCost anew = iteration_cost(replica, {{}, decode});
          expect_same(known.total(), anew.total());
          expect_same(known.communication, anew.communication);
          expect_same(known.pipeline, anew.pipeline);
          EXPECT_EQ(known.slowest_stage.values, anew.slowest_stage.values);
        }
      }
    }
  }
}

}  // namespace
}  // namespace scalesweep::estimator
