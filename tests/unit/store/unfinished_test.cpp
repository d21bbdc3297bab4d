// A study is read before it is finished: what its segments hold, and what is said of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>

#include "core/failure.hpp"
#include "store/merge/compact.hpp"
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
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> all_columns(const StudyDescription& study) {
  std::vector<std::string> names;
  for (const Column& column : study.schema) {
    names.push_back(column.name);
  }
  return names;
}

TEST(UnfinishedStudy, is_read_from_its_segments) {
  const TemporaryFolder folder;
  const fs::path output = folder / "a.h5";
  const StudyDescription study = test::sample_study(200, 16);
  prepare_output(output, study);
  test::write_sample(output, study, {100, 150}, keep_some);
  test::write_sample(output, study, {0, 70}, keep_some);

  const StudyReader reader(output, Unfinished::read);
  EXPECT_FALSE(reader.complete());
  EXPECT_EQ(reader.points(), 200);
  EXPECT_EQ(reader.done(), 120);
  EXPECT_THAT(reader.left_out(), IsEmpty());
  EXPECT_EQ(reader.schema().size(), study.schema.size());
  EXPECT_EQ(reader.schema()[3].units, "s");
  EXPECT_EQ(reader.axes().size(), 3U);
  EXPECT_EQ(reader.root_attributes().at("title"), "A sample");
  EXPECT_EQ(reader.provenance().at("hosts"), "node1");

  Table expected = test::sample_rows(study, {0, 70}, keep_some);
  expected.append(test::sample_rows(study, {100, 150}, keep_some));
  ASSERT_EQ(reader.rows(), static_cast<std::int64_t>(expected.rows()));
  test::expect_equal(reader.read(all_columns(study), 0, reader.rows()), expected, study.schema);
  // A slice over the bound between both.
  EXPECT_EQ(reader.read({"point_id"}, 40, 50).values<std::int64_t>(0),
            std::vector<std::int64_t>(expected.values<std::int64_t>(0).begin() + 40,
                                      expected.values<std::int64_t>(0).begin() + 50));

  Counts counts = test::sample_counts({0, 70}, keep_some);
  const Counts more = test::sample_counts({100, 150}, keep_some);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_EQ(reader.counts().at(study.count_names[i]), counts[i] + more[i]);
  }
}

TEST(UnfinishedStudy, adds_up_its_histograms) {
  const TemporaryFolder folder;
  const fs::path output = folder / "a.h5";
  StudyDescription study = test::sample_study(100, 16);
  study.histograms = {{"step_time", "s", "step time", "Of all.", {1.0, 2.0}}};
  prepare_output(output, study);
  for (const IdRange ids : {IdRange{0, 10}, {50, 60}}) {
    Counts counts = test::sample_counts(ids, keep_all);
    counts.insert(counts.end(), {1, 2, ids.first});
    write_segment(output, study, ids, test::sample_rows(study, ids, keep_all), counts);
  }
  const std::vector<StoredHistogram> histograms =
      StudyReader(output, Unfinished::read).histograms();
  ASSERT_EQ(histograms.size(), 1U);
  EXPECT_EQ(histograms[0].histogram.name, "step_time");
  EXPECT_THAT(histograms[0].counts, ElementsAre(2, 4, 50));
}

TEST(UnfinishedStudy, may_have_nothing_yet) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(100, 16);
  prepare_output(folder / "a.h5", study);
  const StudyReader reader(folder / "a.h5", Unfinished::read);
  EXPECT_EQ(reader.rows(), 0);
  EXPECT_EQ(reader.done(), 0);
  EXPECT_EQ(reader.read({"step_time"}, 0, 0).rows(), 0U);
}

TEST(UnfinishedStudy, leaves_out_what_is_damaged_and_names_it) {
  const TemporaryFolder folder;
  const fs::path output = folder / "a.h5";
  const StudyDescription study = test::sample_study(200, 16);
  prepare_output(output, study);
  test::write_sample(output, study, {0, 50}, keep_all);
  const Segment header = test::write_sample(output, study, {50, 100}, keep_all);
  const Segment values = test::write_sample(output, study, {100, 200}, keep_all);
  test::write_bytes(header.path, "text");
  std::string bytes = test::file_bytes(values.path);
  // The last bytes of a segment are values.
  bytes[bytes.size() - 40] = static_cast<char>(bytes[bytes.size() - 40] ^ 1);
  test::write_bytes(values.path, bytes);

  const StudyReader reader(output, Unfinished::read);
  EXPECT_EQ(reader.done(), 50);
  EXPECT_EQ(reader.rows(), 50);
  EXPECT_THAT(reader.left_out(), ElementsAre(HasSubstr("000000000050-000000000100.h5: "),
                                             HasSubstr("000000000100-000000000200.h5: ")));
}

// A run that goes on joins segments and removes what it joined.
TEST(UnfinishedStudy, stays_readable_while_segments_are_joined) {
  const TemporaryFolder folder;
  const fs::path output = folder / "a.h5";
  const StudyDescription study = test::sample_study(200, 16);
  prepare_output(output, study);
  test::write_sample(output, study, {0, 50}, keep_all);
  test::write_sample(output, study, {50, 100}, keep_all);
  const StudyReader before(output, Unfinished::read);
  ASSERT_TRUE(compact_segments(output, study, {0, 100}, std::nullopt));
  const Table expected = test::sample_rows(study, {0, 100}, keep_all);
  test::expect_equal(before.read(all_columns(study), 0, 100), expected, study.schema);
  const StudyReader after(output, Unfinished::read);
  test::expect_equal(after.read(all_columns(study), 0, 100), expected, study.schema);
}

// More segments than are kept open.
TEST(UnfinishedStudy, may_have_very_many_segments) {
  const TemporaryFolder folder;
  const fs::path output = folder / "a.h5";
  StudyDescription study = test::sample_study(520, 16);
  prepare_output(output, study, Durability::scratch);
  for (PointId id = 0; id < 520; ++id) {
    const IdRange ids = {id, id + 1};
    write_segment(output, study, ids, test::sample_rows(study, ids, keep_all),
                  test::sample_counts(ids, keep_all), Durability::scratch);
  }
  const StudyReader reader(output, Unfinished::read);
  const Table table = reader.read({"point_id", "step_time"}, 0, reader.rows());
  const Table expected = test::sample_rows(study, {0, 520}, keep_all);
  EXPECT_EQ(table.values<std::int64_t>(0), expected.values<std::int64_t>(0));
  EXPECT_EQ(table.values<double>(1), expected.values<double>(3));
  const ColumnBlocks blocks = reader.blocks({"step_time"});
  std::vector<double> times;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Table block = blocks.read(b);
    times.insert(times.end(), block.values<double>(0).begin(), block.values<double>(0).end());
  }
  EXPECT_EQ(times, expected.values<double>(3));
}

TEST(UnfinishedStudy, tells_how_far_its_segments_are_checked) {
  const TemporaryFolder folder;
  const fs::path output = folder / "a.h5";
  const StudyDescription study = test::sample_study(200, 16);
  prepare_output(output, study);
  for (const IdRange ids :
       {IdRange{0, 50}, IdRange{50, 100}, IdRange{100, 150}, IdRange{150, 200}}) {
    test::write_sample(output, study, ids, keep_all);
  }
  std::vector<double> told;
  const PassProgress progress = [&](std::string_view pass, double done) {
    EXPECT_EQ(pass, "checking segments");
    told.push_back(done);
  };
  const StudyReader reader(output, Unfinished::read, progress);
  EXPECT_THAT(told, ElementsAre(0.25, 0.5, 0.75, 1.0));
  told.clear();
  read_progress(output, progress);
  EXPECT_THAT(told, ElementsAre(0.25, 0.5, 0.75, 1.0));
  told.clear();
  std::vector<std::string> passes;
  FinishOptions options;
  options.durability = Durability::scratch;
  options.progress = [&](std::string_view pass, double done) {
    if (passes.empty() || passes.back() != pass) {
      passes.emplace_back(pass);
    }
    told.push_back(done);
  };
  finish(output, study, std::nullopt, options);
  EXPECT_THAT(passes, ElementsAre("checking segments", "merging segments"));
  EXPECT_EQ(told.back(), 1.0);
}

TEST(UnfinishedStudy, is_refused_where_nobody_asked_for_it) {
  const TemporaryFolder folder;
  prepare_output(folder / "a.h5", test::sample_study(100, 16));
  try {
    const StudyReader reader(folder / "a.h5");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::no_input);
    EXPECT_THAT(failure.what(), HasSubstr("a.h5: the study is not finished (a.h5.d holds what is "
                                          "done); the command that began it goes on with it"));
  }
}

TEST(UnfinishedStudy, of_another_format_version_is_refused) {
  const TemporaryFolder folder;
  prepare_output(folder / "a.h5", test::sample_study(100, 16));
  const hid_t file = H5Fopen((folder / "a.h5.d/study.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t version = H5Aopen(file, "format_version", H5P_DEFAULT);
  const std::int64_t newer = 4;
  EXPECT_GE(H5Awrite(version, H5T_NATIVE_INT64, &newer), 0);
  H5Aclose(version);
  H5Fclose(file);
  try {
    const StudyReader reader(folder / "a.h5", Unfinished::read);
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::bad_input);
    EXPECT_THAT(failure.what(),
                HasSubstr("it is in format version 4, this program reads versions 1 to 3"));
  }
}

TEST(UnfinishedStudy, is_read_as_a_file_once_it_is_one) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(100, 16);
  test::write_study(folder / "a.h5", study, {0, 50, 100}, keep_all);
  const StudyReader reader(folder / "a.h5", Unfinished::read);
  EXPECT_TRUE(reader.complete());
  EXPECT_EQ(reader.done(), 100);
  EXPECT_THAT(reader.left_out(), IsEmpty());
}

}  // namespace
}  // namespace scalesweep::store
