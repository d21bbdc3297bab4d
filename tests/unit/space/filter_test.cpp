#include "space/filter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/failure.hpp"

namespace scalesweep::space {
namespace {

using parallel::Recompute;
using parallel::Strategy;
using ::testing::HasSubstr;

const std::vector<Axis>& axes() {
  static const std::vector<Axis> all = {
      {"sequence", AxisKind::integer, "1", {"2048", "4096"}, {2048.0, 4096.0}, {{}, {}}},
      {"memory", AxisKind::name, "", {"HBM3", "HBM4"}, {0.0, 1.0}, {{}, {}}},
      {"die_area", AxisKind::quantity, "m2", {"400 mm2", "826 mm2"}, {400e-6, 826e-6}, {{}, {}}},
      {"power", AxisKind::quantity, "W", {"700 W"}, {700.0}, {{}}},
      {"scale_up_domain", AxisKind::integer, "1", {"8", "72"}, {8.0, 72.0}, {{}, {}}}};
  return all;
}

Strategy strategy_with(std::int32_t tensor_parallel, Recompute recompute = Recompute::none,
                       bool sequence_parallel = false) {
  Strategy strategy;
  strategy.tensor_parallel = tensor_parallel;
  strategy.pipeline_parallel = 4;
  strategy.data_parallel = 2;
  strategy.chunks = 3;
  strategy.micro_batch = 5;
  strategy.micro_batches = 6;
  strategy.zero = 1;
  strategy.recompute = recompute;
  strategy.sequence_parallel = sequence_parallel;
  return strategy;
}

bool passes(const std::string& expression, std::vector<std::int32_t> index,
            const Strategy& strategy) {
  FilterSet filters({{expression, {}, 0}}, axes());
  return filters.passes(index, strategy);
}

// At the first value of every axis.
bool passes(const std::string& expression, const Strategy& strategy = strategy_with(8)) {
  return passes(expression, {0, 0, 0, 0, 0}, strategy);
}

TEST(Filter, knows_every_field_of_a_strategy) {
  EXPECT_TRUE(
      passes("tensor_parallel == 8 and pipeline_parallel == 4 and data_parallel == 2 and "
             "chunks == 3 and micro_batch == 5 and micro_batches == 6 and zero == 1"));
  Strategy all = strategy_with(8);
  all.context_parallel = 2;
  all.expert_parallel = 4;
  all.experts_over_tensor = true;
  all.recompute_every = 3;
  all.shard_group = 16;
  all.schedule = parallel::Schedule::dual_pipe;
  all.context_exchange = parallel::ContextExchange::all_to_all;
  all.rank_order = parallel::RankOrder::tp_pp_cp_ep_dp;
  all.offload_activations = true;
  EXPECT_TRUE(
      passes("context_parallel == 2 and expert_parallel == 4 and experts_over_tensor and "
             "recompute_every == 3 and "
             "shard_group == 16 and schedule == 'dual_pipe' and context_exchange == 'all_to_all' "
             "and rank_order == 'tp-pp-cp-ep-dp' and offload_activations and "
             "not offload_optimizer",
             all));
  EXPECT_TRUE(passes("recompute == 'full'", strategy_with(8, Recompute::full)));
  EXPECT_FALSE(passes("recompute == 'full'", strategy_with(8, Recompute::none)));
  EXPECT_TRUE(passes("sequence_parallel", strategy_with(8, Recompute::none, true)));
  EXPECT_FALSE(passes("sequence_parallel == true"));
  EXPECT_TRUE(passes("not sequence_parallel"));
  EXPECT_TRUE(passes("tp == 8 and not sp", strategy_with(8)));
  EXPECT_TRUE(passes("TP == 8 and not SP", strategy_with(8)));
}

TEST(Filter, knows_axes_of_every_kind) {
  EXPECT_TRUE(passes("sequence == 4096", {1, 0, 0, 0, 0}, strategy_with(8)));
  EXPECT_FALSE(passes("sequence == 4096"));
  EXPECT_TRUE(passes("memory == \"HBM4\"", {0, 1, 0, 0, 0}, strategy_with(8)));
  EXPECT_TRUE(passes("memory != 'HBM4'"));
  EXPECT_TRUE(passes("die_area >= '8 cm2'", {0, 0, 1, 0, 0}, strategy_with(8)));
  EXPECT_FALSE(passes("'8 cm2' <= die_area"));
  EXPECT_TRUE(passes("power == '0.7 kW' and die_area < '500 mm2'"));
}

TEST(Filter, operators_bind_as_in_writing) {
  EXPECT_TRUE(passes("true or true and false"));
  EXPECT_FALSE(passes("(true or true) and false"));
  EXPECT_TRUE(passes("not tensor_parallel == 4"));
  EXPECT_FALSE(passes("not tensor_parallel == 8 and true"));
  EXPECT_TRUE(passes("not (tensor_parallel == 4 or false)"));
  EXPECT_TRUE(passes("2 + 3 * 2 == 8"));
  EXPECT_TRUE(passes("(2 + 3) * 2 == 10"));
  EXPECT_TRUE(passes("8 - 2 - 1 == 5"));
  EXPECT_TRUE(passes("-tensor_parallel < -7"));
  EXPECT_TRUE(passes("tensor_parallel * pipeline_parallel / 4 == 8"));
  EXPECT_TRUE(passes("tensor_parallel % 3 == 2"));
  EXPECT_TRUE(passes("1e1 > 9.5 and .5 >= 0.5 and 3 != 4"));
}

TEST(Filter, may_be_written_over_several_lines) {
  EXPECT_FALSE(passes("tensor_parallel == 8\n\tand\r\nchunks == 1"));
  EXPECT_TRUE(passes("\n(tensor_parallel == 8\nand chunks == 3)\n"));
}

TEST(Filter, joins_axes_and_strategy) {
  const std::string expression = "tensor_parallel <= 8 or scale_up_domain > 8";
  EXPECT_TRUE(passes(expression, {0, 0, 0, 0, 0}, strategy_with(8)));
  EXPECT_FALSE(passes(expression, {0, 0, 0, 0, 0}, strategy_with(16)));
  EXPECT_TRUE(passes(expression, {0, 0, 0, 0, 1}, strategy_with(16)));
}

TEST(Filter, words_inside_strings_and_names_are_left_alone) {
  const std::vector<Axis> odd = {{"memory", AxisKind::name, "", {"and or not <= 8"}, {0.0}, {{}}}};
  FilterSet filters({{"memory == 'and or not <= 8'", {}, 0}}, odd);
  EXPECT_TRUE(filters.passes(std::vector<std::int32_t>{0}, Strategy{}));
}

TEST(Filter, all_must_hold) {
  FilterSet filters({{"tensor_parallel > 1", {}, 0}, {"tensor_parallel < 8", {}, 0}}, axes());
  const std::vector<std::int32_t> first = {0, 0, 0, 0, 0};
  EXPECT_FALSE(filters.passes(first, strategy_with(1)));
  EXPECT_TRUE(filters.passes(first, strategy_with(4)));
  EXPECT_FALSE(filters.passes(first, strategy_with(8)));
  EXPECT_FALSE(filters.empty());
  EXPECT_TRUE(FilterSet({}, axes()).empty());
  EXPECT_TRUE(FilterSet({}, axes()).passes(first, strategy_with(1)));
}

// Going along ids, with what was computed before, is the same as looking at each one alone.
TEST(Filter, along_runs_equals_one_by_one) {
  const std::vector<Filter> all = {{"tensor_parallel % 4 != 0 or recompute == 'full'", {}, 0},
                                   {"memory == 'HBM4' or sequence == 2048", {}, 0},
                                   {"tensor_parallel <= 8 or scale_up_domain > 8", {}, 0}};
  std::vector<std::vector<Strategy>> tables(2);
  for (std::int32_t tensor_parallel = 1; tensor_parallel <= 32; ++tensor_parallel) {
    tables[0].push_back(strategy_with(tensor_parallel));
    tables[1].push_back(strategy_with(33 - tensor_parallel, Recompute::full));
  }
  FilterSet along(all, axes());
  FilterSet single(all, axes());
  int kept = 0;
  for (std::int32_t step = 0; step < 32; ++step) {
    space::Run run;
    run.axis_index = {step % 2, step / 2 % 2, step / 4 % 2, 0, step / 8 % 2};
    run.strategies = tables[static_cast<std::size_t>(step / 16)];
    for (std::size_t s = 0; s < run.strategies.size(); ++s) {
      const bool expected = single.passes(run.axis_index, run.strategies[s]);
      ASSERT_EQ(along.passes(run, s), expected) << step << " " << s;
      kept += expected ? 1 : 0;
    }
    if (step % 5 == 0) {  // a question out of order leaves no trace
      (void)along.passes(std::vector<std::int32_t>{1, 0, 0, 0, 0}, strategy_with(32));
    }
  }
  EXPECT_GT(kept, 0);
  EXPECT_LT(kept, 32 * 32);
}

// More than is remembered: what is forgotten is computed again.
TEST(Filter, along_many_large_tables) {
  const std::vector<Strategy> table(1'000'000, strategy_with(8));
  Axis stacks{"stacks", AxisKind::integer, "1", {}, {}, {}};
  for (int i = 0; i < 40; ++i) {
    stacks.labels.push_back(std::to_string(i));
    stacks.values.push_back(i);
  }
  FilterSet filters({{"stacks % tensor_parallel == 3", {}, 0}}, {stacks});
  for (int round = 0; round < 2; ++round) {
    for (std::int32_t i = 0; i < 40; ++i) {
      space::Run run;
      run.axis_index = {i};
      run.strategies = table;
      EXPECT_EQ(filters.passes(run, 0), i % 8 == 3);
      EXPECT_EQ(filters.passes(run, table.size() - 1), i % 8 == 3);
    }
  }
}

std::string said(const std::string& expression, bool axes_complete = true) {
  Diagnostics diagnostics;
  check_filter({expression, {"a.toml", 3, 9}, 10}, axes(), axes_complete, diagnostics);
  return diagnostics.text();
}

TEST(FilterMistakes, good_filters_say_nothing) {
  EXPECT_EQ(said("tensor_parallel <= 8 and memory == 'HBM4'"), "");
}

TEST(FilterMistakes, unknown_names) {
  EXPECT_EQ(said("true and tensor_paralel <= 8"),
            "a.toml:3:19: error: filter: unknown name 'tensor_paralel'; did you mean "
            "'tensor_parallel'?\n");
  EXPECT_THAT(said("memry == 'HBM4'"), HasSubstr("did you mean 'memory'?"));
  EXPECT_THAT(said("max(3, 4) == 4"), HasSubstr("unknown name 'max'"));
}

TEST(FilterMistakes, axis_of_other_studies) {
  EXPECT_EQ(said("logic == 'N5'"), "a.toml:3:10: error: filter: this study has no axis 'logic'\n");
  EXPECT_EQ(said("logic == 'N5'", false), "");  // it may be there once its own mistake is gone
  EXPECT_THAT(said("logic == 'N5' and tensor_paralel == 1", false),
              HasSubstr("unknown name 'tensor_paralel'"));
}

TEST(FilterMistakes, syntax) {
  EXPECT_THAT(said(""), HasSubstr("the filter is empty"));
  EXPECT_THAT(said("tensor_parallel <="), HasSubstr("something is missing at the end"));
  EXPECT_THAT(said("(tensor_parallel <= 8"), HasSubstr("a closing parenthesis is missing"));
  EXPECT_THAT(said("tensor_parallel <= 8)"),
              HasSubstr("a.toml:3:30: error: filter: this parenthesis does not belong here"));
  EXPECT_THAT(said("tensor_parallel <= * 8"),
              HasSubstr("a.toml:3:29: error: filter: something is missing before this operator"));
  EXPECT_THAT(said("tensor_parallel 8"),
              HasSubstr("a.toml:3:26: error: filter: an operator is missing before this"));
  EXPECT_THAT(said("zero == 1 chunks == 1"), HasSubstr("an operator is missing before this"));
  EXPECT_THAT(said("memory == 'HBM4"), HasSubstr("this string has no closing quote"));
  EXPECT_THAT(said("memory == 'HBM4\\'"), HasSubstr("a string holds no backslash"));
  EXPECT_THAT(said("zero == 1\nchunks == 1"), HasSubstr("an operator is missing before this"));
  EXPECT_THAT(said("zero == 1 ? true : false"), HasSubstr("'?' has no meaning in a filter"));
  EXPECT_THAT(said("zero in [1, 2]"), HasSubstr("for one of several write x == 'A' or x == 'B'"));
  EXPECT_THAT(said("zero == 1.2.3"), HasSubstr("error: filter:"));
}

TEST(FilterMistakes, symbols_of_other_languages) {
  EXPECT_THAT(said("zero = 1"), HasSubstr("a.toml:3:15: error: filter: write '==' for '='"));
  EXPECT_THAT(said("zero == 1 && chunks == 1"), HasSubstr("write 'and' for '&&'"));
  EXPECT_THAT(said("zero == 1 || chunks == 1"), HasSubstr("write 'or' for '||'"));
  EXPECT_THAT(said("!sequence_parallel"), HasSubstr("write 'not' for '!'"));
  EXPECT_THAT(said("zero <> 1"), HasSubstr("write '!=' for '<>'"));
}

TEST(FilterMistakes, things_that_do_not_compare) {
  EXPECT_THAT(said("memory < 'HBM4'"), HasSubstr("names have no order"));
  EXPECT_THAT(said("1 < chunks < 4"), HasSubstr("for a range write 'a <= x and x <= b'"));
  EXPECT_THAT(said("memory == recompute or zero == sequence_parallel"),
              HasSubstr("a number does not compare with a condition"));
  EXPECT_THAT(said("chunks and zero == 1"),
              HasSubstr("'and' joins conditions, and one side is a number"));
  EXPECT_THAT(said("not memory"), HasSubstr("'not' takes a condition, not a name"));
  EXPECT_THAT(said("memory + 1 == 2"), HasSubstr("computing takes numbers, not a name"));
  EXPECT_THAT(said("(-memory) == 2"), HasSubstr("'-' takes a number, not a name"));
  // Also behind a side that decides already.
  EXPECT_THAT(said("true or chunks and true"), HasSubstr("joins conditions"));
}

TEST(FilterMistakes, no_condition) {
  EXPECT_THAT(said("tensor_parallel"),
              HasSubstr("a filter is a condition, for example tensor_parallel <= 8"));
  EXPECT_THAT(said("'HBM4'"), HasSubstr("a filter is a condition"));
}

TEST(FilterMistakes, quantities) {
  EXPECT_EQ(said("die_area > 800"),
            "a.toml:3:21: error: filter: a bare number, but die_area is a quantity; write for "
            "example '400 mm2'\n");
  EXPECT_THAT(said("die_area > '800 W'"), HasSubstr("'W' is a unit of a power, but an area is "
                                                    "expected here"));
  EXPECT_THAT(said("die_area > 800mm2"),
              HasSubstr("'800mm2' is no number; a quantity is a string"));
  EXPECT_THAT(said("power > '700 w'"), HasSubstr("did you mean 'W'?"));
}

TEST(FilterMistakes, numbers_and_names_mixed_up) {
  EXPECT_THAT(said("sequence == '2048'"),
              HasSubstr("sequence is a number; write it without quotes"));
  EXPECT_THAT(said("memory == 3"), HasSubstr("memory is a name; write it in quotes, for example "
                                             "'HBM3'"));
  EXPECT_THAT(said("recompute == 1"), HasSubstr("recompute is a name"));
  EXPECT_THAT(said("sequence_parallel == 'true'"), HasSubstr("is true or false, without quotes"));
}

TEST(FilterMistakes, names_that_never_occur) {
  EXPECT_THAT(said("recompute == 'fll'"),
              HasSubstr("error: filter: recompute is never 'fll'; did you mean 'full'?"));
  // May be meant: the list of the axis changes more often than the filter.
  EXPECT_THAT(said("memory == 'HBM2'"),
              HasSubstr("a.toml:3:20: warning: filter: memory is never 'HBM2' in this study"));
}

TEST(FilterMistakes, in_strings_written_over_lines_have_the_place_of_the_string) {
  Diagnostics diagnostics;
  check_filter({"true and\nchunk == 1", {"a.toml", 3, 9}, 0}, axes(), true, diagnostics);
  EXPECT_THAT(diagnostics.text(), HasSubstr("a.toml:3:9: error: filter: unknown name 'chunk'"));
}

TEST(FilterMistakes, unchecked_filter_is_refused) {
  EXPECT_THROW(FilterSet({{"tensor_paralel == 1", {}, 0}}, axes()), Failure);
}

}  // namespace
}  // namespace scalesweep::space
