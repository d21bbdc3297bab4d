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
  a.values = {1.0,  1.0,  1.0, 1.0, 1.0, 1.0, 2.0, 1.0,  6000.0, 350.0,
              11.0, 15.0, 0.8, 4.0, 0.8, 0.0, 1.0, 0.08, 1.2};
  return a;
}

constexpr double year_s = 31557600.0;

// With what is written off over years, at an interest.
Assumptions assumed_with(double interest) {
  Assumptions a = assumed();
  a[Assumption::lifetime] = 4.0 * year_s;
  a[Assumption::facility_lifetime] = 15.0 * year_s;
  a[Assumption::interest] = interest;
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

// Dies of 8 cm2 with 0.1 defects on a square centimetre, three times as clustered as alone.
TEST(CostUnder, DiesCostWhatTheirDefectsLeave) {
  PricedRow all = row(1.0, 0.2, 0.3);
  all.wafers = 0.9;
  const double yield = std::pow(1.0 + 0.8 / 3.0, -3.0);
  all = with_defects(all, yield, 1000.0, 3.0);
  const auto cost = [&](double factor) {
    return cost_under(all, assumed(), assumed().with(Assumption::defect_density, factor));
  };
  EXPECT_NEAR(cost(2.0), 0.6 + 0.9 * std::pow(1.0 + 1.6 / 3.0, 3.0) * yield, 1e-12);
  EXPECT_NEAR(cost(0.5), 0.6 + 0.9 * std::pow(1.0 + 0.4 / 3.0, 3.0) * yield, 1e-12);
  EXPECT_EQ(cost(1.0), 1.5);
  EXPECT_EQ(price_here(all, Assumption::defect_density, assumed()), 1000.0);
}

TEST(CostUnder, OfAGivenYieldDiesCostTheInverse) {
  PricedRow all = row(1.0, 0.2, 0.3);
  all.wafers = 0.9;
  Assumptions given = assumed();
  given.is_yield_given = true;
  given[Assumption::die_yield] = 0.8;
  EXPECT_DOUBLE_EQ(cost_under(all, given, given.with(Assumption::die_yield, 0.5)), 2.4);
  EXPECT_TRUE(is_repriced(Assumption::die_yield, given));
  EXPECT_FALSE(is_repriced(Assumption::defect_density, given)) << "it decides nothing then";
  EXPECT_FALSE(is_repriced(Assumption::die_yield, assumed()));
  const std::vector<CostSwing> bars = tornado(all, given);
  const auto bar = std::find_if(bars.begin(), bars.end(), [](const CostSwing& one) {
    return one.assumption == static_cast<std::int32_t>(Assumption::die_yield);
  });
  ASSERT_NE(bar, bars.end());
  EXPECT_DOUBLE_EQ(bar->high, 1.0) << "no more than all of them";
}

// 1 USD of devices over 4 years, 0.6 of the site: 11 USD/W over 15 years, 0.8 over 4.
TEST(CostUnder, InterestIsPaidOnWhatIsNotYetPaidBack) {
  PricedRow all = row(1.0, 0.2, 0.3);
  all.parts = {1.0, 0.0, 0.0, 0.0, 0.0, 0.6, 0.3};
  const auto recovery = [](double interest, double years) {
    return interest / (1.0 - std::pow(1.0 + interest, -years));
  };
  const auto site = [&](double interest) {
    return 11.0 * recovery(interest, 15.0) + 0.8 * recovery(interest, 4.0);
  };
  const Assumptions at_8 = assumed_with(0.08);
  EXPECT_NEAR(cost_under(all, at_8, at_8.with(Assumption::interest, 2.0)),
              recovery(0.16, 4.0) / recovery(0.08, 4.0) + 0.6 * site(0.16) / site(0.08) + 0.3,
              1e-12);
  EXPECT_NEAR(cost_under(all, at_8, at_8.with(Assumption::lifetime, 2.0)),
              recovery(0.08, 8.0) / recovery(0.08, 4.0) +
                  0.6 * (11.0 * recovery(0.08, 15.0) + 0.8 * recovery(0.08, 8.0)) / site(0.08) +
                  0.3,
              1e-12);
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

// The one costs more now and has dies of fewer defects: it is cheaper where there are more.
TEST(AddPriced, KeepsWhatIsCheaperWithMoreDefects) {
  std::vector<PricedPoint> points;
  PricedRow large = row(1.0, 0.2, 0.3);
  large.wafers = 0.5;
  PricedRow small = row(1.1, 0.2, 0.3);
  small.wafers = 0.6;
  add_priced(points, {1, with_defects(large, 0.4, 1000.0, 3.0)});
  add_priced(points, {2, with_defects(small, 0.8, 1000.0, 3.0)});
  EXPECT_THAT(points, SizeIs(2));
  PricedRow dear = row(1.2, 0.2, 0.3);
  dear.wafers = 0.7;
  add_priced(points, {3, with_defects(dear, 0.7, 1000.0, 3.0)});
  EXPECT_THAT(points, SizeIs(2)) << "as much as the second without defects, and more of them";
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
  EXPECT_EQ(assumption_text(Assumption::defect_density, 1200.0), "0.12 /cm2");
  EXPECT_EQ(assumption_text(Assumption::interest, 0.08), "8 %/year");
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

// Defects that do not cluster more than alpha = 1: 1 / yield is 1 + A D, here 1 + 1 and 1 + 0.25.
TEST(BreakEvens, DiesOfFewerDefectsAreCheaperFromSomeDensityOn) {
  PricedChoices choices;
  PricedRow large = row(1.0, 0.0, 0.0);
  large.wafers = 1.0;
  PricedRow small = row(1.2, 0.0, 0.0);
  small.wafers = 1.2;
  add_priced(choices[{0}], {7, with_defects(large, 1.0 / 2.0, 1000.0, 1.0)});
  add_priced(choices[{1}], {8, with_defects(small, 1.0 / 1.25, 1000.0, 1.0)});
  const std::vector<BreakEven> found = break_evens(choices, {0}, assumed());
  const BreakEven* const defects = find(found, Assumption::defect_density);
  ASSERT_NE(defects, nullptr);  // 0.5 (1 + k) = 0.96 (1 + k / 4)
  EXPECT_NEAR(defects->at, 1000.0 * 0.46 / 0.26, 1e-6);
  EXPECT_EQ(defects->value, 1000.0);
  EXPECT_EQ(defects->other.id, 8);
  choices[{1}][0].row.defect_density_per_m2 = nan("");
  EXPECT_EQ(find(break_evens(choices, {0}, assumed()), Assumption::defect_density), nullptr)
      << "where the defects of some are not known";
}

// What is bought for the one costs more, its energy less: from some interest on the other is
// cheaper, and on both sides of that the costs say so.
TEST(BreakEvens, MoreInterestMakesCapitalDearer) {
  PricedChoices choices;
  add_priced(choices[{0}], {7, row(1.0, 0.0, 0.2)});
  add_priced(choices[{1}], {8, row(0.7, 0.0, 0.53)});
  const Assumptions at_8 = assumed_with(0.08);
  const std::vector<BreakEven> found = break_evens(choices, {0}, at_8);
  const BreakEven* const interest = find(found, Assumption::interest);
  ASSERT_NE(interest, nullptr);
  EXPECT_DOUBLE_EQ(interest->value, 0.08);
  const auto gap = [&](Assumption which, double factor) {
    const Assumptions changed = at_8.with(which, factor);
    return cost_under(choices[{1}][0].row, at_8, changed) -
           cost_under(choices[{0}][0].row, at_8, changed);
  };
  const double factor = interest->at / interest->value;
  EXPECT_NEAR(gap(Assumption::interest, factor), 0.0, 1e-9);
  EXPECT_GT(gap(Assumption::interest, factor * 0.999), 0.0);
  EXPECT_LT(gap(Assumption::interest, factor * 1.001), 0.0);
  // 0.3 of capital cost 0.33 of energy where a year's share of it is 1.1 times that of today.
  const auto recovery = [](double r) { return r / (1.0 - std::pow(1.0 + r, -4.0)); };
  EXPECT_NEAR(recovery(interest->at) / recovery(0.08), 1.1, 1e-9);
  const BreakEven* const lifetime = find(found, Assumption::lifetime);
  ASSERT_NE(lifetime, nullptr);
  EXPECT_NEAR(gap(Assumption::lifetime, lifetime->at / lifetime->value), 0.0, 1e-9);
  EXPECT_LT(lifetime->at, lifetime->value);
  EXPECT_EQ(find(break_evens(choices, {0}, assumed_with(0.0)), Assumption::interest), nullptr)
      << "no times of nothing is an interest";
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
  // No defects are known, no yield is given, and twice no interest is none.
  ASSERT_THAT(bars, SizeIs(assumption_count - 3));
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
