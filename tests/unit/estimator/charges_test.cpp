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

TEST(Charges, ALongerTransferIsChargedWhatItIsLonger) {
  const Charges cover = Charges::of(Resource::tensor_compute, 2.0);
  const Cost extra = beyond(cover, transfer(5.0));

  EXPECT_DOUBLE_EQ(extra.time.total_s(), 3.0);
  const Charges whole = cover + extra.time;
  EXPECT_DOUBLE_EQ(whole[Resource::scale_up], 3.0);
  EXPECT_DOUBLE_EQ(whole[Resource::tensor_compute], 2.0);
}

// What it saves if it takes no time, whatever it takes of the cores meanwhile.
TEST(Charges, ATransferIsChargedWhatItWouldSave) {
  const Charges cover = Charges::of(Resource::tensor_compute, 2.0);
  for (const double transfer_s : {0.5, 1.9, 2.1, 2.6, 10.0}) {
    const Charges whole = cover + beyond(cover, transfer(transfer_s), 0.2).time;

    EXPECT_NEAR(whole[Resource::scale_up],
                std::max(2.0 + 0.2 * transfer_s, transfer_s) - cover.total_s(), 1e-12);
    EXPECT_DOUBLE_EQ(whole[Resource::tensor_compute], 2.0);
  }
}

}  // namespace
}  // namespace scalesweep::estimator
