#include "space/read/spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "spec_reading.hpp"

namespace scalesweep::space {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using tests::catalogued_spec;
using tests::derived_spec;
using tests::with;

TEST(Spec, derived_devices_have_these_axes_in_this_order) {
  EXPECT_THAT(names_of(good(std::string(derived_spec))),
              ElementsAre("model", "sequence", "global_batch", "accelerators", "precision",
                          "attention", "framework", "template", "logic", "scaling", "memory",
                          "die_area", "dies", "power", "stacks", "package", "scale_up",
                          "scale_up_domain", "scale_out", "topology"));
}

TEST(Spec, catalogued_devices_bring_what_is_not_said) {
  EXPECT_THAT(names_of(good(std::string(catalogued_spec))),
              ElementsAre("model", "sequence", "global_batch", "accelerators", "precision",
                          "attention", "framework", "device", "topology"));
  const Spec spec = good(with(catalogued_spec, "accelerators = 64\n",
                              "accelerators = 64\nscale_up = { link = 'NVLink5', domain = 72 }\n"
                              "scale_out = 'NDRx8'\n"));
  EXPECT_THAT(axis_of(spec, "scale_up").labels, ElementsAre("NVLink5"));
  EXPECT_THAT(axis_of(spec, "scale_up_domain").values, ElementsAre(72.0));
  EXPECT_THAT(axis_of(spec, "scale_out").labels, ElementsAre("NDRx8"));
}

TEST(Spec, axes_carry_labels_values_units_and_places) {
  const Spec spec = good(std::string(derived_spec));
  const Axis& logic = axis_of(spec, "logic");
  EXPECT_EQ(logic.kind, AxisKind::name);
  EXPECT_THAT(logic.labels, ElementsAre("N7", "N5"));
  EXPECT_THAT(logic.values, ElementsAre(0.0, 1.0));
  ASSERT_EQ(logic.positions.size(), 2u);
  EXPECT_EQ(logic.positions[1].line, 10);
  EXPECT_EQ(logic.positions[1].column, 16);

  const Axis& area = axis_of(spec, "die_area");
  EXPECT_EQ(area.kind, AxisKind::quantity);
  EXPECT_EQ(area.units, "m2");
  EXPECT_THAT(area.labels, ElementsAre("826 mm2"));
  EXPECT_DOUBLE_EQ(area.values[0], 826e-6);

  const Axis& domain = axis_of(spec, "scale_up_domain");
  EXPECT_EQ(domain.kind, AxisKind::integer);
  EXPECT_THAT(domain.labels, ElementsAre("8", "16"));
  EXPECT_THAT(domain.values, ElementsAre(8.0, 16.0));
}

TEST(Spec, what_is_left_out_has_a_default) {
  const Spec spec = good(std::string(derived_spec));
  EXPECT_THAT(axis_of(spec, "precision").labels, ElementsAre("bf16"));
  EXPECT_THAT(axis_of(spec, "attention").labels, ElementsAre("flash"));
  EXPECT_THAT(axis_of(spec, "scaling").labels, ElementsAre("foundry"));
  EXPECT_THAT(axis_of(spec, "dies").labels, ElementsAre("1"));
  EXPECT_THAT(axis_of(spec, "package").labels, ElementsAre("interposer"));
  EXPECT_THAT(axis_of(spec, "topology").labels, ElementsAre("fat-tree"));
  EXPECT_FALSE(spec.extrapolate);
  EXPECT_FALSE(spec.allocation);
  EXPECT_EQ(spec.keep.policy, KeepPolicy::all);
  EXPECT_TRUE(spec.objectives.empty());
  EXPECT_TRUE(spec.filters.empty());
}

TEST(Spec, scale_up_may_be_a_plain_link) {
  const Spec spec = good(
      with(derived_spec, "{ link = \"NVLink4\", domain = [8, 16] }", "[\"NVLink4\", \"NVLink5\"]"));
  EXPECT_THAT(axis_of(spec, "scale_up").labels, ElementsAre("NVLink4", "NVLink5"));
  EXPECT_THAT(axis_of(spec, "scale_up_domain").labels, ElementsAre("8"));
}

TEST(Spec, every_key_of_a_derived_device_may_be_an_axis) {
  const Spec spec = good(with(derived_spec, "die_area = \"826 mm2\", power = \"700 W\", stacks = 6",
                              "die_area = [\"4 cm2\", \"826 mm2\"], dies = [1, 2], power = "
                              "[\"0.7 kW\", \"1 kW\"], stacks = [4, 6, 8]"));
  EXPECT_THAT(axis_of(spec, "die_area").labels, ElementsAre("400 mm2", "826 mm2"));
  EXPECT_THAT(axis_of(spec, "dies").values, ElementsAre(1.0, 2.0));
  EXPECT_THAT(axis_of(spec, "power").labels, ElementsAre("700 W", "1 kW"));
  EXPECT_THAT(axis_of(spec, "stacks").size(), 3u);
}

TEST(Spec, keeps_text_file_and_title) {
  const Spec spec = good(std::string(derived_spec));
  EXPECT_EQ(spec.text, derived_spec);
  EXPECT_EQ(spec.file, "a.toml");
  EXPECT_EQ(spec.title, "a study");
  EXPECT_EQ(spec.strategy_position.line, 15);
}

TEST(SpecMistakes, all_of_them_in_one_pass) {
  std::string text = with(derived_spec, "title = \"a study\"", "titel = \"a study\"");
  text = with(text, "\"826 mm2\"", "826");
  text = with(text, "[\"N7\", \"N5\"]", "[]");
  text = with(text, "{ powers_of_two_to = 32 }", "0");
  text += "[[filter]]\nwhere = \"tensor_paralel <= 8\"\n[keep]\npolicy = \"feasable\"\n";
  Diagnostics diagnostics;
  EXPECT_FALSE(read_spec("a.toml", text, diagnostics));
  EXPECT_EQ(diagnostics.error_count(), 7) << diagnostics.text();
}

TEST(SpecKeep, policies) {
  const auto policy_of = [](const std::string& keep) {
    return good(std::string(derived_spec) + "[keep]\n" + keep).keep;
  };
  EXPECT_EQ(policy_of("policy = 'all'").policy, KeepPolicy::all);
  EXPECT_EQ(policy_of("policy = 'feasible'").policy, KeepPolicy::feasible);
  EXPECT_EQ(policy_of("policy = 'frontier'").policy, KeepPolicy::frontier);
  EXPECT_EQ(policy_of("policy = 'best'").best_count, 1);
  for (const char* text : {"policy = 'best'\nk = 5\nper = ['logic', 'memory']",
                           "policy = { best = { k = 5, per = ['logic', 'memory'] } }",
                           "best = { k = 5, per = ['logic', 'memory'] }"}) {
    const Keep keep = policy_of(text);
    EXPECT_EQ(keep.policy, KeepPolicy::best);
    EXPECT_EQ(keep.best_count, 5);
    EXPECT_THAT(keep.per, ElementsAre("logic", "memory"));
  }
}

TEST(SpecKeep, counts) {
  const auto counts_of = [](const std::string& keep) {
    return good(std::string(derived_spec) + "[keep]\n" + keep).keep.counts;
  };
  EXPECT_EQ(counts_of("policy = 'best'"), Counts::exact);
  EXPECT_EQ(counts_of("policy = 'best'\ncounts = 'exact'"), Counts::exact);
  EXPECT_EQ(counts_of("policy = 'all'\ncounts = 'exact'"), Counts::exact);
  EXPECT_EQ(counts_of("policy = 'best'\ncounts = 'bounded'"), Counts::bounded);
  EXPECT_EQ(counts_of("best = { k = 2 }\ncounts = 'bounded'"), Counts::bounded);
  EXPECT_EQ(counts_of("policy = 'frontier'\ncounts = 'bounded'"), Counts::bounded);
}

TEST(SpecKeep, groups_are_those_that_analysis_has_unless_they_are_given) {
  const auto groups_of = [](const std::string& sequence, const std::string& keep) {
    return good(with(derived_spec, "sequence = 2048", "sequence = " + sequence) + "[keep]\n" + keep)
        .keep.per;
  };
  for (const std::string policy : {"policy = 'frontier'\n", "policy = 'best'\n"}) {
    EXPECT_THAT(groups_of("2048", policy), IsEmpty());
    EXPECT_THAT(groups_of("[2048, 4096]", policy), ElementsAre("sequence"));
    EXPECT_THAT(groups_of("[2048, 4096]", policy + "per = []"), IsEmpty());
    EXPECT_THAT(groups_of("[2048, 4096]", policy + "per = ['logic', 'sequence']"),
                ElementsAre("logic", "sequence"));
  }
  EXPECT_THAT(groups_of("[2048, 4096]", "best = { k = 5 }"), ElementsAre("sequence"));
}

TEST(SpecKeep, groups_that_let_what_is_asked_compete_are_warned_of) {
  Diagnostics diagnostics;
  const auto text_with = [](const std::string& per) {
    return with(derived_spec, "sequence = 2048", "sequence = [2048, 4096]") +
           "[keep]\npolicy = 'best'\nper = " + per + "\n";
  };
  for (const char* deliberate : {"[]", "['logic', 'sequence']"}) {
    ASSERT_TRUE(read_spec("a.toml", text_with(deliberate), diagnostics)) << diagnostics.text();
    EXPECT_EQ(diagnostics.text(), "") << deliberate;
  }
  const auto spec = read_spec("a.toml", text_with("['logic']"), diagnostics);
  ASSERT_TRUE(spec) << diagnostics.text();
  EXPECT_THAT(spec->keep.per, ElementsAre("logic"));
  EXPECT_EQ(diagnostics.text(),
            "a.toml:19:7: warning: per leaves out sequence, of which there are several: they "
            "compete, and what loses is not in the file; name them in per, or leave per out\n");
}

TEST(SpecObjectives, are_read_with_their_places) {
  const Spec spec =
      good(std::string(derived_spec) + "[objectives]\nminimize = ['step_time', 'accelerators']\n");
  EXPECT_THAT(spec.objectives, ElementsAre(Objective{"step_time"}, Objective{"accelerators"}));
  ASSERT_EQ(spec.objective_positions.size(), 2u);
  EXPECT_EQ(spec.objective_positions[1].line, 18);
  EXPECT_EQ(spec.objective_positions[1].column, 26);
}

TEST(SpecObjectives, those_to_maximize_come_after_those_to_minimize) {
  const Spec spec = good(std::string(derived_spec) +
                         "[objectives]\nmaximize = 'model_flop_utilization'\n"
                         "minimize = ['step_time', 'accelerators']\n");
  EXPECT_THAT(spec.objectives,
              ElementsAre(Objective{"step_time"}, Objective{"accelerators"},
                          Objective{"model_flop_utilization", Direction::maximize}));
  EXPECT_EQ(spec.objective_positions[2].line, 18);
}

TEST(SpecFilters, are_read_with_their_places) {
  const Spec spec = good(std::string(derived_spec) +
                         "[[filter]]\nwhere = \"tensor_parallel <= 8\"\n"
                         "[[filter]]\nwhere = \"memory == 'HBM4'\"\n");
  ASSERT_EQ(spec.filters.size(), 2u);
  EXPECT_EQ(spec.filters[1].expression, "memory == 'HBM4'");
  EXPECT_EQ(spec.filters[1].position.line, 20);
  EXPECT_EQ(spec.filters[1].first_column, 10);
}

TEST(SpecCheck, sees_the_axes_even_if_other_parts_are_wrong) {
  Diagnostics diagnostics;
  std::vector<std::string> seen;
  SpecCheck check;
  check.spec = [&](const Spec& partial) {
    for (const Axis& axis : partial.axes) {
      seen.push_back(axis.name);
    }
    diagnostics.error(partial.axes[0].positions[0], "no such model");
  };
  const auto spec =
      read_spec("a.toml", with(derived_spec, "{ powers_of_two_to = 32 }", "0"), diagnostics, check);
  EXPECT_FALSE(spec);
  EXPECT_THAT(seen, Not(IsEmpty()));
  EXPECT_EQ(diagnostics.error_count(), 2);
}

TEST(SpecCheck, puts_names_in_place_before_filters_are_read) {
  Diagnostics diagnostics;
  SpecCheck check;
  check.names = [](std::vector<Axis>& axes) {
    Axis& logic = axes[*find_axis(axes, "logic")];
    logic.written = logic.labels;
    logic.labels = {"seven", "five"};
  };
  const auto spec = read_spec(
      "a.toml",
      std::string(derived_spec) + "[[filter]]\nwhere = \"logic == 'seven' or logic == 'N7'\"\n",
      diagnostics, check);
  EXPECT_EQ(diagnostics.text(), "");
  ASSERT_TRUE(spec);
  EXPECT_EQ(axis_of(*spec, "logic").labels.front(), "seven");
}

}  // namespace
}  // namespace scalesweep::space
