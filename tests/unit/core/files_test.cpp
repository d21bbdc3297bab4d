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

// What TemporaryFolder says where TMPDIR names this.
std::string said_of(const char* parent) {
  const std::string before = std::filesystem::temp_directory_path().string();
  setenv("TMPDIR", parent, 1);
  std::string said;
  try {
    const TemporaryFolder folder;
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::cannot_create);
    said = failure.what();
  }
  setenv("TMPDIR", before.c_str(), 1);
  return said;
}

TEST(TemporaryFolder, SaysWhereNoneCanBeMadeAndWhy) {
  // Nobody can make a folder in /proc.
  EXPECT_EQ(said_of("/proc"),
            "cannot make a folder in /proc: No such file or directory; set TMPDIR to one that can "
            "be written");
  EXPECT_EQ(said_of("/no/such/folder"),
            "cannot make a folder in /no/such/folder: No such file or directory; set TMPDIR to one "
            "that can be written");
  EXPECT_EQ(said_of("/dev/null"),
            "cannot make a folder in /dev/null: Not a directory; set TMPDIR to one that can be "
            "written");
}

TEST(DurableFile, BecomesTheTargetOnlyIfItIsCommitted) {
  const test::TemporaryFolder folder;
  write_file_durably(folder / "a", "before");
  {
    DurableFile file(folder / "a");
    file.write("half");
  }
  EXPECT_EQ(read_file(folder / "a"), "before");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.partial"));
  DurableFile file(folder / "a");
  file.write("one");
  file.write(" and two");
  file.commit();
  EXPECT_EQ(read_file(folder / "a"), "one and two");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.partial"));
}

TEST(ReadFile, ReadsFilesOfAnySizeAndThoseThatHaveNone) {
  const test::TemporaryFolder folder;
  for (const std::size_t bytes : {0U, 1U, 65'535U, 65'536U, 200'000U}) {
    const std::string text(bytes, 'x');
    write_file_durably(folder / "a", text);
    EXPECT_EQ(read_file(folder / "a"), text);
  }
  EXPECT_NE(read_file("/proc/self/status").find("Name:"), std::string::npos);
}

}  // namespace
}  // namespace scalesweep
