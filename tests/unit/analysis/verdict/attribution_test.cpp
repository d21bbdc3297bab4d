#include "analysis/verdict/attribution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "analysis/bottlenecks/doubt.hpp"
#include "analysis/bottlenecks/steps.hpp"
#include "analysis/file/columns.hpp"

namespace scalesweep::analysis {
namespace {

using ::testing::ElementsAre;

TEST(Attribution, SharesAreOfTheSum) {
  const Resources resources = make_resources({"tensor_compute", "dram", "scale_out"});

  const Attribution a = attribute(resources, std::vector<double>{6.0, 3.0, 1.0});

  EXPECT_THAT(a.shares, ElementsAre(0.6, 0.3, 0.1));
  EXPECT_EQ(a.resource, 0u);
  EXPECT_EQ(a.second, 1u);
  EXPECT_DOUBLE_EQ(a.margin(), 0.3);
}

TEST(Attribution, GroupsCanHaveAnotherLimitThanSingleResources) {
  const Resources resources =
      make_resources({"tensor_compute", "vector_compute", "dram", "scale_up", "scale_out"});

  const Attribution a = attribute(resources, std::vector<double>{4.0, 0.0, 0.0, 3.0, 3.0});

  EXPECT_EQ(resources.names[a.resource], "tensor_compute");
  EXPECT_EQ(resources.groups[a.group], "network");
  EXPECT_DOUBLE_EQ(a.group_shares[a.group], 0.6);
}

TEST(Attribution, TiesGoToTheFirst) {
  const Resources resources = make_resources({"dram", "l2", "latency"});

  const Attribution a = attribute(resources, std::vector<double>{2.0, 2.0, 2.0});

  EXPECT_EQ(a.resource, 0u);
  EXPECT_EQ(a.second, 1u);
  EXPECT_DOUBLE_EQ(a.margin(), 0.0);
}

TEST(Attribution, OneResourceHasNoSecond) {
  const Resources resources = make_resources({"dram"});

  const Attribution a = attribute(resources, std::vector<double>{2.0});

  EXPECT_EQ(a.second, a.resource);
  EXPECT_DOUBLE_EQ(a.margin(), 1.0);
}

TEST(Attribution, NothingChargedGivesNoShares) {
  const Resources resources = make_resources({"dram", "l2"});

  const Attribution a = attribute(resources, std::vector<double>{0.0, 0.0});

  EXPECT_THAT(a.shares, ElementsAre(0.0, 0.0));
}

TEST(Attribution, GroupsKeepTheirOrderAndUnknownResourcesAreTheirOwn) {
  const Resources resources = make_resources({"latency", "storage", "scale_out", "tensor_compute"});

  EXPECT_THAT(resources.groups, ElementsAre("compute", "network", "latency", "storage"));
  EXPECT_THAT(resources.group_of, ElementsAre(2u, 3u, 1u, 0u));
}

TEST(Attribution, CrossingIsExactForWorkOverRates) {
  // Charges of 6 s of work at a fixed rate and of 12 s over a rate that goes from 1 to 4: they are
  // equal at a rate of 2, half way between the logarithms.
  const auto shares = [](double rate) {
    const double varying_s = 12.0 / rate;
    return std::pair(varying_s / (varying_s + 6.0), 6.0 / (varying_s + 6.0));
  };
  const auto [ahead_before, behind_before] = shares(1.0);
  const auto [ahead_after, behind_after] = shares(4.0);

  EXPECT_NEAR(crossing({ahead_before, behind_before, ahead_after, behind_after}), 0.5, 1e-12);
}

TEST(Attribution, CrossingWhereAShareIsNothingIsWhereStraightLinesMeet) {
  EXPECT_DOUBLE_EQ(crossing({0.5, 0.0, 0.1, 0.6}), 0.5);
  // Level already at the first value.
  EXPECT_DOUBLE_EQ(crossing({0.4, 0.4, 0.3, 0.6}), 0.0);
  // Never apart.
  EXPECT_DOUBLE_EQ(crossing({0.4, 0.4, 0.4, 0.4}), 0.5);
}

TEST(Attribution, TheRangeOfACrossingIsWhereTheLeadIsTheErrorBar) {
  const Overtaking shares = {0.6, 0.3, 0.2, 0.5};

  const CrossingRange exact = crossing_range(shares, 0.0, 0.0);
  EXPECT_NEAR(exact.low, crossing(shares), 1e-9);
  EXPECT_NEAR(exact.high, crossing(shares), 1e-9);

  const CrossingRange range = crossing_range(shares, 0.1, 0.1);
  const auto lead = [](double place) {
    return 0.6 * std::pow(0.2 / 0.6, place) - 0.3 * std::pow(0.5 / 0.3, place);
  };
  EXPECT_NEAR(lead(range.low), 0.1, 1e-9);
  EXPECT_NEAR(lead(range.high), -0.1, 1e-9);
  EXPECT_LT(range.low, exact.low);
  EXPECT_GT(range.high, exact.high);
}

TEST(Attribution, ALeadWithinTheErrorBarHasNoPlace) {
  const CrossingRange range = crossing_range({0.6, 0.3, 0.2, 0.5}, 0.4, 0.4);

  EXPECT_EQ(range.low, 0.0);
  EXPECT_EQ(range.high, 1.0);
}

TEST(Attribution, TenPercentMoreSavesOfItsShareOnly) {
  // A time of 10 s, 6 of them over a rate: 6 / 1.1 + 4.
  EXPECT_NEAR(gain_of_ten_percent(0.6), 1.0 - (6.0 / 1.1 + 4.0) / 10.0, 1e-12);
}

TEST(Doubt, ALeadIsFirmBeyondOneErrorBar) {
  EXPECT_EQ(leads_firmly({0.2, 0.5, 0.3}, 0.19), Firm::yes);
  EXPECT_EQ(leads_firmly({0.2, 0.5, 0.3}, 0.21), Firm::no);
  EXPECT_EQ(leads_firmly({0.5, 0.5}, 0.0), Firm::no);
  EXPECT_EQ(leads_firmly({0.2, 0.5, 0.3}, std::nan("")), Firm::unknown);
  EXPECT_EQ(both(Firm::yes, Firm::yes), Firm::yes);
  EXPECT_EQ(both(Firm::yes, Firm::no), Firm::no);
  EXPECT_EQ(both(Firm::unknown, Firm::no), Firm::no);
  EXPECT_EQ(both(Firm::yes, Firm::unknown), Firm::unknown);
}

double between(double from, double to, double place, bool is_axis = false) {
  return quantity_at({"rate", "s-1", {from, to}, is_axis}, {nullptr, 0, 1, 0, 1}, place);
}

// Equal steps are equal ratios; two devices of nearly the same peak cross at none between.
TEST(QuantityAt, IsToldWhereTheQuantityChanges) {
  EXPECT_NEAR(between(1.0, 4.0, 0.5), 2.0, 1e-12);
  EXPECT_NEAR(between(4.0, 1.0, 0.5), 2.0, 1e-12);
  EXPECT_NEAR(between(0.0, 4.0, 0.5), 2.0, 1e-12);
  EXPECT_DOUBLE_EQ(between(1.0, 1.02, 0.0), 1.0);
  EXPECT_TRUE(std::isnan(between(989e12, 989.5e12, 0.5)));
  EXPECT_TRUE(std::isnan(between(0.0, 0.0, 0.5)));
  EXPECT_TRUE(std::isnan(between(std::nan(""), 1.0, 0.5)));
  EXPECT_NEAR(between(5.50, 5.53, 0.5, true), 5.515, 1e-4) << "values of a fine axis";
}

}  // namespace
}  // namespace scalesweep::analysis
