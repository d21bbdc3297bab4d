#include "parallel/placement.hpp"

#include <gtest/gtest.h>

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
  EXPECT_EQ(group.inner, inner);
  EXPECT_EQ(group.outer, outer);
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
  EXPECT_EQ(stage_link(strategy, 8), Link::scale_up);
  EXPECT_EQ(stage_link(strategy, 4), Link::scale_out);
  strategy.rank_order = RankOrder::tp_pp_cp_ep_dp;
  expect_group(group_of(strategy, Dimension::context, 8), 2, 1);
  expect_group(group_of(strategy, Dimension::data, 8), 2, 8);
  EXPECT_EQ(stage_link(strategy, 4), Link::scale_up);
  strategy.rank_order = RankOrder::tp_ep_dp_cp_pp;
  expect_group(group_of(strategy, Dimension::context, 8), 1, 2);
  expect_group(group_of(strategy, Dimension::data, 8), 4, 4);
  expect_group(group_of(strategy, Dimension::expert, 8), 4, 2);
  EXPECT_EQ(stage_link(strategy, 8), Link::scale_out);
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
  EXPECT_EQ(stage_link(layout(2, 4, 1), 8), Link::scale_up);
  EXPECT_EQ(stage_link(layout(8, 4, 1), 8), Link::scale_out);
  EXPECT_EQ(stage_link(layout(1, 2, 8), 8), Link::scale_out);
}

}  // namespace
}  // namespace scalesweep::parallel
