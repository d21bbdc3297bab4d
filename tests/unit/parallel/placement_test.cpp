#include "parallel/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace scalesweep::parallel {
namespace {

Strategy layout(int tp, int pp, int dp) {
  Strategy strategy;
  strategy.tensor_parallel = tp;
  strategy.pipeline_parallel = pp;
  strategy.data_parallel = dp;
  return strategy;
}

void expect_group(const Group& group, std::int64_t inner, std::int64_t outer) {
  EXPECT_EQ(group.inner(), inner);
  EXPECT_EQ(group.outer(), outer);
}

// Whether neighbouring stages stand in different domains.
bool stages_cross(const Strategy& strategy, std::int64_t domain) {
  return group_of(strategy, Dimension::pipeline, domain).outer() > 1;
}

TEST(Placement, TensorGroupsFillTheDomainFirst) {
  expect_group(group_of(layout(8, 1, 4), Dimension::tensor, 8), 8, 1);
  expect_group(group_of(layout(2, 1, 4), Dimension::tensor, 8), 2, 1);
  expect_group(group_of(layout(32, 1, 4), Dimension::tensor, 8), 8, 4);
  expect_group(group_of(layout(64, 1, 4), Dimension::tensor, 72), 64, 1);
}

TEST(Placement, ReplicasUseWhatTensorParallelismLeavesOfTheDomain) {
  expect_group(group_of(layout(8, 1, 16), Dimension::data, 8), 1, 16);
  expect_group(group_of(layout(2, 1, 16), Dimension::data, 8), 4, 4);
  expect_group(group_of(layout(1, 1, 4), Dimension::data, 8), 4, 1);
  expect_group(group_of(layout(32, 1, 16), Dimension::data, 8), 1, 16);
}

Strategy mixed_layout() {
  Strategy strategy = layout(2, 2, 8);
  strategy.context_parallel = 2;
  strategy.expert_parallel = 8;
  return strategy;
}

TEST(Placement, ContextStandsBetweenTensorAndData) {
  expect_group(group_of(mixed_layout(), Dimension::tensor, 8), 2, 1);
  expect_group(group_of(mixed_layout(), Dimension::context, 8), 2, 1);
  expect_group(group_of(mixed_layout(), Dimension::context, 2), 1, 2);
  expect_group(group_of(mixed_layout(), Dimension::pipeline, 8), 1, 2);
}

TEST(Placement, RanksThatShareACacheAreNeighbours) {
  Strategy strategy;
  strategy.tensor_parallel = 16;
  strategy.decode_context_parallel = 4;
  strategy.data_parallel = 2;
  expect_group(group_of(strategy, Dimension::decode_context, 8), 4, 1);
  strategy.decode_context_parallel = 16;
  expect_group(group_of(strategy, Dimension::decode_context, 8), 8, 2);
  expect_group(group_of(Strategy{}, Dimension::decode_context, 8), 1, 1);
}

TEST(Placement, GradientsAreReducedOverContextAndData) {
  const Group group = group_of(mixed_layout(), Dimension::data, 8);
  EXPECT_EQ(group.size(), 16);
  expect_group(group, 4, 4);
}

TEST(Placement, ExpertsTakeTheInnerOnesOfContextAndData) {
  expect_group(group_of(mixed_layout(), Dimension::expert, 8), 4, 2);
  expect_group(group_of(mixed_layout(), Dimension::expert_data, 8), 1, 2);
  expect_group(group_of(mixed_layout(), Dimension::expert, 32), 8, 1);
  expect_group(group_of(mixed_layout(), Dimension::expert_data, 32), 2, 1);
  Strategy few = mixed_layout();
  few.expert_parallel = 2;
  expect_group(group_of(few, Dimension::expert, 8), 2, 1);
  expect_group(group_of(few, Dimension::expert_data, 8), 2, 4);
}

// Two tensor-parallel ranks of four of 16 replicas each, consecutive ranks.
TEST(Placement, ExpertsOverTensorTakeItsRanksFirst) {
  Strategy strategy = mixed_layout();
  strategy.experts_over_tensor = true;
  EXPECT_EQ(strategy.replicas_of_experts(), 4);
  expect_group(group_of(strategy, Dimension::expert, 8), 8, 1);
  expect_group(group_of(strategy, Dimension::expert, 4), 4, 2);
  expect_group(group_of(strategy, Dimension::expert_data, 8), 1, 4);
  // All tensor-parallel ranks have the same tokens, and bring them to the experts of theirs.
  expect_group(group_of(strategy, Dimension::expert_exchange, 8), 4, 1);
  expect_group(group_of(strategy, Dimension::expert_exchange, 4), 2, 2);
  strategy.sequence_parallel = true;  // each has its own
  expect_group(group_of(strategy, Dimension::expert_exchange, 8), 8, 1);
  expect_group(group_of(strategy, Dimension::expert, 8), 8, 1);
  strategy.experts_over_tensor = false;
  expect_group(group_of(strategy, Dimension::expert_exchange, 8), 4, 2);
  strategy.experts_over_tensor = true;
  strategy.rank_order = RankOrder::tp_cp_ep_pp_dp;  // the other two replicas behind two stages
  expect_group(group_of(strategy, Dimension::expert, 4), 4, 2);
  expect_group(group_of(strategy, Dimension::expert, 16), 8, 1);
}

TEST(Placement, HybridShardingFillsADomainBeforeItReplicates) {
  Strategy strategy = layout(1, 1, 32);
  strategy.zero = 3;
  expect_group(group_of(strategy, Dimension::shard, 8), 8, 4);
  EXPECT_EQ(group_of(strategy, Dimension::shard_replica, 8).size(), 1);
  strategy.shard_group = 8;
  expect_group(group_of(strategy, Dimension::shard, 8), 8, 1);
  expect_group(group_of(strategy, Dimension::shard_replica, 8), 1, 4);
}

TEST(Placement, TheOrderOfRanksSaysWhoSharesADomain) {
  Strategy strategy = mixed_layout();
  strategy.rank_order = RankOrder::tp_cp_ep_pp_dp;
  expect_group(group_of(strategy, Dimension::data, 8), 2, 8);
  expect_group(group_of(strategy, Dimension::expert, 8), 2, 4);
  expect_group(group_of(strategy, Dimension::expert_data, 8), 1, 2);
  expect_group(group_of(strategy, Dimension::expert, 32), 8, 1);
  EXPECT_FALSE(stages_cross(strategy, 8));
  EXPECT_TRUE(stages_cross(strategy, 4));
  strategy.rank_order = RankOrder::tp_pp_cp_ep_dp;
  expect_group(group_of(strategy, Dimension::context, 8), 2, 1);
  expect_group(group_of(strategy, Dimension::data, 8), 2, 8);
  EXPECT_FALSE(stages_cross(strategy, 4));
  strategy.rank_order = RankOrder::tp_ep_dp_cp_pp;
  expect_group(group_of(strategy, Dimension::context, 8), 1, 2);
  expect_group(group_of(strategy, Dimension::data, 8), 4, 4);
  expect_group(group_of(strategy, Dimension::expert, 8), 4, 2);
  EXPECT_TRUE(stages_cross(strategy, 8));
}

TEST(Placement, NoGroupGainsOrLosesRanks) {
  for (const std::string_view name : rank_order_names) {
    Strategy strategy = mixed_layout();
    strategy.rank_order = *rank_order_names.find(name);
    strategy.shard_group = 4;
    for (const std::int64_t domain : {1, 4, 8, 12, 72}) {
      const auto size = [&](Dimension dimension) {
        return group_of(strategy, dimension, domain).size();
      };
      EXPECT_EQ(size(Dimension::tensor), 2) << name << domain;
      EXPECT_EQ(size(Dimension::context), 2) << name << domain;
      EXPECT_EQ(size(Dimension::data), 16) << name << domain;
      EXPECT_EQ(size(Dimension::expert) * size(Dimension::expert_data), 16) << name << domain;
      EXPECT_EQ(size(Dimension::shard), 4) << name << domain;
      EXPECT_EQ(size(Dimension::shard_replica), 4) << name << domain;
      EXPECT_EQ(size(Dimension::pipeline), 2) << name << domain;
    }
  }
  EXPECT_FALSE(rank_order_names.find("pp-tp").has_value());
}

TEST(Placement, StagesTalkOverTheNetworkUnlessTheJobFitsOneDomain) {
  EXPECT_FALSE(stages_cross(layout(2, 4, 1), 8));
  EXPECT_TRUE(stages_cross(layout(8, 4, 1), 8));
  EXPECT_TRUE(stages_cross(layout(1, 2, 8), 8));
}

// Pairs in boards of 4 in domains of 8 in pods of 64.
Levels nested_levels() {
  Levels levels;
  levels.blocks = {2, 4, 8, 64};
  levels.count = 5;
  levels.domain_level = 2;
  return levels;
}

std::vector<std::int64_t> ranks_of(const Strategy& strategy, Dimension dimension) {
  const Group group = group_of(strategy, dimension, nested_levels());
  return {group.ranks.begin(), group.ranks.begin() + 5};
}

// By hand: rank r is device r. Tensor groups of 4 are 0 to 3: a pair, and two pairs of a board.
// Replicas of tp 4 and dp 64 stand 4 apart: one a board, two boards a domain, eight domains a pod,
// four pods. With tp 1 they fill every level.
TEST(Placement, GroupsSpreadOverAllLevels) {
  using testing::ElementsAre;
  EXPECT_THAT(ranks_of(layout(4, 1, 64), Dimension::tensor), ElementsAre(2, 2, 1, 1, 1));
  EXPECT_THAT(ranks_of(layout(4, 1, 64), Dimension::data), ElementsAre(1, 1, 2, 8, 4));
  EXPECT_THAT(ranks_of(layout(1, 1, 256), Dimension::data), ElementsAre(2, 2, 2, 8, 4));
  EXPECT_THAT(ranks_of(layout(16, 1, 2), Dimension::tensor), ElementsAre(2, 2, 2, 2, 1));
  // Stages of 32 devices each: two in a pod, four pods.
  EXPECT_THAT(ranks_of(layout(8, 8, 4), Dimension::pipeline), ElementsAre(1, 1, 1, 2, 4));
  // Replicas 128 apart lie in as many pods.
  Strategy far = layout(8, 16, 4);
  far.rank_order = RankOrder::tp_cp_ep_pp_dp;
  EXPECT_THAT(ranks_of(far, Dimension::data), ElementsAre(1, 1, 1, 1, 4));
  EXPECT_THAT(ranks_of(far, Dimension::pipeline), ElementsAre(1, 1, 1, 8, 2));
}

TEST(Placement, PartsOfAGroupKnowTheDomain) {
  const Group group = group_of(layout(1, 1, 256), Dimension::data, nested_levels());
  EXPECT_EQ(group.size(), 256);
  EXPECT_EQ(group.inner(), 8);
  EXPECT_EQ(group.outer(), 32);
  EXPECT_EQ(group.inside().size(), 8);
  EXPECT_EQ(group.across().size(), 32);
  EXPECT_EQ(group.across().inner(), 1);
  EXPECT_EQ(group.widest(), 4u);
  EXPECT_EQ(group.inside().widest(), 2u);
  EXPECT_EQ(group.neighbours().size(), 2);
  EXPECT_EQ(group.neighbours().widest(), 4u);
  EXPECT_EQ(Group().widest(), 0u);
}

// What a domain holds of a group does not depend on what is inside it or around it.
TEST(Placement, LevelsInsideAndAroundLeaveTheDomainAsItIs) {
  for (const std::string_view name : rank_order_names) {
    Strategy strategy = mixed_layout();
    strategy.rank_order = *rank_order_names.find(name);
    for (const Dimension dimension :
         {Dimension::tensor, Dimension::context, Dimension::data, Dimension::expert,
          Dimension::expert_data, Dimension::pipeline}) {
      const Group two = group_of(strategy, dimension, 8);
      const Group all = group_of(strategy, dimension, nested_levels());
      EXPECT_EQ(all.inner(), two.inner()) << name;
      EXPECT_EQ(all.outer(), two.outer()) << name;
    }
  }
}

}  // namespace
}  // namespace scalesweep::parallel
