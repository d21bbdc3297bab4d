#include "parallel/enumerate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "support/examples.hpp"

namespace scalesweep::parallel {
namespace {

using testing::HasSubstr;

StrategyRules megatron_rules() {
  StrategyRules rules;
  rules.tensor_parallel.powers_of_two = true;
  rules.tensor_parallel.at_most = 32;
  return rules;
}

auto key(const Strategy& s) {
  return std::tuple(s.tensor_parallel, s.pipeline_parallel, s.data_parallel, s.chunks,
                    s.micro_batch, s.micro_batches, s.recompute, s.zero, s.sequence_parallel);
}

// Every combination tried one by one against the rules as sentences: the plain version.
std::set<decltype(key(Strategy{}))> brute_force(const workload::TransformerModel& model,
                                                const JobShape& job) {
  std::set<decltype(key(Strategy{}))> found;
  const auto n = static_cast<int>(job.accelerators);
  const auto batch = static_cast<int>(job.global_batch);
  for (int tp = 1; tp <= std::min(32, n); tp *= 2) {
    for (int pp = 1; pp <= n; ++pp) {
      if (n % (tp * pp) != 0 || model.heads % tp != 0 || model.layers % pp != 0) {
        continue;
      }
      const int dp = n / tp / pp;
      for (int mb = 1; batch % dp == 0 && mb <= batch / dp; ++mb) {
        for (int v = 1; batch / dp % mb == 0 && v <= model.layers / pp; ++v) {
          const int m = batch / dp / mb;
          if (model.layers / pp % v != 0 || (v > 1 && (pp == 1 || m % pp != 0))) {
            continue;
          }
          for (int policy = 0; policy < 12; ++policy) {
            const bool sp = policy % 2 == 1;
            const int zero = policy / 2 % 2;
            if ((sp && tp == 1) || (zero == 1 && dp == 1)) {
              continue;
            }
            found.insert({tp, pp, dp, v, mb, m, static_cast<Recompute>(policy / 4),
                          static_cast<std::uint8_t>(zero), sp});
          }
        }
      }
    }
  }
  return found;
}

TEST(Enumerate, FindsWhatBruteForceFinds) {
  for (const auto& [accelerators, batch] : {std::pair{8, 24}, {64, 96}, {96, 96}, {1024, 1536}}) {
    const JobShape job{accelerators, batch, 2048};
    const StrategyTable table = enumerate_strategies(megatron_rules(), test::gpt3_175b(), job);
    std::set<decltype(key(Strategy{}))> found;
    for (const Strategy& s : table.strategies) {
      EXPECT_TRUE(found.insert(key(s)).second) << "listed twice";
    }
    EXPECT_EQ(found, brute_force(test::gpt3_175b(), job)) << accelerators;
  }
}

TEST(Enumerate, ListsTheStrategiesOfTheTechnologyStudy) {
  const auto table = enumerate_strategies(megatron_rules(), test::gpt3_175b(), {1024, 1536, 2048});
  EXPECT_EQ(table.strategies.size(), 12960U);
}

TEST(Enumerate, StrategiesThatShareLayerKernelsAreNeighbours) {
  const auto table = enumerate_strategies(megatron_rules(), test::gpt3_175b(), {64, 96, 2048});
  std::set<std::tuple<int, bool, int>> groups;
  auto last = std::tuple(0, false, 0);
  for (const Strategy& s : table.strategies) {
    const auto group = std::tuple(s.tensor_parallel, s.sequence_parallel, s.micro_batch);
    if (group != last) {
      EXPECT_TRUE(groups.insert(group).second) << "a group is split";
      last = group;
    }
  }
}

TEST(Enumerate, SaysWhichRuleLeftNothing) {
  StrategyRules rules = megatron_rules();
  rules.tensor_parallel = {false, 0, false, {5}};
  const auto table = enumerate_strategies(rules, test::gpt3_175b(), {1000, 1536, 2048});

  EXPECT_TRUE(table.strategies.empty());
  ASSERT_EQ(table.rejections.size(), 1U);
  EXPECT_EQ(table.rejections[0].candidates, 1);
  EXPECT_THAT(table.rejections[0].rule, HasSubstr("must divide the model's heads (96)"));
}

TEST(Enumerate, NamesEveryRuleThatRemovedSomething) {
  StrategyRules rules;
  rules.tensor_parallel = {false, 0, false, {1, 3}};
  rules.pipeline_parallel = {false, 0, false, {1, 5, 8, 64}};
  rules.micro_batch = {false, 0, false, {1, 2, 7}};
  rules.chunks = {false, 0, false, {1, 2, 5}};
  const auto table = enumerate_strategies(rules, test::gpt3_175b(), {64, 64, 2048});

  std::vector<std::string> named;
  for (const Rejection& rejection : table.rejections) {
    named.push_back(rejection.rule);
  }
  for (const char* rule :
       {"tensor_parallel must divide accelerators (64)",
        "tensor_parallel x pipeline_parallel must divide accelerators (64)",
        "pipeline_parallel must divide the model's layers (96)",
        "micro_batch must divide global_batch / data_parallel",
        "more than one chunk needs pipeline_parallel above 1",
        "pipeline_parallel x chunks must divide the model's layers", "interleaved schedule",
        "sequence_parallel needs tensor_parallel above 1"}) {
    EXPECT_THAT(named, testing::Contains(HasSubstr(rule)));
  }
}

TEST(Recompute, HasNames) {
  EXPECT_EQ(recompute_from("selective"), Recompute::selective);
  EXPECT_EQ(name_of(Recompute::full), "full");
  EXPECT_FALSE(recompute_from("some").has_value());
}

}  // namespace
}  // namespace scalesweep::parallel
