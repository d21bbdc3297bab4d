// What must hold of links in levels, whatever they are.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "estimator/parts/collective.hpp"
#include "random_training.hpp"
#include "support/examples.hpp"
#include "support/shipped_catalog.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Collective;
using parallel::CollectiveKind;
using parallel::Group;
using test::any_example;
using test::Example;
using test::log_uniform;
using test::step_s;

// Pairs in domains of eight in pods of 64, each level at most as good as the one inside it.
technology::System any_levels() {
  technology::System system = scalesweep::test::example_system();
  technology::LinkLevel level = system.levels.front();
  level.link.bandwidth = BytesPerSecond::si(log_uniform(50e9, 3e12));
  level.link.half_size = Bytes::si(log_uniform(1e3, 1e7));
  const double least =
      std::max(1.0, level.link.fit.far_step);  // that far steps inside a domain take
  system.levels.clear();
  for (const int size : {2, 8, 64, 0}) {
    level.size = size;
    system.levels.push_back(level);
    level.link.bandwidth *= log_uniform(0.05, 1.0);
    const double longer = log_uniform(least, 10.0);
    level.link.latency *= longer;
    level.link.handshake *= longer;
    level.link.call_latency *= log_uniform(1.0, 2.0);
  }
  system.domain_level = 1;
  return system;
}

Collective any_collective() {
  Collective collective;
  collective.kind = *rc::gen::element(CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                      CollectiveKind::reduce_scatter, CollectiveKind::all_to_all);
  collective.bytes = log_uniform(1e2, 1e10);
  return collective;
}

Group any_group(const technology::System& system) {
  Group group;
  group.domain_level = system.domain_level;
  for (std::size_t level = 0; level < system.levels.size(); ++level) {
    group.ranks[level] = *rc::gen::element(1, 2, 4);
  }
  return group;
}

double seconds(Collective collective, const Group& group, const technology::System& system) {
  collective.group = group;
  return collective_cost(collective, system).cost.time.total_s();
}

TEST(LevelsProperty, RanksThatMoveInsideAreNeverSlower) {
  EXPECT_TRUE(rc::check([] {
    const technology::System system = any_levels();
    const Collective collective = any_collective();
    const auto level = *rc::gen::inRange<std::size_t>(1, system.levels.size());
    const std::int64_t ranks = *rc::gen::element(2, 4, 8);
    Group inner;
    Group outer;
    inner.ranks[level - 1] = ranks;
    outer.ranks[0] = 1;
    outer.ranks[level] = ranks;
    // One level only: what is inside a domain copies its own part, which a network hides, and among
    // all pairs reaches a share of its rate.
    const bool leaves = level == system.domain_level + 1;
    const double copied = leaves ? 1.0 + 1.0 / static_cast<double>(ranks - 1) : 1.0;
    const bool pairs = leaves && collective.kind == CollectiveKind::all_to_all;
    const double share = pairs ? system.scale_up().fit.pair_share : 1.0;
    RC_ASSERT(seconds(collective, inner, system) <=
              copied / share * seconds(collective, outer, system) * (1.0 + 1e-12));
  }));
}

TEST(LevelsProperty, AFasterLinkNeverSlows) {
  EXPECT_TRUE(rc::check([] {
    const technology::System system = any_levels();
    const Collective collective = any_collective();
    const Group group = any_group(system);
    technology::System faster = system;
    const auto level = *rc::gen::inRange<std::size_t>(0, faster.levels.size());
    faster.levels[level].link.bandwidth *= log_uniform(1.0, 10.0);
    faster.levels[level].link.latency *= 1.0 / log_uniform(1.0, 10.0);
    RC_ASSERT(seconds(collective, group, faster) <=
              seconds(collective, group, system) * (1.0 + 1e-12));
  }));
}

TEST(LevelsProperty, ALevelThatAGroupDoesNotSpanChangesNothing) {
  EXPECT_TRUE(rc::check([] {
    const technology::System system = any_levels();
    const Collective collective = any_collective();
    Group group = any_group(system);
    const auto level = *rc::gen::inRange<std::size_t>(0, system.levels.size());
    group.ranks[level] = 1;
    technology::System other = system;
    other.levels[level].link.bandwidth *= 0.01;
    other.levels[level].link.latency *= 100.0;
    RC_ASSERT(seconds(collective, group, other) == seconds(collective, group, system));
  }));
}

// 512 replicas of eight stages, a node of eight H100 each.
struct Nodes {
  technology::System system;
  parallel::Strategy strategy;
};

Nodes nodes_on(const char* topology, parallel::RankOrder order) {
  Nodes nodes;
  nodes.system = scalesweep::test::shipped_catalog().catalogued_system(
      {.device = "h100-sxm", .topology = topology, .endpoints = 32768});
  nodes.strategy.tensor_parallel = 8;
  nodes.strategy.pipeline_parallel = 8;
  nodes.strategy.data_parallel = 512;
  nodes.strategy.rank_order = order;
  return nodes;
}

// One rank a node, 512 of them: nodes side by side send a leaf's share through its uplinks, nodes
// 64 devices apart everything.
TEST(Levels, ThinUplinksCostWhereRanksStandInLeavesOfTheirOwn) {
  const auto all_reduce_s = [](const char* topology, parallel::RankOrder order) {
    const auto [system, strategy] = nodes_on(topology, order);
    return collective_among(system, strategy, CollectiveKind::all_reduce, parallel::Dimension::data,
                            1e9)
        .time.total_s();
  };
  const auto slower = [&](parallel::RankOrder order) {
    return all_reduce_s("fat-tree-4to1", order) / all_reduce_s("fat-tree", order);
  };
  EXPECT_NEAR(slower(parallel::RankOrder::tp_cp_ep_dp_pp), 1.0, 0.05);
  EXPECT_NEAR(slower(parallel::RankOrder::tp_cp_ep_pp_dp), 4.0, 0.2);
}

// Pipelines of eight stages of a node each. Where the stages of one stand side by side, four nodes
// in each of two leaves, 8 devices of 32 send to the next leaf, by 8 uplinks: at the rate of their
// ports. Where the 512 nodes of a stage do, all devices of a leaf send, at a quarter.
TEST(Levels, ThinUplinksCostPipelinesWhatCrossesAtOnce) {
  const auto send_s = [](const char* topology, parallel::RankOrder order) {
    const auto [system, strategy] = nodes_on(topology, order);
    const Group pipeline =
        parallel::group_of(strategy, parallel::Dimension::pipeline, levels_of(system));
    return transfer_cost(1e9, pipeline, system).time.total_s();
  };
  const auto slower = [&](parallel::RankOrder order) {
    return send_s("fat-tree-4to1", order) / send_s("fat-tree", order);
  };
  EXPECT_NEAR(slower(parallel::RankOrder::tp_cp_ep_pp_dp), 1.0, 0.01);
  EXPECT_NEAR(slower(parallel::RankOrder::tp_cp_ep_dp_pp), 4.0, 0.05);
}

// Pods that hold the whole job, and blocks of one device, are no levels.
TEST(LevelsProperty, LevelsWithoutAChoiceLeaveEveryStepAsItIs) {
  EXPECT_TRUE(rc::check([] {
    const Example e = any_example();
    Example around = e;
    technology::LinkLevel all = around.system.levels.back();
    around.system.levels.back().size = 1 << 28;
    all.link.bandwidth *= 0.01;
    around.system.levels.push_back(all);
    RC_ASSERT(step_s(around) == step_s(e));
    Example inside = e;
    technology::LinkLevel one = inside.system.levels.front();
    one.size = 1;
    inside.system.levels.insert(inside.system.levels.begin(), one);
    ++inside.system.domain_level;
    RC_ASSERT(step_s(inside) == step_s(e));
  }));
}

}  // namespace
}  // namespace scalesweep::estimator
