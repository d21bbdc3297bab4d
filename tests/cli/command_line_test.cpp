#include "cli/options/command_line.hpp"

#include <gtest/gtest.h>

#include "core/documents/shell.hpp"

namespace scalesweep::cli {
namespace {

TEST(CommandLine, IsReadBackAsItWasTyped) {
  const std::vector<std::string> words = {"run", "my spec.toml", "--where",    "a == 'b'",
                                          "",    R"(x\y)",       "\x1b[31m'\\"};
  const std::string line = quoted_line(words);
  EXPECT_EQ(
      line,
      R"(scalesweep run 'my spec.toml' --where 'a == '\''b'\''' '' 'x\y' $'\x1b[31m\x27\x5c')");
  std::vector<std::string> read = shell_words(line);
  ASSERT_EQ(read.front(), "scalesweep");
  read.erase(read.begin());
  EXPECT_EQ(read, words);
}

TEST(CommandLine, OptionsAreFoundInBothForms) {
  EXPECT_EQ(option_value({"run", "--keep", "best=1:logic"}, "--keep"), "best=1:logic");
  EXPECT_EQ(option_value({"run", "--keep=feasible"}, "--keep"), "feasible");
  EXPECT_EQ(option_value({"run", "--keep"}, "--keep"), "");
  EXPECT_EQ(option_value({"run", "--keeper", "x"}, "--keep"), "");
}

TEST(CommandLine, OptionsMayBeGivenSeveralTimes) {
  const std::vector<std::string> words = {"run", "--add", "a", "--add=b", "--added", "c", "--add"};
  EXPECT_EQ(option_values(words, "--add"), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace scalesweep::cli
