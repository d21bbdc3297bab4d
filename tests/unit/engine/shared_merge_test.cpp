// The merge of a run, of which every rank does a part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/host/files.hpp"
#include "rank_threads.hpp"
#include "support/temporary_folder.hpp"

namespace scalesweep::engine {
namespace {

using test::Outcome;
using test::outcome_of;
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

// Blocks of one chunk, so that there are many.
RunOptions in_small_blocks(const std::filesystem::path& output) {
  RunOptions options = writing_to(output);
  options.merge_buffer_bytes = 1;
  return options;
}

// Nothing of which says when it was made.
ThreadRun run_timeless(int ranks, const ToyOptions& toy, const RunOptions& options) {
  store::StudyDescription study = toy_description(toy);
  study.root_attributes["created"] = "2020-01-01T00:00:00Z";
  ThreadNetwork network(ranks);
  return run_threads(
      network, ranks, study, [&](int) { return toy_evaluator(toy); }, options);
}

class SharedMerge : public ::testing::TestWithParam<int> {};

TEST_P(SharedMerge, LeavesWhatOneRankLeaves) {
  for (const bool drop_odd : {false, true}) {
    const TemporaryFolder folder;
    const ToyOptions toy{.points = 20'007, .chunk_rows = 256, .drop_odd = drop_odd};
    run_timeless(1, toy, in_small_blocks(folder / "one.h5"));

    const ThreadRun run = run_timeless(GetParam(), toy, in_small_blocks(folder / "a.h5"));

    for (const Outcome& rank : run.ranks) {
      EXPECT_EQ(rank.message, "");
      EXPECT_EQ(rank.report.exit, ExitCode::ok);
    }
    EXPECT_GT(run.ranks[0].report.blocks_merged_elsewhere, 0);
    EXPECT_EQ(run.ranks[0].report.lost_ranks, 0);
    EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
    EXPECT_TRUE(read_file(folder / "a.h5") == read_file(folder / "one.h5")) << "byte for byte";
    EXPECT_FALSE(std::filesystem::exists(folder / "a.h5.d"));
    EXPECT_FALSE(std::filesystem::exists(folder / "a.h5.partial"));
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, SharedMerge, ::testing::Values(2, 4, 9));

TEST(SharedMergeOfARun, EndsWhereMessagesAreSlowAndOvertake) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 3'000, .chunk_rows = 64};

  const ThreadRun run = run_toy(3, toy, in_small_blocks(folder / "a.h5"),
                                {.seed = 3, .longest_delay_seconds = 0.005});

  EXPECT_EQ(run.ranks[0].message, "");
  EXPECT_GT(run.ranks[0].report.blocks_merged_elsewhere, 0);
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
}

TEST(SharedMergeOfARun, GoesOnWithoutRanksThatDie) {
  for (const int messages : {3, 6}) {
    const TemporaryFolder folder;
    const ToyOptions toy{.points = 5'000, .chunk_rows = 64};
    run_without_merge(toy, in_small_blocks(folder / "a.h5"));

    // All there is to say is of the merge, but for two words at the start.
    const ThreadRun run = run_toy(3, toy, in_small_blocks(folder / "a.h5"),
                                  {.dies_after_sending = {{1, messages}, {2, messages + 4}}});

    EXPECT_EQ(run.ranks[0].message, "");
    EXPECT_EQ(run.ranks[0].report.exit, ExitCode::ok);
    EXPECT_EQ(run.ranks[0].report.resumed_points, 5'000);
    EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
  }
}

TEST(SharedMergeOfARun, NeedsNoRankThatSeesAnotherFileSystem) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 5'000, .chunk_rows = 64};
  std::filesystem::create_directory(folder / "elsewhere");
  const RunOptions options = in_small_blocks(folder / "a.h5");
  run_without_merge(toy, options);
  ThreadNetwork network(2);
  const auto run_rank = [&](int rank) {
    return outcome_of([&] {
      Evaluator evaluator = toy_evaluator(toy);
      RunOptions own = options;
      own.quiet = true;
      own.output = rank == 0 ? options.output : folder / "elsewhere" / "a.h5";
      return run_study(*network.endpoint(rank), toy_description(toy), evaluator, own);
    });
  };
  Outcome other;
  std::thread thread([&] { other = run_rank(1); });

  const Outcome master = run_rank(0);
  thread.join();

  EXPECT_EQ(master.message, "");
  EXPECT_EQ(master.report.exit, ExitCode::ok);
  EXPECT_EQ(master.report.blocks_merged_elsewhere, 0);
  EXPECT_EQ(other.report.exit, ExitCode::ok) << other.message;
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
}

TEST(SharedMergeOfARun, StopsAndGoesOnWithOtherRanks) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 5'000, .chunk_rows = 64};
  const RunOptions options = in_small_blocks(folder / "a.h5");
  run_without_merge(toy, options);
  ThreadNetwork network(3);
  network.request_stop(2);

  // A rank hears of a signal while it merges: what comes first is a matter of time.
  const ThreadRun stopped = run_threads(
      network, 3, toy_description(toy), [&](int) { return toy_evaluator(toy); }, options);

  EXPECT_EQ(stopped.ranks[0].message, "");
  if (stopped.ranks[0].report.exit == ExitCode::resumable) {
    EXPECT_FALSE(std::filesystem::exists(folder / "a.h5"));
    EXPECT_THAT(stopped.log, HasSubstr("stopping: signal while merging"));
  }
  EXPECT_EQ(run_toy(2, toy, options).ranks[0].report.exit, ExitCode::ok);
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
}

}  // namespace
}  // namespace scalesweep::engine
