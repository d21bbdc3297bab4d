#include "engine/master/scheduler.hpp"

#include <gtest/gtest.h>

#include <array>

namespace scalesweep::engine {
namespace {

SchedulerOptions options(std::int64_t points, std::int64_t chunk_rows, int ranks) {
  SchedulerOptions o;
  o.ids = {0, points};
  o.chunk_rows = chunk_rows;
  o.ranks = ranks;
  o.shortest_part = 0.0;
  return o;
}

TEST(Scheduler, BeginsWithOneChunk) {
  Scheduler scheduler(options(1000, 10, 2), {});

  EXPECT_EQ(scheduler.next(0), (IdRange{0, 10}));
  EXPECT_EQ(scheduler.next(1), (IdRange{10, 20}));
  EXPECT_EQ(scheduler.next(0), (IdRange{20, 30})) << "a rank may hold several";
  EXPECT_EQ(scheduler.leases(0).size(), 2U);
}

TEST(Scheduler, LeasesAsMuchAsTheRankDoesInTheLeaseTime) {
  SchedulerOptions o = options(1'000'000, 10, 2);
  o.lease_seconds = 5.0;
  Scheduler scheduler(o, {});
  scheduler.measured(0, 200, 1.0);
  scheduler.measured(1, 50, 1.0);

  EXPECT_EQ(scheduler.next(0), (IdRange{0, 1000}));
  EXPECT_EQ(scheduler.next(1), (IdRange{1000, 1250}));
}

TEST(Scheduler, LeasesAShareOfWhatIsLeft) {
  SchedulerOptions o = options(1000, 10, 2);
  o.shares_left = 2.0;
  Scheduler scheduler(o, {});
  scheduler.measured(0, 3'000'000, 1.0);
  scheduler.measured(1, 1'000'000, 1.0);

  EXPECT_EQ(scheduler.next(0), (IdRange{0, 370})) << "3/4 of a half of 1000, in whole chunks";
  EXPECT_EQ(scheduler.next(1), (IdRange{370, 440})) << "1/4 of a half of 630";
}

TEST(Scheduler, ShrinksLeasesToOneChunk) {
  Scheduler scheduler(options(1000, 10, 1), {});
  scheduler.measured(0, 1'000'000, 1.0);
  std::int64_t last = 1000;
  std::int64_t leases = 0;
  while (const auto lease = scheduler.next(0)) {
    EXPECT_LE(lease->size(), last);
    last = lease->size();
    ++leases;
  }

  EXPECT_EQ(last, 10);
  EXPECT_LT(leases, 20);
}

TEST(Scheduler, LeasesNoLessThanAPartOfWhatTheRankHasWorked) {
  SchedulerOptions o = options(1'000, 10, 10);
  o.shortest_part = 0.01;
  Scheduler scheduler(o, {});
  scheduler.measured(0, 8'000, 100.0);

  EXPECT_EQ(scheduler.next(0), (IdRange{0, 80})) << "80 a second, 1 % of 100 s";
}

TEST(Scheduler, KeepsToItsIds) {
  SchedulerOptions o = options(0, 10, 1);
  o.ids = {25, 43};
  const std::array<IdRange, 1> done = {IdRange{25, 27}};
  Scheduler scheduler(o, done);

  EXPECT_EQ(scheduler.next(0), (IdRange{27, 30})) << "to the end of the chunk";
  EXPECT_EQ(scheduler.next(0), (IdRange{30, 40}));
  EXPECT_EQ(scheduler.next(0), (IdRange{40, 43}));
  EXPECT_FALSE(scheduler.next(0));
  for (const IdRange ids : {IdRange{27, 30}, IdRange{30, 40}, IdRange{40, 43}}) {
    scheduler.completed(0, ids);
  }
  EXPECT_TRUE(scheduler.complete());
  EXPECT_EQ(scheduler.completed_points(), 18);
}

TEST(Scheduler, ForgetsOldRates) {
  Scheduler scheduler(options(1000, 10, 1), {});
  scheduler.measured(0, 1'000'000, 1.0);
  EXPECT_NEAR(scheduler.rate(0), 1e6, 1.0);

  scheduler.measured(0, 1'000, 100.0);

  EXPECT_LT(scheduler.rate(0), 20.0);
}

TEST(Scheduler, TakesUnmeasuredRanksForAverage) {
  SchedulerOptions o = options(1000, 10, 2);
  o.shares_left = 2.0;
  Scheduler scheduler(o, {});
  scheduler.measured(0, 1'000'000, 1.0);

  EXPECT_EQ(scheduler.next(0), (IdRange{0, 250}));
}

TEST(Scheduler, GoesOnWhereEarlierRunsStopped) {
  const std::array<IdRange, 2> done = {IdRange{40, 60}, IdRange{0, 10}};
  Scheduler scheduler(options(65, 10, 1), done);

  EXPECT_EQ(scheduler.completed_points(), 30);
  EXPECT_EQ(scheduler.next(0), (IdRange{10, 20}));
  EXPECT_EQ(scheduler.next(0), (IdRange{20, 30}));
  EXPECT_EQ(scheduler.next(0), (IdRange{30, 40}));
  EXPECT_EQ(scheduler.next(0), (IdRange{60, 65}));
  EXPECT_FALSE(scheduler.next(0));
  EXPECT_FALSE(scheduler.complete());
  for (const IdRange ids : {IdRange{10, 20}, IdRange{20, 30}, IdRange{30, 40}, IdRange{60, 65}}) {
    EXPECT_EQ(scheduler.completed(0, ids), ids.size());
  }
  EXPECT_TRUE(scheduler.complete());
}

TEST(Scheduler, IsCompleteWhereNothingIsLeft) {
  const std::array<IdRange, 1> all = {IdRange{0, 20}};

  EXPECT_TRUE(Scheduler(options(20, 10, 1), all).complete());
  EXPECT_TRUE(Scheduler(options(0, 10, 1), {}).complete());
}

TEST(Scheduler, LeavesTheRestOfALeaseThatIsWrittenPieceByPiece) {
  Scheduler scheduler(options(100, 10, 1), {});
  scheduler.measured(0, 1000, 1.0);
  const IdRange lease = *scheduler.next(0);
  ASSERT_GE(lease.size(), 30);

  EXPECT_EQ(scheduler.completed(0, {0, 10}), 10);

  ASSERT_EQ(scheduler.leases(0).size(), 1U);
  EXPECT_EQ(scheduler.leases(0).front(), (IdRange{10, lease.last}));
  EXPECT_EQ(scheduler.free_points(), 100 - lease.last);

  EXPECT_EQ(scheduler.completed(0, {10, lease.last}), lease.last - 10);
  EXPECT_TRUE(scheduler.leases(0).empty());
}

TEST(Scheduler, FreesWhatIsGivenBackAfterItsFrontWasWritten) {
  Scheduler scheduler(options(100, 10, 1), {});
  scheduler.measured(0, 1000, 1.0);
  const IdRange lease = *scheduler.next(0);
  scheduler.completed(0, {0, 20});

  scheduler.lost(0);

  EXPECT_TRUE(scheduler.leases(0).empty());
  EXPECT_EQ(scheduler.free_points(), 80);
  EXPECT_EQ(scheduler.next(0), (IdRange{20, lease.last})) << "as a whole";
}

// A segment that overlaps one that counts could not be merged with it.
TEST(Scheduler, CountsNoSegmentThatOverlapsAnother) {
  SchedulerOptions one = options(100, 10, 2);
  one.shares_left = 1.0;
  Scheduler s(one, {});
  s.measured(0, 1000, 1.0);
  ASSERT_EQ(s.next(0), (IdRange{0, 50}));
  s.lost(0);
  ASSERT_EQ(s.next(1), (IdRange{0, 50}));
  EXPECT_EQ(s.completed(0, {0, 20}), 20) << "was only slow";

  EXPECT_EQ(s.completed(1, {0, 30}), 0);

  EXPECT_EQ(s.completed_points(), 20);
  EXPECT_EQ(s.leases(1).front(), (IdRange{30, 50}));
  EXPECT_EQ(s.next(0), (IdRange{20, 30})) << "what the segment left open";
}

TEST(Scheduler, LeasesWhatALostRankHadAsItWas) {
  SchedulerOptions o = options(100, 10, 2);
  o.shares_left = 2.0;
  Scheduler scheduler(o, {});
  scheduler.measured(0, 1000, 1.0);
  scheduler.measured(1, 1, 10.0);
  ASSERT_EQ(scheduler.next(0), (IdRange{0, 40}));

  scheduler.lost(0);

  EXPECT_EQ(scheduler.next(1), (IdRange{0, 40})) << "though rank 1 is slow";
  EXPECT_EQ(scheduler.completed(0, {0, 40}), 40) << "was only taken for dead";
  EXPECT_EQ(scheduler.completed(1, {0, 40}), 0);
  EXPECT_EQ(scheduler.completed_points(), 40);
  EXPECT_TRUE(scheduler.leases(1).empty());
}

TEST(Scheduler, DoesNotLeaseWhatALostRankWroteAfterAll) {
  Scheduler scheduler(options(30, 10, 2), {});
  ASSERT_EQ(scheduler.next(0), (IdRange{0, 10}));
  scheduler.lost(0);

  EXPECT_EQ(scheduler.completed(0, {0, 10}), 10);

  EXPECT_EQ(scheduler.next(1), (IdRange{10, 20}));
}

}  // namespace
}  // namespace scalesweep::engine
