// Strategies of diffusion models: devices share matrices, tokens and images. Of those that have
// experts on devices of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "parallel/enumerate.hpp"
#include "parallel/fields.hpp"
#include "workload/model.hpp"

namespace scalesweep::parallel {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

workload::TransformerModel shape() {
  workload::TransformerModel model;
  model.layers = 30;
  model.hidden = 1536;
  model.heads = 12;
  model.kv_heads = 12;
  model.ffn = 8960;
  return model;
}

StrategyTable images_on(std::int64_t devices, std::int64_t batch, std::int64_t passes,
                        const StrategyRules& rules = image_rules()) {
  return enumerate_strategies(rules, shape(), {devices, batch, 0, passes});
}

TEST(ImageRules, DevicesShareMatricesTokensAndImages) {
  const StrategyTable table = images_on(8, 4, 1);
  std::set<Strategy> seen;
  for (const Strategy& strategy : table.strategies) {
    EXPECT_EQ(strategy.devices(), 8);
    EXPECT_EQ(4 % strategy.data_parallel, 0);
    EXPECT_TRUE(seen.insert(strategy).second);
    if (strategy.context_exchange == ContextExchange::all_to_all) {
      EXPECT_EQ(12 % (strategy.tensor_parallel * strategy.context_parallel), 0);
    }
  }
  EXPECT_THAT(table.strategies, Contains(Field(&Strategy::tensor_parallel, 4)));
  EXPECT_THAT(table.strategies, Contains(Field(&Strategy::context_parallel, 8)));
}

TEST(ImageRules, GuidedPassesOverOneImageAreShared) {
  EXPECT_THAT(images_on(2, 1, 2).strategies, Contains(Field(&Strategy::data_parallel, 2)));
  const StrategyTable alone = images_on(2, 1, 1);
  EXPECT_THAT(alone.strategies, Not(Contains(Field(&Strategy::data_parallel, 2))));
  EXPECT_THAT(alone.rejections,
              Contains(Field(&Rejection::rule, HasSubstr("must divide batch x passes of the model "
                                                         "(1)"))));
}

TEST(ImageRules, HeadsAreExchangedInWholeOnes) {
  StrategyRules rules = image_rules();
  rules.context_exchange = {ContextExchange::all_to_all};
  rules.context_parallel = only(8);
  const StrategyTable table = images_on(8, 1, 1, rules);
  EXPECT_TRUE(table.strategies.empty());
  EXPECT_THAT(table.rejections.front().rule,
              HasSubstr("tensor_parallel x context_parallel must divide the model's heads (12)"));
}

TEST(ImageRules, OneDeviceHasOneLayout) {
  const StrategyTable table = images_on(1, 1, 2);
  ASSERT_EQ(table.strategies.size(), 1U);
  EXPECT_EQ(table.strategies.front(), Strategy{});
}

TEST(ImageRules, ShardsDivideTheDevices) {
  StrategyRules rules = image_rules();
  rules.context_parallel = only(3);
  EXPECT_THAT(
      images_on(8, 8, 1, rules).rejections,
      Contains(Field(&Rejection::rule, HasSubstr("tensor_parallel x context_parallel must divide "
                                                 "accelerators (8)"))));
}

TEST(ImageRules, HaveFieldsOfTheirOwn) {
  std::set<std::string> names;
  for (const parallel::Field* field : fields_of(image_rules())) {
    names.emplace(field->name);
  }
  EXPECT_EQ(names, (std::set<std::string>{"tensor_parallel", "context_parallel", "context_exchange",
                                          "data_parallel"}));
}

StrategyTable trained_on(std::int64_t devices, std::int64_t batch,
                         const StrategyRules& rules = trained_image_rules()) {
  return enumerate_strategies(
      rules, shape(),
      {.accelerators = devices, .global_batch = batch, .sequence = 0, .passes = 2, .trains = true});
}

TEST(ImageRules, TrainingSharesImagesAndTheirBatches) {
  StrategyRules rules = trained_image_rules();
  rules.zero = {0, 1, 3};
  rules.shard_group = {0, 2};
  const StrategyTable table = trained_on(8, 16, rules);
  std::set<Strategy> seen;
  for (const Strategy& strategy : table.strategies) {
    EXPECT_EQ(strategy.devices(), 8);
    EXPECT_EQ(strategy.data_parallel * strategy.micro_batch * strategy.micro_batches, 16);
    EXPECT_NE(strategy.recompute, Recompute::selective);
    EXPECT_TRUE(strategy.zero == 0 || strategy.replicas() > 1);
    EXPECT_TRUE(seen.insert(strategy).second);
  }
  EXPECT_THAT(table.strategies, Contains(Field(&Strategy::micro_batch, 2)));
  EXPECT_THAT(table.strategies, Contains(Field(&Strategy::shard_group, 2)));
  EXPECT_THAT(table.strategies, Contains(Field(&Strategy::recompute, Recompute::full)));
}

// Whatever guidance makes of an image: a step sees it once.
TEST(ImageRules, TrainingHasOnePassOverAnImage) {
  StrategyRules rules = trained_image_rules();
  rules.context_parallel = only(1);
  rules.tensor_parallel = only(1);
  const StrategyTable table = trained_on(2, 1, rules);
  EXPECT_TRUE(table.strategies.empty());
  EXPECT_THAT(table.rejections.front().rule, HasSubstr("must divide batch (1)"));
}

TEST(ImageRules, TrainingRecomputesWholeLayers) {
  StrategyRules rules = trained_image_rules();
  rules.recompute = {Recompute::selective};
  const StrategyTable table = trained_on(1, 1, rules);
  EXPECT_TRUE(table.strategies.empty());
  EXPECT_THAT(table.rejections.front().rule, HasSubstr("recompute must be \"none\" or \"full\""));
}

TEST(ImageRules, TrainingHasFieldsOfTheMakingAndOfTraining) {
  std::set<std::string> names;
  for (const parallel::Field* field : fields_of(trained_image_rules())) {
    names.emplace(field->name);
  }
  EXPECT_EQ(names, (std::set<std::string>{"tensor_parallel", "context_parallel", "context_exchange",
                                          "data_parallel", "micro_batch", "micro_batches",
                                          "recompute", "zero"}));
}

// Experts on devices of their own: which layouts there are, and what a user reads of the others.
workload::TransformerModel shape_with_experts() {
  workload::TransformerModel model = shape();
  model.experts.count = 8;
  model.experts.top_k = 2;
  model.experts.ffn = 512;
  return model;
}

// Of 16 devices.
StrategyTable apart(const workload::TransformerModel& model, std::vector<std::int64_t> devices,
                    const Choices& experts = only(1), std::vector<std::int64_t> copies = {0}) {
  StrategyRules rules = service_rules();
  rules.tensor_parallel = {.divisors = false, .values = {1, 2}};
  rules.pipeline_parallel = only(1);
  rules.expert_parallel = experts;
  rules.expert_devices = std::move(devices);
  rules.redundant_experts = std::move(copies);
  return enumerate_strategies(rules, model, {16, 1, 0});
}

TEST(ExpertDeviceRules, ExpertsMayHaveDevicesOfTheirOwn) {
  const StrategyTable table = apart(shape_with_experts(), {0, 2, 4, 8});
  ASSERT_EQ(table.strategies.size(), 8U);
  for (const Strategy& s : table.strategies) {
    EXPECT_EQ(s.devices(), 16);
    EXPECT_EQ(s.tensor_parallel * s.data_parallel + s.expert_devices, 16);
  }
  EXPECT_TRUE(std::ranges::is_sorted(table.strategies, std::less<>(), layer_key));
  EXPECT_TRUE(table.rejections.empty());
  // Nothing else changes for layouts without.
  EXPECT_EQ(apart(shape_with_experts(), {0}).strategies,
            enumerate_strategies(
                [] {
                  StrategyRules rules = service_rules();
                  rules.tensor_parallel = {.divisors = false, .values = {1, 2}};
                  rules.pipeline_parallel = only(1);
                  return rules;
                }(),
                shape_with_experts(), {16, 1, 0})
                .strategies);
}

TEST(ExpertDeviceRules, SaysWhyExpertsHaveNoDevicesOfTheirOwn) {
  const auto said = [](const StrategyTable& table) {
    std::string all;
    for (const Rejection& one : table.rejections) {
      all += one.rule + "\n";
    }
    return all;
  };
  EXPECT_EQ(said(apart(shape_with_experts(), {16})),
            "expert_devices must be less than accelerators (16): attention needs some, too\n");
  EXPECT_EQ(said(apart(shape_with_experts(), {3})),
            "expert_devices must divide the model's experts (8), unless uneven_experts is true\n"
            "tensor_parallel must divide accelerators less expert_devices (13)\n");
  EXPECT_EQ(said(apart(shape_with_experts(), {8}, only(2))),
            "expert_devices hold all experts: expert_parallel must be 1 beside them, and "
            "experts_over_tensor false\n");
  EXPECT_EQ(said(apart(shape_with_experts(), {1}, only(1), {4})),
            "redundant_experts needs expert_devices above 1\n"
            "tensor_parallel must divide accelerators less expert_devices (15)\n");
  workload::TransformerModel plain = shape_with_experts();
  plain.experts = {};
  EXPECT_EQ(said(apart(plain, {8})), "expert_devices needs a model with experts\n");
  StrategyRules stages = service_rules();
  stages.tensor_parallel = only(1);
  stages.pipeline_parallel = only(2);
  stages.expert_devices = {8};
  EXPECT_EQ(said(enumerate_strategies(stages, shape_with_experts(), {16, 1, 0})),
            "expert_devices needs pipeline_parallel 1 and context_parallel 1: all replicas of "
            "attention send it tokens of the same layer\n");
}

TEST(ExpertDeviceRules, ReplicasThatShareExpertDevicesKeepTheirOwnKernels) {
  Strategy few;
  few.data_parallel = 4;
  few.expert_devices = 2;
  Strategy many = few;
  many.data_parallel = 8;
  EXPECT_NE(layer_key(few), layer_key(many));
  few.expert_devices = many.expert_devices = 0;
  EXPECT_EQ(layer_key(few), layer_key(many));
}

}  // namespace
}  // namespace scalesweep::parallel
