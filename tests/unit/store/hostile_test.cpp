// Files of strangers that say what is not so: they are refused before memory or time is spent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "core/failure.hpp"
#include "store/hdf5/hdf5.hpp"
#include "store/merge/finish.hpp"
#include "store/read/reader.hpp"
#include "store/segments/output.hpp"
#include "support/failure_of.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

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

}  // namespace
}  // namespace scalesweep::store
