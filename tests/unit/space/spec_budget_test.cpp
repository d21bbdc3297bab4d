// Axes of a derived device beyond its budgets, and what may change a catalogued one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec_reading.hpp"

namespace scalesweep::space {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tests::catalogued_spec;
using tests::derived_spec;
using tests::with;

std::string device(const std::string& keys) {
  return with(derived_spec, "stacks = 6", keys);
}
std::string catalogued(const std::string& keys) {
  return with(catalogued_spec, "accelerators = 64\n", "accelerators = 64\n" + keys + "\n");
}

TEST(SpecBudget, pins_matrix_units_package_and_shares_are_axes) {
  const Spec spec =
      good(device("package = ['interposer', 'wafer'], pin_rate = ['5.2 Gb/s', "
                  "'8 Gb/s'], flop_per_clock = [2048, 4096], stacks = 6, "
                  "core_area_share = [0.5, 0.60], memory_power_share = 0.25"));
  EXPECT_THAT(axis_of(spec, "package").labels, ElementsAre("interposer", "wafer"));
  EXPECT_THAT(axis_of(spec, "pin_rate").labels, ElementsAre("5.2 Gb/s", "8 Gb/s"));
  EXPECT_THAT(axis_of(spec, "pin_rate").values, ElementsAre(0.65e9, 1e9));
  EXPECT_EQ(axis_of(spec, "pin_rate").units, "B s-1");
  EXPECT_THAT(axis_of(spec, "flop_per_clock").values, ElementsAre(2048.0, 4096.0));
  const Axis& cores = axis_of(spec, "core_area_share");
  EXPECT_EQ(cores.kind, AxisKind::number);
  EXPECT_EQ(cores.units, "1");
  EXPECT_THAT(cores.labels, ElementsAre("0.5", "0.6"));
  EXPECT_THAT(cores.values, ElementsAre(0.5, 0.6));
  EXPECT_THAT(axis_of(spec, "memory_power_share").labels, ElementsAre("0.25"));
}

TEST(SpecBudget, the_edge_for_memory_takes_the_place_of_stacks) {
  const Spec spec = good(device("memory_edge_share = 0.4"));
  EXPECT_FALSE(find_axis(spec.axes, "stacks"));
  EXPECT_THAT(axis_of(spec, "memory_edge_share").values, ElementsAre(0.4));
  EXPECT_THAT(refused(device("stacks = 6, memory_edge_share = 0.4")),
              HasSubstr("error: 'stacks' follows from memory_edge_share, which fills its part of "
                        "the die edge; leave one of them out"));
  EXPECT_THAT(refused(device("core_area_share = 0.4")),
              HasSubstr("missing key 'stacks'; write for example stacks = 6"));
}

TEST(SpecBudget, filters_compare_rates_and_shares) {
  const std::string text = device("stacks = 6, pin_rate = '8 Gb/s', core_area_share = 0.5");
  good(text + "[[filter]]\nwhere = \"pin_rate <= '8 Gb/s' and core_area_share < 0.7\"\n");
  EXPECT_THAT(refused(text + "[[filter]]\nwhere = \"pin_rate <= '700 W'\"\n"),
              HasSubstr("'W' is a unit of a power, but a data rate is expected here"));
  EXPECT_THAT(refused(text + "[[filter]]\nwhere = \"core_area_share == '0.5'\"\n"),
              HasSubstr("core_area_share is a number; write it without quotes"));
}

TEST(SpecBudget, nodes_beyond_a_series_are_asked_for_in_the_system) {
  EXPECT_TRUE(
      good(with(derived_spec, "accelerators = 1024", "accelerators = 1024\nextrapolate = true"))
          .extrapolate);
  EXPECT_THAT(refused(with(derived_spec, "accelerators = 1024",
                           "accelerators = 1024\nextrapolate = 'yes'")),
              HasSubstr("'system.extrapolate' must be true or false, not a string"));
  EXPECT_THAT(refused(catalogued("extrapolate = true")),
              HasSubstr("'extrapolate' goes with a derived device"));
}

TEST(SpecChanges, catalogued_devices_may_have_less_power_and_another_memory) {
  const Spec spec = good(catalogued("power_limit = ['300 W', '0.35 kW']\nmemory_of = 'h100-sxm'"));
  EXPECT_THAT(axis_of(spec, "power_limit").labels, ElementsAre("300 W", "350 W"));
  EXPECT_THAT(axis_of(spec, "memory_of").labels, ElementsAre("h100-sxm"));
  EXPECT_THAT(names_of(spec), ElementsAre("model", "sequence", "global_batch", "accelerators",
                                          "precision", "attention", "framework", "device",
                                          "memory_of", "power_limit", "topology"));
  EXPECT_THAT(refused(catalogued("power_limit = 300")),
              HasSubstr("'system.power_limit': a bare number, but a power is expected"));
}

}  // namespace
}  // namespace scalesweep::space
