#include "validation/csv_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalesweep::validation {
namespace {

using testing::HasSubstr;

TEST(CsvTable, ReadsQuotedFieldsAndKnowsTheirPlaces) {
  Diagnostics diagnostics;
  const auto table =
      CsvTable::parse("a.csv", "case,note\none,\"x, \"\"y\"\"\nz\"\ntwo,\n", diagnostics);

  ASSERT_TRUE(table.has_value()) << diagnostics.text();
  EXPECT_EQ(table->rows(), 2U);
  EXPECT_EQ(table->cell(0, "note"), "x, \"y\"\nz");
  EXPECT_EQ(table->cell(1, "note"), "");
  EXPECT_EQ(table->cell(1, "absent"), "");
  EXPECT_EQ(table->position(1, "note").line, 4);
  EXPECT_EQ(table->position(1, "note").column, 2);
}

TEST(CsvTable, ReportsRowsOfAnotherLengthAndKeepsTheRest) {
  Diagnostics diagnostics;
  const auto table = CsvTable::parse("a.csv", "a,b\n1,2,3\n4,5\n", diagnostics);

  EXPECT_EQ(diagnostics.text(), "a.csv:2:1: error: 3 fields where the header names 2 columns\n");
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->rows(), 1U);
}

TEST(CsvTable, RefusesWhatIsNoCsv) {
  Diagnostics diagnostics;
  EXPECT_FALSE(CsvTable::parse("a.csv", "a,b\n\"open", diagnostics).has_value());
  EXPECT_THAT(diagnostics.text(), HasSubstr("a.csv:2:1: error: not a CSV file"));

  Diagnostics empty;
  EXPECT_FALSE(CsvTable::parse("b.csv", "", empty).has_value());
  EXPECT_THAT(empty.text(), HasSubstr("the file is empty; its first line must name the columns"));
}

}  // namespace
}  // namespace scalesweep::validation
