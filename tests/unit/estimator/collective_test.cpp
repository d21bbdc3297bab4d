#include "estimator/collective.hpp"

#include <gtest/gtest.h>

#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Collective;
using parallel::CollectiveKind;

// Half size 0 and full bandwidth, so that the textbook formulas stand alone.
technology::System plain_system() {
  technology::System system = test::example_system();
  for (technology::Network* network : {&system.scale_up, &system.scale_out}) {
    network->sustained = 1.0;
    network->half_size = Bytes::si(0.0);
    network->call_latency = Seconds::si(0.0);
  }
  return system;
}

double seconds(CollectiveKind kind, std::int64_t inner, std::int64_t outer, double bytes,
               const technology::System& system) {
  return collective_cost(Collective{kind, {inner, outer}, bytes}, system).cost.time.total_s();
}

TEST(Collective, OfOneRankIsFree) {
  EXPECT_EQ(seconds(CollectiveKind::all_reduce, 1, 1, 1e9, plain_system()), 0.0);
}

TEST(Collective, AllReduceMovesTwiceTheShare) {
  // 2 (p-1)/p S/B + 2 log2(p) alpha: 2 * 7/8 * 1e9 / 300e9 + 6 * 1.5e-6.
  EXPECT_NEAR(seconds(CollectiveKind::all_reduce, 8, 1, 1e9, plain_system()),
              2.0 * 7 / 8 * 1e9 / 300e9 + 6 * 1.5e-6, 1e-12);
}

TEST(Collective, GatherAndScatterMoveTheShareOnce) {
  const double expected = 3.0 / 4 * 1e9 / 25e9 + 2 * 4e-6;
  EXPECT_NEAR(seconds(CollectiveKind::all_gather, 1, 4, 1e9, plain_system()), expected, 1e-12);
  EXPECT_NEAR(seconds(CollectiveKind::reduce_scatter, 1, 4, 1e9, plain_system()), expected, 1e-12);
}

TEST(Collective, CrossesTheNetworkWithOneShareOfTheDomain) {
  const technology::System system = plain_system();
  const double inside = 7.0 / 8 * 1e9 / 300e9 + 3 * 1.5e-6;
  const double across = 2.0 * 3 / 4 * (1e9 / 8) / 25e9 + 4 * 4e-6;

  EXPECT_NEAR(seconds(CollectiveKind::all_reduce, 8, 4, 1e9, system), 2 * inside + across, 1e-12);
}

TEST(Collective, SwitchesThatReduceAreUsedWhereTheyPay) {
  technology::System system = plain_system();
  system.scale_up.in_network_reduction = true;
  system.scale_up.in_network_efficiency = 0.9;
  const auto reduce = collective_cost({CollectiveKind::all_reduce, {8, 1}, 1e9}, system);

  EXPECT_EQ(reduce.algorithm, Algorithm::in_network);
  EXPECT_NEAR(reduce.cost.time.total_s(), 1e9 * (1 + 1.0 / 8) / (0.9 * 300e9) + 2 * 1.5e-6, 1e-12);

  system.scale_up.in_network_efficiency = 0.3;
  EXPECT_NE(collective_cost({CollectiveKind::all_reduce, {8, 1}, 1e9}, system).algorithm,
            Algorithm::in_network);
}

TEST(Collective, BandwidthSaturatesWithMessageSize) {
  technology::System system = plain_system();
  system.scale_up.latency = Seconds::si(0.0);
  system.scale_up.half_size = Bytes::si(1e6);
  // A wire message of half_size bytes reaches half the bandwidth.
  const double bytes = 1e6 * 8 / 7;
  EXPECT_NEAR(seconds(CollectiveKind::all_gather, 8, 1, bytes, system), 2e6 / 300e9, 1e-12);
}

TEST(Collective, SmallMessagesDoNotWaitForSaturation) {
  technology::System system = plain_system();
  system.scale_up.latency = Seconds::si(0.0);
  system.scale_up.half_size = Bytes::si(1e6);
  // A tenth of half_size: the low-latency protocol at 0.4 of the rate beats (S + S_half) / B.
  const double bytes = 1e5 * 8 / 7;
  EXPECT_NEAR(seconds(CollectiveKind::all_gather, 8, 1, bytes, system), 1e5 / 0.4 / 300e9, 1e-15);
}

TEST(Transfer, TakesBytesOverBandwidthAndLatency) {
  const technology::System system = plain_system();
  const Cost cost = transfer_cost(25e6, parallel::Link::scale_out, system);

  EXPECT_NEAR(cost.time.total_s(), 1e-3 + 4e-6, 1e-12);
  EXPECT_EQ(dominant(cost.time), Resource::scale_out);
  EXPECT_DOUBLE_EQ(cost.work.scale_out_bytes, 25e6);
}

// Neighbours keep the full rate in a network that is thinner further up; trees and halving and
// doubling do not.
TEST(Collective, ThinTopologiesSlowWhatReachesFar) {
  technology::System system = plain_system();
  const double far_s = seconds(CollectiveKind::all_reduce, 1, 8, 1e6, system);
  system.scale_out.distant_share = 0.8;
  const auto thin = collective_cost({CollectiveKind::all_reduce, {1, 8}, 1e6}, system);
  EXPECT_EQ(thin.algorithm, Algorithm::halving_doubling);
  EXPECT_NEAR(thin.cost.time.total_s(), 2.0 * 7 / 8 * 1e6 / (0.8 * 25e9) + 6 * 4e-6, 1e-12);
  EXPECT_GT(thin.cost.time.total_s(), far_s);
}

TEST(Collective, ARingDoesNotCareAboutFarRanks) {
  technology::System system = plain_system();
  system.scale_out.distant_share = 0.1;
  const auto ring = collective_cost({CollectiveKind::all_reduce, {1, 8}, 1e9}, system);
  EXPECT_EQ(ring.algorithm, Algorithm::ring);
  EXPECT_NEAR(ring.cost.time.total_s(), 2.0 * 7 / 8 * 1e9 / 25e9 + 14 * 4e-6, 1e-12);
  const double pipeline_s = transfer_cost(1e9, parallel::Link::scale_out, system).time.total_s();
  EXPECT_NEAR(pipeline_s, 1e9 / 25e9 + 4e-6, 1e-12);
}

}  // namespace
}  // namespace scalesweep::estimator
