// A merge that several ranks share: the bytes that one makes, whatever becomes of the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "core/failure.hpp"
#include "store/merge/finish.hpp"
#include "store/segments/output.hpp"
#include "support/merge_helpers.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using scalesweep::test::HelperFaults;
using scalesweep::test::HelperThreads;
using scalesweep::test::TemporaryFolder;
using test::keep_all;
using test::keep_some;
using testing::ElementsAre;
using testing::HasSubstr;

// Blocks of one chunk, a checkpoint after each.
FinishOptions small_steps() {
  FinishOptions options;
  options.buffer_bytes = 1;
  options.checkpoint_seconds = 0.0;
  return options;
}

struct Shared {
  FinishReport report;
  std::int64_t blocks_of_others = 0;
};

class SharedMerge : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    study.root_attributes["created"] = "2020-01-01T00:00:00Z";
    prepare_output(output, study);
    for (PointId first = 0; first < study.points; first += 256) {
      test::write_sample(output, study, {first, std::min(first + 256, study.points)},
                         GetParam() ? keep_all : keep_some);
    }
    fs::copy(folder / "a.h5.d", folder / "b.h5.d");
    alone = finish(folder / "b.h5", study, std::nullopt, small_steps());
    expected = test::file_bytes(folder / "b.h5");
  }

  Shared finish_shared(int others, const HelperFaults& faults = {},
                       const FinishOptions& options = small_steps(),
                       double patience_seconds = 10.0) const {
    MergeHelperOptions helper;
    helper.output = output;
    helper.durability = options.durability;
    helper.checkpoint_seconds = options.checkpoint_seconds;
    HelperThreads ranks(others, study, helper, faults);
    MergeSharing sharing{&ranks, 1, patience_seconds, 0};
    Shared shared;
    shared.report = finish(output, study, std::nullopt, options, &sharing);
    shared.blocks_of_others = sharing.blocks_of_others;
    return shared;
  }

  void expect_same() const {
    ASSERT_TRUE(fs::exists(output));
    EXPECT_TRUE(test::file_bytes(output) == expected);
    EXPECT_FALSE(fs::exists(folder / "a.h5.d"));
    EXPECT_FALSE(fs::exists(folder / "a.h5.partial"));
  }

  // So that it can be merged once more.
  void begin_again() const {
    fs::remove(output);
    fs::copy(folder / "kept", folder / "a.h5.d");
  }
  void keep_segments() const { fs::copy(folder / "a.h5.d", folder / "kept"); }

  const TemporaryFolder folder;
  const fs::path output = folder / "a.h5";
  StudyDescription study = test::sample_study(2000, 64);
  FinishReport alone;
  std::string expected;
};

TEST_P(SharedMerge, GivesTheBytesOfOneRank) {
  keep_segments();
  for (const int others : {1, 2, 5, 40}) {
    const Shared shared = finish_shared(others);
    EXPECT_TRUE(shared.report.complete);
    EXPECT_EQ(shared.report.copied_bytes, alone.copied_bytes);
    EXPECT_EQ(shared.report.encoded_rows, alone.encoded_rows);
    EXPECT_GT(shared.blocks_of_others, 0);
    expect_same();
    begin_again();
  }
}

TEST_P(SharedMerge, GivesThemWhereNothingIsSynced) {
  FinishOptions options = small_steps();
  options.durability = Durability::scratch;
  EXPECT_GT(finish_shared(3, {}, options).blocks_of_others, 0);
  expect_same();
}

TEST_P(SharedMerge, DoesTheBlocksOfARankThatFallsSilent) {
  keep_segments();
  for (const int replies : {0, 1, 2, 3, 4, 7, 12}) {
    HelperFaults faults;
    faults.silent_after = {{1, replies}, {2, replies + 1}};
    EXPECT_TRUE(finish_shared(2, faults, small_steps(), 0.02).report.complete);
    expect_same();
    begin_again();
  }
}

TEST_P(SharedMerge, GoesOnWithAllButTheSilentOnes) {
  HelperFaults faults;
  faults.silent_after = {{1, 0}};
  EXPECT_GT(finish_shared(2, faults, small_steps(), 0.02).blocks_of_others, 0);
  expect_same();
}

// Whoever is slow does what rank 0 has long done as well.
TEST_P(SharedMerge, MayDoBlocksTwice) {
  HelperFaults faults;
  faults.delay_seconds = 0.03;
  EXPECT_TRUE(finish_shared(3, faults, small_steps(), 0.0).report.complete);
  expect_same();
}

TEST_P(SharedMerge, NeedsNoRankThatSeesAnotherFileSystem) {
  HelperFaults faults;
  fs::create_directory(folder / "elsewhere");
  faults.elsewhere = {{1, folder / "elsewhere" / "a.h5"}};
  EXPECT_EQ(finish_shared(1, faults).blocks_of_others, 0);
  expect_same();
}

// A file that has the name by chance, or was left by an earlier run.
TEST_P(SharedMerge, NeedsNoRankThatSeesAnotherFile) {
  HelperFaults faults;
  fs::create_directory(folder / "elsewhere");
  fs::copy(folder / "a.h5.d", folder / "elsewhere" / "a.h5.d");
  const std::string other(10000, 'x');
  test::write_bytes(folder / "elsewhere" / "a.h5.partial", other);
  faults.elsewhere = {{1, folder / "elsewhere" / "a.h5"}};
  EXPECT_EQ(finish_shared(1, faults).blocks_of_others, 0);
  expect_same();
  EXPECT_EQ(test::file_bytes(folder / "elsewhere" / "a.h5.partial"), other);
}

TEST_P(SharedMerge, StoppedAgainAndAgainGoesOnWithOtherRanks) {
  std::int64_t copied = 0;
  int calls = 0;
  for (const int others : {1, 3, 0, 2, 5}) {
    FinishOptions options = small_steps();
    options.stop_requested = [left = 5]() mutable { return --left < 0; };
    const Shared shared = finish_shared(others, {}, options);
    EXPECT_EQ(shared.report.earlier_bytes, copied);
    copied = shared.report.copied_bytes;
    ++calls;
    if (shared.report.complete) {
      break;
    }
    EXPECT_FALSE(fs::exists(output));
  }
  EXPECT_GT(calls, 1);
  if (!fs::exists(output)) {
    const FinishReport report = finish(output, study, std::nullopt, small_steps());
    EXPECT_EQ(report.copied_bytes, alone.copied_bytes);
    EXPECT_EQ(report.encoded_rows, alone.encoded_rows);
  }
  expect_same();
}

// All ranks at once: they are threads of the process that is killed.
TEST_P(SharedMerge, KilledAgainAndAgainGoesOnWithOtherRanks) {
  for (const int moment : {5, 20, 40, 60}) {
    const pid_t child = ::fork();
    if (child == 0) {
      FinishOptions options = small_steps();
      options.stop_requested = [left = moment]() mutable {
        if (--left < 0) {
          ::kill(::getpid(), SIGKILL);
        }
        return false;
      };
      finish_shared(moment % 4 + 1, {}, options);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (fs::exists(output)) {
      break;
    }
  }
  if (!fs::exists(output)) {
    const Shared shared = finish_shared(2);
    EXPECT_EQ(shared.report.copied_bytes, alone.copied_bytes);
    EXPECT_EQ(shared.report.encoded_rows, alone.encoded_rows);
  }
  expect_same();
}

TEST_P(SharedMerge, NamesADamagedSegmentAsOneRankDoes) {
  const fs::path victim = folder / "a.h5.d" / "000000000256-000000000512.h5";
  const std::string bytes = test::file_bytes(victim);
  std::string changed = bytes;
  changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 4);
  test::write_bytes(victim, changed);
  std::string one_says;
  for (const int others : {0, 3}) {
    try {
      finish_shared(others);
      FAIL() << "was merged";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ExitCode::io);
      EXPECT_THAT(failure.what(), HasSubstr("000000000256-000000000512.h5"));
      EXPECT_THAT(failure.what(), HasSubstr("ids are missing: 256 to 511"));
      EXPECT_TRUE(one_says.empty() || one_says == failure.what()) << failure.what();
      one_says = failure.what();
    }
  }
  EXPECT_FALSE(fs::exists(output));
  test::write_bytes(victim, bytes);
  EXPECT_TRUE(finish_shared(3).report.complete);
  expect_same();
}

// A limit on the size of files stands for the disk: the error is one of those that mean no room.
TEST_P(SharedMerge, SaysThatThereIsNoRoomAndGivesBackWhatItTook) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit size = {12000, 12000};
    ::setrlimit(RLIMIT_FSIZE, &size);
    int code = 1;
    try {
      finish_shared(3);
    } catch (const Failure& failure) {
      const std::string text = failure.what();
      const bool told = text.find("a.h5.partial: cannot write: File too large") != text.npos &&
                        text.find("make room, and the same command goes on") != text.npos;
      code = told ? 0 : 2;
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "1: nothing was thrown; 2: other words";
  EXPECT_FALSE(fs::exists(folder / "a.h5.partial"));
  EXPECT_FALSE(fs::exists(folder / "a.h5.d" / "merge.journal"));
  EXPECT_TRUE(finish_shared(3).report.complete);
  expect_same();
}

// After a failure it begins anew where another rank may still be at work.
TEST_P(SharedMerge, KeepsNoFileThatASilentRankMayWrite) {
  const fs::path victim = folder / "a.h5.d" / "000000001536-000000001792.h5";
  const std::string bytes = test::file_bytes(victim);
  std::string changed = bytes;
  changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 4);
  test::write_bytes(victim, changed);
  HelperFaults faults;
  faults.silent_after = {{1, 1}};
  EXPECT_THROW(finish_shared(1, faults, small_steps(), 0.02), Failure);
  EXPECT_FALSE(fs::exists(folder / "a.h5.partial"));
  test::write_bytes(victim, bytes);
  EXPECT_EQ(finish_shared(2).report.earlier_bytes, 0);
  expect_same();
}

INSTANTIATE_TEST_SUITE_P(WholeAndRagged, SharedMerge, testing::Bool(),
                         [](const auto& whole) { return whole.param ? "Whole" : "Ragged"; });

}  // namespace
}  // namespace scalesweep::store
