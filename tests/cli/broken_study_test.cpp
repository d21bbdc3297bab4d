// Something else than a whole study: every command that reads one says so in the same words.
#include <gtest/gtest.h>

#include "cli/cli_fixture.hpp"

namespace scalesweep {
namespace {

using test::CliTest;
using test::content;
using test::Said;
using test::scalesweep;

class BrokenStudy : public CliTest {
 protected:
  void expect_refused(const std::string& file, const std::string& words, int code) const {
    const std::vector<std::vector<std::string>> commands = {{"status", file},
                                                            {"merge", file},
                                                            {"query", file, "--best", "step_time"},
                                                            {"report", file},
                                                            {"diff", whole, file},
                                                            {"analyze", file, "--no-figures"},
                                                            {"diff", file, whole},
                                                            {"explain", file, "--point", "0"}};
    for (const std::vector<std::string>& command : commands) {
      const Said said = scalesweep(command);
      EXPECT_EQ(said.code, code) << command.front();
      EXPECT_EQ(said.err, "scalesweep: error: " + file + ": " + words + "\n") << command.front();
    }
  }

  const std::string whole = study();
};

TEST_F(BrokenStudy, IsNamedWithTheWayOut) {
  expect_refused(path("none.h5"),
                 "there is no such file, nor a folder none.h5.d of a study that is not finished",
                 66);
  expect_refused(write("empty.h5", ""),
                 "it is empty; copy it again, or remove it and run the study again", 65);
  expect_refused(write("notes.h5", "my notes\n"),
                 "it is not an HDF5 file; a study is the file that 'scalesweep run -o' wrote", 65);
  std::filesystem::create_directory(path("folder.h5"));
  expect_refused(path("folder.h5"),
                 "it is a folder, not a file; a study is the file that 'scalesweep run -o' wrote",
                 65);
}

TEST_F(BrokenStudy, CutShortIsNotOverwritten) {
  const std::string half = content(whole).substr(0, content(whole).size() / 2);
  const Said said = scalesweep({"run", spec(), "-o", write("half.h5", half), "-q"});
  EXPECT_EQ(said.code, 73);
  EXPECT_TRUE(test::contains(said.err, "half.h5: is no study of scalesweep: it is cut short: "))
      << said.err;
  EXPECT_EQ(content(path("half.h5")), half);
}

}  // namespace
}  // namespace scalesweep
