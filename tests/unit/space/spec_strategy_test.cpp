#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "space/spec.hpp"
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
  EXPECT_THAT(refused("zero = 3"), HasSubstr("zero is stage 0 or 1, not 3"));
  EXPECT_THAT(refused("zero = [1, 1]"), HasSubstr("1 stands twice in zero"));
  EXPECT_THAT(refused("sequence_parallel = 'yes'"),
              HasSubstr("'strategy.sequence_parallel' must be true or false, not a string"));
  EXPECT_THAT(refused("sequence_parallel = [true, true]"),
              HasSubstr("true stands twice in sequence_parallel"));
}

}  // namespace
}  // namespace scalesweep::space
