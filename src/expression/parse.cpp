#include "expression/parse.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <tao/pegtl.hpp>
#include <type_traits>
#include <utility>

namespace scalesweep::expression {
namespace {

namespace pegtl = tao::pegtl;

// ---- words ----

struct blanks : pegtl::star<pegtl::one<' ', '\t', '\r', '\n'>> {};
struct letter_or_digit : pegtl::sor<pegtl::alnum, pegtl::one<'_'>> {};
template <char... C>
struct keyword : pegtl::seq<pegtl::string<C...>, pegtl::not_at<letter_or_digit>> {};
using and_word = keyword<'a', 'n', 'd'>;
using or_word = keyword<'o', 'r'>;
using not_word = keyword<'n', 'o', 't'>;
struct truth : pegtl::sor<keyword<'t', 'r', 'u', 'e'>, keyword<'f', 'a', 'l', 's', 'e'>> {};
struct reserved : pegtl::sor<and_word, or_word, not_word, truth> {};
struct name : pegtl::seq<pegtl::not_at<reserved>, pegtl::alpha, pegtl::star<letter_or_digit>> {};
struct number_begins : pegtl::sor<pegtl::digit, pegtl::one<'.'>> {};
// Letters that follow belong to it, so that "80GB" is one word, and no number.
struct number
    : pegtl::seq<pegtl::at<number_begins>,
                 pegtl::plus<pegtl::sor<pegtl::seq<pegtl::one<'e', 'E'>, pegtl::one<'+', '-'>>,
                                        letter_or_digit, pegtl::one<'.'>>>> {};
template <char Quote>
struct quoted : pegtl::seq<pegtl::one<Quote>, pegtl::star<pegtl::not_one<Quote, '"', '\\', '\n'>>,
                           pegtl::one<Quote>> {};
struct text : pegtl::sor<quoted<'\''>, quoted<'"'>> {};
struct symbol : pegtl::sor<pegtl::string<'=', '='>, pegtl::string<'!', '='>,
                           pegtl::string<'<', '='>, pegtl::string<'>', '='>,
                           pegtl::seq<pegtl::not_at<pegtl::string<'<', '>'>>,
                                      pegtl::one<'<', '>', '+', '-', '*', '/', '%', '(', ')'>>> {};
struct words : pegtl::star<pegtl::sor<reserved, name, number, text, symbol>, blanks> {};

// Symbols of other languages, and what to write instead.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> foreign_symbols = {
    {{"&&", "and"},
     {"||", "or"},
     {"<>", "!="},
     {"=", "=="},
     {"!", "not"},
     {"&", "and"},
     {"|", "or"}}};

std::string why_no_word(std::string_view rest) {
  const char first = rest.front();
  if (first == '"' || first == '\'') {
    return rest.find(first, 1) == std::string_view::npos
               ? "this string has no closing quote"
               : "a string holds no backslash, double quote or line break";
  }
  for (const auto& [foreign, instead] : foreign_symbols) {
    if (rest.starts_with(foreign)) {
      return fmt::format("write '{}' for '{}'", instead, foreign);
    }
  }
  if (first == '[') {
    return "'[' has no meaning in a filter; for one of several write x == 'A' or x == 'B'";
  }
  return fmt::format(
      "'{}' has no meaning in a filter; known are names, numbers, strings, comparisons, "
      "+ - * / %, ( ), and, or, not",
      first);
}

// ---- what binds to what, from what binds least ----

template <Operation O, typename Rule>
struct operation : pegtl::seq<Rule, blanks> {};
template <Operation O, char... C>
using symbol_for = operation<O, pegtl::string<C...>>;
template <typename Operators, typename Operand>
struct joined : pegtl::if_must<Operators, Operand> {};
template <typename Operand, typename... Operators>
struct level : pegtl::seq<Operand, pegtl::star<joined<pegtl::sor<Operators...>, Operand>>> {};

struct any_of;
struct negation;
struct signed_term;
struct opened : pegtl::seq<pegtl::one<'('>, blanks> {};
struct closed : pegtl::seq<pegtl::one<')'>, blanks> {};
struct enclosed : pegtl::if_must<opened, any_of, closed> {};
struct positive : pegtl::seq<pegtl::one<'+'>, number> {};
struct negated : pegtl::if_must<operation<Operation::logical_not, not_word>, negation> {};
struct opposite : pegtl::if_must<symbol_for<Operation::negate, '-'>, signed_term> {};
struct term : pegtl::sor<enclosed, negated,
                         pegtl::seq<pegtl::sor<positive, number, text, truth, name>, blanks>> {};
struct signed_term : pegtl::sor<opposite, term> {};
using product = level<signed_term, symbol_for<Operation::multiply, '*'>,
                      symbol_for<Operation::divide, '/'>, symbol_for<Operation::remainder, '%'>>;
using sum = level<product, symbol_for<Operation::add, '+'>, symbol_for<Operation::subtract, '-'>>;
using order = level<sum, symbol_for<Operation::less_equal, '<', '='>,
                    symbol_for<Operation::greater_equal, '>', '='>,
                    symbol_for<Operation::less, '<'>, symbol_for<Operation::greater, '>'>>;
using equality = level<order, symbol_for<Operation::equal, '=', '='>,
                       symbol_for<Operation::not_equal, '!', '='>>;
struct negation : pegtl::sor<negated, equality> {};
using all_of = level<negation, operation<Operation::logical_and, and_word>>;
struct any_of : level<all_of, operation<Operation::logical_or, or_word>> {};
struct whole : pegtl::must<any_of, pegtl::eof> {};

// ---- building the tree ----

// Where an expression cannot be read on. Thrown through the parser, never out of this file.
struct Stop {
  Problem problem;
};

struct Builder {
  explicit Builder(const std::string& expression, std::vector<Node>& tree)
      : source(expression), nodes(tree) {}

  void begin(Operation operation, std::size_t offset) {
    go_deeper(offset);
    pending.push_back({operation, offset});
  }
  void open(std::size_t offset) {
    go_deeper(offset);
    parentheses.push_back(offset);
  }
  void end(bool two_operands) {
    Node node = std::move(pending.back());
    pending.pop_back();
    node.right = operands.back();
    operands.pop_back();
    node.left = node.right;
    if (two_operands) {
      node.left = operands.back();
      operands.pop_back();
    }
    add(std::move(node));
  }
  void add(Node node) {
    nodes.push_back(std::move(node));
    operands.push_back(nodes.size() - 1);
  }

  // Each takes some space on the stack.
  void go_deeper(std::size_t offset) const {
    if (pending.size() + parentheses.size() == deepest) {
      throw Stop{
          {offset, fmt::format("more than {} operators and parentheses are open here", deepest)}};
    }
  }

  static constexpr std::size_t deepest = 200;
  const std::string& source;
  std::vector<Node>& nodes;
  std::vector<std::size_t> operands;     // nodes that nothing is computed of yet
  std::vector<Node> pending;             // operators whose last operand is being read
  std::vector<std::size_t> parentheses;  // offsets of those that are open
};

std::size_t offset_in(const std::string& source, const char* place) {
  return static_cast<std::size_t>(place - source.data());
}

template <typename Rule>
struct Build : pegtl::nothing<Rule> {};

template <Operation O, typename Rule>
struct Build<operation<O, Rule>> {
  template <typename Input>
  static void apply(const Input& in, Builder& builder) {
    builder.begin(O, offset_in(builder.source, in.begin()));
  }
};
template <typename Operators, typename Operand>
struct Build<joined<Operators, Operand>> {
  static void apply0(Builder& builder) { builder.end(true); }
};
struct EndOfOne {
  static void apply0(Builder& builder) { builder.end(false); }
};
template <>
struct Build<negated> : EndOfOne {};
template <>
struct Build<opposite> : EndOfOne {};
template <>
struct Build<opened> {
  template <typename Input>
  static void apply(const Input& in, Builder& builder) {
    builder.open(offset_in(builder.source, in.begin()));
  }
};
template <>
struct Build<enclosed> {
  static void apply0(Builder& builder) {
    builder.parentheses.pop_back();
    builder.nodes[builder.operands.back()].enclosed = true;
  }
};
template <>
struct Build<positive> {
  static void apply0(Builder& builder) { builder.nodes.back().enclosed = true; }
};

template <Operation O>
struct AddWord {
  template <typename Input>
  static void apply(const Input& in, Builder& builder) {
    Node node{O, offset_in(builder.source, in.begin())};
    if constexpr (O == Operation::number) {
      node.number = std::strtod(in.string().c_str(), nullptr);
    } else if constexpr (O == Operation::truth) {
      node.number = in.string() == "true" ? 1.0 : 0.0;
    } else {
      const std::size_t quote = O == Operation::text ? 1 : 0;
      node.text = in.string().substr(quote, in.size() - 2 * quote);
    }
    builder.add(std::move(node));
  }
};
template <>
struct Build<number> : AddWord<Operation::number> {};
template <>
struct Build<text> : AddWord<Operation::text> {};
template <>
struct Build<truth> : AddWord<Operation::truth> {};
template <>
struct Build<name> : AddWord<Operation::name> {};

// What is said where a rule that must match does not.
template <typename Rule>
struct Control : pegtl::normal<Rule> {
  template <typename Input>
  [[noreturn]] static void raise(const Input& in, Builder& builder) {
    const std::size_t offset = offset_in(builder.source, in.current());
    constexpr bool operand_wanted =
        !std::is_same_v<Rule, closed> && !std::is_same_v<Rule, pegtl::eof>;
    if (in.empty()) {
      throw operand_wanted ? Stop{{offset, "something is missing at the end"}}
                           : Stop{{builder.parentheses.back(), "a closing parenthesis is missing"}};
    }
    if (in.peek_char() == ')') {
      throw Stop{{offset, "this parenthesis does not belong here"}};
    }
    throw Stop{{offset, operand_wanted ? "something is missing before this operator"
                                       : "an operator is missing before this, for example 'and'"}};
  }
};

// ---- every word, before any meaning ----

template <typename Rule>
struct Note : pegtl::nothing<Rule> {};
template <>
struct Note<name> {
  template <typename Input>
  static void apply(const Input& in, const std::string& source, Tree& tree) {
    tree.names.push_back({in.string(), offset_in(source, in.begin())});
  }
};
template <>
struct Note<number> {
  template <typename Input>
  static void apply(const Input& in, const std::string& source, Tree& tree) {
    const std::string written = in.string();
    char* end = nullptr;
    (void)std::strtod(written.c_str(), &end);
    if (end != written.c_str() + written.size()) {
      tree.problems.push_back(
          {offset_in(source, in.begin()),
           fmt::format("'{}' is no number; a quantity is a string with a number and a unit",
                       written)});
    }
  }
};

}  // namespace

Tree parse(const std::string& text, const std::string& what) {
  Tree tree;
  pegtl::memory_input input(text, "");
  pegtl::parse<blanks>(input);
  if (input.empty()) {
    tree.syntax = {0, fmt::format("the {} is empty", what)};
    return tree;
  }
  pegtl::memory_input rest(input.current(), input.end(), "");
  pegtl::parse<words, Note>(rest, text, tree);
  if (!rest.empty()) {
    const std::size_t offset = offset_in(text, rest.current());
    tree.syntax = {offset, why_no_word(std::string_view(text).substr(offset))};
    return tree;
  }
  try {
    Builder builder(text, tree.nodes);
    pegtl::parse<whole, Build, Control>(input, builder);
  } catch (const Stop& stop) {
    tree.syntax = stop.problem;
  }
  return tree;
}

}  // namespace scalesweep::expression
