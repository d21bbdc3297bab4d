// What `help` says of the keys of specs and catalogs.
#include <algorithm>

#include "cli_fixture.hpp"

namespace scalesweep::test {
namespace {

// Bytes that go on with a character take no column.
std::int64_t columns_of(const std::string& line) {
  return std::count_if(line.begin(), line.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

TEST(Help, FitsATerminalOfEightyColumns) {
  for (const char* subject :
       {"spec", "catalog", "", "check", "plan", "run", "status", "merge", "analyze", "report",
        "query", "explain", "diff", "validate", "help", "completion"}) {
    const Said said = *subject == '\0' ? scalesweep({"help"}) : scalesweep({"help", subject});
    EXPECT_EQ(said.code, 0) << said.err;
    std::istringstream lines(said.out);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      EXPECT_LE(columns_of(line), 80) << line;
    }
    EXPECT_GT(count, 5) << subject;
  }
}

TEST(Help, OfACommandIsWhatItSaysItself) {
  EXPECT_EQ(scalesweep({"help", "query"}).out, scalesweep({"query", "--help"}).out);
  EXPECT_EQ(scalesweep({"help"}).out, scalesweep({"--help"}).out);
  const std::string page = scalesweep({"help", "query"}).out;
  const std::size_t rows = page.find("\nWhich rows:\n");
  const std::size_t best = page.find("\nThe best of them:\n");
  ASSERT_NE(best, std::string::npos);
  EXPECT_LT(rows, page.find("--where"));
  EXPECT_LT(page.find("--where"), best);
  EXPECT_LT(best, page.find("--frontier"));
}

TEST(Help, WritesManualPages) {
  const TemporaryFolder folder;
  const std::string place = (folder / "man" / "man1").string();
  EXPECT_EQ(scalesweep({"help", "--man", place}).code, 0);
  const std::string page = content(folder / "man" / "man1" / "scalesweep-query.1");
  EXPECT_TRUE(page.starts_with(".TH SCALESWEEP-QUERY 1")) << page;
  EXPECT_TRUE(contains(page, ".SH The best of them\n")) << page;
  EXPECT_TRUE(contains(page,
                       ".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\n"
                       "File to write\n"))
      << page;
  EXPECT_TRUE(
      contains(content(folder / "man" / "man1" / "scalesweep.1"), "\\fBscalesweep\\-run\\fR(1)\n"));

  write_text(folder / "file", "");
  const Said said = scalesweep({"help", "--man", (folder / "file").string()});
  EXPECT_EQ(said.code, 73);
  EXPECT_TRUE(contains(said.err,
                       "'scalesweep.1' cannot be written there; name a folder that you "
                       "may write to"))
      << said.err;
}

TEST(Help, ShowsAKeyWithItsExampleTypeAndDefault) {
  const Said said = scalesweep({"help", "spec", "economics"});
  EXPECT_TRUE(contains(said.out,
                       "  lifetime = \"4 a\"\n"
                       "      time, { mean, spread }, one or a list; default: of the assumptions\n"
                       "      time over which capital and embodied carbon are written "
                       "off\n"))
      << said.out;
  EXPECT_FALSE(contains(said.out, "die_area")) << said.out;
  EXPECT_TRUE(contains(scalesweep({"help", "catalog", "logic"}).out,
                       "  voltage = \"0.75 V\"\n      voltage; required, or like\n"));
}

TEST(Help, NamesWhatThereIs) {
  const Said table = scalesweep({"help", "spec", "sistem"});
  EXPECT_EQ(table.code, 64);
  EXPECT_EQ(table.err, "scalesweep: error: no table 'sistem'; did you mean 'system'?\n");
  EXPECT_EQ(scalesweep({"help", "anaylze"}).err,
            "scalesweep: error: no help on 'anaylze'; did you mean 'analyze'?\n");
  EXPECT_EQ(scalesweep({"help", "run", "--json-schema"}).err,
            "scalesweep: error: tables and schemas are of files; write 'scalesweep help spec' or "
            "'scalesweep help catalog'\n");
}

}  // namespace
}  // namespace scalesweep::test
