#include "parallel/fields.hpp"

#include <gtest/gtest.h>

#include <set>

#include "parallel/enumerate.hpp"

namespace scalesweep::parallel {
namespace {

TEST(Fields, EachRowIsOfAFieldOfItsOwn) {
  for (const Field& field : strategy_fields()) {
    Strategy strategy;
    field.set(strategy, field.value(strategy) + 1);
    for (const Field& other : strategy_fields()) {
      EXPECT_EQ(other.value(strategy) != other.value(Strategy{}), other.name == field.name)
          << field.name << " and " << other.name;
    }
  }
}

TEST(Fields, EachRowIsOfARuleOfItsOwn) {
  for (const Field& row : strategy_rows()) {
    if (row.choices == nullptr) {
      continue;
    }
    StrategyRules rules;
    row.choose(rules, only(row.choices(rules).values == std::vector<std::int64_t>{1} ? 0 : 1));
    for (const Field& other : strategy_rows()) {
      if (other.choices != nullptr) {
        EXPECT_EQ(other.choices(rules) != other.choices(StrategyRules{}), other.name == row.name)
            << row.name << " and " << other.name;
      }
    }
  }
}

// Two studies that try other values of any field are two studies.
TEST(Fields, EachIsPartOfTheTextOfTheRules) {
  std::set<std::string> texts;
  for (const Field& row : strategy_rows()) {
    if (row.choices != nullptr) {
      StrategyRules rules;
      row.choose(rules, only(row.words.empty() ? 7 : 1));
      EXPECT_NE(text_of(row, rules), text_of(row, StrategyRules{})) << row.name;
      EXPECT_TRUE(row.value == nullptr || !row.short_name.empty() || !row.words.empty());
    }
  }
}

TEST(Fields, WhatIsNotPlainIsLeftAtThePlainValue) {
  for (const StrategyRules& rules : {StrategyRules{}, batch_rules(), service_rules()}) {
    for (const Field& field : strategy_fields()) {
      if (field.choices != nullptr && !(field.plain && field.is_of(rules.kind))) {
        EXPECT_EQ(field.choices(rules).values.size(), field.name == "micro_batch" ? 0u : 1u)
            << field.name;
      }
    }
  }
}

TEST(Fields, AreWrittenAsPeopleWriteThem) {
  Strategy strategy;
  strategy.tensor_parallel = 8;
  strategy.recompute = Recompute::selective;
  strategy.sequence_parallel = true;
  strategy.zero = 3;
  const auto text = [&](const char* name) { return text_of(*find_field(name), strategy); };
  EXPECT_EQ(text("tensor_parallel"), "8");
  EXPECT_EQ(text("recompute"), "selective");
  EXPECT_EQ(text("sequence_parallel"), "on");
  EXPECT_EQ(text("zero"), "3");
  EXPECT_EQ(find_field("uneven_stages"), nullptr);
  EXPECT_EQ(find_field("tp"), find_field("tensor_parallel"));
  EXPECT_EQ(find_field("TP"), find_field("tensor_parallel"));
  EXPECT_EQ(find_field("sP"), find_field("sequence_parallel"));
  EXPECT_EQ(find_field("V"), nullptr);
  EXPECT_EQ(find_field("every-"), nullptr);
}

TEST(Fields, TextsOfRulesSayWhatIsTried) {
  StrategyRules rules;
  rules.tensor_parallel = {.at_most = 32, .powers_of_two = true};
  rules.zero = {0, 3};
  rules.offload_optimizer = {true};
  const auto text = [&](const char* name) { return text_of(*find_field(name), rules); };
  EXPECT_EQ(text("tensor_parallel"), "divisors that are powers of two up to 32");
  EXPECT_EQ(text("pipeline_parallel"), "divisors");
  EXPECT_EQ(text("zero"), "0, 3");
  EXPECT_EQ(text("recompute"), "none, selective, full");
  EXPECT_EQ(text("offload_optimizer"), "on");
  rules.micro_batch.by_stages = true;
  EXPECT_EQ(text("micro_batch"), "one a stage");
}

}  // namespace
}  // namespace scalesweep::parallel
