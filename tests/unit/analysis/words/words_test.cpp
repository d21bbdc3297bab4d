// What people read in place of names and numbers.
#include "analysis/words/words.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analysis/words/value_text.hpp"

namespace scalesweep::analysis {
namespace {

using Texts = std::vector<std::string>;

TEST(Words, MemoryOfTheDeviceItselfGoesWithoutSaying) {
  EXPECT_EQ(choice_words({"device", "memory_of"}, {"b200-sxm", "b200-sxm"}, false),
            (Texts{"b200-sxm"}));
  EXPECT_EQ(choice_words({"device", "memory_of"}, {"b200-sxm", "h200-sxm"}, false),
            (Texts{"b200-sxm", "memory of h200-sxm"}));
  EXPECT_EQ(choice_words({"memory_of"}, {"h200-sxm"}, false), (Texts{"memory of h200-sxm"}));
}

TEST(Words, RatesCountWhatTheyAreOf) {
  EXPECT_EQ(counted_in("cost per million images"), "images");
  EXPECT_EQ(counted_in("samples per second"), "samples");
  // A prompt costs, too: of a service it is the output that is divided by.
  EXPECT_EQ(counted_in("cost per million output tokens"), "output tokens");
  EXPECT_EQ(counted_in("cost per million output tokens over the day"), "output tokens");
  EXPECT_EQ(counted_in("generated tokens per second per device"), "tokens");
  EXPECT_EQ(counted_in("sequences per second per device"), "sequences");
  EXPECT_EQ(counted_in("output throughput"), "tokens");
  EXPECT_EQ(rate_text(683698.2, "tokens"), "683,698 tokens/s");
  EXPECT_EQ(rate_text(0.31, "samples"), "0.31 samples/s");
  EXPECT_EQ(rate_text(0.0016, "images"), "5.76 images/h");
  EXPECT_EQ(rate_text(0.0, "images"), "0 images/s");
}

TEST(Words, CostIsOfOneWhereThatIsACent) {
  EXPECT_EQ(unit_cost_text(318000.0, "USD", "images"), "0.318 USD per image");
  EXPECT_EQ(unit_cost_text(0.442, "USD", "tokens"), "0.442 USD per million tokens");
  EXPECT_EQ(unit_cost_text(9999.0, "USD", "samples"), "9,999 USD per million samples");
}

TEST(Words, ExactNumbersLookLikeNumbersThatAreNoIntegers) {
  EXPECT_EQ(exact_number(0.0), "0.0");
  EXPECT_EQ(exact_number(1e9), "1000000000.0");
  EXPECT_EQ(exact_number(-8.0F), "-8.0");
  EXPECT_EQ(exact_number(1e30), "1e+30");
  EXPECT_EQ(exact_number(0.1F), "0.1");
  EXPECT_EQ(exact_number(std::nan("")), "");
  EXPECT_EQ(exact_number(std::numeric_limits<double>::infinity()), "");
}

TEST(Words, AnAbsentValueIsNoText) {
  const store::Schema schema = {
      {"name", store::ColumnType::u8, "", "", "", {"a", "none"}, "", "", {{"absent", "none"}}},
      {"field", store::ColumnType::u8, "", "", "", {"a", "none"}},
      {"size", store::ColumnType::i32, "1", "", "", {}},
      {"time", store::ColumnType::f64, "s", "", "", {}}};
  store::Table table(schema);
  table.resize(1);
  table.values<std::uint8_t>(0)[0] = 1;
  table.values<std::uint8_t>(1)[0] = 1;
  table.values<std::int32_t>(2)[0] = -1;
  table.values<double>(3)[0] = std::nan("");
  const Texts expected = {"", "none", "", ""};
  for (std::size_t column = 0; column < schema.size(); ++column) {
    EXPECT_EQ(exact_text(table, schema[column], column, 0), expected[column]);
    EXPECT_EQ(has_value(table, schema[column], column, 0), !expected[column].empty());
  }
}

}  // namespace
}  // namespace scalesweep::analysis
