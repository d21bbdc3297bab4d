// Files that older versions wrote are read as they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "store/hdf5/hdf5.hpp"
#include "store/merge/finish.hpp"
#include "store/merge/write_study.hpp"
#include "store/read/progress.hpp"
#include "store/read/reader.hpp"
#include "store/seal/open.hpp"
#include "store/segments/output.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

using testing::ElementsAre;

std::int64_t version_of(const std::filesystem::path& file) {
  return h5::read_int_attribute(open_checked(file).get(), "format_version");
}

class OldVersion : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(
        test::run_command("gzip -dc " VERSIONS_FOLDER "/version-1.h5.gz > " + file().string()).exit,
        0);
  }
  std::filesystem::path file() const { return folder / "old.h5"; }

  const scalesweep::test::TemporaryFolder folder;
};

// It has places where newer ones have numbers: tables have places of both.
TEST_F(OldVersion, OneIsReadAsItIs) {
  const StudyReader reader(file());
  EXPECT_EQ(reader.root_attribute("title"), "A study in format version 1");
  EXPECT_EQ(reader.rows(), 4);
  EXPECT_EQ(reader.points(), 1032);
  const Table table = reader.read({"sequence", "device", "tensor_parallel", "step_time"}, 0, 4);
  EXPECT_THAT(table.values<std::uint8_t>(0), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(table.values<std::uint8_t>(1), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(table.values<std::int32_t>(2), ElementsAre(1, 1, 1, 1));
  EXPECT_NEAR(table.values<double>(3)[0], 1.725, 5e-4);
  EXPECT_EQ(reader.axes()[1].name, "sequence");
  EXPECT_THAT(reader.axes()[1].values, ElementsAre(2048.0, 4096.0));
  for (const Column& column : reader.schema()) {
    EXPECT_EQ(column.numbers, nullptr) << column.name;
  }
}

// A copy holds the numbers, and says so.
TEST_F(OldVersion, OneIsCopiedAsTheNewest) {
  copy_study(file(), folder / "new.h5", {});
  EXPECT_EQ(version_of(file()), 1);
  EXPECT_EQ(version_of(folder / "new.h5"), format_version);
  const StudyReader copy(folder / "new.h5");
  const Table table = copy.read({"sequence"}, 0, 4);
  EXPECT_THAT(table.values<std::uint8_t>(0), ElementsAre(0, 0, 1, 1));
  const auto column = std::find_if(copy.schema().begin(), copy.schema().end(),
                                   [](const Column& one) { return one.name == "sequence"; });
  EXPECT_NE(column->numbers, nullptr);
}

// Its segments hold places: so does the file that they are merged to, and says that it does.
TEST_F(OldVersion, OneThatIsMergedNowStaysOne) {
  StudyDescription study = test::sample_study(200, 64);
  for (Column& column : study.schema) {
    column.numbers = nullptr;
  }
  study.version = 1;
  const std::filesystem::path output = folder / "a.h5";
  prepare_output(output, study);
  test::write_sample(output, study, {0, 200}, test::keep_all);
  finish(output, read_description(output), std::nullopt);
  EXPECT_EQ(version_of(output), 1);
  EXPECT_EQ(StudyReader(output).rows(), 200);
}

}  // namespace
}  // namespace scalesweep::store
