#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "space/read/spec.hpp"
#include "support/specs.hpp"

namespace scalesweep::space {
namespace {

using parallel::Recompute;
using parallel::StrategyRules;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string spec_with(const std::string& strategy) {
  return std::string(tests::catalogued_spec) + "[strategy]\n" + strategy + "\n";
}

StrategyRules rules_of(const std::string& strategy) {
  Diagnostics diagnostics;
  const auto spec = read_spec("a.toml", spec_with(strategy), diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  return spec ? spec->strategy : StrategyRules{};
}

std::string refused(const std::string& strategy) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read_spec("a.toml", spec_with(strategy), diagnostics)) << strategy;
  return diagnostics.text();
}

TEST(StrategyRules, without_a_key_everything_valid_is_tried) {
  const StrategyRules rules = rules_of("");
  for (const parallel::Choices& choices :
       {rules.tensor_parallel, rules.pipeline_parallel, rules.micro_batch, rules.chunks}) {
    EXPECT_TRUE(choices.divisors);
    EXPECT_EQ(choices.at_most, 0);
    EXPECT_FALSE(choices.powers_of_two);
  }
  EXPECT_THAT(rules.recompute, ElementsAre(Recompute::none, Recompute::selective, Recompute::full));
  EXPECT_THAT(rules.zero, ElementsAre(0, 1));
  EXPECT_THAT(rules.sequence_parallel, ElementsAre(false, true));
}

TEST(StrategyRules, choices_have_five_forms) {
  const StrategyRules rules = rules_of(
      "tensor_parallel = { powers_of_two_to = 32 }\npipeline_parallel = { divisors_to = 12 }\n"
      "micro_batch = 4\nchunks = [1, 3]");
  EXPECT_TRUE(rules.tensor_parallel.divisors);
  EXPECT_TRUE(rules.tensor_parallel.powers_of_two);
  EXPECT_EQ(rules.tensor_parallel.at_most, 32);
  EXPECT_TRUE(rules.pipeline_parallel.divisors);
  EXPECT_FALSE(rules.pipeline_parallel.powers_of_two);
  EXPECT_EQ(rules.pipeline_parallel.at_most, 12);
  EXPECT_FALSE(rules.micro_batch.divisors);
  EXPECT_THAT(rules.micro_batch.values, ElementsAre(4));
  EXPECT_THAT(rules.chunks.values, ElementsAre(1, 3));
  EXPECT_TRUE(rules_of("chunks = 'divisors'").chunks.divisors);
}

TEST(StrategyRules, policies_are_scalars_or_lists) {
  EXPECT_THAT(rules_of("recompute = 'full'").recompute, ElementsAre(Recompute::full));
  EXPECT_THAT(rules_of("recompute = ['full', 'none']").recompute,
              ElementsAre(Recompute::full, Recompute::none));
  EXPECT_THAT(rules_of("zero = 1").zero, ElementsAre(1));
  EXPECT_THAT(rules_of("sequence_parallel = true").sequence_parallel, ElementsAre(true));
  EXPECT_THAT(rules_of("sequence_parallel = [true, false]").sequence_parallel,
              ElementsAre(true, false));
}

TEST(StrategyRules, without_a_key_the_rest_is_left_off) {
  const StrategyRules rules = rules_of("");
  for (const parallel::Choices& choices :
       {rules.context_parallel, rules.expert_parallel, rules.recompute_every}) {
    EXPECT_FALSE(choices.divisors);
    EXPECT_THAT(choices.values, ElementsAre(1));
  }
  EXPECT_THAT(rules.experts_over_tensor, ElementsAre(false));
  EXPECT_THAT(rules.shard_group, ElementsAre(0));
  EXPECT_THAT(rules.schedule, ElementsAre(parallel::Schedule::one_forward_one_backward));
  EXPECT_THAT(rules.context_exchange, ElementsAre(parallel::ContextExchange::ring));
  EXPECT_THAT(rules.rank_order, ElementsAre(parallel::RankOrder::tp_cp_ep_dp_pp));
  EXPECT_THAT(rules.offload_activations, ElementsAre(false));
  EXPECT_THAT(rules.offload_optimizer, ElementsAre(false));
  EXPECT_FALSE(rules.uneven_stages);
}

TEST(StrategyRules, the_rest_has_words_numbers_and_flags) {
  const StrategyRules rules = rules_of(
      "context_parallel = 'divisors'\nexpert_parallel = { powers_of_two_to = 64 }\n"
      "recompute_every = [1, 2]\nshard_group = ['all', 8]\nzero = [0, 2, 3]\n"
      "schedule = ['1f1b', 'zero_bubble', 'dual_pipe']\ncontext_exchange = 'all_to_all'\n"
      "rank_order = 'tp-cp-ep-pp-dp'\noffload_activations = [false, true]\n"
      "experts_over_tensor = [false, true]\noffload_optimizer = true\nuneven_stages = true");
  EXPECT_TRUE(rules.context_parallel.divisors);
  EXPECT_EQ(rules.expert_parallel.at_most, 64);
  EXPECT_THAT(rules.experts_over_tensor, ElementsAre(false, true));
  EXPECT_THAT(rules.recompute_every.values, ElementsAre(1, 2));
  EXPECT_THAT(rules.shard_group, ElementsAre(0, 8));
  EXPECT_THAT(rules.zero, ElementsAre(0, 2, 3));
  EXPECT_THAT(rules.schedule,
              ElementsAre(parallel::Schedule::one_forward_one_backward,
                          parallel::Schedule::zero_bubble, parallel::Schedule::dual_pipe));
  EXPECT_THAT(rules.context_exchange, ElementsAre(parallel::ContextExchange::all_to_all));
  EXPECT_THAT(rules.rank_order, ElementsAre(parallel::RankOrder::tp_cp_ep_pp_dp));
  EXPECT_THAT(rules.offload_activations, ElementsAre(false, true));
  EXPECT_THAT(rules.offload_optimizer, ElementsAre(true));
  EXPECT_TRUE(rules.uneven_stages);
}

TEST(StrategyRules, CopiesOfExpertsAreOfThoseThatServe) {
  EXPECT_THAT(
      refused("redundant_experts = 32"),
      HasSubstr("with kind = \"training\" experts are kept even by their router, and copies "
                "would have gradients to add; leave 'redundant_experts' out"));
  EXPECT_TRUE(rules_of("uneven_experts = true").uneven_experts);
  EXPECT_FALSE(rules_of("").uneven_experts);
  EXPECT_THAT(rules_of("").redundant_experts, ElementsAre(0));
}

TEST(StrategyRules, ExpertsHaveDevicesOfTheirOwnOfRequests) {
  EXPECT_THAT(
      refused("expert_devices = 8"),
      HasSubstr("with kind = \"training\" experts stand among the layers, which their gradients go "
                "back through; leave 'expert_devices' out"));
}

TEST(StrategyRules, ACacheIsSharedOfRequests) {
  EXPECT_THAT(refused("decode_context_parallel = 8"),
              HasSubstr("with kind = \"training\" ranks share the cache of requests, and training "
                        "has none; leave 'decode_context_parallel' out"));
}

TEST(StrategyMistakes, of_the_rest) {
  EXPECT_THAT(refused("schedule = 'zero-bubble'"),
              HasSubstr("a.toml:12:12: error: unknown schedule 'zero-bubble'; did you mean "
                        "'zero_bubble'?"));
  EXPECT_THAT(refused("context_exchange = ['ring', 'rnig']"),
              HasSubstr("a.toml:12:29: error: unknown context_exchange 'rnig'; did you mean "
                        "'ring'?"));
  EXPECT_THAT(refused("rank_order = 'tp-cp-dp-pp'"),
              HasSubstr("unknown rank_order 'tp-cp-dp-pp'; did you mean 'tp-cp-ep-dp-pp'?"));
  EXPECT_THAT(refused("schedule = ['1f1b', '1f1b']"), HasSubstr("stands twice in schedule"));
  EXPECT_THAT(refused("rank_order = []"), HasSubstr("'rank_order' is an empty list"));
  EXPECT_THAT(refused("shard_group = 'some'"),
              HasSubstr("a.toml:12:15: error: shard_group is a number or \"all\", not "
                        "\"some\""));
  EXPECT_THAT(refused("shard_group = 0"),
              HasSubstr("shard_group must be between 1 and 1,000,000,000, not 0"));
  EXPECT_THAT(refused("shard_group = ['all', 'all']"), HasSubstr("stands twice in shard_group"));
  EXPECT_THAT(refused("context_parallel = 0"),
              HasSubstr("context_parallel must be between 1 and 1,000,000,000, not 0"));
  EXPECT_THAT(refused("offload_optimizer = 1"),
              HasSubstr("'strategy.offload_optimizer' must be true or false"));
  EXPECT_THAT(refused("uneven_stages = 'yes'"),
              HasSubstr("'strategy.uneven_stages' must be true or false"));
  EXPECT_THAT(refused("expert_paralel = 2"),
              HasSubstr("unknown key 'expert_paralel' in [strategy]; did you mean "
                        "'expert_parallel'?"));
}

TEST(StrategyMistakes, choices) {
  EXPECT_THAT(refused("tensor_parallel = 'divisor'"),
              HasSubstr("a.toml:12:19: error: tensor_parallel is \"divisors\", an integer, a list "
                        "of integers, { powers_of_two_to = N } or { divisors_to = N }, not "
                        "\"divisor\""));
  EXPECT_THAT(refused("tensor_parallel = 0"),
              HasSubstr("tensor_parallel must be between 1 and 1,000,000,000, not 0"));
  EXPECT_THAT(refused("micro_batch = [1, -2]"),
              HasSubstr("a.toml:12:19: error: micro_batch must be between 1 and 1,000,000,000, "
                        "not -2"));
  EXPECT_THAT(refused("chunks = []"), HasSubstr("'chunks' is an empty list"));
  EXPECT_THAT(refused("chunks = [2, 2]"), HasSubstr("2 stands twice in chunks"));
  EXPECT_THAT(refused("chunks = 1.5"), HasSubstr("'strategy.chunks' must be an integer"));
  EXPECT_THAT(refused("chunks = {}"),
              HasSubstr("chunks takes one of powers_of_two_to and divisors_to"));
  EXPECT_THAT(refused("chunks = { powers_of_two_to = 4, divisors_to = 4 }"),
              HasSubstr("chunks takes one of powers_of_two_to and divisors_to"));
  EXPECT_THAT(refused("chunks = { powers_of_two = 4 }"),
              HasSubstr("unknown key 'powers_of_two' in [strategy.chunks]; did you mean "
                        "'powers_of_two_to'?"));
  EXPECT_THAT(refused("chunks = { divisors_to = 0 }"),
              HasSubstr("a.toml:12:26: error: divisors_to must be between 1 and 1,000,000,000, "
                        "not 0"));
  EXPECT_THAT(refused("chunks = { powers_of_two_to = 0 }"),
              HasSubstr("powers_of_two_to must be between 1 and 1,000,000,000, not 0"));
}

TEST(StrategyMistakes, policies) {
  EXPECT_THAT(refused("recompute = 'selctive'"),
              HasSubstr("unknown recompute 'selctive'; did you mean 'selective'?"));
  EXPECT_THAT(refused("recompute = []"), HasSubstr("'recompute' is an empty list"));
  EXPECT_THAT(refused("recompute = ['full', 'full']"), HasSubstr("stands twice in recompute"));
  EXPECT_THAT(refused("zero = 4"), HasSubstr("zero is stage 0, 1, 2 or 3, not 4"));
  EXPECT_THAT(refused("zero = [1, 1]"), HasSubstr("1 stands twice in zero"));
  EXPECT_THAT(refused("sequence_parallel = 'yes'"),
              HasSubstr("'strategy.sequence_parallel' must be true or false, not a string"));
  EXPECT_THAT(refused("sequence_parallel = [true, true]"),
              HasSubstr("true stands twice in sequence_parallel"));
}

}  // namespace
}  // namespace scalesweep::space
