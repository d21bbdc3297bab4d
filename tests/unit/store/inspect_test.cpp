// What stands at an output before a run: every state, in the words the user gets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "core/failure.hpp"
#include "store/merge/finish.hpp"
#include "store/read/progress.hpp"
#include "store/read/reader.hpp"
#include "store/read/table_file.hpp"
#include "store/segments/output.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using scalesweep::test::TemporaryFolder;
using test::keep_all;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

void replace_in_file(const fs::path& path, const std::string& from, const std::string& to) {
  std::string text = test::file_bytes(path);
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos);
  test::write_bytes(path, text.replace(at, from.size(), to));
}

TEST(InspectOutput, NothingThere) {
  const TemporaryFolder folder;
  const OutputReport report = inspect_output(folder / "a.h5", test::sample_study(100, 16));
  EXPECT_EQ(report.state, OutputState::absent);
  EXPECT_THAT(test::folder_names(folder.path()), IsEmpty());
}

TEST(InspectOutput, PreparedButNothingWritten) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(100, 16);
  prepare_output(folder / "a.h5", study);
  prepare_output(folder / "a.h5", study);  // again is fine
  const OutputReport report = inspect_output(folder / "a.h5", study);
  EXPECT_EQ(report.state, OutputState::resumable);
  EXPECT_THAT(report.segments, IsEmpty());
  EXPECT_THAT(test::folder_names(folder / "a.h5.d"), ElementsAre("study.h5", "study.json"));
}

TEST(InspectOutput, ListsSegmentsInOrderOfId) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(100, 16);
  prepare_output(folder / "a.h5", study);
  test::write_sample(folder / "a.h5", study, {64, 100}, keep_all);
  test::write_sample(folder / "a.h5", study, {0, 16}, keep_all);
  const OutputReport report = inspect_output(folder / "a.h5", study);
  EXPECT_EQ(report.state, OutputState::resumable);
  ASSERT_EQ(report.segments.size(), 2U);
  EXPECT_EQ(report.segments[0].ids, (IdRange{0, 16}));
  EXPECT_EQ(report.segments[1].ids, (IdRange{64, 100}));
  EXPECT_EQ(report.segments[0].rows, 16);
  EXPECT_EQ(report.segments[1].counts, test::sample_counts({64, 100}, keep_all));
  EXPECT_EQ(report.segments[1].path, folder / "a.h5.d" / "000000000064-000000000100.h5");
}

TEST(InspectOutput, OverlappingSegmentsAreReducedToTheBestCover) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(100, 16);
  prepare_output(folder / "a.h5", study);
  for (const IdRange ids : {IdRange{0, 40}, {32, 64}, {0, 32}, {64, 80}, {48, 70}}) {
    test::write_sample(folder / "a.h5", study, ids, keep_all);
  }
  const OutputReport report = inspect_output(folder / "a.h5", study);
  ASSERT_EQ(report.segments.size(), 3U);
  EXPECT_EQ(report.segments[0].ids, (IdRange{0, 32}));
  EXPECT_EQ(report.segments[1].ids, (IdRange{32, 64}));
  EXPECT_EQ(report.segments[2].ids, (IdRange{64, 80}));
}

TEST(InspectOutput, FinishedStudy) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(100, 16);
  test::write_study(folder / "a.h5", study, {0, 100}, keep_all);
  const std::string before = test::file_bytes(folder / "a.h5");
  EXPECT_EQ(inspect_output(folder / "a.h5", study).state, OutputState::finished);
  EXPECT_EQ(test::file_bytes(folder / "a.h5"), before);
}

TEST(InspectOutput, FinishedWinsOverWhatIsLeftOfTheRun) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(100, 16);
  test::write_study(folder / "a.h5", study, {0, 100}, keep_all);
  prepare_output(folder / "a.h5", study);  // as after a crash before the segments were removed
  test::write_sample(folder / "a.h5", study, {0, 100}, keep_all);
  EXPECT_EQ(inspect_output(folder / "a.h5", study).state, OutputState::finished);
  finish(folder / "a.h5", study, std::nullopt);
  EXPECT_THAT(test::folder_names(folder.path()), ElementsAre("a.h5"));
}

// In both forms, running and finished, each part of an identity is told in words.
TEST(InspectOutput, AnotherStudyIsToldByWhatDiffers) {
  for (const bool finished : {false, true}) {
    const TemporaryFolder folder;
    const StudyDescription study = test::sample_study(100, 16);
    if (finished) {
      test::write_study(folder / "a.h5", study, {0, 100}, keep_all);
    } else {
      prepare_output(folder / "a.h5", study);
    }
    StudyDescription other = study;
    other.identity = "another";
    other.identity_parts["spec"] = "a = 1\nb = 7\nc = 3\n";
    OutputReport report = inspect_output(folder / "a.h5", other);
    EXPECT_EQ(report.state, OutputState::other_study);
    EXPECT_EQ(report.detail, "the spec differs (- there, + here):\n  - b = 2\n  + b = 7");

    other = study;
    other.identity = "another";
    other.identity_parts["estimator"] = "33333333";
    other.identity_parts["catalog"] = "44444444";
    other.points = 101;
    report = inspect_output(folder / "a.h5", other);
    EXPECT_EQ(report.state, OutputState::other_study);
    EXPECT_EQ(report.detail,
              "the catalog differs (11111111 there, 44444444 here)\n"
              "the estimator differs (22222222 there, 33333333 here)\n"
              "it has 100 points there, 101 here");

    other = study;
    other.identity = "another";
    report = inspect_output(folder / "a.h5", other);
    EXPECT_EQ(report.detail, "its identity is 0123456789abcdef there, another here");

    other = study;
    other.chunk_rows = 32;
    report = inspect_output(folder / "a.h5", other);
    EXPECT_EQ(report.detail, "its chunks have 16 rows there, 32 here");
  }
}

TEST(InspectOutput, LongDifferencesAreCut) {
  const TemporaryFolder folder;
  StudyDescription study = test::sample_study(100, 16);
  prepare_output(folder / "a.h5", study);
  std::string text;
  for (int line = 0; line < 12; ++line) {
    text += "line " + std::to_string(line) + "\n";
  }
  study.identity = "another";
  study.identity_parts["spec"] = text;
  const OutputReport report = inspect_output(folder / "a.h5", study);
  EXPECT_THAT(report.detail, HasSubstr("+ line 4\n  + ... and 7 more"));
}

TEST(InspectOutput, AnotherFormatVersionIsAnotherStudy) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(100, 16);
  prepare_output(folder / "a.h5", study);
  replace_in_file(folder / "a.h5.d" / "study.json", "\"format_version\": 3",
                  "\"format_version\": 9");
  EXPECT_EQ(inspect_output(folder / "a.h5", study).detail,
            "it is in format version 9, this program writes version 3");
  replace_in_file(folder / "a.h5.d" / "study.json", "\"format_version\": 9",
                  "\"format_version\": 2");
  EXPECT_EQ(
      inspect_output(folder / "a.h5", study).detail,
      "it is in format version 2, this program writes version 3: the scalesweep that began it "
      "goes on with it, and 'scalesweep merge' makes the file where all of it is computed");

  test::write_study(folder / "b.h5", study, {0, 100}, keep_all);
  const hid_t file = H5Fopen((folder / "b.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t version = H5Aopen(file, "format_version", H5P_DEFAULT);
  const std::int64_t nine = 9;
  H5Awrite(version, H5T_NATIVE_INT64, &nine);
  H5Aclose(version);
  H5Fclose(file);
  const OutputReport report = inspect_output(folder / "b.h5", study);
  EXPECT_EQ(report.state, OutputState::other_study);
  EXPECT_EQ(report.detail, "it is in format version 9, this program writes version 3");
  try {
    const StudyReader reader(folder / "b.h5");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::bad_input);
    EXPECT_THAT(
        failure.what(),
        HasSubstr(
            "b.h5: it is in format version 9, this program reads versions 1 to 3; take a newer "
            "scalesweep"));
  }
}

struct Foreign {
  std::string name;
  std::function<void(const fs::path&)> make;
  std::string detail;
};

class ForeignOutput : public testing::TestWithParam<Foreign> {};

TEST_P(ForeignOutput, IsNamedAndLeftAlone) {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.h5";
  GetParam().make(path);
  const StudyDescription study = test::sample_study(100, 16);
  const OutputReport report = inspect_output(path, study);
  EXPECT_EQ(report.state, OutputState::foreign);
  EXPECT_THAT(report.detail, HasSubstr(GetParam().detail));
  // Nor does finish() overwrite it.
  const auto names = test::folder_names(folder.path());
  if (fs::exists(fs::symlink_status(path))) {
    const std::string before = fs::is_regular_file(path) ? test::file_bytes(path) : "";
    prepare_output(path, study);
    test::write_sample(path, study, {0, 100}, keep_all);
    try {
      finish(path, study, std::nullopt);
      ADD_FAILURE() << "finish() accepted it";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ExitCode::cannot_create);
      EXPECT_THAT(failure.what(), HasSubstr("something else has appeared here meanwhile"));
      EXPECT_THAT(failure.what(), HasSubstr(GetParam().detail));
    }
    EXPECT_EQ(fs::is_regular_file(path) ? test::file_bytes(path) : "", before);
    EXPECT_EQ(inspect_output(path, study).state, OutputState::foreign);
    fs::remove_all(folder / "a.h5.d");
  }
  EXPECT_EQ(test::folder_names(folder.path()), names);
}

void make_hdf5(const fs::path& path) {
  H5Fclose(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
}

INSTANTIATE_TEST_SUITE_P(
    All, ForeignOutput,
    testing::Values(
        Foreign{"directory", [](const fs::path& p) { fs::create_directory(p); },
                "it is a folder, not a file"},
        Foreign{"empty", [](const fs::path& p) { test::write_bytes(p, ""); }, "it is empty"},
        Foreign{"text", [](const fs::path& p) { test::write_bytes(p, "my thesis\n"); },
                "it is not an HDF5 file"},
        Foreign{"dangling", [](const fs::path& p) { fs::create_symlink("nowhere", p); },
                "it is a symbolic link to nothing"},
        Foreign{"hdf5", make_hdf5, "it is an HDF5 file, but not a study of scalesweep"},
        Foreign{"analysis",
                [](const fs::path& p) { TableFile(p, "scalesweep-analysis", 1, {}).commit(); },
                "it is a file of kind scalesweep-analysis, not a study"},
        Foreign{"truncated",
                [](const fs::path& p) {
                  test::write_study(p, test::sample_study(100, 16), {0, 100}, keep_all);
                  fs::resize_file(p, fs::file_size(p) / 2);
                },
                "it is cut short: "},
        Foreign{"folder_is_file",
                [](const fs::path& p) { test::write_bytes(p.string() + ".d", "x"); },
                "is in the way: it is not a folder"},
        Foreign{"folder_of_others",
                [](const fs::path& p) {
                  fs::create_directory(p.string() + ".d");
                  test::write_bytes(p.string() + ".d/data.csv", "1,2\n");
                },
                "is not of a running study: it holds 'data.csv' and no study.json"},
        Foreign{"broken_description",
                [](const fs::path& p) {
                  fs::create_directory(p.string() + ".d");
                  test::write_bytes(p.string() + ".d/study.json", "{\"format\": ");
                },
                "study.json: it cannot be understood"},
        Foreign{"other_description",
                [](const fs::path& p) {
                  fs::create_directory(p.string() + ".d");
                  test::write_bytes(p.string() + ".d/study.json", "{\"format\": \"mine\"}");
                },
                "study.json: it is not the description of a study"}),
    [](const auto& foreign) { return foreign.param.name; });

TEST(InspectOutput, LeftoversOfAnInterruptedStartAreNothing) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(100, 16);
  fs::create_directory(folder / "a.h5.d");
  test::write_bytes(folder / "a.h5.d" / "study.json.partial", "{");
  EXPECT_EQ(inspect_output(folder / "a.h5", study).state, OutputState::absent);
  test::write_study(folder / "a.h5", study, {0, 100}, keep_all);
  EXPECT_THAT(test::folder_names(folder.path()), ElementsAre("a.h5"));
}

TEST(PrepareOutput, SaysWhyItCannot) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(100, 16);
  const auto message_of = [&](const fs::path& output, const StudyDescription& described) {
    try {
      prepare_output(output, described);
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ExitCode::cannot_create);
      return std::string(failure.what());
    }
    return std::string("no failure");
  };
  EXPECT_EQ(message_of(folder / "no" / "a.h5", study), (folder / "no" / "a.h5.d").string() +
                                                           ": cannot create: there is no folder " +
                                                           (folder / "no").string());
  test::write_bytes(folder / "file", "x");
  EXPECT_THAT(message_of(folder / "file" / "a.h5", study), HasSubstr("there is no folder"));
  test::write_bytes(folder / "a.h5.d", "x");
  EXPECT_THAT(message_of(folder / "a.h5", study), HasSubstr("a.h5.d: cannot create: "));
  // A place where not even root may create anything.
  EXPECT_THAT(message_of("/proc/a.h5", study), StartsWith("/proc/a.h5.d: cannot create: "));

  prepare_output(folder / "b.h5", study);
  StudyDescription other = study;
  other.identity = "another";
  other.identity_parts["estimator"] = "33333333";
  EXPECT_THAT(message_of(folder / "b.h5", other),
              HasSubstr("b.h5.d: another study is here: the estimator differs"));
}

TEST(Progress, TellsHowFarARunIs) {
  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(500, 64);
  EXPECT_THROW(read_progress(folder / "a.h5"), Failure);
  prepare_output(folder / "a.h5", study);
  test::write_sample(folder / "a.h5", study, {0, 200}, test::keep_some);
  test::write_sample(folder / "a.h5", study, {300, 400}, test::keep_some);
  test::write_bytes(folder / "a.h5.d" / "000000000200-000000000300.h5", "damaged");
  OutputProgress progress = read_progress(folder / "a.h5");
  EXPECT_FALSE(progress.finished);
  EXPECT_EQ(progress.title, "A sample");
  EXPECT_EQ(progress.identity, study.identity);
  EXPECT_EQ(progress.points, 500);
  EXPECT_EQ(progress.done, 300);
  EXPECT_EQ(progress.segments, 2);
  const Counts low = test::sample_counts({0, 200}, test::keep_some);
  const Counts high = test::sample_counts({300, 400}, test::keep_some);
  ASSERT_EQ(progress.counts.size(), 4U);
  EXPECT_EQ(progress.counts[3], low[3] + high[3]);
  EXPECT_EQ(progress.rows, 300 - progress.counts[3]);

  test::write_sample(folder / "a.h5", study, {200, 500}, test::keep_some);
  finish(folder / "a.h5", study, std::nullopt);
  progress = read_progress(folder / "a.h5");
  EXPECT_TRUE(progress.finished);
  EXPECT_EQ(progress.done, 500);
  EXPECT_EQ(progress.counts, test::sample_counts({0, 500}, test::keep_some));
  test::write_bytes(folder / "t.h5", "text");
  EXPECT_THROW(read_progress(folder / "t.h5"), Failure);
}

}  // namespace
}  // namespace scalesweep::store
