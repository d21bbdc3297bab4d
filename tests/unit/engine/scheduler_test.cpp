#include "engine/scheduler.hpp"

#include <gtest/gtest.h>

#include <array>

namespace scalesweep::engine {
namespace {

SchedulerOptions options(std::int64_t points, std::int64_t chunk_rows, int ranks) {
  SchedulerOptions o;
  o.points = points;
  o.chunk_rows = chunk_rows;
  o.ranks = ranks;
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

TEST(Scheduler, KeepsToTheLargestLease) {
  SchedulerOptions o = options(1'000'000, 10, 1);
  o.max_lease_points = 255;
  Scheduler scheduler(o, {});
  scheduler.measured(0, 1'000'000, 1.0);

  EXPECT_EQ(scheduler.next(0), (IdRange{0, 250}));
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

TEST(Scheduler, FreesTheRestOfALeaseThatWasWrittenInPart) {
  Scheduler scheduler(options(100, 10, 1), {});
  scheduler.measured(0, 1000, 1.0);
  ASSERT_EQ(scheduler.next(0), (IdRange{0, 50}));

  EXPECT_EQ(scheduler.completed(0, {0, 20}), 20);

  EXPECT_TRUE(scheduler.leases(0).empty());
  EXPECT_EQ(scheduler.free_points(), 80);
  EXPECT_EQ(scheduler.next(0)->first, 20);
}

TEST(Scheduler, LeasesWhatALostRankHadAsItWas) {
  Scheduler scheduler(options(100, 10, 2), {});
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
