#include "analysis/attribution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/columns.hpp"

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

TEST(Attribution, CrossingIsWhereStraightLinesMeet) {
  // 0.6 -> 0.2 against 0.3 -> 0.5: leads of 0.3 before and 0.3 after.
  EXPECT_DOUBLE_EQ(crossing(0.6, 0.3, 0.2, 0.5), 0.5);
  // 0.5 -> 0.3 against 0.4 -> 0.6: leads of 0.1 and 0.3.
  EXPECT_NEAR(crossing(0.5, 0.4, 0.3, 0.6), 0.25, 1e-12);
  // Level already at the first value.
  EXPECT_DOUBLE_EQ(crossing(0.4, 0.4, 0.3, 0.6), 0.0);
  // Never apart.
  EXPECT_DOUBLE_EQ(crossing(0.4, 0.4, 0.4, 0.4), 0.5);
}

}  // namespace
}  // namespace scalesweep::analysis
