// Something else than a whole study: every command that reads one says so in the same words.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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

TEST_F(BrokenStudy, OneWrongByteInATextIsTold) {
  std::string bytes = content(whole);
  const std::size_t text = bytes.find("title = ");  // of the spec, which is kept in it
  ASSERT_NE(text, std::string::npos);
  bytes[text] = 'T';
  expect_refused(write("damaged.h5", bytes),
                 "it is damaged: what it says of itself is not what was written (its seal does not "
                 "hold); copy it again, or remove it and run the study again",
                 65);
}

TEST_F(BrokenStudy, VerifySaysWhatIsUnderASeal) {
  const Said said = scalesweep({"status", "--verify", whole});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(test::contains(said.out, "verified")) << said.out;
  EXPECT_TRUE(test::contains(said.out, " rows; names, texts and counts of 1 file\n")) << said.out;
  const std::string bytes = content(whole);
  const Said without =
      scalesweep({"status", "--verify", write("cut.h5", bytes.substr(0, bytes.size() - 1))});
  EXPECT_EQ(without.code, 76) << without.err;
  EXPECT_TRUE(test::contains(without.out, "; not that they are those that were computed"))
      << without.out;
  EXPECT_TRUE(test::contains(without.out, "1 of 1 files have no seal")) << without.out;
}

// Half of a study, one of whose two segments is damaged.
TEST_F(BrokenStudy, FilesThatDoNotCountAreNamed) {
  const std::string output = path("parts.h5");
  for (const char* shard : {"1/3", "2/3"}) {
    ASSERT_EQ(scalesweep({"run", spec(), "-o", output, "--shard", shard, "-q"}).code, 0);
  }
  const std::filesystem::path folder = output + ".d";
  std::filesystem::path victim;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    victim =
        name.starts_with("0") && (victim.empty() || entry.path() < victim) ? entry.path() : victim;
  }
  std::string bytes = content(victim.string());
  bytes[bytes.find("committed_rows")] = 'C';
  std::ofstream(victim, std::ios::binary) << bytes;
  const std::string why = victim.filename().string() + ": it is damaged: what it says of itself";
  for (const char* verify : {"", "--verify"}) {
    std::vector<std::string> command = {"status", output};
    if (*verify != '\0') {
      command.emplace_back(verify);
    }
    const Said said = scalesweep(command);
    EXPECT_EQ(said.code, *verify == '\0' ? 0 : 74) << said.err;
    EXPECT_TRUE(test::contains(said.out, "damaged")) << said.out;
    EXPECT_TRUE(test::contains(said.out, why)) << said.out;
    EXPECT_TRUE(test::contains(said.out, "; the same run command makes them anew")) << said.out;
  }
  const Said merged = scalesweep({"merge", output});
  EXPECT_EQ(merged.code, 75);
  EXPECT_TRUE(test::contains(merged.err, "; these files do not count: " + why)) << merged.err;
}

TEST_F(BrokenStudy, AVirtualOneWithoutItsRowsIsNotFinished) {
  const std::string output = path("virtual.h5");
  const std::vector<std::string> command = {"run", spec(), "-o", output, "--layout", "virtual"};
  ASSERT_EQ(scalesweep(command).code, 0);
  EXPECT_EQ(scalesweep(command).code, 0);
  std::filesystem::remove_all(output + ".d");
  const Said said = scalesweep(command);
  EXPECT_EQ(said.code, 65);
  EXPECT_TRUE(test::contains(said.err, "it is missing; copy the folder virtual.h5.d again"))
      << said.err;
}

}  // namespace
}  // namespace scalesweep
