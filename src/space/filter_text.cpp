#include "space/filter_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "config/quantity_text.hpp"
#include "core/text.hpp"
#include "parallel/fields.hpp"
#include "space/axis_reader.hpp"
#include "space/spec_axes.hpp"

namespace scalesweep::space {
namespace {

enum class WordKind { name, number, text, symbol };

struct Word {
  WordKind kind = WordKind::symbol;
  std::string text;  // of a string: without its quotes
  std::size_t offset = 0;
  std::size_t length = 0;  // in the expression
};

constexpr std::array<std::string_view, 5> keywords = {"and", "or", "not", "true", "false"};
constexpr std::array<std::string_view, 6> comparisons = {"==", "!=", "<=", ">=", "<", ">"};
constexpr std::string_view single_symbols = "<>+-*/%()";

// Symbols of other languages, and what to write instead.
struct Foreign {
  std::string_view symbol;
  std::string_view instead;
};
constexpr std::array<Foreign, 7> foreign_symbols = {{{"&&", "and"},
                                                     {"||", "or"},
                                                     {"<>", "!="},
                                                     {"=", "=="},
                                                     {"!", "not"},
                                                     {"&", "and"},
                                                     {"|", "or"}}};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Cuts the expression into words; stops at the first character that belongs to none.
class Cutter {
 public:
  Cutter(const std::string& expression, std::vector<FilterProblem>& problems)
      : expression_(expression), problems_(problems) {}

  std::vector<Word> words() {
    std::vector<Word> words;
    while (skip_blanks()) {
      const auto word = next();
      if (!word) {
        break;
      }
      words.push_back(*word);
      at_ = word->offset + word->length;
    }
    return words;
  }

 private:
  bool skip_blanks() {
    at_ = std::min(expression_.find_first_not_of(" \t\r\n", at_), expression_.size());
    return at_ < expression_.size();
  }

  std::optional<Word> next() {
    const char first = expression_[at_];
    if (starts_name(first)) {
      std::size_t end = at_;
      while (end < expression_.size() && continues_name(expression_[end])) {
        ++end;
      }
      return word(WordKind::name, end - at_);
    }
    if (is_digit(first) || first == '.') {
      return word(WordKind::number, number_length());
    }
    if (first == '"' || first == '\'') {
      return quoted(first);
    }
    return symbol();
  }

  // Digits, a point, an exponent. Letters that follow belong to it, so that "80GB" is one word.
  std::size_t number_length() const {
    std::size_t end = at_;
    while (end < expression_.size()) {
      const char c = expression_[end];
      const bool sign = (c == '+' || c == '-') && end > at_ &&
                        (expression_[end - 1] == 'e' || expression_[end - 1] == 'E');
      if (!continues_name(c) && c != '.' && !sign) {
        break;
      }
      ++end;
    }
    return end - at_;
  }

  std::optional<Word> quoted(char quote) {
    const std::size_t end = expression_.find(quote, at_ + 1);
    if (end == std::string::npos) {
      problems_.push_back({Severity::error, at_, "this string has no closing quote"});
      return std::nullopt;
    }
    Word found = word(WordKind::text, end + 1 - at_);
    found.text = expression_.substr(at_ + 1, end - at_ - 1);
    if (found.text.find_first_of("\\\"\n") != std::string::npos) {
      problems_.push_back(
          {Severity::error, at_, "a string holds no backslash, double quote or line break"});
      return std::nullopt;
    }
    return found;
  }

  std::optional<Word> symbol() {
    const std::string_view rest = std::string_view(expression_).substr(at_);
    for (const std::string_view comparison : comparisons) {
      if (comparison.size() == 2 && rest.starts_with(comparison)) {
        return word(WordKind::symbol, 2);
      }
    }
    for (const Foreign& foreign : foreign_symbols) {
      if (rest.starts_with(foreign.symbol)) {
        problems_.push_back({Severity::error, at_,
                             fmt::format("write '{}' for '{}'", foreign.instead, foreign.symbol)});
        return std::nullopt;
      }
    }
    if (single_symbols.find(rest.front()) != std::string_view::npos) {
      return word(WordKind::symbol, 1);
    }
    problems_.push_back({Severity::error, at_,
                         fmt::format("'{}' has no meaning in a filter; known are names, numbers, "
                                     "strings, comparisons, + - * / %, ( ), and, or, not",
                                     rest.front())});
    return std::nullopt;
  }

  Word word(WordKind kind, std::size_t length) const {
    return {kind, expression_.substr(at_, length), at_, length};
  }

  const std::string& expression_;
  std::vector<FilterProblem>& problems_;
  std::size_t at_ = 0;
};

// What a name stands for.
enum class Meaning { unknown, keyword, number, quantity, name_axis, word, truth };

class Analysis {
 public:
  Analysis(const std::string& expression, const std::vector<Axis>& axes, bool axes_complete)
      : axes_(axes), axes_complete_(axes_complete) {
    // A line break is a blank: to the parser it would be the end of one expression of several.
    text_.normalized = expression;
    std::replace_if(
        text_.normalized.begin(), text_.normalized.end(),
        [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    words_ = Cutter(expression, text_.problems).words();
  }

  FilterText run() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const Word& word = words_[i];
      switch (word.kind) {
        case WordKind::name:
          name(word);
          break;
        case WordKind::number:
          number(word);
          break;
        case WordKind::text:
          replace(word, '"' + word.text + '"');
          break;
        case WordKind::symbol:
          break;
      }
      compared(i);
    }
    return std::move(text_);
  }

 private:
  void problem(const Word& word, std::string message, Severity severity = Severity::error) {
    text_.problems.push_back({severity, word.offset, std::move(message)});
  }

  // Padded to the length of what it replaces.
  void replace(const Word& word, std::string by) {
    by.resize(word.length, ' ');
    text_.normalized.replace(word.offset, word.length, by);
  }

  const Axis* axis_named(const std::string& name) const {
    const auto found = find_axis(axes_, name);
    return found ? &axes_[*found] : nullptr;
  }

  Meaning meaning_of(const std::string& name) const {
    if (contains(keywords, name)) {
      return Meaning::keyword;
    }
    if (const Axis* axis = axis_named(name)) {
      return axis->kind == AxisKind::name       ? Meaning::name_axis
             : axis->kind == AxisKind::quantity ? Meaning::quantity
                                                : Meaning::number;
    }
    const parallel::Field* field = parallel::find_field(name);
    if (field == nullptr) {
      return Meaning::unknown;
    }
    return field->kind == parallel::FieldKind::word    ? Meaning::word
           : field->kind == parallel::FieldKind::truth ? Meaning::truth
                                                       : Meaning::number;
  }

  void name(const Word& word) {
    switch (meaning_of(word.text)) {
      case Meaning::keyword:
        if (word.text == "and" || word.text == "or" || word.text == "not") {
          replace(word, word.text == "and" ? "&&" : word.text == "or" ? "||" : "!");
        }
        break;
      case Meaning::unknown:
        unknown_name(word);
        break;
      default:
        add_once(axis_named(word.text) != nullptr ? text_.axes : text_.fields, word.text);
    }
  }

  void unknown_name(const Word& word) {
    const std::vector<std::string>& possible = axis_names();
    if (std::find(possible.begin(), possible.end(), word.text) != possible.end()) {
      if (axes_complete_) {
        problem(word, fmt::format("this study has no axis '{}'", word.text));
      }
      text_.complete = false;
      return;
    }
    std::vector<std::string> known = strategy_field_names();
    for (const Axis& axis : axes_) {
      known.push_back(axis.name);
    }
    problem(word, fmt::format("unknown name '{}'{}", word.text, suggestion(word.text, known)));
  }

  void number(const Word& word) {
    if (std::any_of(word.text.begin(), word.text.end(),
                    [](char c) { return starts_name(c) && c != 'e' && c != 'E'; })) {
      problem(word, fmt::format("'{0}' is no number; a quantity is a string with a number and a "
                                "unit",
                                word.text));
    }
  }

  bool is_comparison(std::size_t i) const {
    return i < words_.size() && words_[i].kind == WordKind::symbol &&
           contains(comparisons, words_[i].text);
  }

  // A string or number right beside a comparison whose other side is a name.
  void compared(std::size_t i) {
    const Word& literal = words_[i];
    if (literal.kind != WordKind::text && literal.kind != WordKind::number) {
      return;
    }
    const bool after = i >= 2 && is_comparison(i - 1) && words_[i - 2].kind == WordKind::name;
    const bool before =
        is_comparison(i + 1) && i + 2 < words_.size() && words_[i + 2].kind == WordKind::name;
    const bool whole = !computed(i + 1) && (i == 0 || !computed(i - 1));
    if ((!after && !before) || !whole) {
      return;
    }
    const std::string& name = after ? words_[i - 2].text : words_[i + 2].text;
    if (literal.kind == WordKind::text) {
      compared_with_text(literal, name);
    } else {
      compared_with_number(literal, name);
    }
  }

  bool computed(std::size_t i) const {
    return i < words_.size() && words_[i].kind == WordKind::symbol && !is_comparison(i) &&
           words_[i].text != "(" && words_[i].text != ")";
  }

  void compared_with_text(const Word& literal, const std::string& name) {
    switch (meaning_of(name)) {
      case Meaning::quantity:
        quantity(literal, *axis_named(name));
        break;
      case Meaning::name_axis: {
        const std::vector<std::string>& labels = axis_named(name)->labels;
        if (std::find(labels.begin(), labels.end(), literal.text) == labels.end()) {
          problem(literal,
                  fmt::format("{} is never '{}' in this study{}", name, literal.text,
                              suggestion(literal.text, labels)),
                  Severity::warning);
        }
        break;
      }
      case Meaning::word: {
        const auto words = parallel::find_field(name)->words;
        if (std::find(words.begin(), words.end(), literal.text) == words.end()) {
          problem(literal, fmt::format("{} is never '{}'{}", name, literal.text,
                                       suggestion(literal.text, std::vector<std::string>(
                                                                    words.begin(), words.end()))));
        }
        break;
      }
      case Meaning::number:
        problem(literal, fmt::format("{} is a number; write it without quotes", name));
        break;
      case Meaning::truth:
        problem(literal, fmt::format("{} is true or false, without quotes", name));
        break;
      case Meaning::unknown:
      case Meaning::keyword:
        break;
    }
  }

  void compared_with_number(const Word& literal, const std::string& name) {
    switch (meaning_of(name)) {
      case Meaning::quantity: {
        const Axis& axis = *axis_named(name);
        problem(literal, fmt::format("a bare number, but {} is a quantity; write for example "
                                     "'{}'",
                                     name, axis.labels.front()));
        break;
      }
      case Meaning::name_axis:
        problem(literal, fmt::format("{} is a name; write it in quotes, for example '{}'", name,
                                     axis_named(name)->labels.front()));
        break;
      case Meaning::word:
        problem(literal, fmt::format("{} is a name; write it in quotes, for example '{}'", name,
                                     parallel::find_field(name)->words.back()));
        break;
      default:
        break;
    }
  }

  void quantity(const Word& literal, const Axis& axis) {
    const config::QuantityResult result = config::parse_quantity(literal.text, *dimension_of(axis));
    if (!result.si) {
      problem(literal, result.problem);
      return;
    }
    // The shortest quantity with its quotes, "1W", has four characters: the names fit.
    const std::string name = fmt::format("_{}", text_.constants.size());
    text_.constants[name] = *result.si;
    replace(literal, name);
  }

  const std::vector<Axis>& axes_;
  bool axes_complete_;
  std::vector<Word> words_;
  FilterText text_;
};

}  // namespace

FilterText analyse_filter(const std::string& expression, const std::vector<Axis>& axes,
                          bool axes_complete) {
  return Analysis(expression, axes, axes_complete).run();
}

const std::vector<std::string>& strategy_field_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const parallel::Field& field : parallel::strategy_fields()) {
      all.emplace_back(field.name);
    }
    return all;
  }();
  return names;
}

}  // namespace scalesweep::space
