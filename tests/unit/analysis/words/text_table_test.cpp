#include "analysis/words/text_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/words/words.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

using Align = TextTable::Align;
using Role = TextTable::Role;

// Two models on two devices, over three nodes.
TextTable table_of(const std::string& value) {
  TextTable table;
  table.add_column("model", Align::left, Role::key);
  table.add_column("time limit", Align::left, Role::key);
  for (const char* node : {"N7", "N5", "N3", "N2"}) {
    table.add_column(node, Align::right, Role::series);
  }
  for (const char* limit : {"1 s", "2 s"}) {
    table.add_row({"gpt3", limit, value, value, "-", value});
  }
  return table;
}

TEST(TextTable, StandsSideBySideWhereThereIsRoom) {
  EXPECT_EQ(table_of("12").text(),
            "  model  time limit  N7  N5  N3  N2\n"
            "  gpt3   1 s         12  12   -  12\n"
            "  gpt3   2 s         12  12   -  12\n");
}

TEST(TextTable, SeriesGoOnInABlockBelow) {
  EXPECT_EQ(table_of("12345678").text(50),
            "  model  time limit        N7        N5\n"
            "  gpt3   1 s         12345678  12345678\n"
            "  gpt3   2 s         12345678  12345678\n"
            "\n"
            "  model  time limit  N3        N2\n"
            "  gpt3   1 s          -  12345678\n"
            "  gpt3   2 s          -  12345678\n");
}

TEST(TextTable, WhatAllRowsShareIsToldOnceAndHeadsAreFolded) {
  EXPECT_EQ(table_of("12345678").text(42),
            "  model gpt3:\n"
            "  time\n"
            "  limit        N7        N5\n"
            "  1 s    12345678  12345678\n"
            "  2 s    12345678  12345678\n"
            "\n"
            "  time\n"
            "  limit  N3        N2\n"
            "  1 s     -  12345678\n"
            "  2 s     -  12345678\n");
}

TEST(TextTable, KeysGoBeforeTheRowsThatShareThem) {
  TextTable table;
  table.add_column("model", Align::left, Role::key);
  table.add_column("batch", Align::left, Role::key);
  table.add_column("time", Align::right);
  table.add_column("why", Align::left);
  table.add_row({"a-long-name", "1", "3", "so it is"});
  table.add_row({"a-long-name", "2", "4", "so it is"});
  table.add_row({"another", "1", "5", "it is as it was before"});
  EXPECT_EQ(table.text(40),
            "  batch  time  why\n"
            "  model a-long-name:\n"
            "  1         3  so it is\n"
            "  2         4  so it is\n"
            "  model another:\n"
            "  1         5  it is as it was before\n");
}

TEST(TextTable, TheLastCellGoesOnInFurtherLines) {
  TextTable table;
  table.add_column("time", Align::right);
  table.add_column("why", Align::left);
  table.add_row({"3", "so it is as it was long before"});
  table.add_row({"4", "-"});
  EXPECT_EQ(table.text(28),
            "  time  why\n"
            "     3  so it is as it was\n"
            "        long before\n"
            "     4  -\n");
}

TEST(TextTable, FactsStayWhereRowsDiffer) {
  TextTable table;
  table.add_column("time", Align::right);
  table.add_column("memory", Align::left, Role::fact);
  table.add_column("logic", Align::left, Role::fact);
  table.add_row({"1", "HBM3-of-some-make", "N7"});
  table.add_row({"2", "HBM3-of-some-make", "N5"});
  EXPECT_EQ(table.text(30),
            "  memory HBM3-of-some-make:\n"
            "  time  logic\n"
            "     1  N7\n"
            "     2  N5\n");
}

TEST(TextTable, WidthIsThatOfCharacters) {
  EXPECT_EQ(display_width("3 \u00b5s"), 4U);
  EXPECT_EQ(display_width("abc"), 3U);
  TextTable table;
  table.add_column("time", Align::right);
  table.add_column("n", Align::right);
  table.add_row({"3 \u00b5s", "1"});
  EXPECT_EQ(table.text(), "  time  n\n  3 \u00b5s  1\n");
}

TEST(Paragraph, BreaksBetweenWordsAndIndentsWhatFollows) {
  EXPECT_EQ(paragraph("one two three", 10), "  one two\n    three\n");
  EXPECT_EQ(paragraph("incomprehensibilities all", 10), "  incomprehensibilities\n    all\n");
}

TEST(Words, AreWhatPeopleCallANameAndElseTheName) {
  EXPECT_EQ(words("scale_out"), "scale-out network");
  EXPECT_EQ(words("dram"), "DRAM");
  EXPECT_EQ(words("does_not_fit"), "does not fit");
  EXPECT_EQ(listed(std::vector<std::string>{}), "");
  EXPECT_EQ(listed(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(listed(std::vector<std::string>{"a", "b", "c"}), "a, b and c");
  for (const auto& [name, text] : names_with_words()) {
    EXPECT_EQ(words(name), text);
    EXPECT_EQ(text.find('_'), std::string_view::npos) << text;
  }
}

}  // namespace
}  // namespace scalesweep::analysis
