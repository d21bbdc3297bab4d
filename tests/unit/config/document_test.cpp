#include "config/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/toml_text.hpp"

namespace scalesweep::config {
namespace {

using testing::ElementsAre;

class DocumentTest : public testing::Test {
 protected:
  TableCursor parse(const std::string& text) {
    document_ = Document::parse("a.toml", text, diagnostics_);
    EXPECT_TRUE(document_.has_value()) << diagnostics_.text();
    return document_->root();
  }
  std::string syntax_error(const std::string& text) {
    EXPECT_FALSE(Document::parse("a.toml", text, diagnostics_).has_value());
    return diagnostics_.text();
  }
  std::string messages() const { return diagnostics_.text(); }
  std::string unread() {
    document_->report_unread();
    return messages();
  }

  Diagnostics diagnostics_;
  std::optional<Document> document_;
};

TEST_F(DocumentTest, ReadsValuesOfEveryForm) {
  const TableCursor root =
      parse("text = 'x'\nwhole = 3\nreal = 2.5\non = true\npower = '0.7 kW'\n[inner]\nvalue = 1\n");
  EXPECT_EQ(root.string("text"), "x");
  EXPECT_EQ(root.integer("whole"), 3);
  EXPECT_EQ(root.number("real"), 2.5);
  EXPECT_EQ(root.number("whole"), 3.0);
  EXPECT_EQ(root.boolean("on"), true);
  EXPECT_DOUBLE_EQ(root.quantity("power", Dimension::watts).value_or(0.0), 700.0);
  EXPECT_EQ(root.table("inner").integer("value"), 1);
  EXPECT_EQ(unread(), "");
}

TEST_F(DocumentTest, OptionalReadsOfMissingKeysGiveNothing) {
  const TableCursor root = parse("");
  EXPECT_EQ(root.optional_string("a"), std::nullopt);
  EXPECT_EQ(root.optional_integer("a"), std::nullopt);
  EXPECT_EQ(root.optional_number("a"), std::nullopt);
  EXPECT_EQ(root.optional_boolean("a"), std::nullopt);
  EXPECT_EQ(root.optional_quantity("a", Dimension::watts), std::nullopt);
  EXPECT_FALSE(root.optional_table("a").exists());
  EXPECT_FALSE(root.value("a").has_value());
  EXPECT_TRUE(root.tables("a").empty());
  EXPECT_EQ(unread(), "");
}

TEST_F(DocumentTest, OptionalReadsStillReportAWrongForm) {
  const TableCursor root = parse("a = 1\nb = 'x'\n");
  EXPECT_EQ(root.optional_string("a"), std::nullopt);
  EXPECT_EQ(root.optional_integer("b"), std::nullopt);
  EXPECT_EQ(root.optional_number("b"), std::nullopt);
  EXPECT_EQ(root.optional_boolean("b"), std::nullopt);
  EXPECT_FALSE(root.optional_table("b").exists());
  EXPECT_EQ(messages(),
            "a.toml:1:5: error: 'a' must be a string, not an integer\n"
            "a.toml:2:5: error: 'b' must be an integer, not a string\n"
            "a.toml:2:5: error: 'b' must be a number, not a string\n"
            "a.toml:2:5: error: 'b' must be true or false, not a string\n"
            "a.toml:2:5: error: 'b' must be a table, not a string\n");
}

TEST_F(DocumentTest, MissingKeysAreReportedAtTheirTable) {
  const TableCursor root = parse("x = 1\n[system]\n");
  const TableCursor system = root.table("system");
  EXPECT_EQ(root.string("name"), std::nullopt);
  EXPECT_EQ(system.integer("count"), std::nullopt);
  EXPECT_EQ(system.number("share"), std::nullopt);
  EXPECT_EQ(system.boolean("on"), std::nullopt);
  EXPECT_EQ(system.quantity("power", Dimension::watts), std::nullopt);
  EXPECT_EQ(messages(),
            "a.toml:1:1: error: missing key 'name' at the top level; it must be a string\n"
            "a.toml:2:1: error: missing key 'count' in [system]; it must be an integer\n"
            "a.toml:2:1: error: missing key 'share' in [system]; it must be a number\n"
            "a.toml:2:1: error: missing key 'on' in [system]; it must be true or false\n"
            "a.toml:2:1: error: missing key 'power' in [system]; it must be a quantity in one of "
            "uW, mW, W, kW, MW\n");
}

TEST_F(DocumentTest, AMissingTableIsReportedOnceAndReadsNothing) {
  const TableCursor missing = parse("x = 1\n").table("system");
  EXPECT_FALSE(missing.exists());
  EXPECT_EQ(missing.string("a"), std::nullopt);
  EXPECT_EQ(missing.quantity("a", Dimension::area), std::nullopt);
  EXPECT_FALSE(missing.table("b").exists());
  EXPECT_TRUE(missing.tables("c").empty());
  EXPECT_TRUE(missing.keys().empty());
  EXPECT_EQ(messages(), "a.toml:1:1: error: missing table [system]\n");
}

TEST_F(DocumentTest, NestedTablesAreNamedByTheirPath) {
  const TableCursor device = parse("[system.device]\npower = 1\n").table("system").table("device");
  EXPECT_EQ(device.quantity("power", Dimension::watts), std::nullopt);
  EXPECT_EQ(device.string("name"), std::nullopt);
  EXPECT_EQ(messages(),
            "a.toml:1:1: error: missing key 'name' in [system.device]; it must be a string\n"
            "a.toml:2:9: error: 'system.device.power': a bare number, but a power is expected; "
            "write its unit, for example \"700 W\"\n");
}

TEST_F(DocumentTest, WrongFormsSayWhatWasFound) {
  const TableCursor root =
      parse("a = [1]\nb = {}\nc = 1979-05-27\nd = 2048.0\ne = nan\nf = true\n");
  EXPECT_EQ(root.string("a"), std::nullopt);
  EXPECT_EQ(root.integer("b"), std::nullopt);
  EXPECT_EQ(root.string("c"), std::nullopt);
  EXPECT_EQ(root.integer("d"), std::nullopt);
  EXPECT_EQ(root.integer("e"), std::nullopt);
  EXPECT_EQ(root.quantity("f", Dimension::watts), std::nullopt);
  EXPECT_EQ(messages(),
            "a.toml:1:5: error: 'a' must be a string, not a list\n"
            "a.toml:2:5: error: 'b' must be an integer, not a table\n"
            "a.toml:3:5: error: 'c' must be a string, not a date or time\n"
            "a.toml:4:5: error: 'd' must be an integer, not the decimal number 2048.0\n"
            "a.toml:5:5: error: 'e' must be an integer, not the decimal number nan\n"
            "a.toml:6:5: error: 'f' must be a string with a number and a unit, not a boolean\n");
}

TEST_F(DocumentTest, NumbersMustBeFiniteAndQuantitiesNotNegative) {
  const TableCursor root = parse("a = nan\nb = -inf\nc = '-3 W'\nd = 'nan W'\ne = nan\n");
  EXPECT_EQ(root.number("a"), std::nullopt);
  EXPECT_EQ(root.number("b"), std::nullopt);
  EXPECT_EQ(root.quantity("c", Dimension::watts), std::nullopt);
  EXPECT_EQ(root.quantity("d", Dimension::watts), std::nullopt);
  EXPECT_EQ(root.quantity("e", Dimension::watts), std::nullopt);
  EXPECT_EQ(messages(),
            "a.toml:1:5: error: 'a' must be finite, not nan\n"
            "a.toml:2:5: error: 'b' must be finite, not -inf\n"
            "a.toml:3:5: error: 'c' must not be negative\n"
            "a.toml:4:5: error: 'd': \"nan W\" is not a finite number\n"
            "a.toml:5:5: error: 'e': \"nan\" is not a finite number\n");
}

TEST_F(DocumentTest, ValuesOfUnknownFormTellTheirForm) {
  const TableCursor root =
      parse("a = 'x'\nb = 1\nc = 1.5\nd = true\ne = []\nf = {}\ng = 10:00:00\n");
  using Form = ValueCursor::Form;
  std::vector<Form> forms;
  for (const std::string& key : root.keys()) {
    forms.push_back(root.value(key)->form());
  }
  EXPECT_THAT(forms, ElementsAre(Form::string, Form::integer, Form::number, Form::boolean,
                                 Form::list, Form::table, Form::other));
}

TEST_F(DocumentTest, ListsAndScalarsReadAlike) {
  const TableCursor root = parse("one = 5\nmany = [5, 'x', 7]\nnone = []\n");
  EXPECT_EQ(root.value("one")->list_or_single().size(), 1u);
  EXPECT_TRUE(root.value("none")->list_or_single().empty());
  std::vector<std::optional<std::int64_t>> values;
  for (const ValueCursor& value : root.value("many")->list_or_single()) {
    values.push_back(value.integer());
  }
  EXPECT_THAT(values, ElementsAre(5, std::nullopt, 7));
  EXPECT_TRUE(root.value("one")->list().empty());
  EXPECT_EQ(messages(),
            "a.toml:1:7: error: 'one' must be a list, not an integer\n"
            "a.toml:2:12: error: 'many' must be an integer, not a string\n");
}

TEST_F(DocumentTest, ReadsListsOfTables) {
  const TableCursor root = parse("[[f]]\nx = 1\n[[f]]\nx = 2\n");
  std::vector<std::optional<std::int64_t>> values;
  for (const TableCursor& table : root.tables("f")) {
    values.push_back(table.integer("x"));
  }
  EXPECT_THAT(values, ElementsAre(1, 2));
  EXPECT_EQ(unread(), "");
}

TEST_F(DocumentTest, WhatIsNoListOfTablesIsReported) {
  const TableCursor root = parse("a = [{}, 3]\n[b]\n");
  EXPECT_EQ(root.tables("a").size(), 1u);
  EXPECT_TRUE(root.tables("b").empty());
  EXPECT_EQ(messages(),
            "a.toml:1:10: error: 'a' must be a table, not an integer\n"
            "a.toml:2:1: error: 'b' must be a list of tables; write [[b]]\n");
}

TEST_F(DocumentTest, UnreadKeysAreUnknownWithTheClosestThatWasAsked) {
  const TableCursor root = parse("titel = 'x'\nzzz = 1\n[sistem]\n[system]\nbandwith = 1\n");
  (void)root.optional_string("title");
  (void)root.table("system").optional_string("bandwidth");
  EXPECT_EQ(unread(),
            "a.toml:1:1: error: unknown key 'titel' at the top level; did you mean 'title'?\n"
            "a.toml:2:1: error: unknown key 'zzz' at the top level; known are title, system\n"
            "a.toml:3:2: error: unknown key 'sistem' at the top level; known are title, system\n"
            "a.toml:5:1: error: unknown key 'bandwith' in [system]; did you mean 'bandwidth'?\n");
}

TEST_F(DocumentTest, KeysThatStandAlreadyAreNoSuggestion) {
  const TableCursor root = parse("title = 'x'\ntitle2 = 'y'\n");
  (void)root.string("title");
  EXPECT_EQ(unread(),
            "a.toml:2:1: error: unknown key 'title2' at the top level; known are title\n");
}

// The rest of such a text would be lost to whoever takes it for the end.
TEST(Document, TextsWithAZeroByteAreRefusedAtTheirPlace) {
  const auto said = [](const std::string& text) {
    Diagnostics diagnostics;
    EXPECT_FALSE(Document::parse("a.toml", text, diagnostics)) << text;
    return diagnostics.text();
  };
  const std::string problem =
      "error: a text with a zero byte (\\u0000), which would end it in other programs; take it "
      "out\n";
  EXPECT_EQ(said("x = 1\ntitle = \"a\\u0000b\"\n"), "a.toml:2:9: " + problem);
  EXPECT_EQ(said("[t]\nlist = [\"a\", { x = \"\\u0000\" }]\n"), "a.toml:2:20: " + problem);
  EXPECT_EQ(said("\"k\\u0000\" = 1\n"), "a.toml:1:1: " + problem);
}

TEST_F(DocumentTest, KeysComeInFileOrder) {
  EXPECT_THAT(parse("b = 1\na = 2\nc.x = 3\n").keys(), ElementsAre("b", "a", "c"));
}

TEST_F(DocumentTest, ErrorsOfCallersStandAtTheValueOrItsTable) {
  const TableCursor root = parse("\n  a = 1\n");
  root.error("a", "no good; try b");
  root.error("b", "absent");
  root.value("a")->error("really");
  EXPECT_EQ(messages(),
            "a.toml:1:1: error: absent\n"
            "a.toml:2:7: error: no good; try b\n"
            "a.toml:2:7: error: really\n");
}

TEST_F(DocumentTest, KnowsWhereTheCharactersOfAPlainStringStand) {
  const TableCursor root = parse("a = 'plain'\nb = \"with \\\"\"\nc = '''long'''\nd = 3\n");
  EXPECT_EQ(root.value("a")->first_column(), 6);
  EXPECT_EQ(root.value("b")->first_column(), 0);
  EXPECT_EQ(root.value("c")->first_column(), 0);
  EXPECT_EQ(root.value("d")->first_column(), 0);
}

TEST_F(DocumentTest, TextsAreReadAsTheyWereWritten) {
  const std::string text = "a \"quoted\" \\ path of µ";
  EXPECT_EQ(parse("a = " + toml_text(text) + "\n").string("a"), text);
  EXPECT_EQ(toml_text("two\nlines\x7f"), R"("two\nlines\u007f")");
  EXPECT_EQ(parse("a = " + toml_text("\x1b[31m\t\r\n'\\") + "\n").string("a"), "\x1b[31m\t\r\n'\\");
  EXPECT_EQ(toml_text("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
  for (const char* none :
       {"\xe9", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"}) {
    EXPECT_TRUE(toml_text(none).starts_with("\"?")) << none;
  }
  EXPECT_EQ(toml_comment("a\nb = \xe9 # \"c\""), "# a b = ? # \"c\"\n");
  EXPECT_TRUE(is_bare_key("h100-sxm_2"));
  for (const char* key : {"", "a.b", "µ", "a b", "\""}) {
    EXPECT_FALSE(is_bare_key(key)) << key;
  }
}

TEST_F(DocumentTest, DuplicateKeysAreErrors) {
  EXPECT_EQ(syntax_error("a = 1\na = 2\n"), "a.toml:2:5: error: 'a' stands twice; take one out\n");
}

TEST_F(DocumentTest, DuplicateTablesAreErrors) {
  EXPECT_EQ(syntax_error("[a]\n[b]\n[a]\n"), "a.toml:3:1: error: 'a' stands twice; take one out\n");
}

TEST_F(DocumentTest, IntegersThatFitNoWordAreErrors) {
  EXPECT_EQ(syntax_error("a = 99999999999999999999\n"),
            "a.toml:1:25: error: decimal integer: '99999999999999999999' is not representable in "
            "64 bits\n");
}

TEST_F(DocumentTest, KeysOfPartsWithoutEndAreErrors) {
  std::string deep = "b = 1\na";
  for (int i = 0; i < 100'000; ++i) {
    deep += ".a";
  }
  EXPECT_EQ(syntax_error(deep + " = 1\n"),
            "a.toml:2:200: error: a key of more than 100 parts; no key has so many\n");
}

TEST_F(DocumentTest, WhatIsNoTomlIsReportedWhereItEnds) {
  EXPECT_EQ(syntax_error("a = \n"),
            "a.toml:1:5: error: key-value pair: expected value, saw '\\n'\n");
}

TEST_F(DocumentTest, TextThatIsNotUtf8IsReported) {
  EXPECT_EQ(syntax_error("a = '\xff'\n"),
            "a.toml:1:5: error: Encountered invalid utf-8 sequence\n");
}

TEST_F(DocumentTest, WindowsLineEndsAndAByteOrderMarkAreTaken) {
  const TableCursor root = parse(
      "\xef\xbb\xbf"
      "a = 1\r\nb = 'x'\r\n");
  EXPECT_EQ(root.integer("a"), 1);
  EXPECT_EQ(root.integer("b"), std::nullopt);
  EXPECT_EQ(messages(), "a.toml:2:5: error: 'b' must be an integer, not a string\n");
}

}  // namespace
}  // namespace scalesweep::config
