// Merging that is stopped, killed or given other files to go on with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "core/failure.hpp"
#include "store/hdf5/hdf5.hpp"
#include "store/merge/compact.hpp"
#include "store/merge/finish.hpp"
#include "store/read/progress.hpp"
#include "store/read/reader.hpp"
#include "store/seal/open.hpp"
#include "store/segments/output.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using scalesweep::test::TemporaryFolder;
using test::keep_all;
using test::keep_some;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Blocks of one chunk, a checkpoint after each.
FinishOptions small_steps() {
  FinishOptions options;
  options.buffer_bytes = 1;
  options.checkpoint_seconds = 0.0;
  return options;
}

class Merge : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    study.root_attributes["created"] = "2020-01-01T00:00:00Z";
    prepare_output(output, study);
    for (PointId first = 0; first < study.points; first += 256) {
      test::write_sample(output, study, {first, std::min(first + 256, study.points)}, keep());
    }
    fs::copy(folder / "a.h5.d", folder / "b.h5.d");
    undisturbed = finish(folder / "b.h5", study, std::nullopt, small_steps());
    expected = test::file_bytes(folder / "b.h5");
  }

  test::Keep keep() const { return GetParam() ? keep_all : keep_some; }

  // Runs `body` in a process of its own; whether that was killed.
  static bool is_killed(const std::function<void()>& body) {
    const pid_t child = ::fork();
    if (child == 0) {
      body();
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status);
  }

  // Kills itself when it is asked for the `blocks`th time whether to stop.
  void kill_after(int blocks) const {
    EXPECT_TRUE(is_killed([&] {
      FinishOptions options = small_steps();
      options.stop_requested = [left = blocks]() mutable {
        if (--left < 0) {
          ::kill(::getpid(), SIGKILL);
        }
        return false;
      };
      finish(output, study, std::nullopt, options);
    }));
  }

  // Byte for byte, metadata included.
  void expect_same(const fs::path& path) const {
    const std::string bytes = test::file_bytes(path);
    ASSERT_EQ(bytes.size(), expected.size());
    const auto differs = std::mismatch(bytes.begin(), bytes.end(), expected.begin()).first;
    EXPECT_TRUE(differs == bytes.end())
        << "from byte " << differs - bytes.begin() << " of " << bytes.size();
    const StudyReader reader(path);
    std::vector<std::string> names;
    for (const Column& column : study.schema) {
      names.push_back(column.name);
    }
    test::expect_equal(reader.read(names, 0, reader.rows()),
                       test::sample_rows(study, {0, study.points}, keep()), study.schema);
  }

  // What a merge has copied when it is stopped after `blocks`.
  std::int64_t copied_in(int blocks) const {
    fs::copy(folder / "a.h5.d", folder / "c.h5.d");
    FinishOptions options = small_steps();
    options.stop_requested = [left = blocks]() mutable { return --left < 0; };
    const FinishReport report = finish(folder / "c.h5", study, std::nullopt, options);
    EXPECT_FALSE(report.complete);
    fs::remove_all(folder / "c.h5.d");
    fs::remove(folder / "c.h5.partial");
    return report.copied_bytes;
  }

  const TemporaryFolder folder;
  const fs::path output = folder / "a.h5";
  StudyDescription study = test::sample_study(2000, 64);
  FinishReport undisturbed;
  std::string expected;
};

TEST_P(Merge, StoppedAgainAndAgainGivesTheSameBytes) {
  FinishReport report;
  int calls = 0;
  std::int64_t copied = 0;
  do {
    FinishOptions options = small_steps();
    options.stop_requested = [left = 3]() mutable { return --left < 0; };
    report = finish(output, study, std::nullopt, options);
    EXPECT_EQ(report.earlier_bytes, copied) << "what earlier calls copied is not copied again";
    copied = report.copied_bytes;
    ++calls;
    if (!report.complete) {
      EXPECT_EQ(inspect_output(output, study).state, OutputState::resumable);
      EXPECT_FALSE(fs::exists(output));
    }
  } while (!report.complete);
  EXPECT_GE(calls, 7);
  expect_same(output);
  EXPECT_EQ(report.copied_bytes, undisturbed.copied_bytes);
  EXPECT_EQ(report.encoded_rows, undisturbed.encoded_rows);
  EXPECT_EQ(report.encoded_rows > 0, !GetParam());
  EXPECT_THAT(test::folder_names(folder.path()), ElementsAre("a.h5", "b.h5"));
}

TEST_P(Merge, KilledAgainAndAgainGivesTheSameBytes) {
  const std::int64_t copied = copied_in(15);
  for (const int blocks : {0, 1, 5, 9}) {
    kill_after(blocks);
  }
  const FinishReport report = finish(output, study, std::nullopt, small_steps());
  expect_same(output);
  // Before the first segment there is no ragged chunk, so that some are whole either way.
  EXPECT_GT(copied, 0);
  EXPECT_EQ(report.earlier_bytes, copied);
  EXPECT_EQ(report.copied_bytes, undisturbed.copied_bytes);
  EXPECT_EQ(report.encoded_rows, undisturbed.encoded_rows);
}

// HDF5 would stamp what it makes with the second, and equal merges would be different files.
TEST_P(Merge, NothingInTheFileSaysWhenItWasMade) {
  const h5::Hid file = open_checked(folder / "b.h5");
  int objects = 0;
  const auto visit = [](hid_t, const char* name, const H5O_info_t* info, void* count) -> herr_t {
    EXPECT_TRUE(info->atime == 0 && info->mtime == 0 && info->ctime == 0 && info->btime == 0)
        << name;
    ++*static_cast<int*>(count);
    return 0;
  };
#if H5_VERSION_GE(1, 12, 0)
  const herr_t status =
      H5Ovisit(file.get(), H5_INDEX_NAME, H5_ITER_INC, visit, &objects, H5O_INFO_TIME);
#else
  const herr_t status = H5Ovisit(file.get(), H5_INDEX_NAME, H5_ITER_INC, visit, &objects);
#endif
  h5::check(status, "cannot visit");
  EXPECT_GT(objects, 15);
}

// A power cut without fsync, or a hand that tidies up: whatever is left of either file.
TEST_P(Merge, GoesOnWithWhateverIsLeftOfItsFiles) {
  const fs::path journal = folder / "a.h5.d" / "merge.journal";
  const fs::path partial = folder / "a.h5.partial";
  kill_after(12);
  const std::string whole_journal = test::file_bytes(journal);
  const std::string whole_partial = test::file_bytes(partial);
  for (int part = 0; part <= 6; ++part) {
    const auto cut = [&](const std::string& bytes) {
      return bytes.substr(0, bytes.size() * static_cast<std::size_t>(part) / 6);
    };
    for (const bool of_journal : {true, false}) {
      fs::copy(folder / "a.h5.d", folder / "kept");
      test::write_bytes(journal, of_journal ? cut(whole_journal) : whole_journal);
      test::write_bytes(partial, of_journal ? whole_partial : cut(whole_partial));
      finish(output, study, std::nullopt, small_steps());
      expect_same(output);
      fs::remove(output);
      fs::rename(folder / "kept", folder / "a.h5.d");
    }
  }
}

TEST_P(Merge, AnotherFileOfItsNameIsNotGoneOnWith) {
  kill_after(12);
  const std::string bytes = test::file_bytes(folder / "a.h5.partial");
  test::write_bytes(folder / "other", std::string(bytes.size(), 'x'));
  fs::rename(folder / "other", folder / "a.h5.partial");
  EXPECT_EQ(finish(output, study, std::nullopt, small_steps()).earlier_bytes, 0);
  expect_same(output);
}

TEST_P(Merge, OtherSegmentsBeginItAnew) {
  kill_after(12);
  ASSERT_TRUE(compact_segments(output, study, {0, 512}, std::nullopt));
  const FinishReport report = finish(output, study, std::nullopt, small_steps());
  EXPECT_EQ(report.earlier_bytes, 0);
  expect_same(output);
}

TEST_P(Merge, ADamagedChunkIsNamedAndNoFileMade) {
  const fs::path victim = folder / "a.h5.d" / "000000000256-000000000512.h5";
  const std::string bytes = test::file_bytes(victim);
  int seen = 0;
  int went_on = 0;
  for (std::size_t at = bytes.size() / 4; at < bytes.size(); at += bytes.size() / 16) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    test::write_bytes(victim, changed);
    try {
      fs::remove_all(folder / "c.h5.d");
      fs::remove(folder / "c.h5");
      fs::copy(folder / "a.h5.d", folder / "c.h5.d");
      finish(folder / "c.h5", study, std::nullopt, small_steps());
      expect_same(folder / "c.h5");
    } catch (const Failure& failure) {
      ++seen;
      EXPECT_EQ(failure.code(), ExitCode::io);
      EXPECT_THAT(failure.what(), HasSubstr("000000000256-000000000512.h5"));
      EXPECT_THAT(failure.what(), HasSubstr("ids are missing: 256 to 511"));
      EXPECT_FALSE(fs::exists(folder / "c.h5"));
      // Computed again, it is as it was, and what was merged before it counts.
      test::write_bytes(folder / "c.h5.d" / victim.filename(), bytes);
      const auto report = finish(folder / "c.h5", study, std::nullopt, small_steps());
      went_on += report.earlier_bytes > 0 ? 1 : 0;
      expect_same(folder / "c.h5");
    }
  }
  EXPECT_GT(seen, 3);
  EXPECT_GT(went_on, 1) << "not where its header is damaged: then no merge begins";
}

TEST_P(Merge, OthersStandInForADamagedSegment) {
  test::write_sample(output, study, {256, 400}, keep());
  test::write_sample(output, study, {400, 512}, keep());
  const fs::path victim = folder / "a.h5.d" / "000000000256-000000000512.h5";
  std::string bytes = test::file_bytes(victim);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  test::write_bytes(victim, bytes);
  EXPECT_TRUE(finish(output, study, std::nullopt, small_steps()).complete);
  expect_same(output);
}

INSTANTIATE_TEST_SUITE_P(WholeAndRagged, Merge, testing::Bool(),
                         [](const auto& whole) { return whole.param ? "Whole" : "Ragged"; });

TEST(Selector, GetsSegmentsInGroups) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(2000, 64);
  prepare_output(folder / "a.h5", study);
  for (PointId first = 0; first < 2000; first += 100) {
    test::write_sample(folder / "a.h5", study, {first, first + 100}, keep_all);
  }
  std::size_t most = 0;
  int calls = 0;
  const RowSelector three_least = [&](const Table& rows) {
    most = std::max(most, rows.rows());
    ++calls;
    std::vector<std::size_t> order(rows.rows());
    for (std::size_t row = 0; row < order.size(); ++row) {
      order[row] = row;
    }
    const auto& times = rows.values<double>(3);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return times[a] < times[b]; });
    order.resize(std::min<std::size_t>(3, order.size()));
    return order;
  };
  finish(folder / "a.h5", study, three_least, small_steps());
  EXPECT_LE(most, 203U);
  EXPECT_GE(calls, 10);
  Table expected = test::sample_rows(study, {0, 2000}, keep_all);
  std::vector<std::size_t> chosen = three_least(expected);
  std::sort(chosen.begin(), chosen.end());
  expected.select(chosen);
  const StudyReader reader(folder / "a.h5");
  ASSERT_EQ(reader.rows(), 3);
  EXPECT_EQ(reader.read({"step_time"}, 0, 3).values<double>(0), expected.values<double>(3));
}

TEST(Compact, PutsOneSegmentInPlaceOfMany) {
  for (const auto& keep : {test::Keep(keep_all), test::Keep(keep_some)}) {
    const TemporaryFolder folder;
    const StudyDescription study = test::sample_study(1000, 64);
    prepare_output(folder / "a.h5", study);
    for (PointId first = 0; first < 1000; first += 100) {
      test::write_sample(folder / "a.h5", study, {first, first + 100}, keep);
    }
    const auto whole = compact_segments(folder / "a.h5", study, {200, 700}, std::nullopt);
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->ids, (IdRange{200, 700}));
    EXPECT_EQ(whole->counts, test::sample_counts({200, 700}, keep));
    const OutputReport report = inspect_output(folder / "a.h5", study);
    EXPECT_THAT(report.ignored, IsEmpty());
    ASSERT_EQ(report.segments.size(), 6U);
    EXPECT_EQ(report.segments[2].ids, whole->ids);
    EXPECT_EQ(report.segments[2].rows, whole->rows);
    EXPECT_EQ(read_progress(folder / "a.h5").done, 1000);
    finish(folder / "a.h5", study, std::nullopt);
    const StudyReader reader(folder / "a.h5");
    const Table expected = test::sample_rows(study, {0, 1000}, keep);
    EXPECT_EQ(reader.read({"step_time"}, 0, reader.rows()).values<double>(0),
              expected.values<double>(3));
  }
}

TEST(Compact, LeavesWhatItCannotJoin) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(1000, 64);
  prepare_output(folder / "a.h5", study);
  for (PointId first : {0, 100, 300}) {
    test::write_sample(folder / "a.h5", study, {first, first + 100}, keep_all);
  }
  const auto before = test::folder_names(folder / "a.h5.d");
  EXPECT_FALSE(compact_segments(folder / "a.h5", study, {0, 400}, std::nullopt));
  EXPECT_FALSE(compact_segments(folder / "a.h5", study, {0, 150}, std::nullopt));
  EXPECT_FALSE(compact_segments(folder / "a.h5", study, {0, 100}, std::nullopt));
  EXPECT_EQ(test::folder_names(folder / "a.h5.d"), before);
}

TEST(Compact, SegmentsThatReachBeyondAreNoHindrance) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(400, 64);
  prepare_output(folder / "a.h5", study);
  for (PointId first : {0, 100, 200, 300}) {
    test::write_sample(folder / "a.h5", study, {first, first + 100}, keep_all);
  }
  test::write_sample(folder / "a.h5", study, {150, 390}, keep_all);
  EXPECT_TRUE(compact_segments(folder / "a.h5", study, {0, 200}, std::nullopt));
}

TEST(Compact, LeavesPartsThatOthersCoverTheRestWith) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(400, 64);
  prepare_output(folder / "a.h5", study);
  for (const IdRange ids : {IdRange{0, 100}, IdRange{100, 150}, IdRange{100, 400}}) {
    test::write_sample(folder / "a.h5", study, ids, keep_all);
  }
  EXPECT_FALSE(compact_segments(folder / "a.h5", study, {0, 150}, std::nullopt));
  EXPECT_TRUE(finish(folder / "a.h5", study, std::nullopt).complete);
}

TEST(Compact, PartsThatACrashLeftDoNoHarm) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(400, 64);
  prepare_output(folder / "a.h5", study);
  for (PointId first : {0, 100, 200, 300}) {
    test::write_sample(folder / "a.h5", study, {first, first + 100}, keep_some);
  }
  const fs::path part = folder / "a.h5.d" / "000000000300-000000000400.h5";
  const std::string bytes = test::file_bytes(part);
  compact_segments(folder / "a.h5", study, {0, 400}, std::nullopt);
  test::write_bytes(part, bytes);
  const OutputReport report = inspect_output(folder / "a.h5", study);
  ASSERT_EQ(report.segments.size(), 1U);
  EXPECT_EQ(report.segments[0].ids, (IdRange{0, 400}));
}

TEST(Compact, ASelectorDropsRowsButNoCounts) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(400, 64);
  prepare_output(folder / "a.h5", study);
  for (PointId first : {0, 100, 200, 300}) {
    test::write_sample(folder / "a.h5", study, {first, first + 100}, keep_all);
  }
  const RowSelector last = [](const Table& rows) {
    return std::vector<std::size_t>{rows.rows() - 1};
  };
  const auto whole = compact_segments(folder / "a.h5", study, {0, 200}, last);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->rows, 1);
  EXPECT_EQ(whole->counts, test::sample_counts({0, 200}, keep_all));
  finish(folder / "a.h5", study, std::nullopt);
  EXPECT_EQ(StudyReader(folder / "a.h5").read({"point_id"}, 0, 1).values<std::int64_t>(0)[0], 199);
}

}  // namespace
}  // namespace scalesweep::store
