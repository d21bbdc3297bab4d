// What a user reads who names something else than a whole study.
#include "store/hdf5/file_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <functional>

#include "store/hdf5/hdf5.hpp"
#include "store/read/progress.hpp"
#include "store/read/reader.hpp"
#include "store/read/table_file.hpp"
#include "store/segments/output.hpp"
#include "support/failure_of.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using scalesweep::test::failure_of;
using scalesweep::test::TemporaryFolder;
using test::keep_all;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* again = "; copy it again, or remove it and run the study again";
constexpr const char* not_ours = "; a study is the file that 'scalesweep run -o' wrote";

class FileProblems : public testing::Test {
 protected:
  // Every way to open a study says so.
  void expect_refused(const fs::path& file, const std::string& words,
                      ExitCode code = ExitCode::bad_input) const {
    const std::vector<std::function<void()>> ways = {
        [&] { StudyReader reader(file, Unfinished::read); }, [&] { read_progress(file); },
        [&] { read_description(file); }};
    for (const auto& way : ways) {
      const Failure failure = failure_of(way);
      EXPECT_EQ(failure.code(), code);
      EXPECT_EQ(failure.what(), file.string() + ": " + words);
    }
  }
  fs::path write(const std::string& name, const std::string& bytes) const {
    test::write_bytes(folder / name, bytes);
    return folder / name;
  }
  // The bytes of a finished study.
  std::string whole() const {
    test::write_study(folder / "whole.h5", study, {0, 150, 300}, keep_all);
    return test::file_bytes(folder / "whole.h5");
  }

  const TemporaryFolder folder;
  const StudyDescription study = test::sample_study(300, 64);
};

TEST_F(FileProblems, NothingThere) {
  expect_refused(folder / "a.h5",
                 "there is no such file, nor a folder a.h5.d of a study that is not finished",
                 ExitCode::no_input);
  fs::create_symlink("nowhere", folder / "link.h5");
  expect_refused(folder / "link.h5",
                 "it is a symbolic link to nothing; put there what it pointed to");
  EXPECT_EQ(problem_of(folder / "a.h5").what, "there is no such file");
}

TEST_F(FileProblems, FoldersAndOtherThings) {
  expect_refused(folder.path(), std::string("it is a folder, not a file") + not_ours);
  prepare_output(folder / "a.h5", study);
  const std::string itself = (folder / "a.h5").string();
  for (const char* name : {"a.h5.d", "a.h5.d/"}) {
    expect_refused(folder / name,
                   "it is the folder in which a study is computed; name the study "
                   "itself, " +
                       itself);
  }
  ASSERT_EQ(::mkfifo((folder / "pipe.h5").c_str(), 0600), 0);
  expect_refused(folder / "pipe.h5", std::string("it is not a file") + not_ours);
}

TEST_F(FileProblems, FilesOfOtherPrograms) {
  expect_refused(write("notes.h5", "my notes\n"), std::string("it is not an HDF5 file") + not_ours);
  const fs::path spec = write("a.toml", "schema = 1\n");
  expect_refused(spec, "it is a spec, not a study; 'scalesweep run " + spec.string() +
                           " -o OUT.h5' makes a study of it");
  const fs::path foreign = folder / "foreign.h5";
  H5Fclose(H5Fcreate(foreign.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  expect_refused(foreign,
                 std::string("it is an HDF5 file, but not a study of scalesweep") + not_ours);
}

TEST_F(FileProblems, FilesOfOurs) {
  TableFile(folder / "t.h5", "scalesweep-analysis", 1, {}).commit();
  expect_refused(folder / "t.h5",
                 "it is a file of kind scalesweep-analysis, not a study; name the "
                 "study that it was made of");
  prepare_output(folder / "a.h5", study);
  const fs::path segment = test::write_sample(folder / "a.h5", study, {0, 100}, keep_all).path;
  for (const fs::path& part : {segment, folder / "a.h5.d/study.h5"}) {
    expect_refused(part,
                   "it is a part of a study that is computed in pieces; name the study "
                   "itself, NAME.h5 beside the folder NAME.h5.d");
  }
  expect_refused(write("a.h5.partial", std::string(100, '\0')),
                 "it is a file that is being written, or was not written to its end; name the "
                 "study itself, " +
                     (folder / "a.h5").string());
}

TEST_F(FileProblems, CutShort) {
  expect_refused(write("empty.h5", ""), std::string("it is empty") + again);
  expect_refused(write("zeros.h5", std::string(5000, '\0')),
                 std::string("it begins with zeros: it was not written to its end") + again);
  const std::string bytes = whole();
  expect_refused(write("a.h5", bytes.substr(0, 30)),
                 std::string("it is cut short: only 30 bytes are there") + again);
  const fs::path cut = write("b.h5", bytes.substr(0, test::unsealed_size(bytes) - 1));
  const std::string words = failure_of([&] { StudyReader reader(cut); }).what();
  expect_refused(cut, words.substr(cut.string().size() + 2));
  EXPECT_THAT(words, AllOf(HasSubstr("b.h5: it is cut short: "), HasSubstr(" of its "),
                           HasSubstr(" bytes are there; copy it again")));
}

// The end of a file by its first bytes, whichever version of them HDF5 wrote.
TEST_F(FileProblems, CutShortInEveryVersionOfHdf5Files) {
  const fs::path path = folder / "a.h5";
  for (const H5F_libver_t newest : {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_V110}) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, newest, H5F_LIBVER_V110);
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    const hsize_t many = 1000;
    const hid_t space = H5Screate_simple(1, &many, nullptr);
    H5Dclose(H5Dcreate2(file, "x", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Fclose(file);
    const auto size = fs::file_size(path);
    EXPECT_TRUE(problem_of(path).empty());
    fs::resize_file(path, size - 1);
    EXPECT_THAT(problem_of(path).what, StartsWith("it is cut short: ")) << size;
  }
}

TEST_F(FileProblems, Damage) {
  std::string bytes = whole();
  const std::size_t from = bytes.size() * 3 / 4;  // the metadata come last
  bytes.replace(from, bytes.size() - from, bytes.size() - from, '\0');
  const fs::path damaged = write("a.h5", bytes);
  const std::string words = failure_of([&] { StudyReader reader(damaged); }).what();
  EXPECT_THAT(words, AllOf(StartsWith(damaged.string() + ": it is damaged ("), HasSubstr(again)));
}

TEST_F(FileProblems, UnfinishedStudies) {
  const auto failure = [&] { return failure_of([&] { read_progress(folder / "a.h5"); }); };
  const std::string files = (folder / "a.h5.d").string();
  fs::create_directory(files);
  EXPECT_EQ(failure().what(), files +
                                  ": no study has begun in it yet: it has no study.json; a run "
                                  "that is just starting, or 'scalesweep run SPEC -o " +
                                  (folder / "a.h5").string() + "', begins one");
  EXPECT_EQ(failure().code(), ExitCode::no_input);
  prepare_output(folder / "a.h5", study);
  fs::remove(files + "/study.json");
  EXPECT_EQ(failure().what(), files +
                                  "/study.json: it is missing; copy it again: or the run command "
                                  "that began the study writes it again, where study.h5 is whole");
  test::write_bytes(files + "/study.json", "{");
  EXPECT_THAT(failure().what(), StartsWith(files + "/study.json: it cannot be understood: not JSON "
                                                   "from here on"));
  const auto reading = [&] { StudyReader reader(folder / "a.h5", Unfinished::read); };
  fs::resize_file(files + "/study.h5", 0);
  EXPECT_EQ(failure_of(reading).what(),
            files + "/study.h5: it is empty; the run command that began the study writes it again");
  fs::remove(files + "/study.h5");
  EXPECT_EQ(failure_of(reading).what(),
            files +
                "/study.h5: it is missing; the run command that began the study writes it "
                "again");
}

// As somebody else, whom root is not refused anything like.
void read_as_nobody(const fs::path& file) {
  constexpr ::uid_t nobody = 65534;
  if (::geteuid() == 0 && ::setuid(nobody) != 0) {
    ::_exit(1);
  }
  const Failure failure = failure_of([&] { StudyReader reader(file, Unfinished::read); });
  std::fputs(failure.what(), stderr);
  ::_exit(static_cast<int>(failure.code()));
}

TEST_F(FileProblems, NoPermission) {
  const auto no_input = testing::ExitedWithCode(static_cast<int>(ExitCode::no_input));
  whole();
  prepare_output(folder / "a.h5", study);
  fs::permissions(folder.path(), fs::perms{0755});
  fs::permissions(folder / "whole.h5", fs::perms::none);
  EXPECT_EXIT(read_as_nobody(folder / "whole.h5"), no_input,
              "whole.h5: it cannot be read: Permission denied; make it readable");
  fs::permissions(folder / "a.h5.d", fs::perms::none);
  EXPECT_EXIT(read_as_nobody(folder / "a.h5"), no_input,
              "a.h5.d: it cannot be read: Permission denied; make it readable");
  fs::permissions(folder.path(), fs::perms::none);
  EXPECT_EXIT(read_as_nobody(folder / "whole.h5"), no_input,
              "whole.h5: it cannot be looked at: Permission denied; make it readable");
  fs::permissions(folder.path(), fs::perms{0700});
  fs::permissions(folder / "a.h5.d", fs::perms{0700});
}

}  // namespace
}  // namespace scalesweep::store
