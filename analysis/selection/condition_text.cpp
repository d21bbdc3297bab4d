#include "analysis/selection/condition_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/file/meaning.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "space/filter/filter_words.hpp"

namespace scalesweep::analysis {
namespace {

using space::FilterWord;
using space::WordKind;

enum class Kind { number, name, condition };

const char* text_of(Kind kind) {
  constexpr std::array<const char*, 3> texts = {"a number", "a name", "a condition"};
  return texts.at(static_cast<std::size_t>(kind));
}

// A part of the expression that has a value.
struct Term {
  std::size_t node = 0;
  Kind kind = Kind::number;
  std::optional<std::size_t> column;  // it is this column alone, into meanings_
  std::optional<FilterWord> literal;  // it is this text or number alone
};

struct Operator {
  std::string_view symbol;
  Operation operation;
};
constexpr std::array<Operator, 2> equalities = {
    {{"==", Operation::equal}, {"!=", Operation::not_equal}}};
constexpr std::array<Operator, 4> orders = {{{"<=", Operation::less_equal},
                                             {">=", Operation::greater_equal},
                                             {"<", Operation::less},
                                             {">", Operation::greater}}};
constexpr std::array<Operator, 2> sums = {{{"+", Operation::add}, {"-", Operation::subtract}}};
constexpr std::array<Operator, 3> products = {
    {{"*", Operation::multiply}, {"/", Operation::divide}, {"%", Operation::remainder}}};

class Parser {
 public:
  Parser(const std::string& text, const store::Schema& schema,
         const std::vector<store::AxisValues>& axes)
      : text_(text), schema_(schema), axes_(axes) {
    std::vector<space::FilterProblem> problems;
    words_ = space::cut_filter(text, problems);
    if (!problems.empty()) {
      fail(problems.front().offset, problems.front().message);
    }
  }

  ConditionText run() {
    if (words_.empty()) {
      fail(0, "the condition is empty");
    }
    const Term whole = any_of();
    if (at_ < words_.size()) {
      const FilterWord& word = words_[at_];
      if (is_symbol(")")) {
        fail(word.offset, "this parenthesis does not belong here");
      }
      fail(word.offset, "an operator is missing before this, for example 'and'");
    }
    if (whole.kind != Kind::condition) {
      fail(words_.front().offset,
           fmt::format("this is {}, and a condition is wanted, for example tensor_parallel <= 8",
                       text_of(whole.kind)));
    }
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(std::size_t offset, const std::string& problem) const {
    std::string shown = text_;
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; },
        ' ');
    // Bytes that continue a character of UTF-8 take no column.
    const auto columns = std::count_if(shown.begin(), shown.begin() + static_cast<long>(offset),
                                       [](char c) { return (c & 0xC0) != 0x80; });
    throw Failure(ExitCode::bad_input,
                  fmt::format("condition: {}\n  {}\n  {:>{}}", problem, shown, '^', columns + 1));
  }

  bool is_symbol(std::string_view symbol) const {
    return at_ < words_.size() && words_[at_].kind == WordKind::symbol &&
           words_[at_].text == symbol;
  }
  bool is_keyword(std::string_view word) const {
    return at_ < words_.size() && words_[at_].kind == WordKind::name && words_[at_].text == word;
  }
  template <std::size_t N>
  const Operator* operator_here(const std::array<Operator, N>& operators) const {
    const auto found = std::find_if(operators.begin(), operators.end(),
                                    [&](const Operator& one) { return is_symbol(one.symbol); });
    return found == operators.end() ? nullptr : &*found;
  }

  Term add(Operation operation, Kind kind, const Term& left, const Term& right) {
    result_.nodes.push_back({operation, 0.0, 0, left.node, right.node});
    return {result_.nodes.size() - 1, kind, std::nullopt, std::nullopt};
  }
  Term constant(double value, Kind kind) {
    result_.nodes.push_back({Operation::constant, value, 0, 0, 0});
    return {result_.nodes.size() - 1, kind, std::nullopt, std::nullopt};
  }

  // From here on: the operators, those that bind least first.
  Term any_of() {
    Term left = all_of();
    while (is_keyword("or")) {
      left = joined(Operation::logical_or, left, &Parser::all_of);
    }
    return left;
  }

  Term all_of() {
    Term left = negation();
    while (is_keyword("and")) {
      left = joined(Operation::logical_and, left, &Parser::negation);
    }
    return left;
  }

  Term joined(Operation operation, const Term& left, Term (Parser::*next)()) {
    const FilterWord word = words_[at_++];
    const Term right = (this->*next)();
    for (const Term& side : {left, right}) {
      if (side.kind != Kind::condition) {
        fail(word.offset, fmt::format("'{}' joins conditions, and one side is {}", word.text,
                                      text_of(side.kind)));
      }
    }
    return add(operation, Kind::condition, left, right);
  }

  Term negation() {
    if (!is_keyword("not")) {
      return equality();
    }
    const FilterWord word = words_[at_++];
    const Term term = negation();
    if (term.kind != Kind::condition) {
      fail(word.offset, fmt::format("'not' takes a condition, not {}", text_of(term.kind)));
    }
    return add(Operation::logical_not, Kind::condition, term, term);
  }

  Term equality() {
    Term left = order();
    while (const Operator* found = operator_here(equalities)) {
      const FilterWord word = words_[at_++];
      Term right = order();
      meet(left, right);
      if (left.kind != right.kind) {
        fail(word.offset,
             fmt::format("{} does not compare with {}", text_of(left.kind), text_of(right.kind)));
      }
      left = add(found->operation, Kind::condition, left, right);
    }
    return left;
  }

  Term order() {
    Term left = sum();
    while (const Operator* found = operator_here(orders)) {
      const FilterWord word = words_[at_++];
      Term right = sum();
      meet(left, right);
      for (const Term& side : {left, right}) {
        if (side.kind == Kind::name) {
          fail(word.offset, "names have no order; compare them with == or !=");
        }
        if (side.kind == Kind::condition) {
          fail(word.offset, "a condition has no order; for a range write 'a <= x and x <= b'");
        }
      }
      left = add(found->operation, Kind::condition, left, right);
    }
    return left;
  }

  Term sum() { return computed(sums, &Parser::product); }
  Term product() { return computed(products, &Parser::signed_term); }

  template <std::size_t N>
  Term computed(const std::array<Operator, N>& operators, Term (Parser::*next)()) {
    Term left = (this->*next)();
    while (const Operator* found = operator_here(operators)) {
      const FilterWord word = words_[at_++];
      const Term right = (this->*next)();
      for (const Term& side : {left, right}) {
        if (side.kind != Kind::number) {
          fail(word.offset, fmt::format("computing takes numbers, not {}", text_of(side.kind)));
        }
      }
      left = add(found->operation, Kind::number, left, right);
    }
    return left;
  }

  Term signed_term() {
    if (!is_symbol("-")) {
      return term();
    }
    const FilterWord word = words_[at_++];
    const Term of = signed_term();
    if (of.kind != Kind::number) {
      fail(word.offset, fmt::format("'-' takes a number, not {}", text_of(of.kind)));
    }
    return add(Operation::negate, Kind::number, of, of);
  }

  Term term() {
    if (at_ == words_.size()) {
      fail(text_.size(), "something is missing at the end");
    }
    const FilterWord word = words_[at_];
    switch (word.kind) {
      case WordKind::symbol:
        return parenthesis(word);
      case WordKind::number:
        ++at_;
        return number(word);
      case WordKind::text: {
        ++at_;
        Term text = constant(number_of_name(word.text), Kind::name);
        text.literal = word;
        return text;
      }
      case WordKind::name:
        break;
    }
    return name(word);
  }

  Term parenthesis(const FilterWord& word) {
    if (word.text == ")") {
      fail(word.offset, "this parenthesis does not belong here");
    }
    if (word.text != "(") {
      fail(word.offset, "something is missing before this operator");
    }
    ++at_;
    const Term inside = any_of();
    if (!is_symbol(")")) {
      if (at_ == words_.size()) {
        fail(word.offset, "a closing parenthesis is missing");
      }
      fail(words_[at_].offset, "an operator is missing before this, for example 'and'");
    }
    ++at_;
    return inside;
  }

  Term number(const FilterWord& word) {
    char* end = nullptr;
    const double value = std::strtod(word.text.c_str(), &end);
    if (end != word.text.c_str() + word.text.size()) {
      fail(word.offset,
           fmt::format("'{}' is no number; a quantity is a string with a number and a unit",
                       word.text));
    }
    Term term = constant(value, Kind::number);
    term.literal = word;
    return term;
  }

  Term name(const FilterWord& word) {
    if (word.text == "not") {
      return negation();
    }
    if (word.text == "and" || word.text == "or") {
      fail(word.offset, "something is missing before this operator");
    }
    ++at_;
    if (word.text == "true" || word.text == "false") {
      return constant(word.text == "true" ? 1.0 : 0.0, Kind::condition);
    }
    const std::size_t column = column_named(word);
    result_.nodes.push_back({Operation::column, 0.0, column, 0, 0});
    const Meaning meaning = meanings_[column].meaning;
    const Kind kind = meaning == Meaning::name    ? Kind::name
                      : meaning == Meaning::truth ? Kind::condition
                                                  : Kind::number;
    return {result_.nodes.size() - 1, kind, column, std::nullopt};
  }

  const store::Column& stored_column(const FilterWord& word) const {
    if (const store::Column* column = find_column(schema_, word.text)) {
      return *column;
    }
    std::vector<std::string> names;
    for (const store::Column& column : schema_) {
      names.push_back(column.name);
    }
    fail(word.offset,
         fmt::format("there is no column '{}'{}", word.text, suggestion(word.text, names)));
  }

  // Into meanings_ and result_.columns.
  std::size_t column_named(const FilterWord& word) {
    const store::Column& column = stored_column(word);
    for (std::size_t c = 0; c < meanings_.size(); ++c) {
      if (meanings_[c].name == column.name) {
        return c;
      }
    }
    meanings_.push_back(meaning_of(column, axes_));
    const ColumnMeaning& meaning = meanings_.back();
    ConditionColumn read{meaning.name, meaning.values};
    if (meaning.meaning == Meaning::name) {
      for (const std::string& label : meaning.labels) {
        read.table.push_back(number_of_name(label));
      }
    } else if (meaning.meaning == Meaning::truth) {
      read.table = {0.0, 1.0};
    }
    result_.columns.push_back(std::move(read));
    return meanings_.size() - 1;
  }

  double number_of_name(const std::string& name) {
    return names_.try_emplace(name, static_cast<double>(names_.size())).first->second;
  }

  // A text or number beside a comparison gets the meaning of the column on the other side.
  void meet(Term& left, Term& right) {
    if (left.column && right.literal) {
      meet(meanings_[*left.column], right);
    } else if (right.column && left.literal) {
      meet(meanings_[*right.column], left);
    }
  }

  void meet(const ColumnMeaning& column, Term& literal) {
    if (literal.literal->kind == WordKind::text) {
      meet_text(column, literal);
      return;
    }
    if (column.meaning == Meaning::name) {
      fail(literal.literal->offset,
           fmt::format("{} is a name; write it in quotes, for example '{}'", column.name,
                       column.labels.empty() ? "" : column.labels.front()));
    }
    if (column.meaning == Meaning::quantity && column.is_axis) {
      fail(literal.literal->offset,
           fmt::format("a bare number, but {} is a quantity; write for example '{}'", column.name,
                       column.labels.empty() ? "" : column.labels.front()));
    }
  }

  void meet_text(const ColumnMeaning& column, Term& literal) {
    const std::string& text = literal.literal->text;
    const std::size_t offset = literal.literal->offset;
    const auto label = std::find(column.labels.begin(), column.labels.end(), text);
    switch (column.meaning) {
      case Meaning::name:
        if (label == column.labels.end()) {
          fail(offset, fmt::format("{} is never '{}' in this study{}", column.name, text,
                                   suggestion(text, column.labels)));
        }
        return;
      case Meaning::truth:
        fail(offset, fmt::format("{} is true or false, without quotes", column.name));
      case Meaning::number:
        fail(offset, fmt::format("{} is a number; write it without quotes", column.name));
      case Meaning::quantity:
        break;
    }
    if (label != column.labels.end()) {
      const auto index = static_cast<std::size_t>(label - column.labels.begin());
      if (index < column.values.size()) {
        become_number(literal, column.values[index]);
        return;
      }
    }
    const QuantityText quantity = parse_quantity_in(text, column.units);
    if (!quantity.si) {
      fail(offset, quantity.problem);
    }
    become_number(literal, *quantity.si);
  }

  void become_number(Term& literal, double value) {
    result_.nodes[literal.node].constant = value;
    literal.kind = Kind::number;
  }

  const std::string& text_;
  const store::Schema& schema_;
  const std::vector<store::AxisValues>& axes_;
  std::vector<FilterWord> words_;
  std::size_t at_ = 0;
  std::vector<ColumnMeaning> meanings_;  // of result_.columns
  std::map<std::string, double> names_;
  ConditionText result_;
};

}  // namespace

ConditionText parse_condition(const std::string& text, const store::Schema& schema,
                              const std::vector<store::AxisValues>& axes) {
  return Parser(text, schema, axes).run();
}

}  // namespace scalesweep::analysis
