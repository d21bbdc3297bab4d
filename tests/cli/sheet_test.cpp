#include "cli/output/sheet.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <sstream>

#include "core/contracts.hpp"

namespace scalesweep::cli {
namespace {

Sheet example() {
  return {"fruits",
          "Fruits",
          {{"name", "name", Align::left}, {"count", "count", Align::right}},
          {{"apple", {"1,000", 1000}}, {"fig, \"dry\"", {"7", 7}}},
          true};
}

std::string printed(const std::vector<Sheet>& sheets, Format format) {
  std::ostringstream out;
  print(out, sheets, format);
  return out.str();
}

TEST(Sheet, TextIsAligned) {
  EXPECT_EQ(printed({example()}, Format::text),
            "Fruits\n"
            "  name        count\n"
            "  apple       1,000\n"
            "  fig, \"dry\"      7\n");
}

TEST(Sheet, SheetsAreApart) {
  Sheet bare = example();
  bare.title.clear();
  bare.show_header = false;
  EXPECT_EQ(printed({bare, bare}, Format::text),
            "  apple       1,000\n  fig, \"dry\"      7\n\n"
            "  apple       1,000\n  fig, \"dry\"      7\n");
}

TEST(Sheet, CsvQuotesWhatItMust) {
  EXPECT_EQ(printed({example()}, Format::csv), "name,count\napple,1000\n\"fig, \"\"dry\"\"\",7\n");
}

TEST(Sheet, JsonKeepsNumbersAsNumbers) {
  const auto parsed = nlohmann::json::parse(printed({example()}, Format::json));
  EXPECT_EQ(parsed.at("fruits").at(0).at("count"), 1000);
  EXPECT_EQ(parsed.at("fruits").at(1).at("name"), "fig, \"dry\"");
}

}  // namespace
}  // namespace scalesweep::cli
