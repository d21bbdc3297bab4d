// Files of strangers that say what is not so: they are refused before memory or time is spent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <filesystem>

#include "core/failure.hpp"
#include "store/hdf5/hdf5.hpp"
#include "store/merge/finish.hpp"
#include "store/read/reader.hpp"
#include "store/segments/output.hpp"
#include "store/segments/partial_file.hpp"
#include "support/failure_of.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using h5::Hid;
using scalesweep::test::failure_of;
using testing::HasSubstr;

class Hostile : public testing::Test {
 protected:
  void SetUp() override {
    h5::quiet();
    prepare_output(output, study);
    test::write_sample(output, study, {0, 200}, test::keep_all);
  }
  Hid opened() const {
    return h5::owned(H5Fopen(output.c_str(), H5F_ACC_RDWR, h5::file_access().get()), H5Fclose,
                     "cannot open");
  }
  std::string why() const {
    return failure_of([&] { StudyReader reader(output); }).what();
  }

  const scalesweep::test::TemporaryFolder folder;
  const std::filesystem::path output = folder / "a.h5";
  StudyDescription study = test::sample_study(200, 64);
};

// 8 TB of them, none of which was ever written.
Hid endless(hid_t parent, const std::string& name) {
  const hsize_t rows = 1'000'000'000'000;
  const hsize_t chunk = 16'384;
  const Hid space = h5::owned(H5Screate_simple(1, &rows, nullptr), H5Sclose, "space");
  const Hid creation = h5::owned(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "list");
  H5Pset_chunk(creation.get(), 1, &chunk);
  return h5::owned(H5Dcreate2(parent, name.c_str(), H5T_IEEE_F64LE, space.get(), H5P_DEFAULT,
                              creation.get(), H5P_DEFAULT),
                   H5Dclose, "dataset");
}

// HDF5 fetches what lies in another file without a word: no seal covers it, and it may change.
void expect_refused_as_elsewhere(const std::string& why, const std::string& name) {
  EXPECT_THAT(why, HasSubstr("'" + name + "' lies in another file, which is no part of the study"));
  EXPECT_THAT(why, HasSubstr("take the one that the run wrote"));
}

TEST_F(Hostile, AColumnBehindAnExternalLink) {
  finish(output, study, std::nullopt);
  fs::copy_file(output, folder / "b.h5");
  {
    const Hid file = opened();
    H5Ldelete(file.get(), "results/step_time", H5P_DEFAULT);
    H5Lcreate_external("b.h5", "/results/step_time", file.get(), "results/step_time", H5P_DEFAULT,
                       H5P_DEFAULT);
  }
  expect_refused_as_elsewhere(why(), "results/step_time");
}

TEST_F(Hostile, AColumnWhoseValuesLieInAnotherFile) {
  finish(output, study, std::nullopt);
  {
    const Hid file = opened();
    H5Ldelete(file.get(), "results/step_time", H5P_DEFAULT);
    const hsize_t rows = 200;
    const Hid space = h5::owned(H5Screate_simple(1, &rows, nullptr), H5Sclose, "space");
    const Hid creation = h5::owned(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "list");
    H5Pset_external(creation.get(), (folder / "raw").c_str(), 0, rows * sizeof(double));
    h5::owned(H5Dcreate2(file.get(), "results/step_time", H5T_IEEE_F64LE, space.get(), H5P_DEFAULT,
                         creation.get(), H5P_DEFAULT),
              H5Dclose, "dataset");
  }
  expect_refused_as_elsewhere(why(), "results/step_time");
}

TEST_F(Hostile, AVirtualColumnOfAFileWithoutSegments) {
  finish(output, study, std::nullopt);
  fs::copy_file(output, folder / "b.h5");
  {
    const Hid file = opened();
    H5Ldelete(file.get(), "results/step_time", H5P_DEFAULT);
    const hsize_t rows = 200;
    const Hid space = h5::owned(H5Screate_simple(1, &rows, nullptr), H5Sclose, "space");
    const Hid creation = h5::owned(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "list");
    H5Pset_virtual(creation.get(), space.get(), "b.h5", "/results/step_time", space.get());
    h5::owned(H5Dcreate2(file.get(), "results/step_time", H5T_IEEE_F64LE, space.get(), H5P_DEFAULT,
                         creation.get(), H5P_DEFAULT),
              H5Dclose, "dataset");
  }
  expect_refused_as_elsewhere(why(), "results/step_time");
}

TEST_F(Hostile, AxesOfMoreValuesThanTheFileHasRoomFor) {
  finish(output, study, std::nullopt);
  {
    const Hid file = opened();
    const Hid axis = h5::open_group(file.get(), "axes/power");
    H5Ldelete(axis.get(), "values", H5P_DEFAULT);
    endless(axis.get(), "values");
  }
  EXPECT_THAT(why(), HasSubstr("'values' says that it has 1000000000000 values, for which the file "
                               "is too small"));
}

TEST_F(Hostile, RowsOfMoreValuesThanTheFileHasRoomFor) {
  finish(output, study, std::nullopt);
  {
    const Hid file = opened();
    const Hid results = h5::open_group(file.get(), "results");
    H5Adelete(file.get(), "rows");
    h5::write_int_attribute(file.get(), "rows", 1'000'000'000'000);
    H5Adelete(results.get(), "columns");
    h5::write_texts_attribute(results.get(), "columns", {"endless"});
    endless(results.get(), "endless");
  }
  EXPECT_THAT(why(), HasSubstr("'endless' says that it has 1000000000000 values"));
}

TEST_F(Hostile, RowsWithoutColumns) {
  finish(output, study, std::nullopt);
  {
    const Hid file = opened();
    const Hid results = h5::open_group(file.get(), "results");
    H5Adelete(results.get(), "columns");
    h5::write_texts_attribute(results.get(), "columns", {});
  }
  EXPECT_THAT(why(), HasSubstr("its first column is not 'point_id'"));
}

TEST_F(Hostile, RowsOfFilesOutsideOfItsFolder) {
  FinishOptions virtual_layout;
  virtual_layout.layout = Layout::by_segment;
  finish(output, study, std::nullopt, virtual_layout);
  for (const std::string name :
       {"../../other.h5", "/etc/passwd", "a.h5.d/../../other.h5", "other.h5", "a.h5.d/b/c", ""}) {
    {
      const Hid file = opened();
      const Hid segments = h5::open_group(file.get(), "segments");
      H5Ldelete(segments.get(), "names", H5P_DEFAULT);
      h5::write_texts(segments.get(), "names", {name});
    }
    EXPECT_THAT(why(), HasSubstr("it looks for rows in '" + name +
                                 "', which is not in the folder beside it"));
  }
}

// Links under names that are ours, to a file and to a folder of somebody else.
TEST_F(Hostile, LinksThatWerePlantedAreNotFollowed) {
  const fs::path precious = folder / "precious";
  test::write_bytes(precious, "mine");
  const fs::path others = folder / "others";
  fs::create_directory(others);
  for (const char* name : {"x.tmp", "study.json", "merge.journal"}) {
    test::write_bytes(others / name, "mine");
  }
  const fs::path parts = output.string() + ".d";
  for (const char* name :
       {"merge.journal", "left.tmp", "study.json.partial", "000000000100-000000000150.h5"}) {
    fs::create_symlink(precious, parts / name);
  }
  fs::create_directory_symlink(others, parts / "000000000000-000000000100.h5");
  fs::create_directory_symlink(others, parts / "folder.tmp");
  const fs::path partial = output.string() + ".partial";
  fs::create_symlink(precious, partial);
  const Failure failure = failure_of([&] { finish(output, study, std::nullopt); });
  EXPECT_EQ(failure.code(), ExitCode::cannot_create);
  EXPECT_THAT(failure.what(), HasSubstr("a.h5.partial: cannot create: a symbolic link is in the "
                                        "way, which is not followed; remove it"));
  fs::remove(partial);
  EXPECT_TRUE(finish(output, study, std::nullopt).complete);
  EXPECT_EQ(StudyReader(output).rows(), 200);
  EXPECT_FALSE(fs::exists(parts));
  EXPECT_EQ(test::file_bytes(precious), "mine");
  EXPECT_THAT(test::folder_names(others),
              testing::ElementsAre("merge.journal", "study.json", "x.tmp"));
}

// So is one that bears the name of a file in the making.
TEST_F(Hostile, FilesAreMadeInPlaceOfLinks) {
  const fs::path precious = folder / "precious";
  test::write_bytes(precious, "mine");
  fs::create_symlink(precious, temporary_name(folder / "new.h5"));
  const std::array<std::uint8_t, 3> bytes = {'a', 'b', 'c'};
  write_bytes(folder / "new.h5", bytes, Durability::scratch);
  EXPECT_EQ(test::file_bytes(folder / "new.h5"), "abc");
  fs::create_symlink(precious, output.string() + ".partial");
  FinishOptions options;
  options.layout = Layout::by_segment;
  EXPECT_TRUE(finish(output, study, std::nullopt, options).complete);
  EXPECT_EQ(test::file_bytes(precious), "mine");
}

}  // namespace
}  // namespace scalesweep::store
