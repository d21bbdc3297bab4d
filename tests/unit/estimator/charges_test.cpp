#include "estimator/parts/charges.hpp"

#include <gtest/gtest.h>

#include "estimator/parts/cost.hpp"

namespace scalesweep::estimator {
namespace {

Cost transfer(double seconds) {
  Cost cost;
  cost.time = Charges::of(Resource::scale_up, seconds);
  cost.work[Amount::scale_up_bytes] = 7.0;
  return cost;
}

TEST(Charges, AddUpInSeries) {
  const Charges both = Charges::of(Resource::dram, 1.0) + Charges::of(Resource::latency, 0.5);

  EXPECT_DOUBLE_EQ(both.total_s(), 1.5);
  EXPECT_EQ(dominant(both), Resource::dram);
  EXPECT_DOUBLE_EQ((3.0 * both).total_s(), 4.5);
}

TEST(Charges, OverlapKeepsTheSplitOfTheLonger) {
  const Charges compute = Charges::of(Resource::tensor_compute, 2.0);

  EXPECT_EQ(dominant(longer(compute, Charges::of(Resource::scale_up, 3.0))), Resource::scale_up);
  EXPECT_EQ(dominant(longer(compute, Charges::of(Resource::scale_up, 1.0))),
            Resource::tensor_compute);
}

TEST(Charges, AHiddenTransferCostsNothingButItsWork) {
  const Cost extra = beyond(Charges::of(Resource::tensor_compute, 2.0), transfer(1.5));

  EXPECT_DOUBLE_EQ(extra.time.total_s(), 0.0);
  EXPECT_DOUBLE_EQ(extra.work[Amount::scale_up_bytes], 7.0);
}

TEST(Charges, ALongerTransferTakesTheChargesOver) {
  const Charges cover = Charges::of(Resource::tensor_compute, 2.0);
  const Cost extra = beyond(cover, transfer(5.0));

  EXPECT_DOUBLE_EQ(extra.time.total_s(), 3.0);
  const Charges whole = cover + extra.time;
  EXPECT_DOUBLE_EQ(whole[Resource::scale_up], 5.0);
  EXPECT_DOUBLE_EQ(whole[Resource::tensor_compute], 0.0);
}

}  // namespace
}  // namespace scalesweep::estimator
