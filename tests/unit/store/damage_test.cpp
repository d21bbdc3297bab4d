// What a crash, a full disk or a failing one may leave, and what is made of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "core/failure.hpp"
#include "store/merge/finish.hpp"
#include "store/read/reader.hpp"
#include "store/read/table_file.hpp"
#include "store/segments/output.hpp"
#include "support/failure_of.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using scalesweep::test::failure_of;
using scalesweep::test::TemporaryFolder;
using test::keep_all;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class DamagedSegment : public testing::Test {
 protected:
  void SetUp() override {
    prepare_output(output, study);
    test::write_sample(output, study, {0, 128}, keep_all);
    victim = test::write_sample(output, study, {128, 300}, keep_all).path;
    intact = test::file_bytes(victim);
  }

  // The victim does not count, is named, and finish() says what is missing.
  void expect_ignored(const std::string& why) {
    const OutputReport report = inspect_output(output, study);
    EXPECT_EQ(report.state, OutputState::resumable);
    ASSERT_EQ(report.segments.size(), 1U);
    EXPECT_EQ(report.segments[0].ids, (IdRange{0, 128}));
    ASSERT_EQ(report.ignored.size(), 1U);
    EXPECT_THAT(report.ignored[0],
                AllOf(StartsWith("000000000128-000000000300.h5: "), HasSubstr(why)));
  }

  const TemporaryFolder folder;
  const fs::path output = folder / "a.h5";
  const StudyDescription study = test::sample_study(300, 64);
  fs::path victim;
  std::string intact;
};

TEST_F(DamagedSegment, TruncatedAnywhereIsIgnored) {
  const std::size_t whole = test::unsealed_size(intact);
  std::mt19937 generator(1);
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t size = generator() % whole;
    test::write_bytes(victim, intact.substr(0, size));
    const OutputReport report = inspect_output(output, study);
    ASSERT_EQ(report.segments.size(), 1U) << size;
    ASSERT_EQ(report.ignored.size(), 1U) << size;
  }
  test::write_bytes(victim, intact.substr(0, whole - 1));
  expect_ignored("it is cut short: ");
}

// A flipped bit is either seen or lies where nothing is read from.
TEST_F(DamagedSegment, FlippedBitsAreSeenOrHarmless) {
  std::mt19937 generator(2);
  const Table expected = test::sample_rows(study, {0, 300}, keep_all);
  int seen = 0;
  constexpr int trials = 150;
  for (int trial = 0; trial < trials; ++trial) {
    std::string bytes = intact;
    char& byte = bytes[generator() % bytes.size()];
    byte = static_cast<char>(byte ^ (1 << (generator() % 8)));
    test::write_bytes(victim, bytes);
    if (inspect_output(output, study).segments.size() == 1) {
      ++seen;
      continue;
    }
    const fs::path copy = folder / "b.h5";
    fs::copy(output.string() + ".d", copy.string() + ".d");
    finish(copy, study, std::nullopt);
    const StudyReader reader(copy);
    std::vector<std::string> names;
    for (const Column& column : study.schema) {
      names.push_back(column.name);
    }
    test::expect_equal(reader.read(names, 0, 300), expected, study.schema);
    fs::remove(copy);
  }
  EXPECT_GT(seen, trials / 4);
}

TEST_F(DamagedSegment, AFlippedBitInAValueIsSeenByItsChecksum) {
  // The longest run without a repeated byte is in the middle of the compressed noise.
  std::string bytes = intact;
  const std::size_t middle = bytes.find("results") + bytes.size() / 4;
  for (std::size_t at = middle; at < bytes.size(); ++at) {
    bytes = intact;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    test::write_bytes(victim, bytes);
    const OutputReport report = inspect_output(output, study);
    if (!report.ignored.empty() &&
        report.ignored[0].find("its checksum does not hold") != std::string::npos) {
      expect_ignored("is damaged from row");
      return;
    }
  }
  FAIL() << "no bit of a value was found";
}

TEST_F(DamagedSegment, OfAnotherStudyIsIgnored) {
  StudyDescription other = study;
  other.identity = "another";
  prepare_output(folder / "b.h5", other);
  const Segment foreign = test::write_sample(folder / "b.h5", other, {128, 300}, keep_all);
  fs::rename(foreign.path, victim);
  expect_ignored("it belongs to another study");
}

TEST_F(DamagedSegment, UnderAWrongNameIsIgnored) {
  fs::copy_file(folder / "a.h5.d" / "000000000000-000000000128.h5", victim,
                fs::copy_options::overwrite_existing);
  expect_ignored("it holds ids 0 to 127");
}

TEST_F(DamagedSegment, WithOtherColumnsIsIgnored) {
  StudyDescription other = study;
  other.schema[2].labels[1] = "HBM4";
  prepare_output(folder / "b.h5", other);
  const Segment changed = test::write_sample(folder / "b.h5", other, {128, 300}, keep_all);
  fs::rename(changed.path, victim);
  expect_ignored("its column 'memory' is not that of this study");
}

TEST_F(DamagedSegment, AnotherKindOfFileIsIgnored) {
  test::write_bytes(victim, "text");
  expect_ignored("it is not an HDF5 file");
  fs::remove(victim);
  TableFile(victim, "scalesweep-analysis", 1, {}).commit();
  expect_ignored("it is an HDF5 file, but not a segment");
}

TEST_F(DamagedSegment, FinishNamesWhatIsMissingAndLeavesEverything) {
  test::write_bytes(victim, intact.substr(0, 1000));
  const auto before = test::folder_names(folder / "a.h5.d");
  const Failure failure = failure_of([&] { finish(output, study, std::nullopt); });
  EXPECT_EQ(failure.code(), ExitCode::io);
  EXPECT_THAT(failure.what(), HasSubstr("a.h5.d: 172 of 300 ids are missing: 128 to 299"));
  EXPECT_THAT(failure.what(), HasSubstr("000000000128-000000000300.h5: it is cut short: "));
  EXPECT_THAT(failure.what(), HasSubstr("the same command again computes what is missing"));
  EXPECT_EQ(test::folder_names(folder / "a.h5.d"), before);
  EXPECT_THAT(test::folder_names(folder.path()), ElementsAre("a.h5.d"));
}

TEST_F(DamagedSegment, WritingItAgainRepairsIt) {
  test::write_bytes(victim, "damaged");
  test::write_sample(output, study, {128, 300}, keep_all);
  EXPECT_EQ(test::file_bytes(victim), intact);
  EXPECT_EQ(inspect_output(output, study).segments.size(), 2U);
}

TEST(Finish, WithoutAllIdsIsOurMistakeAndSaysWhich) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(300, 8);
  prepare_output(folder / "a.h5", study);
  for (std::int64_t first = 0; first < 300; first += 20) {
    test::write_sample(folder / "a.h5", study, {first, first + 8}, keep_all);
  }
  const Failure failure = failure_of([&] { finish(folder / "a.h5", study, std::nullopt); });
  EXPECT_EQ(failure.code(), ExitCode::internal);
  EXPECT_THAT(failure.what(),
              HasSubstr("180 of 300 ids are missing: 8 to 19, 28 to 39, 48 to 59, 68 to 79, "
                        "88 to 99, 108 to 119, 128 to 139, 148 to 159 and 7 more"));
}

// Removed by others between the last segment and the end: no mistake of the program.
TEST(Finish, AFolderThatIsGoneIsAFailureOfItsPlace) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(100, 10);
  prepare_output(folder / "a.h5", study);
  test::write_sample(folder / "a.h5", study, {0, 100}, keep_all);
  std::filesystem::remove_all(folder / "a.h5.d");
  const Failure failure = failure_of([&] { finish(folder / "a.h5", study, std::nullopt); });
  EXPECT_EQ(failure.code(), ExitCode::io);
  EXPECT_THAT(failure.what(), HasSubstr("a.h5.d: there is no such folder"));
}

TEST(Finish, KeepsFilesThatAreNotOurs) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(100, 16);
  prepare_output(folder / "a.h5", study);
  test::write_sample(folder / "a.h5", study, {0, 100}, keep_all);
  test::write_bytes(folder / "a.h5.d" / "000000000000-000000000100.h5.node7-12.tmp", "half");
  test::write_bytes(folder / "a.h5.d" / "notes.txt", "mine");
  EXPECT_THAT(inspect_output(folder / "a.h5", study).ignored, IsEmpty());
  finish(folder / "a.h5", study, std::nullopt);
  EXPECT_THAT(test::folder_names(folder / "a.h5.d"), ElementsAre("notes.txt"));
}

TEST(WriteSegment, RefusesRowsThatAreNoTableOfTheRange) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(100, 16);
  prepare_output(folder / "a.h5", study);
  const auto write = [&](IdRange ids, Table rows) {
    return failure_of([&] { write_segment(folder / "a.h5", study, ids, rows, {0, 0, 0, 0}); });
  };
  const Table rows = test::sample_rows(study, {10, 20}, keep_all);
  EXPECT_EQ(write({0, 15}, rows).code(), ExitCode::internal);
  EXPECT_EQ(write({12, 20}, rows).code(), ExitCode::internal);
  Table descending = rows;
  descending.select({1, 0});
  EXPECT_THAT(write({10, 20}, descending).what(),
              HasSubstr("the rows of ids 10 to 19 are not a table of this study"));
  Table ragged = rows;
  ragged.values<double>(3).pop_back();
  EXPECT_EQ(write({10, 20}, ragged).code(), ExitCode::internal);
  EXPECT_THAT(test::folder_names(folder / "a.h5.d"), ElementsAre("study.h5", "study.json"));
}

TEST(WriteSegment, WithoutItsFolderNamesTheFile) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(100, 16);
  const Failure failure = failure_of([&] {
    test::write_sample(folder / "a.h5", study, {0, 100}, keep_all);
  });
  EXPECT_EQ(failure.code(), ExitCode::io);
  EXPECT_THAT(failure.what(), AllOf(HasSubstr("a.h5.d/000000000000-000000000100.h5"),
                                    HasSubstr("cannot write: No such file or directory")));
}

// Runs `body` in a process of its own and kills that after a while; false if it ended before.
bool killed_within(std::chrono::microseconds delay, const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  std::this_thread::sleep_for(delay);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

TEST(Killed, WritingSegmentsLeavesWholeOnes) {
  const StudyDescription study = test::sample_study(20000, 64);
  int killed = 0;
  std::size_t written = 0;
  // Longer ones where the machine is so busy that none of the short ones wrote anything.
  for (int trial = 0; trial < 12 || (written == 0 && trial < 18); ++trial) {
    const int ms = trial < 12 ? 3 + 7 * trial : 200 << (trial - 12);
    const TemporaryFolder folder;
    prepare_output(folder / "a.h5", study);
    killed += killed_within(std::chrono::milliseconds(ms), [&] {
      for (PointId first = 0; first < 20000; first += 64) {
        test::write_sample(folder / "a.h5", study, {first, std::min(first + 64, PointId{20000})},
                           keep_all);
      }
    });
    const OutputReport report = inspect_output(folder / "a.h5", study);
    EXPECT_EQ(report.state, OutputState::resumable);
    EXPECT_THAT(report.ignored, IsEmpty());
    written += report.segments.size();
  }
  EXPECT_GT(killed, 0);
  EXPECT_GT(written, 0U);
}

TEST(Killed, FinishingLeavesTheSegmentsOrTheFile) {
  const StudyDescription study = test::sample_study(20000, 64);
  const TemporaryFolder folder;
  for (int trial = 0; trial < 12; ++trial) {
    const fs::path output = folder / ("a" + std::to_string(trial) + ".h5");
    prepare_output(output, study);
    for (PointId first = 0; first < 20000; first += 5000) {
      test::write_sample(output, study, {first, first + 5000},
                         trial % 2 == 0 ? keep_all : test::keep_some);
    }
    killed_within(std::chrono::milliseconds(1 + 4 * trial),
                  [&] { finish(output, study, std::nullopt); });
    const OutputReport report = inspect_output(output, study);
    if (report.state == OutputState::finished) {
      EXPECT_NO_THROW(StudyReader{output});
      continue;
    }
    EXPECT_EQ(report.state, OutputState::resumable);
    EXPECT_EQ(report.segments.size(), 4U);
    finish(output, study, std::nullopt);
    EXPECT_EQ(StudyReader(output).points(), 20000);
  }
}

// No file of this process may grow beyond a size while it lives: a disk that fills up.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(FullDisk, ASegmentLeavesNothingBehind) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(20000, 1024);
  prepare_output(folder / "a.h5", study);
  const Failure failure = failure_of([&] {
    const FileSizeLimit limit(50000);
    test::write_sample(folder / "a.h5", study, {0, 20000}, keep_all);
  });
  EXPECT_EQ(failure.code(), ExitCode::io);
  EXPECT_THAT(failure.what(), HasSubstr("cannot write: File too large"));
  EXPECT_THAT(test::folder_names(folder / "a.h5.d"), ElementsAre("study.h5", "study.json"));
}

// Limits spread over the size of the file, so that each kind of write fails once: chunks,
// metadata, the last flush. After each the same call works.
TEST(FullDisk, FinishingLeavesTheSegmentsAndWorksLater) {
  const StudyDescription study = test::sample_study(20000, 1024);
  for (const rlim_t limit_bytes : {0U, 1000U, 4000U, 20000U, 100000U, 180000U}) {
    const TemporaryFolder folder;
    prepare_output(folder / "a.h5", study);
    test::write_sample(folder / "a.h5", study, {0, 10240}, keep_all);
    test::write_sample(folder / "a.h5", study, {10240, 20000}, keep_all);
    const Failure failure = failure_of([&] {
      const FileSizeLimit limit(limit_bytes);
      finish(folder / "a.h5", study, std::nullopt);
    });
    EXPECT_EQ(failure.code(), ExitCode::io) << limit_bytes;
    EXPECT_THAT(failure.what(), AllOf(HasSubstr("cannot write: File too large"),
                                      HasSubstr("the segments are safe: make room")));
    EXPECT_THAT(test::folder_names(folder.path()), ElementsAre("a.h5.d"));
    finish(folder / "a.h5", study, std::nullopt);
    EXPECT_EQ(StudyReader(folder / "a.h5").rows(), 20000);
  }
}

TEST(FullDisk, ARealOneIsNamed) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(30000, 1024);
  prepare_output(folder / "a.h5", study);
  const Segment segment = test::write_sample(folder / "a.h5", study, {0, 30000}, keep_all);
  const std::uintmax_t room = fs::file_size(segment.path) * 3 / 2;

  const fs::path disk = folder / "disk";
  fs::create_directory(disk);
  const std::string options = "size=" + std::to_string(room);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, options.c_str()) != 0) {
    GTEST_SKIP() << "mounting a small file system needs root";
  }
  prepare_output(disk / "a.h5", study);
  test::write_sample(disk / "a.h5", study, {0, 30000}, keep_all);
  const Failure merging = failure_of([&] { finish(disk / "a.h5", study, std::nullopt); });
  EXPECT_EQ(merging.code(), ExitCode::io);
  EXPECT_THAT(merging.what(),
              AllOf(HasSubstr("a.h5.partial: merging needs "), HasSubstr(" more, and "),
                    HasSubstr(" are free; the segments are safe: make room, and the same command "
                              "goes on; --layout virtual needs no copy of them")));
  prepare_output(disk / "b.h5", study);
  const Failure writing = failure_of([&] {
    test::write_sample(disk / "b.h5", study, {0, 30000}, keep_all);
  });
  EXPECT_EQ(writing.code(), ExitCode::io);
  EXPECT_THAT(writing.what(), HasSubstr("cannot write: No space left on device"));
  EXPECT_THAT(test::folder_names(disk), ElementsAre("a.h5.d", "b.h5.d"));
  EXPECT_THAT(test::folder_names(disk / "b.h5.d"), ElementsAre("study.h5", "study.json"));
  EXPECT_EQ(inspect_output(disk / "a.h5", study).segments.size(), 1U);
  EXPECT_EQ(::umount(disk.c_str()), 0);
}

}  // namespace
}  // namespace scalesweep::store
