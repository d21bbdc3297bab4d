#include "space/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "space/model_shape.hpp"
#include "space/read/spec.hpp"
#include "support/specs.hpp"

namespace scalesweep::space {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::catalogued_spec;
using tests::derived_spec;
using tests::with;

// T. Brown et al., Language Models are Few-Shot Learners, arXiv:2005.14165, table 2.1.
workload::TransformerModel gpt3_175b() {
  workload::TransformerModel model;
  model.name = "gpt3-175b";
  model.hidden = 12288;
  model.layers = 96;
  model.heads = 96;
  model.kv_heads = 96;
  model.head_dim = 128;
  model.ffn = 4 * 12288;
  model.vocab = 51200;
  return model;
}

workload::TransformerModel shape(const std::string& name) {
  workload::TransformerModel model = gpt3_175b();
  if (name == "small") {
    model.layers = 12;
    model.heads = model.kv_heads = 12;
    model.hidden = 768;
    model.ffn = 3072;
  }
  return model;
}

std::optional<Space> build(const std::string& text, Diagnostics& diagnostics) {
  const auto spec = read_spec("a.toml", text, diagnostics);
  return spec ? Space::build(*spec, shape, diagnostics) : std::nullopt;
}

Space good(const std::string& text) {
  Diagnostics diagnostics;
  auto space = build(text, diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  return space.value();
}

std::string refused(const std::string& text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(build(text, diagnostics).has_value());
  EXPECT_TRUE(diagnostics.has_errors());
  return diagnostics.text();
}

TEST(Space, counts_the_strategies_of_a_known_job) {
  // GPT-3 175B on 1,024 devices, batch 1536, tensor parallel 1 to 32: counted by hand as the sum
  // over pipeline and data parallel sizes that divide 96 and 1536, times the divisors left.
  const Space space = good(std::string(derived_spec));
  const space::Run run = space.run_at(0);
  EXPECT_EQ(space.size(), 16 * static_cast<std::int64_t>(run.strategies.size()));
  EXPECT_EQ(run.strategies.size(), 12960u);
}

TEST(Space, catalogued_devices_are_an_axis) {
  const Space space = good(std::string(catalogued_spec));
  const space::Run run = space.run_at(space.size() - 1);
  const std::size_t device = find_axis(space.axes(), "device").value();
  EXPECT_EQ(run.axis_index[device], 1);
  EXPECT_EQ(run.ids.last, space.size());
}

TEST(Space, strategy_varies_fastest_and_the_last_axis_next) {
  const Space space = good(with(derived_spec, "accelerators = 1024",
                                "accelerators = 1024\ntopology = ['fat-tree', 'torus']"));
  const space::Run first = space.run_at(0);
  const space::Run second = space.run_at(first.ids.last);
  EXPECT_EQ(first.ids.first, 0);
  EXPECT_EQ(first.first_strategy, 0);
  EXPECT_EQ(first.ids.size(), static_cast<std::int64_t>(first.strategies.size()));
  EXPECT_EQ(first.axis_index.back() + 1, second.axis_index.back());
  EXPECT_TRUE(
      std::equal(first.axis_index.begin(), first.axis_index.end() - 1, second.axis_index.begin()));
}

TEST(Space, combinations_of_the_job_with_equal_rules_share_one_table) {
  const Space space =
      good(with(catalogued_spec, "model = \"gpt3-175b\"", "model = [\"gpt3-175b\", \"twin\"]"));
  EXPECT_EQ(space.run_at(0).strategies.data(), space.run_at(space.size() - 1).strategies.data());
}

TEST(Space, sequences_that_the_same_sizes_divide_share_one_table) {
  const Space space = good(with(catalogued_spec, "sequence = 2048", "sequence = [2048, 4096, 5]"));
  const space::Run first = space.run_at(0);
  const space::Run second = space.run_at(first.ids.size() * 2);
  const space::Run odd = space.run_at(first.ids.size() * 4);
  EXPECT_EQ(second.axis_index[1], 1);
  EXPECT_EQ(second.strategies.data(), first.strategies.data());
  EXPECT_EQ(odd.axis_index[1], 2);
  EXPECT_LT(odd.strategies.size(), first.strategies.size());  // sequence_parallel needs a divisor
}

TEST(Space, reasons_name_the_sequence_at_hand) {
  const std::string said = refused(with(catalogued_spec, "sequence = 2048", "sequence = [5, 7]") +
                                   "[strategy]\nsequence_parallel = true\ntensor_parallel = 2\n");
  EXPECT_THAT(said, HasSubstr("tensor_parallel must divide sequence (5)"));
  EXPECT_THAT(said, HasSubstr("tensor_parallel must divide sequence (7)"));
}

TEST(Space, tables_differ_where_the_rules_say_so) {
  const Space space =
      good(with(with(catalogued_spec, "accelerators = 64", "accelerators = [8, 64]"),
                "model = \"gpt3-175b\"", "model = [\"gpt3-175b\", \"small\"]"));
  std::vector<std::size_t> sizes;
  for (PointId id = 0; id < space.size(); id = space.run_at(id).ids.last) {
    sizes.push_back(space.run_at(id).strategies.size());
  }
  ASSERT_EQ(sizes.size(), 8u);  // 2 models x 2 sizes x 2 devices
  EXPECT_EQ(sizes[0], sizes[1]);
  EXPECT_NE(sizes[0], sizes[2]);
  EXPECT_NE(sizes[2], sizes[6]);
}

TEST(Space, id_of_a_strategy_that_is_not_valid_is_nothing) {
  const Space space = good(std::string(catalogued_spec));
  const space::Run run = space.run_at(0);
  parallel::Strategy strategy = run.strategies[5];
  EXPECT_EQ(space.id_of(run.axis_index, strategy), 5);
  strategy.tensor_parallel = 7;
  EXPECT_EQ(space.id_of(run.axis_index, strategy), std::nullopt);
}

TEST(Space, without_any_strategy_the_rules_that_removed_them_are_named) {
  const std::string said =
      refused(std::string(catalogued_spec) + "[strategy]\ntensor_parallel = 7\n");
  EXPECT_THAT(said, HasSubstr("a.toml:11:1: error: no strategy is valid for model gpt3-175b, "
                              "sequence 2048, global_batch 64, accelerators 64; the rules:"));
  EXPECT_THAT(said,
              HasSubstr("\n  tensor_parallel must divide accelerators (64) removed 1 candidate\n"));
}

TEST(Space, without_a_strategy_table_the_place_is_the_file) {
  // A prime number of devices, larger than the batch, the layers and the heads.
  const std::string said =
      refused(with(with(catalogued_spec, "accelerators = 64", "accelerators = 10007"),
                   "global_batch = 64", "global_batch = 1"));
  EXPECT_THAT(said, HasSubstr("a.toml: error: no strategy is valid for"));
  EXPECT_THAT(said, HasSubstr("must divide"));
}

TEST(Space, combinations_without_a_strategy_are_warned_about_and_left_out) {
  Diagnostics diagnostics;
  const auto space =
      build(with(catalogued_spec, "accelerators = 64", "accelerators = [10007, 64]"), diagnostics);
  ASSERT_TRUE(space);
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_THAT(diagnostics.text(), HasSubstr("warning: no strategy is valid for model gpt3-175b, "
                                            "sequence 2048, global_batch 64, accelerators 10007"));
  const space::Run run = space->run_at(0);
  EXPECT_EQ(run.axis_index[3], 1);
  std::vector<std::int32_t> index = run.axis_index;
  index[3] = 0;
  EXPECT_EQ(space->id_of(index, run.strategies[0]), std::nullopt);
  EXPECT_EQ(space->id_of(run.axis_index, run.strategies[0]), 0);
}

TEST(Space, many_combinations_without_a_strategy_are_summed_up) {
  Diagnostics diagnostics;
  const auto space =
      build(with(catalogued_spec, "accelerators = 64",
                 "accelerators = [64, 10007, 10009, 10037, 10039, 10061, 10067, 10069]"),
            diagnostics);
  ASSERT_TRUE(space);
  EXPECT_EQ(diagnostics.all().size(), 6u);
  EXPECT_THAT(diagnostics.text(), HasSubstr("no strategy is valid for 2 more combinations"));
}

std::string numbers(int first, int count) {
  std::string list = "[";
  for (int i = 0; i < count; ++i) {
    list += std::to_string(first + i) + ", ";
  }
  return list + "]";
}

TEST(Space, more_points_than_there_are_ids) {
  std::string text = with(derived_spec, "die_area = \"826 mm2\", power = \"700 W\", stacks = 6",
                          "die_area = \"826 mm2\", dies = " + numbers(1, 9000) +
                              ", power = " + "\"700 W\", stacks = " + numbers(1, 9000));
  text = with(text, "domain = [8, 16]", "domain = " + numbers(2, 9000));
  text = with(text, "logic = [\"N7\", \"N5\"]", "logic = [\"a\", \"b\", \"c\", \"d\", \"e\"]");
  // 5 x 9000^3 x 2 x 2 x 12960 = 1.9e17: still an id. A thousand powers more: none.
  EXPECT_GT(good(text).size(), 180'000'000'000'000'000);
  std::string powers = "[";
  for (int i = 1; i <= 1000; ++i) {
    powers += "\"" + std::to_string(i) + " W\", ";
  }
  EXPECT_THAT(refused(with(text, "\"700 W\"", powers + "]")),
              HasSubstr("more than 9.2e18 points; take values out of some lists"));
}

TEST(Space, more_jobs_than_can_be_enumerated) {
  std::string text = with(catalogued_spec, "sequence = 2048", "sequence = " + numbers(1, 1001));
  text = with(text, "global_batch = 64", "global_batch = " + numbers(1, 1001));
  EXPECT_THAT(refused(text), HasSubstr("more than 100,000 combinations of model, sequence, "
                                       "global_batch and accelerators; split the study"));
}

TEST(Space, huge_studies_are_as_quick_to_look_into) {
  std::string text = with(derived_spec, "die_area = \"826 mm2\", power = \"700 W\", stacks = 6",
                          "die_area = \"826 mm2\", dies = " + numbers(1, 1000) +
                              ", power = \"700 W\", stacks = " + numbers(1, 1000));
  const Space space = good(text);
  EXPECT_GT(space.size(), 100'000'000'000);
  for (const PointId id : {PointId{0}, PointId{123'456'789'012}, space.size() - 1}) {
    const space::Run run = space.run_at(id);
    EXPECT_LE(run.ids.first, id);
    EXPECT_GT(run.ids.last, id);
    const auto place = static_cast<std::size_t>(id - run.ids.first);
    EXPECT_EQ(space.id_of(run.axis_index, run.strategies[place]), id);
  }
}

TEST(SpaceFilters, reject_points_and_change_no_id) {
  const std::string plain(catalogued_spec);
  const std::string filtered = plain + "[[filter]]\nwhere = 'tensor_parallel <= 2'\n";
  const Space without = good(plain);
  const Space space = good(filtered);
  EXPECT_EQ(space.size(), without.size());
  FilterSet filters = space.make_filters();
  const space::Run run = space.run_at(0);
  for (std::size_t i = 0; i < run.strategies.size(); ++i) {
    const bool expected = run.strategies[i].tensor_parallel <= 2;
    EXPECT_EQ(filters.passes(run, i), expected);
    EXPECT_EQ(space.accepts(run.axis_index, run.strategies[i]), expected);
    EXPECT_TRUE(without.accepts(run.axis_index, run.strategies[i]));
  }
  EXPECT_TRUE(without.make_filters().empty());
}

TEST(SpaceFilters, that_leave_nothing_are_an_error) {
  const std::string plain(catalogued_spec);
  EXPECT_EQ(refused(plain + "[[filter]]\nwhere = 'tensor_parallel > 64'\n"),
            "a.toml:12:9: error: the filters reject every point of this study\n");
  EXPECT_THAT(refused(plain + "[[filter]]\nwhere = 'accelerators > 64'\n"),
              HasSubstr("the filters reject every point"));
  // Each leaves something, but not the same.
  EXPECT_THAT(refused(plain + "[[filter]]\nwhere = 'zero == 1'\n[[filter]]\nwhere = 'zero == 0'\n"),
              HasSubstr("the filters reject every point"));
  good(plain + "[[filter]]\nwhere = \"device == 'h100-sxm' and tensor_parallel == 32\"\n");
}

// Far more points than anybody looks at.
TEST(SpaceFilters, of_axes_that_leave_nothing_are_found_in_studies_of_any_size) {
  const std::string wide = R"(schema = 1
title = "Wide"
[workload]
kind = "training"
model = "llama-2-7b"
sequence = 2048
global_batch = 32
[system]
accelerators = 16
logic = ["N7", "N5"]
memory = "HBM3"
scale_up = { link = "NVLink4", domain = 8 }
scale_out = "NDRx8"
[system.device]
template = "tensor-core-gpu"
die_area = { from = "400 mm2", to = "800 mm2", values = 500 }
power = { from = "300 W", to = "900 W", values = 500 }
core_area_share = { from = 0.4, to = 0.9, values = 500 }
memory_edge_share = 0.5
[strategy]
tensor_parallel = [1, 2, 4, 8]
)";
  const auto filters = [](const std::string& a, const std::string& b) {
    return "[[filter]]\nwhere = \"" + a + "\"\n[[filter]]\nwhere = \"" + b + "\"\n";
  };
  EXPECT_THAT(refused(wide + filters("power > '1 kW'", "tensor_parallel <= 4")),
              HasSubstr("the filters reject every point"));
  EXPECT_THAT(refused(wide + filters("power > '700 W'", "power < '600 W' or logic == 'N3'")),
              HasSubstr("the filters reject every point"));
  good(wide + filters("power > '700 W'", "die_area < '500 mm2' and logic == 'N5'"));
}

TEST(SpaceFilters, outlive_the_space_they_come_from) {
  FilterSet filters({}, {});
  {
    const Space space =
        good(std::string(catalogued_spec) + "[[filter]]\nwhere = \"device == 'h100-sxm'\"\n");
    filters = space.make_filters();
  }
  const parallel::Strategy strategy;
  EXPECT_FALSE(filters.passes(std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 0, 0}, strategy));
  EXPECT_TRUE(filters.passes(std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 0, 1}, strategy));
}

}  // namespace
}  // namespace scalesweep::space
