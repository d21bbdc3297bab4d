// One nasty text for all languages that documents of ours are written in.
#include "core/documents/escapes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/documents/csv_texts.hpp"

namespace scalesweep {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string nasty =
    "=1+1 <script>alert('x')</script> & \"q\" | [a](b) `c` *d* _e_ $f$ \\g {{h}}\n# i\n- j\n1. k\n"
    "    l\n---\n\x1b[31m";

TEST(Escapes, NothingOfXmlIsLeft) {
  const std::string safe = xml_text(nasty);
  EXPECT_THAT(safe, Not(testing::ContainsRegex("[<>\"'\x1b]")));
  EXPECT_THAT(safe, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)"));
  EXPECT_THAT(safe, HasSubstr("&amp; &quot;q&quot;"));
}

TEST(Escapes, MarkdownMakesNothingOfIt) {
  EXPECT_EQ(markdown_text(nasty),
            "\\=1+1 \\<script\\>alert('x')\\</script\\> \\& \"q\" \\| \\[a\\](b) \\`c\\` "
            "\\*d\\* \\_e\\_ \\$f\\$ \\\\g {{h}}\n\\# i\n\\- j\n1\\. k\nl\n\\---\n \\[31m");
  EXPECT_THAT(markdown_line(nasty), Not(HasSubstr("\n")));
  EXPECT_EQ(markdown_line("HBM3, 2.5 TB (N5) at 10 % - and 1. of +3"),
            "HBM3, 2.5 TB (N5) at 10 % - and 1. of +3");
  EXPECT_EQ(markdown_text(""), "");
}

TEST(Escapes, AFenceIsLongerThanWhatIsInIt) {
  EXPECT_EQ(markdown_block("a\n"), "```\na\n```\n");
  EXPECT_EQ(markdown_block("a\n````\nb"), "`````\na\n````\nb\n`````\n");
}

TEST(Escapes, AnAddressStaysInItsBrackets) {
  EXPECT_EQ(markdown_address("https://example.org/a?b=c#d"), "<https://example.org/a?b=c#d>");
  EXPECT_EQ(markdown_address("https://x/><b>|\n"), "<https://x/%3E%3Cb%3E%7C%0A>");
}

TEST(Escapes, YamlPrintsAllOfIt) {
  EXPECT_EQ(yaml_text("a: \"b\" # c"), "\"a: \\\"b\\\" # c\"");
  EXPECT_EQ(yaml_text("\x1b\xc2\x9b\xe2\x80\xa8\xef\xbb\xbf\x7f\n"),
            "\"\\u001b\\u009b\\u2028\\ufeff\\u007f\\n\"");
  EXPECT_EQ(yaml_text("L\xc3\xb6v"), "\"L\xc3\xb6v\"");  // words stay legible
}

TEST(Escapes, CsvStaysAsItIsButForASpreadsheet) {
  EXPECT_EQ(csv_field("=1+1"), "=1+1");
  EXPECT_EQ(csv_field("=1+1", CsvTexts::plain), "=1+1");
  for (const std::string formula : {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1"}) {
    EXPECT_EQ(csv_field(formula, CsvTexts::spreadsheet), "'" + formula);
  }
  EXPECT_EQ(csv_field("=a,\"b\"", CsvTexts::spreadsheet), "\"'=a,\"\"b\"\"\"");
  EXPECT_EQ(csv_field("a=1", CsvTexts::spreadsheet), "a=1");
}

}  // namespace
}  // namespace scalesweep
