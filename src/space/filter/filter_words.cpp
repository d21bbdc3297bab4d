#include "space/filter/filter_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace scalesweep::space {
namespace {

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

  std::vector<FilterWord> words() {
    std::vector<FilterWord> words;
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

  std::optional<FilterWord> next() {
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

  std::optional<FilterWord> quoted(char quote) {
    const std::size_t end = expression_.find(quote, at_ + 1);
    if (end == std::string::npos) {
      problems_.push_back({Severity::error, at_, "this string has no closing quote"});
      return std::nullopt;
    }
    FilterWord found = word(WordKind::text, end + 1 - at_);
    found.text = expression_.substr(at_ + 1, end - at_ - 1);
    if (found.text.find_first_of("\\\"\n") != std::string::npos) {
      problems_.push_back(
          {Severity::error, at_, "a string holds no backslash, double quote or line break"});
      return std::nullopt;
    }
    return found;
  }

  std::optional<FilterWord> symbol() {
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
    if (rest.front() == '[') {
      problems_.push_back({Severity::error, at_,
                           "'[' has no meaning in a filter; for one of several write "
                           "x == 'A' or x == 'B'"});
      return std::nullopt;
    }
    problems_.push_back({Severity::error, at_,
                         fmt::format("'{}' has no meaning in a filter; known are names, numbers, "
                                     "strings, comparisons, + - * / %, ( ), and, or, not",
                                     rest.front())});
    return std::nullopt;
  }

  FilterWord word(WordKind kind, std::size_t length) const {
    return {kind, expression_.substr(at_, length), at_, length};
  }

  const std::string& expression_;
  std::vector<FilterProblem>& problems_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<FilterWord> cut_filter(const std::string& expression,
                                   std::vector<FilterProblem>& problems) {
  return Cutter(expression, problems).words();
}

bool is_filter_keyword(std::string_view name) {
  return contains(keywords, name);
}

bool is_comparison(std::string_view symbol) {
  return contains(comparisons, symbol);
}

}  // namespace scalesweep::space
