// What `help` says of the keys of specs and catalogs.
#include <algorithm>

#include "cli_fixture.hpp"

namespace scalesweep::test {
namespace {

TEST(Help, FitsATerminalOfEightyColumns) {
  for (const char* subject : {"spec", "catalog"}) {
    const Said said = scalesweep({"help", subject});
    EXPECT_EQ(said.code, 0) << said.err;
    std::istringstream lines(said.out);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      // Bytes that go on with a character take no column.
      const auto columns = std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
      });
      EXPECT_LE(columns, 80) << line;
    }
    EXPECT_GT(count, 200);
  }
}

TEST(Help, ShowsAKeyWithItsExampleTypeAndDefault) {
  const Said said = scalesweep({"help", "spec", "economics"});
  EXPECT_TRUE(contains(said.out,
                       "  lifetime = \"4 a\"\n"
                       "      time, one or a list; default: of the assumptions\n"
                       "      time over which capital and embodied carbon are written "
                       "off\n"))
      << said.out;
  EXPECT_FALSE(contains(said.out, "die_area")) << said.out;
  EXPECT_TRUE(contains(scalesweep({"help", "catalog", "logic"}).out,
                       "  voltage = \"0.75 V\"\n      voltage; required\n"));
}

TEST(Help, NamesWhatThereIs) {
  const Said table = scalesweep({"help", "spec", "sistem"});
  EXPECT_EQ(table.code, 64);
  EXPECT_EQ(table.err, "scalesweep: error: no table 'sistem'; did you mean 'system'?\n");
  EXPECT_EQ(scalesweep({"help", "me"}).err,
            "scalesweep: error: no help on 'me'; known are spec, catalog\n");
}

}  // namespace
}  // namespace scalesweep::test
