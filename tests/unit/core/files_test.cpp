// Writing files that must not be lost.
#include "core/host/files.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/failure.hpp"
#include "support/temporary_folder.hpp"

namespace scalesweep {
namespace {

TEST(WriteFileDurably, WritesWhatItIsGivenAndLeavesNothingElse) {
  const test::TemporaryFolder folder;
  write_file_durably(folder / "a", "first");
  write_file_durably(folder / "a", "second");
  EXPECT_EQ(read_file(folder / "a"), "second");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.partial"));
}

// What cannot be written beside the target does not touch the target.
TEST(WriteFileDurably, LeavesWhatWasThereWhereItFails) {
  const test::TemporaryFolder folder;
  write_file_durably(folder / "a", "years of work");
  std::filesystem::create_directory(folder / "a.partial");
  EXPECT_THROW(write_file_durably(folder / "a", "half"), Failure);
  EXPECT_EQ(read_file(folder / "a"), "years of work");
}

}  // namespace
}  // namespace scalesweep
