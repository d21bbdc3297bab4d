#include "core/documents/csv_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/documents/csv.hpp"

namespace scalesweep {
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
  ASSERT_EQ(table->rows(), 2U);
  EXPECT_EQ(table->problem(0), "3 fields where the header names 2 columns");
  EXPECT_EQ(table->fields(0), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(table->problem(1), "");
}

TEST(CsvTable, CountsLinesAcrossBlankOnesAndBreaksInsideQuotes) {
  Diagnostics diagnostics;
  const auto table = CsvTable::parse("a.csv",
                                     "\xEF\xBB\xBF"
                                     "a,b\r\n\r\n1,\"x\n\ny\"\r\n\n3,4",
                                     diagnostics);

  ASSERT_TRUE(table.has_value()) << diagnostics.text();
  EXPECT_EQ(table->columns().front(), "a");
  ASSERT_EQ(table->rows(), 2U);
  EXPECT_EQ(table->cell(0, "b"), "x\n\ny");
  EXPECT_EQ(table->position(0, "a").line, 3);
  EXPECT_EQ(table->position(1, "a").line, 7);
}

TEST(CsvTable, WritesFieldsThatItReadsBack) {
  Diagnostics diagnostics;
  for (const std::string text : {"plain", "a,b", "say \"x\"", "two\nlines", ""}) {
    const auto table = CsvTable::parse("a.csv", "a,b\n" + csv_field(text) + ",1\n", diagnostics);
    ASSERT_TRUE(table.has_value());
    EXPECT_EQ(table->cell(0, "a"), text);
  }
  EXPECT_EQ(csv_field("plain"), "plain");
}

TEST(CsvTable, RefusesWhatIsNoCsv) {
  Diagnostics diagnostics;
  EXPECT_FALSE(CsvTable::parse("a.csv", "a,b\n\"open", diagnostics).has_value());
  EXPECT_THAT(diagnostics.text(), HasSubstr("a.csv:2:1: error: not a CSV file"));

  Diagnostics empty;
  EXPECT_FALSE(CsvTable::parse("b.csv", "", empty).has_value());
  EXPECT_THAT(empty.text(), HasSubstr("the file is empty; its first line must name the columns"));
}

// However many rows are asked for at a time: the same cells, places and mistakes.
TEST(CsvReader, ReadsTheSameTableInParts) {
  const std::string text =
      "\xEF\xBB\xBF"
      "a,b\n1,\"x\ny\"\n\n2,3,4\r\n5,6\n7,\"8\"\"\"\n9,10";
  Diagnostics expected;
  const CsvTable whole = *CsvTable::parse("f.csv", text, expected);
  for (const std::size_t most : {1U, 2U, 3U, 100U}) {
    std::istringstream in(text);
    CsvReader reader("f.csv", in);
    Diagnostics diagnostics;
    std::size_t row = 0;
    for (auto part = reader.next(most, diagnostics); part && part->rows() > 0;
         part = reader.next(most, diagnostics)) {
      EXPECT_LE(part->rows(), most);
      EXPECT_EQ(part->columns(), whole.columns());
      for (std::size_t i = 0; i < part->rows(); ++i, ++row) {
        EXPECT_EQ(part->fields(i), whole.fields(row));
        EXPECT_EQ(part->problem(i), whole.problem(row));
        EXPECT_EQ(part->position(i, "b").line, whole.position(row, "b").line);
      }
    }
    EXPECT_EQ(row, whole.rows());
    EXPECT_EQ(row, 5U);
    EXPECT_EQ(diagnostics.text(), expected.text());
  }
}

TEST(CsvReader, SaysWhereTheTextIsNoCsv) {
  std::istringstream in("a,b\n1,2\n3,\"4\" 5\n");
  CsvReader reader("f.csv", in);
  Diagnostics diagnostics;
  EXPECT_EQ(reader.next(1, diagnostics)->rows(), 1U);
  EXPECT_FALSE(reader.next(1, diagnostics));
  EXPECT_THAT(diagnostics.text(), HasSubstr("f.csv:3:1: error: not a CSV file: "));
  std::istringstream nothing("");
  EXPECT_FALSE(CsvReader("f.csv", nothing).next(1, diagnostics));
  EXPECT_THAT(diagnostics.text(), HasSubstr("the file is empty"));
  std::istringstream header("a,b\n");
  EXPECT_EQ(CsvReader("f.csv", header).next(1, diagnostics)->rows(), 0U);
}

}  // namespace
}  // namespace scalesweep
