// Runs of a part of the ids, runs that end early, runs of many ranks and of long leases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/host/files.hpp"
#include "engine/master/pace.hpp"
#include "engine/run.hpp"
#include "rank_threads.hpp"
#include "store/segments/output.hpp"
#include "support/temporary_folder.hpp"

namespace scalesweep::engine {
namespace {

using test::Outcome;
using test::run_threads;
using test::run_toy;
using test::run_without_merge;
using test::TemporaryFolder;
using test::ThreadRun;
using test::toy_description;
using test::toy_difference;
using test::toy_evaluator;
using test::ToyOptions;
using test::writing_to;
using ::testing::HasSubstr;

std::vector<IdRange> segments_of(const std::filesystem::path& output, const ToyOptions& toy) {
  const store::OutputReport report = store::inspect_output(output, toy_description(toy));
  std::vector<IdRange> ids;
  for (const store::Segment& segment : report.segments) {
    ids.push_back(segment.ids);
  }
  return ids;
}

TEST(Shard, EvaluatesItsIdsAloneAndMergesNothing) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 2'000, .chunk_rows = 64};
  RunOptions options = writing_to(folder / "a.h5");
  options.shard = IdRange{640, 1'280};

  const ThreadRun run = run_toy(2, toy, options);

  for (const Outcome& rank : run.ranks) {
    EXPECT_EQ(rank.message, "");
    EXPECT_EQ(rank.report.exit, ExitCode::ok);
  }
  EXPECT_EQ(run.ranks[0].report.points, 640);
  EXPECT_FALSE(run.ranks[0].report.already_finished);
  EXPECT_EQ(run.ranks[0].report.merge_seconds, 0.0);
  EXPECT_THAT(run.log, HasSubstr("640 points in "));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5"));
  const std::vector<IdRange> segments = segments_of(folder / "a.h5", toy);
  ASSERT_FALSE(segments.empty());
  EXPECT_EQ(segments.front().first, 640);
  EXPECT_EQ(segments.back().last, 1'280);
}

TEST(Shard, HasNothingToDoWhereItIsComplete) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 2'000, .chunk_rows = 64};
  RunOptions options = writing_to(folder / "a.h5");
  options.shard = IdRange{640, 1'280};
  run_toy(1, toy, options);

  const ThreadRun again = run_toy(2, toy, options);

  EXPECT_TRUE(again.ranks[0].report.already_finished);
  EXPECT_EQ(again.ranks[0].report.exit, ExitCode::ok);
  EXPECT_EQ(again.ranks[1].report.exit, ExitCode::ok);
  EXPECT_EQ(again.ranks[0].report.points, 0);
  EXPECT_EQ(again.log, (folder / "a.h5").string() + ": ids 640 to 1279 are complete already\n");
}

TEST(Shard, TakesOnlyItsPartOfSegmentsThatReachBeyond) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 1'024, .chunk_rows = 64};
  RunOptions options = writing_to(folder / "a.h5");
  options.shard = IdRange{0, 512};
  run_toy(1, toy, options);
  const std::vector<IdRange> earlier = segments_of(folder / "a.h5", toy);
  options.shard = IdRange{earlier.back().first + 1, 1'024};

  const ThreadRun run = run_toy(1, toy, options);

  EXPECT_EQ(run.ranks[0].message, "");
  EXPECT_EQ(run.ranks[0].report.resumed_points, earlier.back().size() - 1);
  EXPECT_EQ(run.ranks[0].report.points, 512);
}

TEST(Shard, IsMergedWithTheOthersByARunOfAll) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 2'000, .chunk_rows = 64};
  RunOptions options = writing_to(folder / "a.h5");
  for (const IdRange ids : {IdRange{1'000, 2'000}, IdRange{0, 1'000}}) {
    options.shard = ids;
    run_toy(2, toy, options);
  }

  const ThreadRun all = run_toy(2, toy, folder / "a.h5");

  EXPECT_EQ(all.ranks[0].report.points, 0);
  EXPECT_EQ(all.ranks[0].report.resumed_points, 2'000);
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
}

TEST(TimeLimit, StopsInTimeAndSaysWhy) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 1'000'000, .chunk_rows = 64, .cpu_seconds_per_point = 50e-6};
  RunOptions options = writing_to(folder / "a.h5");
  options.time_limit_seconds = 1.0;

  const ThreadRun run = run_toy(2, toy, options);

  EXPECT_EQ(run.ranks[0].report.exit, ExitCode::resumable);
  EXPECT_EQ(run.ranks[1].report.exit, ExitCode::resumable);
  EXPECT_GT(run.ranks[0].report.points, 0);
  EXPECT_THAT(run.log,
              HasSubstr("stopping: time limit of 1 s; what is under way is written first"));
  EXPECT_GT(run.ranks[0].report.serving_seconds, 0.0);
  EXPECT_LT(run.ranks[0].report.serving_seconds, run.ranks[0].report.serve_seconds);
}

TEST(TimeLimit, LeavesTimeToWrite) {
  EXPECT_DOUBLE_EQ(draining_seconds(2.0, 2, 0.01), 0.2) << "a tenth of a short run";
  EXPECT_NEAR(draining_seconds(3'600.0, 2, 0.01), 3.0, 0.01);
  EXPECT_NEAR(draining_seconds(3'600.0, 10'000, 0.01), 13.0, 0.01);
  EXPECT_DOUBLE_EQ(draining_seconds(3'600.0, 2, 10.0), 30.0) << "writes that were slow";
  EXPECT_DOUBLE_EQ(draining_seconds(10.0, 2, 10.0), 5.0) << "but half of it is for work";
}

TEST(Stop, ReachesTheMergeAsWell) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 5'000, .chunk_rows = 64};
  const RunOptions options = writing_to(folder / "a.h5");

  const ThreadRun run = run_without_merge(toy, options);

  EXPECT_EQ(run.ranks[0].message, "");
  EXPECT_EQ(run.ranks[0].report.exit, ExitCode::resumable);
  EXPECT_EQ(run.ranks[0].report.points, 5'000);
  EXPECT_THAT(run.log, HasSubstr("stopping: signal while merging; the same command goes on there"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5"));

  const ThreadRun again = run_toy(2, toy, folder / "a.h5");

  EXPECT_EQ(again.ranks[0].report.exit, ExitCode::ok);
  EXPECT_EQ(again.ranks[0].report.resumed_points, 5'000);
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
}

TEST(Stop, NamesTheRankThatHeardTheSignal) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 1'000'000, .chunk_rows = 64, .cpu_seconds_per_point = 50e-6};
  ThreadNetwork network(2);
  const RunOptions options = writing_to(folder / "a.h5");
  network.request_stop(1);

  const ThreadRun run = run_threads(
      network, 2, toy_description(toy), [&](int) { return toy_evaluator(toy); }, options);

  EXPECT_EQ(run.ranks[0].report.exit, ExitCode::resumable);
  EXPECT_THAT(run.log, HasSubstr("stopping: signal at rank 1; what is under way"));
}

TEST(LongLeases, AreWrittenPieceByPieceAndLeaveOneSegment) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 20'000, .chunk_rows = 64, .cpu_seconds_per_point = 20e-6};
  RunOptions options = writing_to(folder / "a.h5");
  options.segment_seconds = 0.01;
  options.shard = IdRange{0, 20'000};

  const ThreadRun run = run_toy(1, toy, options);

  const auto left = static_cast<std::int64_t>(segments_of(folder / "a.h5", toy).size());
  EXPECT_GT(run.ranks[0].report.segments, left + 5) << "of " << left;

  run_toy(1, toy, folder / "a.h5");
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
}

// A search is one point to the engine, and may take minutes.
TEST(LongPoints, AreNoSilence) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 40, .chunk_rows = 1};
  RunOptions options = writing_to(folder / "a.h5");
  options.rank_timeout_seconds = 1.0;
  ThreadNetwork network(2);

  const ThreadRun run = run_threads(
      network, 2, toy_description(toy),
      [&](int) {
        Evaluator evaluator = toy_evaluator(toy);
        evaluator.evaluate = [evaluate = evaluator.evaluate](IdRange ids, RangeResult& result) {
          if (ids.first == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(3000));
          }
          evaluate(ids, result);
        };
        return evaluator;
      },
      options);

  EXPECT_EQ(run.ranks[0].report.exit, ExitCode::ok);
  EXPECT_EQ(run.ranks[0].report.lost_ranks, 0);
  EXPECT_EQ(run.ranks[1].message, "");
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
}

TEST(ManyRanks, LeaveWhatOneLeaves) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 40'009, .chunk_rows = 64, .drop_odd = true};
  RunOptions options = writing_to(folder / "64.h5");
  options.segment_seconds = 0.01;

  const ThreadRun run = run_toy(64, toy, options);

  EXPECT_EQ(run.ranks[0].message, "");
  EXPECT_EQ(run.ranks[0].report.lost_ranks, 0);
  EXPECT_EQ(toy_difference(folder / "64.h5", toy), "");
}

TEST(Pace, KeepsMessagesAndFilesFew) {
  const RunOptions options;
  EXPECT_DOUBLE_EQ(pace_of(2, options).segment_seconds, 5.0);
  EXPECT_DOUBLE_EQ(pace_of(10'000, options).segment_seconds, 50.0);
  RunOptions given;
  given.segment_seconds = 1.0;
  EXPECT_DOUBLE_EQ(pace_of(10'000, given).segment_seconds, 1.0);
  EXPECT_DOUBLE_EQ(pace_of(2, options).report_interval_seconds, 0.2);
  EXPECT_DOUBLE_EQ(pace_of(10'000, options).report_interval_seconds, 10.0);
  EXPECT_DOUBLE_EQ(pace_of(10'000, options).rank_timeout_seconds, 60.0);
  EXPECT_DOUBLE_EQ(pace_of(100'000, options).rank_timeout_seconds, 400.0);
  EXPECT_TRUE(pace_of(64, options).master_computes);
  EXPECT_FALSE(pace_of(10'000, options).master_computes);
}

TEST(Room, IsAskedForBeforeWorkBegins) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 1'000};
  RunOptions options = writing_to(folder / "a.h5");
  options.stored_bytes_per_id = [] { return 1e18; };

  const ThreadRun run = run_toy(2, toy, options);

  EXPECT_EQ(run.ranks[0].failed, ExitCode::cannot_create);
  EXPECT_THAT(run.ranks[0].message, HasSubstr("a.h5: about "));
  EXPECT_THAT(run.ranks[0].message, HasSubstr("--no-space-check"));
  EXPECT_EQ(run.ranks[1].report.exit, ExitCode::cannot_create);
}

TEST(Room, IsNotAskedForWhereNothingIsLeftToDo) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 1'000};
  RunOptions options = writing_to(folder / "a.h5");
  run_without_merge(toy, options);
  bool asked = false;
  options.stored_bytes_per_id = [&] {
    asked = true;
    return 1e18;
  };

  const ThreadRun run = run_toy(1, toy, options);

  EXPECT_EQ(run.ranks[0].report.exit, ExitCode::ok);
  EXPECT_FALSE(asked);
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
}

TEST(Room, EndsARunEarlyWhenItIsUsedUp) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 200'000, .chunk_rows = 64, .cpu_seconds_per_point = 50e-6};
  RunOptions options = writing_to(folder / "a.h5");
  options.stored_bytes_per_id = [] { return 10.0; };
  int times = 0;
  options.free_bytes = [&] { return times++ == 0 ? 1e9 : 1e3; };

  const ThreadRun run = run_toy(2, toy, options);

  EXPECT_EQ(run.ranks[0].message, "");
  EXPECT_EQ(run.ranks[0].report.exit, ExitCode::resumable);
  EXPECT_LT(run.ranks[0].report.points, toy.points);
  EXPECT_THAT(run.log, HasSubstr("stopping: only 1 kB are free at " + (folder / "a.h5.d").string() +
                                 "; what is under way"));
}

}  // namespace
}  // namespace scalesweep::engine
