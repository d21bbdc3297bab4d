#include "parallel/enumerate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "support/image_examples.hpp"

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

TEST(Enumerate, CutsWholeStates) {
  workload::TransformerModel model = test::gpt3_175b();
  model.linear = {.layers = 48, .heads = 24, .key_heads = 8, .key_dim = 128, .value_dim = 64};
  StrategyRules rules = megatron_rules();
  rules.tensor_parallel = {false, 0, false, {32}};
  const auto table = enumerate_strategies(rules, model, {1024, 1536, 2048});
  EXPECT_TRUE(table.strategies.empty());
  ASSERT_EQ(table.rejections.size(), 1U);
  EXPECT_THAT(table.rejections[0].rule,
              HasSubstr("must divide the heads of the model's linear layers (24)"));
  model.linear.heads = 64;
  EXPECT_FALSE(enumerate_strategies(rules, model, {1024, 1536, 2048}).strategies.empty());
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

// A small model with experts and every list of the rules longer than one.
workload::TransformerModel experts_model() {
  workload::TransformerModel model = test::gpt(1024, 6, 8);
  model.experts.count = 8;
  model.experts.top_k = 2;
  model.experts.ffn = 512;
  return model;
}

StrategyRules everything() {
  StrategyRules rules;
  rules.context_parallel = rules.expert_parallel = Choices{};
  rules.experts_over_tensor = {false, true};
  rules.recompute_every = {.divisors = false, .values = {1, 2}};
  rules.shard_group = {0, 2};
  rules.zero = {0, 1, 2, 3};
  rules.schedule = {Schedule::one_forward_one_backward, Schedule::zero_bubble, Schedule::dual_pipe};
  rules.context_exchange = {ContextExchange::ring, ContextExchange::all_to_all};
  rules.rank_order = {RankOrder::tp_cp_ep_dp_pp, RankOrder::tp_cp_ep_pp_dp};
  rules.offload_activations = {false, true};
  rules.offload_optimizer = {true};
  return rules;
}

bool pipeline_rules_hold(const Strategy& s) {
  if (s.schedule == Schedule::one_forward_one_backward) {
    return true;
  }
  const bool meets = s.pipeline_parallel % 2 == 0 && s.micro_batches % 2 == 0 &&
                     s.micro_batches >= 2 * s.pipeline_parallel;
  return s.pipeline_parallel > 1 && s.chunks == 1 && (s.schedule == Schedule::zero_bubble || meets);
}

bool experts_hold(const Strategy& s) {
  const int replicas = s.data_parallel * s.context_parallel;
  return 8 % s.expert_parallel == 0 &&
         (s.experts_over_tensor
              ? s.tensor_parallel > 1 && s.expert_parallel % s.tensor_parallel == 0 &&
                    replicas * s.tensor_parallel % s.expert_parallel == 0
              : replicas % s.expert_parallel == 0);
}

// The rules of `everything` as one sentence each, for the model above.
bool rules_hold(const Strategy& s, int sequence) {
  const int replicas = s.data_parallel * s.context_parallel;
  return sequence % (s.context_parallel > 1 ? 2 * s.context_parallel : 1) == 0 && experts_hold(s) &&
         pipeline_rules_hold(s) &&
         (!s.sequence_parallel ||
          (s.tensor_parallel > 1 && sequence % (s.tensor_parallel * s.context_parallel) == 0)) &&
         (s.context_exchange == ContextExchange::ring ||
          (s.context_parallel > 1 && 8 % (s.tensor_parallel * s.context_parallel) == 0)) &&
         (s.zero == 0 || replicas > 1) &&
         (s.shard_group == 0 || (s.zero == 3 && replicas % 2 == 0 && replicas > 2)) &&
         (s.recompute_every == 1 || s.recompute == Recompute::full);
}

// How many of the policies are valid for these sizes, tried one by one.
std::size_t count_policies(Strategy s, int sequence) {
  std::size_t count = 0;
  // Mixed radix: schedule 3, zero 4, recompute 3, sequence_parallel, exchange, order, shard_group,
  // every, offload, experts_over_tensor 2 each.
  for (int policy = 0; policy < 3 * 4 * 3 * 128; ++policy) {
    int rest = policy;
    const auto digit = [&](int radix) { return std::exchange(rest, rest / radix) % radix; };
    s.schedule = static_cast<Schedule>(digit(3));
    s.zero = static_cast<std::uint8_t>(digit(4));
    s.recompute = static_cast<Recompute>(digit(3));
    s.sequence_parallel = digit(2) == 1;
    s.context_exchange = static_cast<ContextExchange>(digit(2));
    s.rank_order = static_cast<RankOrder>(digit(2));
    s.shard_group = 2 * digit(2);
    s.recompute_every = 1 + digit(2);
    s.offload_activations = digit(2) == 1;
    s.experts_over_tensor = digit(2) == 1;
    count += rules_hold(s, sequence) ? 1 : 0;
  }
  return count;
}

std::size_t count_one_by_one(int devices, int batch, int sequence) {
  std::size_t count = 0;
  Strategy s;
  for (s.tensor_parallel = 1; s.tensor_parallel <= 8; s.tensor_parallel *= 2) {
    for (s.context_parallel = 1; s.context_parallel <= devices; ++s.context_parallel) {
      for (s.pipeline_parallel = 1; s.pipeline_parallel <= devices; ++s.pipeline_parallel) {
        const int cut = s.tensor_parallel * s.context_parallel * s.pipeline_parallel;
        s.data_parallel = devices / cut;
        if (devices % cut != 0 || 6 % s.pipeline_parallel != 0 || batch % s.data_parallel != 0) {
          continue;
        }
        for (s.expert_parallel = 1; s.expert_parallel <= devices; ++s.expert_parallel) {
          s.micro_batches = batch / s.data_parallel;
          count += count_policies(s, sequence);
        }
      }
    }
  }
  return count;
}

TEST(Enumerate, EveryNewDimensionAgreesWithItsRules) {
  StrategyRules rules = everything();
  rules.micro_batch = rules.chunks = only(1);
  for (const int sequence : {16, 12}) {
    const auto table = enumerate_strategies(rules, experts_model(), {16, 16, sequence});
    for (const Strategy& s : table.strategies) {
      ASSERT_TRUE(rules_hold(s, sequence));
      ASSERT_EQ(s.devices(), 16);
      ASSERT_TRUE(s.offload_optimizer);
    }
    EXPECT_EQ(table.strategies.size(), count_one_by_one(16, 16, sequence)) << sequence;
    for (std::size_t i = 1; i < table.strategies.size(); ++i) {
      ASSERT_NE(table.strategies[i - 1], table.strategies[i]);
    }
  }
}

TEST(Enumerate, WhatIsNotAskedForStaysPlain) {
  for (const Strategy& s : enumerate_strategies({}, experts_model(), {16, 16, 2048}).strategies) {
    Strategy plain = s;
    plain.context_parallel = plain.expert_parallel = plain.recompute_every = 1;
    plain.shard_group = 0;
    plain.experts_over_tensor = false;
    plain.schedule = Schedule::one_forward_one_backward;
    plain.context_exchange = ContextExchange::ring;
    plain.rank_order = RankOrder::tp_cp_ep_dp_pp;
    plain.offload_activations = plain.offload_optimizer = false;
    ASSERT_EQ(s, plain);
    ASSERT_LE(s.zero, 1);
  }
}

TEST(Enumerate, UnevenStagesNeedALayerOrAnEdgeEach) {
  StrategyRules rules;
  rules.pipeline_parallel = {.divisors = false, .values = {3, 4, 8, 16}};
  rules.uneven_stages = true;
  std::set<int> stages;
  const auto table = enumerate_strategies(rules, test::gpt(1024, 6, 8), {48, 48, 2048});
  for (const Strategy& s : table.strategies) {
    stages.insert(s.pipeline_parallel);
    EXPECT_LE(s.pipeline_parallel * s.chunks, 8);
  }
  EXPECT_EQ(stages, (std::set<int>{3, 4, 8}));
}

bool refused(const StrategyTable& table, const std::string& rule) {
  return std::any_of(table.rejections.begin(), table.rejections.end(),
                     [&](const Rejection& rejection) { return rejection.rule == rule; });
}

std::set<int> chunks_of(const StrategyTable& table) {
  std::set<int> chunks;
  for (const Strategy& strategy : table.strategies) {
    chunks.insert(strategy.chunks);
  }
  return chunks;
}

TEST(Enumerate, ChunksMayBeUnevenAsStagesMay) {
  StrategyRules rules;
  rules.tensor_parallel = only(1);
  rules.pipeline_parallel = only(8);
  const workload::TransformerModel model = test::gpt(1024, 126, 16);  // 128 with its edges
  const auto table = [&] { return enumerate_strategies(rules, model, {8, 48, 2048}); };
  EXPECT_TRUE(refused(table(), "pipeline_parallel must divide the model's layers (126)"));
  rules.uneven_stages = true;
  EXPECT_EQ(chunks_of(table()), (std::set<int>{1, 2, 4, 8, 16}));
  rules.chunks = {.divisors = false, .values = {3, 17}};
  EXPECT_EQ(chunks_of(table()), (std::set<int>{3}));
  EXPECT_TRUE(refused(
      table(),
      "a chunk needs a layer, the embedding or the head: pipeline_parallel x chunks must be "
      "at most the model's layers + 2 (128)"));
  rules.uneven_stages = false;
  rules.pipeline_parallel = only(2);
  rules.chunks = only(2);
  EXPECT_TRUE(
      refused(table(),
              "pipeline_parallel x chunks must divide the model's layers, unless uneven_stages is "
              "true"));
}

TEST(Enumerate, FirstAndLastStageMayHaveLayersOfTheirOwn) {
  StrategyRules rules;
  rules.tensor_parallel = only(1);
  rules.pipeline_parallel = only(4);
  rules.first_stage_layers = {0, 14, 13};
  const workload::TransformerModel model = test::gpt(1024, 62, 16);
  const auto table = [&] { return enumerate_strategies(rules, model, {4, 48, 2048}); };
  for (const Strategy& strategy : table().strategies) {  // 62 = 14 + 3 x 16
    EXPECT_EQ(strategy.first_stage_layers, 14);
    EXPECT_EQ(strategy.last_stage_layers, 0);
  }
  EXPECT_EQ(chunks_of(table()), (std::set<int>{1, 2}));  // both 14 and 16
  EXPECT_TRUE(refused(table(), "pipeline_parallel must divide the model's layers (62)"));
  EXPECT_TRUE(refused(
      table(),
      "what first_stage_layers and last_stage_layers leave of the model's layers (62) must be "
      "some, and as many, for every other stage"));
  EXPECT_TRUE(
      refused(table(),
              "with first_stage_layers or last_stage_layers, chunks must divide the layers of "
              "every stage"));
  rules.first_stage_layers = {31};
  rules.last_stage_layers = {31};
  EXPECT_TRUE(table().strategies.empty());
  rules.pipeline_parallel = only(2);
  EXPECT_FALSE(table().strategies.empty());
  rules.pipeline_parallel = only(1);
  EXPECT_TRUE(
      refused(table(), "first_stage_layers and last_stage_layers need pipeline_parallel above 1"));
}

TEST(Enumerate, EncodersMayHaveStagesOfTheirOwn) {
  StrategyRules rules;
  rules.tensor_parallel = only(1);
  rules.pipeline_parallel = only(5);
  rules.encoder_stages = {0, 1, 5};
  rules.schedule = {Schedule::one_forward_one_backward, Schedule::dual_pipe};
  workload::TransformerModel model = test::llava_7b(1.0);
  const auto table = [&] { return enumerate_strategies(rules, model, {5, 40, 2048}); };
  EXPECT_FALSE(table().strategies.empty());
  for (const Strategy& strategy : table().strategies) {
    EXPECT_EQ(strategy.encoder_stages, 1);
    EXPECT_EQ(strategy.chunks, 1);
  }
  EXPECT_TRUE(refused(table(), "pipeline_parallel must divide the model's layers (32)"));
  EXPECT_TRUE(
      refused(table(), "encoder_stages must be below pipeline_parallel: layers need a stage, too"));
  EXPECT_TRUE(
      refused(table(), "more than one chunk needs stages that all have layers: no encoder_stages"));
  EXPECT_TRUE(refused(
      table(), "the schedule dual_pipe needs stages that all have layers: no encoder_stages"));
  rules.encoder_stages = {2};
  EXPECT_TRUE(refused(table(),
                      "pipeline_parallel less encoder_stages must divide the model's layers (32)"));
  rules.encoder_stages = {4};
  rules.first_stage_layers = {4};
  EXPECT_TRUE(refused(table(),
                      "first_stage_layers and last_stage_layers need more than one stage beside "
                      "encoder_stages"));
  model.encoder = {};
  EXPECT_TRUE(refused(table(), "encoder_stages needs a model with an encoder of images or audio"));
}

// 256 experts and 32 copies on 72 and 32 ranks: 4 and 9 each. 256 on 72 do not divide.
TEST(Enumerate, CopiesOfExpertsAndRanksThatDoNotDivideThem) {
  workload::TransformerModel model = experts_model();
  model.experts.count = 256;
  StrategyRules rules = service_rules();
  rules.tensor_parallel = rules.pipeline_parallel = rules.expert_parallel = only(1);
  const auto layouts = [&](std::int64_t ranks, std::vector<std::int64_t> copies, bool uneven) {
    rules.expert_parallel = only(ranks);
    rules.redundant_experts = std::move(copies);
    rules.uneven_experts = uneven;
    return enumerate_strategies(rules, model, {ranks, ranks, 0});
  };
  const auto copies_of = [](const StrategyTable& table) {
    std::vector<int> copies;
    for (const Strategy& strategy : table.strategies) {
      copies.push_back(strategy.redundant_experts);
    }
    return copies;
  };
  EXPECT_THAT(copies_of(layouts(72, {0, 32}, false)), testing::ElementsAre(32));
  EXPECT_THAT(copies_of(layouts(72, {0, 32}, true)), testing::ElementsAre(0, 32));
  EXPECT_THAT(copies_of(layouts(32, {0, 32}, false)), testing::ElementsAre(0, 32));
  EXPECT_THAT(copies_of(layouts(320, {0, 64}, true)), testing::ElementsAre(64));

  const auto only_rule = [](const StrategyTable& table) {
    return table.rejections.size() == 1 ? table.rejections.front().rule : "";
  };
  EXPECT_EQ(only_rule(layouts(72, {0}, false)),
            "expert_parallel must divide the model's experts (256), unless uneven_experts is true");
  EXPECT_EQ(only_rule(layouts(64, {33}, false)),
            "expert_parallel must divide the model's experts (256) and redundant_experts (33), "
            "unless uneven_experts is true");
  EXPECT_EQ(only_rule(layouts(320, {0}, true)),
            "expert_parallel must be at most the model's experts (256), so that no rank is "
            "without any");
  EXPECT_EQ(only_rule(layouts(1, {32}, false)), "redundant_experts needs expert_parallel above 1");
  EXPECT_EQ(only_rule(layouts(2, {512}, false)),
            "redundant_experts must be less than one of each expert on every rank");
}

// 61 layers in two stages.
TEST(Enumerate, StagesOfServicesNeedNotDivideTheLayers) {
  const workload::TransformerModel model = test::gpt(1024, 61, 8);
  StrategyRules rules = service_rules();
  rules.tensor_parallel = only(1);
  rules.pipeline_parallel = {.divisors = true, .at_most = 4};
  const auto stages = [&] {
    std::vector<int> found;
    for (const Strategy& strategy : enumerate_strategies(rules, model, {4, 1, 0}).strategies) {
      found.push_back(strategy.pipeline_parallel);
    }
    return found;
  };
  EXPECT_THAT(stages(), testing::ElementsAre(1));
  rules.uneven_stages = true;
  EXPECT_THAT(stages(), testing::UnorderedElementsAre(1, 2, 4));
}

TEST(Enumerate, NamesEveryRuleOfTheNewDimensions) {
  StrategyRules rules = everything();
  rules.context_parallel = {.divisors = false, .values = {1, 3, 5, 16}};
  rules.expert_parallel = {.divisors = false, .values = {1, 3, 4}};
  rules.pipeline_parallel = {.divisors = false, .values = {1, 3, 4}};
  rules.recompute_every = {.divisors = false, .values = {1, 7}};
  rules.chunks = {.divisors = false, .values = {1, 2}};
  rules.tensor_parallel = {.divisors = false, .values = {1, 4, 8}};
  rules.shard_group = {0, 5};
  workload::TransformerModel model = experts_model();
  model.experts.ffn = 516;
  std::vector<std::string> named;
  const auto note = [&](const StrategyTable& table) {
    for (const Rejection& rejection : table.rejections) {
      named.push_back(rejection.rule);
    }
  };
  note(enumerate_strategies(rules, model, {48, 48, 48}));
  note(enumerate_strategies(rules, test::gpt(1024, 6, 8), {48, 48, 48}));
  note(enumerate_strategies(rules, experts_model(), {48, 50, 36}));
  note(enumerate_strategies(everything(), experts_model(), {8, 8, 48}));
  StrategyRules uneven;
  uneven.uneven_stages = true;
  note(enumerate_strategies(uneven, model, {48, 48, 48}));
  for (const char* rule :
       {"tensor_parallel must divide the ffn of an expert (516)",
        "tensor_parallel x context_parallel must divide accelerators (48)",
        "twice context_parallel must divide sequence (48), so that causal attention is balanced",
        "tensor_parallel x context_parallel x pipeline_parallel must divide accelerators (48)",
        "(accelerators / tensor_parallel / context_parallel / pipeline_parallel) must divide",
        "a stage needs a layer, the embedding or the head: pipeline_parallel must be at most the "
        "model's layers + 2 (8)",
        "expert_parallel above 1 needs a model with experts",
        "expert_parallel must divide the model's experts (8), unless uneven_experts is true",
        "expert_parallel must divide data_parallel x context_parallel, unless "
        "experts_over_tensor is true",
        "experts_over_tensor needs tensor_parallel above 1",
        "with experts_over_tensor, expert_parallel must be a multiple of tensor_parallel and "
        "divide tensor_parallel x data_parallel x context_parallel",
        "more than one chunk needs the schedule 1f1b",
        "the schedule zero_bubble needs pipeline_parallel above 1",
        "the schedule dual_pipe needs an even pipeline_parallel",
        "the schedule dual_pipe needs an even number of micro-batches, at least twice",
        "with sequence_parallel, tensor_parallel x context_parallel must divide sequence (36)",
        "context_exchange all_to_all needs context_parallel above 1",
        "with context_exchange all_to_all, tensor_parallel x context_parallel must divide the "
        "model's heads (8)",
        "zero above 0 needs data_parallel or context_parallel above 1",
        "shard_group needs zero 3",
        "shard_group must divide data_parallel x context_parallel and be less",
        "recompute_every above 1 needs recompute full",
        "recompute_every must be at most the model's layers (6)"}) {
    EXPECT_THAT(named, testing::Contains(HasSubstr(rule)));
  }
}

// Of requests on 16 devices, with so many ranks that share a cache; those that are left, and why
// others are not.
StrategyTable sharing(const workload::TransformerModel& model, const Choices& ranks,
                      const Choices& tensor, const Choices& context = only(1)) {
  StrategyRules rules = service_rules();
  rules.tensor_parallel = tensor;
  rules.context_parallel = context;
  rules.pipeline_parallel = only(1);
  rules.decode_context_parallel = ranks;
  return enumerate_strategies(rules, model, {16, 1, 0});
}

std::vector<std::int32_t> ranks_of(const StrategyTable& table) {
  std::vector<std::int32_t> ranks;
  for (const Strategy& s : table.strategies) {
    ranks.push_back(s.decode_context_parallel);
  }
  return ranks;
}

std::string rejections_of(const StrategyTable& table) {
  std::string all;
  for (const Rejection& one : table.rejections) {
    all += one.rule + "\n";
  }
  return all;
}

TEST(Enumerate, RanksShareACacheOfWhichTheyHaveCopies) {
  using testing::ElementsAre;
  const workload::TransformerModel grouped = test::llama(4096, 32, 32, 8, 14336, 128256);
  workload::TransformerModel latent = grouped;
  latent.latent = {1536, 512, 64, 128, 128};
  EXPECT_THAT(ranks_of(sharing(latent, {}, only(8))), ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(ranks_of(sharing(grouped, {}, only(16))), ElementsAre(1, 2));
  EXPECT_THAT(ranks_of(sharing(grouped, {}, only(8))), ElementsAre(1));
  EXPECT_THAT(ranks_of(sharing(latent, only(1), only(8))), ElementsAre(1));
  for (const Strategy& s : sharing(latent, {}, only(8)).strategies) {
    EXPECT_EQ(s.devices(), 16) << "no devices more";
  }
}

TEST(Enumerate, SaysWhyRanksShareNoCache) {
  workload::TransformerModel model = test::llama(4096, 32, 32, 8, 14336, 128256);
  EXPECT_THAT(rejections_of(sharing(model, only(3), only(16))),
              HasSubstr("decode_context_parallel must divide tensor_parallel\n"));
  EXPECT_THAT(rejections_of(sharing(model, only(4), only(16))),
              HasSubstr("decode_context_parallel must divide tensor_parallel over the model's "
                        "kv_heads, so that its ranks hold copies of the same keys and values\n"));
  EXPECT_THAT(rejections_of(sharing(model, only(2), only(8), only(2))),
              HasSubstr("must divide tensor_parallel over the model's kv_heads"));
  model.latent = {1536, 512, 64, 128, 128};
  EXPECT_THAT(rejections_of(sharing(model, only(2), only(8), only(2))),
              HasSubstr("decode_context_parallel above 1 needs context_parallel 1: both cut the "
                        "cache along the sequence\n"));
  workload::TransformerModel windows = model;
  windows.local = {.window = 256, .layers = 8};
  EXPECT_THAT(rejections_of(sharing(windows, only(2), only(8))),
              HasSubstr("decode_context_parallel above 1 needs layers that see the whole context: "
                        "the model has windows\n"));
  model.sparse = {.index_heads = 64, .index_dim = 128, .top_k = 2048};
  EXPECT_THAT(rejections_of(sharing(model, only(2), only(8))),
              HasSubstr("whole context: the model chooses tokens by an indexer\n"));
}

}  // namespace
}  // namespace scalesweep::parallel
