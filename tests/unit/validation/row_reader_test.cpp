#include "validation/cases/row_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/shipped_catalog.hpp"

namespace scalesweep::validation {
namespace {

using test::shipped_catalog;
using testing::HasSubstr;

// Reads one cell of a column called `x`; what was said of it is in `said`.
template <typename Read>
auto read_cell(const std::string& cell, Read read, std::string& said) {
  Diagnostics diagnostics;
  const auto table = CsvTable::parse("f.csv", "case,x\na," + cell + "\n", diagnostics);
  RowReader row(*table, 0, shipped_catalog(), diagnostics);
  auto value = read(row);
  said = diagnostics.text();
  EXPECT_EQ(row.good(), said.empty());
  return value;
}

TEST(RowReader, ReadsNumbers) {
  const auto number = [](RowReader& row) { return row.number("x"); };
  std::string said;
  EXPECT_EQ(read_cell("1.5e-3", number, said), 1.5e-3);
  EXPECT_EQ(read_cell("", number, said), std::nullopt);
  EXPECT_EQ(said, "");
  for (const char* wrong : {"-1", "0", "1 s", "nan", "inf", "1e999", "x"}) {
    EXPECT_EQ(read_cell(wrong, number, said), std::nullopt);
    EXPECT_EQ(said, std::string("f.csv:2:2: error: x: '") + wrong + "' is not a positive number\n");
  }
}

TEST(RowReader, AsksForRequiredNumbers) {
  std::string said;
  read_cell(
      "", [](RowReader& row) { return row.required_number("x"); }, said);
  EXPECT_EQ(said, "f.csv:2:2: error: x: is required: a positive number\n");
}

TEST(RowReader, ReadsWholeNumbers) {
  std::string said;
  EXPECT_EQ(read_cell(
                "12", [](RowReader& row) { return row.integer("x", 1); }, said),
            12);
  EXPECT_EQ(read_cell(
                "", [](RowReader& row) { return row.integer("x", 7); }, said),
            7);
  EXPECT_EQ(said, "");
  read_cell(
      "", [](RowReader& row) { return row.integer("x", std::nullopt); }, said);
  EXPECT_EQ(said, "f.csv:2:2: error: x: is required: a whole number of at least 1\n");
  for (const char* wrong : {"0", "1.5", "9999999999", "many"}) {
    read_cell(
        wrong, [](RowReader& row) { return row.integer("x", 1); }, said);
    EXPECT_EQ(said, std::string("f.csv:2:2: error: x: '") + wrong +
                        "' is not a whole number of at least 1\n");
  }
}

TEST(RowReader, ReadsTrueAndFalse) {
  const auto boolean = [](RowReader& row) { return row.boolean("x", true); };
  std::string said;
  EXPECT_FALSE(read_cell("false", boolean, said));
  EXPECT_TRUE(read_cell("", boolean, said));
  EXPECT_EQ(said, "");
  read_cell("yes", boolean, said);
  EXPECT_EQ(said, "f.csv:2:2: error: x: 'yes' is neither true nor false\n");
}

TEST(RowReader, ReadsNumberFormats) {
  using technology::Precision;
  const auto format = [](RowReader& row) { return row.precision("x", Precision::bf16); };
  std::string said;
  EXPECT_EQ(read_cell("", format, said), Precision::bf16);
  EXPECT_EQ(read_cell("fp8", format, said), Precision::fp8);
  EXPECT_EQ(read_cell("mxfp8", format, said), Precision::mxfp8);
  EXPECT_EQ(read_cell("nvfp4", format, said), Precision::fp4);
  EXPECT_EQ(said, "");
  read_cell("bf61", format, said);
  EXPECT_EQ(said, "f.csv:2:2: error: x: no number format is called 'bf61'; did you mean 'bf16'?\n");
}

TEST(RowReader, ReadsWordsOfAList) {
  constexpr std::array<std::string_view, 3> words = {"none", "some", "all"};
  const auto choice = [&](RowReader& row) { return row.choice("x", words); };
  std::string said;
  EXPECT_EQ(read_cell("all", choice, said), 2U);
  EXPECT_EQ(read_cell("", choice, said), 0U);
  EXPECT_EQ(said, "");
  read_cell("most", choice, said);
  EXPECT_EQ(said, "f.csv:2:2: error: x: 'most' is none of none, some, all\n");
}

TEST(RowReader, ReadsNamesOfTheCatalog) {
  const auto entry = [](RowReader& row) { return row.entry("x", catalog::Section::devices); };
  std::string said;
  EXPECT_EQ(read_cell("h100", entry, said), "h100-sxm");
  EXPECT_EQ(said, "");
  EXPECT_EQ(read_cell("h100-sxn", entry, said), "");
  EXPECT_THAT(said, HasSubstr("f.csv:2:2: error: x: the catalog has no x 'h100-sxn'; did you mean "
                              "'h100-sxm'?"));
  read_cell("h300", entry, said);
  EXPECT_EQ(said,
            "f.csv:2:2: error: x: the catalog has no x 'h300' (nearest: 'h200', another generation "
            "or size)\n");
  read_cell("", entry, said);
  EXPECT_EQ(said, "f.csv:2:2: error: x: is required: a name of the catalog\n");
}

TEST(RowReader, KeepsTheFirstMistake) {
  Diagnostics diagnostics;
  const auto table = CsvTable::parse("f.csv", "case,x,y\na,u,v\n", diagnostics);
  RowReader row(*table, 0, shipped_catalog(), diagnostics);
  row.number("x");
  row.number("y");
  EXPECT_EQ(row.problem(), "x: 'u' is not a positive number");
  EXPECT_EQ(diagnostics.error_count(), 2);
}

TEST(HasColumns, NamesEachThatIsMissing) {
  Diagnostics diagnostics;
  const auto table = CsvTable::parse("f.csv", "case,devise\n", diagnostics);
  constexpr std::array<std::string_view, 3> wanted = {"case", "device", "gpus"};
  EXPECT_FALSE(has_columns(*table, wanted, diagnostics));
  EXPECT_EQ(diagnostics.error_count(), 2);
  EXPECT_THAT(diagnostics.text(), HasSubstr("f.csv:1:1: error: the column 'device' is missing; did "
                                            "you mean 'devise'?"));
  EXPECT_THAT(diagnostics.text(), HasSubstr("the column 'gpus' is missing"));
}

}  // namespace
}  // namespace scalesweep::validation
