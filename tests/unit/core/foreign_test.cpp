// Documents that would end a parser that calls itself.
#include "core/documents/foreign.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "core/diagnostic.hpp"

namespace scalesweep {
namespace {

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

TEST(Foreign, KeysOfTomlHaveAsManyPartsAsAKeyNeeds) {
  EXPECT_EQ(deep_key_of_toml("a.b.c = 1\n[x.y]\nz = [1.0, 2.0]\n"), std::nullopt);
  const std::string hundred = repeated("a.", most_levels - 1) + "a";
  EXPECT_EQ(deep_key_of_toml(hundred + " = 1\n" + "[" + hundred + "]\n"), std::nullopt);
  EXPECT_EQ(deep_key_of_toml("b = 1\n" + hundred + ".a = 1\n"), 6 + hundred.size());
  EXPECT_EQ(deep_key_of_toml("[a . " + repeated("\"x\" . ", 100'000) + "b]\n").has_value(), true);
  EXPECT_EQ(deep_key_of_toml("x = { " + repeated("a.", 100'000) + "a = 1 }").has_value(), true);
}

TEST(Foreign, DotsOfTextsAndCommentsAreNone) {
  const std::string dots = repeated(".", 1000);
  for (const std::string& text :
       {"a = \"" + dots + "\"", "a = '" + dots + "'", "# " + dots, "a = \"\"\"\n" + dots + "\"\"\"",
        "a = '''" + dots + "\n'''", "a = \"\\\"" + dots + "\"", "\"" + dots + "\" = 1"}) {
    EXPECT_EQ(deep_key_of_toml(text), std::nullopt) << text.substr(0, 10);
    EXPECT_NE(deep_key_of_toml(text + "\n" + repeated("a.", 200)), std::nullopt);
  }
  EXPECT_EQ(deep_key_of_toml("a = \"no end\n" + dots).has_value(), true);
}

struct Wrong {
  std::size_t offset = 0;
  std::string words;
};
Wrong wrong(const std::string& json) {
  try {
    parsed_json(json);
  } catch (const JsonError& error) {
    return {error.offset, error.what()};
  }
  return {};
}

TEST(Foreign, JsonIsReadOrRefusedWithItsPlace) {
  EXPECT_EQ(parsed_json(R"({"a": [1, "}]]"]})").at("a").at(1), "}]]");
  EXPECT_EQ(wrong("{\"a\": oops}").offset, 6U);
  EXPECT_EQ(wrong("{\"a\": oops}").words, "not JSON from here on");
  EXPECT_EQ(wrong("").words, "not JSON from here on");
  EXPECT_EQ(wrong("{\"a\": 401e30896}").offset, 6U);
  EXPECT_EQ(wrong("{\"a\": 401e30896}").words, "a number too large for any machine");
  EXPECT_EQ(wrong(repeated("[", 100) + repeated("]", 100)).words, "");
  EXPECT_EQ(wrong(repeated("[", 1'000'000)).offset, 100U);
  EXPECT_EQ(wrong(repeated("{\"a\":", 1'000'000)).words,
            "more than 100 lists and objects in each other");
}

TEST(Foreign, PlacesCountFromOne) {
  const auto place = [](std::size_t offset) {
    const SourcePosition at = position_at("f", "ab\n\nc", offset);
    return std::pair(at.line, at.column);
  };
  EXPECT_EQ(place(0), std::pair(1, 1));
  EXPECT_EQ(place(2), std::pair(1, 3));
  EXPECT_EQ(place(4), std::pair(3, 1));
  EXPECT_EQ(place(99), std::pair(3, 2));
}

TEST(Foreign, OfManyMistakesTheirNumberIsSaid) {
  Diagnostics diagnostics;
  for (int i = 0; i < 1000; ++i) {
    diagnostics.error({"a.toml", 1000 - i, 1}, "wrong");
  }
  const std::string text = diagnostics.text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 51);
  EXPECT_TRUE(text.starts_with("a.toml:1:1: error: wrong\n"));
  EXPECT_TRUE(text.ends_with("a.toml:50:1: error: wrong\n... and 950 more\n"));
  EXPECT_EQ(diagnostics.error_count(), 1000);
}

}  // namespace
}  // namespace scalesweep
