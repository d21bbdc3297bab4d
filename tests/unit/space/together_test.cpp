#include "space/axes/together.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "space/model_shape.hpp"
#include "space/space.hpp"
#include "space/stored_rules.hpp"
#include "spec_reading.hpp"

namespace scalesweep::space {
namespace {

using testing::ElementsAre;
using tests::derived_spec;
using tests::with;

// Axes of the job, of the technology and of the links, 3 or 2 values each.
std::string varied(const std::string& rest) {
  std::string text = with(derived_spec, "sequence = 2048", "sequence = [2048, 4096, 8192]");
  text = with(text, "global_batch = 1536", "global_batch = [1536, 768, 384]");
  return text + rest;
}

std::string group(const std::string& axes) {
  return "[[together]]\naxes = " + axes + "\n";
}

workload::TransformerModel small_model(const std::string& name) {
  workload::TransformerModel model;
  model.name = name;
  model.hidden = 768;
  model.layers = 12;
  model.heads = model.kv_heads = 12;
  model.head_dim = 64;
  model.ffn = 3072;
  model.vocab = 51200;
  return model;
}

Space space_of(const std::string& text) {
  Diagnostics diagnostics;
  const auto space = Space::build(good(text), small_model, diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  return space.value();
}

TEST(Together, all_but_the_slowest_of_a_group_follow_it) {
  const Spec spec = good(varied(group("['global_batch', 'sequence']") +
                                group("['scale_out', 'logic', 'scale_up_domain']")));
  EXPECT_EQ(axis_of(spec, "sequence").follows, "");
  EXPECT_EQ(axis_of(spec, "global_batch").follows, "sequence");
  EXPECT_EQ(axis_of(spec, "scale_out").follows, "logic");
  EXPECT_EQ(axis_of(spec, "scale_up_domain").follows, "logic");
  const std::string text = "sequence, global_batch; logic, scale_up_domain, scale_out";
  EXPECT_EQ(together_text(spec.axes), text);
  const AxisGroups groups = groups_together(spec.axes);
  EXPECT_THAT(groups, ElementsAre(ElementsAre("sequence", "global_batch"),
                                  ElementsAre("logic", "scale_up_domain", "scale_out")));
  EXPECT_EQ(groups_json(groups),
            R"([["sequence","global_batch"],["logic","scale_up_domain","scale_out"]])");
  EXPECT_EQ(groups_of_json(groups_json(groups)), groups);
  for (const char* other : {"", "sequence, global_batch", "{}", "[1]", R"([["a"],"b"])"}) {
    EXPECT_TRUE(groups_of_json(other).empty()) << other;
  }
  EXPECT_EQ(together_text(good(varied("")).axes), "");
}

TEST(Together, values_meet_at_the_same_place_alone) {
  const Spec spec = good(varied(group("['sequence', 'global_batch']")));
  const std::size_t sequence = *find_axis(spec.axes, "sequence");
  const std::size_t batch = *find_axis(spec.axes, "global_batch");
  const std::size_t logic = *find_axis(spec.axes, "logic");
  EXPECT_TRUE(meet(spec.axes, sequence, 2, batch, 2));
  EXPECT_FALSE(meet(spec.axes, batch, 0, sequence, 1));
  EXPECT_TRUE(meet(spec.axes, logic, 1, batch, 2));
}

// Of a group within the job, of one within the system, and of one over both.
TEST(Together, ids_are_dense_and_lead_back) {
  for (const std::string axes : {"['sequence', 'global_batch']", "['logic', 'scale_out']",
                                 "['memory', 'scale_up_domain']"}) {
    const Space space = space_of(varied(group(axes)));
    const Space product = space_of(varied(""));
    std::set<std::vector<std::int32_t>> seen;
    PointId next = 0;
    while (next < space.size()) {
      const space::Run run = space.run_at(next);
      ASSERT_EQ(run.ids.first, next) << axes;
      ASSERT_TRUE(seen.insert(run.axis_index).second) << axes;
      for (std::size_t i = 0; i < run.axis_index.size(); ++i) {
        ASSERT_EQ(run.axis_index[i], run.axis_index[leader_of(space.axes(), i)]);
      }
      const auto last = static_cast<std::int64_t>(run.strategies.size()) - 1;
      ASSERT_EQ(space.id_of(run.axis_index, run.strategies.back()), next + last);
      next = run.ids.last;
    }
    EXPECT_EQ(next, space.size());
    // Those of the product that stand at the same places, in the same order.
    std::vector<std::vector<std::int32_t>> expected;
    for (PointId id = 0; id < product.size(); id = product.run_at(id).ids.last) {
      const std::vector<std::int32_t> index = product.run_at(id).axis_index;
      bool together = true;
      for (std::size_t i = 0; i < index.size(); ++i) {
        together = together && index[i] == index[leader_of(space.axes(), i)];
      }
      if (together) {
        expected.push_back(index);
      }
    }
    EXPECT_EQ(std::vector<std::vector<std::int32_t>>(seen.begin(), seen.end()), expected) << axes;
  }
}

TEST(Together, a_group_goes_over_the_job_and_the_system) {
  const std::string text = with(varied(group("['sequence', 'die_area']")), "\"826 mm2\"",
                                "['826 mm2', '600 mm2', '400 mm2']");
  const Space space = space_of(text);
  const std::size_t sequence = *find_axis(space.axes(), "sequence");
  const std::size_t area = *find_axis(space.axes(), "die_area");
  std::set<std::int32_t> seen;
  for (PointId id = 0; id < space.size(); id = space.run_at(id).ids.last) {
    const space::Run run = space.run_at(id);
    ASSERT_EQ(run.axis_index[area], run.axis_index[sequence]);
    seen.insert(run.axis_index[area]);
  }
  EXPECT_EQ(seen.size(), 3U);
  const space::Run first = space.run_at(0);
  std::vector<std::int32_t> other = first.axis_index;
  other[area] = 1;
  EXPECT_FALSE(space.id_of(other, first.strategies.front())) << "no point is so";
}

}  // namespace
}  // namespace scalesweep::space
