// A finished study whose rows stay in the segments; what else a description keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/failure.hpp"
#include "store/merge/finish.hpp"
#include "store/read/progress.hpp"
#include "store/read/reader.hpp"
#include "store/segments/output.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using scalesweep::test::TemporaryFolder;
using test::keep_all;
using test::keep_some;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

FinishOptions by_segment() {
  FinishOptions options;
  options.layout = Layout::by_segment;
  return options;
}

std::vector<std::string> names_of(const Schema& schema) {
  std::vector<std::string> names;
  for (const Column& column : schema) {
    names.push_back(column.name);
  }
  return names;
}

class BySegment : public testing::Test {
 protected:
  void finish_by_segment(const test::Keep& keep, PointId step = 100) {
    prepare_output(output, study);
    for (PointId first = 0; first < study.points; first += step) {
      test::write_sample(output, study, {first, std::min(first + step, study.points)}, keep);
    }
    EXPECT_TRUE(finish(output, study, std::nullopt, by_segment()).complete);
  }

  void expect_rows(const test::Keep& keep) const {
    const StudyReader reader(output);
    test::expect_equal(reader.read(names_of(study.schema), 0, reader.rows()),
                       test::sample_rows(study, {0, study.points}, keep), study.schema);
    EXPECT_EQ(reader.counts().at("filtered"), test::sample_counts({0, study.points}, keep)[3]);
  }

  std::string why_not() const {
    try {
      const StudyReader reader(output);
      return "";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ExitCode::bad_input);
      return failure.what();
    }
  }

  const TemporaryFolder folder;
  const fs::path output = folder / "a.h5";
  const StudyDescription study = test::sample_study(1000, 64);
};

TEST_F(BySegment, ReadsAsAMergedOne) {
  finish_by_segment(keep_some);
  EXPECT_THAT(test::folder_names(folder.path()), ElementsAre("a.h5", "a.h5.d"));
  const StudyReader reader(output);
  EXPECT_EQ(reader.layout(), Layout::by_segment);
  EXPECT_EQ(reader.schema()[2].labels, study.schema[2].labels);
  EXPECT_EQ(reader.schema()[3].units, "s");
  expect_rows(keep_some);
  const OutputReport report = inspect_output(output, study);
  EXPECT_EQ(report.state, OutputState::finished);
  EXPECT_EQ(report.layout, Layout::by_segment);
  const OutputProgress progress = read_progress(output);
  EXPECT_TRUE(progress.finished);
  EXPECT_EQ(progress.layout, Layout::by_segment);
  EXPECT_EQ(progress.segments, 10);
  EXPECT_GT(progress.bytes, static_cast<std::int64_t>(fs::file_size(output)));
}

TEST_F(BySegment, IsFoundFromAnyFolderAndAfterAMove) {
  finish_by_segment(keep_all);
  fs::create_directory(folder / "elsewhere");
  fs::rename(output, folder / "elsewhere" / "a.h5");
  fs::rename(output.string() + ".d", folder / "elsewhere" / "a.h5.d");
  const StudyReader reader(folder / "elsewhere" / "a.h5");
  EXPECT_EQ(reader.read({"point_id"}, 999, 1000).values<std::int64_t>(0)[0], 999);
}

TEST_F(BySegment, AMissingOrExchangedSegmentIsNamed) {
  finish_by_segment(keep_all);
  const fs::path victim = folder / "a.h5.d" / "000000000300-000000000400.h5";
  const std::string intact = test::file_bytes(victim);
  fs::copy_file(folder / "a.h5.d" / "000000000400-000000000500.h5", victim,
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(why_not(), AllOf(HasSubstr("a.h5: its rows are in "),
                               HasSubstr("000000000300-000000000400.h5: it is not the one")));
  test::write_bytes(victim, "damaged");
  EXPECT_THAT(
      why_not(),
      HasSubstr("000000000300-000000000400.h5: it is not an HDF5 file; copy the folder a.h5.d again"
                " along with it"));
  fs::remove(victim);
  EXPECT_THAT(why_not(), HasSubstr("000000000300-000000000400.h5: it is missing"));
  test::write_bytes(victim, intact);
  EXPECT_EQ(why_not(), "");
}

TEST_F(BySegment, BecomesAMergedOne) {
  finish_by_segment(keep_some);
  FinishOptions options;
  options.buffer_bytes = 1;
  options.stop_requested = [left = 5]() mutable { return --left < 0; };
  EXPECT_FALSE(finish(output, study, std::nullopt, options).complete);
  expect_rows(keep_some);  // as before
  EXPECT_TRUE(finish(output, study, std::nullopt).complete);
  EXPECT_THAT(test::folder_names(folder.path()), ElementsAre("a.h5"));
  EXPECT_EQ(StudyReader(output).layout(), Layout::merged);
  expect_rows(keep_some);
}

TEST_F(BySegment, TwiceChangesNothing) {
  finish_by_segment(keep_all);
  const std::string bytes = test::file_bytes(output);
  EXPECT_TRUE(finish(output, study, std::nullopt, by_segment()).complete);
  EXPECT_EQ(test::file_bytes(output), bytes);
  expect_rows(keep_all);
}

TEST_F(BySegment, ManySegmentsAreJoinedFirst) {
  finish_by_segment(keep_all, 2);
  EXPECT_LE(read_progress(output).segments, 256);
  expect_rows(keep_all);
}

TEST_F(BySegment, NeedsNoRows) {
  finish_by_segment([](PointId) { return false; });
  EXPECT_EQ(StudyReader(output).rows(), 0);
}

TEST_F(BySegment, RefusesASelector) {
  prepare_output(output, study);
  test::write_sample(output, study, {0, 1000}, keep_all);
  const RowSelector all = [](const Table&) { return std::vector<std::size_t>{}; };
  try {
    finish(output, study, all, by_segment());
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::usage);
    EXPECT_THAT(failure.what(), HasSubstr("cannot choose among them"));
  }
}

TEST_F(BySegment, PythonAndH5dumpReadIt) {
  if (test::run_command("/usr/bin/python3 -c 'import h5py'").exit != 0) {
    GTEST_SKIP() << "h5py is not installed (package python3-h5py)";
  }
  finish_by_segment(keep_all);
  const auto python = test::run_command("/usr/bin/python3 " + std::string(CHECK_FILE_SCRIPT) + " " +
                                        output.string());
  EXPECT_EQ(python.exit, 0) << python.output;
  EXPECT_THAT(python.output, HasSubstr("read 1000 rows of 8 columns"));
  if (test::has_command("h5dump")) {
    const auto dump =
        test::run_command("h5dump -d /results/point_id -s 998 -c 2 " + output.string());
    EXPECT_THAT(dump.output, HasSubstr("(998): 998, 999"));
  }
}

StudyDescription with_histograms() {
  StudyDescription study = test::sample_study(300, 64);
  study.histograms = {{"step_time", "s", "step time", "Of all ids.", {1.0, 1.5}},
                      {"tensor_parallel", "1", "degree", "Of all ids.", {2.0}}};
  return study;
}

void expect_described(const StudyDescription& read, const StudyDescription& written) {
  EXPECT_EQ(read.identity, written.identity);
  EXPECT_EQ(read.identity_parts, written.identity_parts);
  EXPECT_EQ(read.points, written.points);
  EXPECT_EQ(read.chunk_rows, written.chunk_rows);
  ASSERT_EQ(read.schema.size(), written.schema.size());
  for (std::size_t c = 0; c < read.schema.size(); ++c) {
    EXPECT_EQ(read.schema[c].name, written.schema[c].name);
    EXPECT_EQ(read.schema[c].type, written.schema[c].type);
    EXPECT_EQ(read.schema[c].units, written.schema[c].units);
    EXPECT_EQ(read.schema[c].labels, written.schema[c].labels);
    EXPECT_EQ(read.schema[c].description, written.schema[c].description);
  }
  ASSERT_EQ(read.axes.size(), written.axes.size());
  EXPECT_EQ(read.axes[0].labels, written.axes[0].labels);
  EXPECT_EQ(read.axes[1].values, written.axes[1].values);
  EXPECT_EQ(read.count_names, written.count_names);
  ASSERT_EQ(read.histograms.size(), written.histograms.size());
  EXPECT_EQ(read.histograms[0].name, written.histograms[0].name);
  EXPECT_EQ(read.histograms[0].edges, written.histograms[0].edges);
  EXPECT_EQ(read.histograms[1].long_name, written.histograms[1].long_name);
  EXPECT_EQ(read.root_attributes, written.root_attributes);
  EXPECT_EQ(read.provenance, written.provenance);
}

TEST(Description, IsReadBackRunningAndFinished) {
  const TemporaryFolder folder;
  const StudyDescription study = with_histograms();
  prepare_output(folder / "a.h5", study);
  expect_described(read_description(folder / "a.h5"), study);
  write_segment(folder / "a.h5", study, {0, 300}, test::sample_rows(study, {0, 300}, keep_all),
                zero_counts(study));
  // What was read is enough to finish it.
  finish(folder / "a.h5", read_description(folder / "a.h5"), std::nullopt);
  expect_described(read_description(folder / "a.h5"), study);
}

TEST(Description, OfNothingOrOfOtherFilesIsRefused) {
  const TemporaryFolder folder;
  const auto code_of = [&](const fs::path& path) {
    try {
      read_description(path);
    } catch (const Failure& failure) {
      return failure.code();
    }
    return ExitCode::ok;
  };
  EXPECT_EQ(code_of(folder / "a.h5"), ExitCode::no_input);
  test::write_bytes(folder / "t.h5", "text");
  EXPECT_EQ(code_of(folder / "t.h5"), ExitCode::bad_input);
  const StudyDescription study = test::sample_study(300, 64);
  prepare_output(folder / "a.h5", study);
  fs::copy_file(folder / "a.h5.d" / "study.h5", folder / "c.h5");
  EXPECT_EQ(code_of(folder / "c.h5"), ExitCode::bad_input);  // a template is no finished study
  fs::remove(folder / "a.h5.d" / "study.h5");
  EXPECT_EQ(code_of(folder / "a.h5"), ExitCode::bad_input);
  prepare_output(folder / "a.h5", study);  // puts it back
  EXPECT_EQ(code_of(folder / "a.h5"), ExitCode::ok);
}

TEST(Histograms, AddUpOverSegments) {
  const TemporaryFolder folder;
  const StudyDescription study = with_histograms();
  EXPECT_EQ(zero_counts(study).size(), 4U + 3U + 2U);
  prepare_output(folder / "a.h5", study);
  const auto write = [&](IdRange ids, const Counts& counts) {
    write_segment(folder / "a.h5", study, ids, test::sample_rows(study, ids, keep_all), counts);
  };
  write({0, 100}, {1, 2, 3, 4, 10, 20, 30, 40, 50});
  write({100, 300}, {1, 1, 1, 1, 5, 5, 5, 7, 7});
  const OutputProgress progress = read_progress(folder / "a.h5");
  EXPECT_EQ(progress.counts, (Counts{2, 3, 4, 5}));
  EXPECT_EQ(progress.count_names, study.count_names);
  finish(folder / "a.h5", study, std::nullopt);
  const StudyReader reader(folder / "a.h5");
  EXPECT_EQ(reader.counts().at("memory"), 3);
  const auto histograms = reader.histograms();
  ASSERT_EQ(histograms.size(), 2U);
  EXPECT_EQ(histograms[0].histogram.units, "s");
  EXPECT_THAT(histograms[0].counts, ElementsAre(15, 25, 35));
  EXPECT_THAT(histograms[1].counts, ElementsAre(47, 57));
}

TEST(Progress, TellsRateSizeAndWhatIsMissing) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(1000, 64);
  prepare_output(folder / "a.h5", study);
  EXPECT_EQ(read_progress(folder / "a.h5").recent_rate, 0.0);
  // Two runs of three segments each, 2 s apart, with an hour between the runs, an hour ago.
  const auto now = fs::file_time_type::clock::now();
  int index = 0;
  for (PointId first : {0, 100, 200, 500, 600, 700}) {
    const Segment segment =
        test::write_sample(folder / "a.h5", study, {first, first + 100}, keep_all);
    const auto ago = std::chrono::seconds(first < 500 ? 7200 - 2 * index : 3600 - 2 * index);
    fs::last_write_time(segment.path, now - ago);
    ++index;
  }
  const OutputProgress progress = read_progress(folder / "a.h5");
  EXPECT_NEAR(progress.recent_rate, 400.0 / 8.0, 1e-3);
  EXPECT_NEAR(progress.seconds_since_last, 3590.0, 60.0);
  EXPECT_GT(progress.bytes, 6 * 1000);
  EXPECT_THAT(progress.missing, ElementsAre(IdRange{300, 500}, IdRange{800, 1000}));
}

}  // namespace
}  // namespace scalesweep::store
