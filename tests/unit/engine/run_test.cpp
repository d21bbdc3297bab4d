#include "engine/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <map>
#include <mutex>
#include <set>

#include "core/host/files.hpp"
#include "engine/output_lock.hpp"
#include "rank_threads.hpp"
#include "store/segments/output.hpp"
#include "support/temporary_folder.hpp"

namespace scalesweep::engine {
namespace {

using test::Outcome;
using test::run_threads;
using test::run_toy;
using test::TemporaryFolder;
using test::ThreadRun;
using test::toy_description;
using test::toy_difference;
using test::toy_evaluator;
using test::ToyOptions;
using test::writing_to;
using ::testing::HasSubstr;

IdRange ids_of(const ToyOptions& toy) {
  return {0, toy.points};
}

class RunOnRanks : public ::testing::TestWithParam<int> {};

TEST_P(RunOnRanks, LeavesTheSameFile) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 10'007, .chunk_rows = 256, .cpu_seconds_per_point = 5e-6};

  const ThreadRun run = run_toy(GetParam(), toy, folder / "a.h5");

  for (const Outcome& rank : run.ranks) {
    EXPECT_EQ(rank.message, "");
    EXPECT_EQ(rank.report.exit, ExitCode::ok);
  }
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5.d"));
  const RunReport& report = run.ranks[0].report;
  EXPECT_EQ(report.points, toy.points);
  EXPECT_EQ(report.resumed_points, 0);
  EXPECT_EQ(report.ranks, GetParam());
  EXPECT_EQ(report.lost_ranks, 0);
  EXPECT_GE(report.segments, 1);
  EXPECT_GT(report.evaluate_seconds, 0.9 * 5e-6 * 10'007);
  EXPECT_GT(report.write_seconds, 0.0);
  EXPECT_GT(report.merge_seconds, 0.0);
  EXPECT_GE(report.wall_seconds, report.serve_seconds + report.merge_seconds);
  EXPECT_GT(report.peak_memory_bytes, 1'000'000);
  EXPECT_THAT(run.log, HasSubstr("10,007 points in "));
}

TEST_P(RunOnRanks, LeavesTheSameFileWhenRowsAreDropped) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 3'001, .chunk_rows = 64, .drop_odd = true};

  run_toy(GetParam(), toy, folder / "a.h5");

  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
}

TEST_P(RunOnRanks, EndsWhereMessagesAreSlowAndOvertake) {
  for (const std::uint64_t seed : {1, 2}) {
    const TemporaryFolder folder;
    const ToyOptions toy{.points = 500, .chunk_rows = 32};

    const ThreadRun run =
        run_toy(GetParam(), toy, folder / "a.h5", {.seed = seed, .longest_delay_seconds = 0.005});

    EXPECT_EQ(run.ranks[0].message, "");
    EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, RunOnRanks, ::testing::Values(1, 2, 4, 8));

TEST(Run, TakesAnySize) {
  for (const std::int64_t points : {1, 63, 64, 65, 128}) {
    const TemporaryFolder folder;
    const ToyOptions toy{.points = points, .chunk_rows = 64};

    run_toy(2, toy, folder / "a.h5");

    EXPECT_EQ(toy_difference(folder / "a.h5", toy), "") << points;
  }
}

TEST(Run, FinishesAStudyOfNoPoints) {
  const TemporaryFolder folder;

  const ThreadRun run = run_toy(2, {.points = 0}, folder / "a.h5");

  EXPECT_EQ(run.ranks[0].message, "");
  EXPECT_EQ(store::StudyReader(folder / "a.h5").rows(), 0);
}

TEST(Run, LeasesWhatIsEvaluatedTogetherAsAWhole) {
  constexpr std::int64_t together = 150;
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 20 * together, .chunk_rows = 64, .cpu_seconds_per_point = 5e-6};
  ThreadNetwork network(3);
  std::mutex mutex;
  std::map<std::int64_t, std::set<int>> ranks_of;

  const ThreadRun run = run_threads(
      network, 3, toy_description(toy),
      [&](int rank) {
        Evaluator evaluator = toy_evaluator(toy);
        evaluator.together = together;
        evaluator.evaluate = [&, rank, evaluate = evaluator.evaluate](IdRange ids,
                                                                      RangeResult& rows) {
          evaluate(ids, rows);
          const std::lock_guard lock(mutex);
          for (PointId id = ids.first; id < ids.last; ++id) {
            ranks_of[id / together].insert(rank);
          }
        };
        return evaluator;
      },
      writing_to(folder / "a.h5"));

  EXPECT_EQ(run.ranks[0].report.exit, ExitCode::ok);
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
  EXPECT_EQ(ranks_of.size(), 20u);
  for (const auto& [group, ranks] : ranks_of) {
    EXPECT_EQ(ranks.size(), 1u) << group;
  }
}

TEST(Run, WorksWithoutAMasterThatComputes) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 2'000, .cpu_seconds_per_point = 5e-6};
  ThreadNetwork network(3);
  RunOptions options = writing_to(folder / "a.h5");
  options.master_computes_up_to_ranks = 2;
  std::atomic<std::int64_t> by_master = 0;

  const ThreadRun run = run_threads(
      network, 3, toy_description(toy),
      [&](int rank) {
        Evaluator evaluator = toy_evaluator(toy);
        return Evaluator{[&, rank, evaluate = evaluator.evaluate](IdRange ids, RangeResult& rows) {
                           by_master += rank == 0 ? ids.size() : 0;
                           evaluate(ids, rows);
                         },
                         {},
                         {}};
      },
      options);

  EXPECT_EQ(run.ranks[0].report.exit, ExitCode::ok);
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
  EXPECT_EQ(by_master, 0);
}

// Toy values are above zero, and the best of what is maximised is held as its negative.
TEST(Run, ShowsTheBestSoFar) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 4'000, .chunk_rows = 64, .cpu_seconds_per_point = 3e-4};
  RunOptions options = writing_to(folder / "a.h5");
  options.progress_line = true;
  options.objective_units = "W";
  EXPECT_THAT(run_toy(2, toy, options).log, HasSubstr("best 1"));

  options = writing_to(folder / "b.h5");
  options.progress_line = true;
  options.objective_units = "W";
  options.most_is_best = true;
  EXPECT_THAT(run_toy(2, toy, options).log, HasSubstr("best -1"));
}

TEST(Run, IsQuietWhenAsked) {
  const TemporaryFolder folder;
  RunOptions options = writing_to(folder / "a.h5");
  options.quiet = true;

  const ThreadRun run = run_toy(1, {}, options);

  EXPECT_EQ(run.log, "");
}

// Evaluates as `toy`, and calls `at_points` once, when that many were evaluated on this rank.
Evaluator interrupted(const ToyOptions& toy, std::int64_t points, std::function<void()> at_points) {
  Evaluator evaluator = toy_evaluator(toy);
  const auto left = std::make_shared<std::int64_t>(points);
  evaluator.evaluate = [evaluate = evaluator.evaluate, left, at_points](IdRange ids,
                                                                        RangeResult& result) {
    evaluate(ids, result);
    const bool before = *left > 0;
    *left -= ids.size();
    if (before && *left <= 0) {
      at_points();
    }
  };
  return evaluator;
}

class StopOnRank : public ::testing::TestWithParam<int> {};

TEST_P(StopOnRank, KeepsWhatIsWholeAndGoesOn) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 20'000, .chunk_rows = 64, .cpu_seconds_per_point = 20e-6};
  const int stopper = GetParam();
  ThreadNetwork network(3);
  const RunOptions options = writing_to(folder / "a.h5");

  const ThreadRun stopped = run_threads(
      network, 3, toy_description(toy),
      [&](int rank) {
        return rank == stopper
                   ? interrupted(toy, 1'000, [&network, rank] { network.request_stop(rank); })
                   : toy_evaluator(toy);
      },
      options);

  for (const Outcome& rank : stopped.ranks) {
    EXPECT_EQ(rank.message, "");
    EXPECT_EQ(rank.report.exit, ExitCode::resumable);
  }
  EXPECT_GT(stopped.ranks[0].report.points, 0);
  EXPECT_LT(stopped.ranks[0].report.points, toy.points);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5"));

  const ThreadRun resumed = run_toy(2, toy, folder / "a.h5");

  EXPECT_EQ(resumed.ranks[0].report.exit, ExitCode::ok);
  EXPECT_EQ(resumed.ranks[0].report.resumed_points, stopped.ranks[0].report.points);
  EXPECT_EQ(resumed.ranks[0].report.points + stopped.ranks[0].report.points, toy.points);
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
}

INSTANTIATE_TEST_SUITE_P(Ranks, StopOnRank, ::testing::Values(0, 2));

TEST(Run, StopsAloneInTheMiddleOfALease) {
  const TemporaryFolder folder;
  // One chunk takes 13 ms, a lease up to 5 s.
  const ToyOptions toy{.points = 100'000, .chunk_rows = 64, .cpu_seconds_per_point = 200e-6};
  ThreadNetwork network(1);
  const RunOptions options = writing_to(folder / "a.h5");

  const ThreadRun run = run_threads(
      network, 1, toy_description(toy),
      [&](int) { return interrupted(toy, 2'000, [&network] { network.request_stop(0); }); },
      options);

  const RunReport& report = run.ranks[0].report;
  EXPECT_EQ(report.exit, ExitCode::resumable);
  EXPECT_GE(report.points, 1'900);
  EXPECT_LT(report.points, 4'000);
  EXPECT_EQ(report.points % toy.chunk_rows, 0);
}

TEST(Run, EndsWithTheFailureOfARankAndKeepsTheRest) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 20'000, .chunk_rows = 64, .cpu_seconds_per_point = 20e-6};
  ThreadNetwork network(3);
  const RunOptions options = writing_to(folder / "a.h5");

  const ThreadRun failed = run_threads(
      network, 3, toy_description(toy),
      [&](int rank) {
        return rank == 2
                   ? interrupted(
                         toy, 2'000,
                         [] { throw Failure(ExitCode::io, "/data/x: No space left on device"); })
                   : toy_evaluator(toy);
      },
      options);

  EXPECT_EQ(failed.ranks[0].failed, ExitCode::io);
  EXPECT_EQ(failed.ranks[0].message,
            "rank 2: /data/x: No space left on device; what was written is kept, and the same "
            "command goes on");
  EXPECT_EQ(failed.ranks[1].report.exit, ExitCode::io);
  EXPECT_EQ(failed.ranks[2].report.exit, ExitCode::io);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5"));

  const ThreadRun resumed = run_toy(1, toy, folder / "a.h5");

  EXPECT_GT(resumed.ranks[0].report.resumed_points, 0);
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
}

TEST(Run, NamesItsOwnMistakesAsInternal) {
  const TemporaryFolder folder;
  const ToyOptions toy;
  ThreadNetwork network(2);
  const RunOptions options = writing_to(folder / "a.h5");

  const ThreadRun run = run_threads(
      network, 2, toy_description(toy),
      [&](int) { return interrupted(toy, 1, [] { throw std::logic_error("x < 0"); }); }, options);

  EXPECT_EQ(run.ranks[0].failed, ExitCode::internal);
  EXPECT_THAT(run.ranks[0].message, HasSubstr("internal error, please report it: x < 0"));
  EXPECT_EQ(run.ranks[1].report.exit, ExitCode::internal);
}

TEST(Run, FinishesWithoutARankThatDied) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 20'000, .chunk_rows = 64, .cpu_seconds_per_point = 20e-6};
  ThreadNetwork network(3);
  RunOptions options = writing_to(folder / "a.h5");
  options.rank_timeout_seconds = 1.5;

  const ThreadRun run = run_threads(
      network, 3, toy_description(toy),
      [&](int rank) {
        return rank == 1 ? interrupted(toy, 500, [&network] { network.kill(1); })
                         : toy_evaluator(toy);
      },
      options);

  EXPECT_EQ(run.ranks[0].message, "");
  EXPECT_EQ(run.ranks[0].report.exit, ExitCode::ok);
  EXPECT_EQ(run.ranks[0].report.lost_ranks, 1);
  EXPECT_EQ(run.ranks[1].failed, ExitCode::resumable) << "ends by itself";
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
  EXPECT_THAT(run.log, HasSubstr("1 of 3 ranks silent for 1.5 s: taken for dead, others do "
                                 "their work"));
}

TEST(Run, IsDoneByTheMasterWhenAllOthersDied) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 5'000, .chunk_rows = 64, .cpu_seconds_per_point = 20e-6};
  ThreadNetwork network(3);
  RunOptions options = writing_to(folder / "a.h5");
  options.rank_timeout_seconds = 1.0;
  options.master_computes_up_to_ranks = 1;

  const ThreadRun run = run_threads(
      network, 3, toy_description(toy),
      [&](int rank) {
        return rank > 0 ? interrupted(toy, 500, [&network, rank] { network.kill(rank); })
                        : toy_evaluator(toy);
      },
      options);

  EXPECT_EQ(run.ranks[0].report.exit, ExitCode::ok);
  EXPECT_EQ(run.ranks[0].report.lost_ranks, 2);
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
}

TEST(Run, EndsRanksWhoseMasterDied) {
  const TemporaryFolder folder;
  const ToyOptions toy{.points = 100'000, .cpu_seconds_per_point = 50e-6};
  ThreadNetwork network(2);
  RunOptions options = writing_to(folder / "a.h5");
  options.rank_timeout_seconds = 0.3;

  const ThreadRun run = run_threads(
      network, 2, toy_description(toy),
      [&](int rank) {
        return rank == 0 ? interrupted(toy, 500, [&network] { network.kill(0); })
                         : toy_evaluator(toy);
      },
      options);

  EXPECT_EQ(run.ranks[1].failed, ExitCode::resumable);
  EXPECT_EQ(run.ranks[1].message,
            "no word from rank 0 for 300 ms; it is taken for dead, and the same command goes on");
}

TEST(Run, RefusesRanksThatSeeAnotherStudy) {
  const TemporaryFolder folder;
  const ToyOptions toy{.cpu_seconds_per_point = 50e-6};
  store::StudyDescription other = toy_description(toy);
  other.identity = "other";
  ThreadNetwork network(2);
  const RunOptions options = writing_to(folder / "a.h5");
  Outcome worker;
  std::thread thread([&] {
    worker = test::outcome_of([&] {
      Evaluator evaluator = toy_evaluator(toy);
      return run_study(*network.endpoint(1), other, evaluator, options);
    });
  });

  const Outcome master = test::outcome_of([&] {
    Evaluator evaluator = toy_evaluator(toy);
    return run_study(*network.endpoint(0), toy_description(toy), evaluator, options);
  });
  thread.join();

  EXPECT_EQ(master.failed, ExitCode::bad_input);
  EXPECT_EQ(
      master.message,
      "rank 1: sees another study than rank 0; are spec, catalog and program the same there?");
  EXPECT_EQ(worker.report.exit, ExitCode::bad_input);
}

TEST(Run, LeavesAFinishedStudyAlone) {
  const TemporaryFolder folder;
  const ToyOptions toy;
  run_toy(2, toy, folder / "a.h5");
  const std::string before = read_file(folder / "a.h5");

  const ThreadRun again = run_toy(2, toy, folder / "a.h5");

  for (const Outcome& rank : again.ranks) {
    EXPECT_EQ(rank.report.exit, ExitCode::ok);
  }
  EXPECT_TRUE(again.ranks[0].report.already_finished);
  EXPECT_EQ(again.log, (folder / "a.h5").string() + ": already finished\n");
  EXPECT_EQ(read_file(folder / "a.h5"), before);
}

TEST(Run, TidiesUpAfterARunThatEndedBeforeItCould) {
  const TemporaryFolder folder;
  const ToyOptions toy;
  run_toy(1, toy, folder / "a.h5");
  std::filesystem::rename(folder / "a.h5", folder / "b.h5");
  store::prepare_output(folder / "a.h5", toy_description(toy));
  std::filesystem::rename(folder / "b.h5", folder / "a.h5");

  const ThreadRun again = run_toy(1, toy, folder / "a.h5");

  EXPECT_TRUE(again.ranks[0].report.already_finished);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5.d"));
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
}

// Killed before it had removed all of the folder: what says whose it was may be gone first.
TEST(Run, TidiesUpAfterARunThatWasKilledWhileItDid) {
  const TemporaryFolder folder;
  const ToyOptions toy;
  run_toy(1, toy, folder / "a.h5");
  std::filesystem::create_directory(folder / "a.h5.d");
  std::ofstream(folder / "a.h5.d/000000000000-000000000010.h5") << "a segment";

  EXPECT_TRUE(run_toy(1, toy, folder / "a.h5").ranks[0].report.already_finished);

  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5.d"));
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
}

void expect_refused(const ThreadRun& run, const std::string& words) {
  EXPECT_EQ(run.ranks[0].failed, ExitCode::cannot_create);
  EXPECT_THAT(run.ranks[0].message, HasSubstr(words));
  for (std::size_t rank = 1; rank < run.ranks.size(); ++rank) {
    EXPECT_EQ(run.ranks[rank].message, "") << "said once, by rank 0";
    EXPECT_EQ(run.ranks[rank].report.exit, ExitCode::cannot_create);
  }
}

TEST(Run, RefusesAForeignFile) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.h5") << "precious";

  const ThreadRun run = run_toy(3, {}, folder / "a.h5");

  expect_refused(run,
                 "a.h5: is no study of scalesweep: it is not an HDF5 file; choose another -o, "
                 "or remove it yourself");
  EXPECT_EQ(read_file(folder / "a.h5"), "precious");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5.d"));
}

TEST(Run, RefusesAnotherStudy) {
  const TemporaryFolder folder;
  run_toy(1, {.points = 100}, folder / "a.h5");
  const std::string before = read_file(folder / "a.h5");

  const ThreadRun run = run_toy(3, {.points = 200}, folder / "a.h5");

  expect_refused(run, "a.h5: is another study: the points differs (100 there, 200 here)");
  EXPECT_EQ(read_file(folder / "a.h5"), before);
}

TEST(Run, RefusesAFolderThatIsNotThere) {
  const TemporaryFolder folder;

  const ThreadRun run = run_toy(2, {}, folder / "none" / "a.h5");

  expect_refused(run, "there is no folder");
}

TEST(Run, RefusesAnOutputThatAnotherRunIsWriting) {
  const TemporaryFolder folder;
  const ToyOptions toy;
  const auto silent = [](const std::string&) {};
  const Claim claim = claim_output(folder / "a.h5", toy_description(toy), ids_of(toy), silent);
  ASSERT_TRUE(claim.lock);

  const ThreadRun run = run_toy(2, toy, folder / "a.h5");

  expect_refused(run,
                 "a.h5: another run is writing it now; wait for that one, or choose another "
                 "-o");
}

TEST(Run, WaitsForRanksOfAnEarlierRun) {
  const TemporaryFolder folder;
  const ToyOptions toy;
  store::prepare_output(folder / "a.h5", toy_description(toy));
  std::optional<OutputLock> orphan = join_output(folder / "a.h5", {0, 10});
  std::thread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1'300));
    orphan.reset();
  });

  const ThreadRun run = run_toy(2, toy, folder / "a.h5");
  ends.join();

  EXPECT_EQ(run.ranks[0].report.exit, ExitCode::ok);
  EXPECT_GT(run.ranks[0].report.wall_seconds, 0.9);
  EXPECT_THAT(run.log, HasSubstr("a.h5.d: waiting for ranks of an earlier run to end\n"));
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
}

TEST(Run, GivesUpOnRanksThatDoNotEnd) {
  const TemporaryFolder folder;
  const ToyOptions toy;
  store::prepare_output(folder / "a.h5", toy_description(toy));
  const OutputLock orphan = join_output(folder / "a.h5", {0, 10});
  const auto silent = [](const std::string&) {};

  try {
    claim_output(folder / "a.h5", toy_description(toy), ids_of(toy), silent,
                 store::Durability::synced, {}, 0.1);
    FAIL() << "was not refused";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::cannot_create);
    EXPECT_THAT(failure.what(),
                HasSubstr("ranks of an earlier run are still at work here; end those processes, "
                          "then run this again"));
  }
}

TEST(OutputLocks, KeepOutRunsOfTheSameIdsOnly) {
  const TemporaryFolder folder;
  const ToyOptions toy;
  const store::StudyDescription study = toy_description(toy);
  const auto silent = [](const std::string&) {};
  const auto claim = [&](IdRange ids) {
    return claim_output(folder / "a.h5", study, ids, silent, store::Durability::synced, {}, 0.1);
  };
  EXPECT_FALSE(is_being_written(folder / "a.h5"));
  const Claim first = claim({0, 640});
  ASSERT_TRUE(first.lock);
  EXPECT_TRUE(is_being_written(folder / "a.h5"));
  EXPECT_TRUE(claim({640, 1280}).lock) << "another shard";
  EXPECT_THROW(claim({320, 960}), Failure);
  EXPECT_THROW(claim({0, toy.points}), Failure) << "a whole run";
  EXPECT_THROW(lock_output(folder / "a.h5", toy.points, silent), Failure) << "a merge";
  const OutputLock rank = join_output(folder / "a.h5", {640, 1280});
  EXPECT_THROW(claim({640, 704}), Failure) << "a rank is still at work there";
  EXPECT_TRUE(claim({1280, 1344}).lock);
}

TEST(OutputLocks, StudyThatWasGivenUpBeforeItBeganIsInNobodysWay) {
  const TemporaryFolder folder;
  const auto silent = [](const std::string&) {};
  store::prepare_output(folder / "a.h5", toy_description({.points = 100}));
  const ToyOptions toy;
  store::StudyDescription other = toy_description(toy);
  {
    const OutputLock busy = join_output(folder / "a.h5", {0, 64});
    EXPECT_THROW(claim_output(folder / "a.h5", other, ids_of(toy), silent,
                              store::Durability::synced, {}, 0.1),
                 Failure)
        << "somebody is at work on it";
  }
  EXPECT_TRUE(claim_output(folder / "a.h5", other, ids_of(toy), silent).lock);

  run_toy(1, toy, folder / "a.h5");
  EXPECT_EQ(toy_difference(folder / "a.h5", toy), "");
}

}  // namespace
}  // namespace scalesweep::engine
