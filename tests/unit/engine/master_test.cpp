#include "engine/master/master.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace scalesweep::engine {
namespace {

// A master of three ranks over 100 ids in chunks of 10, and what it sent.
class MasterTest : public ::testing::Test {
 protected:
  explicit MasterTest(std::vector<bool> present = {true, true, true})
      : master_(options(), {}, present, 0.0,
                [this](int rank, const Order& order) { sent_.emplace_back(rank, order); }) {}

  static MasterOptions options() {
    MasterOptions o;
    o.scheduler.ids = {0, 100};
    o.scheduler.chunk_rows = 10;
    o.scheduler.ranks = 3;
    o.scheduler.shares_left = 1.0;
    o.identity = "abc";
    o.rank_timeout_seconds = 60.0;
    return o;
  }

  void say(int rank, ReportKind kind, double now_s, IdRange ids = {}) {
    RankReport report;
    report.kind = kind;
    report.ids = ids;
    master_.handle(rank, report, now_s);
  }

  // What was sent since the last call.
  std::vector<std::pair<int, Order>> taken() { return std::exchange(sent_, {}); }

  std::vector<std::pair<int, Order>> sent_;
  Master master_;
};

TEST_F(MasterTest, AnswersRequestsWithLeases) {
  say(1, ReportKind::request, 0.0);
  say(2, ReportKind::request, 0.0);

  const auto sent = taken();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].first, 1);
  EXPECT_EQ(sent[0].second.kind, OrderKind::lease);
  EXPECT_EQ(sent[0].second.ids, (IdRange{0, 10}));
  EXPECT_EQ(sent[1].first, 2);
  EXPECT_EQ(sent[1].second.ids, (IdRange{10, 20}));
}

TEST_F(MasterTest, IsOverWhenAllIsComplete) {
  for (PointId id = 0; id < 100; id += 10) {
    EXPECT_FALSE(master_.over());
    say(1, ReportKind::request, 0.0);
    say(1, ReportKind::completed, 0.0, {id, id + 10});
  }

  EXPECT_TRUE(master_.over());
  EXPECT_TRUE(master_.complete());
  EXPECT_FALSE(master_.failure());
}

TEST_F(MasterTest, GivesTheLeasesOfASilentRankToAnotherThatWaits) {
  for (int lease = 0; lease < 10; ++lease) {
    say(1, ReportKind::request, 0.0);
  }
  say(2, ReportKind::request, 50.0);
  ASSERT_EQ(taken().size(), 10U) << "rank 2 has to wait";

  master_.tick(61.0);

  const auto sent = taken();
  ASSERT_FALSE(sent.empty());
  EXPECT_EQ(sent[0].first, 2);
  EXPECT_EQ(sent[0].second.ids, (IdRange{0, 10}));
  EXPECT_EQ(master_.lost_ranks(), 2) << "rank 0 never said a word either";
}

TEST_F(MasterTest, HearsARankThatWasOnlySlow) {
  say(1, ReportKind::request, 0.0);
  master_.tick(61.0);
  EXPECT_EQ(master_.lost_ranks(), 3);

  say(1, ReportKind::completed, 62.0, {0, 10});

  EXPECT_EQ(master_.lost_ranks(), 2);
  EXPECT_EQ(master_.completed_points(), 10);
}

TEST_F(MasterTest, RemembersTheRequestOfARankThatWasOnlySlow) {
  for (int lease = 0; lease < 10; ++lease) {
    say(1, ReportKind::request, 0.0);
  }
  say(2, ReportKind::request, 0.0);
  master_.tick(61.0);
  taken();

  say(2, ReportKind::progress, 62.0);
  master_.tick(62.0);

  const auto sent = taken();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].first, 2);
  EXPECT_EQ(sent[0].second.kind, OrderKind::lease);
}

TEST_F(MasterTest, SaysThatItLives) {
  master_.tick(10.0);
  EXPECT_TRUE(taken().empty());

  master_.tick(16.0);

  const auto sent = taken();
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(sent[2].first, 2);
  EXPECT_EQ(sent[2].second.kind, OrderKind::alive);
}

TEST_F(MasterTest, StopsWhenARankHeardASignal) {
  say(1, ReportKind::request, 0.0);
  say(2, ReportKind::request, 0.0);
  taken();

  say(2, ReportKind::stop, 1.0);

  const auto sent = taken();
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(sent[0].second.kind, OrderKind::stop);
  EXPECT_FALSE(master_.over());
  EXPECT_EQ(master_.stop_reason(), "signal at rank 2");
  say(1, ReportKind::request, 1.0);
  EXPECT_TRUE(taken().empty()) << "no leases any more";
  say(1, ReportKind::completed, 1.0, {0, 10});
  say(1, ReportKind::stopped, 1.0);
  EXPECT_FALSE(master_.over());
  say(2, ReportKind::stopped, 1.0);
  EXPECT_TRUE(master_.over());
  EXPECT_FALSE(master_.complete());
  EXPECT_EQ(master_.completed_points(), 10);
}

TEST_F(MasterTest, DoesNotWaitForTheDeadWhenItStops) {
  say(1, ReportKind::request, 0.0);
  master_.stop("time limit");
  EXPECT_FALSE(master_.over());

  master_.tick(61.0);

  EXPECT_TRUE(master_.over());
}

TEST_F(MasterTest, KeepsTheFirstFailure) {
  say(1, ReportKind::request, 0.0);
  RankReport failed;
  failed.kind = ReportKind::failed;
  failed.code = ExitCode::io;
  failed.text = "disk full";

  master_.handle(1, failed, 1.0);
  failed.text = "disk full too";
  master_.handle(2, failed, 1.0);

  ASSERT_TRUE(master_.failure());
  EXPECT_EQ(master_.failure()->code, ExitCode::io);
  EXPECT_EQ(master_.failure()->text, "rank 1: disk full");
  EXPECT_TRUE(master_.over());
}

TEST_F(MasterTest, CountsWhatIsNotYetWritten) {
  say(1, ReportKind::request, 0.0);
  RankReport progress;
  progress.totals.evaluated = 7;
  progress.totals.evaluate_seconds = 0.5;
  progress.totals.best_objective = 3.0;
  master_.handle(1, progress, 1.0);

  EXPECT_EQ(master_.evaluated_points(), 7);
  EXPECT_EQ(master_.completed_points(), 0);
  EXPECT_EQ(master_.totals().best_objective, 3.0);

  progress.kind = ReportKind::completed;
  progress.ids = {0, 10};
  progress.totals.evaluated = 10;
  master_.handle(1, progress, 1.0);

  EXPECT_EQ(master_.evaluated_points(), 10);
}

TEST_F(MasterTest, LeavesALeaseWithItsRankUntilAllOfItIsWritten) {
  say(1, ReportKind::request, 0.0);
  RankReport progress;
  progress.totals.evaluated = 1000;
  progress.totals.evaluate_seconds = 1.0;
  master_.handle(1, progress, 1.0);
  say(1, ReportKind::completed, 1.0, {0, 10});
  say(1, ReportKind::request, 1.0);
  const IdRange lease = taken().back().second.ids;
  ASSERT_GE(lease.size(), 20);

  say(1, ReportKind::completed, 2.0, {lease.first, lease.first + 10});
  master_.stop("time limit");

  EXPECT_FALSE(master_.over()) << "the rank goes on with its lease until it says otherwise";
  say(1, ReportKind::stopped, 2.0);
  EXPECT_TRUE(master_.over());
  EXPECT_EQ(master_.completed_points(), 20);
}

TEST_F(MasterTest, KnowsTheLongestWrite) {
  RankReport report;
  report.kind = ReportKind::progress;
  report.totals.segments = 2;
  report.totals.write_seconds = 0.5;
  master_.handle(1, report, 1.0);
  report.totals.segments = 3;
  report.totals.write_seconds = 0.6;
  master_.handle(1, report, 2.0);

  EXPECT_DOUBLE_EQ(master_.longest_write_seconds(), 0.25);
  EXPECT_EQ(master_.totals().segments, 3);
}

class MasterApart : public MasterTest {
 protected:
  MasterApart() : MasterTest({false, true, true}) {}
};

TEST_F(MasterApart, LeavesItsOwnRankOutUntilItIsNeeded) {
  master_.tick(16.0);
  for (const auto& [rank, order] : taken()) {
    EXPECT_NE(rank, 0);
  }
  master_.tick(61.0);
  EXPECT_EQ(master_.live_ranks(), 0);
  EXPECT_EQ(master_.lost_ranks(), 2);

  master_.admit(0, 61.0);
  say(0, ReportKind::request, 61.0);

  EXPECT_EQ(master_.live_ranks(), 1);
  EXPECT_EQ(taken().back().second.ids, (IdRange{0, 10}));
}

}  // namespace
}  // namespace scalesweep::engine
