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

// Rows of a query: an id, an axis, one more figure, what was asked for, a strategy.
TextTable rows_of_a_query() {
  TextTable table;
  table.add_column("point_id", Align::right, Role::name);
  table.add_column("memory", Align::left, Role::detail);
  table.add_column("energy", Align::right, Role::detail, "J");
  table.add_column("step_time", Align::right, Role::fact, "s");
  table.add_column("strategy", Align::left, Role::name);
  table.add_row({"1", "HBM3", "7", "1.5", "TP4 PP2"});
  table.add_row({"2", "HBM3", "8", "2.5", "TP4 PP1"});
  return table;
}

TEST(TextTable, NamesAreLeftOutFirstThenDetailsAndNeverWhatWasAskedFor) {
  const TextTable table = rows_of_a_query();
  const std::string whole =
      "  point_id  memory  energy  step_time  strategy\n"
      "                         J          s\n"
      "         1  HBM3         7        1.5  TP4 PP2\n"
      "         2  HBM3         8        2.5  TP4 PP1\n";
  EXPECT_EQ(table.text(47), whole);
  EXPECT_EQ(table.text(0), whole);
  EXPECT_EQ(table.text(46, "ask"),
            "  memory HBM3:\n"
            "  point_id  energy  step_time  strategy\n"
            "                 J          s\n"
            "         1       7        1.5  TP4 PP2\n"
            "         2       8        2.5  TP4 PP1\n");
  EXPECT_EQ(table.text(30, "ask for them"),
            "  memory HBM3:\n"
            "  energy  step_time  strategy\n"
            "       J          s\n"
            "       7        1.5  TP4 PP2\n"
            "       8        2.5  TP4 PP1\n"
            "  left out: point_id; ask for\n"
            "    them\n");
  EXPECT_EQ(table.text(20, "ask"),
            "  memory HBM3:\n"
            "  energy  step_time\n"
            "       J          s\n"
            "       7        1.5\n"
            "       8        2.5\n"
            "  left out:\n"
            "    point_id,\n"
            "    strategy; ask\n");
  EXPECT_EQ(table.text(12, "ask"),
            "  memory\n"
            "    HBM3:\n"
            "  step_time\n"
            "          s\n"
            "        1.5\n"
            "        2.5\n"
            "  left out:\n"
            "    point_id,\n"
            "    energy,\n"
            "    strategy;\n"
            "    ask\n");
}

TEST(TextTable, WhatWasAskedForGoesOnInBlocksOfNumberedRows) {
  TextTable table;
  table.add_column("step_time", Align::right, Role::fact, "s");
  table.add_column("energy_per_step", Align::right, Role::fact, "J");
  table.add_column("memory", Align::left, Role::fact);
  table.add_row({"1.5", "7", "HBM3"});
  EXPECT_EQ(table.text(30),
            "  step_time        1.5 s\n"
            "  energy_per_step  7 J\n"
            "  memory           HBM3\n");
  table.add_row({"2.5", "8", "HBM4"});
  EXPECT_EQ(table.text(30),
            "  row  step_time\n"
            "               s\n"
            "    1        1.5\n"
            "    2        2.5\n"
            "\n"
            "  row  energy_per_step  memory\n"
            "                     J\n"
            "    1                7  HBM3\n"
            "    2                8  HBM4\n");
}

TEST(TextTable, WordsGoOnInFurtherLinesAndThenBelowTheirRow) {
  TextTable table;
  table.add_column("term", Align::left, Role::fact);
  table.add_column("time", Align::right, Role::fact);
  table.add_row({"  layer backward: attention projection", "1 s"});
  table.add_row({"sum", "12345678901234"});
  EXPECT_EQ(table.text(40),
            "  term                              time\n"
            "    layer backward:                  1 s\n"
            "    attention projection\n"
            "  sum                     12345678901234\n");
  TextTable notes;
  notes.add_column("key", Align::left, Role::fact);
  notes.add_column("value", Align::right, Role::fact);
  notes.add_column("note", Align::left, Role::fact);
  notes.add_row({"attention.softmax_flop", "21.7", "857 rows of prefill: median residual"});
  notes.add_row({"sum", "1", ""});
  EXPECT_EQ(notes.text(34),
            "  key                     value\n"
            "      note\n"
            "  attention.softmax_flop   21.7\n"
            "      857 rows of prefill: median\n"
            "      residual\n"
            "  sum                         1\n");
}

TEST(TextTable, NothingIsWiderThanTheTerminalWhereWordsAllowIt) {
  const TextTable table = rows_of_a_query();
  for (std::size_t width = 13; width < 60; ++width) {
    for (const std::string& line : split(table.text(width, "ask"), '\n')) {
      EXPECT_LE(display_width(line), width) << line;
    }
  }
}

TEST(TextTable, OfOneWithoutHeadsThereAreOnlyRows) {
  TextTable table;
  table.add_column("", Align::left);
  table.add_column("", Align::left);
  table.add_row({"result", "so it is as it was long before"});
  EXPECT_EQ(table.text(30),
            "  result  so it is as it was\n"
            "          long before\n");
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

TEST(TextLines, KeepTheBlanksBeforeThem) {
  EXPECT_EQ(lines_of("  one two three", 9), (std::vector<std::string>{"  one two", "  three"}));
  EXPECT_EQ(longest_word("  one three"), 7U);
  EXPECT_EQ(in_lines("one two", 0), "one two");
  EXPECT_EQ(in_lines("one two", 5), "one\ntwo");
  EXPECT_EQ(flowing("one two three", 7, 0, 2), "one two\n  three\n");
  EXPECT_EQ(within("one\n  one two\n\n", 7), "one\n  one\n    two\n\n");
  EXPECT_EQ(within("one two three", 0), "one two three\n");
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
