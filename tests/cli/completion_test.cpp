// What a shell offers while a command is typed. Only bash runs here; the scripts of other shells
// are looked at.
#include <cstdio>
#include <cstdlib>

#include "cli_fixture.hpp"

namespace scalesweep::test {
namespace {

class Completion : public ::testing::Test {
 protected:
  Completion() {
    write_text(folder_ / "complete", scalesweep({"completion", "bash"}).out);
    write_text(folder_ / "a.toml", "");
    write_text(folder_ / "a.h5", "");
    std::filesystem::create_directory(folder_ / "apart");
  }

  // What bash offers for the last of the words, one in a line, sorted. compopt works only where a
  // person types.
  std::string offered(const std::string& words) {
    const std::string script = "cd '" + folder_.path().string() +
                               "' && compopt() { :; }; . ./complete; COMP_WORDS=(scalesweep " +
                               words +
                               "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _scalesweep; printf "
                               "'%s\\n' \"${COMPREPLY[@]}\" | sort";
    write_text(folder_ / "script.sh", script);
    const std::string line = "bash '" + (folder_ / "script.sh").string() + "' > '" +
                             (folder_ / "offered").string() + "' 2>&1";
    EXPECT_EQ(std::system(line.c_str()), 0) << script;
    return content(folder_ / "offered");
  }

  TemporaryFolder folder_;
};

TEST_F(Completion, OfBashKnowsCommandsOptionsWordsAndFiles) {
  EXPECT_EQ(offered("re"), "recommend\nreport\n");
  EXPECT_EQ(offered("query a.h5 --fr"), "--frontier\n");
  EXPECT_EQ(offered("query a.h5 --format j"), "json\njsonl\n");
  EXPECT_EQ(offered("check a"), "a.toml\napart\n");
  EXPECT_EQ(offered("analyze a"), "a.h5\napart\n");
  EXPECT_EQ(offered("analyze a.h5 -o a"), "apart\n");
  EXPECT_EQ(offered("help sp"), "spec\n");
  EXPECT_EQ(offered("plan a.toml --ranks 4"), "\n");
}

TEST_F(Completion, OfOtherShellsNamesTheSame) {
  const std::string zsh = scalesweep({"completion", "zsh"}).out;
  EXPECT_TRUE(zsh.starts_with("#compdef scalesweep\n")) << zsh;
  EXPECT_TRUE(contains(zsh, "'(--frontier)--frontier[Rows that no other dominates")) << zsh;
  EXPECT_TRUE(contains(zsh, ":FORMAT:(text csv json jsonl hdf5 parquet)'")) << zsh;
  const std::string fish = scalesweep({"completion", "fish"}).out;
  EXPECT_TRUE(contains(fish, "'__fish_seen_subcommand_from query' -l frontier -d 'Rows")) << fish;
  EXPECT_TRUE(contains(fish, "-l format -x -a 'text json'")) << fish;
  EXPECT_TRUE(contains(fish, "-l save-spec -r -F -d")) << fish;
  EXPECT_TRUE(contains(fish, "-l catalog-add -r -F -d")) << fish;
  EXPECT_FALSE(contains(fish, "-x -F")) << "fish refuses that line";
  EXPECT_TRUE(contains(fish, "-a 'list show diff derive compare import'")) << fish;
}

TEST(CompletionOf, AnUnknownShellIsRefused) {
  const Said said = scalesweep({"completion", "fis"});
  EXPECT_EQ(said.code, 64);
  EXPECT_EQ(said.err, "scalesweep: error: no completion for 'fis'; did you mean 'fish'?\n");
  EXPECT_TRUE(contains(scalesweep({"completion"}).err, "completion: the shell is missing; write"));
}

}  // namespace
}  // namespace scalesweep::test
