// Rows priced again: what another assumption makes of a cost, and from where on another choice is
// the cheapest. verdict_oracle_test.py compares the same with studies that assume it.
#include "analysis/flips/price_flips.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace scalesweep::analysis {
namespace {

using ::testing::SizeIs;

Assumptions assumed() {
  Assumptions a;
  a.values = {1.0,  1.0,  1.0, 1.0, 2.0, 1.0, 6000.0, 350.0,
              11.0, 15.0, 0.8, 4.0, 0.8, 1.0, 0.08,   1.2};
  return a;
}

PricedRow row(double silicon, double memory, double energy) {
  PricedRow result;
  result.parts = {silicon, memory, 0.0, 0.0, 0.0, 0.0, energy};
  result.device_s = 1.0;
  result.memory_bytes = 80e9;
  return result;
}

const BreakEven* find(const std::vector<BreakEven>& all, Assumption which) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const BreakEven& one) {
    return one.assumption == static_cast<std::int32_t>(which);
  });
  return found == all.end() ? nullptr : &*found;
}

TEST(CostUnder, WhatIsAssumedCostsWhatItCosts) {
  PricedRow all = row(1.0, 0.2, 0.3);
  all.parts = {1.0, 0.2, 0.1, 0.4, 0.5, 0.6, 0.3};
  EXPECT_DOUBLE_EQ(cost_under(all, assumed(), assumed()), 3.1);
}

TEST(CostUnder, EachPartFollowsItsAssumptions) {
  PricedRow all;
  all.parts = {1.0, 0.2, 0.1, 0.4, 0.5, 0.6, 0.3};
  const auto cost = [&](Assumption which, double factor) {
    return cost_under(all, assumed(), assumed().with(which, factor));
  };
  EXPECT_DOUBLE_EQ(cost(Assumption::memory_price, 2.0), 3.3);
  EXPECT_DOUBLE_EQ(cost(Assumption::network_markup, 0.5), 2.9);
  EXPECT_DOUBLE_EQ(cost(Assumption::server_cost, 2.0), 3.6);
  EXPECT_DOUBLE_EQ(cost(Assumption::energy_price, 2.0), 3.4);
  EXPECT_DOUBLE_EQ(cost(Assumption::rental_markup, 2.0), 5.9);
  EXPECT_DOUBLE_EQ(cost(Assumption::utilization, 0.5), 5.9);
  // Of the site 11/15 are written off over its own life, 0.8/4 over that of devices.
  const double site = 11.0 / 15.0;
  const double delivery = 0.8 / 4.0;
  EXPECT_DOUBLE_EQ(cost(Assumption::lifetime, 2.0),
                   2.2 / 2.0 + 0.3 + 0.6 * (site + delivery / 2.0) / (site + delivery));
  EXPECT_DOUBLE_EQ(cost(Assumption::facility_cost, 2.0),
                   2.5 + 0.6 * (2.0 * site + delivery) / (site + delivery));
}

// 0.9 of the silicon and of the package grow with wafers, 0.05 of the package with memory.
TEST(CostUnder, WafersAndMemoryAreInTwoParts) {
  PricedRow all;
  all.parts = {1.0, 0.2, 0.1, 0.4, 0.5, 0.6, 0.3};
  all.wafers = 0.9;
  all.lost_memory = 0.05;
  all.device_s = 3.2;
  const auto cost = [&](Assumption which, double factor) {
    return cost_under(all, assumed(), assumed().with(which, factor));
  };
  EXPECT_DOUBLE_EQ(cost(Assumption::wafer_price, 2.0), 4.0);
  EXPECT_DOUBLE_EQ(cost(Assumption::wafer_price, 0.5), 2.65);
  EXPECT_DOUBLE_EQ(cost(Assumption::memory_price, 2.0), 3.35);
  EXPECT_DOUBLE_EQ(cost(Assumption::lifetime, 0.5) - cost(Assumption::lifetime, 1.0),
                   2.2 + 0.6 * (0.8 / 4.0) / (11.0 / 15.0 + 0.8 / 4.0));
  // 2 USD over 4 of which 0.8 are used, for 3.2 seconds.
  EXPECT_DOUBLE_EQ(cost(Assumption::margin, 1.5), 3.1 + 1.0);
}

TEST(ByOtherMargin, NamesWhoIsTheBestThen) {
  PricedChoices choices;
  PricedRow large = row(1.0, 0.2, 0.0);
  PricedRow small = row(0.9, 0.2, 0.0);
  small.by_other_margin = 0.8;
  large.by_other_margin = 0.6;
  add_priced(choices[{0}], {7, small});
  add_priced(choices[{1}], {8, large});
  const auto other = by_other_margin(choices, {0});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->best.choice, (ChoiceKey{1}));
  EXPECT_EQ(other->best.id, 8);
  EXPECT_EQ(other->best.value, 0.6);
  EXPECT_EQ(other->winner_cost, 0.8);
  const auto same = by_other_margin(choices, {1});
  ASSERT_TRUE(same);
  EXPECT_EQ(same->best.value, same->winner_cost) << "it is the best so as well";
  choices[{0}][0].row.by_other_margin = nan("");
  EXPECT_FALSE(by_other_margin(choices, {0})) << "nothing tells what it costs so";
}

TEST(AddPriced, KeepsWhatIsCheaperByTheOtherMargin) {
  std::vector<PricedPoint> points;
  PricedRow one = row(1.0, 0.2, 0.3);
  PricedRow two = row(1.1, 0.2, 0.3);
  one.by_other_margin = 0.9;
  two.by_other_margin = 0.8;
  add_priced(points, {1, one});
  add_priced(points, {2, two});
  EXPECT_THAT(points, SizeIs(2));
}

TEST(Tornado, AGivenPriceOfADeviceIsNoSumOfPartsToBeChanged) {
  Assumptions priced = assumed();
  priced.is_device_priced = true;
  for (const CostSwing& bar : tornado(row(1.0, 0.2, 0.2), priced)) {
    EXPECT_NE(bar.assumption, static_cast<std::int32_t>(Assumption::memory_price));
    EXPECT_NE(bar.assumption, static_cast<std::int32_t>(Assumption::wafer_price));
  }
}

TEST(AssumptionText, IsInUnitsThatPeopleUse) {
  EXPECT_EQ(assumption_text(Assumption::memory_price, 15.2e-9), "15.2 USD/GB");
  EXPECT_EQ(assumption_text(Assumption::wafer_price, 18000.0), "18,000 USD a wafer");
  EXPECT_EQ(assumption_text(Assumption::energy_price, 0.08 / 3.6e6), "0.08 USD/kWh");
  EXPECT_EQ(assumption_text(Assumption::margin, 28000.0), "28,000 USD a device");
  EXPECT_EQ(assumption_text(Assumption::server_power, 350.0), "350 W a device");
  EXPECT_EQ(assumption_text(Assumption::lifetime, 4 * 365.25 * 86400), "4 years");
}

TEST(BreakEvens, AnotherChoiceIsCheaperFromThereOn) {
  PricedChoices choices;
  add_priced(choices[{0}], {7, row(1.0, 0.2, 0.0)});
  add_priced(choices[{1}], {8, row(0.8, 0.5, 0.0)});
  const std::vector<BreakEven> found = break_evens(choices, {0}, assumed());
  const BreakEven* const memory = find(found, Assumption::memory_price);
  ASSERT_NE(memory, nullptr);  // 1 + 0.2 k = 0.8 + 0.5 k
  EXPECT_NEAR(memory->at / memory->value, 2.0 / 3.0, 1e-12);
  EXPECT_EQ(memory->other.id, 8);
  EXPECT_NEAR(memory->other.value, 1.0 + 0.2 * 2.0 / 3.0, 1e-12);
  EXPECT_NEAR(memory->value, 0.2 / (80e9 / (4.0 * 0.8)), 1e-20);
  EXPECT_EQ(find(found, Assumption::energy_price), nullptr);
}

// Written off over more years, less of what is bought is paid for a token.
TEST(BreakEvens, OfALifetimeTheInverseCounts) {
  PricedChoices choices;
  add_priced(choices[{0}], {7, row(1.0, 0.0, 0.2)});
  add_priced(choices[{1}], {8, row(0.7, 0.0, 0.6)});
  const BreakEven one = *find(break_evens(choices, {0}, assumed()), Assumption::lifetime);
  EXPECT_NEAR(one.at / one.value, 0.75, 1e-12);  // 1 / k + 0.2 = 0.7 / k + 0.6
}

// Which layout of a choice is the cheapest depends on the price as well.
TEST(BreakEvens, EveryLayoutOfBothTakesPart) {
  PricedChoices choices;
  add_priced(choices[{0}], {1, row(1.0, 0.0, 0.2)});
  add_priced(choices[{0}], {2, row(1.2, 0.0, 0.05)});
  add_priced(choices[{1}], {3, row(1.25, 0.0, 0.0)});
  const BreakEven one = *find(break_evens(choices, {0}, assumed()), Assumption::energy_price);
  EXPECT_EQ(one.other.id, 3);
  EXPECT_NEAR(one.at / one.value, 1.25, 1e-12);  // where 1 + 0.2 k, not before 1.2 + 0.05 k
}

TEST(BreakEvens, NoneWhereAnAssumptionCannotBe) {
  PricedChoices choices;
  add_priced(choices[{0}], {7, row(0.6, 0.0, 0.6)});
  add_priced(choices[{1}], {8, row(1.2, 0.0, 0.3)});
  const std::vector<BreakEven> found = break_evens(choices, {0}, assumed());
  EXPECT_EQ(find(found, Assumption::utilization), nullptr);  // 1.6
  EXPECT_NE(find(found, Assumption::lifetime), nullptr);     // 8 years
}

TEST(AddPriced, LeavesOutWhatCostsMoreWhateverIsAssumed) {
  std::vector<PricedPoint> points;
  add_priced(points, {1, row(1.0, 0.2, 0.3)});
  add_priced(points, {2, row(1.1, 0.2, 0.3)});
  EXPECT_THAT(points, SizeIs(1));
  add_priced(points, {3, row(1.1, 0.2, 0.2)});
  EXPECT_THAT(points, SizeIs(2));
  add_priced(points, {4, row(0.9, 0.1, 0.1)});
  ASSERT_THAT(points, SizeIs(1));
  EXPECT_EQ(points[0].id, 4);
}

TEST(Tornado, HalvesAndDoublesAsFarAsItMayBe) {
  const std::vector<CostSwing> bars = tornado(row(1.0, 0.0, 0.2), assumed());
  ASSERT_THAT(bars, SizeIs(assumption_count));
  const auto of = [&](Assumption which) {
    return *std::find_if(bars.begin(), bars.end(), [&](const CostSwing& bar) {
      return bar.assumption == static_cast<std::int32_t>(which);
    });
  };
  EXPECT_DOUBLE_EQ(of(Assumption::energy_price).cost_low, 1.1);
  EXPECT_DOUBLE_EQ(of(Assumption::energy_price).cost_high, 1.4);
  EXPECT_DOUBLE_EQ(of(Assumption::utilization).high, 1.0);
  EXPECT_DOUBLE_EQ(of(Assumption::utilization).cost_high, 1.0);
  EXPECT_DOUBLE_EQ(of(Assumption::power_usage_effectiveness).low, 1.0);
  for (std::size_t i = 1; i < bars.size(); ++i) {
    EXPECT_GE(std::abs(bars[i - 1].cost_high - bars[i - 1].cost_low),
              std::abs(bars[i].cost_high - bars[i].cost_low));
  }
}

}  // namespace
}  // namespace scalesweep::analysis
