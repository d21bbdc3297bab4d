// Text of others in what commands print: nothing of it is heard by a terminal.
#include "cli/output/printable.hpp"

#include <algorithm>
#include <sstream>

#include "cli_fixture.hpp"

namespace scalesweep::test {
namespace {

std::string printed(const std::vector<std::string>& pieces) {
  std::ostringstream out;
  {
    const cli::PrintableOutput printable(out);
    for (const std::string& piece : pieces) {
      out << piece;
    }
  }
  return out.str();
}

bool has_control(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
  });
}

TEST(Printable, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(printed({"T\x1b[31mRED\x1b]0;x\x07"}), "T\\u001b[31mRED\\u001b]0;x\\u0007");
  EXPECT_EQ(printed({"a\x7f", "b\bc"}), "a\\u007fb\\u0008c");
  EXPECT_EQ(printed({"\xc2\x9b"}), "\\u009b") << "C1";
  EXPECT_EQ(printed({"\x9b"}), "\\x9b") << "C1 of terminals without UTF-8";
  EXPECT_EQ(printed({"a\xe2\x80\xae"
                     "b"}),
            "a\\u202eb")
      << "right to left";
  EXPECT_EQ(printed({"a\xe2\x80\xa8\xe2\x81\xa6"}), "a\\u2028\\u2066");
  EXPECT_EQ(printed({"over\rwritten"}), "over\\u000dwritten");
}

TEST(Printable, WordsOfAllLanguagesStay) {
  const std::string text = "line\n\ttab ± µ – 中文 עברית 🚀 e\xcc\x81\n";
  EXPECT_EQ(printed({text}), text);
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    EXPECT_EQ(printed({text.substr(0, cut), text.substr(cut)}), text) << cut;
  }
  EXPECT_EQ(printed({"\xe2", "\x80", "\xae"}), "\\u202e") << "in pieces";
  EXPECT_EQ(printed({"\xe2\x80", "x"}), "\\xe2\\x80x") << "cut short";
}

TEST(Printable, ProgressLinesAreStillRewritten) {
  std::ostringstream out;
  {
    const cli::PrintableOutput printable(out);
    out << '\r' << "50 %" << std::flush << '\r' << "60 %";
  }
  EXPECT_EQ(out.str(), "\r50 %\r60 %");
}

TEST(Printable, ValuesForProgramsStayAsTheyAre) {
  std::ostringstream out;
  {
    const cli::PrintableOutput printable(out);
    {
      const cli::RawOutput raw(out);
      out << "a\x1b" << '\n';
    }
    out << "b\x1b";
  }
  EXPECT_EQ(out.str(), "a\x1b\nb\\u001b");
}

class HostileTitle : public CliTest {};

TEST_F(HostileTitle, DoesNotReachTheTerminal) {
  const std::string spec_file =
      write("spec.toml",
            replaced(small_spec(), "Small study", "T\\u001b[31mRED\\u001b]0;x\\u0007\\u202e"));
  const std::string file = path("out.h5");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"check", spec_file},
           {"run", spec_file, "-o", file},
           {"status", file},
           {"status", path("no\x1b-file.h5")},
           {"analyze", file, "--no-figures", "-o", path("analysis")},
           {"analyze", file, "--no-figures", "-o", path("other"), "--format", "json"},
           {"explain", file, "--point", "0"},
           {"run", spec_file, "-o", path("nowhere\x1b/out.h5")},
           {"frob\x1bnicate"}}) {
    const Said said = scalesweep(words);
    EXPECT_FALSE(has_control(said.out)) << words.front() << said.out;
    EXPECT_FALSE(has_control(said.err)) << words.front() << said.err;
    EXPECT_EQ((said.out + said.err).find("\xe2\x80\xae"), std::string::npos) << words.front();
  }
  EXPECT_TRUE(contains(scalesweep({"status", file}).out, "T\\u001b[31mRED"));
}

}  // namespace
}  // namespace scalesweep::test
