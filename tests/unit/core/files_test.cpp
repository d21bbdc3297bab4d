// Writing files that must not be lost.
#include "core/host/files.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

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

TEST(TemporaryFolder, IsGoneWithWhatIsInIt) {
  std::filesystem::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    std::filesystem::create_directory(folder / "inner");
    write_file_durably(folder / "inner" / "a", "text");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryFolder, SaysWhereNoneCanBeMade) {
  const std::string before = std::filesystem::temp_directory_path().string();
  setenv("TMPDIR", "/proc", 1);  // where nobody can make one
  try {
    const TemporaryFolder folder;
    ADD_FAILURE() << "a folder in /proc";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::cannot_create);
    EXPECT_STREQ(failure.what(),
                 "cannot make a folder in /proc; set TMPDIR to one that can be written");
  }
  setenv("TMPDIR", before.c_str(), 1);
}

}  // namespace
}  // namespace scalesweep
