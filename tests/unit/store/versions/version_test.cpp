// Files that older versions wrote are read as they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/read/reader.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

using testing::ElementsAre;

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

}  // namespace
}  // namespace scalesweep::store
