#include "expression/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace scalesweep::expression {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Quantities are written "3 m" and "3 W" here.
class TestScope : public Scope {
 public:
  Found find(const std::string& name) const override {
    if (name == "later") {
      return {};
    }
    if (const auto found = symbols_.find(name); found != symbols_.end()) {
      return {found->second};
    }
    return {std::nullopt, "no " + name};
  }
  Quantity quantity(const std::string& text, const Symbol& symbol) const override {
    const std::size_t blank = text.find(' ');
    if (blank == std::string::npos || text.substr(blank + 1) != symbol.units) {
      return {std::nullopt, "not in " + symbol.units};
    }
    return {std::stod(text)};
  }

 private:
  static Symbol named(const std::string& name, Kind kind, const std::string& units = "") {
    Symbol symbol{name, kind, units};
    symbol.takes_bare_numbers = false;
    symbol.example = "3 " + units;
    return symbol;
  }
  static Symbol word(const std::string& name, Severity never) {
    Symbol symbol = named(name, Kind::name);
    symbol.labels = {"red", "green"};
    symbol.others = {"rouge", "green"};
    symbol.values = {0.0, 1.0};
    symbol.example = "red";
    symbol.never = never;
    symbol.never_where = " here";
    return symbol;
  }
  std::map<std::string, Symbol> symbols_ = {{"n", named("n", Kind::number)},
                                            {"short", named("n", Kind::number)},
                                            {"c", named("c", Kind::condition)},
                                            {"length", named("length", Kind::number, "m")},
                                            {"width", named("width", Kind::number, "m")},
                                            {"power", named("power", Kind::number, "W")},
                                            {"colour", word("colour", Severity::error)},
                                            {"paint", word("paint", Severity::warning)}};
};

Checked checked(const std::string& text) {
  return check(text, "condition", TestScope());
}

std::vector<std::string> said(const std::string& text) {
  std::vector<std::string> all;
  for (const Problem& problem : checked(text).problems) {
    all.push_back(std::to_string(problem.offset) + ": " + problem.message);
  }
  return all;
}

TEST(Check, every_variable_once_by_its_own_name) {
  const Checked result = checked("short < 3 and n > 1 and colour == 'red' and short != 2");
  ASSERT_TRUE(result.complete());
  EXPECT_EQ(result.kind, Kind::condition);
  ASSERT_EQ(result.program.variables.size(), 2u);
  EXPECT_EQ(result.program.variables[0].name, "n");
  EXPECT_EQ(result.program.variables[1].name, "colour");
  EXPECT_EQ(result.program.variables[1].table.size(), 2u);
}

TEST(Check, equal_names_have_equal_numbers) {
  const Checked result = checked("colour == paint and colour != 'green'");
  ASSERT_TRUE(result.complete());
  const auto& variables = result.program.variables;
  EXPECT_EQ(variables[0].table, variables[1].table);
  EXPECT_NE(variables[0].table[0], variables[0].table[1]);
  EXPECT_EQ(result.program.constants[0], variables[0].table[1]);
}

TEST(Check, names_have_other_names_and_any_letter_case) {
  const Checked result = checked("colour == 'Green' or colour == 'rouge' or colour == 'ROUGE'");
  ASSERT_TRUE(result.complete());
  EXPECT_THAT(result.problems, IsEmpty());
  const std::vector<double>& table = result.program.variables.front().table;
  EXPECT_THAT(result.program.constants, ElementsAre(table[1], table[0], table[0]));
}

TEST(Check, texts_beside_quantities_are_quantities) {
  for (const char* text :
       {"length < '3 m'", "'3 m' > length", "2 * length < '3 m'", "length / 2 < '3 m'",
        "-length < ('3 m')", "length + width < '3 m'", "(length) % 2 == '3 m'"}) {
    EXPECT_THAT(said(text), IsEmpty()) << text;
  }
  EXPECT_THAT(said("length < '3 W'"), ElementsAre("9: not in m"));
  EXPECT_THAT(said("length * width < '3 m'"),
              ElementsAre("15: names have no order; compare them with == or !="));
  EXPECT_THAT(said("length / width < '3 m'"),
              ElementsAre("15: names have no order; compare them with == or !="));
  EXPECT_THAT(said("2 / length < '3 m'"),
              ElementsAre("11: names have no order; compare them with == or !="));
  EXPECT_THAT(said("length + power < '3 m'"),
              ElementsAre("15: names have no order; compare them with == or !="));
}

TEST(Check, bare_numbers_alone_are_no_quantities) {
  EXPECT_THAT(said("length < 3"), ElementsAre("9: a bare number, but length is a quantity; write "
                                              "for example '3 m'"));
  EXPECT_THAT(said("2 * length < 3 and length < (3) and length < 1 + 2"), IsEmpty());
}

TEST(Check, texts_and_numbers_beside_other_things) {
  EXPECT_THAT(said("n == '3'"), ElementsAre("5: n is a number; write it without quotes"));
  EXPECT_THAT(said("2 * n == '3'"), ElementsAre("9: n is a number; write it without quotes"));
  EXPECT_THAT(said("c == 'true'"), ElementsAre("5: c is true or false, without quotes"));
  EXPECT_THAT(said("colour == 3"),
              ElementsAre("10: colour is a name; write it in quotes, for example 'red'"));
  EXPECT_THAT(said("colour == 'rad'"),
              ElementsAre("10: colour is never 'rad' here; did you mean 'red'?"));
}

TEST(Check, a_beginning_stands_for_the_only_name_that_has_it) {
  EXPECT_THAT(said("colour == 'RE' and colour != 'g'"), IsEmpty());
  EXPECT_THAT(said("colour == 'rou'"),
              ElementsAre("10: colour is never 'rou' here; did you mean 'red'?"))
      << "other names count as a whole";
  const Checked both = checked("colour == 're' or colour == 'red'");
  EXPECT_TRUE(both.complete());
}

TEST(Check, a_warning_leaves_a_program) {
  const Checked result = checked("paint == 'rad'");
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_EQ(result.problems[0].severity, Severity::warning);
  EXPECT_TRUE(result.complete());
}

TEST(Check, a_name_that_cannot_be_told_is_no_problem) {
  const Checked result = checked("later < 3 and length < 3");
  EXPECT_EQ(result.problems.size(), 1u);
  EXPECT_FALSE(checked("later < 'x'").complete());
  EXPECT_THAT(said("later < 'x' and not (later and 3 < later + 1)"), IsEmpty());
}

TEST(Check, says_everything_in_one_pass_and_nothing_twice) {
  EXPECT_THAT(said("foo < 1 and not n and -colour == 3 and bar"),
              ElementsAre("0: no foo", "12: 'not' takes a condition, not a number",
                          "22: '-' takes a number, not a name", "39: no bar"));
  EXPECT_THAT(said("1 < n < 4"),
              ElementsAre("6: a condition has no order; for a range write 'a <= x and x <= b'"));
  EXPECT_THAT(said("n == c or n"),
              ElementsAre("2: a number does not compare with a condition",
                          "7: 'or' joins conditions, and one side is a number"));
}

TEST(Check, what_does_not_bind_may_follow_from_what_stands_before) {
  EXPECT_THAT(said("max(n) == 3"), ElementsAre("0: no max"));
  EXPECT_THAT(said("max(n, 3) == 3"),
              ElementsAre("5: ',' has no meaning in a filter; known are names, numbers, strings, "
                          "comparisons, + - * / %, ( ), and, or, not",
                          "0: no max"));
  EXPECT_THAT(said("n n foo"),
              ElementsAre("2: an operator is missing before this, for example 'and'", "4: no foo"));
}

}  // namespace
}  // namespace scalesweep::expression
