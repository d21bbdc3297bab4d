#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec_reading.hpp"

namespace scalesweep::space {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tests::derived_spec;
using tests::with;

std::string allocate(const std::string& keys) {
  return std::string(derived_spec) + "[allocate]\n" + keys + "\n";
}

TEST(SpecAllocation, candidates_are_the_fastest_axis) {
  const Spec spec =
      good(allocate("core_area_share = { from = 0.4, to = 0.9 }\n"
                    "memory_power_share = { from = 0.05, to = 0.4 }\n"
                    "grid = 4\nrounds = 3\nminimize = 'energy_per_token'"));
  ASSERT_TRUE(spec.allocation);
  EXPECT_EQ(spec.allocation->shares.size(), 2u);
  EXPECT_EQ(spec.allocation->shares[1].name, "memory_power_share");
  EXPECT_EQ(spec.allocation->shares[1].from, 0.05);
  EXPECT_EQ(spec.allocation->shares[1].to, 0.4);
  EXPECT_EQ(spec.allocation->objective, (Objective{"energy_per_token"}));
  EXPECT_EQ(spec.allocation->objective_position.line, 22);
  const Axis& axis = spec.axes.back();
  EXPECT_EQ(axis.name, "allocation");
  EXPECT_EQ(axis.kind, AxisKind::integer);
  EXPECT_EQ(axis.size(), 4u * 4u + 3u * 9u);
  EXPECT_EQ(axis.labels.back(), "42");
  EXPECT_EQ(axis.values.back(), 42.0);
}

TEST(SpecAllocation, defaults) {
  const Spec spec = good(allocate("core_area_share = { from = 0.4, to = 0.9 }"));
  EXPECT_EQ(spec.allocation->grid, 5);
  EXPECT_EQ(spec.allocation->rounds, 2);
  EXPECT_EQ(spec.allocation->objective.column, "");
  EXPECT_EQ(spec.axes.back().size(), 5u + 2u * 3u);
  EXPECT_EQ(
      good(allocate("core_area_share = { from = 0.4, to = 0.9 }\nrounds = 0")).axes.back().size(),
      5u);
}

TEST(SpecAllocation, a_column_may_be_maximized) {
  const std::string share = "core_area_share = { from = 0.4, to = 0.9 }\n";
  const Spec spec = good(allocate(share + "maximize = 'tokens_per_second'"));
  EXPECT_EQ(spec.allocation->objective, (Objective{"tokens_per_second", Direction::maximize}));
  EXPECT_EQ(spec.allocation->objective_position.line, 19);
  EXPECT_THAT(refused(allocate(share + "maximize = 'a'\nminimize = 'b'")),
              HasSubstr("19:12: error: one column decides which shares are best: leave 'minimize' "
                        "or 'maximize' out"));
}

TEST(SpecAllocation, the_edge_for_memory_takes_the_place_of_stacks) {
  const std::string share = "memory_edge_share = { from = 0.2, to = 0.5 }";
  const Spec spec = good(with(allocate(share), ", stacks = 6", ""));
  EXPECT_FALSE(find_axis(spec.axes, "stacks"));
  EXPECT_THAT(refused(allocate(share)),
              HasSubstr("'stacks' follows from memory_edge_share, which fills its part of the die "
                        "edge; leave one of them out"));
  // A mistake in the share is one mistake.
  EXPECT_THAT(refused(with(allocate("memory_edge_share = 0.3"), ", stacks = 6", "")),
              Not(HasSubstr("missing key 'stacks'")));
}

}  // namespace
}  // namespace scalesweep::space
