#include "expression/parse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace scalesweep::expression {
namespace {

using ::testing::HasSubstr;

// Every operator by its place in the text, with its operands: "(a 2 b)" is "a" and "b" joined by
// what stands at 2.
std::string bound(const Tree& tree, std::size_t at) {
  const Node& node = tree.nodes[at];
  if (is_word(node.operation)) {
    return node.text.empty() ? std::to_string(static_cast<int>(node.number)) : node.text;
  }
  const std::string place = " " + std::to_string(node.offset) + " ";
  const bool one = node.left == node.right;
  return "(" + (one ? "" : bound(tree, node.left)) + place + bound(tree, node.right) + ")";
}

std::string bound(const std::string& text) {
  const Tree tree = parse(text, "condition");
  EXPECT_FALSE(tree.syntax.has_value()) << tree.syntax->message;
  return bound(tree, tree.nodes.size() - 1);
}

TEST(Parse, operators_bind_as_in_writing) {
  EXPECT_EQ(bound("a or b and c"), "(a 2 (b 7 c))");
  EXPECT_EQ(bound("a and b or c"), "((a 2 b) 8 c)");
  EXPECT_EQ(bound("not a == b and c"), "(( 0 (a 6 b)) 11 c)");
  EXPECT_EQ(bound("a == b < c"), "(a 2 (b 7 c))");
  EXPECT_EQ(bound("a - b - c"), "((a 2 b) 6 c)");
  EXPECT_EQ(bound("a + b * c % d"), "(a 2 ((b 6 c) 10 d))");
  EXPECT_EQ(bound("-a * b"), "(( 0 a) 3 b)");
  EXPECT_EQ(bound("a - -b"), "(a 2 ( 4 b))");
  EXPECT_EQ(bound("not not a"), "( 0 ( 4 a))");
  EXPECT_EQ(bound("a == not b == c"), "(a 2 ( 5 (b 11 c)))");
  EXPECT_EQ(bound("(a or b) and c"), "((a 3 b) 9 c)");
  EXPECT_EQ(bound("a <= b"), "(a 2 b)");
}

TEST(Parse, words) {
  const Tree tree = parse("order == \"a'b\" and\n nota != 'not' or 1.5e+1 > .5", "condition");
  ASSERT_FALSE(tree.syntax.has_value());
  ASSERT_EQ(tree.nodes.size(), 11u);
  EXPECT_EQ(tree.nodes[0].text, "order");
  EXPECT_EQ(tree.nodes[1].text, "a'b");
  EXPECT_EQ(tree.nodes[3].text, "nota");
  EXPECT_EQ(tree.nodes[3].offset, 20u);
  EXPECT_EQ(tree.nodes[4].text, "not");
  EXPECT_EQ(tree.nodes[7].number, 15.0);
  EXPECT_EQ(tree.nodes[8].number, 0.5);
  ASSERT_EQ(tree.names.size(), 2u);
  EXPECT_EQ(tree.names[1].offset, 20u);
}

TEST(Parse, knows_what_stands_in_parentheses) {
  const Tree tree = parse("(a) < (3)", "condition");
  EXPECT_TRUE(tree.nodes[0].enclosed);
  EXPECT_TRUE(tree.nodes[1].enclosed);
  EXPECT_FALSE(tree.nodes[2].enclosed);
  EXPECT_TRUE(parse("a < +3", "condition").nodes[1].enclosed);
}

std::string said(const std::string& text) {
  const Tree tree = parse(text, "condition");
  return tree.syntax ? std::to_string(tree.syntax->offset) + ": " + tree.syntax->message : "";
}

TEST(Parse, says_where_reading_stops) {
  EXPECT_EQ(said(" \n"), "0: the condition is empty");
  EXPECT_EQ(said("a <= "), "5: something is missing at the end");
  EXPECT_EQ(said("a and"), "5: something is missing at the end");
  EXPECT_EQ(said("b == (a"), "5: a closing parenthesis is missing");
  EXPECT_EQ(said("a)"), "1: this parenthesis does not belong here");
  EXPECT_EQ(said("a <= )"), "5: this parenthesis does not belong here");
  EXPECT_EQ(said("a <= * b"), "5: something is missing before this operator");
  EXPECT_EQ(said("and a"), "0: something is missing before this operator");
  EXPECT_EQ(said("a b"), "2: an operator is missing before this, for example 'and'");
  EXPECT_EQ(said("(a 'b')"), "3: an operator is missing before this, for example 'and'");
  EXPECT_EQ(said("a == 'b"), "5: this string has no closing quote");
  EXPECT_EQ(said("a == 'b\\'"), "5: a string holds no backslash, double quote or line break");
  EXPECT_EQ(said("a && b"), "2: write 'and' for '&&'");
  EXPECT_EQ(said("a <> b"), "2: write '!=' for '<>'");
  EXPECT_EQ(said("a < > b"), "4: something is missing before this operator");
  EXPECT_THAT(said("a in [1]"), HasSubstr("5: '[' has no meaning in a filter; for one of several"));
  EXPECT_THAT(said("a ; b"), HasSubstr("2: ';' has no meaning in a filter; known are"));
}

TEST(Parse, reports_words_that_are_no_numbers) {
  for (const char* text : {"1.2.3", "80GB", ".", "1e", "1and"}) {
    const Tree tree = parse(std::string("a == ") + text, "condition");
    ASSERT_EQ(tree.problems.size(), 1u) << text;
    EXPECT_EQ(tree.problems[0].offset, 5u);
    EXPECT_THAT(tree.problems[0].message, HasSubstr(std::string("'") + text + "' is no number"));
  }
}

TEST(Parse, keeps_what_was_read_before_a_mistake) {
  const Tree tree = parse("a == 3 and b c", "condition");
  EXPECT_TRUE(tree.syntax.has_value());
  EXPECT_EQ(tree.names.size(), 3u);
  ASSERT_GE(tree.nodes.size(), 3u);
  EXPECT_EQ(tree.nodes[2].operation, Operation::equal);
}

TEST(Parse, bounds_what_stands_inside_each_other) {
  const std::size_t many = 100'000;
  for (const std::string& open : {std::string("("), std::string("not "), std::string("-")}) {
    std::string text;
    for (std::size_t i = 0; i < many; ++i) {
      text += open;
    }
    EXPECT_THAT(said(text + "a"), HasSubstr("more than 200 operators and parentheses are open"));
  }
  EXPECT_EQ(said(std::string(190, '(') + "a" + std::string(190, ')')), "");
  std::string chain = "a";
  for (std::size_t i = 0; i < many; ++i) {
    chain += " or a";
  }
  EXPECT_EQ(said(chain), "");
}

}  // namespace
}  // namespace scalesweep::expression
