#include "space/spec/spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "spec_reading.hpp"

namespace scalesweep::space {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
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

TEST(SpecMistakes, no_toml) {
  EXPECT_THAT(refused("schema = = 1\n"), HasSubstr("a.toml:1:"));
}

TEST(SpecMistakes, empty_file_names_all_that_is_missing) {
  const std::string text = refused("");
  EXPECT_THAT(text, HasSubstr("missing key 'schema' at the top level; write schema = 1"));
  EXPECT_THAT(text, HasSubstr("missing key 'title' at the top level"));
  EXPECT_THAT(text, HasSubstr("missing table [workload]"));
  EXPECT_THAT(text, HasSubstr("missing table [system]"));
}

TEST(SpecMistakes, another_schema_is_the_only_message) {
  EXPECT_EQ(refused(with(with(derived_spec, "schema = 1", "schema = 2"), "logic", "logik")),
            "a.toml:1:10: error: schema 2 is not known to this version, which reads schema 1\n");
}

TEST(SpecMistakes, schema_of_the_wrong_kind) {
  EXPECT_THAT(refused(with(derived_spec, "schema = 1", "schema = \"1\"")),
              HasSubstr("a.toml:1:10: error: 'schema' must be an integer, not a string"));
}

TEST(SpecMistakes, unknown_kind_of_workload) {
  EXPECT_THAT(refused(with(derived_spec, "\"training\"", "\"trainig\"")),
              HasSubstr("a.toml:4:8: error: unknown kind of workload 'trainig'; did you mean "
                        "'training'?"));
}

TEST(SpecMistakes, unknown_keys_everywhere) {
  std::string text = with(derived_spec, "sequence = 2048", "sequence = 2048\nglobal_bach = 3");
  text = with(text, "logic =", "logics =");
  text = with(text, "domain =", "domian =");
  text = with(text, "stacks =", "stack =");
  text = with(text, "tensor_parallel", "tensor_paralel");
  text += "[keep]\npolicy = \"all\"\npolcy = 1\n[objectives]\nminimise = [\"step_time\"]\n";
  const std::string said = refused(text);
  EXPECT_THAT(said, HasSubstr("unknown key 'global_bach' in [workload]"));
  EXPECT_THAT(said, HasSubstr("unknown key 'logics' in [system]; did you mean 'logic'?"));
  EXPECT_THAT(said, HasSubstr("unknown key 'domian' in [system.scale_up]; did you mean 'domain'?"));
  EXPECT_THAT(said, HasSubstr("unknown key 'stack' in [system.device]; did you mean 'stacks'?"));
  EXPECT_THAT(said, HasSubstr("unknown key 'tensor_paralel' in [strategy]; did you mean "
                              "'tensor_parallel'?"));
  EXPECT_THAT(said, HasSubstr("unknown key 'polcy' in [keep]"));
  EXPECT_THAT(said, HasSubstr("unknown key 'minimise' in [objectives]; did you mean 'minimize'?"));
}

TEST(SpecMistakes, bare_numbers_and_wrong_units) {
  std::string text = with(derived_spec, "\"826 mm2\"", "826");
  text = with(text, "\"700 W\"", "\"700 GB\"");
  const std::string said = refused(text);
  EXPECT_THAT(said, HasSubstr("a.toml:14:53: error: 'system.device.die_area': a bare number, but "
                              "an area is expected; write its unit, for example \"826 mm2\""));
  EXPECT_THAT(said, HasSubstr("'system.device.power': 'GB' is a unit of a data size, but a power "
                              "is expected here"));
}

TEST(SpecMistakes, zero_and_negative_quantities) {
  EXPECT_THAT(refused(with(derived_spec, "\"700 W\"", "\"0 W\"")),
              HasSubstr("power must be above zero"));
  EXPECT_THAT(refused(with(derived_spec, "\"700 W\"", "\"-1 W\"")),
              HasSubstr("'system.device.power' must not be negative"));
}

TEST(SpecMistakes, integers_that_are_none_or_out_of_range) {
  std::string text = with(derived_spec, "accelerators = 1024", "accelerators = -1024");
  text = with(text, "sequence = 2048", "sequence = [2048, 0]");
  text = with(text, "global_batch = 1536", "global_batch = 1536.0");
  const std::string said = refused(text);
  EXPECT_THAT(said, HasSubstr("a.toml:9:16: error: accelerators must be between 1 and "
                              "1,000,000,000, not -1024"));
  EXPECT_THAT(said, HasSubstr("a.toml:6:19: error: sequence must be between 1 and 1,000,000,000, "
                              "not 0"));
  EXPECT_THAT(said, HasSubstr("a.toml:7:16: error: 'workload.global_batch' must be an integer"));
}

TEST(SpecMistakes, empty_axis) {
  EXPECT_THAT(refused(with(derived_spec, "[\"N7\", \"N5\"]", "[]")),
              HasSubstr("a.toml:10:9: error: 'logic' is an empty axis; give at least one value"));
}

TEST(SpecMistakes, value_that_stands_twice) {
  EXPECT_THAT(refused(with(derived_spec, "\"N7\", \"N5\"", "\"N7\", \"N5\", \"N7\"")),
              HasSubstr("a.toml:10:22: error: 'N7' stands twice on the axis logic"));
  EXPECT_THAT(refused(with(derived_spec, "\"700 W\"", "[\"700 W\", \"0.7 kW\"]")),
              HasSubstr("'700 W' stands twice on the axis power"));
  EXPECT_THAT(refused(with(derived_spec, "[8, 16]", "[8, 8]")),
              HasSubstr("'8' stands twice on the axis scale_up_domain"));
}

TEST(SpecMistakes, name_that_is_none) {
  EXPECT_THAT(refused(with(derived_spec, "\"N7\", \"N5\"", "7, \"N5\"")),
              HasSubstr("a.toml:10:10: error: 'system.logic' must be a string, not an integer"));
}

TEST(SpecMistakes, unknown_word) {
  EXPECT_THAT(refused(with(derived_spec, "kind = \"training\"",
                           "kind = \"training\"\nattention = \"flsh\"")),
              HasSubstr("unknown attention 'flsh'; did you mean 'flash'?"));
}

TEST(SpecMistakes, no_device) {
  const std::string said = refused(with(catalogued_spec,
                                        "device = [\"a100-sxm-80gb\", "
                                        "\"h100-sxm\"]\n",
                                        "logic = [\"N5\"]\n"));
  EXPECT_THAT(said, HasSubstr("missing key 'device'; name catalogued ones, device = "
                              "[\"h100-sxm\"], or derive them, device = { template = "));
  EXPECT_THAT(said, Not(HasSubstr("unknown key 'logic'")));
}

TEST(SpecMistakes, device_of_another_form) {
  const std::string devices = "device = [\"a100-sxm-80gb\", \"h100-sxm\"]";
  const std::string number = refused(with(catalogued_spec, devices, "device = 3\nlogic = \"N5\""));
  EXPECT_THAT(number, HasSubstr("a.toml:10:10: error: this is no device; name catalogued ones"));
  EXPECT_THAT(number, Not(HasSubstr("logic")));
  const std::string list =
      refused(with(catalogued_spec, devices, "device = [{ template = \"a\" }]\nlogic = \"N5\""));
  EXPECT_THAT(list, HasSubstr("a.toml:10:10: error: a list of devices holds names; for several "
                              "derived devices make their keys lists"));
  EXPECT_THAT(list, Not(HasSubstr("logic")));
}

TEST(SpecMistakes, catalogued_and_derived_at_once) {
  const std::string said = refused(with(catalogued_spec, "accelerators = 64",
                                        "accelerators = 64\nlogic = [\"N5\"]\nmemory = \"HBM4\""));
  EXPECT_THAT(said, HasSubstr("a.toml:10:9: error: 'logic' goes with a derived device; a "
                              "catalogued one brings its own. Leave it out, or write device = { "
                              "template = ... }"));
  EXPECT_THAT(said, HasSubstr("a.toml:11:10: error: 'memory' goes with a derived device"));
}

TEST(SpecMistakes, derived_device_without_its_technology) {
  std::string text = with(derived_spec, "logic = [\"N7\", \"N5\"]\n", "");
  text = with(text, "memory = [\"HBM3\", \"HBM4\"]\n", "");
  text = with(text, "scale_up = { link = \"NVLink4\", domain = [8, 16] }\n", "");
  text = with(text, "scale_out = [\"NDRx8\", \"XDRx8\"]\n", "");
  text = with(text, ", power = \"700 W\", stacks = 6", "");
  const std::string said = refused(text);
  for (const char* key : {"logic", "memory", "scale_up", "scale_out", "power", "stacks"}) {
    EXPECT_THAT(said, HasSubstr("missing key '" + std::string(key) + "'"));
  }
}

TEST(SpecMistakes, missing_keys_come_with_an_example) {
  const std::string said = refused(with(derived_spec, "sequence = 2048\n", ""));
  EXPECT_EQ(said, "a.toml:3:1: error: missing key 'sequence'; write for example sequence = 2048\n");
  EXPECT_THAT(refused(with(derived_spec, ", stacks = 6", "")),
              HasSubstr("missing key 'stacks'; write for example stacks = 6"));
  EXPECT_THAT(refused(with(derived_spec, "die_area = \"826 mm2\", ", "")),
              HasSubstr("missing key 'die_area'; write for example die_area = \"826 mm2\""));
}

TEST(SpecMistakes, empty_title) {
  EXPECT_EQ(refused(with(derived_spec, "\"a study\"", "\" \"")),
            "a.toml:2:9: error: 'title' is empty; it goes onto figures and into the result\n");
}

TEST(SpecMistakes, list_of_tables_for_scale_up) {
  const std::string list = "[{ link = \"NVLink4\", domain = 8 }, \"NVLink5\"]";
  EXPECT_EQ(refused(with(derived_spec, "{ link = \"NVLink4\", domain = [8, 16] }", list)),
            "a.toml:12:12: error: a list of links holds names; with a domain write for example "
            "scale_up = { link = [\"NVLink4\", \"NVLink5\"], domain = [8, 64] }\n");
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

TEST(SpecKeep, mistakes) {
  const auto said = [](const std::string& keep) {
    return refused(std::string(derived_spec) + "[keep]\n" + keep);
  };
  EXPECT_THAT(
      said("policy = 'feasable'"),
      HasSubstr("a.toml:18:10: error: unknown policy 'feasable'; did you mean 'feasible'?"));
  EXPECT_THAT(said("policy = 'best'\nper = ['memry']"),
              HasSubstr("'memry' is no axis of this study; did you mean 'memory'?"));
  EXPECT_THAT(said("policy = 'best'\nper = ['device']"),
              HasSubstr("'device' is no axis of this study"));
  EXPECT_THAT(said("policy = 'best'\nper = ['memory', 'memory']"),
              HasSubstr("'memory' stands twice in per"));
  EXPECT_THAT(said("policy = 'best'\nk = 0"),
              HasSubstr("k must be between 1 and 1,000,000, not 0"));
  EXPECT_THAT(said("policy = 'all'\nk = 3"), HasSubstr("'k' goes with policy = \"best\""));
  EXPECT_THAT(said("policy = 'frontier'\nk = 3"), HasSubstr("'k' goes with policy = \"best\""));
  EXPECT_THAT(said("policy = 'frontier'\nper = ['memry']"),
              HasSubstr("'memry' is no axis of this study; did you mean 'memory'?"));
  EXPECT_THAT(said("policy = 'all'\nper = ['memory']"),
              HasSubstr("'per' goes with policy = \"best\" or \"frontier\""));
  EXPECT_THAT(said("k = 3"), HasSubstr("missing key 'policy' in [keep]"));
  EXPECT_THAT(said("policy = 'best'\ncounts = 'bunded'"),
              HasSubstr("a.toml:19:10: error: unknown counts 'bunded'; did you mean 'bounded'?"));
  for (const std::string policy : {"policy = 'all'\n", "policy = 'feasible'\n", ""}) {
    EXPECT_THAT(
        said(policy + "counts = 'bounded'"),
        HasSubstr("error: counts = \"bounded\" goes with policy = \"best\" or \"frontier\": "
                  "for the others every point is estimated"));
  }
  EXPECT_THAT(said("policy = { bst = { k = 5 } }"),
              AllOf(HasSubstr("a.toml:18:10: error: a policy is a word, or { best = { k = 5, per = "
                              "[\"logic\"] } }"),
                    HasSubstr("unknown key 'bst' in [keep.policy]; did you mean 'best'?")));
  EXPECT_THAT(said("policy = 'all'\nbest = { k = 3 }"),
              HasSubstr("a.toml:19:8: error: 'best' stands in place of 'policy'; leave one of them "
                        "out"));
  EXPECT_THAT(said("policy = 3"), HasSubstr("'keep.policy' must be a string, not an integer"));
}

TEST(SpecKeep, group_by_an_axis_that_could_not_be_read_is_no_second_mistake) {
  const std::string said = refused(with(derived_spec, "[\"N7\", \"N5\"]", "[]") +
                                   "[keep]\npolicy = 'best'\nper = ['logic', 'lgic']\n");
  EXPECT_THAT(said, Not(HasSubstr("'logic' is no axis")));
  EXPECT_THAT(said, HasSubstr("'lgic' is no axis"));
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

TEST(SpecObjectives, mistakes) {
  const auto said = [](const std::string& minimize) {
    return refused(std::string(derived_spec) + "[objectives]\nminimize = " + minimize + "\n");
  };
  EXPECT_THAT(said("[]"), HasSubstr("no objective; name at least one"));
  EXPECT_THAT(said("['a', 'a']"), HasSubstr("the objective 'a' stands twice"));
  EXPECT_THAT(said("'a'\nmaximize = 'a'"),
              HasSubstr("19:12: error: the objective 'a' stands twice"));
  EXPECT_THAT(said("'a'\nmaximize = []"),
              HasSubstr("19:12: error: no objective; name at least one"));
  EXPECT_THAT(said("[3]"), HasSubstr("must be a string"));
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

TEST(SpecFilters, mistakes_of_form) {
  EXPECT_THAT(refused(std::string(derived_spec) + "[filter]\nwhere = 'true'\n"),
              HasSubstr("write [[filter]]"));
  EXPECT_THAT(refused(std::string(derived_spec) + "[[filter]]\nwher = 'true'\n"),
              HasSubstr("missing key 'where' in [filter]; it must be a string"));
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
