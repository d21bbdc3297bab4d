#include "estimator/parts/stages.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/image_examples.hpp"

namespace scalesweep::estimator {
namespace {

using workload::StageBalance;

StageShares shares_of(const workload::TransformerModel& model, int stages,
                      StageBalance balance = StageBalance::layers) {
  parallel::Strategy strategy;
  strategy.pipeline_parallel = stages;
  return stage_shares(model, strategy, balance);
}

// Of the kind that holds so many layers; the default where there is none.
StageShare kind_with(const StageShares& shares, double layers, bool embedding, bool head) {
  for (const StageShare& share : shares.kinds()) {
    if (share.all_layers() == layers && share.embedding == embedding && share.head == head) {
      return share;
    }
  }
  return {.first = -1, .count = 0};
}

double layers_of_all(const StageShares& shares) {
  double layers = 0.0;
  for (const StageShare& share : shares.kinds()) {
    layers += static_cast<double>(share.count) * share.all_layers();
  }
  return layers;
}

std::int64_t stages_of_all(const StageShares& shares) {
  std::int64_t stages = 0;
  for (const StageShare& share : shares.kinds()) {
    stages += share.count;
  }
  return stages;
}

TEST(Stages, OneHoldsTheWholeModel) {
  const StageShares shares = shares_of(test::gpt(1024, 24, 16), 1);
  ASSERT_EQ(shares.kinds().size(), 1U);
  const StageShare& all = shares.kinds().front();
  EXPECT_EQ(all.layers, 24.0);
  EXPECT_TRUE(all.embedding);
  EXPECT_TRUE(all.head);
}

TEST(Stages, LayersThatDivideEvenlyAreDealtOutEvenly) {
  const StageShares shares = shares_of(test::gpt3_175b(), 8);
  EXPECT_EQ(kind_with(shares, 12.0, true, false).first, 0);
  EXPECT_EQ(kind_with(shares, 12.0, false, false).count, 6);
  EXPECT_EQ(kind_with(shares, 12.0, false, true).first, 7);
  EXPECT_EQ(stages_of_all(shares), 8);
  EXPECT_EQ(shares_of(test::gpt3_175b(), 2).kinds().size(), 2U);
}

TEST(Stages, EdgesOfTheModelCountAsLayersWhereTheyDoNotDivide) {
  workload::TransformerModel model = test::gpt(16384, 126, 128);
  const StageShares shares = shares_of(model, 8);  // 128 blocks
  EXPECT_EQ(kind_with(shares, 15.0, true, false).first, 0);
  EXPECT_EQ(kind_with(shares, 16.0, false, false).count, 6);
  EXPECT_EQ(kind_with(shares, 15.0, false, true).first, 7);

  model.layers = 13;
  const StageShares four = shares_of(model, 4);  // 15 blocks: 4, 4, 4 and 3
  EXPECT_EQ(kind_with(four, 3.0, true, false).first, 0);
  EXPECT_EQ(kind_with(four, 4.0, false, false).count, 2);
  EXPECT_EQ(kind_with(four, 2.0, false, true).first, 3);
}

TEST(Stages, ThereMayBeMoreThanLayers) {
  const workload::TransformerModel model = test::gpt(1024, 4, 16);
  const StageShares layers = shares_of(model, 6);
  EXPECT_EQ(kind_with(layers, 0.0, true, false).first, 0);
  EXPECT_EQ(kind_with(layers, 1.0, false, false).count, 4);
  EXPECT_EQ(kind_with(layers, 0.0, false, true).first, 5);

  for (const int stages : {5, 6, 9, 12}) {
    const StageShares blocks = shares_of(model, stages, StageBalance::blocks);
    EXPECT_EQ(layers_of_all(blocks), 4.0) << stages;
    EXPECT_EQ(stages_of_all(blocks), stages);
  }
}

TEST(Stages, LeadingLayersWithoutExpertsStandOnTheFirstOnes) {
  workload::TransformerModel model = test::llama(2048, 27, 16, 16, 10944, 102400);
  model.experts.count = 64;
  model.experts.top_k = 6;
  model.experts.ffn = 1408;
  model.experts.dense_layers = 1;
  const StageShares shares = shares_of(model, 4);  // 29 blocks: 7, 8, 7 and 7
  const StageShare first = kind_with(shares, 6.0, true, false);
  EXPECT_EQ(first.layers, 1.0);
  EXPECT_EQ(first.expert_layers, 5.0);
  EXPECT_EQ(kind_with(shares, 8.0, false, false).expert_layers, 8.0);
  EXPECT_EQ(kind_with(shares, 7.0, false, false).expert_layers, 7.0);
  EXPECT_EQ(kind_with(shares, 6.0, false, true).expert_layers, 6.0);

  model.experts.dense_layers = 8;  // more than the first stage holds
  const StageShares dense = shares_of(model, 4);
  EXPECT_EQ(kind_with(dense, 6.0, true, false).expert_layers, 0.0);
  EXPECT_EQ(kind_with(dense, 8.0, false, false).layers, 2.0);
}

TEST(Stages, EveryNthLayerHasExperts) {
  workload::TransformerModel model = test::gpt(1024, 24, 16);
  model.experts = {.count = 8, .top_k = 1, .ffn = 4096, .every = 2};
  const StageShares shares = shares_of(model, 4);
  for (const StageShare& share : shares.kinds()) {
    EXPECT_EQ(share.layers, 3.0);
    EXPECT_EQ(share.expert_layers, 3.0);
  }
}

// Layers of each stage, first to last, by a list of what every part of the model holds.
std::vector<double> folded(const std::vector<double>& parts, std::size_t stages) {
  std::vector<double> layers(stages, 0.0);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    layers[part % stages] += parts[part];
  }
  return layers;
}

// In order, where no two stages hold the same.
std::vector<double> layers_of(const StageShares& shares) {
  std::vector<double> layers;
  for (const StageShare& share : shares.kinds()) {
    layers.insert(layers.end(), static_cast<std::size_t>(share.count), share.all_layers());
  }
  return layers;
}

TEST(Stages, ChunksThatLayersDoNotDivideAreDealtOutOneByOne) {
  parallel::Strategy strategy;
  strategy.pipeline_parallel = 2;
  strategy.chunks = 2;
  workload::TransformerModel model = test::gpt(1024, 13, 16);
  // 15 blocks: 4, 4, 4 and 3, with the embedding and the head.
  EXPECT_EQ(layers_of(stage_shares(model, strategy, StageBalance::layers)),
            folded({3, 4, 4, 2}, 2));
  strategy.chunks = 4;  // 2, 2, 2, 2, 2, 2, 2 and 1
  EXPECT_EQ(layers_of(stage_shares(model, strategy, StageBalance::layers)),
            folded({1, 2, 2, 2, 2, 2, 2, 0}, 2));
  model.layers = 14;  // that two stages divide, but not eight parts
  EXPECT_EQ(layers_of(stage_shares(model, strategy, StageBalance::layers)),
            folded({1, 2, 2, 2, 2, 2, 2, 1}, 2));
}

TEST(Stages, OfSeveralChunksHoldLayersFromAllOverTheModel) {
  workload::TransformerModel model = test::gpt(1024, 16, 16);
  model.experts = {.count = 8, .top_k = 1, .ffn = 4096, .dense_layers = 3};
  parallel::Strategy strategy;
  strategy.pipeline_parallel = 2;
  strategy.chunks = 4;  // layers 0, 1 and 4, 5 and so on; 2, 3 and 6, 7
  const StageShares shares = stage_shares(model, strategy, StageBalance::layers);
  ASSERT_EQ(shares.kinds().size(), 2U);
  EXPECT_EQ(shares.kinds()[0].layers, 2.0);
  EXPECT_EQ(shares.kinds()[1].layers, 1.0);
  strategy.chunks = 1;
  EXPECT_EQ(stage_shares(model, strategy, StageBalance::layers).kinds()[0].layers, 3.0);
}

TEST(Stages, TheFirstAndTheLastMayHaveNumbersOfTheirOwn) {
  workload::TransformerModel model = test::gpt(1024, 62, 16);
  model.experts = {.count = 8, .top_k = 1, .ffn = 4096, .dense_layers = 10};
  parallel::Strategy strategy;
  strategy.pipeline_parallel = 4;
  strategy.first_stage_layers = 14;
  EXPECT_EQ(layers_of(stage_shares(model, strategy, StageBalance::layers)),
            (std::vector<double>{14, 16, 16, 16}));
  strategy.chunks = 2;  // 7, 8, 8, 8 and once more
  const StageShares shares = stage_shares(model, strategy, StageBalance::blocks);
  EXPECT_EQ(kind_with(shares, 14.0, true, false).layers, 7.0);
  EXPECT_EQ(kind_with(shares, 16.0, false, false).layers, 3.0);
  EXPECT_EQ(kind_with(shares, 16.0, false, true).layers, 0.0);
  strategy.first_stage_layers = 0;
  strategy.last_stage_layers = 2;
  EXPECT_EQ(layers_of(stage_shares(model, strategy, StageBalance::layers)),
            (std::vector<double>{20, 20, 20, 2}));
}

TEST(Stages, TheFirstMayHaveTheEncoderAlone) {
  workload::TransformerModel model = test::llava_7b(1.0);
  parallel::Strategy strategy;
  strategy.pipeline_parallel = 6;
  strategy.encoder_stages = 2;
  for (const StageBalance balance : {StageBalance::layers, StageBalance::blocks}) {
    const StageShares shares = stage_shares(model, strategy, balance);
    const std::vector<const StageShare*> stages = by_stage(shares, 6);
    EXPECT_EQ(stages[0], stages[1]);
    EXPECT_EQ(stages[0]->encoders, 0.5);
    EXPECT_EQ(stages[0]->all_layers(), 0.0);
    EXPECT_FALSE(stages[0]->embedding);
    EXPECT_TRUE(stages[2]->embedding);
    EXPECT_EQ(stages[2]->encoders, 0.0);
    EXPECT_TRUE(stages[5]->head);
    double layers = 0.0;
    for (const StageShare* stage : stages) {
      layers += stage->layers;
    }
    EXPECT_EQ(layers, 32.0);
  }
}

TEST(Stages, EveryLayerIsOnOneStageHoweverTheyAreCut) {
  workload::TransformerModel model = test::gpt(1024, 1, 16);
  for (const int every : {0, 1, 3}) {
    model.experts = {};
    if (every > 0) {
      model.experts = {.count = 8, .top_k = 1, .ffn = 4096, .dense_layers = 2, .every = every};
    }
    for (model.layers = 6; model.layers < 100; ++model.layers) {
      for (const int stages : {2, 3, 4, 8, 16}) {
        for (const int chunks : {1, 2, 3, 6, 16}) {
          if (stages * chunks > model.layers + 2) {
            continue;
          }
          parallel::Strategy strategy;
          strategy.pipeline_parallel = stages;
          strategy.chunks = chunks;
          const StageShares shares = stage_shares(model, strategy, StageBalance::layers);
          ASSERT_EQ(layers_of_all(shares), model.layers) << stages << " x " << chunks;
          ASSERT_EQ(stages_of_all(shares), stages);
          double experts = 0.0;
          for (const StageShare& share : shares.kinds()) {
            experts += static_cast<double>(share.count) * share.expert_layers;
          }
          ASSERT_EQ(experts, static_cast<double>(every > 0 ? model.expert_layers() : 0));
        }
      }
    }
  }
}

// The head of this model costs as much as four of its layers.
workload::TransformerModel heavy_head() {
  return test::llama(2048, 16, 32, 32, 8192, 131072);
}

// Layers of each stage, in order, where blocks are balanced.
std::vector<double> balanced(int stages) {
  const StageShares shares = shares_of(heavy_head(), stages, StageBalance::blocks);
  std::vector<double> layers;
  for (const StageShare& share : shares.kinds()) {
    layers.push_back(share.layers);
    EXPECT_EQ(share.embedding, share.first == 0);
  }
  EXPECT_EQ(layers_of_all(shares), 16.0);
  EXPECT_EQ(stages_of_all(shares), stages);
  return layers;
}

TEST(Stages, BalancedBlocksLeaveRoomForTheHead) {
  EXPECT_EQ(balanced(2), (std::vector<double>{10.0, 6.0}));
  // The first has the embedding, the second and the third are alike, the last has the head.
  EXPECT_EQ(balanced(4), (std::vector<double>{5.0, 5.0, 1.0}));
}

TEST(Stages, WhatComesBehindTheHeadIsEmpty) {
  const StageShares shares = shares_of(heavy_head(), 8, StageBalance::blocks);
  // 20 layers' worth over 8: 3, 2, 3, 2, 3, 2, the head with the last layer, and nothing.
  EXPECT_EQ(kind_with(shares, 3.0, true, false).count, 1);
  EXPECT_EQ(kind_with(shares, 2.0, false, false).count, 3);
  EXPECT_EQ(kind_with(shares, 3.0, false, false).count, 2);
  EXPECT_EQ(kind_with(shares, 1.0, false, true).first, 6);
  EXPECT_EQ(kind_with(shares, 0.0, false, false).first, 7);
}

TEST(Stages, WithoutAPipelineNothingIsBalanced) {
  const StageShares shares = shares_of(heavy_head(), 1, StageBalance::blocks);
  ASSERT_EQ(shares.kinds().size(), 1U);
  EXPECT_EQ(shares.kinds().front().layers, 16.0);
}

TEST(StageParameters, TheFullestRankHoldsCopiesAndWhatDoesNotDivide) {
  workload::TransformerModel model = test::llama(1024, 4, 8, 8, 4096, 32000);
  model.experts = {.count = 256, .top_k = 8, .ffn = 512};
  StageShare share;
  share.expert_layers = 4.0;
  const auto routed = [&](int ranks, int copies) {
    parallel::Strategy strategy;
    strategy.data_parallel = strategy.expert_parallel = ranks;
    strategy.redundant_experts = copies;
    return stage_parameters(model, strategy, share).routed;
  };
  const double one = model.routed_expert_parameters() / 256.0;
  EXPECT_DOUBLE_EQ(routed(32, 0), 4.0 * 8.0 * one);
  EXPECT_DOUBLE_EQ(routed(32, 32), 4.0 * 9.0 * one);
  EXPECT_DOUBLE_EQ(routed(72, 0), 4.0 * 4.0 * one);
  EXPECT_DOUBLE_EQ(routed(320, 64), 4.0 * 1.0 * one);
}

}  // namespace
}  // namespace scalesweep::estimator
