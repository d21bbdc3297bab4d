#include "estimator/parts/collective.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "support/example_system.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Collective;
using parallel::CollectiveKind;

// Half size 0, no handshakes and full bandwidth, so that the textbook formulas stand alone.
technology::System plain_system() {
  technology::System system = test::example_system();
  for (technology::Network* network : {&system.scale_up(), &system.scale_out()}) {
    network->sustained = 1.0;
    network->half_size = Bytes::si(0.0);
    network->handshake = Seconds::si(0.0);
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

// Inside a domain every rank copies half of its own part.
TEST(Collective, AllReduceMovesTwiceTheShare) {
  // 2 (p-1)/p S/B, half of the own part, 2 (p-1) alpha.
  EXPECT_NEAR(seconds(CollectiveKind::all_reduce, 8, 1, 1e9, plain_system()),
              (2.0 * 7 + 0.5) / 8 * 1e9 / 300e9 + 14 * 1.5e-6, 1e-12);
}

TEST(Collective, GatherAndScatterMoveTheShareOnce) {
  // Across nodes halving and doubling takes two steps among four, a ring three.
  const double expected = 3.0 / 4 * 1e9 / 25e9 + 2 * 4e-6;
  EXPECT_NEAR(seconds(CollectiveKind::all_gather, 1, 4, 1e9, plain_system()), expected, 1e-12);
  EXPECT_NEAR(seconds(CollectiveKind::reduce_scatter, 1, 4, 1e9, plain_system()), expected, 1e-12);
}

TEST(Collective, AllToAllSendsToAllAtOnce) {
  const auto cost = collective_cost({CollectiveKind::all_to_all, {8, 1}, 1e9}, plain_system());
  EXPECT_EQ(cost.algorithm, Algorithm::pairwise);
  // All at once reach 0.8 of what neighbours do.
  EXPECT_NEAR(cost.cost.time.total_s(), 7.5 / 8 * 1e9 / (0.8 * 300e9) + (3 + 5) * 1.5e-6, 1e-12);
  EXPECT_DOUBLE_EQ(cost.cost.work[Amount::scale_up_bytes], 7.0 / 8 * 1e9);
}

TEST(Collective, AllToAllAcrossNodesLeavesByTheOwnRail) {
  const auto cost = collective_cost({CollectiveKind::all_to_all, {8, 4}, 1e9}, plain_system());
  // 24 of 32 parts leave the domain.
  EXPECT_NEAR(cost.cost.time[Resource::scale_out], 0.75 * 1e9 / 25e9, 1e-12);
  EXPECT_DOUBLE_EQ(cost.cost.work[Amount::scale_out_bytes], 0.75 * 1e9);
  EXPECT_DOUBLE_EQ(cost.cost.work[Amount::scale_up_bytes], 7.0 / 32 * 1e9);
}

TEST(Collective, LargeMessagesCrossBothLevelsAtOnce) {
  const auto cost = collective_cost({CollectiveKind::all_reduce, {8, 4}, 1e9}, plain_system());
  // One ring through all ranks in slices: each of eight rails carries an eighth.
  EXPECT_EQ(cost.algorithm, Algorithm::ring);
  EXPECT_NEAR(cost.cost.time[Resource::scale_out], 2.0 * 31 / 32 * (1e9 / 8) / 25e9, 1e-12);
  EXPECT_EQ(cost.cost.time[Resource::scale_up], 0.0);
}

TEST(Collective, FewBytesAvoidTheLongRing) {
  const auto ring = collective_cost({CollectiveKind::all_reduce, {8, 64}, 1e11}, plain_system());
  const auto tree = collective_cost({CollectiveKind::all_reduce, {8, 64}, 1e5}, plain_system());
  EXPECT_EQ(ring.algorithm, Algorithm::ring);
  EXPECT_NE(tree.algorithm, Algorithm::ring);
  EXPECT_LT(tree.cost.time.total_s(), 1e-4);
}

TEST(Collective, SwitchesThatReduceAreUsedWhereTheyPay) {
  technology::System system = plain_system();
  system.scale_up().in_network_reduction = true;
  system.scale_up().in_network_efficiency = 0.9;
  const auto reduce = collective_cost({CollectiveKind::all_reduce, {8, 1}, 1e9}, system);

  EXPECT_EQ(reduce.algorithm, Algorithm::in_network);
  EXPECT_NEAR(reduce.cost.time.total_s(), 1e9 * (1 + 1.0 / 8) / (0.9 * 300e9) + 4 * 1.5e-6, 1e-12);

  // Switches add floating-point numbers alone.
  Collective integers{CollectiveKind::all_reduce, {8, 1}, 1e9};
  integers.switches_add = false;
  EXPECT_EQ(collective_cost(integers, system).algorithm, Algorithm::ring);

  system.scale_up().in_network_efficiency = 0.3;
  EXPECT_NE(collective_cost({CollectiveKind::all_reduce, {8, 1}, 1e9}, system).algorithm,
            Algorithm::in_network);
}

// S_half more bytes to send at the rate of the switch, whatever the half size of the links.
TEST(Collective, SwitchesThatReduceHaveAHalfSizeOfTheirOwn) {
  technology::System system = plain_system();
  system.scale_up().in_network_reduction = true;
  system.scale_up().in_network_efficiency = 0.9;
  system.scale_up().in_network_half_size = Bytes::si(20e6);
  const auto reduce = collective_cost({CollectiveKind::all_reduce, {8, 1}, 1e9}, system);
  EXPECT_EQ(reduce.algorithm, Algorithm::in_network);
  EXPECT_NEAR(reduce.cost.time.total_s(), (1e9 * (1 + 1.0 / 8) + 20e6) / (0.9 * 300e9) + 4 * 1.5e-6,
              1e-12);
  EXPECT_DOUBLE_EQ(reduce.cost.work[Amount::scale_up_bytes], 1e9 * (1 + 1.0 / 8));

  // A ring is filled sooner.
  EXPECT_NE(collective_cost({CollectiveKind::all_reduce, {8, 1}, 20e6}, system).algorithm,
            Algorithm::in_network);
}

// (sqrt(S) + (sqrt(2) - 1) sqrt(S_half))^2 / B: half the rate at S_half, and what a number of
// pieces that grows with the root of the message leaves of it beyond.
TEST(Collective, BandwidthSaturatesWithMessageSize) {
  technology::System system = plain_system();
  system.scale_out().latency = Seconds::si(0.0);
  system.scale_out().half_size = Bytes::si(1e6);
  const auto gathered = [&](double wire_bytes) {
    return seconds(CollectiveKind::all_gather, 1, 8, wire_bytes * 8 / 7, system);
  };
  EXPECT_NEAR(gathered(1e6), 2.0 * 1e6 / 25e9, 1e-12);
  EXPECT_NEAR(gathered(4e6), (2.41421356 * 2.41421356) * 1e6 / 25e9, 1e-12);
}

TEST(Collective, SmallMessagesDoNotWaitForSaturation) {
  technology::System system = plain_system();
  system.scale_up().latency = Seconds::si(0.0);
  system.scale_up().half_size = Bytes::si(1e6);
  // Flags beside the lines at 0.48 of the rate, the own part among them, beat S_half, and flags
  // beside the words at 16 GB/s.
  EXPECT_NEAR(seconds(CollectiveKind::all_gather, 8, 1, 1e5, system), 1e5 / 0.48 / 300e9, 1e-15);
}

// A quarter of a step more for each of seven than with a flag a word, which the bytes pay for from
// some size on.
TEST(Collective, FlagsBesideLinesTakeLongerToBegin) {
  technology::System system = plain_system();
  system.scale_up().handshake = Seconds::si(1e-3);
  const double word_s = 7 * 1.5e-6 + 7.0 / 8 * 16e3 / 16e9;
  const double line_s = 7 * 1.25 * 1.5e-6 + 1e6 / 0.48 / 300e9;
  EXPECT_NEAR(seconds(CollectiveKind::all_gather, 8, 1, 16e3, system), word_s, 1e-15);
  EXPECT_NEAR(seconds(CollectiveKind::all_gather, 8, 1, 1e6, system), line_s, 1e-15);
}

TEST(Collective, TheSmallestDoNotEvenShakeHands) {
  // Words with their flags take half of a link that is slower than the channels.
  technology::System system = plain_system();
  system.scale_out().handshake = Seconds::si(6e-6);
  EXPECT_NEAR(seconds(CollectiveKind::all_gather, 1, 2, 1800.0, system),
              900.0 / (0.5 * 25e9) + 4e-6, 1e-15);
}

// Of seven steps that wait 10 us each, half of what is sent hides its own time.
TEST(Collective, HandshakesOfStepsHideBehindHalfOfTheMessage) {
  technology::System system = plain_system();
  system.scale_up().handshake = Seconds::si(10e-6);
  const auto gathered = [&](double bytes) {
    return seconds(CollectiveKind::all_gather, 8, 1, bytes, system);
  };
  const double wire_s = 7.5 / 8 * 24e6 / 300e9;
  EXPECT_NEAR(gathered(24e6), 7 * 1.5e-6 + (70e-6 - 0.5 * wire_s) + wire_s, 1e-12);
  EXPECT_NEAR(gathered(24e8), 7 * 1.5e-6 + 100.0 * wire_s, 1e-12);
}

// Beyond 1.5 MB a rank libraries hand buffers over, though flags would be faster.
TEST(Collective, LongPartsGoWithoutFlags) {
  technology::System system = plain_system();
  system.scale_up().handshake = Seconds::si(30e-6);
  const auto gathered = [&](double bytes) {
    return seconds(CollectiveKind::all_gather, 8, 1, bytes, system);
  };
  EXPECT_NEAR(gathered(12e6), 7 * 1.25 * 1.5e-6 + 12e6 / 0.48 / 300e9, 1e-12);
  const double wire_s = 7.5 / 8 * 12.1e6 / 300e9;
  EXPECT_NEAR(gathered(12.1e6), 7 * 1.5e-6 + (210e-6 - 0.5 * wire_s) + wire_s, 1e-12);
}

// Each peer has its channel: 5 kB to every one of them take 1 us at 5 GB/s, however many there are.
TEST(Collective, SmallMessagesToAllTakeAChannelEach) {
  for (const std::int64_t ranks : {2, 4, 8}) {
    const double bytes = 5e3 * static_cast<double>(ranks);
    const double steps = ranks == 2 ? 1.0 : ranks == 4 ? 2.0 : 3.0;
    EXPECT_NEAR(seconds(CollectiveKind::all_to_all, ranks, 1, bytes, plain_system()),
                steps * 1.5e-6 + 1e-6, 1e-15);
  }
}

TEST(Collective, OneShotKernelsReadAllPeersWhereThatIsFaster) {
  technology::System system = plain_system();
  system.scale_up().one_shot_latency = Seconds::si(3e-6);
  system.scale_up().one_shot_efficiency = 0.5;
  Collective reduce{CollectiveKind::all_reduce, {4, 1}, 1e5};
  EXPECT_NE(collective_cost(reduce, system).algorithm, Algorithm::one_shot);

  reduce.library = parallel::CollectiveLibrary::one_shot;
  const auto small = collective_cost(reduce, system);
  EXPECT_EQ(small.algorithm, Algorithm::one_shot);
  EXPECT_NEAR(small.cost.time.total_s(), 3e-6 + 0.2 * 3 * 1.5e-6 + 3 * 1e5 / 150e9, 1e-15);

  reduce.bytes = 1e9;
  EXPECT_NE(collective_cost(reduce, system).algorithm, Algorithm::one_shot);
  system.scale_up().one_shot_efficiency = 0.0;  // no such kernels
  reduce.bytes = 1e5;
  EXPECT_NE(collective_cost(reduce, system).algorithm, Algorithm::one_shot);
}

technology::System system_with_kernels_of_its_own() {
  technology::System system = plain_system();
  system.scale_up().one_shot_latency = Seconds::si(3e-6);
  system.scale_up().one_shot_efficiency = 0.5;
  return system;
}

CollectiveCost reduced_by_kernels(double bytes, std::int64_t ranks,
                                  const technology::System& system) {
  Collective reduce{CollectiveKind::all_reduce, {ranks, 1}, bytes};
  reduce.library = parallel::CollectiveLibrary::one_shot;
  return collective_cost(reduce, system);
}

TEST(Collective, TwoShotsAreTakenWhereOneIsTooLong) {
  technology::System system = system_with_kernels_of_its_own();
  system.scale_up().call_latency = Seconds::si(30e-6);  // the general library is slow to begin
  EXPECT_EQ(reduced_by_kernels(1e4, 8, system).algorithm, Algorithm::one_shot);

  // Two rounds, each with its launch, the flags of seven peers and (p - 1)/p of the buffer at 0.7
  // of the rate of one shot.
  const CollectiveCost longer = reduced_by_kernels(1e6, 8, system);
  EXPECT_EQ(longer.algorithm, Algorithm::two_shot);
  EXPECT_NEAR(longer.cost.time.total_s(),
              2.0 * (3e-6 + 0.2 * 7 * 1.5e-6 + 7.0 / 8 * 1e6 / (0.7 * 150e9)), 1e-15);
  EXPECT_DOUBLE_EQ(longer.cost.work[Amount::scale_up_bytes], 2.0 * 7 / 8 * 1e6);

  // A ring keeps the links fuller than kernels that read their peers.
  EXPECT_EQ(reduced_by_kernels(1e9, 8, system).algorithm, Algorithm::ring);
}

TEST(Collective, BothOfTwoRanksReadAsMuchInTwoShotsAsInOne) {
  technology::System system = system_with_kernels_of_its_own();
  system.scale_up().call_latency = Seconds::si(1.0);
  for (double bytes = 64.0; bytes < 1e9; bytes *= 8.0) {
    EXPECT_EQ(reduced_by_kernels(bytes, 2, system).algorithm, Algorithm::one_shot) << bytes;
  }
}

TEST(Collective, MoreBytesNeverTakeLessWhicheverKernelReduces) {
  technology::System system = system_with_kernels_of_its_own();
  system.scale_up().call_latency = Seconds::si(30e-6);
  std::set<Algorithm> seen;
  double before_s = 0.0;
  for (double bytes = 64.0; bytes < 1e10; bytes *= 1.25) {
    const CollectiveCost now = reduced_by_kernels(bytes, 8, system);
    EXPECT_GT(now.cost.time.total_s(), before_s) << bytes;
    before_s = now.cost.time.total_s();
    seen.insert(now.algorithm);
    // Never slower than without them.
    EXPECT_LE(before_s, seconds(CollectiveKind::all_reduce, 8, 1, bytes, system)) << bytes;
  }
  EXPECT_EQ(seen.count(Algorithm::one_shot) + seen.count(Algorithm::two_shot), 2U);
}

// One shot below 100 kB, then two up to 1 MB (of four devices up to 2 MB), then the switch up to
// 10 MB between eight.
technology::System system_with_a_library() {
  technology::System system = system_with_kernels_of_its_own();
  technology::AllReduceKernels kernels;
  kernels.one_shot = {.latency = Seconds::si(2e-6),
                      .peer_latency = Seconds::si(0.1e-6),
                      .share = 0.6,
                      .from = {},
                      .up_to = {Bytes::si(1e6), Bytes::si(2e5), Bytes::si(1e5)}};
  kernels.two_shot = {.latency = Seconds::si(8e-6),
                      .peer_latency = Seconds::si(0.2e-6),
                      .share = 0.7,
                      .from = {},
                      .up_to = {Bytes(), Bytes::si(2e6), Bytes::si(1e6)}};
  kernels.multicast = {.latency = Seconds::si(10e-6),
                       .peer_latency = Seconds(),
                       .share = 0.5,
                       .from = {Bytes(), Bytes(), Bytes::si(3e6)},
                       .up_to = {Bytes(), Bytes(), Bytes::si(1e7)}};
  system.device.all_reduce = kernels;
  system.scale_up().in_network_reduction = true;
  system.scale_up().in_network_efficiency = 0.5;
  return system;
}

TEST(Collective, ALibraryLaunchesTheKernelThatItHasForASize) {
  const technology::System system = system_with_a_library();
  const auto of = [&](double bytes, std::int64_t ranks) {
    return reduced_by_kernels(bytes, ranks, system);
  };
  EXPECT_EQ(of(1e5, 8).algorithm, Algorithm::one_shot);
  EXPECT_NEAR(of(1e5, 8).cost.time.total_s(), 2e-6 + 7 * 0.1e-6 + 7 * 1e5 / (0.6 * 300e9), 1e-15);
  EXPECT_EQ(of(1.01e5, 8).algorithm, Algorithm::two_shot);
  EXPECT_NEAR(of(1e6, 8).cost.time.total_s(), 8e-6 + 7 * 0.2e-6 + 2.0 * 7 / 8 * 1e6 / (0.7 * 300e9),
              1e-15);
  EXPECT_DOUBLE_EQ(of(1e6, 8).cost.work[Amount::scale_up_bytes], 2.0 * 7 / 8 * 1e6);
  EXPECT_EQ(of(3e6, 8).algorithm, Algorithm::in_network);
  EXPECT_NEAR(of(3e6, 8).cost.time.total_s(), 10e-6 + 9.0 / 8 * 3e6 / (0.5 * 300e9), 1e-15);

  // Sizes are those of four for three, of eight for five.
  EXPECT_EQ(of(1.5e5, 3).algorithm, Algorithm::one_shot);
  EXPECT_EQ(of(1.5e5, 5).algorithm, Algorithm::two_shot);
  EXPECT_EQ(of(1e6, 2).algorithm, Algorithm::one_shot);
}

TEST(Collective, WhatNoKernelOfALibraryTakesGoesToTheGeneralOne) {
  technology::System system = system_with_a_library();
  const auto same_as_general = [&](double bytes, std::int64_t ranks) {
    EXPECT_EQ(reduced_by_kernels(bytes, ranks, system).cost.time.total_s(),
              seconds(CollectiveKind::all_reduce, ranks, 1, bytes, system))
        << bytes << " " << ranks;
  };
  same_as_general(2e6, 8);  // between two kernels
  same_as_general(2e7, 8);
  same_as_general(2e6, 2);
  system.scale_up().in_network_reduction = false;  // no switch that adds
  same_as_general(4e6, 8);
}

TEST(Collective, ALibraryForEightLeavesMoreDevicesToTheLinksKernels) {
  technology::System system = system_with_a_library();
  system.scale_up_domain() = 16;
  const double with = reduced_by_kernels(1e4, 16, system).cost.time.total_s();
  system.device.all_reduce.reset();
  EXPECT_EQ(with, reduced_by_kernels(1e4, 16, system).cost.time.total_s());
}

TEST(Collective, AStackOfTheGeneralLibraryLaunchesNoOther) {
  technology::System system = system_with_a_library();
  const double with = seconds(CollectiveKind::all_reduce, 8, 1, 1e4, system);
  system.device.all_reduce.reset();
  EXPECT_EQ(with, seconds(CollectiveKind::all_reduce, 8, 1, 1e4, system));
}

// Only where a library changes kernels may a larger message be faster, and as it gives each message
// to one kernel, the choice of the fastest is not its own.
TEST(Collective, MoreBytesNeverTakeLessInOneKernelOfALibrary) {
  const technology::System system = system_with_a_library();
  for (const std::int64_t ranks : {2, 4, 8}) {
    CollectiveCost before;
    std::int64_t kernels = 0;
    for (double bytes = 64.0; bytes < 1e9; bytes *= 1.25) {
      const CollectiveCost now = reduced_by_kernels(bytes, ranks, system);
      if (now.algorithm == before.algorithm) {
        EXPECT_GT(now.cost.time.total_s(), before.cost.time.total_s()) << bytes << " " << ranks;
      } else {
        ++kernels;
      }
      before = now;
    }
    EXPECT_GE(kernels, ranks == 2 ? 2 : 3);
  }
  // And among more devices never less.
  for (const double bytes : {1e3, 5e4, 1e5}) {
    double before_s = 0.0;
    for (std::int64_t ranks = 2; ranks <= 8; ++ranks) {
      const CollectiveCost now = reduced_by_kernels(bytes, ranks, system);
      EXPECT_EQ(now.algorithm, Algorithm::one_shot);
      EXPECT_GT(now.cost.time.total_s(), before_s) << bytes << " " << ranks;
      before_s = now.cost.time.total_s();
    }
  }
}

// What DeepEP's README gives for 16 to 256 H800, in microseconds, there in fp8 and back in bf16:
// 128 tokens of 7168, 8 experts each. Eight NICs of 400 Gb/s a node, which sustain nine tenths.
TEST(Collective, TokensWrittenStraightToExpertsTakeWhatIsPublished) {
  technology::System system = test::example_system();
  system.scale_out().bandwidth = BytesPerSecond::si(50e9);
  system.scale_out().sustained = 0.9;
  system.scale_out().fit.direct_latency_s = system.scale_up().fit.direct_latency_s = 30e-6;
  struct Published {
    std::int64_t nodes;
    double there_us, back_us;
  };
  for (const auto& [nodes, there_us, back_us] :
       {Published{2, 118, 195}, Published{4, 155, 273}, Published{8, 173, 314},
        Published{16, 192, 369}, Published{32, 194, 360}}) {
    const auto microseconds = [&](double bytes) {
      Collective sent = {CollectiveKind::all_to_all, {8, nodes}, 128.0 * 8.0 * bytes};
      sent.library = parallel::CollectiveLibrary::direct;
      return 1e6 * collective_cost(sent, system).cost.time.total_s();
    };
    EXPECT_NEAR(microseconds(7168.0 + 7168.0 / 128.0 * 4.0) / there_us, 1.0, 0.05) << nodes;
    EXPECT_NEAR(microseconds(2.0 * 7168.0) / back_us, 1.0, 0.1) << nodes;
  }
}

TEST(Collective, OnlyReductionsInsideADomainHaveKernelsOfTheirOwn) {
  const technology::System system = system_with_kernels_of_its_own();
  for (const CollectiveKind kind :
       {CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_to_all}) {
    Collective other{kind, {8, 1}, 1e5};
    other.library = parallel::CollectiveLibrary::one_shot;
    EXPECT_EQ(collective_cost(other, system).cost.time.total_s(), seconds(kind, 8, 1, 1e5, system));
  }
  Collective across{CollectiveKind::all_reduce, {8, 2}, 1e5};
  across.library = parallel::CollectiveLibrary::one_shot;
  EXPECT_EQ(collective_cost(across, system).cost.time.total_s(),
            seconds(CollectiveKind::all_reduce, 8, 2, 1e5, system));
}

TEST(Transfer, TakesBytesOverBandwidthAndLatency) {
  const technology::System system = plain_system();
  const Cost cost = transfer_cost(25e6, {1, 2}, system);

  EXPECT_NEAR(cost.time.total_s(), 1e-3 + (1 + 5) * 4e-6, 1e-12);
  EXPECT_EQ(dominant(cost.time), Resource::scale_out);
  EXPECT_DOUBLE_EQ(cost.work[Amount::scale_out_bytes], 25e6);
}

// Neighbours keep the full rate in a network that is thinner further up; trees and halving and
// doubling do not.
TEST(Collective, ThinTopologiesSlowWhatReachesFar) {
  technology::System system = plain_system();
  const double far_s = seconds(CollectiveKind::all_reduce, 1, 8, 1e6, system);
  system.scale_out().distant_share = 0.8;
  const auto thin = collective_cost({CollectiveKind::all_reduce, {1, 8}, 1e6}, system);
  EXPECT_EQ(thin.algorithm, Algorithm::halving_doubling);
  EXPECT_NEAR(thin.cost.time.total_s(), 2.0 * 7 / 8 * 1e6 / (0.8 * 25e9) + 6 * 4e-6, 1e-12);
  EXPECT_GT(thin.cost.time.total_s(), far_s);
}

// Of 64 ranks in a torus of circuits the far ones are 3 x 4 / 4 cables away: a third of the rate,
// whatever else is in the domain.
TEST(Collective, CircuitsSlowWhatIsNoRing) {
  const technology::System switched = plain_system();
  technology::System circuits = plain_system();
  circuits.scale_up().circuit_dimensions = 3;
  const double wire_s = (63 + 0.5) / 64 * 1e9 / (0.8 * 300e9);
  EXPECT_NEAR(seconds(CollectiveKind::all_to_all, 64, 1, 1e9, circuits) -
                  seconds(CollectiveKind::all_to_all, 64, 1, 1e9, switched),
              2.0 * wire_s, 1e-9);
  EXPECT_EQ(seconds(CollectiveKind::all_reduce, 8, 1, 1e9, circuits),
            seconds(CollectiveKind::all_reduce, 8, 1, 1e9, switched));
  for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                    CollectiveKind::reduce_scatter, CollectiveKind::all_to_all}) {
    for (const double bytes : {1e3, 1e6, 1e9}) {
      EXPECT_GE(seconds(kind, 64, 1, bytes, circuits), seconds(kind, 64, 1, bytes, switched));
    }
  }
}

TEST(Collective, ARingDoesNotCareAboutFarRanks) {
  technology::System system = plain_system();
  system.scale_out().distant_share = 0.1;
  const auto ring = collective_cost({CollectiveKind::all_reduce, {1, 8}, 1e9}, system);
  EXPECT_EQ(ring.algorithm, Algorithm::ring);
  EXPECT_NEAR(ring.cost.time.total_s(), 2.0 * 7 / 8 * 1e9 / 25e9 + 14 * 4e-6, 1e-12);
  const double pipeline_s = transfer_cost(1e9, {1, 2}, system).time.total_s();
  EXPECT_NEAR(pipeline_s, 1e9 / 25e9 + (1 + 5) * 4e-6, 1e-12);
}

// Pairs at 300 GB/s inside domains of eight at 30 GB/s, in pods of 32 at 25 and others at 10 GB/s.
technology::System nested_system() {
  technology::System system = plain_system();
  technology::LinkLevel domain = {system.scale_up(), 8};
  domain.link.bandwidth = BytesPerSecond::si(30e9);
  technology::LinkLevel beyond = {system.scale_out(), 0};
  beyond.link.bandwidth = BytesPerSecond::si(10e9);
  system.levels[0].size = 2;
  system.levels[1].size = 32;
  system.levels.insert(system.levels.begin() + 1, domain);
  system.levels.push_back(beyond);
  system.domain_level = 1;
  return system;
}

double seconds(CollectiveKind kind, std::array<std::int64_t, 4> ranks, double bytes,
               const technology::System& system) {
  Collective collective{kind, {}, bytes};
  collective.group.domain_level = system.domain_level;
  std::copy(ranks.begin(), ranks.end(), collective.group.ranks.begin());
  return collective_cost(collective, system).cost.time.total_s();
}

TEST(Levels, AGroupInsideABlockUsesItsLink) {
  const technology::System system = nested_system();
  EXPECT_NEAR(seconds(CollectiveKind::all_reduce, {2, 1, 1, 1}, 1e9, system),
              (2.0 + 0.5) / 2 * 1e9 / 300e9 + 2 * 1.5e-6, 1e-12);
  EXPECT_NEAR(seconds(CollectiveKind::all_gather, {1, 4, 1, 1}, 1e9, system),
              (3.0 + 0.5) / 4 * 1e9 / 30e9 + 3 * 1.5e-6, 1e-12);
}

// Hierarchical: each level as the collective of its own, on what the levels inside leave.
TEST(Levels, AGroupThatCrossesGoesLevelByLevel) {
  const technology::System system = nested_system();
  const auto own = [&](CollectiveKind kind, std::array<std::int64_t, 4> ranks, double bytes) {
    return seconds(kind, ranks, bytes, system);
  };
  const double bytes = 1e9;
  const double expected = own(CollectiveKind::reduce_scatter, {2, 1, 1, 1}, bytes) +
                          own(CollectiveKind::reduce_scatter, {1, 4, 1, 1}, bytes / 2) +
                          own(CollectiveKind::reduce_scatter, {1, 1, 4, 1}, bytes / 8) +
                          own(CollectiveKind::all_reduce, {1, 1, 1, 2}, bytes / 32) +
                          own(CollectiveKind::all_gather, {1, 1, 4, 1}, bytes / 8) +
                          own(CollectiveKind::all_gather, {1, 4, 1, 1}, bytes / 2) +
                          own(CollectiveKind::all_gather, {2, 1, 1, 1}, bytes);
  Collective all{CollectiveKind::all_reduce, {2, 4}, bytes};
  all.group.ranks = {2, 4, 4, 2, 1, 1};
  all.group.domain_level = 1;
  // As one ring, or a tree, the slowest level sets the time: what the pair hands on to its links.
  const double ring_s = 2.0 * 63 / 64 * bytes / 2 / 30e9;
  const CollectiveCost cost = collective_cost(all, system);
  EXPECT_EQ(cost.algorithm, Algorithm::ring);
  EXPECT_GT(expected, ring_s);
  // 32 steps inside pairs, 24 in domains, 6 in pods, 2 between them, twice around.
  const double steps_s = 2.0 * ((32 + 24) * 1.5e-6 + (6 + 2) * 4e-6);
  EXPECT_NEAR(cost.cost.time.total_s(), ring_s + steps_s, 1e-9);
  // What crosses is small here: many steps of a ring take longer than levels one by one.
  all.kind = CollectiveKind::reduce_scatter;
  all.bytes = 1e6;
  EXPECT_EQ(collective_cost(all, system).algorithm, Algorithm::hierarchical);
  EXPECT_DOUBLE_EQ(collective_cost(all, system).cost.work[Amount::scale_out_bytes],
                   3.0 / 4 * 1e6 / 8 + 1.0 / 2 * 1e6 / 32);
}

TEST(Levels, AllToAllLeavesEachLevelByItsOwnLink) {
  const technology::System system = nested_system();
  Collective all{CollectiveKind::all_to_all, {2, 4}, 64e6};
  all.group.ranks = {2, 4, 4, 2, 1, 1};
  all.group.domain_level = 1;
  const CollectiveCost cost = collective_cost(all, system);
  EXPECT_DOUBLE_EQ(cost.cost.work[Amount::scale_up_bytes], 7e6);
  EXPECT_DOUBLE_EQ(cost.cost.work[Amount::scale_out_bytes], 56e6);
  EXPECT_NEAR(cost.cost.time.total_s(), 32e6 / 10e9 + (6 + 5) * 4e-6, 1e-12);
}

TEST(Levels, EnergyIsThatOfTheLevelsThatBytesCross) {
  technology::System system = nested_system();
  system.levels[0].link.energy = JoulesPerByte::si(8e-12);
  system.levels[0].link.device_energy = JoulesPerByte::si(2e-12);
  system.levels[1].link.energy = JoulesPerByte::si(50e-12);
  Collective all{CollectiveKind::all_to_all, {2, 4}, 8e6};
  all.group.domain_level = 1;
  const Work work = collective_cost(all, system).cost.work;
  EXPECT_DOUBLE_EQ(work[Amount::scale_up_joules], 1e6 * 8e-12 + 6e6 * 50e-12);
  EXPECT_DOUBLE_EQ(work[Amount::sender_joules], 1e6 * 2e-12);
}

// Time follows every rate: twice the bandwidths and rates of channels, half the latencies and half
// the time constants of both levels halve it, whatever algorithm and protocol is best.
TEST(Collective, TimeIsHomogeneousInRatesAndLatencies) {
  const technology::System slow = test::example_system();
  technology::System fast = slow;
  for (technology::Network* network : {&fast.scale_up(), &fast.scale_out()}) {
    network->bandwidth = network->bandwidth * 2.0;
    network->latency = network->latency * 0.5;
    network->call_latency = network->call_latency * 0.5;
    network->handshake = network->handshake * 0.5;
    network->fit.word_bytes_per_s *= 2.0;
    network->fit.pair_word_bytes_per_s *= 2.0;
  }
  for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                    CollectiveKind::reduce_scatter, CollectiveKind::all_to_all}) {
    for (const double bytes : {1e3, 1e5, 1e7, 1e9}) {
      for (const std::int64_t outer : {1, 4}) {
        const double slow_s = seconds(kind, 8, outer, bytes, slow);
        EXPECT_NEAR(seconds(kind, 8, outer, bytes, fast), 0.5 * slow_s, 1e-12 * slow_s);
      }
    }
  }
}

TEST(Collective, MoreBytesNeverTakeLess) {
  const technology::System system = test::example_system();
  for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                    CollectiveKind::reduce_scatter, CollectiveKind::all_to_all}) {
    for (const std::int64_t outer : {1, 4}) {
      double before_s = 0.0;
      for (double bytes = 64.0; bytes < 1e10; bytes *= 1.1) {
        const double now_s = seconds(kind, 8, outer, bytes, system);
        EXPECT_GE(now_s, before_s);
        before_s = now_s;
      }
    }
  }
}

}  // namespace
}  // namespace scalesweep::estimator
