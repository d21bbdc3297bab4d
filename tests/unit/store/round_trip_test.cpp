// Segments in, one file out, the same values read back, whatever the segments were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/failure.hpp"
#include "store/merge/finish.hpp"
#include "store/read/reader.hpp"
#include "store/segments/output.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

using scalesweep::test::TemporaryFolder;
using test::keep_all;
using test::keep_some;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_of(const Schema& schema) {
  std::vector<std::string> names;
  for (const Column& column : schema) {
    names.push_back(column.name);
  }
  return names;
}

TEST(RoundTrip, KeepsValuesTypesTextsAndLabels) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(1000, 64);
  test::write_study(folder / "a.h5", study, {0, 256, 640, 1000}, keep_all);
  EXPECT_THAT(test::folder_names(folder.path()), ElementsAre("a.h5"));

  const StudyReader reader(folder / "a.h5");
  EXPECT_EQ(reader.rows(), 1000);
  EXPECT_EQ(reader.points(), 1000);
  ASSERT_EQ(reader.schema().size(), study.schema.size());
  for (std::size_t c = 0; c < study.schema.size(); ++c) {
    const Column& read = reader.schema()[c];
    const Column& written = study.schema[c];
    EXPECT_EQ(read.name, written.name);
    EXPECT_EQ(read.type, written.type) << read.name;
    EXPECT_EQ(read.units, written.units) << read.name;
    EXPECT_EQ(read.role, written.role) << read.name;
    EXPECT_EQ(read.better, written.better) << read.name;
    EXPECT_EQ(read.long_name, written.long_name) << read.name;
    EXPECT_EQ(read.attributes, written.attributes) << read.name;
    EXPECT_EQ(read.description, written.description) << read.name;
    EXPECT_EQ(read.labels, written.labels) << read.name;
  }
  test::expect_equal(reader.read(names_of(study.schema), 0, 1000),
                     test::sample_rows(study, {0, 1000}, keep_all), study.schema);
}

TEST(RoundTrip, KeepsAxesCountsAttributesAndProvenance) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(300, 64);
  test::write_study(folder / "a.h5", study, {0, 128, 300}, keep_some);
  const StudyReader reader(folder / "a.h5");
  ASSERT_EQ(reader.axes().size(), 3U);
  EXPECT_EQ(reader.axes()[0].name, "memory");
  EXPECT_EQ(reader.axes()[0].labels, study.axes[0].labels);
  EXPECT_EQ(reader.axes()[1].values, study.axes[1].values);
  EXPECT_EQ(reader.axes()[1].units, "1");
  EXPECT_EQ(reader.axes()[1].description, "Degrees.");
  const Counts counts = test::sample_counts({0, 300}, keep_some);
  EXPECT_EQ(reader.counts().at("ok"), counts[0]);
  EXPECT_EQ(reader.counts().at("memory"), counts[1]);
  EXPECT_EQ(reader.counts().at("range"), counts[2]);
  EXPECT_EQ(reader.counts().at("filtered"), counts[3]);
  EXPECT_EQ(reader.rows() + counts[3], 300);
  EXPECT_EQ(reader.provenance(), study.provenance);
  EXPECT_EQ(reader.root_attributes().at("title"), "A sample");
  EXPECT_EQ(reader.root_attributes().at("format"), "scalesweep-study");
  EXPECT_THAT(reader.root_attributes().at("created"),
              testing::MatchesRegex("[0-9]{4}-..-..T..:..:..Z"));
}

TEST(RoundTrip, ReadsSlicesOfChosenColumnsInTheGivenOrder) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(500, 64);
  test::write_study(folder / "a.h5", study, {0, 192, 500}, keep_some);
  const StudyReader reader(folder / "a.h5");
  const Table all = test::sample_rows(study, {0, 500}, keep_some);
  const Table slice = reader.read({"step_time", "point_id"}, 60, 140);
  ASSERT_EQ(slice.rows(), 80U);
  for (std::size_t row = 0; row < 80; ++row) {
    EXPECT_EQ(slice.values<double>(0)[row], all.values<double>(3)[row + 60]);
    EXPECT_EQ(slice.values<std::int64_t>(1)[row], all.values<std::int64_t>(0)[row + 60]);
  }
  EXPECT_EQ(reader.read({"status"}, 10, 10).rows(), 0U);
  EXPECT_EQ(reader.read({}, 0, 10).columns(), 0U);
}

TEST(RoundTrip, AnUnknownColumnIsNamedWithASuggestion) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(10, 4);
  test::write_study(folder / "a.h5", study, {0, 10}, keep_all);
  const StudyReader reader(folder / "a.h5");
  try {
    reader.read({"step_tine"}, 0, 1);
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::bad_input);
    EXPECT_THAT(failure.what(), HasSubstr("there is no column 'step_tine'"));
    EXPECT_THAT(failure.what(), HasSubstr("did you mean 'step_time'?"));
  }
}

// Bounds that fall on chunks and that do not, in all orders of ragged and whole.
TEST(RoundTrip, ValuesDoNotDependOnTheSegments) {
  const StudyDescription study = test::sample_study(1000, 64);
  const std::vector<std::vector<std::int64_t>> segmentations = {
      {0, 1000}, {0, 64, 128, 1000}, {0, 1, 2, 3, 1000}, {0, 100, 200, 328, 456, 999, 1000}};
  for (const auto& keep : {test::Keep(keep_all), test::Keep(keep_some)}) {
    const Table expected = test::sample_rows(study, {0, 1000}, keep);
    for (const std::vector<std::int64_t>& bounds : segmentations) {
      const TemporaryFolder folder;
      test::write_study(folder / "a.h5", study, bounds, keep);
      const StudyReader reader(folder / "a.h5");
      ASSERT_EQ(reader.rows(), static_cast<std::int64_t>(expected.rows()));
      test::expect_equal(reader.read(names_of(study.schema), 0, reader.rows()), expected,
                         study.schema);
    }
  }
}

TEST(RoundTrip, FilesFromOtherSegmentsAreEqualUnderH5diff) {
  if (!test::has_command("h5diff")) {
    GTEST_SKIP() << "h5diff is not installed (package hdf5-tools)";
  }
  const TemporaryFolder folder;
  StudyDescription study = test::sample_study(1000, 64);
  test::write_study(folder / "a.h5", study, {0, 1000}, keep_some);
  study.provenance["hosts"] = "node2 node3";
  study.root_attributes["history"] = "made on two nodes";
  test::write_study(folder / "b.h5", study, {0, 64, 77, 640, 1000}, keep_some);
  const std::string files = (folder / "a.h5").string() + " " + (folder / "b.h5").string();
  for (const std::string group : {"/results", "/axes", "/summary"}) {
    const auto result = test::run_command("h5diff " + files + " " + group + " " + group);
    EXPECT_EQ(result.exit, 0) << group << ": " << result.output;
    EXPECT_EQ(result.output, "") << group;
  }
  // And h5diff does see a difference where there is one.
  EXPECT_EQ(test::run_command("h5diff " + files + " /provenance /provenance").exit, 1);
}

TEST(RoundTrip, TheSelectorSeesAllRowsAndChoosesInOrderOfId) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(500, 64);
  prepare_output(folder / "a.h5", study);
  test::write_sample(folder / "a.h5", study, {0, 200}, keep_some);
  test::write_sample(folder / "a.h5", study, {200, 500}, keep_some);
  const Table all = test::sample_rows(study, {0, 500}, keep_some);
  finish(folder / "a.h5", study, RowSelector([&](const Table& rows) {
           test::expect_equal(rows, all, study.schema);
           return std::vector<std::size_t>{250, 3, 17};
         }));
  Table expected = all;
  expected.select({3, 17, 250});
  const StudyReader reader(folder / "a.h5");
  EXPECT_EQ(reader.rows(), 3);
  test::expect_equal(reader.read(names_of(study.schema), 0, 3), expected, study.schema);
  EXPECT_EQ(reader.counts().at("filtered"), test::sample_counts({0, 500}, keep_some)[3]);
}

TEST(RoundTrip, AStudyMayKeepNoRowsAtAll) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(500, 64);
  const auto keep_none = [](PointId) { return false; };
  test::write_study(folder / "a.h5", study, {0, 128, 500}, keep_none);
  const StudyReader reader(folder / "a.h5");
  EXPECT_EQ(reader.rows(), 0);
  EXPECT_EQ(reader.counts().at("filtered"), 500);
  EXPECT_EQ(reader.read({"step_time"}, 0, 0).rows(), 0U);
}

TEST(RoundTrip, AStudyMayHaveNoAxesNoCountsAndNoPoints) {
  const TemporaryFolder folder;
  StudyDescription study = test::sample_study(0, 64);
  study.axes.clear();
  study.count_names.clear();
  study.provenance.clear();
  study.identity_parts.clear();
  prepare_output(folder / "a.h5", study);
  finish(folder / "a.h5", study, std::nullopt);
  const StudyReader reader(folder / "a.h5");
  EXPECT_TRUE(reader.axes().empty());
  EXPECT_TRUE(reader.counts().empty());
  EXPECT_EQ(reader.rows(), 0);
  study.points = 3;
  prepare_output(folder / "b.h5", study);
  write_segment(folder / "b.h5", study, {0, 3}, test::sample_rows(study, {0, 3}, keep_all), {});
  finish(folder / "b.h5", study, std::nullopt);
  EXPECT_EQ(StudyReader(folder / "b.h5").rows(), 3);
}

TEST(RoundTrip, MoreLabelsThanAnEnumHoldsLeaveIntegers) {
  const TemporaryFolder folder;
  StudyDescription study = test::sample_study(100, 64);
  for (int i = 0; i < 6000; ++i) {
    study.schema[2].labels.push_back("memory of kind " + std::to_string(i));
  }
  test::write_study(folder / "a.h5", study, {0, 64, 100}, keep_all);
  const StudyReader reader(folder / "a.h5");
  EXPECT_TRUE(reader.schema()[2].labels.empty());
  EXPECT_EQ(reader.read({"memory"}, 50, 51).values<std::int32_t>(0)[0], 1);
}

TEST(RoundTrip, ChunksAreNeverLongerThanTheStudy) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(5, 16384);
  test::write_study(folder / "a.h5", study, {0, 5}, keep_all);
  EXPECT_LT(std::filesystem::file_size(folder / "a.h5"), 100000U);
  EXPECT_EQ(StudyReader(folder / "a.h5").rows(), 5);
}

TEST(RoundTrip, OverlappingSegmentsAreUsedOnce) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(500, 64);
  prepare_output(folder / "a.h5", study);
  for (const IdRange ids : {IdRange{0, 200}, {0, 300}, {100, 300}, {200, 400}, {300, 500}}) {
    test::write_sample(folder / "a.h5", study, ids, keep_some);
  }
  finish(folder / "a.h5", study, std::nullopt);
  const StudyReader reader(folder / "a.h5");
  test::expect_equal(reader.read(names_of(study.schema), 0, reader.rows()),
                     test::sample_rows(study, {0, 500}, keep_some), study.schema);
  EXPECT_EQ(reader.counts().at("ok"), test::sample_counts({0, 500}, keep_some)[0]);
}

TEST(RoundTrip, PythonAndH5dumpReadIt) {
  if (!test::has_command("h5dump")) {
    GTEST_SKIP() << "h5dump is not installed (package hdf5-tools)";
  }
  if (test::run_command("/usr/bin/python3 -c 'import h5py'").exit != 0) {
    GTEST_SKIP() << "h5py is not installed (package python3-h5py)";
  }
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(1000, 64);
  test::write_study(folder / "a.h5", study, {0, 256, 999, 1000}, keep_all);
  const std::string path = (folder / "a.h5").string();
  const auto dump = test::run_command("h5dump -H " + path);
  EXPECT_EQ(dump.exit, 0);
  EXPECT_THAT(dump.output, HasSubstr("DATASET \"step_time\""));
  EXPECT_THAT(dump.output, HasSubstr("H5T_ENUM"));
  EXPECT_THAT(dump.output, HasSubstr("\"HBM2\""));
  const auto python =
      test::run_command("/usr/bin/python3 " + std::string(CHECK_FILE_SCRIPT) + " " + path);
  EXPECT_EQ(python.exit, 0) << python.output;
  EXPECT_THAT(python.output, HasSubstr("read 1000 rows of 8 columns"));
}

}  // namespace
}  // namespace scalesweep::store
